"""Locations of findings for reports: lines, columns and excerpts, with secrets masked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from flink_flint.linter.flink.secret_places import name_without_secrets
from flink_flint.linter.flink.secrets import may_be_secret
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Excerpt, Finding, Located, LocatedEdit
from flink_flint.linter.model.masking import Mask
from flink_flint.linter.model.safe_text import Text, Typing, neutral_columns, overlaid
from flink_flint.linter.model.secret_values import values_of
from flink_flint.linter.text.spans import Edit, Span

_MAX_EXCERPT_LINES = 3
_LONGEST_LINE = 2_000
"""The longest line to show in characters; a file may be a single line of many megabytes."""


def locate(finding: Finding, documents: Mapping[str, Sequence[Document]]) -> None:
    """Fill in lines, columns and excerpts of a finding, and mask the secrets in its texts."""
    document = documents[finding.path][0]
    mask = mask_of(*documents[finding.path])
    paths = dict.fromkeys((finding.path, *(place.path for place in finding.related), *finding.beside))
    typing = typing_of(finding, [mask_of(*documents[path]) for path in paths if path in documents])
    finding.take_types(typing)
    if finding.document is not None:
        finding.document = name_without_secrets(finding.document)
    finding.where = _located(document, mask, finding.span, "")
    finding.located = tuple(
        _located(documents[place.path][0], mask_of(*documents[place.path]), place.span, str(typing(place.message)))
        for place in finding.related
    )


def located_edits(document: Document, mask: Mask, edits: Sequence[Edit]) -> tuple[LocatedEdit, ...]:
    """Return edits with their positions as lines and columns; return an empty tuple if one would reveal a secret."""
    if any(mask.hides(edit.text, edit.span) for edit in edits):
        return ()
    position = document.lines.position
    return tuple(LocatedEdit(document.path, position(e.span.start), position(e.span.end), e.text) for e in edits)


def typing_of(finding: Finding, masks: Sequence[Mask]) -> Typing:
    """Return a function that masks secrets in a finding's texts; the first mask is for the finding's own file."""
    is_about_a_secret = finding.key is not None and may_be_secret(finding.key)
    return partial(_typed, masks=masks, is_about_a_secret=is_about_a_secret)


def _typed(text: str, masks: Sequence[Mask], *, is_about_a_secret: bool) -> Text:
    found = [mask.typed(text, about_a_secret=is_about_a_secret) for mask in masks]
    return found[0] if len(found) == 1 else overlaid(text, found)


def mask_of(document: Document, *others: Document) -> Mask:
    """Return the mask that hides the secrets of a file, given its documents."""
    if document.mask is None:
        values = [value for one in (document, *others) for value in values_of(one)]
        document.mask = Mask(document.text, values, (key for one in (document, *others) for key in one.effective))
    return document.mask


def _located(document: Document, mask: Mask, span: Span, message: str) -> Located:
    lines = document.lines
    start, end = lines.position(span.start), lines.position(max(span.start, span.end))
    last = end.line if end.column > 1 or end.line == start.line else end.line - 1
    shown = []
    left = right = 0
    for number in range(start.line, min(last, start.line + _MAX_EXCERPT_LINES - 1) + 1):
        line = lines.span(number)
        window = _window(line, span)
        lead = "…" if window.start > line.start else ""
        text, from_, to = mask.line(document.text, window, span)
        if number == start.line:
            left = max(0, from_) + len(lead)
        right = min(len(text), to) + len(lead)
        shown.append(lead + neutral_columns(text) + ("…" if window.end < line.end else ""))
    return Located(document.path, start, end, message, Excerpt(start.line, tuple(shown), left, right))


def _window(line: Span, span: Span) -> Span:
    """Return the part of a line to show: all of it, or the surroundings of the span's start in a very long one."""
    if line.end - line.start <= _LONGEST_LINE:
        return line
    start = max(line.start, min(span.start, line.end) - _LONGEST_LINE // 4)
    return Span(start, min(line.end, start + _LONGEST_LINE))
