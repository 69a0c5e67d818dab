"""The catalogue of connectors is sound, and releases of connectors fit those of Flink."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.flink.tables.connectors import SECTIONS, connectors

FILE = Path(__file__).parents[2] / "linter" / "flink" / "tables" / "connectors.json"
TYPES = {"Boolean", "Double", "Duration", "Enum", "Float", "Integer", "Long", "Map", "MemorySize", "String"}
_LARGEST = 1_000_000


@pytest.fixture(scope="module")
def content() -> dict[str, object]:
    assert FILE.stat().st_size < _LARGEST
    read: dict[str, object] = json.loads(FILE.read_text("utf-8"))
    return read


def test_ranges_are_of_the_releases_of_the_line(content: dict) -> None:  # type: ignore[type-arg]
    used = set()
    for section in SECTIONS:
        for name, entry in content[section].items():
            last = len(content["lines"][entry["line"]]["releases"]) - 1
            own = {place for found in entry["kinds"].values() for a, b in found for place in range(a, b + 1)}
            assert own, name
            grouped = [*entry["kinds"].values(), entry["open"], *entry["prefixes"].values(), *entry["options"].values()]
            for ranges in grouped:
                bounds = [bound for first, end, *_ in ranges for bound in (first, end)]
                assert bounds == sorted(bounds), name
                assert all(0 <= bound <= last for bound in bounds), name
                assert {place for first, end, *_ in ranges for place in range(first, end + 1)} <= own, name
            used |= {number for ranges in entry["options"].values() for _, _, number, *_ in ranges}
    assert used == set(range(len(content["definitions"])))


def test_definitions_differ_and_have_types(content: dict) -> None:  # type: ignore[type-arg]
    texts = [json.dumps(one, sort_keys=True) for one in content["definitions"]]
    assert len(set(texts)) == len(texts)
    for one in content["definitions"]:
        kind = one["type"].removeprefix("List<").removesuffix(">")
        assert kind in TYPES or kind[0].isupper(), one
        assert ("enum" in one) == (kind == "Enum"), one


def test_each_line_names_releases_of_flink_in_order(content: dict) -> None:  # type: ignore[type-arg]
    for name, line in content["lines"].items():
        assert line["releases"], name
        assert all(flink in MINORS for _, flink, *_ in line["releases"])
        versions = [tuple(one[:2]) for one in line["releases"]]
        assert len(set(versions)) == len(versions), name


def test_what_everybody_uses_is_there() -> None:
    known = connectors()
    assert {"kafka", "upsert-kafka", "jdbc", "filesystem", "datagen", "mysql-cdc"} <= set(known.names("connectors"))
    assert {"json", "csv", "avro", "raw", "debezium-json", "parquet"} <= set(known.names("formats"))
    assert {"generic_in_memory", "jdbc"} <= set(known.names("catalogs"))


def test_only_what_takes_no_numbers_has_a_list_of_words(content: dict) -> None:  # type: ignore[type-arg]
    def words(section: str, name: str, key: str) -> list[set[str]]:
        found = content[section][name]["options"][key]
        return [set(content["definitions"][number].get("enum", ())) for _, _, number, *_ in found]

    assert words("connectors", "mysql-cdc", "server-id") == [set()]
    assert words("formats", "raw", "endianness")[-1] == {"big-endian", "little-endian"}


@pytest.mark.parametrize(
    ("flink", "versions", "first", "last"),
    [
        ("1.14", (), "1.13.6", "1.15.4"),
        ("1.18", (), "1.17.2", "3.3.0-1.19"),
        ("2.1", (), "4.0.1-2.0", "5.0.0-2.2"),
        ("1.18", ("3.1.0-1.18",), "3.1.0-1.18", "3.1.0-1.18"),
        ("1.18", ("3.2.9-1.18",), "3.2.0-1.18", "3.2.0-1.18"),
        (None, (), "1.11.3", "5.0.0-2.2"),
    ],
)
def test_the_releases_of_a_connector_that_fit(
    flink: str | None, versions: tuple[str, ...], first: str, last: str
) -> None:
    line = connectors().lines["kafka"]
    found = line.fitting(None if flink is None else MINORS.index(flink), versions)
    assert (line.releases[found[0]].version, line.releases[found[-1]].version) == (first, last)


def test_a_release_that_is_newer_than_those_known_is_not_judged() -> None:
    line = connectors().lines["kafka"]
    assert line.is_complete(None)
    assert not line.is_complete(None, ("9.9.9-2.9",))


def test_options_of_releases() -> None:
    kafka = connectors().factory("connectors", "kafka")
    assert kafka is not None
    old, new = kafka.line.fitting(MINORS.index("1.13")), kafka.line.fitting(MINORS.index("2.0"))
    assert kafka.option("scan.bounded.mode", old) is None
    bounded = kafka.option("scan.bounded.mode", new)
    assert bounded is not None
    assert (bounded.type, bounded.default) == ("Enum", "unbounded")
    assert "latest-offset" in bounded.values
    assert kafka.prefixes(new) == ("properties.",)
    assert "properties.bootstrap.servers" in kafka.required(new)
    datagen = connectors().factory("connectors", "datagen")
    assert datagen is not None
    kind = datagen.option("fields.id.kind", datagen.own_places)
    assert kind is not None
    assert kind.values == ("random", "sequence")
