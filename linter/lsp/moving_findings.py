"""Keeps the findings of an open file at the right positions while its text is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flink_flint.linter.model.finding import Finding

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Replaced


def copied(finding: Finding) -> Finding:
    """Copy a finding before it is reported, because reporting sets the severity and ordinal and masks secrets."""
    copy = Finding.__new__(Finding)
    for name in Finding.__slots__:
        if hasattr(finding, name):
            setattr(copy, name, getattr(finding, name))
    return copy


def moved(finding: Finding, replaced: Replaced) -> bool:
    """Move a finding with the text of its file; return False if the edit touches one of its locations.

    The finding loses its fix, whose edits are those of the old text.
    """
    spans = [finding.span, *(place.span for place in finding.related if place.path == finding.path)]
    after = [span for span in map(replaced.moved, spans) if span is not None]
    if len(after) < len(spans):
        return False
    finding.span, *rest = after
    finding.related = tuple(
        place._replace(span=rest.pop(0)) if place.path == finding.path else place for place in finding.related
    )
    finding.proposed = None
    return True
