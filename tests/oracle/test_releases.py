"""What is recorded is what the releases answer: a sample of claims and releases, which `--sample-seed` chooses."""

from __future__ import annotations

import random

import pytest

from flink_flint.linter.engine.verdicts import recorded
from flink_flint.linter.flink.releases import parse_release
from tests.oracle.asking import answers, is_asked

pytestmark = pytest.mark.flink

_SLOW = ("batch", "flink command", "high availability", "program", "run", "SQL", "SQL plan", "SQL job", "SQL run")
"""Parts of Flink that take seconds to answer."""
_QUICK_CLAIMS, _SLOW_CLAIMS, _RELEASES = 40, 6, 3


def test_releases_answer_what_is_recorded(pytestconfig: pytest.Config) -> None:
    choose = random.Random(pytestconfig.getoption("--sample-seed"))
    found = {claim: verdicts for claims in recorded().values() for claim, verdicts in claims}
    known = sorted({one.release for verdicts in found.values() for one in verdicts}, key=parse_release)
    releases = sorted([known[-1], *choose.sample(known[:-1], _RELEASES - 1)], key=parse_release)
    slow, quick = ([claim for claim in found if (claim.probe in _SLOW) is is_slow] for is_slow in (True, False))
    claims = [*choose.sample(quick, _QUICK_CLAIMS), *choose.sample(slow, _SLOW_CLAIMS)]
    expected = {claim: [one for one in found[claim] if one.release in releases] for claim in claims}
    assert {claim: [one.release for one in verdicts] for claim, verdicts in expected.items()} == {
        claim: [release for release in releases if is_asked(claim, release)] for claim in claims
    }
    assert answers(claims, releases) == expected
