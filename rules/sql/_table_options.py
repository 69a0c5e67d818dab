"""The options of table connectors and formats, and the options that a script gives its tables.

The catalogue (`table_options.json`) holds, for each connector whose options are all known: whether Flink's own
distribution carries it (``shipped``), the prefixes below which it takes any key, which options name formats,
which it cannot do without (one of each list), which values of an option need another option, and its options with
their type, the values of an enumeration (``exact``: its case counts too) and the first or last release that has them.
Formats likewise, by the rest of the key behind their prefix.

What the distribution carries was read from its factories in each minor from 1.11 to 2.3 by reflection
(``requiredOptions()`` and ``optionalOptions()``); of the other connectors from the factories in
`apache/flink-connector-kafka`, `-jdbc` and `-aws`, over their releases, so that their keys count in any release of
Flink.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from flink_flint.linter.flink.nearest import slips
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.model.rule import Finding
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.sql._queries import queries

_CATALOGUE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "table_options.json")
_ANYWHERE = frozenset(("connector", "property-version"))
_FIELD = regex(r"fields\.(.+)\.([^.]+)")
_STEERED = ("{%", "<%")


class Option(NamedTuple):
    """An option of a connector or format: its type, allowed values and releases."""

    type: str
    values: tuple[str, ...] = ()
    exact: bool = False
    since: str | None = None
    until: str | None = None


class Connector(NamedTuple):
    """A connector with all its options."""

    name: str
    prefixes: tuple[str, ...]
    formats: tuple[str, ...]
    required: tuple[tuple[str, ...], ...]
    needs: Mapping[str, Mapping[str, tuple[str, ...]]]
    options: Mapping[str, Option]

    def option(self, key: str) -> Option | None:
        """Return the connector's option with a key, including datagen's options for columns; None if there is none."""
        found = self.options.get(key)
        if found is None:
            field = _FIELD.fullmatch(key)
            found = self.options.get(f"fields.#.{field[2]}") if field is not None else None
        return found


Prefixes = Mapping[str, "Mapping[str, Option] | None"]
"""The options below each prefix of a table's formats; None means that any option is allowed."""


class Given(NamedTuple):
    """An option that a script gives a table, in the WITH clause or in a query's hint."""

    key: str
    attribute: Attribute
    name: str
    """The name of the attribute that contains the option."""
    part: ElementView
    """The element with the attribute: the table, or a table that a query reads or writes."""


class Use(NamedTuple):
    """A table of a known connector, with the options of its WITH clause and possibly of a hint."""

    table: ElementView
    connector: Connector
    given: list[Given]
    """The given options that are to be checked."""
    values: Mapping[str, object]
    """The values of all effective options; None for an unknown value."""

    def prefixes(self) -> Prefixes | None:
        """Return the options of the table's formats by prefix; None if a format is unknown."""
        found: dict[str, Mapping[str, Option] | None] = {}
        if not self.table.is_known("with") and not any(option in self.values for option in self.connector.formats):
            return None  # a template may set it
        for option in self.connector.formats:
            if option not in self.values:
                continue
            name = self.values[option]
            if not isinstance(name, str):
                return None
            found[f"{option.removesuffix('format')}{name}."] = catalogue().formats.get(name)
        return found

    def is_unknown(self, key: str, prefixes: Prefixes) -> bool:
        """Return whether neither the connector nor a format of the table has an option."""
        if key in _ANYWHERE or key.startswith(self.connector.prefixes) or self.connector.option(key) is not None:
            return False
        for prefix, options in prefixes.items():
            if key.startswith(prefix) and (options is None or key.removeprefix(prefix) in options):
                return False
        return True

    def option(self, key: str, prefixes: Prefixes) -> Option | None:
        """Return the option of the connector or of one of the formats; None if there is none."""
        found = self.connector.option(key)
        for prefix, options in prefixes.items():
            if found is None and options is not None and key.startswith(prefix):
                found = options.get(key.removeprefix(prefix))
        return found

    def meant(self, key: str, prefixes: Prefixes) -> str | None:
        """Return the option that is most likely meant by an unknown key; None if none is similar."""
        known = [one for one in self.connector.options if "#" not in one]
        known += [prefix + rest for prefix, options in prefixes.items() for rest in options or ()]
        column = key.rpartition(".")[0]
        if column.startswith("fields."):
            known += [one.replace("fields.#", column) for one in self.connector.options if "#" in one]
        found = nearest(key, known)
        first, _, rest = key.partition(".")
        for prefix in self.connector.prefixes if found is None and rest else ():
            word = prefix.rstrip(".")
            if len(word) > 4 and slips(first, word, 3) is not None:
                return prefix + rest
        return found

    def misspelt(self) -> set[str]:
        """Return the options that are probably meant by the unknown keys of the table."""
        prefixes = self.prefixes()
        if prefixes is None:
            return set()
        unknown = [one.key for one in self.given if self.is_unknown(one.key, prefixes)]
        return {found for key in unknown if (found := self.meant(key, prefixes)) is not None}


class Catalogue(NamedTuple):
    """All known connectors and formats by name."""

    connectors: Mapping[str, Connector]
    formats: Mapping[str, Mapping[str, Option]]


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of connectors and formats, which is read once per process."""
    with open(_CATALOGUE, encoding="utf-8") as file:
        read = json.load(file)
    connectors = {
        name: Connector(
            name,
            tuple(one["prefixes"]),
            tuple(one["formats"]),
            tuple(tuple(group) for group in one["required"]),
            one["needs"],
            _options(one["options"]),
        )
        for name, one in read["connectors"].items()
    }
    return Catalogue(connectors, {name: _options(options) for name, options in read["formats"].items()})


def _options(read: Mapping[str, Mapping[str, Any]]) -> dict[str, Option]:
    return {key: Option(**{**one, "values": tuple(one.get("values", ()))}) for key, one in read.items()}


def uses(config: View) -> Iterator[Use]:
    """Yield the tables of known connectors, and again with the options that hints of queries add.

    What a table takes over from another one (LIKE) is judged there.
    """
    by_name: dict[str, Use] = {}
    for table in config.elements("table"):
        connector = catalogue().connectors.get(table.text("connector") or "")
        if connector is None:
            continue
        given = [
            Given(key, attribute, f"with.{key}", table)
            for key, attribute in table.under("with")
            if attribute.key_span is not None and attribute.key_span.start > table.span().start
        ]
        use = Use(table, connector, given, {key: attribute.value for key, attribute in table.under("with")})
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
                yield use._replace(given=given, values={**use.values, **hints})


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
