"""Hover information on the option at the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML
from flink_flint.linter.flink.secrets import credential, may_be_secret
from flink_flint.linter.lsp.cursor import spot_at
from flink_flint.linter.lsp.option_markdown import describe, meaning
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Buffer
    from flink_flint.linter.model.document import Document, FileFormat
    from flink_flint.linter.text.spans import Span


class HoverText(NamedTuple):
    """The text to show, and the span that it describes."""

    markdown: str
    span: Span


def hover(
    buffer: Buffer, offset: int, file_format: FileFormat, documents: Sequence[Document], index: int
) -> HoverText | None:
    """Return information on the key or value at an offset, or None if there is nothing to show."""
    for document in documents:
        for entry in document.entries:
            if entry.key_span.start <= offset < entry.key_span.end:
                return _of_key(entry.key, entry.key_span, index)
            if entry.value_span.start <= offset < entry.value_span.end and entry.style != "implied":
                return _of_value(entry.key, entry.text, entry.value_span, index, yaml=document.yaml_in(index))
    spot = spot_at(buffer, offset, file_format, documents)
    if spot is None or not spot.written:
        return None
    if not spot.is_value:
        return _of_key(spot.key, spot.span, index)
    text = buffer.text[spot.span.start : spot.span.end]
    return _of_value(spot.key, text, spot.span, index, yaml=index >= FIRST_CONFIG_YAML)


def _of_key(key: str, span: Span, index: int) -> HoverText | None:
    text = describe(key, index)
    return None if text is None else HoverText(text, span)


def _of_value(key: str, text: str, span: Span, index: int, *, yaml: bool) -> HoverText | None:
    if may_be_secret(key) or credential(text) is not None:
        return None
    value = meaning(key, text, index, yaml=yaml)
    return None if value is None else HoverText(value, span)
