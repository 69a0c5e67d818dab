"""How a rule's case is run: a bad one must fire just that rule at that place, a good one must be silent."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from flink_flint.linter.commands.rule_cases import is_there, kind_of_case, place
from flink_flint.linter.engine.check_run import Report, check, unjudged
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.judging import Earlier
from flink_flint.linter.engine.planning.flink_libraries import Libraries
from flink_flint.linter.engine.planning.isolated_planner import Java, Script
from flink_flint.linter.engine.planning.planned_documents import Answers, Planning
from flink_flint.linter.engine.planning.planned_statements import Answer
from flink_flint.linter.engine.registry import modules, rule_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.model.rule import Case, Rule
from tests.fix_edits import checked
from tests.rules.observed_store import write_store

_REFUSAL = "org.apache.flink.table.api.ValidationException"


@cache
def all_cases() -> list[tuple[Rule, Case]]:
    """Return every case of every rule that reads files."""
    return [
        (rule, case)
        for module in modules()
        if (rule := rule_of(module)) is not None and rule.scope != "crash"
        for case in importlib.import_module(module).cases()
    ]


def options_of(rule: Rule, case: Case, folder: Path) -> Options:
    history = write_store(folder / ".history", default=case.observed) if case.observed else None
    return Options(
        flink_version=case.flink, platform=case.platform, profile=case.profile, select=(rule.code,), history=history,
        planning=planning_of(case) if case.planned else None,
    )  # fmt: skip


def planning_of(case: Case) -> Planning:
    """Return a planner that gives the answers of the case."""

    def ask(scripts: Sequence[Script], libraries: Libraries, java: Java | None) -> Answers:
        given: dict[int, Answer] = {}
        for asked in scripts[0][1]:
            number = asked["number"]
            answer = {"operators": [], "execution": [], **case.planned.get(number, {})}
            if "refused" in answer:
                answer["refused"] = [{"type": _REFUSAL, "message": answer["refused"], "at": ""}]
            given[number] = answer
        return {scripts[0][0]: given}

    assert case.flink is not None
    return Planning([Libraries("", f"{case.flink}.0")], None, ask)


def run(rule: Rule, case: Case, text: str, folder: Path) -> Report:
    options = options_of(rule, case, folder)
    paths = [str(folder)] if case.beside else [str(folder / case.name)]
    earlier: Earlier | None = None
    if case.before is not None:
        place(case, case.before, str(folder))
        earlier = unjudged(find(paths, kind_of=kind_of_case), options)
    place(case, text, str(folder))
    return check(find(paths, kind_of=kind_of_case), options, earlier=earlier)


def assert_case(rule: Rule, case: Case, folder: Path) -> None:
    """Raise AssertionError unless the rule does with the case, in an empty folder, what the case says."""
    report = run(rule, case, case.text, folder)
    assert report.files >= 1, "no format recognizes the case's file"
    assert not report.crashed, report.findings
    found = report.findings
    if not case.bad:
        assert found == []
        return
    assert found, "no finding"
    if case.times:
        assert len(found) == case.times, found
    assert {finding.code for finding in found} == {rule.code}
    path = str(folder / case.name)
    assert any(is_there(case, finding, path) for finding in found), [(f.key, f.where) for f in found]
    if case.severity is not None:
        assert {finding.severity for finding in found} == {case.severity}
    if case.says is not None:
        assert any(case.says in finding.message for finding in found), [f.message for f in found]
    if case.fixed is not None:
        assert_fixed(rule, case, path, folder)


def assert_fixed(rule: Rule, case: Case, path: str, folder: Path) -> None:
    sources = [
        one for one in find([str(folder)] if case.beside else [path], kind_of=kind_of_case) if isinstance(one, Source)
    ]
    options = options_of(rule, case, folder)
    fixed = {one.after.path: one.after for one in fix(sources, options, unsafe=True)}
    assert fixed[path].data.decode("utf-8", "surrogateescape") == case.fixed
    again = fix([*fixed.values()], options, unsafe=True)
    assert not any(one.changed for one in again), [one.titles for one in again]
    left = checked([*fixed.values()], options).findings
    assert [f for f in left if f.fix is not None] == []
