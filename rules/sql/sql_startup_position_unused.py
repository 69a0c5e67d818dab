"""A table names a position to start at, and starts elsewhere.

## What it does
Looks for options that say where to start (`scan.startup.timestamp-millis`, `scan.startup.specific-offsets`, and those
below `scan.startup.specific-offset.`) without the `scan.startup.mode` that reads them.

## Why it matters
Each position counts in one mode only. In another one the connector ignores it without a word: Flink CDC takes a full
snapshot (`initial`), Kafka starts at the offsets of the group. Rows are read twice, or missed.

## What to do
Set `scan.startup.mode` to `timestamp`, `specific-offsets` (Kafka) or `specific-offset` (Flink CDC).

## Not when
The mode is set to the one that reads the option, or is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#start-reading-position>: which
  option is for which mode
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/#startup-reading-position>:
  the same of Flink CDC
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import tables

_MODE = "scan.startup.mode"
_POSITIONS = {
    "scan.startup.timestamp-millis": ("timestamp",),
    "scan.startup.specific-offsets": ("specific-offsets",),
    "scan.startup.specific-offset.file": ("specific-offset",),
    "scan.startup.specific-offset.pos": ("specific-offset",),
    "scan.startup.specific-offset.gtid-set": ("specific-offset",),
}
"""The modes that read each option."""


@rule(
    code="FLK150",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def sql_startup_position_unused(config: View) -> Iterator[Finding]:
    """a table names a position to start at, and starts elsewhere"""
    for table in tables(config):
        connector = table.text("connector") or ""
        if connector not in ("kafka", "kafka-0.11") and not connector.endswith("-cdc"):
            continue
        if table.has("with") and not table.is_known("with"):
            continue
        mode = table.text(f"with.{_MODE}")
        if table.has(f"with.{_MODE}") and mode is None:
            continue
        default = "initial, the default" if connector.endswith("-cdc") else "group-offsets, the default"
        for key, modes in _POSITIONS.items():
            if not table.has(f"with.{key}") or (mode or "").lower() in modes:
                continue
            yield table.finding(
                f"{table.name} starts with {_MODE} {mode or default}: {key} is ignored without a word",
                of=f"with.{key}",
                help=f"set '{_MODE}' = '{modes[0]}'",
            )
            break


def _table(connector: str, options: str) -> str:
    return f"CREATE TABLE t (id INT) WITH ('connector' = '{connector}', {options});\n"


_TIME = "'scan.startup.timestamp-millis' = '1667232000000'"


def cases() -> list[Case]:
    return [
        bad(
            _table("mysql-cdc", _TIME), file="job.sql", at="'1667232000000'", flink="1.16", severity=Severity.WARNING,
            says="initial, the default",
        ),
        bad(_table("kafka", f"'{_MODE}' = 'earliest-offset', {_TIME}"), file="job.sql", says="earliest-offset"),
        good(_table("mysql-cdc", f"'{_MODE}' = 'timestamp', {_TIME}"), file="job.sql", flink="1.16"),
        good(_table("kafka", f"'{_MODE}' = '${{MODE}}', {_TIME}"), file="job.sql", flink="1.16"),
        good(_table("pulsar", _TIME), file="job.sql", flink="1.16"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    table = (
        "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',\n"
        "  'properties.bootstrap.servers' = 'b:9092', 'properties.group.id' = 'g'{});\n"
        "CREATE TABLE d (id INT) WITH ('connector' = 'blackhole');\nINSERT INTO d SELECT id FROM t;\n"
    )
    # A position that the mode would refuse if it read it.
    position = ",\n  'scan.startup.specific-offsets' = 'anywhere'"
    return [flink_ignores("SQL", table.format(position), good=table.format(""))]
