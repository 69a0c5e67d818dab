"""Counts the keys in a text that are Flink's, and those that belong to other programs.

Keys are read with one regular expression instead of a parser: a broken line hides no other, and a file that is not
Flink's, as most are, is left after its first segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

SEGMENTS = frozenset((
    "akka", "blob", "classloader", "cluster", "containerized", "env", "execution", "external-resource", "fs",
    "heartbeat", "high-availability", "historyserver", "io", "job-result-store", "jobmanager", "jobstore",
    "kubernetes", "metrics", "parallelism", "pekko", "pipeline", "process", "python", "queryable-state", "query",
    "resourcemanager", "rest", "restart-strategy", "s3", "s3a", "security", "slot", "slotmanager", "sql-client",
    "sql-gateway", "state", "table", "task", "taskmanager", "traces", "web", "yarn", "zookeeper",
))  # fmt: skip
"""The first segments of Flink's option keys, such as ``taskmanager``."""

_ONLY = frozenset(("jobmanager", "slotmanager", "taskmanager"))
"""First segments that no other program is known to use."""
_COMMON = frozenset((
    "cluster", "env", "fs", "io", "kubernetes", "metrics", "pipeline", "process", "python", "query", "rest", "s3",
    "s3a", "security", "slot", "table", "task", "traces", "web", "yarn", "zookeeper",
))  # fmt: skip
"""First segments that are also common in the files of other programs."""
_RARE = frozenset((
    "application-result-store", "cleanup-strategy", "collect-sink", "completed-application-store", "dstl",
    "external-resources", "fine-grained", "job-event", "job-manager", "library-cache-manager", "materialized-table",
    "mesos", "minicluster", "restart-backoff-time-strategy", "savepoints", "scheduler-mode", "shuffle-service-factory",
    "slow-task-detector", "timerservice", "workflow-scheduler",
))  # fmt: skip
"""First segments of a few keys, which do not make a text worth weighing."""
_RARE_COMMON = frozenset((
    "client", "compiler", "events", "hidden", "jmx", "local", "plugin", "recovery", "sink", "source", "user",
))  # fmt: skip
_NEUTRAL = frozenset((
    "azure", "dfs", "flink", "gs", "hadoop", "hive", "job", "oss", "paimon", "presto", "swift", "$internal", "internal",
    "prometheus", "fluss", "iceberg",
))  # fmt: skip
"""First segments of keys that Flink passes on to file systems, tables and its operator, and others have as well."""
_ALL = SEGMENTS | _RARE | _RARE_COMMON
_ALL_COMMON = _COMMON | _RARE_COMMON
_ALL_OWN = _ALL - _ALL_COMMON
_STRUCTURES = frozenset((
    "apiVersion", "kind", "services", "version", "openapi", "swagger", "AWSTemplateFormatVersion", "asyncapi",
    "scrape_configs", "receivers", "exporters", "extensions",
))  # fmt: skip
"""Top-level keys of other kinds of files, which are not a Flink configuration file whatever else they contain."""

_ONLY_WEIGHT, _OWN_WEIGHT, _COMMON_WEIGHT = 4, 2, 1
_FIRST_FOREIGN_WEIGHT, _FOREIGN_WEIGHT, _PRODUCT_WEIGHT = 4, 2, 6
_MAX_LINES = 2_000
"""The maximum number of lines with keys that are weighed."""
_MAX_SHOWN = 3
_LINE = regex(
    r"""^([ \t]*)(?:(-)(?=[ \t\r\n])|(?:"([^"\r\n]{1,200})"|'([^'\r\n]{1,200})'|([\w$][\w.<>$-]{0,200}))[ \t]*:"""
    r"""(?=[ \t\r\n]|\Z)[ \t]*([^\r\n]*))""",
    re.MULTILINE,
)
_BLOCK = regex(r"[|>][+-]?\d?[+-]?[ \t]*(?:#.*)?")


class Key(NamedTuple):
    """The full path of a key that has a value."""

    path: str
    is_nested: bool
    """Whether the key's segments are on several lines, as in nested mappings."""


def evidence_of_keys(text: str, *, nested: bool) -> Evidence:
    """Return the evidence from its keys that a text is Flink's; with `nested`, mappings may contain mappings."""
    tops = [top for line in text.splitlines() if line[:1] not in "# -\t" and (top := _section(line))]
    if not any(top in _ALL for top in tops):
        return NOTHING.plus(-_FIRST_FOREIGN_WEIGHT, f"no section of Flink's: {_listed(tops)}") if tops else NOTHING
    keys: dict[str, Key] = {}
    for key in _keys(text):
        if key.path in _STRUCTURES or (key.is_nested and key.path.partition(".")[0] in _STRUCTURES):
            return NOTHING.plus(-10, f"a file with {key.path.partition('.')[0]} at its top level")
        keys.setdefault(key.path, key)
    return _weighed(list(keys.values()), nested=nested)


def _section(line: str) -> str:
    """Return the first segment of the key that an unindented line begins with; empty if it begins with none."""
    key, colon, _ = line.partition(":")
    if not colon:
        return ""
    first = key.strip("\"' \t").partition(".")[0]
    return first if first.replace("-", "_").isidentifier() else ""


