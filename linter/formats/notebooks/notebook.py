"""Jupyter (``.ipynb``) and Zeppelin (``.zpln``) notebooks, read as one SQL script and one PyFlink program.

The cells of a session share its settings and tables, so they are read together, in their order. A cell is SQL if its
first line is a magic of Flink (``%flink.ssql``, ``%%flink_sql``).
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.formats.aws.aws_resources import NodeFormat, read_text
from flink_flint.linter.formats.inner_document import InnerEdits, inner_documents
from flink_flint.linter.formats.syntax.hcl_tree import unescaped_pieces
from flink_flint.linter.formats.syntax.json_tree import read_json
from flink_flint.linter.formats.syntax.value_tree import LIST, Node
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_MAGIC = regex(r"\s*%%?(?P<name>[\w.]*flink[\w.]*)[^\n]*(?:\n|\Z)")
_SHELL_LINE = regex(r"(?m)^[ \t]*[%!?][^\n]*")
_MAX_CELLS = 2_000


class Notebook(InnerEdits, NodeFormat):
    """Notebooks that run Flink SQL or PyFlink."""

    kind = "sql"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a notebook has a cell with a Flink magic or a PyFlink import."""
        return bool(self.parse(name, head.encode("utf-8", "surrogateescape")))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the documents for a notebook's SQL cells, as one script, and for its PyFlink cells, as one program."""
        text = read_text(data)
        root = read_json(text) if len(text) <= MAX_CHARACTERS else None
        if root is None:
            return []
        sql: list[Piece] = []
        code: list[Piece] = []
        for cell in list(_cells(root))[:_MAX_CELLS]:
            extract = _text(text, cell)
            magic = _MAGIC.match(extract.text)
            if magic is not None and "sql" in magic["name"].lower():
                sql += _ended(extract.part(Span(magic.end(), len(extract.text))), ";\n")
            elif magic is None or "pyflink" in magic["name"]:
                # Lines for the shell and other magics are no Python.
                lines = [(Span(*found.span()), "pass") for found in _SHELL_LINE.finditer(extract.text)]
                code += _ended(extract.replaced(lines), "\n")
        documents: list[Document] = []
        for pieces, module, name in ((sql, "sql.sql_script", "cells.sql"), (code, "source.python_program", "cells.py")):
            extract = Extract(text, pieces)
            inner: FileFormat = import_module(f"flink_flint.linter.formats.{module}").FILE_FORMAT
            if (name == "cells.sql" or "pyflink" in extract.text) and inner.recognize(name, extract.text):
                documents += inner_documents(path, text, self, extract, inner, name, style="double")
        for document in documents:
            document.profile = "development"  # someone tries out something here
        return documents


def _cells(root: Node) -> Iterator[Node]:
    """Yield the text of each code cell: a string, or a list of lines."""
    cells, paragraphs = root.get("cells"), root.get("paragraphs")
    for cell in cells.items if cells is not None else ():
        kind, source = cell.get("cell_type"), cell.get("source")
        if kind is not None and kind.text == "code" and source is not None:
            yield source
    for paragraph in paragraphs.items if paragraphs is not None else ():
        source = paragraph.get("text")
        if source is not None:
            yield source


def _text(text: str, source: Node) -> Extract:
    pieces: list[Piece] = []
    for line in source.items if source.kind == LIST else [source]:
        if line.raw[:1] == '"':
            pieces += unescaped_pieces(text, Span(line.span.start + 1, line.span.end - 1))
    return Extract(text, pieces)


def _ended(extract: Extract, end: str) -> Iterator[Piece]:
    """Yield the pieces of a cell, with an end that separates it from the next one."""
    yield from extract.pieces
    if extract.pieces:
        last = extract.pieces[-1].span.end
        stripped = extract.text.rstrip()
        yield Piece("\n" if stripped.endswith(";") or not stripped else f"\n{end}", Span(last, last))


FILE_FORMAT = Notebook()
