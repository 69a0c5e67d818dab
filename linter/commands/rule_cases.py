"""Runs the test cases of rules: writes their files and compares the findings."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from flink_flint.linter.config.flint_config import FlintConfigFile
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.running import Options, check
from flink_flint.linter.filesystem.reading import is_inside
from flink_flint.linter.filesystem.writing import write_scratch
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.rule import Case, Rule


def place(case: Case, text: str, folder: str) -> str:
    """Write the files of a case to a folder and return the path of the one under test. Raises ValueError."""
    path = os.path.join(folder, case.name)
    for name, content in (
        *((os.path.join(folder, name), beside) for name, beside in case.beside.items()),
        (path, text),
    ):
        if not is_inside(name, os.path.realpath(folder)):
            raise ValueError(f"{os.path.relpath(name, folder)}: the files of a case must be in its folder")
        write_scratch(name, content.encode("utf-8", "surrogateescape"))
    return path


def failing(rule: Rule, case: Case, flint_config: FlintConfigFile) -> str | None:
    """Return how the result of a rule differs from its case; None if it passes."""
    with TemporaryDirectory(prefix="flint-") as folder:
        path = place(case, case.text, folder)
        options = Options(
            flink_version=case.flink, platform=case.platform, profile=case.profile, select=(rule.code,),
            flint_config=flint_config,
        )  # fmt: skip
        report = check(find([folder] if case.beside else [path]), options)
        if report.files == 0:
            return f"no file format recognizes {case.name}"
        found = report.findings
        if not case.bad:
            return f"unexpected finding: {found[0].message}" if found else None
        if not found:
            return "no finding"
        if not any(is_there(case, finding, path) for finding in found):
            return f"finding elsewhere than at {case.at}: at {found[0].key}"
        if case.says is not None and not any(case.says in finding.message for finding in found):
            return f"message lacks {case.says!r} but {found[0].message!r}"
        if case.severity is not None and {finding.severity for finding in found} != {case.severity}:
            return f"its severity is {found[0].severity.word}, not {case.severity.word}"
        return None if case.fixed is None else _unfixed(case, path, options)


def _unfixed(case: Case, path: str, options: Options) -> str | None:
    (source,) = find([path])
    assert isinstance(source, Source)
    (fixed,) = fix([source], options, unsafe=True)
    text = fixed.after.data.decode("utf-8", "surrogateescape")
    return None if text == case.fixed else f"its fix leaves {text!r}"


def is_there(case: Case, finding: Finding, path: str) -> bool:
    """Return whether a finding is where a case expects it: on its key, or on the exact text."""
    if finding.path != path:
        return False
    if case.at is None or finding.key == case.at:
        return True
    excerpt = finding.where.excerpt
    line = excerpt.lines[0]
    return case.at in line[excerpt.start : excerpt.end if len(excerpt.lines) == 1 else None]
