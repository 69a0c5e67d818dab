"""Recovery of entries from a `config.yaml` that is not valid YAML, so that rules can still check them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.flink.yaml.yaml_cursor import YamlError

_LINE = regex(r"[^\r\n]+")
_MAX_TEMPLATE = 200_000
_MAX_LINE = 2_000
_MAX_TAG = 4_000
_OPENING = regex(r"\{\{-?[ \t\r\n]*+/\*|\{\{|\{%|\{\#|<%|(?<![^ \t\r\n])\#")
_CLOSINGS = {"{{": "}}", "{%": "%}", "{#": "#}", "<%": "%>"}
_LINE_END = regex(r"[\r\n]|\Z")
_TOKEN = regex(r"@[A-Za-z_][\w.\-]*@")
_BLANKS = regex(r"[ \t]*")
_NO_BREAK = regex(r"[^\r\n]")
_QUOTING_CONTEXTS = ("while scanning a quoted", "while scanning a double", "while parsing a flow")
_LENIENT = regex(
    r"""([ \t]*)(?:- +)?(["']?)([A-Za-z_][\w.\-/]*)\2[ \t]*:(?:[ \t]+([^\s#][^\r\n]*?))?[ \t]*(?: \#[^\r\n]*)?$"""
)


def template_tags(text: str, *, is_rendered: bool = True) -> list[Span]:
    """Return the tags of Go templates, Jinja and ERB, in order: ``{{ }}``, ``{% %}``, ``{# #}``, ``<% %>``.

    A tag must close within 4,000 characters and, if `is_rendered` is false and it begins in a YAML comment, on its
    line.
    """
    found: list[Span] = []
    done = comment_end = 0
    nearest: dict[str, int] = {}

    def closing_from(closing: str, start: int) -> int:
        at = nearest.get(closing, -2)
        if at != -1 and at < start:
            at = nearest[closing] = text.find(closing, start)
        return at if at < start + _MAX_TAG else -1

    for match in _OPENING.finditer(text):
        if match.start() < done:
            continue
        opening = match[0]
        if opening == "#":
            if not is_rendered and match.start() >= comment_end:
                comment_end = _LINE_END.search(text, match.end()).start()  # type: ignore[union-attr]
            continue
        if opening.endswith("/*"):
            end = closing_from("*/", match.end())
            if match.start() < comment_end <= end:
                continue  # a search that starts so far ahead would miss the closings before it
            end = closing_from("}}", end) if end >= 0 else -1
        else:
            end = closing_from(_CLOSINGS[opening], match.end())
        if end >= 0 and not match.start() < comment_end < end + 2:
            done = end + 2
            found.append(Span(match.start(), done))
    return found


def alone_on_lines(text: str, tags: list[Span]) -> list[Span]:
    """Return the spans of whole lines that contain nothing but tags; a span may cover several lines."""
    found: list[Span] = []
    place = 0
    while place < len(tags):
        first, end = tags[place]
        place += 1
        while True:
            after = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
            if place == len(tags) or tags[place].start != after:
                break
            end = tags[place].end
            place += 1
        if after < len(text) and text[after] not in "\r\n":
            continue
        start = max(text.rfind("\n", 0, first), text.rfind("\r", 0, first)) + 1
        if not text[start:first].strip(" \t"):
            found.append(Span(start, after))
    return found


def blank_templates(text: str, *, is_rendered: bool = True) -> str | None:
    """Replace template tags with words of the same length; return None if the text has no tags or is too large.

    Lines that contain only tags become comments.
    """
    if len(text) > _MAX_TEMPLATE:
        return None
    tags = template_tags(text, is_rendered=is_rendered)
    words = [*tags, *(Span(*match.span()) for match in _TOKEN.finditer(text))]
    if not words:
        return None
    fills = [(span, "x") for span in words] + [(span, "#") for span in alone_on_lines(text, tags)]
    fills.sort(key=lambda fill: (fill[0].start, -fill[0].end, fill[1]))
    parts: list[str] = []
    done = 0
    for (start, end), fill in fills:
        if start >= done:
            parts += (text[done:start], _fill(text[start:end], fill))
            done = end
    parts.append(text[done:])
    return "".join(parts)


def _fill(tag: str, fill: str) -> str:
    """Return the replacement of a tag: a word on its first line and blanks on the following ones, or comments."""
    if fill == "#":
        return _NO_BREAK.sub(fill, tag)
    first, line_break, rest = tag.partition("\n")
    return _NO_BREAK.sub(fill, first) + line_break + _NO_BREAK.sub(" ", rest)


def culprit(text: str, error: YamlError) -> tuple[int, int]:
    """Return the start and end of the line that causes an error, such as the one with an unclosed quote or bracket."""
    at = error.at
    if (error.context_at is not None and (error.context or "").startswith(_QUOTING_CONTEXTS)) or (
        error.context == "while scanning a simple key" and error.context_at is not None
    ):
        at = error.context_at
    at = min(at, len(text))
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    while start > 0 and not text[start:end].strip():
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
    return start, end - 1 if text[start:end].endswith("\r") else end


def salvage(text: str, offsets: list[int] | None) -> list[Entry]:
    """Return the entries recognized line by line, only on lines that start at `offsets` unless it is None."""
    entries: list[Entry] = []
    path: list[tuple[int, str, Span]] = []
    for found in _LINE.finditer(text):
        line = found[0]
        start = found.start()
        match = _LENIENT.match(line) if len(line) < _MAX_LINE else None
        if not match or line.lstrip(" \t").startswith("#"):
            continue
        indent = len(match[1])
        while path and path[-1][0] >= indent:
            path.pop()
        key_span = Span(start + match.start(3), start + match.end(3))
        if match[4] is None:
            path.append((indent, match[3], key_span))
            continue
        if offsets is not None and start not in offsets:
            continue
        raw = match[4]
        quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\""
        value = raw[1:-1] if quoted else raw
        style = {"'": "single", '"': "double"}[raw[0]] if quoted else "plain"
        entries.append(
            Entry(
                ".".join((*(name for _, name, _ in path), match[3])), value, value, key_span,
                (start + match.start(4), start + match.end(4)), raw, style,
                parents=tuple(span for _, _, span in path), nested=bool(path),
            )
        )  # fmt: skip
    return entries
