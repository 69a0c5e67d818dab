"""Combines the edits of a fix into one replacement, which a reviewer can apply with a click.

Tools that offer suggestions (reviewdog, SARIF viewers) treat each replacement as a separate suggestion. Applying half
of a fix would be harmful, so the edits become one, including the text between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.text.spans import Edit, Span


def suggestion(finding: Finding, documents: Sequence[Document]) -> Edit | None:
    """Return the fix of a finding as a single edit; None if there is no fix or the edit would show a secret."""
    if finding.fix is None or not finding.edits:
        return None
    text, mask = documents[0].text, mask_of(*documents)
    first, *others = sorted(finding.fix.edits)
    start, end, replacement = first.span.start, first.span.end, first.text
    for edit in others:
        between = text[end : edit.span.start]
        if edit.span.start < end or mask.hides(between, Span(end, edit.span.start)):
            return None
        replacement += between + edit.text
        end = edit.span.end
    return on_lines_there_are(text, Edit(Span(start, end), replacement))


def visible(edit: Edit, documents: Sequence[Document]) -> Edit:
    """Return an equivalent edit whose text is not empty, if possible, by including an adjacent character.

    Some readers treat an empty text as an error, others fail if it is omitted.
    """
    if edit.text:
        return edit
    text, mask = documents[0].text, mask_of(*documents)
    start, end = edit.span
    for wider in (Span(start, _next(text, end)), Span(_previous(text, start), end)):
        kept = text[wider.start : start] + text[end : wider.end]
        if kept and not mask.hides(kept, Span(wider.start, start) if wider.end == end else Span(end, wider.end)):
            return Edit(wider, kept)
    return edit


def on_lines_there_are(text: str, edit: Edit) -> Edit:
    """Return an equivalent edit that avoids the position after the last line end, where no comment can be placed."""
    (start, end), replacement = edit
    line_end = "\r\n" if text.endswith("\r\n") else "\n"
    if end != len(text) or not text.endswith(line_end):
        return edit
    size = len(line_end)
    if end - start >= size and replacement.endswith(line_end):
        return Edit(Span(start, end - size), replacement[:-size])
    if start < size or text[start - size : start] != line_end:
        return edit
    if not replacement:
        return Edit(Span(start - size, end - size), "")
    if start == end and replacement.endswith(line_end):
        return Edit(Span(start - size, end - size), line_end + replacement[:-size])
    return edit


def _next(text: str, at: int) -> int:
    return min(len(text), at + (2 if text.startswith("\r\n", at) else 1))


def _previous(text: str, at: int) -> int:
    return max(0, at - (2 if text.endswith("\r\n", 0, at) else 1))
