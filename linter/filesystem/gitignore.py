"""Matches paths against `.gitignore` patterns as git does, in time linear in the lengths of pattern and path.

A `*` becomes an atomic group that matches up to the first place where what follows it fits. This loses no matches:
between two stars the length is fixed, and after a `**/` the number of folders is, so the first place leaves the most
for the rest. Without the atomic groups a pattern with 14 stars tries billions of combinations.

git matches bytes, not characters; so does this module.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from flink_flint.linter.text.named_tuple import NamedTuple

LARGEST_FILE = 1 << 20
"""The maximum number of bytes read from a file of gitignore patterns."""
MAX_PATTERNS = 5_000
"""The maximum number of gitignore patterns in a list; later patterns have no effect."""
LONGEST_PATTERN = 4_096
"""The maximum length of a gitignore pattern, in bytes; common systems do not allow longer paths."""
MAX_COMPILED = 128 * 1024
"""The maximum total length, in bytes, of the distinct patterns compiled in one run; further patterns match nothing.

Python compiles a byte in up to 20 µs. A pattern is only compiled once a path begins with its literal prefix, which is
rare.
"""

_SPECIAL = re.compile(rb"[*?[\\]")
_NEVER = b"(?!)"
_CLASSES = {
    b"alnum": rb"[0-9A-Za-z]", b"alpha": rb"[A-Za-z]", b"blank": rb"[ \t]", b"cntrl": rb"[\x00-\x1f\x7f]",
    b"digit": rb"[0-9]", b"graph": rb"[!-~]", b"lower": rb"[a-z]", b"print": rb"[ -~]",
    b"punct": rb"[!-/:-@\[-`{-~]", b"space": rb"[ \t\n\r]", b"upper": rb"[A-Z]", b"xdigit": rb"[0-9A-Fa-f]",
}  # fmt: skip


class _Pattern(NamedTuple):
    ignores: bool
    """False for one that begins with `!`."""
    folders_only: bool
    names_only: bool
    """Whether it is matched against the name alone, at any depth."""
    words: bytes
    """The literal text: all of the text to match or, with `suffix`, its end; the beginning for a `wild` pattern."""
    suffix: bool
    wild: bytes
    """The pattern, if it has wildcards; otherwise empty."""

    def matches(self, path: bytes, name: bytes, expressions: Expressions) -> bool:
        text = name if self.names_only else path
        if self.wild:
            if not text.startswith(self.words):
                return False
            expression = expressions.of(self.wild)
            return expression is not None and expression.match(text) is not None
        return text.endswith(self.words) if self.suffix else text == self.words


class Expressions:
    """The compiled patterns of one run, created on demand up to a total of `MAX_COMPILED` bytes."""

    def __init__(self) -> None:
        self._made: dict[bytes, re.Pattern[bytes] | None] = {}
        self._left = MAX_COMPILED

    def of(self, pattern: bytes) -> re.Pattern[bytes] | None:
        """Return a pattern compiled to a regular expression; None if that would exceed `MAX_COMPILED`."""
        if pattern not in self._made:
            self._left -= len(pattern)
            self._made[pattern] = re.compile(_translate(pattern), re.DOTALL) if self._left >= 0 else None
        return self._made[pattern]


class Patterns(NamedTuple):
    """The patterns of one file or list; the last pattern that matches a path decides."""

    patterns: tuple[_Pattern, ...]
    expressions: Expressions

    def verdict(self, path: bytes, *, is_folder: bool) -> bool | None:
        """Return whether a path itself is ignored, without regard to its parents; None if no pattern matches.

        The path is relative to the folder of the patterns, with slashes.
        """
        name = path.rpartition(b"/")[2]
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.folders_only) and pattern.matches(path, name, self.expressions):
                return pattern.ignores
        return None

    def match(self, path: str, *, is_folder: bool = False) -> bool:
        """Return whether a path or one of its parents is ignored; `!` has no effect in an ignored folder."""
        raw = os.fsencode(path.replace(os.sep, "/"))
        place = raw.find(b"/", 1)
        while place >= 0:
            if self.verdict(raw[:place], is_folder=True):
                return True
            place = raw.find(b"/", place + 1)
        return bool(self.verdict(raw, is_folder=is_folder))


def read_patterns(content: bytes, expressions: Expressions) -> Patterns:
    """Return the patterns of a `.gitignore` file; `expressions` is shared by all files of the run."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    return _patterns((line.removesuffix(b"\r") for line in content.split(b"\n")), expressions)


