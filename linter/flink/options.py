"""The option catalogue: the options and keys of every minor Flink release since 1.9.

The data in ``options.json`` is reflected from the released classes (see `linter.flink.generate`, which also describes
the format of the file). A run needs a few dozen keys, so the file is only split into lines, and a line is decoded when
its key is first requested.

Minor releases are given by their index in `linter.flink.releases.MINORS`, and mean their latest patch unless the
catalogue is one of `Catalogue.as_of`.
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
    # File systems read all keys with their prefixes; their jars are not on the package index used for the catalogue.
    *("s3.", "s3a.", "fs.s3.", "fs.s3a.", "fs.s3n.", "presto.s3.", "gs.", "fs.gs."),
    *("azure.", "fs.azure.", "fs.abfs.", "fs.abfss.", "fs.wasb.", "fs.wasbs.", "fs.adl.", "dfs.adls."),
    *("oss.", "fs.oss.", "swift.", "fs.swift.", "fs.cosn.", "fs.obs."),
    # The Kubernetes operator and its autoscaler read their keys from the configuration of the job.
    *("kubernetes.operator.", "job.autoscaler."),
    # Hive and the table formats in connector jars.
    *("hive.", "table.exec.hive.", "table.exec.iceberg.", "paimon."),
    # Keys that Flink sets itself, seen in configurations that were copied from a running cluster.
    *("$internal.", "internal.", "python.internal.", "kubernetes.internal."),
)
"""The prefixes of keys that Flink passes on to components whose options its own classes do not declare."""
FIRST_PREFIX_MAP = MINORS.index("1.14")
"""The index in `MINORS` of the first release that reads ``option.entry: value`` as an entry of a Map option."""

# Patterns are compiled where they are used: few runs meet a family or an unknown key.
_PLACEHOLDER = r"(<[^<>]*>)"


class Option:
    """The definition of an option (type, default, aliases) in a range of minor releases.

    Values of `default` are as Flink prints them. A key has several definitions if releases define it differently.
    """

    __slots__ = (
        "default", "deprecated", "deprecated_keys", "enum", "fallback_keys", "first", "has_default", "key",
        "last", "lookup_order", "since", "suffix", "templated", "type", "until",
    )  # fmt: skip

    key: str
    """The primary key, or the template for a family of keys, such as ``metrics.reporter.<name>.port``."""
    type: str
    """The type of the option's values, such as ``String``, ``MemorySize``, ``Enum`` or ``List<…>``.

    One of ``String``, ``Boolean``, ``Integer``, ``Long``, ``Float``, ``Double``, ``Duration``, ``MemorySize``, ``Map``,
    ``Enum`` (any Java enum), or ``List<…>`` of one of them.
    """
    default: Any
    """The option's default as a str, int, float, bool, list or dict; None if the option has none.

    Sizes and durations are texts in their largest exact unit (``64 mb``, ``10 s``), enum constants their toString().
    What depends on the machine or the release number is a token: ``${java.io.tmpdir}``, ``${cores}``,
    ``${flink.version}``.
    """
    has_default: bool
    enum: tuple[str, ...]
    fallback_keys: tuple[str, ...]
    deprecated_keys: tuple[str, ...]
    lookup_order: tuple[str, ...]
    """The option's aliases in the order in which Flink tries them after the primary key."""
    deprecated: bool
    """Whether all declarations of the key in the releases from `first` to `last` are annotated with @Deprecated."""
    templated: bool
    suffix: str | None
    """The key without its prefix (``factory.class``) if Flink reads the option under a prefix; otherwise None."""
    first: int
    last: int
    """The index of the last minor release with exactly this definition; `first` is the index of the first one."""
    since: int
    until: int
    """The index of the last minor release in which `key` is a primary key; `since` is the index of the first one."""

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
    """How a minor release reads a key: the option that the key sets, and the kind of key (primary, alias, ...).

    `how` is ``primary``, ``deprecated``, ``fallback``, ``template`` (an instance of one) or ``map`` (an entry of one).
    """

    option: Option
    how: str


_Alias = tuple[int, int, str, str]
"""First and last minor release, the primary key, and ``deprecated`` or ``fallback``."""


class _ReleaseRange(NamedTuple):
    """Minor releases with the same results for one key: its option, its acceptance, its primary name."""

    first: int
    last: int
    answers: tuple[Option | None, Acceptance | None, str | None]


