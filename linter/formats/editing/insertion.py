"""Where a new line goes in a file of settings: beside its kin, with the line ends the file has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from flink_flint.linter.flink.files import Entry
from flink_flint.linter.model.document import Changes, Document, Promise, Ways
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span

_ODD_BREAK = regex("[\x0b\x0c\x85\u2028\u2029]")
"""What ends a line for some readers and not for others."""


_BEFORE_COMMENT = regex(r"[\"']?[ \t]*:?[ \t]*(?:[|>][-+0-9]*)?[\"',;]*[ \t]*")
"""What may stand between a key or value and the comment behind it."""


def shared_words(one: str, other: str) -> int:
    """How many dotted words two keys share from their start."""
    count = 0
    for mine, theirs in zip(one.split("."), other.split("."), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def nearest_kin(document: Document, key: str) -> Entry | None:
    """The last entry among those that share most words with a key; None where none shares any."""
    best = max(((shared_words(entry.key, key), place) for place, entry in enumerate(document.entries)), default=(0, 0))
    return document.entries[best[1]] if best[0] else None


def promises(document: Document, edits: Sequence[Edit], changes: Changes) -> Ways:
    """Edits as the one way to make these changes of a document and no others of its file.

    There is none where readers of the file would disagree about the lines of what is written.
    """
    if any(_ODD_BREAK.search(edit.text) for edit in edits):
        return ()
    return (Promise(document.number, edits, changes),)


def adds_line(document: Document, below: int | None, line: str, key: str, value: str) -> Ways:
    """The way to add a setting as a line below a line (0: above all, None: below all) where nothing sets it yet."""
    if key in document.effective:
        return ()
    return promises(document, [_edit(document, below, line)], {key: value})


def _edit(document: Document, below: int | None, line: str) -> Edit:
    text, lines = document.text, document.lines
    end = len(text) if below is None else lines.full_span(below).end if below else 0
    before = text[:end]
    line_end = line_end_at(document, below)
    if before and not before.endswith(("\n", "\r")):
        return Edit(Span(end, end), f"{line_end}{line}")  # a file without a last line end stays one
    return Edit(Span(end, end), f"{line}{line_end}")


def removed_lines(document: Document, first: int, last: int, ends: Sequence[int]) -> list[Edit]:
    """Edits that delete whole lines but for the comments behind what they hold, which stay as lines of their own.

    What the lines hold ends at the offsets `ends` (a key, a value); comments are looked for behind these.
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
    """Where a comment begins in what stands behind a value; None where anything else comes first."""
    match = _BEFORE_COMMENT.match(behind)
    at = match.end() if match is not None else 0
    return at if at and behind.startswith(tuple(marks), at) else None


def line_end_at(document: Document, below: int | None) -> str:
    """The line end of the neighbour, else of the file's first line."""
    lines, text = document.lines, document.text
    for number in (below, 1):
        if number and (end := text[lines.span(number).end : lines.full_span(number).end]):
            return end
    return "\n"


# -- YAML: blocks


class Place(NamedTuple):
    """Where a new entry may go: below which line, how deep, and the part of its key to write there."""

    below: int | None
    indent: int
    rest: str


def yaml_places(document: Document, key: str) -> Iterator[Place]:
    """Where an entry may go, the best place first."""
    blocks = sorted(_blocks(document, key), key=lambda block: -len(block[0]))
    for prefix, members in blocks:
        indent = _column(document, members[0][1])
        kin = _closest([entry for entry, _ in members], key)
        below = _last_line(document, kin or members[-1][0], members)
        yield Place(below, indent, key[len(prefix) + 1 :])
    margin = _column(document, document.entries[0].path_spans[0]) if document.entries else 0
    if (kin := nearest_kin(document, key)) is not None:
        root = [(entry, entry.path_spans[0]) for entry in document.entries if entry.path_spans[0] == kin.path_spans[0]]
        yield Place(_last_line(document, kin, root), margin, key)
    yield Place(None, margin, key)
    if document.entries:  # an end of document, or a text that would run on, may close the file
        first, last = document.entries[0], document.entries[-1]
        yield Place(_last_line(document, last, []), margin, key)
        yield Place(document.lines.position(first.path_spans[0].start).line - 1, margin, key)


def _blocks(document: Document, key: str) -> list[tuple[str, list[tuple[Entry, Span]]]]:
    """The blocks of a nested file whose path begins a key: the path, and the entries with their keys in the block."""
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


def _last_line(document: Document, kin: Entry, members: list[tuple[Entry, Span]]) -> int:
    """The last line of what stands beside a new entry: of the member of the block that `kin` belongs to."""
    own = next((child for entry, child in members if entry is kin), None)
    ends = [entry.value_span for entry, child in members if child == own] or [kin.value_span]
    last = max(ends, key=lambda span: span.end)
    return document.lines.position(max(last.end - 1, last.start)).line
