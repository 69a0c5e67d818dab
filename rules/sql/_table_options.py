"""The options that a script gives its tables and catalogs, and those that their factories take.

Which options there are is known by the releases of a connector (`linter.flink.tables.connectors`). The release is that
of the project's build or jar; where it is not known, an option counts as unknown only if no release takes it that fits
the Flink at hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from flink_flint.linter.flink.nearest import slips
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.flink.tables.connectors import ANY_FORMAT, Factory, TableOption, connectors
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.model.release_evidence.connector_releases import connector_versions
from flink_flint.linter.model.rule import Finding
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.sql._queries import queries

_ANYWHERE = frozenset(("connector", "property-version"))
_OF_CATALOGS = frozenset(("type", "property-version"))
_STEERED = ("{%", "<%")
_LONGEST_PREFIX_SLIP = 3


class Known(NamedTuple):
    """A factory in the releases that may run."""

    factory: Factory
    places: tuple[int, ...]
    complete: bool
    """Whether there is no release that may run besides, whose options are not known."""

    def option(self, key: str) -> TableOption | None:
        """Return an option as the newest of the releases has it; None if none has it."""
        return self.factory.option(key, self.places)

    @property
    def takes_any(self) -> bool:
        """Whether one of the releases takes any key, or may."""
        return not self.complete or self.factory.is_open(self.places)

    @property
    def keys(self) -> frozenset[str]:
        """The keys that one of the releases knows."""
        return self.factory.keys(self.places)

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The prefixes below which one of the releases takes any key."""
        return self.factory.prefixes(self.places)

    def elsewhere(self, key: str) -> str | None:
        """Return since or until when there is an option, if other releases have it; None if none has."""
        places = self.factory.places(key)
        if not places:
            return None
        releases = self.factory.line.releases
        if min(places) > max(self.places):
            return f"comes with {self._spelled(releases[min(places)])}"
        if max(places) < min(self.places):
            return f"is gone after {self._spelled(releases[max(places)])}"
        return None

    def _spelled(self, release: Any) -> str:
        if self.factory.line.is_shipped:
            return f"Flink {MINORS[release.flink]}"
        return f"{self.factory.line.name} {release.version}"


def known(config: View, section: str, name: str) -> Known | None:
    """Return a factory in the releases that may run with the target; None if there is no such factory."""
    factory = connectors().factory(section, name)
    if factory is None:
        return None
    line, index = factory.line, config.index if config.target.certain else None
    versions: Collection[str] = ()
    if not line.is_shipped:
        versions = connector_versions(config.document.directory, config.document.text, line.artifacts)
    if index is not None:
        config.configuration.restrict(index, index)  # the releases that fit are those for this one
    places = tuple(place for place in line.fitting(index, versions) if place in factory.own_places)
    if index is None and line.is_shipped:  # where no release is known, not those before keys were checked
        places = tuple(place for place in places if not factory.is_open((place,))) or places
    return Known(factory, places, line.is_complete(index, versions)) if places else None


class Given(NamedTuple):
    """An option that a script gives a table, in the WITH clause or in a query's hint."""

    key: str
    attribute: Attribute
    name: str
    """The name of the attribute that contains the option."""
    part: ElementView
    """The element with the attribute: the table, or a table that a query reads or writes."""


Prefixes = Mapping[str, "Known | None"]
"""The formats of a table by the prefix of their options; None means that any option is allowed."""


