"""Inline comments on a pull request: their text, and suggestions that fix a line in one click."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flink_flint.linter.model.finding import Severity, fix_command
from flink_flint.linter.output.code_fence import fence
from flink_flint.linter.output.escaped_markdown import code, link, message
from flink_flint.linter.pull_request.forge import NewThread
from flink_flint.linter.pull_request.markers import finding_mark
from flink_flint.linter.pull_request.untrusted_finding import MAX_LINES, ReportedEdit, ReportedFinding
from flink_flint.linter.pull_request.untrusted_object import is_addressable
from flink_flint.linter.text.named_tuple import NamedTuple

MARKS = {Severity.ERROR: "🔴", Severity.WARNING: "🟠", Severity.INFO: "🔵"}
"""The icon of each severity in comments."""
GONE = "✅ **flint no longer finds this.**\n\n"
"""The heading added to an inline comment whose finding is gone but which is kept because of replies."""
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Fillers and variation selectors: printable according to Python, but invisible in a suggestion."""


class Suggestion(NamedTuple):
    """Whole lines of the new file and their replacement."""

    start_line: int
    line: int
    lines: tuple[str, ...]


def inline_thread(
    finding: ReportedFinding, changed: Mapping[str, frozenset[int]], block: str, longest: int, name: str = ""
) -> NewThread | None:
    """Return the comment on a finding's lines; None if the diff does not show them or the path is not addressable.

    `block` is the info string of the forge's suggestion blocks, `longest` the maximum length of a body.
    """
    shown = changed.get(finding.path, frozenset()) if is_addressable(finding.path) else frozenset[int]()
    suggestion = suggested(finding)
    if suggestion is not None and not shown.issuperset(range(suggestion.start_line, suggestion.line + 1)):
        suggestion = None
    if suggestion is not None:
        start, line = suggestion.start_line, suggestion.line
    else:
        lines = _lines(finding)
        first = next((number for number in lines if number in shown), None)
        if first is None:
            return None
        start = line = first
        while line + 1 in lines and line + 1 in shown:
            line += 1
    mark = finding_mark(finding.fingerprint, name)
    body = mark + _text(finding, longest - len(mark))
    if suggestion is not None:
        info = block.replace("{above}", str(line - start)).replace("{below}", "0")
        with_block = f"{body}\n{fence(suggestion.lines, info)}\n"
        body = with_block if len(with_block) <= longest else body
    return NewThread(finding.path, start, line, body)


def touched(finding: ReportedFinding) -> frozenset[int]:
    """Return the lines on which a finding's comment can be placed, limited in number."""
    suggestion = suggested(finding)
    more = range(suggestion.start_line, suggestion.line + 1) if suggestion is not None else ()
    return frozenset((*_lines(finding), *more))


def _lines(finding: ReportedFinding) -> range:
    return range(finding.start_line, min(finding.last_line, finding.start_line + MAX_LINES - 1) + 1)


def _text(finding: ReportedFinding, room: int) -> str:
    """Return what is wrong and what to do, within the available length.

    A single body that is too long would make the forge reject the whole review.
    """
    rule = link(f"{finding.code} {finding.rule}", finding.url)
    parts = [f"{MARKS[finding.severity]} **{finding.severity.word}** {rule}: {message(finding.message)}"]
    if finding.help:
        parts.append(f"**Help:** {message(finding.help)}")
    if finding.note:
        parts.append(f"**Note:** {message(finding.note)}")
    if finding.document:
        parts.append(f"In {code(finding.document)}")
    if finding.fix is not None and finding.fix.title:
        parts.append(f"**Fix:** {message(finding.fix.described)} ({code(fix_command(safe=finding.fix.safe))})")
    while len(parts) > 1 and sum(len(part) + 2 for part in parts) > room:
        parts.pop()
    return "\n\n".join(parts) + "\n"


def suggested(finding: ReportedFinding) -> Suggestion | None:
    """Return the replacement for the lines that a safe fix touches; None if there is none that can be trusted.

    Lines with invisible characters are never suggested, nor lines that a bot could interpret as a command.
    """
    fix = finding.fix
    if fix is None or not fix.safe or not fix.before_line:
        return None
    if any(edit.path != finding.path for edit in fix.edits):
        return None
    after = _edited(fix.before_line, fix.before, fix.edits)
    if after is None or after == fix.before or len(after) > 2 * MAX_LINES:
        return None
    if not all(_is_harmless(line) for line in after):
        return None
    return Suggestion(fix.before_line, fix.before_line + len(fix.before) - 1, after)


def _edited(first: int, before: tuple[str, ...], edits: tuple[ReportedEdit, ...]) -> tuple[str, ...] | None:
    """Return lines with edits applied; None if an edit is out of their range or overlaps another."""
    text = "".join(f"{line}\n" for line in before)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line) + 1)
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.start_line, edit.start_column, edit.end_line, edit.end_column)):
        start = _offset(starts, edit.start_line - first, edit.start_column)
        end = _offset(starts, edit.end_line - first, edit.end_column)
        if start is None or end is None or start < done:
            return None
        parts += (text[done:start], edit.text)
        done = end
    result = "".join([*parts, text[done:]])
    if not result:
        return ()
    return tuple(result[:-1].split("\n")) if result.endswith("\n") else None


def _offset(starts: list[int], line: int, column: int) -> int | None:
    """Return the offset of a location; the start of the line after the last one is the end."""
    if line == len(starts) - 1 and column == 1:
        return starts[-1]
    if not 0 <= line < len(starts) - 1 or column > starts[line + 1] - starts[line]:
        return None
    return starts[line] + column - 1


def _is_harmless(line: str) -> bool:
    words = line.lstrip()
    command = words.startswith("/") and words[1:2].isalpha()
    return line.replace("\t", " ").isprintable() and not _UNSEEN.search(line) and not command
