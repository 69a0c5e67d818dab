"""Which keys hold secrets, and keeping their values out of everything flint prints."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache

from linter.text import Span

HIDDEN = "******"
"""What stands in place of a secret value; Flink prints the same."""

_FLINK_HIDES = (
    "password", "secret", "fs.azure.account.key", "apikey", "api-key", "auth-params", "service-key",
    "token", "basic-auth", "jaas.config", "http-headers",
)  # fmt: skip
"""Parts of keys that `GlobalConfiguration.isSensitive` looks for (1.9 to 2.3, all of them)."""

_ALSO_SECRET = ("access-key", "access.key", "accesskey", "private-key", "passphrase")

_WORDS = (*_FLINK_HIDES, *_ALSO_SECRET)
_WORD = "|".join(re.escape(word) for word in _WORDS)
_BELOW = r"(?:[|>][-+0-9]{0,2}[ \t]*+)?\r?\n[ \t]++(?:-[ \t]++)?"
"""From the colon to a value that stands on the next line: a block of text, a list item, an indented word."""
_NAMES = r"(?-i:secret(?:KeyRef|Ref|Name))[\"']?[ \t]*:"
"""A field of Kubernetes that names a Secret, which is none itself. Flink's own keys with such an ending hold more."""
_ASSIGNMENT = (
    rf"(?i)(?!(?<![\w.-]){_NAMES})(?:{_WORD})[\w.-]{{0,200}}[\"']?[ \t]*(?:\r?\n[ \t]*)?[:=]"
    rf"(?:[ \t]*+{_BELOW}|[ \t]*+)(?!\{{?[ \t]*[\"']?{_NAMES})(?P<value>[^\s][^\r\n]*)"
)
_CREDENTIAL = (
    r"://[^\s/:@'\"]{1,200}:(?P<userinfo>[^\s/@'\"]{3,200})@"
    r"|(?i:password|passwd|pwd|accountkey|secret[_-]?key|access[_-]?token)[ \t]{0,9}=[ \t]{0,9}"
    r"(?P<named>\"[^\"\r\n]{1,500}\"|'[^'\r\n]{1,500}'|[^\s;&,\"']{3,500})"
    r"|(?P<key>\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,255}|\bxox[abpr]-[A-Za-z0-9-]{10,200}"
    r"|\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{1,2000}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)"
)
_CREDENTIAL_MARKS = (
    *("@", "password", "passwd", "pwd", "accountkey", "secret", "token", "akia", "asia", "eyj", "private key"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xoxa-", "xoxb-", "xoxp-", "xoxr-"),
)
"""One of them is in every text that `_CREDENTIAL` matches (in lower case)."""
_TELLING = 8
"""Characters from which a part of a value is told apart from words that stand there by chance."""
_HARMLESS = r"(?i)true|false|\d{1,4}|.{0,2}|\*+"


@lru_cache(maxsize=50_000)
def is_secret(key: str) -> bool:
    """Whether the value of a key is to be hidden: what Flink hides in any release, and access keys."""
    lowered = key.lower()
    return any(word in lowered for word in _WORDS)


def is_secret_field(name: str) -> bool:
    """Whether the value of a field of a resource, a container or a call is to be hidden: not what names a Secret."""
    return is_secret(name) and re.search(r"secret(?:(?:Key)?Ref\.\w+|Name)$", name) is None


def credential(value: str) -> Span | None:
    """The first place in a value of what looks like a credential, whatever the key; None if there is none.

    The password of a URL, `password=` and its like in a connection string or a JVM option, an AWS access key,
    tokens of GitHub and Slack, a JSON web token, a private key.
    """
    return next(iter(_credentials(value)), None)


def _credentials(text: str) -> list[Span]:
    """The places of all that looks like a credential; the pattern is only compiled where one of its marks is."""
    lowered = text.lower()
    if not any(mark in lowered for mark in _CREDENTIAL_MARKS):
        return []
    return [Span(*match.span(match.lastgroup or 0)) for match in re.finditer(_CREDENTIAL, text)]


def secret_spans(text: str, values: Iterable[tuple[str, Span, str]]) -> list[Span]:
    """The places of secrets in a text, sorted and merged.

    `values` are its keys with the spans of their values (and these as read); assignments that no parser sees (comments,
    lines Flink drops, `-Dpassword=` inside an option) and credentials under any key are found by their look.
    """
    return _merged(_places(text, values))


LINES_OF_AN_ASSIGNMENT = 4
"""No assignment is spread over more lines."""


def secret_words(text: str) -> frozenset[str]:
    """What is to be hidden wherever it turns up, of what looks like a secret in a part of a text."""
    return frozenset(word for span in _places(text, ()) for word in _words(text[span.start : span.end]))


def _places(text: str, values: Iterable[tuple[str, Span, str]]) -> list[Span]:
    """The places of secrets, one by one: an assignment may run over a credential behind it on its line."""
    spans = _credentials(text)
    if is_secret(text):
        spans += [span for key, span, _ in values if is_secret(key) and span.end > span.start]
        spans += [Span(*match.span("value")) for match in re.finditer(_ASSIGNMENT, text)]
    return spans


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that touch made one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


class Mask:
    """Hides the secrets of one text wherever they turn up: where they stand, and repeated in other places."""

    def __init__(self, text: str, values: Sequence[tuple[str, Span, str]]) -> None:
        places = _places(text, values)
        self.spans = _merged(places)
        self._take(text, values, {word for span in places for word in _words(text[span.start : span.end])})
        if self._pattern is not None:
            repeated = (Span(*match.span()) for match in self._pattern.finditer(text))
            self.spans = _merged([*self.spans, *repeated])

    @classmethod
    def of_words(cls, text: str, values: Sequence[tuple[str, Span, str]], words: Iterable[str]) -> Mask:
        """What hides in messages what the parts of a text hide (`secret_words`), and the values of its secret keys.

        Of places it knows nothing.
        """
        mask = cls.__new__(cls)
        mask.spans = []
        written = (text[span.start : span.end] for key, span, _ in values if is_secret(key))
        mask._take(text, values, {*words, *(word for value in written for word in _words(value))})
        return mask

    def _take(self, text: str, values: Sequence[tuple[str, Span, str]], words: set[str]) -> None:
        held = [(text[span.start : span.end].strip("\"'"), value) for key, span, value in values if is_secret(key)]
        self._held = {word for pair in held for word in pair if word and word.lower() not in ("true", "false")}
        words |= {word for word in self._held if not re.fullmatch(_HARMLESS, word)}
        self._pattern = _pattern(words) if words else None

    def __call__(self, text: str) -> str:
        """A message without the secrets."""
        return self._pattern.sub(HIDDEN, text) if self._pattern is not None else text

    def about_a_secret(self, text: str) -> str:
        """A message about a key that holds a secret: without even the values that are too short to tell apart."""
        return self(_pattern(self._held).sub(HIDDEN, text) if self._held else text)

    def hides(self, text: str, span: Span) -> bool:
        """Whether a text holds one of the secrets, or is to stand where one is."""
        touches = any(secret.start < span.end and span.start < secret.end for secret in self.spans)
        return touches or (self._pattern is not None and self._pattern.search(text) is not None)

    def line(self, text: str, line: Span, mark: Span) -> tuple[str, int, int]:
        """A line with its secrets hidden, and where the marked part of it now starts and ends (from 0)."""
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


def _end(span: Span) -> int:
    return span.end


def _shift(offset: int, low: int, high: int) -> int:
    """By how much an offset moves when the characters from `low` to `high` become `HIDDEN`."""
    if offset <= low:
        return 0
    if offset >= high:
        return len(HIDDEN) - (high - low)
    return low - offset


def _pattern(words: set[str]) -> re.Pattern[str]:
    """What finds the words, longer ones first; a short one only where it is a word of its own."""
    return re.compile(
        "|".join(
            re.escape(word) if len(word) >= _TELLING else rf"(?<!\w){re.escape(word)}(?!\w)"
            for word in sorted(words, key=lambda word: (-len(word), word))
        )
    )


def _words(value: str) -> Iterable[str]:
    """The strings to look for when a value is to be hidden: unquoted, and its parts that tell something."""
    before, _, after = value.partition("#")
    first = value.split(maxsplit=1)[0] if value.strip() else ""
    member = re.match(r"[\s\"'\[({]*([^\s\"',;{}()\[\]]*)", value)  # of a list or mapping that goes on behind it
    for word in {value, before, after, first, member[1] if member else ""}:
        bare = word.strip().strip("\"'")
        if (word == value or len(bare) >= _TELLING) and not re.fullmatch(_HARMLESS, bare):
            yield bare