class Use(NamedTuple):
    """A table of a known connector, with the options of its WITH clause and possibly of a hint."""

    table: ElementView
    connector: Known
    formats: Mapping[str, Known | None]
    """The formats by their names; None for one that is not known, or takes any option."""
    given: list[Given]
    """The given options that are to be checked."""
    values: Mapping[str, object]
    """The values of all effective options; None for an unknown value."""

    @property
    def name(self) -> str:
        """The name of the connector."""
        return self.connector.factory.name

    def prefixes(self) -> Prefixes | None:
        """Return the options of the table's formats by prefix; None if a format is unknown."""
        options = self._format_options()
        if not self.table.is_known("with") and not any(option in self.values for option in options):
            return None  # a template may set it
        found: dict[str, Known | None] = {}
        for option in options:
            if option in self.values:
                name = self.values[option]
                if not isinstance(name, str):
                    return None
                prefix = f"{option.removesuffix('format')}{name}."
                one = self.formats.get(name)
                found[prefix] = one if one is not None and self._is_it(one, prefix) else None
        return found

    def _is_it(self, one: Known, prefix: str) -> bool:
        """Return whether a format is the known one, and not another one of the same name with other options."""
        required = one.factory.required(one.places)
        return not required or any(prefix + key in self.values for key in required)

    def _format_options(self) -> list[str]:
        return [key for key in self.connector.keys if key == "format" or key.endswith(".format")]

    def is_unknown(self, key: str, prefixes: Prefixes) -> bool:
        """Return whether neither the connector nor a format of the table has an option."""
        if key in _ANYWHERE or key.startswith(self.connector.prefixes) or self.connector.option(key) is not None:
            return False
        for prefix, found in prefixes.items():
            if key.startswith(prefix) and (found is None or _has(found, key.removeprefix(prefix))):
                return False
        return True

    def option(self, key: str, prefixes: Prefixes) -> tuple[Known, TableOption] | None:
        """Return the option of the connector or of one of the formats, and what has it; None if there is none."""
        option = self.connector.option(key)
        if option is not None:
            return self.connector, option
        for prefix, found in prefixes.items():
            if found is not None and key.startswith(prefix):
                option = found.option(key.removeprefix(prefix))
                if option is not None:
                    return found, option
        return None

    def is_ignored(self, key: str, prefixes: Prefixes) -> bool:
        """Return whether the connector ignores an unknown option, since it begins with the table's format."""
        return ANY_FORMAT in self.connector.prefixes and key.startswith(tuple(prefixes))

    def elsewhere(self, key: str, prefixes: Prefixes) -> str | None:
        """Return since or until when the connector or a format has an option that it does not have here."""
        found = self.connector.elsewhere(key)
        for prefix, one in prefixes.items():
            if found is None and one is not None and key.startswith(prefix):
                found = one.elsewhere(key.removeprefix(prefix))
        return found

    def meant(self, key: str, prefixes: Prefixes) -> str | None:
        """Return the option that is most likely meant by an unknown key; None if none is similar."""
        keys = self.connector.keys
        candidates = [one for one in keys if "#" not in one]
        candidates += [prefix + rest for prefix, found in prefixes.items() if found for rest in found.keys]
        column = key.rpartition(".")[0]
        if column.startswith("fields."):
            candidates += [one.replace("fields.#", column) for one in keys if "#" in one]
        nearby = nearest(key, candidates)
        first, _, rest = key.partition(".")
        for prefix in self.connector.prefixes if nearby is None and rest else ():
            word = prefix.rstrip(".")
            if len(word) > 4 and slips(first, word, _LONGEST_PREFIX_SLIP) is not None:
                return prefix + rest
        return nearby

    def misspelt(self) -> set[str]:
        """Return the options that are probably meant by the unknown keys of the table."""
        prefixes = self.prefixes()
        if prefixes is None:
            return set()
        unknown = [one.key for one in self.given if self.is_unknown(one.key, prefixes)]
        return {found for key in unknown if (found := self.meant(key, prefixes)) is not None}


def _has(found: Known, key: str) -> bool:
    return found.option(key) is not None or key.startswith(found.prefixes)


def uses(config: View) -> Iterator[Use]:
    """Yield the tables of known connectors, and again with the options that hints of queries add.

    What a table takes over from another one (LIKE) is judged there.
    """
    by_name: dict[str, Use] = {}
    for table in config.elements("table"):
        connector = known(config, "connectors", table.text("connector") or "")
        if connector is None:
            continue
        given = [
            Given(key, attribute, f"with.{key}", table)
            for key, attribute in table.under("with")
            if attribute.key_span is not None and attribute.key_span.start > table.span().start
        ]
        values = {key: attribute.value for key, attribute in table.under("with")}
        use = Use(table, connector, _formats(config, values), given, values)
        by_name[table.name.rpartition(".")[2]] = use
        yield use
    yield from _hinted(config, by_name)


