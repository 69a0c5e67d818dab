"""`flink-conf.yaml` as Flink reads it up to 1.20: line by line, not as YAML."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import JAVA_BLANKS
from flink_flint.linter.flink.parsed_file import (
    FLINK_CONF,
    MAX_CHARACTERS,
    ConfigurationFile,
    Entry,
    Skipped,
    too_long,
)
from flink_flint.linter.flink.releases import LAST_FLINK_CONF
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_NEW_WARNINGS = 8  # index of 1.17: the warnings no longer quote the line

_LINE = regex(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_EQUALS = regex(r"[\w.\-]+\s*=")
_LIST_ITEM = regex(r"-(?:\s|$)")
_KEY_COLON = regex(r"([^\s:=]+)(\s*):")


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of `text` without the characters that Java's trim removes."""
    while start < end and text[start] <= " ":
        start += 1
    while end > start and text[end - 1] <= " ":
        end -= 1
    return start, end


def _seen_by_java(text: str, *, ascii_locale: bool) -> str:
    """Return `text` as Java decodes its bytes: U+FFFD for each byte that it cannot decode."""
    if text.isascii():
        return text
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate, which no file can contain
        data = text.encode("utf-8", "replace")
    if ascii_locale:
        return data.decode("ascii", "replace")
    return data.decode("utf-8", "replace")


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the lines that Java's readLine finds, without their line ends."""
    if "\r" in text:
        for match in _LINE.finditer(text):
            yield match.span(1)
        return
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    yield start, len(text)


def read_flink_conf(text: str, index: int = LAST_FLINK_CONF, *, ascii_locale: bool = False) -> ConfigurationFile:
    """Read `text` as Flink reads `flink-conf.yaml`, which drops invalid lines but never rejects the file.

    A value ends at the first ``#`` of the line, wherever that is; the separator is exactly a colon and a space; quotes
    are part of the value. `index` is the index of the minor release in releases.MINORS, on which the wording of the
    warnings depends. `ascii_locale` reads as a JVM with file.encoding US-ASCII does.
    """
    result = ConfigurationFile()
    if len(text) > MAX_CHARACTERS:
        result.refusals.append(too_long(len(text)))
        return result
    plain = text.isascii()
    for number, (line_start, line_end) in enumerate(_lines(text), 1):
        if line_start == line_end or text[line_start] == "#":
            continue
        cut = text.find("#", line_start, line_end)
        content_end = line_end if cut < 0 else cut
        start, end = _trim(text, line_start, content_end)
        if start == end:
            continue
        colon = text.find(": ", start, end)
        splits = colon >= 0
        if splits:
            key_start, key_end = _trim(text, start, colon)
            value_start, value_end = _trim(text, colon + 2, end)
        if not splits or key_start == key_end or value_start == value_end:
            _skip(
                result, text, (line_start, line_end), (start, end), cut, number, index,
                ascii_locale=ascii_locale, split=splits,
            )  # fmt: skip
            continue
        key, raw = text[key_start:key_end], text[value_start:value_end]
        value = raw
        if not plain:
            key = _seen_by_java(key, ascii_locale=ascii_locale)
            value = _seen_by_java(raw, ascii_locale=ascii_locale)
        result.entries.append(
            Entry(
                key, value, value, (key_start, key_end), (value_start, value_end), raw, "legacy",
                nested=start > line_start, indent=start - line_start,
                comment=None if cut < 0 else Span(cut, line_end),
            )
        )  # fmt: skip
    result.mark_overridden()
    return result


def _skip(
    result: ConfigurationFile, text: str, line: tuple[int, int], content: tuple[int, int], cut: int,
    number: int, index: int, *, ascii_locale: bool, split: bool,
) -> None:  # fmt: skip
    """Record a line that Flink drops, and the warning it logs."""
    shown = f'"{_seen_by_java(text[slice(*line)], ascii_locale=ascii_locale)}"'
    if split:
        what = "Error after splitting key and value in configuration file"
        why = "Key or value was empty" if index >= _NEW_WARNINGS else shown
    else:
        what = "Error while trying to split key and value in configuration file"
        why = "Line is not a key-value pair (missing space after ':'?)" if index >= _NEW_WARNINGS else shown
    result.warnings.append(f"{what} {FLINK_CONF}:{number}: {why}")
    result.skipped.append(_explain(text, line, content, cut))


def _explain(text: str, line: tuple[int, int], content: tuple[int, int], cut: int) -> Skipped:
    """Return why a line was dropped and what it was probably meant to be."""
    start, end = content
    body = text[start:end]
    span = Span(start, end)

    def guess(reason: str, key_end: int, value_start: int) -> Skipped:
        key = Span(*_trim(text, start, key_end))
        value = Span(*_trim(text, value_start, end))
        return Skipped(reason, span, text[slice(*key)], key, text[slice(*value)], value)

    nothing = Span(end, end)
    if body in ("---", "...") or body.startswith("%YAML"):
        return Skipped("document-marker", span, "", Span(start, start), "", nothing)
    if body.startswith(":"):
        return Skipped("empty-key", span, "", Span(start, start), body[1:].strip(JAVA_BLANKS), span)
    if _LIST_ITEM.match(body):
        value = Span(*_trim(text, start + 1, end))
        return Skipped("list-item", span, "", Span(start, start), text[slice(*value)], value)
    colon = _KEY_COLON.match(body)
    if colon:
        after = start + colon.end()
        if after == end:
            reason = "comment-only-value" if cut >= 0 else "empty-value"
            return guess(reason, start + colon.end(2), after)
        return guess("tab" if text[after] == "\t" else "missing-space", start + colon.end(2), after)
    equals = _EQUALS.match(body)
    if equals:
        return guess("equals", start + equals.end() - 1, start + equals.end())
    if start > line[0]:
        return Skipped("continuation", span, "", Span(start, start), body, span)
    return Skipped("no-separator", span, "", Span(start, start), body, span)
