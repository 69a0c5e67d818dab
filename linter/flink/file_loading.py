"""Flink's two configuration files, as Flink loads or rejects them, with the positions of their entries.

`flink-conf.yaml` (up to 1.20) is read line by line and is not YAML: an invalid line is dropped with a warning.
`config.yaml` (from 1.19) is YAML, and a single error makes Flink reject all of it. In both cases the result has every
entry that can be recognized, so that rules and editors can refer to places in a file that Flink would reject.
"""

from __future__ import annotations

from collections.abc import Collection

from flink_flint.linter.flink.config_yaml import read_config_yaml
from flink_flint.linter.flink.flink_conf import read_flink_conf
from flink_flint.linter.flink.parsed_file import (
    CONFIG_YAML,
    FLINK_CONF,
    ConfigurationFile,
    Entry,
    Refusal,
    Skipped,
)
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, LAST_FLINK_CONF
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

__all__ = [
    "CONFIG_YAML",
    "CONF_FOLDERS",
    "FLINK_CONF",
    "ConfigurationFile",
    "Entry",
    "Refusal",
    "Skipped",
    "decode",
    "encode",
    "encoding_of",
    "has_placeholder",
    "is_called_flink_conf",
    "is_templated",
    "pick",
    "read_config_yaml",
    "read_flink_conf",
]

# Which file, and its bytes

CONF_FOLDERS = ("/opt/flink/conf", "/etc/flink/conf", "/flink/conf", "/opt/bitnami/flink/conf")
"""The folders that contain Flink's configuration files in common container images."""

_CALLED_FLINK_CONF = regex(r"flink[-_.]?conf(?:ig(?:uration)?)?(?:[-_.][\w-]+)?(?:\.(?:ya?ml|conf))?")


def is_called_flink_conf(name: str) -> bool:
    """Return whether a name says that a file is `flink-conf.yaml`, maybe of one process: `flink-conf-jm.yaml`."""
    return _CALLED_FLINK_CONF.fullmatch(name) is not None


def pick(names: Collection[str], index: int | None) -> str | None:
    """Return which of the file names in a configuration directory Flink loads; None if it loads none.

    Up to 1.18 only `flink-conf.yaml`, from 2.0 only `config.yaml`; between them the old file wins if both exist, even
    if it is empty. An unknown release (None) counts as one of those between.
    """
    if (index is None or index <= LAST_FLINK_CONF) and FLINK_CONF in names:
        return FLINK_CONF
    if (index is None or index >= FIRST_CONFIG_YAML) and CONFIG_YAML in names:
        return CONFIG_YAML
    return None


_MARKS = (
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xff\xfe", "utf-16-le"),
)
_UNMARKED = (("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1))
"""Encodings, the bytes of a Latin letter, and which of them is not zero."""
_MAX_SAMPLE = 4096


def _encoding(data: bytes, kind: str) -> str:
    """Return UTF-8, except for a config.yaml with another byte order mark, which its parser honors."""
    if kind != FLINK_CONF and data[:1] in (b"\x00", b"\xfe", b"\xff"):
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                try:
                    data.decode(encoding)
                except UnicodeDecodeError:
                    return "utf-8"
                return encoding
    return "utf-8"


def encoding_of(head: bytes) -> str:
    """Return the encoding of a file that begins with `head`, by its Python name: UTF-8, UTF-16 or UTF-32.

    Without a byte order mark, UTF-16 and UTF-32 are recognized by the NUL bytes of Latin letters.
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\0" not in head:
        return "utf-8"
    for encoding, width, letter in _UNMARKED:
        units = [head[place : place + width] for place in range(0, min(len(head), _MAX_SAMPLE) - width + 1, width)]
        latin = sum(unit[letter] != 0 and unit.count(0) == width - 1 for unit in units)
        if units and latin * 2 > len(units):
            return encoding
    return "utf-8"


def decode(data: bytes, *, kind: str) -> tuple[str, Refusal | None]:
    """Decode a `kind` of file ("flink-conf.yaml", "config.yaml"); return its text, and a refusal if Flink rejects it.

    Malformed bytes become lone surrogates, so that `encode` returns the same bytes; a byte order mark stays in the
    text. Spans are offsets into this text.
    """
    try:
        return data.decode(_encoding(data, kind)), None
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "surrogateescape")
        if kind == FLINK_CONF:
            return text, None
        return text, _malformed(len(data[: error.start].decode()))


def encode(text: str, like: bytes = b"", *, kind: str = CONFIG_YAML) -> bytes:
    """Encode `text` in the encoding of the file content `like`: `encode(decode(data)[0], data) == data`."""
    encoding = _encoding(like, kind)
    return text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")


def _malformed(at: int) -> Refusal:
    return Refusal(
        "encoding",
        "config.yaml must be UTF-8, and a byte here is not; Flink refuses the whole file",
        Span(at, at + 1),
        error="java.nio.charset.MalformedInputException: Input length = 1",
    )


# Templates

_SCOPE = (
    "host|tm_id|job_id|job_name|task_id|task_name|task_attempt_id|task_attempt_num|subtask_index|operator_id"
    "|operator_name"
)
"""The variables that Flink itself fills into the scopes of metrics (``<host>.jobmanager``)."""
PLACEHOLDER = (
    rf"(?<![\w<])<(?!(?:{_SCOPE})>)[A-Za-z][\w .:/-]{{1,60}}>|"
    r"(?<![\w$%}!{])\{ ?[A-Za-z][\w -]{0,60}\}|"
    r"\[[A-Z]+(?: [A-Z]+){1,5}\]|"
    r"(?<![\w%])%[A-Za-z_][\w.\-]{1,60}%(?![\w({.%\-])|"
    r"(?<![A-Za-z0-9])(?:FILL[ _-]?(?:ME[ _-]?)?IN|CHANGE[ _-]?ME|REPLACE[ _-]?ME|TODO|TBD|YOUR[_-][A-Z][A-Z0-9_-]*)"
    r"(?![A-Za-z0-9])"
)
"""A regular expression for placeholders that users must replace: ``<bucket>``, ``{ACCOUNT ID}``, ``TODO``.

The log format ``%msg%n`` and braces after a letter (``%d{ISO8601}``) are none. For Python and ECMA-262.
"""
TEMPLATE = (
    r"\{\{|\{%|<%|\$\{|\$\([A-Za-z_]\w*\)|@[A-Za-z_][\w.\-]*@|"
    rf"(?<![\w$])\$[A-Za-z_]\w*|%\([A-Za-z_]\w*\)s|__[A-Z][A-Z0-9_]*__|{PLACEHOLDER}"
)
"""A regular expression (Python and ECMA-262) for template expressions, variables, and placeholders to fill in."""
_OF_TEMPLATES = frozenset("{<$@%[_FCRTY")
"""Every match of `TEMPLATE` contains one of these (the letters begin ``FILL``, ``CHANGE``, ``REPLACE``, ``TODO``,
``YOUR``): most runs never compile it."""
_TEMPLATE = regex(TEMPLATE)
_PLACEHOLDER = regex(PLACEHOLDER)


def is_templated(text: str) -> bool:
    """Return whether a value contains a template expression, an environment variable or a placeholder to fill in."""
    return not _OF_TEMPLATES.isdisjoint(text) and _TEMPLATE.search(text) is not None


def has_placeholder(text: str) -> bool:
    """Return whether a text contains a placeholder that a person must still fill in."""
    return _PLACEHOLDER.search(text) is not None