def is_among(patterns: Sequence[str], path: str, folder: str) -> bool:
    """Return whether gitignore patterns relative to `folder` match a path or one of its parents."""
    return patterns_of(tuple(patterns)).match(os.path.relpath(os.path.abspath(path), folder))


@lru_cache(maxsize=64)
def patterns_of(lines: Sequence[str]) -> Patterns:
    """Parse patterns spelled like lines of a `.gitignore` file; `lines` must be hashable, as the result is cached."""
    return _patterns((os.fsencode(line) for line in lines), Expressions())


def _patterns(lines: Iterable[bytes], expressions: Expressions) -> Patterns:
    found: list[_Pattern] = []
    for line in lines:
        if (pattern := _parse(line)) is not None and len(found) < MAX_PATTERNS:
            found.append(pattern)
    return Patterns(tuple(found), expressions)


def _parse(line: bytes) -> _Pattern | None:
    if line.startswith(b"#"):
        return None
    line = _trimmed(line.partition(b"\0")[0])
    ignores = not line.startswith(b"!")
    line = line if ignores else line[1:]
    folders_only = line.endswith(b"/")
    line = line.removesuffix(b"/")
    names_only = b"/" not in line
    line = line.removeprefix(b"/")
    if not line or len(line) > LONGEST_PATTERN:
        return None
    words, suffix, wild = line, False, b""
    if (special := _SPECIAL.search(line)) is not None:
        if names_only and line.startswith(b"*") and _SPECIAL.search(line, 1) is None:
            words, suffix = line[1:], True
        else:
            words, wild = line[: special.start()], line
    return _Pattern(ignores, folders_only, names_only, words, suffix, wild)


def _trimmed(line: bytes) -> bytes:
    """Return a line without trailing blanks, except one that a backslash escapes."""
    bare = line.rstrip(b" ")
    backslashes = len(bare) - len(bare.rstrip(b"\\"))
    return line[: len(bare) + 1] if backslashes % 2 and len(bare) < len(line) else bare


# -- translation


_STAR, _DEEP, _DEEPER, _REST = b"*", b"**/", b"+**/", b"**"
"""Wildcards of a compiled pattern: part of a name, any folders, at least one folder, and the rest of a path."""


def _translate(pattern: bytes) -> bytes:
    """Return a regular expression that matches where git's `wildmatch` does, from the start of a path to its end."""
    tokens = _tokens(pattern)
    if tokens is None:
        return _NEVER
    chunks: list[list[bytes]] = [[]]
    leads = [b""]
    for token in tokens:
        if token in (_DEEP, _DEEPER):
            chunks.append([])
            leads.append(b"(?:[^/]*/)*?" if token == _DEEP else b"(?:[^/]*/)+?")
        else:
            chunks[-1].append(token)
    parts = [lead + _chunk(chunk) for lead, chunk in zip(leads, chunks, strict=True)]
    return b"".join(b"(?>" + part + b")" for part in parts[:-1]) + parts[-1] + rb"\Z"


def _chunk(tokens: list[bytes]) -> bytes:
    """Return the expression for the tokens between two `**/`: names with stars, separated by slashes."""
    made = b""
    piece = b""
    starred = False
    for token in (*tokens, None):
        if token is None or token in (b"/", _STAR, _REST):
            if starred and token != _STAR:
                # Before a slash or at the end: the piece must match exactly there.
                piece = b"(?>[^/]*?" + piece + rb"(?=/|\Z))" if piece else b"[^/]*+"
            elif starred:
                piece = b"(?>[^/]*?" + piece + b")"
            made += piece
            piece, starred = b"", token == _STAR
            if token == b"/":
                made += b"/"
            elif token == _REST:
                made += b".*"
        else:
            piece += token
    return made