def _hinted(config: View, by_name: Mapping[str, Use]) -> Iterator[Use]:
    for query in queries(config):
        for member in (*query.items("sources"), *query.items("targets")):
            use = by_name.get((member.text("name") or "").rpartition(".")[2])
            given = [Given(key, attribute, f"options.{key}", member) for key, attribute in member.under("options")]
            if use is not None and given:
                hints = {one.key: one.attribute.value for one in given}
                values = {**use.values, **hints}
                yield use._replace(given=given, values=values, formats=_formats(config, values))


def _formats(config: View, values: Mapping[str, object]) -> dict[str, Known | None]:
    """Return the formats that the options of a table name."""
    found: dict[str, Known | None] = {}
    for key, name in values.items():
        if key.endswith("format") and isinstance(name, str):
            one = known(config, "formats", name)
            found[name] = None if one is None or one.takes_any else one
    return found


class CatalogUse(NamedTuple):
    """A catalog of a known type, with its options."""

    element: ElementView
    catalog: Known
    given: list[tuple[str, Attribute]]

    def unknown(self) -> list[str]:
        """Return the given options that the catalog does not take."""
        if self.catalog.takes_any:
            return []
        keys = self.catalog.keys | _OF_CATALOGS
        return [key for key, _ in self.given if key not in keys and not key.startswith(self.catalog.prefixes)]


def catalogs(config: View) -> Iterator[CatalogUse]:
    """Yield the catalogs of known types."""
    for element in config.elements("catalog"):
        catalog = known(config, "catalogs", element.text("type") or "")
        if catalog is not None:
            yield CatalogUse(element, catalog, list(element.under("with")))


def is_whole(config: View, table: ElementView) -> bool:
    """Return whether the file shows all options of a table: no template or other table adds any."""
    is_steered = any(map(config.document.mentions, _STEERED))
    return not table.has("like") and table.is_known("with") and not is_steered


def refused(use: Use, given: Given, why: str, help: str, **more: Any) -> Finding:  # noqa: A002 - as `ElementView.finding`
    """Return the finding on an option for which Flink refuses the table."""
    return found_on(use, given, f"{why}: Flink refuses the table when it is used", help=help, **more)


def found_on(use: Use, given: Given, message: str, **more: Any) -> Finding:
    """Return a finding on an option, with a key that includes the name of the table."""
    return given.part.finding(message, of=given.name, key=f"{use.table.name}.{given.name}", **more)


KAFKA = (
    "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', 'properties.bootstrap.servers' = 'k:9092',"
    " 'format' = 'json', %s);\n"
)
"""A CREATE TABLE statement with Kafka for test cases; ``%s`` stands for further options."""

FILES = "CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'json', %s);\n"
"""A CREATE TABLE statement with a file system for test cases; ``%s`` stands for further options."""


def nearest(key: str, known: Collection[str]) -> str | None:
    """Return the known key that a misspelled key most likely means; None if none is similar.

    A few slips of the pen (one in five characters, four at most), or one word too many or too few.
    """
    allowed = max(1, min(4, len(key) // 5))
    near = [(distance, one) for one in known if (distance := slips(key, one, allowed)) is not None]
    if near:
        return min(near)[1]
    words = _words(key)
    return min((one for one in known if _is_one_word_off(words, _words(one))), default=None)


def _words(key: str) -> list[str]:
    return re.findall(r"[^._-]+", key.lower())


def _is_one_word_off(ours: list[str], theirs: list[str]) -> bool:
    shorter, longer = sorted((ours, theirs), key=len)
    if len(longer) - len(shorter) > 1 or len(shorter) < 2:
        return False
    rest = list(longer)
    for word in shorter:
        if word not in rest:
            return False
        rest.remove(word)
    return True
