"""The entries of a HOCON file (Lightbend Config, ``application.conf``) with their positions.

Objects, dotted and quoted keys, comments, unquoted and quoted values, and arrays of them are read; a substitution is
resolved if the same file sets it to a plain value. Values that come from an ``include``, the environment, or a
concatenation with anything unknown are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.formats.syntax.leaves import Leaf
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_SPACE = regex(r"(?:[\s,\ufeff]|#[^\r\n]*|//[^\r\n]*)*")
_GAP = regex(r"[ \t]*")
_KEY = regex(r'[ \t]*("(?:[^"\\\r\n]|\\.)*"|[^\s"$.{}\[\]:=,+#`^?!@*&\\/]+)')
_OPERATOR = regex(r"[ \t]*(\+=|=|:)(?:[ \t]*(?:\r\n|\r|\n)?)*[ \t]*|\s*(?=\{)")
INCLUDE = regex(r"include\b[ \t]+[^\r\n]*")
_QUOTED = regex(r'"""(?:[^"]|"{1,2}(?!"))*"{3,}|"(?:[^"\\\r\n]|\\.)*"', re.DOTALL)
_SUBSTITUTION = regex(r"\$\{\??[ \t]*([^}\r\n]{0,300}?)[ \t]*\}")
_WORD = regex(r"(?:[^\s\"${}\[\]:=,+#`^?!@*&\\/]|/(?!/)|:(?=\S)|[+*?@&!^](?=\S))+")
_ESCAPE = regex(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SKIPPED = regex(r"[^\s,}]")
_MAX_VALUES = 20_000
_MAX_DEPTH = 60


class _Frame(NamedTuple):
    """An object that is not closed yet: the path of its keys."""

    path: tuple[str, ...]
    spans: tuple[Span, ...]


class _Part(NamedTuple):
    """A part of a concatenated value: text, or the path of a substitution."""

    text: str
    reference: str = ""


def read_hocon(text: str) -> list[Leaf]:
    """Return the values in file order; a substitution is resolved if the file sets its path to a plain value."""
    found = list(_Scanner(text).leaves())
    plain: dict[str, str | None] = {}
    for leaf, parts in found:
        # A later substitution, mostly of an optional variable, leaves open what the value is.
        known = all(not part.reference for part in parts)
        plain[".".join(leaf.path)] = "".join(part.text for part in parts) if known else None
    leaves = []
    for leaf, parts in found:
        texts = [plain.get(part.reference) if part.reference else part.text for part in parts]
        value = None if None in texts else "".join(map(str, texts))
        leaves.append(leaf._replace(value=value))
    return leaves


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()

    def leaves(self) -> Iterator[tuple[Leaf, list[_Part]]]:
        """Yield each value with its parts; an unknown value has a part with an unresolvable reference."""
        text, count = self._text, 0
        stack = [_Frame((), ())]
        while count < _MAX_VALUES:
            self._skip(_SPACE)
            if self._at >= len(text):
                return
            char = text[self._at]
            if char == "}":
                stack = stack[:-1] or [_Frame((), ())]
                self._at += 1
                continue
            if char == "{" and len(stack) == 1:
                stack.append(stack[0])
                self._at += 1
                continue
            if (include := INCLUDE.match(text, self._at)) is not None:
                self._at = include.end()
                continue
            path, spans = self._key()
            operator = _OPERATOR.match(text, self._at) if path else None
            if operator is None:
                self._at += 1
                self._skip_token()
                continue
            self._at = operator.end()
            frame = _Frame((*stack[-1].path, *path), (*stack[-1].spans, *spans))
            if text[self._at : self._at + 1] == "{":
                if len(stack) > _MAX_DEPTH:
                    return
                stack.append(frame)
                self._at += 1
                continue
            count += 1
            start = self._at
            parts, style = self._value()
            if parts:
                raw = text[start : self._at]
                appended = [_Part("", "+=")] if operator[1] == "+=" else []
                yield Leaf(frame.path, frame.spans, None, Span(start, self._at), raw, style), [*appended, *parts]

    def _skip_token(self) -> None:
        while self._at < len(self._text) and _SKIPPED.match(self._text, self._at):
            self._at += 1

    def _key(self) -> tuple[tuple[str, ...], tuple[Span, ...]]:
        """Parse a dotted key, whose quoted segments may contain dots; return its segments and their spans."""
        names, spans = [], []
        while (found := _KEY.match(self._text, self._at)) is not None:
            raw = found[1]
            names.append(_unquote(raw) if raw[0] == '"' else raw)
            spans.append(Span(*found.span(1)))
            self._at = found.end()
            if self._text[self._at : self._at + 1] != ".":
                break
            self._at += 1
        return tuple(names), tuple(spans)

    def _value(self) -> tuple[list[_Part], str]:
        """Parse the value at the current position, a concatenation of all parts on the line."""
        text = self._text
        if text[self._at : self._at + 1] == "[":
            return self._array()
        parts: list[_Part] = []
        styles = []
        while self._at < len(text):
            gap = _GAP.match(text, self._at)
            after = gap.end() if gap else self._at
            blank = _Part(text[self._at : after]) if parts and after > self._at else None
            if (quoted := _QUOTED.match(text, after)) is not None:
                part, end = _Part(_unquote(quoted[0])), quoted.end()
                styles.append("literal" if quoted[0].startswith('"""') else "double")
            elif (filled := _SUBSTITUTION.match(text, after)) is not None:
                part, end = _Part("", filled[1].replace('"', "") or "?"), filled.end()
                styles.append("flow")
            elif text[after : after + 2] != "//" and (word := _WORD.match(text, after)) is not None:
                part, end = _Part(word[0]), word.end()
                styles.append("plain")
            elif text[after : after + 1] in ("{", "["):
                return [*parts, _Part("", "?")], "flow"  # an object or list is concatenated with it
            else:
                break
            parts += [blank, part] if blank else [part]
            self._at = end
        style = styles[0] if len(set(styles)) == 1 and (len(styles) == 1 or styles[0] == "plain") else "flow"
        return parts, style

    def _array(self) -> tuple[list[_Part], str]:
        """Parse a list; return its members joined with ``;``, or an unknown value if a member is not a plain value."""
        parts: list[_Part] = []
        text, depth, known = self._text, 0, True
        while self._at < len(text):
            self._skip(_SPACE)
            char = text[self._at : self._at + 1]
            if char in ("[", "{"):
                depth += 1
                known = known and depth == 1
                self._at += 1
            elif char in ("]", "}"):
                depth -= 1
                self._at += 1
                if depth == 0:
                    break
            elif char:
                before = self._at
                members, _ = self._value() if depth == 1 and char not in ("[", "{") else ([], "")
                if members:
                    parts += [_Part(";"), *members] if parts else members
                if self._at == before:
                    quoted = _QUOTED.match(text, self._at)
                    self._at = quoted.end() if quoted else self._at + 1
                    known = False
        return (parts or [_Part("")]) if known else [_Part("", "?")], "flow"


def _unquote(raw: str) -> str:
    if raw.startswith('"""'):
        return raw[3:-3]
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED.get(m[2], m[2]), raw[1:-1])
