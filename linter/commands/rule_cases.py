"""Runs the test cases of rules: writes their files and compares the findings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from tempfile import TemporaryDirectory

from flink_flint.linter.commands.case_stores import write_store
from flink_flint.linter.config.flint_config import FlintConfigFile
from flink_flint.linter.engine.check_run import check, unjudged
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.judging import Earlier
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.reading import is_inside
from flink_flint.linter.filesystem.writing import write_scratch
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.flink.parsed_file import CONFIG_YAML
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.rule import Case, Rule


def kind_of_case(path: str) -> str | None:
    """Return `config.yaml` as the file kind of a test case's file of that name; None for any other file."""
    return CONFIG_YAML if os.path.basename(path) == CONFIG_YAML else None


def place(case: Case, text: str, folder: str) -> str:
    """Write the files of a test case to `folder` and return the path of the file under test.

    Raises ValueError for a file that would be outside of the folder.
    """
    path = os.path.join(folder, case.name)
    for name, content in (
        *((os.path.join(folder, name), beside) for name, beside in case.beside.items()),
        (path, text),
    ):
        if not is_inside(name, os.path.realpath(folder)):
            raise ValueError(f"{os.path.relpath(name, folder)}: the files of a case must be in its folder")
        write_scratch(name, content.encode("utf-8", "surrogateescape"))
    return path


def case_name(number: int, case: Case) -> str:
    """Return the name of a case in reports: its title, or its number and kind if it has no title."""
    kind = "bad" if case.bad else "good"
    return f"case {case.title or f'{number} ({kind})'}"


def failing(rule: Rule, case: Case, flint_config: FlintConfigFile) -> str | None:
    """Run a test case and return how the findings differ from the expected ones; None if they do not differ."""
    with TemporaryDirectory(prefix="flint-") as folder:
        history = write_store(os.path.join(folder, ".history"), default=case.observed) if case.observed else None
        options = Options(
            flink_version=case.flink, platform=case.platform, profile=case.profile, select=(rule.code,),
            flint_config=flint_config, history=history,
        )  # fmt: skip
        path = os.path.join(folder, case.name)
        paths = [folder] if case.beside else [path]
        earlier: Earlier | None = None
        if case.before is not None:
            place(case, case.before, folder)
            earlier = unjudged(find(paths, kind_of=kind_of_case), options)
        place(case, case.text, folder)
        report = check(find(paths, kind_of=kind_of_case), options, earlier=earlier)
        if report.files == 0:
            return f"no format recognizes {case.name}"
        found = report.findings
        if report.crashed:
            return next((one.message for one in found if one.code != rule.code), "it crashed")
        if not case.bad:
            return f"it reports: {found[0].message}" if found else None
        return _differing(case, found, path) or (
            _unfixed(case, found, path, paths, options) if case.fixed is not None else None
        )


def _differing(case: Case, found: Sequence[Finding], path: str) -> str | None:
    """Return how findings differ from what a bad case expects."""
    if not found:
        return "no finding"
    if not any(is_there(case, finding, path) for finding in found):
        return f"it reports elsewhere than {_where(case.at, case.name)}: {_where(*_reported(found[0], path))}"
    if case.times and len(found) != case.times:
        return f"it reports {len(found)} times, not {case.times}"
    if case.says is not None and not any(case.says in finding.message for finding in found):
        return f"its message does not contain {case.says!r}: {found[0].message!r}"
    if case.severity is not None and {finding.severity for finding in found} != {case.severity}:
        return f"its severity is {found[0].severity.word}, not {case.severity.word}"
    return None


def _where(what: str | None, file: str) -> str:
    return f"at {what}" if what is not None else f"in {file}"


def _reported(finding: Finding, path: str) -> tuple[str | None, str]:
    """Return the key that a finding in the file under test is on, and the name of its file."""
    return finding.key if finding.path == path else None, os.path.relpath(finding.path, os.path.dirname(path))


def _unfixed(case: Case, found: Sequence[Finding], path: str, paths: Sequence[str], options: Options) -> str | None:
    """Return how the fixed file differs from what a bad case expects; None if it does not."""
    is_offered = any(one.proposed is not None for one in found)
    sources = [one for one in find(paths, kind_of=kind_of_case) if isinstance(one, Source)]
    done = {one.after.path: one for one in fix(sources, options, unsafe=True)}[path]
    text = done.after.data.decode("utf-8", "surrogateescape")
    if text == case.fixed:
        return None
    if not done.changed:
        unwritten = "no edit of the file does what it says" if is_offered else "no finding offers a fix"
        return f"its fix is not made: {'; '.join(done.left) or unwritten}"
    return f"its fix leaves {text!r}{_and_left(done.left)}"


def _and_left(left: Sequence[str]) -> str:
    return f" ({'; '.join(left)})" if left else ""


def is_there(case: Case, finding: Finding, path: str) -> bool:
    """Return whether a finding is in the file at `path` and, if `case.at` is set, on that key or text."""
    if finding.path != path:
        return False
    if case.at is None or finding.key == case.at:
        return True
    excerpt = finding.where.excerpt
    line = excerpt.lines[0]
    return case.at in line[excerpt.start : excerpt.end if len(excerpt.lines) == 1 else None]
