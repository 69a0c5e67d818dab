"""The secrets of one file: where they are in the file, and the words to hide wherever else they appear."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flink_flint.linter.flink.secret_places import (
    MIN_DISTINCTIVE,
    OF_A_NAME,
    WELL_KNOWN,
    cannot_be_secret,
    is_class_name,
    is_harmless,
    merged,
    places,
    words_of,
)
from flink_flint.linter.flink.secrets import HIDDEN, looks, may_be_secret
from flink_flint.linter.model.safe_text import Kind, Text, cut, key_without_secrets
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_TOKEN = regex(r"[\w.+/=\-]+")
_YAML_SIGNS = "*&!"
"""Characters that YAML reads as the start of an alias, an anchor or a tag; its errors quote the rest."""
_FEW_WORDS = 50
"""Up to this many words, a text is searched for each; with more, a file is searched for whole tokens only."""


def settings_without_secrets(settings: Mapping[str, object]) -> dict[str, str]:
    """Return `settings` as strings with secrets hidden, even where another setting repeats one."""
    text = ""
    values: list[Value] = []
    for key, value in settings.items():
        start = len(text) + len(f"{key}: ")
        text += f"{key}: {value}\n"
        values.append((key, Span(start, len(text) - 1), str(value)))
    mask = Mask(text, values)
    return {
        key_without_secrets(key): HIDDEN if may_be_secret(key) else mask(str(value)) for key, value in settings.items()
    }


class Mask:
    """Hides the secrets of one file where they are defined and wherever they are repeated."""

    def __init__(self, text: str, values: Sequence[Value], keys: Iterable[str] = ()) -> None:
        found = places(text, values)
        words = {word for span in found for word in words_of(text[span.start : span.end])}
        pairs = [
            (text[span.start : span.end].strip("\"'"), value)
            for key, span, value in values
            if may_be_secret(key) and not is_class_name(value)
        ]
        self._values = {
            word
            for pair in pairs
            for value in pair
            for word in (value, value.lstrip(_YAML_SIGNS))
            if word and not cannot_be_secret(word)
        }
        words |= {word for word in self._values if not is_harmless(word)}
        # A help text may repeat a name in lower case.
        words |= {word.lower() for word in words if len(word) >= MIN_DISTINCTIVE}
        self._words = {word for word in words if not _is_known_key(word)}
        self._keys = frozenset(keys)
        self._in_texts: dict[bool, _Words] = {}
        self.spans = merged([*found, *self._repeated(text)])

    # -- texts

    def typed(self, text: str, *, about_a_secret: bool = False) -> Text:
        """Return `text` split into secrets, keys (shown even if they contain a secret word) and plain parts.

        With `about_a_secret`, for messages about a key with a secret value, even values that are too short to be
        recognized in other texts are secret.
        """
        words = self._in_texts.get(about_a_secret)
        if words is None:
            words = _Words(self._words | self._values if about_a_secret else self._words)
            self._in_texts[about_a_secret] = words
        secret = looks(text)
        keys: list[Span] = []
        for span in words.spans(text):
            token = _token_around(text, span.start, span.end)
            if self._is_public(text[token.start : token.end], text[span.start : span.end]):
                keys.append(token)
            else:
                secret.append(span)
        return cut(text, secret, keys)

    def _is_public(self, token: str, word: str) -> bool:
        """Return whether the token around a secret word is a key or the name of a class."""
        if token != word and token in self._keys:
            return True
        if word.isalpha() and is_class_name(token):
            return True
        return _is_known_key(token)

    def __call__(self, text: str) -> str:
        """Return `text` with the secrets hidden."""
        return self.typed(text).redacted

    def about_a_secret(self, text: str) -> str:
        """Return a message about a secret setting with secrets hidden, even those too short to hide in other texts."""
        return self.typed(text, about_a_secret=True).redacted

    def hides(self, text: str, span: Span) -> bool:
        """Return whether an edit that replaces `span` with `text` removes or inserts one of the secrets."""
        touches = any(secret.start < span.end and span.start < secret.end for secret in self.spans)
        return touches or any(part.kind is Kind.SECRET for part in self.typed(text).segments)

    # -- places

    def _repeated(self, text: str) -> Iterator[Span]:
        """Yield the places of the secret words in the file itself."""
        if not self._words:
            return
        if len(self._words) <= _FEW_WORDS:
            yield from (Span(*match.span()) for match in _pattern(self._words).finditer(text))
            return
        yield from (Span(*match.span()) for match in _TOKEN.finditer(text) if match[0] in self._words)

    def line(self, text: str, line: Span, mark: Span) -> tuple[str, int, int]:
        """Return `line` of `text` with secrets hidden, and the start and end (from 0) of `mark` in the result."""
        parts: list[str] = []
        done, start, end = line.start, mark.start, mark.end
        shift_start = shift_end = 0
        for span in self.spans[bisect_left(self.spans, line.start, key=_end) :]:
            low, high = max(span.start, line.start), min(span.end, line.end)
            if span.start >= line.end:
                break
            if low >= high:
                continue
            parts += (text[done:low], HIDDEN)
            done = high
            shift_start += _shift(start, low, high)
            shift_end += _shift(end, low, high)
        parts.append(text[done : line.end])
        shown = "".join(parts)
        return shown, start - line.start + shift_start, end - line.start + shift_end


class _Words:
    """Finds words in texts with the results of `_pattern`; with many words it looks up each offset in tables."""

    def __init__(self, words: set[str]) -> None:
        self._words = words
        self._short = sorted({len(word) for word in words if len(word) < MIN_DISTINCTIVE}, reverse=True)
        lengths: dict[str, set[int]] = {}
        for word in words:
            if len(word) >= MIN_DISTINCTIVE:
                lengths.setdefault(word[:MIN_DISTINCTIVE], set()).add(len(word))
        self._long = {beginning: sorted(found, reverse=True) for beginning, found in lengths.items()}

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the places of words from left to right; if several match at one place, the longest."""
        if len(self._words) > _FEW_WORDS:
            start = 0
            while start < len(text):
                if (length := self._length_at(text, start)) is not None:
                    yield Span(start, start + length)
                start += length or 1
        elif found := [word for word in self._words if word in text]:
            yield from (Span(*match.span()) for match in _pattern(found).finditer(text))

    def _length_at(self, text: str, start: int) -> int | None:
        """Return the length of the longest word at an offset; None if there is none."""
        room = len(text) - start
        for length in self._long.get(text[start : start + MIN_DISTINCTIVE], ()):
            if length <= room and text[start : start + length] in self._words:
                return length
        if _is_of_a_word(text[start - 1 : start]):
            return None
        for length in self._short:
            end = start + length
            word = text[start:end]
            is_word = length <= room and word in self._words and not _is_of_a_word(text[end : end + 1])
            if is_word and (word not in WELL_KNOWN or _is_alone(text, start, end)):
                return length
        return None