class _Entry:
    """The decoded line of a key."""

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


_decode = json.JSONDecoder().raw_decode  # for a line, json.loads takes half as long again


def _data(line: str) -> dict[str, Any]:
    data: dict[str, Any] = _decode(line, line.index('":') + 2)[0]
    return data


def _before(data: dict[str, Any], index: int, patch: int) -> dict[str, Any] | None:
    """Return the line as of an earlier patch of a minor release; None if it is the same."""
    # Newest first, so that the oldest of the later changes remains.
    ahead = [change for change in reversed(data["drift"]) if change["minor"] != index or patch < change["before"]]
    earlier = {change["minor"]: change["definition"] for change in ahead}
    if index not in earlier:
        return None
    by_minor = {index: earlier[index]}
    # A change that a patch of each of several minor releases added was not in the older ones either.
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


MAX_SEGMENTS = 10
"""The maximum number of dot-separated segments of a key in the catalogue."""
LONGEST_KEY = 500
"""The maximum length of a key to match against templates; matching time grows with the square of the length."""


class Catalogue:
    """The options of all minor releases; the function `catalogue` returns the instance that the process shares."""

    def __init__(self, text: str) -> None:
        # Every line between the braces is `"key":{…},`; no key of Flink contains a quote or a backslash.
        self._lines = {line.split('"', 2)[1]: line for line in text.split("\n")[1:-2]}
        self._entries: dict[str, _Entry] = {}
        self._families: dict[str, list[str]] = {}
        for key in [key for key in self._lines if "<" in key]:
            self._families.setdefault(key.partition(".")[0], []).append(key)
        self._templates: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
        self._instances: dict[str, tuple[str, ...]] = {}
        self._accepted: dict[tuple[str, int], Acceptance | None] = {}
        self._current_names: dict[str, tuple[str, ...]] = {}
        self._readings: dict[tuple[str, int], tuple[str, Option | None, tuple[str, ...]]] = {}
        self._release_ranges: dict[str, list[_ReleaseRange]] = {}
        self._as_of: dict[Release, Catalogue] = {}

    def as_of(self, release: Release) -> Catalogue:
        """Return the catalogue as it was in the patch release `release`.

        Returns this catalogue for an unknown or the latest patch, and for a release outside of the catalogue.
        """
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
        """Return the option whose primary key in a minor release is `key`; None if there is none."""
        entry = self._entry(key)
        return entry.option(index) if entry else None

    def reading(self, key: str, index: int) -> tuple[str, Option | None, tuple[str, ...]]:
        """Return an option's primary key in a minor release, its definition, and the keys that are read for it.

        `key` is the newest primary key, which is also the name if the release does not have the option.
        """
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
        """Return how a minor release reads `key`; None if the release does not know the key.

        A primary key takes precedence. If a key is an alias of several options (``web.port``), one of them is chosen: a
        deprecated alias rather than a fallback, and an option that is not deprecated itself.
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
                # Removed from Flink: it must not be read as a parameter of the reporter (`….class` in 2.x).
                return None
        # An entry of a map may also be below the aliases of its option, but not for one of type List<Map>
        # (tried with Configuration.getOptional of 1.11, 1.13, 1.14, 1.20 and 2.3).
        for prefix in self._prefixes(key) if index >= FIRST_PREFIX_MAP else ():
            parent = self._plain(prefix, index)
            if parent and parent.option.type == "Map":
                return Acceptance(parent.option, "map")
        return None

    def _plain(self, key: str, index: int) -> Acceptance | None:
        """Return the acceptance as a primary key or an alias."""
        entry = self._entry(key)
        if entry is None:
            return None
        option = entry.option(index)
        if option:
            return Acceptance(option, "primary")
        for kind in ("deprecated", "fallback"):
            found: Option | None = None
            for first, last, primary, how in entry.aliases:
                if how == kind and first <= index <= last:
                    option = self.option(primary, index)
                    if option and (found is None or (found.deprecated and not option.deprecated)):
                        found = option
            if found:
                return Acceptance(found, kind)
        return None

    def readers(self, key: str, index: int) -> frozenset[str]:
        """Return the primary keys of all options that a minor release reads from `key`, ignoring templates and maps."""
        entry = self._entry(key)
        if entry is None:
            return frozenset()
        names = [primary for first, last, primary, _ in entry.aliases if first <= index <= last]
        return frozenset(name for name in (key, *names) if self.option(name, index))

    def _prefixes(self, key: str) -> Iterator[str]:
        """Yield the keys that a key could be a map entry of, the longest first, up to the depth of the catalogue."""
        segments = key.split(".", MAX_SEGMENTS + 1)[:-1]
        for length in range(min(len(segments), MAX_SEGMENTS), 0, -1):
            yield ".".join(segments[:length])

    def _templates_of(self, key: str) -> tuple[str, ...]:
        """Return the templates that a key is an instance of, the most specific ones first."""
        found = self._instances.get(key)
        if found is None:
            patterns = self._templates_for(key) if len(key) <= LONGEST_KEY else ()
            found = self._instances[key] = tuple(template for template, pattern in patterns if pattern.fullmatch(key))
        return found

    def _templates_for(self, key: str) -> list[tuple[str, re.Pattern[str]]]:
        """Return the templates with the same first segment as a key, the most specific ones first."""
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
        """Return whether Flink passes a key on to a component whose options are not in the catalogue.

        These are file systems, Hive and the Kubernetes operator. Such a key is never unknown.
        """
        return key.startswith(PASS_THROUGH)

    def defines(self, key: str) -> bool:
        """Return whether any release defines an option with exactly this key; much faster than `releases`."""
        return key in self._lines

    def has_prefix(self, prefix: str) -> bool:
        """Return whether any release has a key that is `prefix` or begins with `prefix` and a dot."""
        dotted = prefix + "."
        return prefix in self._lines or any(key.startswith(dotted) for key in self._lines)

    def release_range(self, key: str, index: int) -> tuple[int, int]:
        """Return the first and last of the minor releases around `index` that read `key` in the same way.

        That is, with the same results of `option`, `accept` and `primary_name`.
        """
        for release_range in self._release_ranges_of(key):
            if index <= release_range.last:
                break
        return release_range.first, release_range.last

    def _release_ranges_of(self, key: str) -> list[_ReleaseRange]:
        """Return all minor releases as ranges with equal results, evaluated once after each change."""
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
        """Return the minor releases in which a result for a key may change, including related keys."""
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
        """Return the minor releases that accept a key, whether as a current, old, template or prefix key."""
        return [
            index
            for release_range in self._release_ranges_of(key)
            if release_range.answers[1]
            for index in range(release_range.first, release_range.last + 1)
        ]

    def primary_name(self, key: str, index: int) -> str | None:
        """Return the primary key, in a minor release, of the option whose newest key is `key`; None if it has none.

        Follows the chain of deprecated keys back. Fallback keys are other options.
        """
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
        """Return the newest primary keys of the options that a key sets in some release.

        This is the key itself if it is one, or the last primary key of a removed option; empty if no release knows the
        key. Instances of families and entries of maps stand for themselves.
        """
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
        """Return whether a key ends as a primary key by becoming an alias of an option that outlives it."""
        return any(
            how == "deprecated" and end == last and self._until(primary) > last
            for _, end, primary, how in entry.aliases
        )

    def _until(self, key: str) -> int:
        entry = self._entry(key)
        return max((o.last for o in entry.definitions), default=0) if entry else 0

    def keys(self, index: int) -> Iterator[Option]:
        """Yield the options of a minor release, sorted by primary key; a family of keys occurs once, as a template."""
        for key in self._lines:
            option = self.option(key, index)
            if option:
                yield option

    def spellings(self) -> Iterator[tuple[str, bool]]:
        """Yield each key and template of all minor releases, and whether any option with this key has the type Map."""
        for key, line in self._lines.items():
            yield key, '"type":"Map"' in line


def _pattern(template: str) -> re.Pattern[str]:
    """Return the pattern of the instances of a template.

    The name of a reporter contains neither dots nor blanks (Flink finds the names by that same pattern); other names
    are put into keys as they are. A placeholder at the end matches any rest.
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
    """Return the catalogue, which is read once per process."""
    global _catalogue
    if _catalogue is None:
        # pathlib would cost more than the rest of the loading.
        path = os.path.join(os.path.dirname(__file__), "options.json")
        with open(path, encoding="utf-8") as file:
            _catalogue = Catalogue(file.read())
    return _catalogue
