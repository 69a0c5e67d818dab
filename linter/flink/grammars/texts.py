"""Grammars of texts that Flink's code takes apart: ports, paths, URIs, names of classes and hosts, time zones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from flink_flint.linter.flink.grammars.grammar import MAX_PORT, Grammar, of_texts
from flink_flint.linter.flink.java_text import JAVA_BLANKS, BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.uris import locate, scheme_meant
from flink_flint.linter.flink.values import parse
from flink_flint.linter.text.lazy_regex import regex

_NO_CLASS = regex(r"[\x00-\x20\"#%&'()*,:<=>?@\\^`{|}~]|^\.|\.$|\.\.|(?:^|\.)[0-9]|^$")
"""What no compiler puts into the name of a class."""
_FINGERPRINT = regex(r"[0-9A-Fa-f]{40}")
_OUTSIDE_URIS = regex(r"[\x00-\x20\"<>\\^`{|}\x7f]|%(?![0-9A-Fa-f]{2})")
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]*")
_ENTROPY_MARK = regex(r"[~#@*+%{}<>\[\]|\"\\]")
_SMALLEST_PART = 5 * 1024 * 1024
"""The bytes of a part of an upload that S3 takes at least."""
_OFFSET = regex(r"(?:GMT)?[+-]\d{1,2}(?::?\d\d)?")
_PLACE = regex(r"[A-Z][A-Za-z0-9_+-]*(?:/[A-Z][A-Za-z0-9_+-]*)+")
_AREAS = frozenset({
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Brazil", "Canada", "Chile", "Etc",
    "Europe", "Indian", "Mexico", "Pacific", "SystemV", "US",
})  # fmt: skip
_ZONES = frozenset({
    "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "Factory", "GB", "GB-Eire", "GMT", "GMT0",
    "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel", "Jamaica", "Japan", "Kwajalein", "Libya", "MET", "MST",
    "MST7MDT", "NZ", "NZ-CHAT", "Navajo", "PRC", "PST8PDT", "Poland", "Portugal", "ROC", "ROK", "Singapore", "Turkey",
    "UCT", "UT", "UTC", "Universal", "W-SU", "WET", "Z", "Zulu", "default",
})  # fmt: skip
"""The zones of one word, of which the database gets no new ones. Whether some are taken depends on the Java release."""
_METRIC_TYPES = frozenset({"counter", "meter", "gauge", "histogram"})


def _port(text: str) -> int | None:
    """Return the port that Java's Integer.valueOf makes of a text; None if it makes none."""
    try:
        found = parse("Integer", (), text, NEWEST, yaml=False)
    except BadValue:
        return None
    return found if isinstance(found, int) and 0 <= found <= MAX_PORT else None


def _ports(text: str, *, takes_any_order: bool) -> bool:
    """Return whether ``50100-50200,50300`` names ports; Java drops what is empty at the end of a list.

    With `takes_any_order` a range may be of one port, and a descending one is empty.
    """
    has_any = False
    for one in text.rstrip(",").split(",") if text.strip(",") else [text]:
        start, dash, end = one.strip(JAVA_BLANKS).partition("-")
        first, last = _port(start), _port(end if dash else start)
        if first is None or last is None or (dash and first >= last and not takes_any_order):
            return False
        has_any = has_any or first <= last
    return has_any


def _are_absolute(text: str) -> bool:
    return bool(text) and all(part.startswith("/") for part in text.replace(",", ":").split(":") if part)


def _name_a_file_system(text: str) -> bool:
    """Return whether one directory of a list has no scheme that is a slip of another."""
    schemes = (locate(one).scheme for one in text.split(","))
    return bool(text) and any(scheme_meant(scheme) is None for scheme in schemes)


def _is_uri_or_scheme(text: str) -> bool:
    """Return whether java.net.URI takes a text; what has no scheme becomes one."""
    scheme, colon, rest = text.partition(":")
    if _OUTSIDE_URIS.search(text) or text == "//":
        return False
    if not colon or "/" in scheme or "?" in scheme or "#" in scheme:
        return True
    return _SCHEME.fullmatch(scheme) is not None and rest not in ("", "//")


def _is_fingerprint(text: str) -> bool:
    parts = text.replace(":", "").split(",")
    return not text.strip(JAVA_BLANKS) or all(_FINGERPRINT.fullmatch(one.strip(JAVA_BLANKS)) for one in parts)


def _may_be_factory(name: str) -> bool:
    """Return whether a class of the class path may have the name; the classes of Java are no factories of Flink."""
    return _NO_CLASS.search(name) is None and not name.startswith("java.")


def _names(value: Any) -> list[str]:
    found = value if isinstance(value, list | tuple) else str(value).split(";")
    return [str(one).strip(JAVA_BLANKS) for one in found]


def _are_maps_with(value: Any, *names: str) -> bool:
    """Return whether each item of a list is a map such as ``name:a,path:b`` that has all the names."""
    items = [dict(part.partition(":")[::2] for part in str(item).split(",")) for item in _items(value)]
    return all(item.get(name) for item in items for name in names)