def _tokens(pattern: bytes) -> list[bytes] | None:
    """Return the tokens of a pattern: an expression for one byte, or one of the constants above.

    None for a pattern that matches nothing because of an unclosed bracket or a backslash at its end.
    """
    tokens: list[bytes] = []
    first_special = _SPECIAL.search(pattern)
    wild_from = first_special.start() if first_special else len(pattern)
    place = 0
    while place < len(pattern):
        character = pattern[place : place + 1]
        if character == b"*":
            end = place
            while pattern[end : end + 1] == b"*":
                end += 1
            after = pattern[end : end + 2]
            # git compares the text before the first wildcard separately, so a `**` right after it is at the start.
            begins = place == wild_from or pattern[place - 1 : place] == b"/"
            if end - place > 1 and begins and after[:1] == b"/":
                tokens.append(_DEEP)
                end += 1
            elif end - place > 1 and begins and after == b"\\/":
                tokens.append(_DEEPER)
                end += 2
            elif end - place > 1 and begins and not after:
                tokens.append(_REST)
            else:
                tokens.append(_STAR)
            place = end
        elif character == b"?":
            tokens.append(b"[^/]")
            place += 1
        elif character == b"[":
            if (found := _set(pattern, place)) is None:
                return None
            token, place = found
            tokens.append(token)
        else:
            if character == b"\\":
                place += 1
                character = pattern[place : place + 1]
                if not character:
                    return None
            tokens.append(b"/" if character == b"/" else re.escape(character))
            place += 1
    return tokens


@lru_cache(maxsize=64)
def _class(name: bytes) -> frozenset[int] | None:
    """Return the bytes of a class such as `alpha`; None for one that git does not know."""
    expression = _CLASSES.get(name)
    if expression is None:
        return None
    return frozenset(one for one in range(256) if re.match(expression, bytes([one])))


@lru_cache(maxsize=1_000)
def _one_of(members: frozenset[int]) -> bytes:
    """Return the expression for one byte of a set, as ranges, which compile much faster than single bytes."""
    if not members:
        return _NEVER
    firsts = sorted(one for one in members if one - 1 not in members)
    lasts = sorted(one for one in members if one + 1 not in members)
    return b"[" + b"".join(rb"\x%02x-\x%02x" % ends for ends in zip(firsts, lasts, strict=True)) + b"]"


def _set(pattern: bytes, place: int) -> tuple[bytes, int] | None:
    """Return the expression of a bracketed set and the index after it; None if it is unclosed or malformed.

    Follows `dowild` in `wildmatch.c` of git step by step.
    """
    place += 1
    negated = pattern[place : place + 1] in (b"!", b"^")
    place += negated
    members: set[int] = set()
    previous = 0
    start = place
    while place < len(pattern):
        byte = pattern[place]
        if byte == ord("]") and place > start:
            chosen = (set(range(256)) - members if negated else members) - {ord("/")}
            return _one_of(frozenset(chosen)), place + 1
        following = pattern[place + 1 : place + 2]
        if byte == ord("\\"):
            place += 1
            if place == len(pattern):
                return None
            byte = pattern[place]
            members.add(byte)
        elif byte == ord("-") and previous and following and following != b"]":
            place += 1
            if following == b"\\":
                place += 1
                if place == len(pattern):
                    return None
            members.update(range(previous, pattern[place] + 1))
            byte = 0
        elif byte == ord("[") and following == b":":
            end = pattern.find(b"]", place + 2)
            if end < 0:
                return None
            if end > place + 2 and pattern[end - 1 : end] == b":":
                named = _class(pattern[place + 2 : end - 1])
                if named is None:
                    return None
                members |= named
                place, byte = end, 0
            else:
                members.add(byte)
        else:
            members.add(byte)
        previous = byte
        place += 1
    return None
