"""A source of changes has a time zone that its deserializer does not use.

## What it does
Looks for the older MySQL source of Flink CDC (`MySQLSource`, and `MySqlSource` outside of the package `source`) with
`serverTimeZone` and a deserializer other than `RowDataDebeziumDeserializeSchema`. With the newer `MySqlSource` it is
advice.

## Why it matters
Times are hours off (eight early in `Asia/Shanghai`), though the zone is set. Debezium hands on `TIMESTAMP` in UTC and
`DATETIME` as a number of milliseconds. The zone is applied when rows of SQL are made of them, which is what
`RowDataDebeziumDeserializeSchema` does; a JSON or string deserializer passes on what Debezium says.

## What to do
Convert the columns in the deserializer, or where they are used; the zone still has to be that of the server.

## Not when
The deserializer is `RowDataDebeziumDeserializeSchema`, the zone is UTC, or the deserializer comes from elsewhere.

## Sources
- <https://github.com/apache/flink-cdc/issues/44>: the zone without effect
- <https://debezium.io/documentation/reference/stable/connectors/mysql.html#mysql-temporal-types>: what times are
  handed on as"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_ZONE, _DESERIALIZER = "server-time-zone", "deserializer"
_USES_IT = "RowDataDebeziumDeserializeSchema"
_UTC = ("UTC", "GMT", "Etc/UTC", "Z", "+00:00")


@rule(
    code="FLK574",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:cdc-source"],
    since="0.1",
)
def cdc_time_zone_unused(config: View) -> Iterator[Finding]:
    """a source of changes has a time zone that its deserializer does not use"""
    for reader in readers(config, "mysql-cdc"):
        zone, deserializer = reader.text(_ZONE), reader.text(_DESERIALIZER)
        if reader.is_table or not zone or not deserializer or zone in _UTC or deserializer == _USES_IT:
            continue
        is_new = ".source." in (reader.text("api") or "")
        yield reader.finding(
            f"{deserializer} does not apply serverTimeZone {zone}, which rows of SQL alone get: times come out in"
            " UTC, hours off",
            _DESERIALIZER,
            f"convert times in the deserializer, or use {_USES_IT}",
            severity=Severity.INFO if is_new else None,
            related=[reader.part.place(_ZONE)],
        )


_CALLS = '.serverTimeZone("%s").deserializer(new %s())'
_OLD, _NEW = "com.alibaba.ververica.cdc.connectors.mysql", "com.ververica.cdc.connectors.mysql.source"


def _job(zone: str, deserializer: str, package: str = _OLD) -> str:
    name = "MySQLSource" if package == _OLD else "MySqlSource"
    calls = _CALLS % (zone, deserializer)
    return PROGRAM.format(package=f"{package}.{name}", source=name, put="", calls=calls)


def cases() -> list[Case]:
    return [
        bad(_job("Asia/Shanghai", "StringDebeziumDeserializationSchema"), file="Job.java", severity=Severity.WARNING,
            says="does not apply serverTimeZone Asia/Shanghai"),
        bad(_job("Asia/Shanghai", "JsonDebeziumDeserializationSchema", _NEW), file="Job.java", severity=Severity.INFO),
        good(_job("Asia/Shanghai", _USES_IT), file="Job.java"),
        good(_job("UTC", "StringDebeziumDeserializationSchema"), file="Job.java"),
        good(_job("Asia/Shanghai", "X").replace("new X()", "deserializers.of(args)"), file="Job.java"),
    ]  # fmt: skip
