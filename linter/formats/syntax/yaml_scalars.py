"""The texts of YAML scalars, with the position of each character in the file."""

from __future__ import annotations

import re

from flink_flint.linter.flink.invalid_config_yaml import alone_on_lines, template_tags
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.formats.template_settings import insertions
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

LINE_BREAK = regex(r"\r\n|\r|\n")
_MAX_LOOKAHEAD = 4_000
"""Number of characters after a block scalar in which template tags may still belong to it."""
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_EMPTY = regex(r"([ ]*)(?:\r\n|\r|\n)")
_HEX = {"x": 2, "u": 4, "U": 8}


def extract_scalar(text: str, span: Span, style: str, decoded: str | None, *, is_rendered: bool = True) -> Extract:
    """Return the text of a scalar with the position of each character; `decoded` is its value from the parser.

    In a template, the value is the text as written, including tags; otherwise it is exactly `decoded`.
    """
    if style in ("literal", "folded"):
        extract = Extract(text, _block(text, span, decoded, folded=style == "folded", is_rendered=is_rendered))
    else:
        if style in ("single", "double"):
            span = Span(span.start + 1, max(span.start + 1, span.end - 1))
        extract = Extract(text, _flow(text, span, style))
    if decoded not in (None, extract.text) and not is_template(text[span.start : span.end] + extract.text):
        return Extract(
            text, [Piece(decoded or "", span)]
        )  # the parser decodes it differently: the characters have no individual positions
    return extract


def _flow(text: str, span: Span, style: str) -> list[Piece]:
    """Return the pieces of a plain or quoted scalar, with escapes resolved and lines folded."""
    pieces: list[Piece] = []
    at = run = span.start

    def flush(to: int) -> None:
        if to > run:
            pieces.append(Piece(text[run:to], Span(run, to)))

    while at < span.end:
        char = text[at]
        if char in "\r\n":
            end = at
            while end > run and text[end - 1] in " \t":
                end -= 1
            flush(end)
            breaks = []
            while at < span.end and (found := LINE_BREAK.match(text, at)):
                breaks.append(Span(at, found.end()))
                at = found.end()
                while at < span.end and text[at] in " \t":
                    at += 1
            # A single line break becomes a space; of several, the first is dropped.
            pieces += [Piece(" ", breaks[0])] if len(breaks) == 1 else [Piece("\n", one) for one in breaks[1:]]
            run = at
        elif style == "single" and char == "'" and text[at + 1 : at + 2] == "'":
            flush(at)
            pieces.append(Piece("'", Span(at, at + 2)))
            at = run = at + 2
        elif style == "double" and char == "\\" and at + 1 < span.end:
            flush(at)
            at = run = _escape(text, at, span.end, pieces)
        else:
            at += 1
    flush(span.end)
    return pieces


def _escape(text: str, at: int, end: int, pieces: list[Piece]) -> int:
    """Add the value of an escape in a double-quoted scalar to the pieces; return the offset where it ends."""
    char = text[at + 1]
    if found := LINE_BREAK.match(text, at + 1):  # an escaped break joins the lines
        after = found.end()
        while after < end and text[after] in " \t":
            after += 1
        return after
    length = _HEX.get(char, 0)
    after = at + 2 + length
    made = _ESCAPES.get(char, char)
    if length:
        code = _code(text[at + 2 : after])
        made = "\ufffd" if code is None else chr(code)
        if code is not None and 0xD800 <= code < 0xE000:  # half of a surrogate pair, as in Java
            other = _code(text[after + 2 : after + 6]) if text.startswith("\\u", after) and after + 6 <= end else None
            if code < 0xDC00 and other is not None and 0xDC00 <= other < 0xE000:
                made = chr(0x10000 + ((code - 0xD800) << 10) + other - 0xDC00)
                after += 6
            else:
                made = "?"
    pieces.append(Piece(made, Span(at, after)))
    return after


def _code(digits: str) -> int | None:
    code = int(digits, 16) if re.fullmatch(r"[0-9a-fA-F]+", digits) else 0x110000
    return code if code < 0x110000 else None


