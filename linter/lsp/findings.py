"""Findings that outlive an edit of their file: they move with the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flink_flint.linter.lsp.deferred import Elsewhere
from flink_flint.linter.model.deferred import Deferred
from flink_flint.linter.model.finding import Finding, Intent, Place
from flink_flint.linter.text.spans import Edit, Span

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Replaced


def copied(finding: Finding) -> Finding:
    """A finding of its own with the same to say: what is reported gets levels, ordinals and hidden secrets."""
    copy = Finding.__new__(Finding)
    for name in Finding.__slots__:
        if hasattr(finding, name):
            setattr(copy, name, getattr(finding, name))
    return copy


def moved(finding: Finding, replaced: Replaced) -> bool:
    """Move a finding with its file's text; False, and then it is of no use, where the edit touches a place of it."""
    span = replaced.moved(finding.span)
    if span is None:
        return False
    finding.span = span
    related = []
    for place in finding.related:
        if place.path == finding.path:
            span = replaced.moved(place.span)
            if span is None:
                return False
            place = Place(place.path, span, place.message)
        related.append(place)
    finding.related = tuple(related)
    fix = finding.proposed
    if fix is not None and not isinstance(fix.edits, Deferred):
        edits = []
        for edit in fix.edits:
            span = replaced.moved(edit.span)
            if span is None:
                return False
            edits.append(Edit(span, edit.text))
        finding.proposed = fix._replace(edits=edits)
    return True


def placed(finding: Finding, by: int, number: int) -> Finding:
    """A finding of a part of a text as one of the text: so many characters and documents stand above the part."""
    copy = copied(finding)
    copy.span = Span(finding.span.start + by, finding.span.end + by)
    copy.related = tuple(
        place._replace(span=Span(place.span.start + by, place.span.end + by)) if place.path == finding.path else place
        for place in finding.related
    )
    fix = finding.proposed
    if fix is not None:
        intent = fix.intent and Intent(fix.intent.document + number, fix.intent.settings)
        copy.proposed = fix._replace(edits=Elsewhere(fix.edits, by), intent=intent)
    return copy
