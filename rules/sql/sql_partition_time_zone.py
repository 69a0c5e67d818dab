"""Partitions in local time are committed by a watermark in UTC.

## What it does
Looks for tables of files and of Hive that commit partitions by `partition-time`, whose source has its watermark on a
`TIMESTAMP_LTZ` column, and that leave `sink.partition-commit.watermark-time-zone` at UTC.

## Why it matters
The time of a partition (`dt=2024-05-01/hour=08`) is a local time, while the watermark of a `TIMESTAMP_LTZ` column is an
instant, which Flink compares with it as UTC. East of Greenwich, partitions are committed hours late; west of it, hours
before they are complete.

## What to do
Set `sink.partition-commit.watermark-time-zone` to the zone of the session (`table.local-time-zone`).

## Not when
The watermark is on a `TIMESTAMP` column, which already is local time, or the session is in UTC.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/filesystem/#partition-commit-trigger>:
  the option, and when it has to be set
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import in_force, is_streaming, readings, sinks

_TRIGGER = "sink.partition-commit.trigger"
_ZONE = "sink.partition-commit.watermark-time-zone"
_UTC = ("utc", "gmt", "etc/utc", "z", "utc+0", "utc+00:00", "gmt+00:00")


@rule(
    code="FLK152",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.13",
    since="0.1",
)
def sql_partition_time_zone(config: View) -> Iterator[Finding]:
    """partitions in local time are committed by a watermark in UTC"""
    for query, sink, table in sinks(config):
        if (sink.option(_TRIGGER) or "").lower() != "partition-time" or sink.has(_ZONE):
            continue
        zone = in_force(config, query, "table.local-time-zone")
        if not is_streaming(config, query) or (isinstance(zone, str) and zone.lower() in _UTC):
            continue
        source = next((one.table for one in readings(config, query) if one.table and _is_instant(one.table)), None)
        if source is None:
            continue
        yield table.finding(
            f"{table.name} commits partitions by the watermark of {source.name}, a TIMESTAMP_LTZ, which counts as UTC,"
            " while their times are local: they are committed hours too late or too early",
            of=f"with.{_TRIGGER}" if table.has(f"with.{_TRIGGER}") else None,
            help=f"set '{_ZONE}' to the zone of the session",
            related=[source.place("watermark")],
        )


def _is_instant(table: ElementView) -> bool:
    """Whether the watermark of a table is on a column of type TIMESTAMP_LTZ."""
    name = table.text("watermark")
    for column in table.items("columns"):
        if name is not None and column.text("name") == name:
            what = f"{column.text('type') or ''} {column.text('expression') or ''}".upper()
            return "TIMESTAMP_LTZ" in what or "LOCAL TIME ZONE" in what
    return False


def _script(column: str, more: str = "", zone: str = "Asia/Shanghai") -> str:
    return (
        f"SET 'table.local-time-zone' = '{zone}';\n"
        f"CREATE TABLE s (id INT, m BIGINT, ts {column}, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)\n"
        "  WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
        "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = 'p',\n"
        f"  'sink.partition-commit.trigger' = 'partition-time'{more});\n"
        "INSERT INTO d SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM s;\n"
    )


def cases() -> list[Case]:
    return [
        bad(
            _script("AS TO_TIMESTAMP_LTZ(m, 3)"), file="job.sql", at="'partition-time'", flink="1.14",
            severity=Severity.WARNING, says="hours too late or too early",
        ),
        bad(_script("TIMESTAMP_LTZ(3)"), file="job.sql", flink="1.18"),
        good(_script("TIMESTAMP(3)"), file="job.sql", flink="1.18"),
        good(_script("TIMESTAMP_LTZ(3)", f", '{_ZONE}' = 'Asia/Shanghai'"), file="job.sql", flink="1.18"),
        good(_script("TIMESTAMP_LTZ(3)", zone="UTC"), file="job.sql", flink="1.18"),
    ]  # fmt: skip
