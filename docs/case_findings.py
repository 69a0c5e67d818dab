"""What flint prints of a rule's case: the case is written to a folder and checked there, as a reader may do it."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import NamedTuple

from flink_flint.linter.fix.make_edits import resolve_fixes
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.rule import Case, Rule
from flink_flint.linter.output import Context, report_format
from flink_flint.linter.output.repository_paths import documents_of
from tests.rules.cases import run

_WIDTH = 76
"""Columns of what is printed: as many as the column of text shows beside its navigation."""

_STORE = "history"


class Printed(NamedTuple):
    """A case as checked."""

    command: str
    output: str
    safe: frozenset[bool]
    """Which kinds of fixes it was offered: safe ones (True), others (False)."""


def printed(rule: Rule, case: Case) -> Printed:
    """Check a case with its rule alone. The paths are those a reader sees who has the files at hand."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".git").mkdir()  # nobody's flint.toml above it counts
        report = run(rule, case, case.text, folder)
    for finding in report.findings:
        _shorten(finding, f"{folder}/")
    resolve_fixes(report.findings, documents_of(report))
    output = "".join(report_format("full").render(report, Context(False, _WIDTH)))
    safe = frozenset(finding.fix.safe for finding in report.findings if finding.fix is not None)
    return Printed(_command(rule, case), output, safe)


def _shorten(finding: Finding, folder: str) -> None:
    """Take the folder from the names of files."""
    finding.message = finding.message.replace(folder, "")
    finding.help = finding.help and finding.help.replace(folder, "")
    finding.where = finding.where._replace(path=finding.where.path.removeprefix(folder))
    finding.located = tuple(place._replace(path=place.path.removeprefix(folder)) for place in finding.located)


def _paths(case: Case) -> list[str]:
    return ["."] if case.beside else [case.name]


def _command(rule: Rule, case: Case) -> str:
    words = ["flint", "check", "--select", rule.code]
    for flag, value in (
        ("--flink-version", case.flink),
        ("--platform", case.platform),
        ("--profile", None if case.profile == "production" else case.profile),
        ("--history", _STORE if case.observed else None),
        ("--diff-base", "main" if case.before is not None else None),
    ):
        words += [flag, value] if value else []
    return shlex.join([*words, *(path for path in _paths(case) if path != ".")])
