"""Every rule's own cases: each bad one fires just that rule at that place, each good one is silent."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from linter.discovery import Source, find
from linter.engine import Options, Report, check
from linter.finding import Finding
from linter.fixes import fix
from linter.registry import modules, rule_of
from linter.rule import Case, Rule
from tests.rules.observed_store import write_store

CASES = [
    pytest.param(rule, case, id=f"{rule.code}-{'bad' if case.bad else 'good'}-{number}")
    for module in modules()
    if (rule := rule_of(module)) is not None and rule.scope != "crash"
    for number, case in enumerate(importlib.import_module(module).CASES)
]


def options_of(rule: Rule, case: Case, folder: Path) -> Options:
    history = write_store(folder / ".history", default=case.observed) if case.observed else None
    return Options(
        flink_version=case.flink, platform=case.platform, profile=case.profile, select=(rule.code,), history=history
    )


def place(case: Case, text: str, folder: Path) -> str:
    """Write the case's files into a folder; the path of the file the case is about."""
    for name, beside in case.beside.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(beside.encode("utf-8", "surrogateescape"))
    path = folder / case.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return str(path)


def run(rule: Rule, case: Case, text: str, folder: Path) -> Report:
    path = place(case, text, folder)
    paths = [str(folder)] if case.beside else [path]
    return check(find(paths), options_of(rule, case, folder))


def says_where(case: Case, finding: Finding, path: str) -> bool:
    if finding.path != path:
        return False
    if case.at is None or finding.key == case.at:
        return True
    where = finding.where
    return any(case.at in line for line in where.excerpt.lines) and case.at in (
        where.excerpt.lines[0][where.excerpt.start : where.excerpt.end if len(where.excerpt.lines) == 1 else None],
    )


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_case(rule: Rule, case: Case, tmp_path: Path) -> None:
    report = run(rule, case, case.text, tmp_path)
    assert report.files >= 1, "no carrier recognises the case's file"
    assert not report.crashed, report.findings
    found = report.findings
    if not case.bad:
        assert found == []
        return
    assert len(found) == case.times, found
    assert {finding.code for finding in found} == {rule.code}
    path = str(tmp_path / case.name)
    assert any(says_where(case, finding, path) for finding in found), [(f.key, f.where) for f in found]
    if case.severity is not None:
        assert {finding.severity for finding in found} == {case.severity}
    if case.says is not None:
        assert any(case.says in finding.message for finding in found), [f.message for f in found]
    if case.fixed is not None:
        assert_fixed(rule, case, path, tmp_path)


def assert_fixed(rule: Rule, case: Case, path: str, folder: Path) -> None:
    source = next(iter(find([path])))
    assert isinstance(source, Source)
    options = options_of(rule, case, folder)
    (fixed,) = fix([source], options, unsafe=True)
    assert fixed.after.data.decode("utf-8", "surrogateescape") == case.fixed
    (again,) = fix([fixed.after], options, unsafe=True)
    assert not again.changed, again.titles
    left = check([fixed.after], options).findings
    assert [f for f in left if f.fix is not None] == []


def test_rules_are_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    """Declarations, pages and the index are sound."""
    from linter.explaining import check_rules

    problems: list[str] = []
    assert check_rules(problems.append) == 0, "\n".join(problems)
