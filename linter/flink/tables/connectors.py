"""The options of table connectors, formats, catalogs, modules and pipeline connectors, by the connectors' releases.

The data in ``connectors.json`` is what the factories in the released jars say and do (see
`linter.flink.generate.connectors`, which also describes the file). It is read when a table, a catalog or the command
line first names a connector. Where the release of a connector is not known, those count that fit the Flink at hand.
"""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.text.named_tuple import NamedTuple

SECTIONS = ("connectors", "formats", "catalogs", "modules", "pipelines")
"""What has factories."""

ANY_FORMAT = "{format}."
"""The prefix that stands for the prefixes of a table's formats."""

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "connectors.json")
_FLINK = "flink"
_FIRST_OF_2 = MINORS.index("2.0")
_FIELD = r"fields\.(.+)\.([^.]+)"


class TableOption(NamedTuple):
    """An option of a table, format or catalog: as `linter.flink.options.Option`, but for releases of the connector."""

    key: str
    type: str
    values: tuple[str, ...]
    exact: bool
    """Whether the values are compared with their case."""
    default: Any
    aliases: tuple[str, ...]
    required: bool


class ConnectorRelease(NamedTuple):
    """A release of a connector: its version, the index of the Flink it is for, and whether it is for others as well."""

    version: str
    flink: int
    for_several: bool

    @property
    def is_of_flink(self) -> bool:
        """Whether the connector was released with Flink itself."""
        return not self.for_several and self.version.startswith(f"{MINORS[self.flink]}.")


class Line(NamedTuple):
    """A connector as it is released: the Maven artifacts and the releases, the oldest first."""

    name: str
    artifacts: tuple[str, ...]
    releases: tuple[ConnectorRelease, ...]
    more: bool
    """Whether there are later releases, whose options are not known."""

    @property
    def is_shipped(self) -> bool:
        """Whether Flink's distribution has the connector."""
        return self.name == _FLINK

    def fitting(self, index: int | None, versions: Collection[str] = ()) -> tuple[int, ...]:
        """Return the places of the releases that may run: of some versions, or with a minor release of Flink.

        All releases may if nothing is known, or if none is known to fit.
        """
        places = range(len(self.releases))
        found = [place for place in places if any(_is_of_line(self.releases[place].version, one) for one in versions)]
        if not found and index is not None:
            found = [place for place in places if self._fits(self.releases[place], index)]
        return tuple(found or places)

    def _fits(self, release: ConnectorRelease, index: int) -> bool:
        if self.is_shipped:
            return release.flink == index
        if release.for_several:
            return True
        if release.is_of_flink:
            return abs(release.flink - index) <= 1
        # A jar for an older Flink mostly works; one for a much newer Flink does not.
        return (release.flink >= _FIRST_OF_2) is (index >= _FIRST_OF_2) and release.flink <= index + 1

    def is_complete(self, index: int | None, versions: Collection[str] = ()) -> bool:
        """Return whether all releases that may run are known."""
        if versions:
            return all(any(_is_of_line(one.version, version) for one in self.releases) for version in versions)
        return not self.more or (index is not None and index < self.releases[-1].flink)


