"""Writes settings to `config.yaml` so that Flink reads exactly their texts, with flat or nested keys, in order.

Flink's loader flattens a mapping into dotted keys, and a dotted key may be at any level of it. So nothing has to be
moved for nesting: if a mapping cannot be used, because it was closed above or its name is a setting itself, the rest of
the key is written with its dots.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from flink_flint.linter.flink.values import text_of
from flink_flint.linter.flink.yaml.yaml_core_schema import FLOAT, INT, STR, make_float, make_integer, resolve
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_INDENT = "  "
_MAX_LEVELS = 20
_MAX_SIMPLE_KEY = 1000  # slightly less than the length from which YAML requires an explicit key

_PLAIN_KEY = regex(r"[A-Za-z_][A-Za-z0-9_/\-]*(?:\.[A-Za-z0-9_/\-]+)*")
_PLAIN = regex(r"(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`=~$<\x00-\x20\ufeff]|-(?=[^\s\-]))(?:[^\s:#]|:(?=\S)|(?<=\S)#| (?=\S))*")
_VARIABLE = regex(r"(?:[^$]|\$(?!\{))*")
# Numbers, dates and booleans of YAML 1.1, which other tools read; `resolve` identifies those of 1.2.
_OTHER_NUMBER = regex(
    r"[-+]?(?:[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+"
    r"|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?|\.(?:inf|nan))"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9].*)?",
)
_OTHER_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", ".inf", ".nan"))
_UNPRINTABLE = (  # compiled only for texts beyond printable ASCII
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_PRINTABLE_ASCII = regex(r"[ -~]*")
_NOT_IN_COMMENT = _UNPRINTABLE.replace("[^", "[^\t")
_COMMENT_ASCII = regex(r"[\t -~]*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\0": "\\0", "\x85": "\\N"}


class Remark(NamedTuple):
    """A comment line from its ``#`` on; `is_setting` says whether it is a commented-out setting."""

    text: str
    is_setting: bool = False


class Written(NamedTuple):
    """A setting to write, with the comment at the end of its line and the blanks before the comment."""

    key: str
    value: str
    comment: str = ""
    gap: str = " "


BLANK = Remark("")
"""A blank line in the written `config.yaml`."""

Item = Remark | Written


def scalar(text: str) -> str:
    """Return `text` as a one-line YAML value that Flink reads as that text, quoted only if necessary.

    Numbers and `true` are plain if they are read back as written (`4`, not `010`). A text that older versions of YAML
    would read differently (`yes`, `1_000`, `12:30`, dates) is quoted, too, for other tools.
    """
    return text if _comes_back(text) else _quoted(text)


def key(text: str) -> str:
    """Return `text` as a YAML key that Flink reads as that text."""
    if _PLAIN_KEY.fullmatch(text) and text.lower() not in _OTHER_WORDS:
        return text
    return _quoted(text)


def comment(text: str) -> str:
    """Return a comment as valid YAML: unprintable characters and unusual line ends become U+FFFD."""
    if _COMMENT_ASCII.fullmatch(text):
        return text
    return re.sub(_NOT_IN_COMMENT, "\ufffd", text)


def _comes_back(text: str) -> bool:
    tag = resolve(text)
    if tag in (STR, FLOAT) and text.lower() in _OTHER_WORDS:
        return False
    if tag == INT:
        return text_of(make_integer(text)) == text
    if tag == FLOAT:
        try:
            return text_of(make_float(text)) == text
        except ValueError:
            return False
    if tag != STR:
        return text in ("true", "false")
    return (
        _PLAIN.fullmatch(text) is not None
        and not _OTHER_NUMBER.fullmatch(text)
        and _VARIABLE.fullmatch(text) is not None
        and not _is_unprintable(text)
    )


def _is_unprintable(text: str) -> bool:
    if _PRINTABLE_ASCII.fullmatch(text):
        return False
    return re.search(_UNPRINTABLE, text) is not None


def _quoted(text: str) -> str:
    if _is_unprintable(text):

        def escaped(match: re.Match[str]) -> str:
            char = match.group()
            if char in _ESCAPES:
                return _ESCAPES[char]
            code = ord(char)
            return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

        return '"' + re.sub(f'["\\\\]|{_UNPRINTABLE}', escaped, text) + '"'
    if "'" in text and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


