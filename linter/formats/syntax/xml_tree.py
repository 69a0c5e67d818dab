"""XML trees with the position of each attribute and text; entity declarations are not evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.model.limits import leave_out
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_ATTRIBUTE = regex(r"""\s+([^\s=/>"']+)\s*=\s*("[^"]*"|'[^']*')""")
_NAME = regex(r"<[^\s/>]+")
_TAGS = regex(r"<%(?:[^<%]|%(?!>)|<(?!%))*%>|\{%(?:[^{%]|%(?!\})|\{(?!%))*%\}")
_BEYOND = regex(r"[^\x00-\x7f]")
_REFERENCE = regex(r"&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_MAX_ELEMENTS = 20_000
_MAX_DEPTH = 100


class Tag:
    """An XML element: its name as written, its attributes with positions (including quotes), and its contents."""

    __slots__ = ("attributes", "children", "content", "name", "span")

    def __init__(self, name: str, span: Span, attributes: dict[str, Attribute]) -> None:
        self.name = name
        self.span = span
        """The span of the name in the start tag."""
        self.attributes = attributes
        self.children: list[Tag] = []
        self.content: Attribute | None = None
        """The text of an element that contains only text, without leading and trailing whitespace."""

    def text(self, name: str) -> str | None:
        """Return the value of the attribute whose lowercase name is `name`; None if it is missing or unknown."""
        found = self.attribute(name)
        return found.value if found is not None and isinstance(found.value, str) else None

    def attribute(self, name: str) -> Attribute | None:
        """Return the attribute whose lowercase name is `name`; None if there is none."""
        for other, attribute in self.attributes.items():
            if other.lower() == name:
                return attribute
        return None

    def walk(self) -> Iterator[Tag]:
        """Yield all descendants of the element, in file order."""
        stack = [*reversed(self.children)]
        while stack:
            tag = stack.pop()
            yield tag
            stack += reversed(tag.children)


def read_xml(text: str) -> Tag | None:
    """Parse XML up to the first syntax error; return the root element, or None if nothing can be parsed."""
    if len(text) > MAX_CHARACTERS:
        leave_out(f"XML of more than {MAX_CHARACTERS:,} characters is not read")
        return None
    if "<!ENTITY" in text:
        leave_out("XML that declares entities is not read")
        return None
    from xml.parsers.expat import ExpatError, ParserCreate

    # One byte per character, so that expat's offsets are offsets in the text.
    plain = _BEYOND.sub("?", _TAGS.sub(lambda tag: re.sub(r"[^\r\n]", "_", tag[0]), text))
    parser = ParserCreate("us-ascii")
    builder = _Builder(text, plain)
    parser.StartElementHandler = lambda name, _: builder.start(name, parser.CurrentByteIndex)
    parser.EndElementHandler = lambda _: builder.end(parser.CurrentByteIndex)
    with suppress(ExpatError, _TooMuchError):
        parser.Parse(plain.encode("ascii"), True)
    return builder.root


class _TooMuchError(Exception):
    """Raised if there are more elements than in any real logging configuration."""


class _Builder:
    def __init__(self, text: str, plain: str) -> None:
        self.root: Tag | None = None
        self._text, self._plain = text, plain
        self._open: list[tuple[Tag, int]] = []
        self._count = 0

    def start(self, name: str, at: int) -> None:
        """Add the element of a start tag at an offset."""
        self._count += 1
        if self._count > _MAX_ELEMENTS or len(self._open) >= _MAX_DEPTH:
            leave_out(f"the first {_MAX_ELEMENTS:,} elements of at most {_MAX_DEPTH} levels are read")
            raise _TooMuchError
        found = _NAME.match(self._plain, at)
        end = found.end() if found else at + 1 + len(name)
        tag = Tag(name, Span(at + 1, end), {})
        while (match := _ATTRIBUTE.match(self._plain, end)) is not None:
            raw = self._text[match.start(2) : match.end(2)]
            tag.attributes[match[1]] = Attribute(_unescape(raw[1:-1]), Span(*match.span(2)), Span(*match.span(1)), raw)
            end = match.end()
        if self._open:
            self._open[-1][0].children.append(tag)
        elif self.root is None:
            self.root = tag
        self._open.append((tag, self._plain.find(">", end) + 1 or len(self._text)))

    def end(self, at: int) -> None:
        """Close the element of an end tag at an offset."""
        tag, start = self._open.pop()
        raw = self._text[start:at] if at > start else ""
        if raw.strip() and not tag.children and "<" not in raw:
            start += len(raw) - len(raw.lstrip())
            raw = raw.strip()
            tag.content = Attribute(_unescape(raw), Span(start, start + len(raw)), tag.span, raw)


def _unescape(text: str) -> str:
    return text if "&" not in text else _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if match[3]:
        return _NAMED[match[3]]
    code = int(match[1]) if match[1] else int(match[2], 16)
    return chr(code) if code < 0x110000 else "\ufffd"
