"""Safe output: text in typed parts, without secrets and without unsafe characters.

A finding's texts are kept as typed parts (`Text`); as a string, they have `HIDDEN` in place of secrets. Other output
(file names, values, log lines) goes through `neutral`, at the latest when it is written to standard output or error
(`NeutralStream`).

Unsafe characters are those that affect how other text is displayed, or are invisible. They are written as `\\uXXXX`, as
JSON, Java and Python spell them: control characters (an ESC recolors a terminal or changes its title), bidirectional
controls (a line is displayed in another order), characters without width, line separators, and the lone surrogates that
represent bytes that are not UTF-8. All formats use the same spelling: a reader sees it, and in JSON it means that
very character, so paths and edits stay exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import TextIO, TypeVar, cast

from flink_flint.linter.flink.secret_places import merged, name_without_secrets, places
from flink_flint.linter.flink.secrets import HIDDEN, looks
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_ACTING = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    r"\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
"""Every unsafe character except tab and line feed, which are part of the layout."""
_ACTS = regex(f"[{_ACTING}]")
_ACTS_IN_A_LINE = regex(rf"[\t\n{_ACTING}]")
_SOUND_KEY = regex(r"[\w.\-*<>/]*")
_PAINT = regex(r"(\x1b\[(?:0|1|2|(?:1;)?38;5;\d{1,3})m)")
"""The color codes of `linter.output.terminal_style`."""
CLEAR_SCREEN = "\x1b[2J\x1b[3J\x1b[H"
"""The escape sequence that clears a terminal and its scrollback; output escapes it unless it is the whole text."""


class Kind(Enum):
    """The kind of a text segment: plain, key or secret."""

    PLAIN = "plain"
    KEY = "key"
    """The key of a setting or the name of a class, which is shown even if it looks like a secret."""
    SECRET = "secret"


class Segment(NamedTuple):
    """A part of a `Text`, with its kind."""

    kind: Kind
    text: str


class Text:
    """A text in typed parts; converting it to a string hides its secrets and escapes its unsafe characters."""

    __slots__ = ("segments",)

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = tuple(segments)

    def __str__(self) -> str:
        return "".join(HIDDEN if part.kind is Kind.SECRET else neutral(part.text) for part in self.segments)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self.segments == other.segments

    def __hash__(self) -> int:
        return hash(self.segments)

    @property
    def with_secrets(self) -> str:
        """The original text including secrets, for splitting it into parts again; never show it."""
        return "".join(part.text for part in self.segments)

    @property
    def redacted(self) -> str:
        """The text with secrets hidden but unsafe characters kept; for comparisons, not for output."""
        return "".join(HIDDEN if part.kind is Kind.SECRET else part.text for part in self.segments)


Typing = Callable[[str], Text]
"""A function that splits a text into secrets, keys and plain parts."""


def typed_by_appearance(text: str) -> Text:
    """Return `text` with the parts that look like secrets marked as such, for texts that do not belong to a file."""
    return cut(text, looks(text))


def cut(text: str, secrets: Iterable[Span], keys: Iterable[Span] = ()) -> Text:
    """Return `text` split at the spans into secrets, keys and plain parts; keys that overlap secrets are ignored."""
    hidden = merged(secrets)
    cuts = [(span, Kind.SECRET) for span in hidden]
    cuts += [(key, Kind.KEY) for key in keys if not _overlaps(key, hidden)]
    parts: list[Segment] = []
    done = 0
    for span, kind in sorted(cuts, key=lambda cut: cut[0]):
        if span.start < done:
            continue
        if span.start > done:
            parts.append(Segment(Kind.PLAIN, text[done : span.start]))
        parts.append(Segment(kind, text[span.start : span.end]))
        done = span.end
    if done < len(text):
        parts.append(Segment(Kind.PLAIN, text[done:]))
    return Text(parts)


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    """Return whether a span overlaps any of several sorted, disjoint spans."""
    last = bisect_left(others, span.end, key=lambda one: one.start) - 1
    return last >= 0 and others[last].end > span.start


def overlaid(text: str, typed: Iterable[Text]) -> Text:
    """Return `text` segmented as in all of `typed` combined: a part that is secret in any of them is secret."""
    secrets: list[Span] = []
    keys: list[Span] = []
    for one in typed:
        start = 0
        for part in one.segments:
            span = Span(start, start := start + len(part.text))
            if part.kind is not Kind.PLAIN:
                (secrets if part.kind is Kind.SECRET else keys).append(span)
    return cut(text, secrets, keys)


def typed_values(value: object, typing: Typing) -> object:
    """Return a JSON value with each string replaced by the `Text` that `typing` returns for it."""
    if isinstance(value, Text):
        return typing(value.with_secrets)
    if isinstance(value, str):
        return typing(value)
    return _mapped(value, lambda one: typed_values(one, typing))


def encoded_values(value: object) -> object:
    """Return a JSON value with each string and `Text` escaped for output, and the secrets of each `Text` hidden."""
    if isinstance(value, Text):
        return str(value)
    if isinstance(value, str):
        return neutral(value)
    return _mapped(value, encoded_values)


def _mapped(value: object, change: Callable[[object], object]) -> object:
    if isinstance(value, Mapping):
        return {name: change(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [change(one) for one in value]
    return value


@lru_cache(maxsize=10_000)
def key_without_secrets(key: str) -> str:
    """Return a key with secrets hidden, since the parser may read a whole line, with its value, as a key."""
    spans = looks(key) if key.isidentifier() or _SOUND_KEY.fullmatch(key) else places(key, ())
    return cut(key, spans).redacted if spans else key


T = TypeVar("T")


def names_without_secrets(value: T) -> T:
    """Return a JSON value with secrets hidden in its strings, for external names such as those of jobs."""
    return cast(T, _without_secrets(value))


def _without_secrets(value: object) -> object:
    if isinstance(value, str):
        return name_without_secrets(value)
    if isinstance(value, Mapping):
        return {_without_secrets(name): _without_secrets(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        made = [_without_secrets(one) for one in value]
        kind: Callable[..., object] = type(value)
        return kind(*made) if hasattr(value, "_fields") else kind(made)
    return value


def neutral(text: str) -> str:
    """Return `text` with unsafe (control and invisible) characters escaped, except tabs and line feeds."""
    if _is_plain(text.replace("\n", "")):
        return text
    return _ACTS.sub(lambda match: _spelled(match[0]), text.replace("\r\n", "\n"))


def neutral_painted(text: str) -> str:
    """Return `text` with unsafe characters escaped as by `neutral`, except flint's own color codes."""
    if "\x1b" not in text:
        return neutral(text)
    parts = _PAINT.split(text)  # every second one is a color
    return "".join(part if number % 2 else neutral(part) for number, part in enumerate(parts))


