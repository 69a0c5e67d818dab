"""The rules say of each release what the release itself has answered to their claims."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from flink_flint.linter.engine.verdicts import VERDICTS, Verdict, recorded, spelled, verified_on
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.claim import (
    FAILS,
    IGNORES,
    USES,
    Claim,
    declared_claim,
    flink_fails,
    flink_ignores,
    flink_refuses,
    flink_uses,
)  # fmt: skip
from tests.oracle.agreement import disagreements
from tests.oracle.asking import all_claims, is_asked, newest_patches, older_patches, settings_of

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
            patches = sorted([*newest_patches(), *older_patches([claim])], key=parse_release)
            asked = [one for one in patches if is_asked(claim, one)]
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
    assert other == Claim("job", "c: 1\na: 1\n", "c: 1\nb: 1\n", IGNORES)
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


def test_a_use_is_confirmed_by_what_the_answers_show() -> None:
    claim = flink_uses("options", "a: 1\n", "1 bytes", good="a: 1m\n", also="1.16.0")
    assert claim == Claim("options", "a: 1\n", "a: 1m\n", USES, shows="1 bytes", also="1.16.0")
    assert Verdict("1.20.5", "+a=1 bytes", "+a=1 mb").confirms(claim)
    assert not Verdict("1.20.5", "+a=1 mb", "+a=1 mb").confirms(claim)
    assert not Verdict("1.20.5", "+a=1 bytes", "+a=1 bytes").confirms(claim)
    assert is_asked(claim, "1.16.0")
    assert is_asked(claim, newest_patches()[-1])
    assert not is_asked(claim, "1.17.0")


def test_what_fails_may_be_a_warning() -> None:
    claim = flink_fails("config.yaml", "rest.port: 8081\nrest.port: 8082\n", good="rest.port: 8081\n")
    assert claim.kind == FAILS
    verdict = Verdict("1.20.5", "!DuplicateKeyException", "+{rest.port=8081}")
    assert verdict.confirms(claim)
    assert list(disagreements("FLK005", claim, [verdict])) == []


def test_claims_are_declared_in_toml() -> None:
    table = {"probe": "job", "bad": "a: 1\n", "both": "b: 1\n", "flink": "ignores", "releases": ">=2"}
    assert declared_claim(table) == Claim("job", "b: 1\na: 1\n", "b: 1\n", IGNORES, ">=2")
    with pytest.raises(ValueError, match="'likes' is not one of refuses"):
        declared_claim({**table, "flink": "likes"})