def _block(text: str, span: Span, decoded: str | None, *, folded: bool, is_rendered: bool) -> list[Piece]:
    """Return the pieces of a literal or folded scalar."""
    head = LINE_BREAK.search(text, span.start)
    if head is None:
        return []
    header = text[span.start : head.start()].partition("#")[0]
    start, end = head.end(), max(span.end, head.end())
    tagged: list[Span] = []
    if is_template(text[span.start : end + _MAX_LOOKAHEAD]):
        end, tagged = _with_tags(text, span.start, start, end, is_rendered=is_rendered)
    lines = _block_lines(text, start, end)
    of_tags: set[Span] = set()
    place = 0
    for line, _ in lines:
        while place < len(tagged) and tagged[place].end < line.end:
            place += 1
        if place < len(tagged) and tagged[place].start <= line.start:
            of_tags.add(line)
    indents = [
        _indent(text, line) for line, _ in lines if line not in of_tags and text[line.start : line.end].strip(" ")
    ]
    if not indents and not of_tags:
        breaks = [end for _, end in (*lines, *_kept_breaks(text, max(end, start)))]
        return [Piece("\n", end) for end in breaks if end.end > end.start] if "+" in header else []
    depth = indents[0] if indents else _MAX_LOOKAHEAD
    indicated = re.search(r"[1-9]", header) is not None
    if indents and indicated and decoded is not None and not is_template(text[span.start : end]):
        # An indicator is relative to the parent's indentation, which is unknown from the text of the scalar.
        for indent in range(depth, 0, -1):
            pieces = _block_pieces(text, header, _cut(text, lines, of_tags, indent), folded=folded)
            if "".join(piece.text for piece in pieces) == decoded:
                return pieces
    if indents and indicated:
        kept = (decoded or "").lstrip("\n")
        depth -= min(depth, len(kept) - len(kept.lstrip(" ")))
    return _block_pieces(text, header, _cut(text, lines, of_tags, depth, relaxed=decoded is None), folded=folded)


def _with_tags(text: str, key: int, start: int, end: int, *, is_rendered: bool) -> tuple[int, list[Span]]:
    """Return the end of a block scalar, including lines inserted after it, and the lines with only template tags."""
    margin = _indent(text, Span(text.rfind("\n", 0, key) + 1, key))
    region = text[start : end + _MAX_LOOKAHEAD]
    tags = template_tags(region, is_rendered=is_rendered)
    tagged = [Span(start + a, start + b) for a, b in alone_on_lines(region, tags)]
    inserted = {start + tag.start: column for tag, column in insertions(region, is_rendered=is_rendered)}
    reach = end
    for line in tagged:
        if line.end <= end:
            continue
        if text[reach : line.start].strip():
            break
        reach = line.end
        if any(line.start <= at < line.end and column > margin for at, column in inserted.items()):
            end = reach
    return end, tagged


def _cut(
    text: str, lines: list[tuple[Span, Span]], of_tags: set[Span], indent: int, *, relaxed: bool = False
) -> list[tuple[Span, Span]]:
    """Return the lines of a block scalar without their indentation; lines with only tags may have less of it.

    In a `relaxed` text, lines that contain only spaces are empty.
    """
    cut: list[tuple[Span, Span]] = []
    for line, end in lines:
        own = _indent(text, line)
        if line in of_tags:
            skipped = min(indent, own)
        elif relaxed and own == line.end - line.start:
            skipped = own
        else:
            skipped = indent
        cut.append((Span(min(line.start + skipped, line.end), line.end), end))
    return cut


def _block_pieces(text: str, header: str, content: list[tuple[Span, Span]], *, folded: bool) -> list[Piece]:
    """Return the pieces of a block scalar, given its lines without their indentation."""
    if "+" in header:
        content = content + _kept_breaks(text, content[-1][1].end)
    last = max((place for place, (line, _) in enumerate(content) if line.end > line.start), default=0)
    pieces: list[Piece] = []
    following = Span(0, 0)
    """The next line that is not empty."""
    for place in range(last, -1, -1):  # backwards, because the meaning of a break depends on what follows
        line, end = content[place]
        if place < last:
            pieces += _line_break(text, line, end, content[place + 1][0], following, folded=folded)
        if line.end > line.start:
            pieces.append(Piece(text[line.start : line.end], line))
            following = line
    pieces.reverse()
    if "-" not in header:
        tail = [end for _, end in content[last:] if end.end > end.start]
        pieces += [Piece("\n", end) for end in (tail if "+" in header else tail[:1])]
    return pieces


def _kept_breaks(text: str, start: int) -> list[tuple[Span, Span]]:
    """Return the empty lines after a block scalar that keeps them (``|+``)."""
    lines = []
    while found := _EMPTY.match(text, start):
        lines.append((Span(found.end(1), found.end(1)), Span(found.end(1), found.end())))
        start = found.end()
    return lines


def _line_break(text: str, line: Span, end: Span, below: Span, following: Span, *, folded: bool) -> list[Piece]:
    """Return the pieces for a line break; `below` is the next line, and `following` is the next line with text."""
    if not folded or line.end == line.start:
        return [Piece("\n", end)]
    if text[line.start] in " \t" or text[following.start] in " \t":
        return [Piece("\n", end)]
    return [] if below.end == below.start else [Piece(" ", end)]


def _block_lines(text: str, start: int, end: int) -> list[tuple[Span, Span]]:
    """Return each line between two offsets, without its line ending, and the span of the line ending."""
    lines = []
    while start < end:
        found = LINE_BREAK.search(text, start)
        if found is None or found.start() >= end:
            stop = min(end, len(text)) if found is None else found.start()
            close = Span(stop, stop) if found is None else Span(*found.span())
            lines.append((Span(start, stop), close))
            break
        lines.append((Span(start, found.start()), Span(*found.span())))
        start = found.end()
    return lines


def _indent(text: str, line: Span) -> int:
    return len(text[line.start : line.end]) - len(text[line.start : line.end].lstrip(" "))
