"""What Flink's own messages say it refuses is an error where a real release refuses it, and never where it takes it."""

from __future__ import annotations

import random

import pytest

from tests.marks import mostly_slow
from tests.oracle.refusals import (
    NOT_ASKED,
    REFUSED,
    RELEASES,
    Candidate,
    asked,
    covered,
    disagreements,
    errors,
    explained,
    recorded,
    spelled,
)

SEED = 19
_REPLAYED = 60
_QUICK = ("options", "taskmanager memory", "JobManager", "TaskManager", "cleanup", "restart strategy", "job", "slots")
"""Parts of Flink that answer within milliseconds."""
_SLOW = ("JobManager process", "TaskManager process", "high availability", "run")
"""Parts that take seconds, of which not all are asked of all releases."""
_AT_LEAST = 93
"""How many in a hundred refusals are errors; of the others `refusals.toml` says what no text shows."""


def boundaries(given: dict[str, str]) -> list[str]:
    """The first and the last release with each answer."""
    groups: dict[str, list[str]] = {}
    for release, answer in given.items():
        groups.setdefault(answer[:1], []).append(release)
    return list(dict.fromkeys(one for group in groups.values() for one in (group[0], group[-1])))


def test_all_values_have_been_put_to_real_releases() -> None:
    for candidate, given in recorded().items():
        assert given, f"run `make refusals` for {candidate.shown}"
        assert given.keys() == set(RELEASES) or candidate.probe in _SLOW, candidate


def test_the_file_is_what_is_recorded() -> None:
    from tests.oracle import refusals

    assert refusals._RECORDED.read_text("utf-8") == spelled(recorded())


@pytest.mark.parametrize("candidate", mostly_slow(recorded(), every=4), ids=lambda one: one.shown)
def test_what_a_release_refuses_is_an_error_and_nothing_else_is(candidate: Candidate) -> None:
    given = recorded()[candidate]
    assert list(disagreements(candidate, given, boundaries(given))) == []
    # A value is reported by one rule.
    assert [found for one in boundaries(given) if len(found := errors(candidate, candidate.bad, one)) > 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_refusals_are_errors(release: str) -> None:
    refused, reported = covered(recorded(), release)
    assert len(refused) > 200
    assert 100 * len(reported) >= _AT_LEAST * len(refused)


def test_every_exception_is_needed() -> None:
    shown = {candidate.shown for candidate in recorded()}
    for what in ("unreported", "reported"):
        assert sorted(explained(what).keys() - shown) == []


@pytest.mark.flink
def test_releases_still_answer_what_is_recorded() -> None:
    chance = random.Random(SEED)
    quick = [one for one in recorded() if one.probe in _QUICK]
    sample = chance.sample(quick, _REPLAYED)
    for release in ("1.13.6", "2.3.0"):
        for candidate, given in asked(sample, [release]).items():
            known = recorded()[candidate][release]
            if not known.startswith(NOT_ASKED):
                assert given[release].startswith(REFUSED) == known.startswith(REFUSED), candidate
