"""The nearest key is the one that was meant."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.tables.connectors import connectors
from flink_flint.rules.sql._table_options import nearest


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
    kafka = connectors().factory("connectors", "kafka")
    assert kafka is not None
    assert nearest(written, kafka.keys(kafka.own_places)) == meant
