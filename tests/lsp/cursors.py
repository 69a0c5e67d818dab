"""Texts with a cursor, for tests of what the language server says at it."""

from __future__ import annotations

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.lsp.cursor import Spot, spot_at
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.model.document import Document, FileFormat

CURSOR = "‸"


class At:
    """A file with the cursor at a mark."""

    def __init__(self, name: str, marked: str) -> None:
        text = marked.replace(CURSOR, "")
        found = file_format_of(name, text, trust_name=True)
        assert found is not None, name
        self.file_format: FileFormat = found
        self.buffer = Buffer(text)
        self.offset = marked.index(CURSOR)
        self.documents: list[Document] = found.read(name, text.encode())

    @property
    def spot(self) -> Spot | None:
        """What is at the cursor."""
        return spot_at(self.buffer, self.offset, self.file_format, self.documents)
