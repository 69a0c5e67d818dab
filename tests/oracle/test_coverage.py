"""Every rule of error or warning severity has been put to real Flink, or says why it cannot be."""

from __future__ import annotations

import tomllib
from pathlib import Path

from flink_flint.linter.engine.registry import modules, rule_of
from flink_flint.linter.model.finding import Severity
from tests.oracle.asking import all_claims

_NOT_RUN = Path(__file__).with_name("not_run.toml")


def not_run() -> dict[str, str]:
    """Return why rules have no claims, by their codes."""
    reasons = tomllib.loads(_NOT_RUN.read_text("utf-8"))["reason"]
    codes = [code for reason in reasons for code in reason["rules"]]
    assert len(codes) == len(set(codes)), "a rule has one reason"
    return {code: reason["text"] for reason in reasons for code in reason["rules"]}


def of_severity(severity: Severity) -> set[str]:
    """Return the codes of the rules of one severity."""
    rules = [rule for module in modules() if (rule := rule_of(module)) is not None]
    return {rule.code for rule in rules if rule.severity is severity}


def test_every_error_and_warning_has_a_claim_or_a_reason() -> None:
    rules = of_severity(Severity.ERROR) | of_severity(Severity.WARNING)
    claimed, excused = set(all_claims()), set(not_run())
    assert sorted(rules - claimed - excused) == [], "add a claim, or a reason to not_run.toml"
    assert sorted(excused & claimed) == [], "a rule with a claim needs no reason"
    assert sorted(excused - rules) == [], "neither an error nor a warning"
