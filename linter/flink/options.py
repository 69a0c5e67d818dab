"""The option catalogue: what every Flink minor from 1.9 on knows under which key.

The data in ``options.json`` is reflected from the released classes (`linter.flink.generate`, where the
layout of the file is described). A run meets a few dozen keys, so the file is only split into lines and a
line is decoded when its key is first asked for.

Minors are given by their index in `linter.flink.releases.MINORS`, and mean their latest patch unless the
catalogue was asked for as of another one.
"""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Iterator
from typing import Any

from flink_flint.linter.flink.releases import MINORS, NEWEST, Release
from flink_flint.linter.text.named_tuple import NamedTuple

PASS_THROUGH = (
    # File systems hand on all that is theirs; their jars are not on the package index the catalogue is from.
    *("s3.", "s3a.", "fs.s3.", "fs.s3a.", "fs.s3n.", "presto.s3.", "gs.", "fs.gs."),
    *("azure.", "fs.azure.", "fs.abfs.", "fs.abfss.", "fs.wasb.", "fs.wasbs.", "fs.adl.", "dfs.adls."),
    *("oss.", "fs.oss.", "swift.", "fs.swift.", "fs.cosn.", "fs.obs."),
    # The Kubernetes operator and its autoscaler take their keys from the configuration of the job.
    *("kubernetes.operator.", "job.autoscaler."),
    # Hive and the table formats that live in connector jars.
    *("hive.", "table.exec.hive.", "table.exec.iceberg.", "paimon."),
    # Flink's own notes to itself, seen where a configuration was copied from a running cluster.
    *("$internal.", "internal.", "python.internal.", "kubernetes.internal."),
)
"""How the keys begin that Flink hands on to something whose options no release on the index declares."""
FIRST_PREFIX_MAP = MINORS.index("1.14")
"""The first minor that takes ``option.entry: value`` for one entry of an option of type Map."""

# Patterns are compiled where they are used: few runs meet a family or an unknown key.
_PLACEHOLDER = r"(<[^<>]*>)"


class Option:
    """One definition of one key over a stretch of minors; values of `default` as Flink prints them."""

    __slots__ = (
        "default", "deprecated", "deprecated_keys", "enum", "fallback_keys", "first", "has_default", "key",
        "last", "lookup_order", "since", "suffix", "templated", "type", "until",
    )  # fmt: skip

    key: str
    """The primary key; of a family the template, ``metrics.reporter.<name>.port``."""
    type: str
    """``String``, ``Boolean``, ``Integer``, ``Long``, ``Float``, ``Double``, ``Duration``, ``MemorySize``,
    ``Map``, ``Enum`` (any Java enum), or ``List<…>`` of one of them."""
    default: Any
    """A str, int, float, bool, list or dict. Sizes and durations are texts in their largest exact unit
    (``64 mb``, ``10 s``), enum constants their toString(). What depends on the machine or the release
    number is a token: ``${java.io.tmpdir}``, ``${cores}``, ``${flink.version}``."""
    has_default: bool
    enum: tuple[str, ...]
    fallback_keys: tuple[str, ...]
    deprecated_keys: tuple[str, ...]
    lookup_order: tuple[str, ...]
    """The aliases in the order in which Flink tries them after the primary key."""
    deprecated: bool
    """Whether every declaration of the key in these minors is @Deprecated."""
    templated: bool
    suffix: str | None
    """The key as its class declares it, for an option that Flink reads below a prefix: ``factory.class``."""
    first: int
    last: int
    """The first and last minor with this very definition."""
    since: int
    until: int
    """The first and last minor in which the key is a primary key at all."""

    def __init__(self, key: str, data: dict[str, Any], first: int, last: int, since: int, until: int) -> None:
        self.key = key
        self.type = data["type"]
        self.default = data.get("default")
        self.has_default = "default" in data
        self.enum = tuple(data.get("enum", ()))
        self.fallback_keys = tuple(data.get("fallback_keys", ()))
        self.deprecated_keys = tuple(data.get("deprecated_keys", ()))
        self.lookup_order = tuple(data.get("lookup_order", ())) or self.fallback_keys + self.deprecated_keys
        self.deprecated = data.get("deprecated", False)
        self.templated = "<" in key
        self.suffix = data.get("suffix")
        self.first, self.last, self.since, self.until = first, last, since, until

    def __repr__(self) -> str:
        return f"Option({self.key!r}, {self.type}, {MINORS[self.first]}-{MINORS[self.last]})"


