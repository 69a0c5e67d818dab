"""Insertion of new settings next to related ones, and deletion of lines, with the line endings of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from flink_flint.linter.flink.file_loading import Entry
from flink_flint.linter.model.document import Changes, Document, Promise, Ways
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span

_ODD_BREAK = regex("[\x0b\x0c\x85\u2028\u2029]")
"""Matches characters that some programs, but not all, treat as line breaks."""


_BEFORE_COMMENT = regex(r"[\"']?[ \t]*:?[ \t]*(?:[|>][-+0-9]*)?[\"',;]*[ \t]*")
"""Matches the text that may come between a key or value and a comment after it."""


def shared_words(one: str, other: str) -> int:
    """Return the number of leading segments (separated by dots) that two keys share."""
    count = 0
    for mine, theirs in zip(one.split("."), other.split("."), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def nearest_sibling(document: Document, key: str) -> Entry | None:
    """Return the last entry whose key shares the most leading segments with `key`, or None if no key shares any."""
    best = max(((shared_words(entry.key, key), place) for place, entry in enumerate(document.entries)), default=(0, 0))
    return document.entries[best[1]] if best[0] else None


def promises(document: Document, edits: Sequence[Edit], changes: Changes) -> Ways:
    """Return `edits` as the only way to change a document, with the `changes` to its settings that they must make.

    The result is empty if programs that read the file would split the new text into lines differently.
    """
    if any(_ODD_BREAK.search(edit.text) for edit in edits):
        return ()
    return (Promise(document.number, edits, changes),)


def adds_line(document: Document, below: int | None, line: str, key: str, value: str) -> Ways:
    """Return the edit that inserts `line` below a line (0: at the top, None: at the end), unless the key is set."""
    if key in document.effective:
        return ()
    return promises(document, [_edit(document, below, line)], {key: value})


def _edit(document: Document, below: int | None, line: str) -> Edit:
    text, lines = document.text, document.lines
    end = len(text) if below is None else lines.full_span(below).end if below else 0
    before = text[:end]
    line_end = line_end_at(document, below)
    if before and not before.endswith(("\n", "\r")):
        return Edit(Span(end, end), f"{line_end}{line}")  # a file without a final line ending keeps none
    return Edit(Span(end, end), f"{line}{line_end}")


def removed_lines(document: Document, first: int, last: int, ends: Sequence[int]) -> list[Edit]:
    """Return the edits that delete the lines `first` to `last`, but keep the comments at their ends on their own lines.

    `ends` are the offsets where a key or value ends; comments are searched for after these offsets.
    """
    text, lines = document.text, document.lines
    span = Span(lines.full_span(first).start, lines.full_span(last).end)
    kept = []
    for end in sorted(ends):
        number = lines.position(end).line
        line = lines.span(number)
        behind = text[end : line.end]
        mark = _comment_in(behind, document.file_format.comments)
        if mark is not None and first <= number <= last:
            margin = text[line.start : line.end]
            margin = margin[: len(margin) - len(margin.lstrip(" \t"))]
            kept.append(f"{margin}{behind[mark:]}{text[line.end : lines.full_span(number).end]}")
    return [Edit(span, "".join(dict.fromkeys(kept)))]


def _comment_in(behind: str, marks: Sequence[str]) -> int | None:
    """Return where a comment starts in the text after a value, or None if anything else comes first."""
    match = _BEFORE_COMMENT.match(behind)
    at = match.end() if match is not None else 0
    return at if at and behind.startswith(tuple(marks), at) else None


def line_end_at(document: Document, below: int | None) -> str:
    """Return the line ending of the line `below` or, if that is None or the line has none, of the file's first line."""
    lines, text = document.lines, document.text
    for number in (below, 1):
        if number and (end := text[lines.span(number).end : lines.full_span(number).end]):
            return end
    return "\n"


# -- YAML: blocks


class Place(NamedTuple):
    """The position of a new YAML entry: the line above it, its indentation, and the part of the key to write there."""

    below: int | None
    indent: int
    rest: str


def yaml_places(document: Document, key: str) -> Iterator[Place]:
    """Yield the positions where an entry with this key can be inserted in a YAML file, best first."""
    blocks = sorted(_blocks(document, key), key=lambda block: -len(block[0]))
    for prefix, members in blocks:
        indent = _column(document, members[0][1])
        sibling = _closest([entry for entry, _ in members], key)
        below = _last_line(document, sibling or members[-1][0], members)
        yield Place(below, indent, key[len(prefix) + 1 :])
    margin = _column(document, document.entries[0].path_spans[0]) if document.entries else 0
    if (sibling := nearest_sibling(document, key)) is not None:
        root = [
            (entry, entry.path_spans[0]) for entry in document.entries if entry.path_spans[0] == sibling.path_spans[0]
        ]
        yield Place(_last_line(document, sibling, root), margin, key)
    yield Place(None, margin, key)
    if document.entries:  # the file may end with an end-of-document marker or an open block scalar
        first, last = document.entries[0], document.entries[-1]
        yield Place(_last_line(document, last, []), margin, key)
        yield Place(document.lines.position(first.path_spans[0].start).line - 1, margin, key)


def _blocks(document: Document, key: str) -> list[tuple[str, list[tuple[Entry, Span]]]]:
    """Return the blocks whose path is a prefix of `key`: each path, and its entries with their spans in the block."""
    found: dict[Span, tuple[str, list[tuple[Entry, Span]]]] = {}
    for entry in document.entries:
        path, spans = "", entry.path_spans
        for parent, child in pairwise(spans):
            path += document.text[parent.start : parent.end].strip("\"'") + "."
            if key.startswith(path):
                found.setdefault(parent, (path[:-1], []))[1].append((entry, child))
    return list(found.values())


def _closest(entries: list[Entry], key: str) -> Entry | None:
    return max(reversed(entries), key=lambda entry: shared_words(entry.key, key), default=None)


def _column(document: Document, span: Span) -> int:
    return document.lines.position(span.start).column - 1


def _last_line(document: Document, sibling: Entry, members: list[tuple[Entry, Span]]) -> int:
    """Return the last line of the block member that contains `sibling`; a new entry is inserted below it."""
    own = next((child for entry, child in members if entry is sibling), None)
    ends = [entry.value_span for entry, child in members if child == own] or [sibling.value_span]
    last = max(ends, key=lambda span: span.end)
    return document.lines.position(max(last.end - 1, last.start)).line
