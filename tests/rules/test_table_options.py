"""The catalogue of table options is sound, and the nearest key is the one that was meant."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.releases import parse_release
from flink_flint.rules.sql._table_options import Option, catalogue, nearest

TYPES = {"String", "Boolean", "Integer", "Long", "Float", "Duration", "MemorySize", "Enum", "List<String>"}
OPTIONS = [
    pytest.param(option, id=f"{name}-{key}")
    for name, options in (
        *((name, connector.options) for name, connector in catalogue().connectors.items()),
        *catalogue().formats.items(),
    )
    for key, option in options.items()
]


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_has_a_type_and_just_enumerations_have_values(option: Option) -> None:
    assert option.type in TYPES
    assert bool(option.values) == (option.type == "Enum")
    for minor in filter(None, (option.since, option.until)):
        assert parse_release(minor).place is not None


@pytest.mark.parametrize("name", sorted(catalogue().connectors))
def test_what_a_connector_requires_it_has(name: str) -> None:
    connector = catalogue().connectors[name]
    asked = {key for group in connector.required for key in group}
    asked |= {key for values in connector.needs.values() for keys in values.values() for key in keys}
    assert {*asked, *connector.needs, *connector.formats} <= set(connector.options)
    for key, values in connector.needs.items():
        assert set(values) <= set(connector.options[key].values)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("scan.startup.modes", "scan.startup.mode"),
        ("scan.startup.timestamp-milis", "scan.startup.timestamp-millis"),
        ("scan-startup-mode", "scan.startup.mode"),
        ("bootstrap.servers", "properties.bootstrap.servers"),
        ("startup.mode", "scan.startup.mode"),
        ("sink.delivery.guarantee", "sink.delivery-guarantee"),
        ("topics", "topic"),
        ("debezium.snapshot.mode", None),
        ("x", None),
    ],
)
def test_the_nearest_key_is_the_one_that_was_meant(written: str, meant: str | None) -> None:
    assert nearest(written, catalogue().connectors["kafka"].options) == meant
