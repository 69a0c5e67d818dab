"""Splitting of lists and maps in Flink's legacy syntax, as Flink's StructuredOptionsSplitter does."""

from __future__ import annotations

from flink_flint.linter.flink.java_text import JAVA_BLANKS, BadValue


def split_escaped(text: str, delimiter: str) -> list[str]:
    """Split a legacy list (``;``) or map (``,`` and ``:``) at `delimiter`, following Flink's quoting rules.

    Raises BadValue for quotes that are unclosed or inside of a part.
    """
    if "'" not in text and '"' not in text and len(delimiter) == 1:
        return _split_unquoted(text, delimiter)
    tokens: list[tuple[bool, str, int]] = []  # is it a delimiter, text, position
    at = 0
    while at < len(text):
        char = text[at]
        if char in "'\"":
            part, end = _quoted(text, at)
            tokens.append((False, part, at))
        elif char == delimiter:
            tokens.append((True, char, at))
            end = at + 1
        elif _is_java_space(char):
            end = at + 1
        else:
            end = text.find(delimiter, at)
            end = len(text) if end < 0 else end
            tokens.append((False, text[at:end].strip(JAVA_BLANKS), at))
        at = end
    parts: list[str] = []
    for number, (is_delimiter, part, _) in enumerate(tokens):
        follower = tokens[number + 1] if number + 1 < len(tokens) else None
        if is_delimiter:
            if follower is not None and follower[0]:
                parts.append("")
            continue
        if follower is not None and not follower[0]:
            # Java counts UTF-16 units
            position = len(text[: follower[2]].encode("utf-16-le", "surrogatepass")) // 2 - 1
            raise BadValue(f"Could not split string. Illegal quoting at position: {position}")
        parts.append(part)
    return parts


def _is_java_space(char: str) -> bool:
    """Return Java's Character.isWhitespace: Python's isspace, except for no-break spaces and NEL."""
    return char.isspace() and char not in "\xa0\u2007\u202f\x85"


def _split_unquoted(text: str, delimiter: str) -> list[str]:
    pieces = text.split(delimiter)
    parts: list[str] = []
    last = len(pieces) - 1
    for number, piece in enumerate(pieces):
        start = 0
        while start < len(piece) and _is_java_space(piece[start]):
            start += 1
        if start < len(piece):
            parts.append(piece[start:].strip(JAVA_BLANKS))
        elif 0 < number < last:  # empty between two delimiters: an empty part; empty at the ends: no part
            parts.append("")
    return parts


def _quoted(text: str, start: int) -> tuple[str, int]:
    quote = text[start]
    at = start + 1
    parts: list[str] = []
    while True:
        end = text.find(quote, at)
        if end < 0:
            raise BadValue("Could not split string. Quoting was not closed properly.")
        parts.append(text[at:end])
        if text[end + 1 : end + 2] != quote:
            return "".join(parts), end + 1
        parts.append(quote)
        at = end + 2