def neutral_line(text: str) -> str:
    """Return `text` with unsafe characters, tabs and line ends escaped, for names that must stay on one line."""
    return text if _is_plain(text) else _ACTS_IN_A_LINE.sub(lambda match: _spelled(match[0]), text)


def neutral_columns(text: str) -> str:
    """Return a line with each unsafe character replaced by U+FFFD, so that columns do not shift."""
    return text if _is_plain(text) else _ACTS.sub("\N{REPLACEMENT CHARACTER}", text)


def is_neutral(text: str) -> bool:
    """Return whether `text` contains no unsafe characters; a carriage return before a line feed is safe."""
    return _is_plain(text) or _ACTS.search(text.replace("\r\n", "\n")) is None


def _is_plain(text: str) -> bool:
    """Return whether `text` certainly needs no encoding; Python calls letters without width printable, too."""
    return text.isascii() and text.isprintable()


def _spelled(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


class NeutralStream:
    """A text stream (standard output or error) that escapes unsafe characters, except flint's own color codes."""

    def __init__(self, stream: TextIO, *, color: bool) -> None:
        self._stream = stream
        self._color = color

    def write(self, text: str) -> int:
        """Write `text` with unsafe characters escaped, and return the number of characters written."""
        if text != CLEAR_SCREEN:
            text = neutral_painted(text) if self._color else neutral(text)
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts, with unsafe characters escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
