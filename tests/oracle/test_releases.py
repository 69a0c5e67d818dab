"""What is recorded is what the releases answer."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine.verdicts import recorded
from tests.oracle.asking import answers

pytestmark = pytest.mark.flink

RELEASES = ("1.20.5", "2.3.0")


def test_the_newest_releases_answer_what_is_recorded() -> None:
    expected = {
        claim: [one for one in verdicts if one.release in RELEASES]
        for found in recorded().values()
        for claim, verdicts in found
    }
    assert answers(expected, RELEASES) == expected