def flat(items: Iterable[Item]) -> Iterator[str]:
    """Yield the lines of a file with one line per key."""
    for item in items:
        if isinstance(item, Remark):
            yield comment(item.text)
        else:
            yield from _line(0, item.key, item)


def nested(items: Sequence[Item]) -> Iterator[str]:
    """Yield the lines of a file with a mapping for each segment of a key, in the order of the items.

    Comments directly above a setting are indented with it; others, and the head of the file, stay where their mappings
    begin. A commented-out setting is written at the margin with its whole key, and no mapping continues across it,
    so that it is still correct without its ``#``.
    """
    tree = _Tree({item.key for item in items if isinstance(item, Written)})
    above: list[Remark] = []
    for place, item in enumerate(items):
        if isinstance(item, Remark):
            above.append(item)
            continue
        yield from tree.add(item, above, _follower(items, place))
        above = []
    yield from (comment(remark.text) for remark in above)


def _follower(items: Sequence[Item], place: int) -> str:
    """Return the key of the setting after the one at an index; empty if a commented-out setting comes first."""
    for number in range(place + 1, len(items)):
        item = items[number]
        if isinstance(item, Written):
            return item.key
        if item.is_setting:
            break
    return ""


class _Level(NamedTuple):
    """An open mapping: its key with a trailing dot, and the names of the mappings opened in it."""

    prefix: str
    names: set[str]


class _Tree:
    """The mappings open at the line being written."""

    def __init__(self, keys: Collection[str]) -> None:
        self._keys = keys
        self._open = [_Level("", set())]
        self._is_first = True

    def add(self, setting: Written, above: Sequence[Remark], follower: str) -> Iterator[str]:
        """Yield the lines of a setting, with the comments above it; `follower` is the key of the next one."""
        segments = setting.key.split(".")
        is_regular = all(segments) and len(segments) <= _MAX_LEVELS
        if not is_regular or any(remark.is_setting for remark in above):
            del self._open[1:]
        while not setting.key.startswith(self._open[-1].prefix):
            self._open.pop()
        aloof = max((number for number, remark in enumerate(above, 1) if self._stays(remark)), default=0)
        self._is_first = False
        yield from self._remarks(above[:aloof])
        if is_regular:
            segments = segments[self._open[-1].prefix.count(".") :]
            while len(segments) > 1 and (count := self._free(segments, follower)):
                name, segments = ".".join(segments[:count]), segments[count:]
                level = self._open[-1]
                yield from _line(len(self._open) - 1, name, None)
                level.names.add(name)
                self._open.append(_Level(f"{level.prefix}{name}.", set()))
        yield from self._remarks(above[aloof:])
        yield from _line(len(self._open) - 1, ".".join(segments), setting)

    def _stays(self, remark: Remark) -> bool:
        """Return whether comments above this one stay in place: blank lines, the head of the file."""
        return self._is_first or remark.is_setting or not remark.text

    def _remarks(self, remarks: Iterable[Remark]) -> Iterator[str]:
        indent = _INDENT * (len(self._open) - 1)
        yield from (indent + comment(remark.text) if remark.text else "" for remark in remarks)

    def _free(self, segments: Sequence[str], follower: str) -> int:
        """Return how many segments the name of the next mapping has: one if possible, more if others share it; or 0."""
        level = self._open[-1]
        for count in range(1, len(segments)):
            name = ".".join(segments[:count])
            if name in level.names or level.prefix + name in self._keys:
                continue
            if count == 1:
                return 1
            return count if follower.startswith(f"{level.prefix}{name}.") else 0
        return 0


def _line(depth: int, name: str, setting: Written | None) -> Iterator[str]:
    """Yield the line of a key, with its value or as the head of a mapping; two lines if the key is very long."""
    indent, written = _INDENT * depth, key(name)
    rest = "" if setting is None else f" {scalar(setting.value)}"
    if setting is not None and setting.comment:
        rest += f"{setting.gap}{comment(setting.comment)}"
    if len(written) > _MAX_SIMPLE_KEY:
        yield f"{indent}? {written}"
        written = ""
    yield f"{indent}{written}:{rest}"
