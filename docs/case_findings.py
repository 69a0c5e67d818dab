"""The output of flint for a rule's case, which is written to a folder and checked there, as a reader could do."""

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
"""Columns of the output: as many as fit next to the navigation of the site."""

_STORE = "history"


class Printed(NamedTuple):
    """A checked case."""

    command: str
    output: str
    safe: frozenset[bool]
    """The kinds of fixes that its findings have: True for safe ones, False for others."""


def printed(rule: Rule, case: Case) -> Printed:
    """Check a case with its rule only; paths are relative, as a reader with the files would see them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".git").mkdir()  # no flint.toml above it is used
        report = run(rule, case, case.text, folder)
    for finding in report.findings:
        _shorten(finding, f"{folder}/")
    resolve_fixes(report.findings, documents_of(report))
    output = "".join(report_format("full").render(report, Context(False, _WIDTH)))
    safe = frozenset(finding.fix.safe for finding in report.findings if finding.fix is not None)
    return Printed(_command(rule, case), output, safe)


def _shorten(finding: Finding, folder: str) -> None:
    """Remove the folder from the file names."""
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
