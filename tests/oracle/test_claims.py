"""The rules say of each release what the release itself has answered to their claims."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from flink_flint.linter.engine.verdicts import VERDICTS, Verdict, recorded, spelled, verified_on
from flink_flint.linter.flink.releases import ReleaseRange, parse_release
from flink_flint.linter.model.claim import Claim, flink_ignores, flink_refuses
from tests.oracle.agreement import disagreements
from tests.oracle.asking import all_claims, newest_patches, settings_of

CODES = sorted(recorded())


def boundaries(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The first and the last release of each answer."""
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for one in verdicts:
        groups.setdefault((one.bad, one.good), []).append(one)
    return list(dict.fromkeys(one for group in groups.values() for one in (group[0], group[-1])))


def test_all_claims_have_been_put_to_all_releases() -> None:
    assert {code: [claim for claim, _ in found] for code, found in recorded().items()} == all_claims(), (
        "run `make oracle`"
    )
    for found in recorded().values():
        for claim, verdicts in found:
            asked = [one for one in newest_patches() if parse_release(one) in ReleaseRange(claim.releases)]
            assert [one.release for one in verdicts] == asked, claim


@pytest.mark.parametrize("code", CODES)
def test_a_rule_reports_what_flink_refuses_and_nothing_else(code: str) -> None:
    for claim, verdicts in recorded()[code]:
        assert any(one.confirms(claim) for one in verdicts), claim
        assert list(disagreements(code, claim, boundaries(verdicts))) == []


def test_a_rule_that_is_wrong_about_a_release_is_noticed() -> None:
    claim = flink_refuses("restart strategy", "restart-strategy: fixed_delay\n", good="restart-strategy: fixed-delay\n")
    (problem,) = disagreements("FLK602", claim, [Verdict("1.20.5", "+FixedDelay", "+FixedDelay")])
    assert problem.startswith("FLK602 reports in 1.20.5 restart-strategy: fixed_delay")
    (problem,) = disagreements("FLK604", claim, [Verdict("1.20.5", "!IllegalArgumentException", "+FixedDelay")])
    assert problem.startswith("FLK604 does not report in 1.20.5")
    assert list(disagreements("FLK604", claim, [Verdict("1.20.5", "-no class", "-no class")])) == []


def test_the_file_of_verdicts_is_what_is_recorded() -> None:
    with open(VERDICTS, encoding="utf-8") as stream:
        assert spelled(recorded()) == stream.read()


def test_what_is_verified_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    claim, other = (
        flink_refuses("job", "a: 1\n", good="a: 2\n"),
        flink_ignores("job", "a: 1\n", good="b: 1\n", both="c: 1\n"),
    )
    assert other == Claim("job", "c: 1\na: 1\n", "c: 1\nb: 1\n", ignored=True)
    releases = ["1.18.1", "1.19.3", "1.20.5", "2.0.2"]

    def found(*answers: str) -> None:
        verdicts = [Verdict(release, *answer.split("/")) for release, answer in zip(releases, answers, strict=True)]
        one = other if answers[0] == "+a/+a" else claim
        monkeypatch.setattr("flink_flint.linter.engine.verdicts.recorded", lambda: {"FLK001": [(one, verdicts)]})

    found("!no/+", "!no/+", "!no/~", "!no/+")
    assert verified_on("FLK001") == "1.18.1 … 2.0.2"
    found("!no/+", "+/+", "!no/+", "!no/+")
    assert verified_on("FLK001") == "1.18.1, 1.20.5, 2.0.2"
    found("!no/!no", "-no class/-no class", "!no/+", "!no/+")
    assert verified_on("FLK001") == "1.20.5 and 2.0.2"
    found("+a/+a", "+a/+b", "!a/!a", "+a/+b")
    assert verified_on("FLK001") == "1.18.1"
    assert verified_on("FLK002") == ""


def test_a_part_of_flink_that_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ValueError, match="'weather' is not one of options, taskmanager memory"):
        flink_refuses("weather", "a: 1\n", good="a: 2\n")


def test_settings_are_read_line_by_line() -> None:
    assert settings_of("a: 1\n\nb.c: d: e\na: 2\n") == {"a": "2", "b.c": "d: e"}
