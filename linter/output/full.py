"""The default format for people: each finding with its lines, the location underlined, and the help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.model.finding import Excerpt, Finding, Located, Severity, fix_command
from flink_flint.linter.model.safe_text import neutral_line
from flink_flint.linter.output import Context
from flink_flint.linter.output.change_summary import (
    Line,
    counts_text,
    first_lines,
    flint_config_text,
    last_lines,
    quiet_counts,
    shortened,
    verdict,
)
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, GOOD, Style, count, counted, wrap

_TAB = "    "


def render(report: Report, context: Context) -> Iterator[str]:
    """Yield the findings, the most severe first in each file, then the summary."""
    style = Style(context.color)
    yield from compared_first(report, style)
    for finding in report.findings:
        yield from _finding(finding, style, context.width)
        yield "\n"
    yield from summary(report, context)


def compared_first(report: Report, style: Style) -> Iterator[str]:
    """Yield the beginning of a report on a change: formatted lines about the findings that the change hides."""
    if report.comparison is None:
        return
    lines = first_lines(report.comparison)
    if not lines:
        return
    for line in shortened(lines):
        yield _compared(line, style)
    if text := flint_config_text(report.comparison):
        yield f"{style.paint(BOLD, 'note:')} {neutral_line(text)}\n"
    yield "\n"


def _compared(line: Line, style: Style) -> str:
    return f"{style.paint(BOLD, f'{line.kind}:')} {neutral_line(line.place)}: {neutral_line(line.text)}\n"


def _finding(finding: Finding, style: Style, width: int) -> Iterator[str]:
    label = f"{finding.severity.word}[{finding.code}]"
    head = f"{label} {finding.rule}: "
    text = wrap(head + finding.message, width, "  ")
    yield (
        style.severity(finding.severity, text[: len(label)])
        + text[len(label) : len(head) - 1]
        + style.paint(BOLD, text[len(head) - 1 :])
        + "\n"
    )
    margin = len(str(max(place.end.line for place in (finding.where, *finding.located))))
    yield from _place(finding.where, finding.severity, margin, "-->", finding.document, style, width)
    for place in finding.located:
        yield from _place(place, None, margin, ":::", None, style, width)
    bar = style.paint(FRAME, " " * margin + " |")
    lines = [("help", finding.help), ("note", finding.note), ("fix", _fix(finding)), ("see", finding.url)]
    notes = [(word, text) for word, text in lines if text]
    if notes:
        yield f"{bar}\n"
    for word, text in notes:
        lead = style.paint(FRAME, " " * margin + " =")
        indent = " " * (margin + 3)
        body = f"{word}: {text}" if word == "see" else wrap(f"{word}: {text}", width, indent, used=len(indent))
        yield f"{lead} {style.paint(BOLD, body[: len(word) + 1])}{body[len(word) + 1 :]}\n"


def _fix(finding: Finding) -> str | None:
    if finding.fix is None:
        return None
    return f"{finding.fix.title} ({fix_command(safe=finding.fix.safe)})"


def _place(
    place: Located, severity: Severity | None, margin: int, arrow: str, document: str | None, style: Style, width: int
) -> Iterator[str]:
    where = f"{neutral_line(place.path)}:{place.start.line}:{place.start.column}"
    if document:
        where += f" ({neutral_line(document)})"
    yield f"{' ' * margin}{style.paint(FRAME, arrow)} {where}\n"
    bar = style.paint(FRAME, " " * margin + " |")
    yield f"{bar}\n"
    for number, text, left, right in excerpt_lines(place.excerpt, width - margin - 3):
        yield f"{style.paint(FRAME, f'{number:>{margin}} |')} {text}".rstrip() + "\n"
        if right > left or number == place.start.line:
            mark = ("^" if severity else "-") * max(1, cells(text[left:right]))
            painted = style.severity(severity, mark) if severity else style.paint(FRAME, mark)
            note = f" {neutral_line(place.message)}" if place.message else ""
            yield f"{bar} {' ' * cells(text[:left])}{painted}{note}\n"


def excerpt_lines(excerpt: Excerpt, room: int) -> Iterator[tuple[int, str, int, int]]:
    """Yield the lines of an excerpt, cut to the available width, with the columns to underline."""
    last = len(excerpt.lines) - 1
    for offset, text in enumerate(excerpt.lines):
        left = excerpt.start if offset == 0 else len(text) - len(text.lstrip())
        right = excerpt.end if offset == last else len(text.rstrip())
        yield (excerpt.line + offset, *_fit(text, left, max(left, right), room))


def _fit(text: str, left: int, right: int, room: int) -> tuple[str, int, int]:
    """Return a line without tabs and control characters, cut around the underlined part to fit the width."""
    shown: list[str] = []
    columns: list[int] = []
    column = 0
    for character in text:
        columns.append(column)
        if character == "\t":
            character = _TAB
        elif not character.isprintable():
            character = "\N{REPLACEMENT CHARACTER}"
        shown.append(character)
        column += len(character)
    columns.append(column)
    line = "".join(shown)
    start, end = columns[min(left, len(text))], columns[min(right, len(text))]
    room = max(room, 20)
    if len(line) <= room:
        return line, start, end
    first = 0 if end < room - 1 else max(0, min(start - room // 3, len(line) - room + 1))
    cut = line[first : first + room - (first > 0)]
    if first + len(cut) < len(line):
        cut = cut[:-1] + "…"
    lead = "…" if first else ""
    shift = len(lead) - first
    return lead + cut, start + shift, min(end + shift, len(lead) + len(cut))


def cells(text: str) -> int:
    """Return the width of `text` in terminal cells: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def summary(report: Report, context: Context) -> Iterator[str]:
    """Yield the closing lines: statistics, effects of a change, and the numbers of findings, files and fixes."""
    style = Style(context.color)
    if context.statistics and report.findings:
        rules = Counter((finding.code, finding.rule, finding.severity) for finding in report.findings)
        for (code, rule, severity), number in sorted(rules.items(), key=lambda item: (-item[1], item[0])):
            yield f"{number:>6}  {style.severity(severity, f'{severity.word:<7}')}  {code}  {rule}\n"
        yield "\n"
    files = count(report.files, "file")
    if report.comparison is not None and (lines := last_lines(report.comparison)):
        for line in shortened(lines):
            yield _compared(line, style)
        yield "\n"
    if not report.findings:
        if (text := verdict(report)) is not None:
            yield f"{text}.\n"
        elif report.files:
            quiet = f" ({', '.join(parts)})" if (parts := quiet_counts(report)) else ""
            yield f"{style.paint(GOOD, 'All checks passed')} in {files}{quiet}.\n"
        return
    since = f" since {neutral_line(report.comparison.revision)}" if report.comparison is not None else ""
    yield f"Found {counted(report.findings, style)}{since} in {files}{counts_text(report)}.\n"
    safe = sum(finding.fix is not None and finding.fix.safe for finding in report.findings)
    unsafe = sum(finding.fix is not None and not finding.fix.safe for finding in report.findings)
    if safe or unsafe:
        more = f" ({unsafe} more with --fix --unsafe-fixes)" if unsafe and safe else ""
        text = f"{safe} fixable with --fix{more}." if safe else f"{unsafe} fixable with --fix --unsafe-fixes."
        yield style.paint(DIM, text) + "\n"
