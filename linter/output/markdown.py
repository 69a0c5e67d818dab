"""Markdown for a job summary (`$GITHUB_STEP_SUMMARY`), a comment or a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.model.finding import Excerpt, Finding, Severity, fix_command
from flink_flint.linter.output import Context
from flink_flint.linter.output.change_summary import (
    Line,
    counts_text,
    first_lines,
    flint_config_text,
    last_lines,
    shortened,
    verdict,
)
from flink_flint.linter.output.code_fence import fence, longest_run
from flink_flint.linter.output.repository_paths import slashes
from flink_flint.linter.output.terminal_style import count, counted

MAX_BYTES = 900_000
"""The maximum size of a Markdown summary in bytes (GitHub's limit is 1 MiB); further findings are only counted."""

_LONGEST_LINE = 160
_SIGNS = {Severity.ERROR: "🔴", Severity.WARNING: "🟠", Severity.INFO: "🔵"}


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield the headline, a table of the files, then each file with its findings, the most severe findings first."""
    yield f"## flint: {_headline(report)}\n"
    for problem in report.problems:
        yield f"\n- {_code(slashes(problem.path))} could not be read: {_prose(problem.message)}\n"
    for path, reason in _unread(report):
        yield f"\n- {_code(slashes(path))} was not read: {_prose(reason)}\n"
    if report.comparison is not None:
        yield from _compared(first_lines(report.comparison), flint_config_text(report.comparison))
    files: dict[str, list[Finding]] = {}
    for finding in report.findings:
        files.setdefault(finding.path, []).append(finding)
    ordered = sorted(files.items(), key=_worst_first)
    size = 0
    left: list[Finding] = []
    if ordered:
        yield "\n| File | Errors | Warnings | Info |\n| :--- | ---: | ---: | ---: |\n"
    for path, findings in ordered:
        row = f"| {_cell(slashes(path))} | {' | '.join(str(number or '') for number in _numbers(findings))} |\n"
        size += len(row.encode("utf-8", "replace"))
        if size < MAX_BYTES // 2:
            yield row
    for path, findings in ordered:
        heading = f"\n### {_code(slashes(path))}\n"
        for number, finding in enumerate(findings):
            text = (heading if number == 0 else "") + _finding(finding)
            size += len(text.encode("utf-8", "replace"))
            if left or size > MAX_BYTES:
                left.append(finding)
            else:
                yield text
    if report.comparison is not None:
        yield from _compared(last_lines(report.comparison), "")
    if left:
        yield f"\n…and {counted(left)} more that do not fit into a summary.\n"
    if context.statistics and report.findings:
        yield from _statistics(report.findings)


def _headline(report: Report) -> str:
    files = count(report.files, "file")
    text = None if report.findings else verdict(report)
    if not report.findings:
        return f"nothing found in {files}" if text is None else _prose(text[0].lower() + text[1:])
    since = f" since {report.comparison.revision}" if report.comparison is not None else ""
    return _prose(f"{counted(report.findings)}{since} in {files}{counts_text(report)}")


def _unread(report: Report) -> Iterator[tuple[str, str]]:
    """Yield which Flink files were not read, and why: one path for each reason."""
    reasons: dict[str, list[str]] = {}
    for one in report.skipped:
        if one.is_unread:
            reasons.setdefault(one.reason, []).append(one.path)
    for reason, paths in reasons.items():
        yield paths[0], reason + (f" (and {len(paths) - 1} more)" if len(paths) > 1 else "")


def _compared(lines: list[Line], note: str) -> Iterator[str]:
    """Yield the effects of a change apart from its new findings."""
    for number, line in enumerate(shortened(lines)):
        lead = "\n" if number == 0 else ""
        yield f"{lead}- **{line.kind}** {_code(slashes(line.place))}: {_message(line.text)}\n"
    if note:
        yield f"\n{_prose(note[0].upper() + note[1:])}.\n"


def _numbers(findings: Sequence[Finding]) -> tuple[int, ...]:
    """Return the number of errors, warnings and info findings."""
    numbers = Counter(finding.severity for finding in findings)
    return tuple(numbers[severity] for severity in sorted(Severity, reverse=True))


def _worst_first(file: tuple[str, list[Finding]]) -> tuple[object, ...]:
    return (*(-number for number in _numbers(file[1])), file[0])


def _finding(finding: Finding) -> str:
    where = finding.where
    name = f"{finding.code} {finding.rule}"
    linked = f"[{name}](<{finding.url}>)" if finding.url else name
    document = f" ({_prose(finding.document)})" if finding.document else ""
    head = f"{_SIGNS[finding.severity]} **{finding.severity.word}** {linked}, line {where.start.line}{document}"
    lines = ["", f"{head}: {_message(finding.message)}", "", _fenced(where.excerpt)]
    notes = [("Help", finding.help), ("Note", finding.note), ("Fix", _fix(finding))]
    listed = [f"- {word}: {_message(text)}" for word, text in notes if text]
    listed += [
        f"- See {_code(f'{slashes(place.path)}:{place.start.line}')}"
        + (f": {_message(place.message)}" if place.message else "")
        for place in finding.located
    ]
    return "\n".join([*lines, *([""] if listed else []), *listed]) + "\n"


def _fix(finding: Finding) -> str | None:
    if finding.fix is None:
        return None
    return f"{finding.fix.title} (`{fix_command(safe=finding.fix.safe)}`)"


def _statistics(findings: Sequence[Finding]) -> Iterator[str]:
    yield "\n### Rules\n\n| Rule | Findings |\n| :--- | ---: |\n"
    numbers = Counter((finding.code, finding.rule) for finding in findings)
    for (code, rule), number in sorted(numbers.items(), key=lambda item: (-item[1], item[0])):
        yield f"| {code} {rule} | {number} |\n"


# -- untrusted text

_STRUCTURE = re.compile(r"[\\`*\[\]<>|~&#$^!{}]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|@(?=\w)|^[-+=]|(?<=^\d)[.)]")
"""Characters that begin or end structure in Markdown, or a mention; character references neutralize them."""
_CODE = re.compile(r"`([^`]+)`")


def _printable(text: str) -> str:
    """Return `text` on one line, without control characters."""
    shown = re.sub(r"[\r\n\t]+", " ", text)
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in shown)


def _prose(text: str) -> str:
    """Return Markdown that renders as `text` literally."""
    return _STRUCTURE.sub(_reference, _printable(text))


def _reference(match: re.Match[str]) -> str:
    found = match[0]
    if found == "@":
        return "<span>&#64;</span>"  # filters look for mentions in each run of text; an element separates it
    return "".join(f"&#{ord(character)};" for character in found)


def _message(text: str) -> str:
    """Return one of flint's own texts with the words between backticks as code."""
    parts = _CODE.split(text)
    return "".join(_code(part) if number % 2 else _prose(part) for number, part in enumerate(parts))


def _code(text: str) -> str:
    """Return a code span that no backtick inside can end."""
    line = _printable(text)
    ticks = "`" * (longest_run(line) + 1)
    pad = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def _cell(text: str) -> str:
    """Return a code span for a table, in which a bar ends the cell even in code."""
    return _code(text).replace("|", "\\|")


def _fenced(excerpt: Excerpt) -> str:
    """Return the lines of an excerpt with their numbers, in a fence that none of them can end."""
    margin = len(str(excerpt.line + len(excerpt.lines) - 1))
    lines = [
        f"{excerpt.line + offset:>{margin}} | {_short(text, excerpt.start)}".rstrip()
        for offset, text in enumerate(excerpt.lines)
    ]
    return fence(lines, "text")


def _short(text: str, start: int) -> str:
    """Return a line without tabs and control characters, cut around the location of the finding."""
    first = 0 if len(text) <= _LONGEST_LINE else max(0, min(start - _LONGEST_LINE // 4, len(text) - _LONGEST_LINE))
    cut = text[first : first + _LONGEST_LINE].replace("\t", "    ")
    return ("…" if first else "") + _printable(cut) + ("…" if first + _LONGEST_LINE < len(text) else "")