def _weighed(keys: list[Key], *, nested: bool) -> Evidence:
    only: list[str] = []
    own: list[str] = []
    common: list[str] = []
    unknown: list[str] = []
    foreign: dict[str, str] = {}
    for key in keys:
        first = key.path.partition(".")[0]
        if key.is_nested and not nested:
            unknown.append(key.path)
        elif first in _ALL and _is_known(key.path):
            is_common = first in _ALL_COMMON and key.is_nested  # `rest.port` is chosen by chance less often than `port`
            (only if first in _ONLY else common if is_common else own).append(key.path)
        elif (first in _ONLY and not key.is_nested) or (first in _ALL_OWN and _is_near(key.path)):
            own.append(key.path)  # a misspelled key, or one of a release that is not in the catalogue
        elif first in _ALL and _passes_through(key.path):
            if not key.is_nested:
                common.append(key.path)
        elif first in SEGMENTS | _RARE:
            unknown.append(key.path)
        elif first not in _NEUTRAL and not _is_misspelled(first):
            foreign.setdefault(first, key.path)
    found = NOTHING
    for weight, paths, what in (
        (_ONLY_WEIGHT, only, "that only Flink has"),
        (_OWN_WEIGHT, own, "of Flink's"),
        (_COMMON_WEIGHT, common, "of Flink's that others have as well"),
    ):
        if paths:
            found = found.plus(weight * len(paths), f"{_number(paths)} {what}: {_listed(paths)}")
    if unknown:
        found = found.plus(-len(unknown), f"{_number(unknown)} that Flink does not have: {_listed(unknown)}")
    if foreign:
        weight = _FIRST_FOREIGN_WEIGHT + _FOREIGN_WEIGHT * (len(foreign) - 1)
        found = found.plus(-weight, f"sections that Flink does not have: {_listed(foreign)}")
    if found.in_favor and not found.against and not any(key.is_nested for key in keys):
        found = found.plus(1, "no key that is not Flink's")
    if not unknown and not foreign:  # a key of another product is one of these
        return found
    from flink_flint.linter.formats.other_products import product_of_keys

    product = product_of_keys([key.path for key in keys])
    return found if product is None else found.plus(-_PRODUCT_WEIGHT, f"keys of {product}")


def known_keys(text: str, *, nested: bool, limit: int = 2) -> int:
    """Return the number of distinct keys in a text that some Flink release knows, but at most `limit`."""
    found: set[str] = set()
    for key in _keys(text):
        if (nested or not key.is_nested) and key.path.partition(".")[0] in _ALL and _is_known(key.path):
            found.add(key.path)
            if len(found) >= limit:
                break
    return len(found)


def _keys(text: str) -> Iterator[Key]:
    """Yield the keys that have a value or nothing below them, with the sections they are in."""
    sections: list[tuple[int, str]] = []
    pending: Key | None = None
    pending_margin = list_margin = block_margin = -1
    for count, match in enumerate(_LINE.finditer(text)):
        if count >= _MAX_LINES:
            break
        margin = len(match[1])
        if 0 <= block_margin < margin or 0 <= list_margin < margin:
            continue
        block_margin = list_margin = -1
        if match[2]:
            list_margin = margin
            continue
        if pending is not None and margin <= pending_margin:
            yield pending
        pending = None
        while sections and sections[-1][0] >= margin:
            sections.pop()
        name, value = match[3] or match[4] or match[5], match[6]
        path = f"{sections[-1][1]}.{name}" if sections else name
        key = Key(path, bool(sections))
        if not value or value.startswith("#"):
            pending, pending_margin = key, margin
            if len(path) <= 400:
                sections.append((margin, path))
            continue
        if value[0] in "|>" and _BLOCK.fullmatch(value):
            block_margin = margin
        yield key
    if pending is not None:
        yield pending


@cache
def _is_known(key: str) -> bool:
    from flink_flint.linter.flink.options import catalogue

    return catalogue().defines(key) or bool(catalogue().releases(key))


@cache
def _is_near(key: str) -> bool:
    """Return whether some release has keys beside this one, below at least two segments of its path."""
    from flink_flint.linter.flink.options import catalogue

    parent = key.rpartition(".")[0]
    return "." in parent and catalogue().has_prefix(parent)


def _passes_through(key: str) -> bool:
    from flink_flint.linter.flink.options import catalogue

    return catalogue().passes_through(key)


@cache
def _is_misspelled(segment: str) -> bool:
    """Return whether a first segment is almost one of those that only Flink has."""
    from difflib import SequenceMatcher

    return any(
        abs(len(one) - len(segment)) <= 2
        and segment not in ("jobManager", "taskManager")  # the fields of custom resources and charts
        and SequenceMatcher(None, one, segment, autojunk=False).ratio() > 0.85
        for one in _ONLY
    )


def _number(paths: list[str]) -> str:
    return "1 key" if len(paths) == 1 else f"{len(paths)} keys"


def _listed(paths: Iterable[str]) -> str:
    names = list(paths)
    return ", ".join(names[:_MAX_SHOWN]) + (", …" if len(names) > _MAX_SHOWN else "")