class Factory(NamedTuple):
    """What one name of a connector, format or catalog stands for, over the releases of its line."""

    name: str
    section: str
    line: Line
    kinds: Mapping[str, Sequence[Sequence[int]]]
    open: Sequence[Sequence[int]]
    prefix_ranges: Mapping[str, Sequence[Sequence[int]]]
    ranges: Mapping[str, Sequence[Sequence[int]]]
    definitions: Sequence[Mapping[str, Any]]

    def is_open(self, places: Iterable[int]) -> bool:
        """Return whether one of some releases takes any key, or may."""
        return any(_has(self.open, place) for place in places)

    def prefixes(self, places: Iterable[int]) -> tuple[str, ...]:
        """Return the prefixes below which one of some releases takes any key."""
        places = tuple(places)
        ranges = self.prefix_ranges.items()
        return tuple(prefix for prefix, found in ranges if any(_has(found, place) for place in places))

    def option(self, key: str, places: Iterable[int]) -> TableOption | None:
        """Return an option as some releases have it, including those of datagen for columns; None if none has it.

        The default is that of the newest; values are those that any takes, but none if the newest lists none, and the
        type is empty if they differ in it.
        """
        key, found = self._ranges_of(key)
        taken: list[int] = []
        is_required = True
        for place in sorted(places, reverse=True):
            number, *rest = next(
                ((number, *rest) for first, last, number, *rest in found if first <= place <= last), [-1]
            )
            if number >= 0 and number not in taken:
                taken.append(number)
            is_required = is_required and bool(rest)
        if not taken:
            return None
        have = [self.definitions[number] for number in taken]
        return TableOption(
            key,
            have[0]["type"] if len({one["type"] for one in have}) == 1 else "",
            tuple(dict.fromkeys(value for one in have for value in one.get("enum", ()))) if "enum" in have[0] else (),
            all(one.get("exact", False) for one in have),
            have[0].get("default"),
            tuple(dict.fromkeys(alias for one in have for alias in one.get("aliases", ()))),
            is_required,
        )

    def _ranges_of(self, key: str) -> tuple[str, Sequence[Sequence[int]]]:
        """Return the primary key of an option or of its family for columns, with its ranges."""
        if key in self.ranges:
            return key, self.ranges[key]
        field = re.fullmatch(_FIELD, key)
        if field is not None:
            return f"fields.#.{field[2]}", self.ranges.get(f"fields.#.{field[2]}", ())
        for name, found in self.ranges.items():
            if any(key in self.definitions[number].get("aliases", ()) for _, _, number, *_ in found):
                return name, found
        return key, ()

    def options(self, places: Sequence[int]) -> list[TableOption]:
        """Return all options of some releases, by key."""
        return [option for key in self.ranges if (option := self.option(key, places)) is not None]

    def keys(self, places: Sequence[int]) -> frozenset[str]:
        """Return the keys that one of some releases knows, aliases too."""
        return frozenset(key for option in self.options(places) for key in (option.key, *option.aliases))

    def required(self, places: Iterable[int]) -> list[str]:
        """Return the keys without which none of some releases creates anything."""
        places = tuple(places)
        return [key for key in self.ranges if (option := self.option(key, places)) is not None and option.required]

    def places(self, key: str) -> list[int]:
        """Return the places of the releases that have an option."""
        return [place for first, last, *_ in self.ranges.get(key, ()) for place in range(first, last + 1)]

    @property
    def own_places(self) -> list[int]:
        """The places of the releases that have the factory itself."""
        ranges = [one for found in self.kinds.values() for one in found]
        return sorted({place for first, last in ranges for place in range(first, last + 1)})


class Connectors:
    """All factories that are known."""

    def __init__(self, text: str) -> None:
        """Take the text of the file."""
        read = json.loads(text)
        self.lines = {
            name: Line(
                name,
                tuple(one["artifacts"]),
                tuple(ConnectorRelease(r[0], MINORS.index(r[1]), len(r) > 2) for r in one["releases"]),
                one.get("more", False),
            )
            for name, one in read["lines"].items()
        }
        self._definitions = read["definitions"]
        self._sections = {section: read[section] for section in SECTIONS}

    def names(self, *sections: str) -> list[str]:
        """Return the names of the factories of some sections, by default of all."""
        return sorted({name for section in sections or SECTIONS for name in self._sections[section]})

    def factory(self, section: str, name: str) -> Factory | None:
        """Return the factory of a name; None if there is none."""
        found = self._sections[section].get(name)
        if found is None:
            return None
        return Factory(
            name, section, self.lines[found["line"]], found["kinds"], found["open"], found["prefixes"],
            found["options"], self._definitions,
        )  # fmt: skip


@cache
def connectors() -> Connectors:
    """Return the catalogue of connectors, which is read once per process."""
    with open(_FILE, encoding="utf-8") as file:
        return Connectors(file.read())


def _has(ranges: Iterable[Sequence[int]], place: int) -> bool:
    return any(first <= place <= last for first, last in ranges)


def _is_of_line(version: str, other: str) -> bool:
    """Return whether two versions differ in the patch alone: ``3.0.1-1.17`` and ``3.0.2-1.17``."""
    return _line_of(version) == _line_of(other)


def _line_of(version: str) -> tuple[str, str]:
    numbers, _, rest = re.sub(r"[-_](?:flink-|incubating)", "-", version).partition("-")
    return ".".join(numbers.split(".")[:2]), re.sub(r"_2\.\d+$", "", rest)