def _is_of_a_word(character: str) -> bool:
    """Return whether `\\w` matches a character."""
    return character.isalnum() or character == "_"


def _is_alone(text: str, start: int, end: int) -> bool:
    """Return whether a part of `text` is not within a longer name or path."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before.endswith((".", "/")) or (before.endswith("-") and _is_of_a_word(before[:-1])):
        return False
    return not (after.startswith(("-", "/")) or (after.startswith(".") and _is_of_a_word(after[1:])))


def _end(span: Span) -> int:
    return span.end


def _shift(offset: int, low: int, high: int) -> int:
    """Return by how much an offset moves when the characters from `low` to `high` become `HIDDEN`."""
    return len(HIDDEN) - (high - low) if offset >= high else min(0, low - offset)


def _token_around(text: str, start: int, end: int) -> Span:
    """Return the run of letters, digits, dots and dashes around a part of `text`."""
    before, after = text[max(0, start - 200) : start], text[end : end + 200]
    first = start - len(before) + len(before.rstrip(OF_A_NAME))
    behind = after[: len(after) - len(after.lstrip(OF_A_NAME))].rstrip(".-")
    return Span(first, end + len(behind))


def _is_known_key(token: str) -> bool:
    if "." not in token:
        return False
    from flink_flint.linter.flink.options import catalogue

    return bool(catalogue().current_names(token))


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds the words, longer ones first; short ones only as words of their own."""
    return regex("|".join(_searched(word) for word in sorted(words, key=lambda word: (-len(word), word))))


def _searched(word: str) -> str:
    """Return the pattern that finds a word."""
    if word in WELL_KNOWN:
        return rf"(?<![\w./])(?<!\w-){re.escape(word)}(?![\w/-]|\.\w)"
    return re.escape(word) if len(word) >= MIN_DISTINCTIVE else rf"(?<!\w){re.escape(word)}(?!\w)"


Value = tuple[str, Span, str]
"""A setting as a tuple: its key, the span of its value, and the value as parsed."""
