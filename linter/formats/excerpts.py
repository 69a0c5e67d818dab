"""Reads YAML of which the program that reads the file takes nothing, as far as its structure is evident.

A text that begins in the middle of a file has lines that are indented less than its first; they get the parents that
are missing. A block of lines that is indented more than what follows it is left out. What is read so is in part, beside
the error that the file is not YAML.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.syntax.yaml_tree import read_trees
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_LINE = regex(r"([ ]*)([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_MAX_REPAIRS = 3
_MAX_LENGTH = 200_000
_PARENT = "excerpt"


class _Line:
    __slots__ = ("content", "end", "indent", "start")

    def __init__(self, start: int, end: int, indent: int, content: str) -> None:
        self.start, self.end, self.indent, self.content = start, end, indent, content

    @property
    def is_blank(self) -> bool:
        return not self.content or self.content.startswith("#")


def excerpt_documents(file_format: FileFormat, path: str, text: str) -> list[Document]:
    """Return the documents in the readable parts of a YAML text that cannot be parsed; none if it is beyond repair."""
    extract = _repaired(text)
    if extract is None:
        return []
    from flink_flint.linter.formats.inner_document import inner_documents

    name = path.replace("\\", "/").rpartition("/")[2]
    documents: list[Document] = []
    if file_format.recognize(name, extract.text):
        documents += inner_documents(path, text, file_format, extract, file_format, name)
    for document in documents:
        document.whole = False
    return documents


def _repaired(text: str) -> Extract | None:
    if len(text) > _MAX_LENGTH or "\n---" in text or "\t" in text:
        return None
    header, left_out = _missing_parents(text), list[Span]()
    for _ in range(_MAX_REPAIRS + 1):
        extract = _without(text, header, left_out)
        trees = read_trees(extract.text)
        if len(trees) != 1:
            return None
        error = trees[0].error
        if error is None:
            return extract if header or left_out else None
        block = _deeper_block(text, extract.start(min(error.at, len(extract.text) - 1)), left_out)
        if block is None:
            return None
        left_out = sorted([*left_out, block])
    return None


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    while at < len(text):
        match = _LINE.match(text, at)
        if match is None or match.end() == at:
            return
        yield _Line(at, match.end(), len(match[1]), match[2].rstrip())
        at = match.end()


def _missing_parents(text: str) -> str:
    """Return lines that open the mappings in which the first lines of a text are, down to the least indentation."""
    lows: list[int] = []
    for line in _lines(text):
        if not line.is_blank and (not lows or line.indent < lows[-1]):
            lows.append(line.indent)
    return "".join(f"{' ' * low}{_PARENT}{number}:\n" for number, low in enumerate(reversed(lows[1:])))


def _deeper_block(text: str, at: int, left_out: list[Span]) -> Span | None:
    """Return the lines above a faulty one that are indented more, from their parent on; None if there are none."""
    lines = list(_lines(text))
    place = next((n for n, line in enumerate(lines) if line.start <= at < line.end), None)
    if place is None:
        return None
    faulty = lines[place]
    first = place
    while first > 0 and (lines[first - 1].is_blank or lines[first - 1].indent > faulty.indent):
        first -= 1
    while first < place and lines[first].is_blank:
        first += 1
    if first == place or first == 0 or lines[first - 1].indent >= faulty.indent:
        return None
    block = Span(lines[first].start, faulty.start)
    return None if block in left_out else block


def _without(text: str, header: str, left_out: list[Span]) -> Extract:
    pieces = [Piece(header, Span(0, 0))]
    at = 0
    for span in left_out:
        pieces.append(Piece(text[at : span.start], Span(at, span.start)))
        at = span.end
    return Extract(text, [*pieces, Piece(text[at:], Span(at, len(text)))])
