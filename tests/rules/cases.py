"""How a rule's case is run: a bad one must fire just that rule at that place, a good one must be silent."""

from __future__ import annotations

from pathlib import Path

from linter.discovery import Source, find
from linter.engine import Earlier, Options, Report, check, unjudged
from linter.finding import Finding
from linter.fixes import fix
from linter.rule import Case, Rule
from tests.rules.observed_store import write_store


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
    options = options_of(rule, case, folder)
    paths = [str(folder)] if case.beside else [str(folder / case.name)]
    earlier: Earlier | None = None
    if case.before is not None:
        place(case, case.before, folder)
        earlier = unjudged(find(paths), options)
    place(case, text, folder)
    return check(find(paths), options, earlier=earlier)


def says_where(case: Case, finding: Finding, path: str) -> bool:
    if finding.path != path:
        return False
    if case.at is None or finding.key == case.at:
        return True
    where = finding.where
    return any(case.at in line for line in where.excerpt.lines) and case.at in (
        where.excerpt.lines[0][where.excerpt.start : where.excerpt.end if len(where.excerpt.lines) == 1 else None],
    )


def assert_case(rule: Rule, case: Case, folder: Path) -> None:
    """Raise AssertionError unless the rule does with the case, in an empty folder, what the case says."""
    report = run(rule, case, case.text, folder)
    assert report.files >= 1, "no carrier recognises the case's file"
    assert not report.crashed, report.findings
    found = report.findings
    if not case.bad:
        assert found == []
        return
    assert len(found) == case.times, found
    assert {finding.code for finding in found} == {rule.code}
    path = str(folder / case.name)
    assert any(says_where(case, finding, path) for finding in found), [(f.key, f.where) for f in found]
    if case.severity is not None:
        assert {finding.severity for finding in found} == {case.severity}
    if case.says is not None:
        assert any(case.says in finding.message for finding in found), [f.message for f in found]
    if case.fixed is not None:
        assert_fixed(rule, case, path, folder)


def assert_fixed(rule: Rule, case: Case, path: str, folder: Path) -> None:
    sources = [one for one in find([str(folder)] if case.beside else [path]) if isinstance(one, Source)]
    options = options_of(rule, case, folder)
    fixed = {one.after.path: one.after for one in fix(sources, options, unsafe=True)}
    assert fixed[path].data.decode("utf-8", "surrogateescape") == case.fixed
    again = fix([*fixed.values()], options, unsafe=True)
    assert not any(one.changed for one in again), [one.titles for one in again]
    left = check([*fixed.values()], options).findings
    assert [f for f in left if f.fix is not None] == []