class Acceptance(NamedTuple):
    """How a minor reads a key: for which option, and as its ``primary`` key, a ``deprecated`` or
    ``fallback`` one, an instance of its ``template``, or an entry of its ``map``."""

    option: Option
    how: str


_Alias = tuple[int, int, str, str]
"""First and last minor, the primary key, and how: ``deprecated`` or ``fallback``."""


class _ReleaseRange(NamedTuple):
    """Minors with the same answers about one key: its option, its acceptance, its primary name."""

    first: int
    last: int
    answers: tuple[Option | None, Acceptance | None, str | None]


class _Entry:
    """What a line of the file says about its key."""

    __slots__ = ("aliases", "definitions")

    def __init__(self, key: str, data: dict[str, Any]) -> None:
        definitions = data.get("definitions", ())
        since = definitions[0]["first"] if definitions else 0
        until = definitions[-1]["last"] if definitions else 0
        self.definitions = [Option(key, d, d["first"], d["last"], since, until) for d in definitions]
        self.aliases: list[_Alias] = [(a["first"], a["last"], a["key"], a["how"]) for a in data.get("alias_of", ())]

    def option(self, index: int) -> Option | None:
        for option in self.definitions:
            if option.first <= index <= option.last:
                return option
        return None


def _data(line: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(line[line.index('":') + 2 :].rstrip(","))
    return data


def _before(data: dict[str, Any], index: int, patch: int) -> dict[str, Any] | None:
    """What a line would say if a minor had ended with a patch; None if it would say the same."""
    # Newest first, so that of the changes still ahead the oldest is the one that stays.
    ahead = [change for change in reversed(data["drift"]) if change["minor"] != index or patch < change["before"]]
    earlier = {change["minor"]: change["definition"] for change in ahead}
    if index not in earlier:
        return None
    by_minor = {index: earlier[index]}
    # What came to several minors by a patch of each had not come to the older ones either.
    minor = index
    while by_minor[minor] is None and minor - 1 in earlier and earlier[minor - 1] is None:
        minor -= 1
        by_minor[minor] = None
    for definition in data.get("definitions", ()):
        for minor in range(definition["first"], definition["last"] + 1):
            by_minor.setdefault(minor, definition)
    definitions: list[dict[str, Any]] = []
    for minor, content in sorted(by_minor.items()):
        if content is None:
            continue
        last = definitions[-1] if definitions else {}
        if last == {**content, "first": last.get("first"), "last": minor - 1}:
            last["last"] = minor
        else:
            definitions.append({**content, "first": minor, "last": minor})
    return {**data, "definitions": definitions}


LONGEST_KEY = 500
"""Characters; a longer key is no instance of a template, because matching those takes the square of the length."""


class Catalogue:
    """The options of all minors; get the one of the process from `catalogue`."""

    def __init__(self, text: str) -> None:
        # Every line between the braces is `"key":{…},`; no key of Flink holds a quote or a backslash.
        self._lines = {line[1 : line.index('"', 1)]: line for line in text.split("\n")[1:-2]}
        self._entries: dict[str, _Entry] = {}
        self._families: dict[str, list[str]] = {}
        for key in self._lines:
            if "<" in key:
                self._families.setdefault(key.partition(".")[0], []).append(key)
        self._templates: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
        self._instances: dict[str, tuple[str, ...]] = {}
        self._deepest = max((key.count(".") + 1 for key in self._lines), default=0)
        self._accepted: dict[tuple[str, int], Acceptance | None] = {}
        self._current_names: dict[str, tuple[str, ...]] = {}
        self._readings: dict[tuple[str, int], tuple[str, Option | None, tuple[str, ...]]] = {}
        self._release_ranges: dict[str, list[_ReleaseRange]] = {}
        self._as_of: dict[Release, Catalogue] = {}

    def as_of(self, release: Release) -> Catalogue:
        """The catalogue with the minor of a release as it was in its patch; this one for an unknown or the
        latest patch, or for a release outside the catalogue."""
        if release.patch is None or release.place is None:
            return self
        found = self._as_of.get(release)
        if found is None:
            changed: dict[str, _Entry] = {}
            for key, line in self._lines.items():
                if '"drift":' in line:
                    before = _before(_data(line), release.place, release.patch)
                    if before is not None:
                        changed[key] = _Entry(key, before)
            found = self
            if changed:
                found = Catalogue("")
                found._lines, found._families, found._entries = self._lines, self._families, changed
                found._deepest = self._deepest
            self._as_of[release] = found
        return found

    def _entry(self, key: str) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is None:
            line = self._lines.get(key)
            if line is None:
                return None
            entry = self._entries[key] = _Entry(key, _data(line))
        return entry

    def option(self, key: str, index: int) -> Option | None:
        """The option whose primary key is `key` in a minor."""
        entry = self._entry(key)
        return entry.option(index) if entry else None

    def reading(self, key: str, index: int) -> tuple[str, Option | None, tuple[str, ...]]:
        """What a minor calls the option with this (newest) primary key (the key itself where it has none), the option,
        and the keys it looks for, in their order."""
        try:
            return self._readings[key, index]
        except KeyError:
            name = self.primary_name(key, index) or key
            option = self.option(name, index)
            if option is None and (accepted := self.accept(name, index)) and accepted.how == "template":
                option = accepted.option
            keys = () if option is None else (name, *option.lookup_order)
            found = self._readings[key, index] = name, option, keys
            return found

    def accept(self, key: str, index: int) -> Acceptance | None:
        """How a minor reads a key someone wrote; None if it does not know it.

        A primary key is that before all else. Where a key is an alias of several options (``web.port``),
        one of them is named: one it is a deprecated alias of rather than a fallback, and one that is not
        deprecated itself.
        """
        try:
            return self._accepted[key, index]
        except KeyError:
            found = self._accepted[key, index] = self._find(key, index)
            return found

    def _find(self, key: str, index: int) -> Acceptance | None:
        plain = self._plain(key, index)
        if plain:
            return plain
        for template in self._templates_of(key):
            option = self.option(template, index)
            if option:
                return Acceptance(option, "template")
            if self._until(template) < index:
                # Dropped by Flink: not to be taken for a parameter of the reporter (`….class` in 2.x).
                return None
        # An entry of a map may stand under the aliases of its option as well, but not of one of type List<Map>
        # (tried with Configuration.getOptional of 1.11, 1.13, 1.14, 1.20 and 2.3).
        for prefix in self._prefixes(key) if index >= FIRST_PREFIX_MAP else ():
            parent = self._plain(prefix, index)
            if parent and parent.option.type == "Map":
                return Acceptance(parent.option, "map")
        return None

    def _plain(self, key: str, index: int) -> Acceptance | None:
        """The acceptance as a primary key or an alias."""
        entry = self._entry(key)
        if entry is None:
            return None
        option = entry.option(index)
        if option:
            return Acceptance(option, "primary")
        for wanted in ("deprecated", "fallback"):
            found: Option | None = None
            for first, last, primary, how in entry.aliases:
                if how == wanted and first <= index <= last:
                    option = self.option(primary, index)
                    if option and (found is None or (found.deprecated and not option.deprecated)):
                        found = option
            if found:
                return Acceptance(found, wanted)
        return None

    def readers(self, key: str, index: int) -> frozenset[str]:
        """The options (their primary keys) a minor reads a plain key for: its own, and all it is an alias of."""
        entry = self._entry(key)
        if entry is None:
            return frozenset()
        names = [primary for first, last, primary, _ in entry.aliases if first <= index <= last]
        return frozenset(name for name in (key, *names) if self.option(name, index))

    def _prefixes(self, key: str) -> Iterator[str]:
        """The keys of which a key could be an entry, the longest first; none is deeper than the catalogue's deepest."""
        segments = key.split(".", self._deepest + 1)[:-1]
        for length in range(min(len(segments), self._deepest), 0, -1):
            yield ".".join(segments[:length])

    def _templates_of(self, key: str) -> tuple[str, ...]:
        """The templates that a key is an instance of, the most specific ones first."""
        found = self._instances.get(key)
        if found is None:
            patterns = self._templates_for(key) if len(key) <= LONGEST_KEY else ()
            found = self._instances[key] = tuple(template for template, pattern in patterns if pattern.fullmatch(key))
        return found

    def _templates_for(self, key: str) -> list[tuple[str, re.Pattern[str]]]:
        """The templates that begin as the key does, the most specific ones first."""
        start = key.partition(".")[0]
        families = self._families.get(start)
        if families is None:
            return []
        templates = self._templates.get(start)
        if templates is None:
            ordered = sorted(families, key=lambda t: (-len(re.sub(_PLACEHOLDER, "", t)), t))
            templates = self._templates[start] = [(t, _pattern(t)) for t in ordered]
        return templates

    def passes_through(self, key: str) -> bool:
        """Whether a key is handed on to something whose options no release on the index declares: file
        systems, Hive, the Kubernetes operator. Such a key is never unknown."""
        return key.startswith(PASS_THROUGH)

    def has_prefix(self, prefix: str) -> bool:
        """Whether some key, in any release, is the prefix or goes on with a dot after it."""
        dotted = prefix + "."
        return prefix in self._lines or any(key.startswith(dotted) for key in self._lines)

    def release_range(self, key: str, index: int) -> tuple[int, int]:
        """The widest stretch of minors around one over which `option`, `accept` and `primary_name` give
        the same answers about a key."""
        for release_range in self._release_ranges_of(key):
            if index <= release_range.last:
                break
        return release_range.first, release_range.last

    def _release_ranges_of(self, key: str) -> list[_ReleaseRange]:
        """All minors as stretches of equal answers; asked once at the start of each part between changes."""
        found = self._release_ranges.get(key)
        if found is None:
            found = self._release_ranges[key] = []
            starts = sorted({0, *self._changes(key, set())} - {len(MINORS)})
            for start, end in zip(starts, [*starts[1:], len(MINORS)], strict=True):
                answers = self.option(key, start), self.accept(key, start), self.primary_name(key, start)
                if found and found[-1].answers == answers:
                    found[-1] = found[-1]._replace(last=end - 1)
                else:
                    found.append(_ReleaseRange(start, end - 1, answers))
        return found

    def _changes(self, key: str, seen: set[str]) -> set[int]:
        """The minors in which an answer about a key may change: where anything it depends on begins or ends."""
        seen.add(key)
        entry = self._entry(key)
        changes: set[int] = set()
        related = list(self._templates_of(key))
        if entry:
            for option in entry.definitions:
                changes |= {option.first, option.last + 1}
                related += option.deprecated_keys
            for first, last, primary, _ in entry.aliases:
                changes |= {first, last + 1}
                related.append(primary)
        for parent in self._prefixes(key):
            if parent in self._lines:
                changes.add(FIRST_PREFIX_MAP)
                related.append(parent)
        for other in related:
            if other not in seen:
                changes |= self._changes(other, seen)
        return changes

    def releases(self, key: str) -> list[int]:
        """The minors that accept a key in any way."""
        return [
            index
            for release_range in self._release_ranges_of(key)
            if release_range.answers[1]
            for index in range(release_range.first, release_range.last + 1)
        ]

    def primary_name(self, key: str, index: int) -> str | None:
        """What the option with this (newest) primary key is called in a minor, back along the chain of
        deprecated keys; None where there is no such option. Fallback keys are other options."""
        return self._name_before(key, index, ())

    def _name_before(self, key: str, index: int, seen: tuple[str, ...]) -> str | None:
        entry = self._entry(key)
        if entry is None:
            accepted = self.accept(key, index)
            return key if accepted and accepted.how == "template" else None
        if entry.option(index):
            return key
        for option in entry.definitions:
            for old in option.deprecated_keys if option.first > index else ():
                if old != key and old not in seen:
                    name = self._name_before(old, index, (*seen, key))
                    if name:
                        return name
        return None

    def current_names(self, key: str) -> tuple[str, ...]:
        """The newest primary keys an accepted spelling can stand for: itself if it is one, the last one it
        had if the option was removed; empty if no release knows it. Instances of families and entries of
        maps are their own."""
        try:
            return self._current_names[key]
        except KeyError:
            found = self._current_names[key] = self._current(key, ())
            return found

    def _current(self, key: str, seen: tuple[str, ...]) -> tuple[str, ...]:
        entry = self._entry(key)
        if entry is None:
            return (key,) if self.releases(key) else ()
        lasts = [*(option.last for option in entry.definitions), *(alias[1] for alias in entry.aliases)]
        last = max(lasts, default=0)
        option = entry.option(last)
        if option and (last == NEWEST or not option.deprecated) and not self._moved(entry, last):
            return (key,)
        for how in ("deprecated", "fallback"):
            names: dict[str, None] = {}
            for _, end, primary, kind in entry.aliases:
                if kind == how and end == last and primary not in seen:
                    names.update(dict.fromkeys(self._current(primary, (*seen, key))))
            if names:
                return tuple(names)
            if option:
                break
        return (key,)

    def _moved(self, entry: _Entry, last: int) -> bool:
        """Whether a key, primary up to its last minor, is by then an alias of an option that outlives it."""
        return any(
            how == "deprecated" and end == last and self._until(primary) > last
            for _, end, primary, how in entry.aliases
        )

    def _until(self, key: str) -> int:
        entry = self._entry(key)
        return max((o.last for o in entry.definitions), default=0) if entry else 0

    def keys(self, index: int) -> Iterator[Option]:
        """All primary options of a minor, sorted by key; families under their template."""
        for key in self._lines:
            option = self.option(key, index)
            if option:
                yield option

    def spellings(self) -> Iterator[tuple[str, bool]]:
        """Every key and template of any minor, with whether it is ever a map, which has keys below it."""
        for key, line in self._lines.items():
            yield key, '"type":"Map"' in line


def _pattern(template: str) -> re.Pattern[str]:
    """What the instances of a template look like.

    The name of a reporter holds neither dots nor blanks (Flink finds the names by that very pattern); the
    other names are put into keys as they are. A placeholder at the end stands for any rest.
    """
    parts = []
    for part in re.split(_PLACEHOLDER, template):
        if not part.startswith("<"):
            parts.append(re.escape(part))
        elif part == "<name>":
            parts.append(r"[^\s.]+")
        else:
            parts.append(r".+?")
    return re.compile("".join(parts))


_catalogue: Catalogue | None = None


def catalogue() -> Catalogue:
    """The catalogue, read once per process."""
    global _catalogue
    if _catalogue is None:
        # pathlib would cost more than the rest of the loading.
        path = os.path.join(os.path.dirname(__file__), "options.json")
        with open(path, encoding="utf-8") as file:
            _catalogue = Catalogue(file.read())
    return _catalogue
