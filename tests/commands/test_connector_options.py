"""`flint options --connector`: the options of connectors, formats and catalogs."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Flint


def test_the_options_of_a_connector_as_json(flint: Flint) -> None:
    result = flint("options", "--connector", "kafka", "--flink-version", "1.20", "--output-format", "json")
    report = json.loads(result.stdout)
    assert (report["version"], report["flink_version"]) == (1, "1.20")
    (kafka,) = report["connectors"]
    assert (kafka["name"], kafka["kind"], kafka["used_as"]) == ("kafka", "connector", ["sink", "source"])
    assert kafka["prefixes"] == ["properties."]
    by_key = {option["key"]: option for option in kafka["options"]}
    assert by_key["properties.bootstrap.servers"]["required"]
    assert by_key["scan.startup.mode"]["default"] == "group-offsets"
    assert "earliest-offset" in by_key["scan.startup.mode"]["enum"]
    assert by_key["scan.startup.mode"]["releases"] == kafka["releases"]
    assert "sink.transaction-naming-strategy" not in by_key


def test_the_options_of_a_connector_as_text(flint: Flint) -> None:
    lines = flint("options", "scan.bounded", "--connector", "kafka").stdout.splitlines()
    assert lines[0].split()[:3] == ["scan.bounded.mode", "Enum", "unbounded"]
    assert "since 1.17.2" in lines[0]
    assert lines[1].strip().startswith("unbounded, ")
    assert any(line == "properties.*" for line in lines)
    assert "required" in flint("options", "url", "--connector", "jdbc").stdout


def test_formats_and_catalogs_have_names_too(flint: Flint) -> None:
    assert "timestamp-format.standard" in flint("options", "--connector", "json").stdout
    text = flint("options", "--connector", "jdbc").stdout
    assert "table connector jdbc" in text
    assert "catalog jdbc" in text


@pytest.mark.parametrize(("name", "hint"), [("kafak", "kafka"), ("upsert_kafka", "upsert-kafka"), ("nothing", "kafka")])
def test_an_unknown_name_is_an_error_with_near_ones(name: str, hint: str, flint: Flint) -> None:
    result = flint("options", "--connector", name)
    assert result.returncode == 2
    assert repr(name) in result.stderr
    assert hint in result.stderr
    assert not result.stdout
