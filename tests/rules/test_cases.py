"""Every rule's own cases: each bad one fires just that rule at that place, each good one is silent."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from flink_flint.linter.engine.registry import modules, rule_of
from flink_flint.linter.model.rule import Case, Rule
from tests.rules.cases import assert_case

CASES = [
    pytest.param(rule, case, id=f"{rule.name}-{case.title or ('bad' if case.bad else 'good') + f'-{number}'}")
    for module in modules()
    if (rule := rule_of(module)) is not None and rule.scope != "crash"
    for number, case in enumerate(importlib.import_module(module).cases())
]


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_case(rule: Rule, case: Case, tmp_path: Path) -> None:
    assert_case(rule, case, tmp_path)


def test_rules_are_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    """Declarations, pages and the index are sound."""
    from flink_flint.linter.commands.explain import check_rules

    problems: list[str] = []
    assert check_rules(problems.append) == 0, "\n".join(problems)
