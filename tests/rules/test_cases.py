"""Every rule's own cases: each bad one fires just that rule at that place, each good one is silent."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from flink_flint.linter.engine.registry import Declaration, modules, registry, rule_of
from flink_flint.linter.model.rule import Case
from tests.rules.cases import all_cases, assert_case

DECLARATIONS = [one for one in registry().declarations if one.scope != "crash"]


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda one: one.name)
def test_cases(declaration: Declaration, tmp_path: Path) -> None:
    rule = rule_of(declaration.module)
    assert rule is not None
    failed = []
    for number, case in enumerate(importlib.import_module(declaration.module).cases()):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            assert_case(rule, case, folder)
        except Exception as error:
            title = case.title or f"{'bad' if case.bad else 'good'}-{number}"
            failed.append(f"{rule.code} {rule.name}, case {title!r}: {type(error).__name__}: {error}")
    assert not failed, "\n\n".join(failed)


def test_the_cases_of_all_modules_are_run() -> None:
    rules = {module for module in modules() if rule_of(module) is not None}
    assert {one.module for one in registry().declarations} == rules


def test_rules_are_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    """Declarations, pages and the index are sound."""
    from flink_flint.linter.commands.explain import check_rules

    problems: list[str] = []
    assert check_rules(problems.append) == 0, "\n".join(problems)


def test_any_number_of_findings_is_at_least_one(tmp_path: Path) -> None:
    several = next((rule, case) for rule, case in all_cases() if case.times == 2 and case.fixed is None)
    rule, case = several
    assert_case(rule, case._replace(times=0), tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(AssertionError, match="no finding"):
        assert_case(rule, Case("parallelism.default: 1\n", True, times=0), tmp_path / "empty")