def _items(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else ()


def _are_serializers(value: Any) -> bool:
    """Return whether each item of a list is like ``{com.example.Event: {type: pojo}}``."""
    for item in _items(value):
        kind = re.search(r"\btype\W+(\w+)", str(item))
        if ":" not in str(item) or (kind is not None and kind[1] not in ("pojo", "kryo", "typeinfo")):
            return False
    return True


def _may_be_time_zone(text: str, *, takes_offset: bool) -> bool:
    """Return whether a text is like the names of time zones; with `takes_offset` also ``+08:00``."""
    if "/" in text:
        return _PLACE.fullmatch(text) is not None and text.partition("/")[0] in _AREAS
    return text in _ZONES or (_OFFSET.fullmatch(text) is not None and (takes_offset or text.startswith("GMT")))


def _number(text: str) -> int | None:
    """Return what Java's Long.parseLong makes of a text; None if it makes nothing of it."""
    try:
        found = parse("Long", (), text, NEWEST, yaml=False)
    except BadValue:
        return None
    return found if isinstance(found, int) else None


def _number_from(least: int) -> Callable[[str], bool]:
    def takes(text: str) -> bool:
        number = _number(text)
        return number is not None and number >= least

    return takes


def _are_filters(value: Any) -> bool:
    """Return whether each filter of metrics is ``scope:name:type,type`` or the start of it."""
    for one in _names(value):
        scope, name, types, *more = [*one.split(":"), "", ""][: max(3, one.count(":") + 1)]
        kinds = {kind.strip().lower() for kind in types.split(",")} - {"", "*"}
        if more or not kinds <= _METRIC_TYPES or any(part.count("(") > part.count(")") for part in (scope, name)):
            return False
    return True


def _duration(text: str) -> int | None:
    """Return the nanoseconds of a duration; None if a text is none."""
    try:
        found = parse("Duration", (), text, NEWEST, yaml=False)
    except BadValue:
        return None
    return found if isinstance(found, int) else None


def _is_positive_duration(value: Any) -> bool:
    """Return whether a duration, which releases up to 1.13 read as a text, is above 0."""
    found = _duration(value) if isinstance(value, str) else value
    return not isinstance(found, int) or found > 0


_PORTS = f"ports from 0 to {MAX_PORT} and ranges of them, such as 50100-50200,50300"
PORT_RANGE = of_texts("port range", _PORTS, lambda text: _ports(text, takes_any_order=True))
PORT_RANGE_OF_TWO = of_texts("port range", _PORTS, lambda text: _ports(text, takes_any_order=False))
DIRECTORIES = of_texts("absolute directories", "absolute paths without a scheme", _are_absolute)
DIRECTORY = of_texts("absolute directory", "an absolute path", lambda text: text.startswith("/"))
SCHEME = of_texts("file system", "a URI with a scheme, such as hdfs://namenode:8020", _is_uri_or_scheme)
ARCHIVES = of_texts("archives", "URIs of file systems, of which one must exist", _name_a_file_system)
CHECKPOINT_STORAGE = of_texts(
    "checkpoint storage", "jobmanager, filesystem or the class of a factory",
    lambda text: text.lower() in ("jobmanager", "filesystem") or ("." in text and _may_be_factory(text)),
)  # fmt: skip
FACTORY = of_texts("factory", "the name of a class that is a factory", _may_be_factory)
FACTORIES = Grammar(
    "factories", "names of classes that are factories", lambda value: all(map(_may_be_factory, _names(value)))
)
CLASSES = Grammar(
    "classes", "names of classes", lambda value: not any(_NO_CLASS.search(name) for name in _names(value))
)
KRYO_SERIALIZERS = Grammar(
    "Kryo serializers",
    "class:com.example.Event,serializer:com.example.EventSerializer",
    lambda value: _are_maps_with(value, "class", "serializer"),
)
_FILE = "name:file1,path:hdfs:///file1"
CACHED_PATHS = Grammar("cached files", _FILE, lambda value: _are_maps_with(value, "path"))
CACHED_FILES = Grammar("cached files", _FILE, lambda value: _are_maps_with(value, "name", "path"))
SERIALIZERS = Grammar("serializers", "{com.example.Event: {type: pojo}}; or kryo, typeinfo", _are_serializers)
HOST = of_texts("host", "the name or address of a host", lambda text: re.search(r"\s", text.strip()) is None)
FINGERPRINT = of_texts("fingerprint", "the 40 digits of a SHA-1 fingerprint", _is_fingerprint)
_ZONE = "a name such as America/Los_Angeles, GMT-08:00, or UTC"
TIME_ZONE = of_texts("time zone", _ZONE, lambda text: _may_be_time_zone(text, takes_offset=False))
TIME_ZONE_OR_OFFSET = of_texts("time zone", _ZONE, lambda text: _may_be_time_zone(text, takes_offset=True))
ENTROPY_MARK = of_texts(
    "entropy mark", 'a text without ~ # @ * + % { } < > [ ] | " \\', lambda text: _ENTROPY_MARK.search(text) is None
)
COUNT = of_texts("count", "a whole number above 0", _number_from(1))
PART_SIZE = of_texts("part of an upload", f"bytes, at least {_SMALLEST_PART}", _number_from(_SMALLEST_PART))
REPORTER_PORT = of_texts("port", "a port above 0", _number_from(1))
REPORTER_UDP_PORT = of_texts(
    "port", f"1 to {MAX_PORT}", lambda text: _number_from(1)(text) and (_number(text) or 0) <= MAX_PORT
)
URL = of_texts("URL", "an http:// or https:// URL", lambda text: re.match(r"(?i)https?://[^\s/]", text) is not None)
WHOLE = of_texts("whole number", "a whole number", lambda text: _number(text) is not None)
FILTERS = Grammar(
    "filters of metrics", "scope:name:type, with the types counter, meter, gauge, histogram", _are_filters
)
DURATION = of_texts("duration", "a duration, such as 10 s", lambda text: _duration(text) is not None)
POSITIVE_DURATION = Grammar("positive", "above 0", _is_positive_duration)
