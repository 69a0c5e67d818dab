"""Conversion of findings to LSP diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from flink_flint.linter.engine.locations import mask_of, typing_of
from flink_flint.linter.model.finding import Finding, Severity

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Buffer
    from flink_flint.linter.model.document import Document
    from flink_flint.linter.text.spans import Span

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_TAGS = {
    **dict.fromkeys(("deprecated-key",), types.DiagnosticTag.Deprecated),
    **dict.fromkeys(("alias-conflict", "duplicate-key", "unused-suppression"), types.DiagnosticTag.Unnecessary),
}
"""Rules about deprecated and about unnecessary settings."""

Files = Callable[[str], "tuple[Buffer, Sequence[Document]] | None"]
"""A function that returns the text and documents of the file at a path; None if the file is unknown."""


def diagnostic(finding: Finding, files: Files) -> types.Diagnostic | None:
    """Convert a finding to a diagnostic with secrets masked; return None if its file is unknown."""
    known = files(finding.path)
    if known is None:
        return None
    buffer, documents = known
    others = (files(path) for path in finding.beside if path != finding.path)
    masks = [mask_of(*documents), *(mask_of(*other[1]) for other in others if other is not None and other[1])]
    typing = typing_of(finding, masks)
    finding.take_types(typing)
    message = finding.message
    if finding.note:
        message += f" ({finding.note})"
    if finding.help:
        message += f"\n{finding.help}"
    related = []
    for place in finding.related:
        if (other := files(place.path)) is not None and (uri := from_fs_path(place.path)) is not None:
            label = str(typing(place.message))
            related.append(
                types.DiagnosticRelatedInformation(
                    types.Location(uri, range_of(other[0], place.span)), label or f"see {finding.key or 'this'}"
                )
            )
    tag = _TAGS.get(finding.rule)
    return types.Diagnostic(
        range_of(buffer, finding.span),
        message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(finding.url) if finding.url else None,
        source="flint",
        tags=[tag] if tag is not None else None,
        related_information=related or None,
        data={"fingerprint": finding.fingerprint, "rule": finding.rule},
    )


def range_of(buffer: Buffer, span: Span) -> types.Range:
    """Return the LSP range of a span."""
    return types.Range(types.Position(*buffer.position(span.start)), types.Position(*buffer.position(span.end)))


def text_edit(buffer: Buffer, span: Span, text: str) -> types.TextEdit:
    """Return the LSP edit that replaces a span with `text`."""
    return types.TextEdit(range_of(buffer, span), text)
