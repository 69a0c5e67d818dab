"""A Hudi table is written in one time zone and read in another.

## What it does
Looks for Hudi tables with `read.utc-timezone` and `write.utc-timezone` of different values, both true by default,
that a statement writes.

## Why it matters
A `TIMESTAMP` comes back hours off, by the offset of the local zone (eight in `Asia/Shanghai`). `read.utc-timezone`
only says how stored values are understood; what is written is still converted with UTC. Other readers, such as Spark
and Hive, see the shift as well.

## What to do
Set both alike: `'write.utc-timezone' = 'false'` beside `'read.utc-timezone' = 'false'` (Hudi 0.15 and later), or
leave both out. Before 0.15 writing always takes UTC: leave `read.utc-timezone` at true.

## Not when
The table is only read: another engine may have written it in local time, for which the option exists.

## Sources
- <https://issues.apache.org/jira/browse/HUDI-7647>: what the options act on
- <https://hudi.apache.org/docs/configurations/#Flink-Options>: both, and their defaults
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import sinks

_READ, _WRITE = "read.utc-timezone", "write.utc-timezone"


@rule(
    code="FLK569",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:query"],
    since="0.1",
)
def hudi_time_zones_differ(config: View) -> Iterator[Finding]:
    """a Hudi table is written in one time zone and read in another"""
    told = set()
    for _, sink, table in sinks(config):
        if sink.store != "hudi" or table.span() in told or not table.is_known("with"):
            continue
        told.add(table.span())
        zones = [table.flag(f"with.{key}") if table.has(f"with.{key}") else True for key in (_READ, _WRITE)]
        if None in zones or zones[0] == zones[1]:
            continue
        key = _READ if table.has(f"with.{_READ}") else _WRITE
        other = _WRITE if key == _READ else _READ
        value = table.text(f"with.{key}")
        yield table.finding(
            f"{table.name} is read with UTC {_on(zones[0])} and written with UTC {_on(zones[1])}: timestamps come"
            " back hours"
            " off, by the local time zone",
            of=f"with.{key}",
            key=other,
            help=f"set '{other}' = '{value}' as well (write.utc-timezone: Hudi 0.15 and later), or delete '{key}'",
        )


def _on(flag: bool | None) -> str:
    return "on" if flag else "off"


_TABLE = "CREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED, ts TIMESTAMP(3)) WITH ('connector' = 'hudi', 'path' = 's3://t'%s);\n"
_INSERT = "INSERT INTO t VALUES (1, LOCALTIMESTAMP);\n"


def cases() -> list[Case]:
    read, write = ", 'read.utc-timezone' = '%s'", ", 'write.utc-timezone' = '%s'"
    return [
        bad(
            _TABLE % read % "false" + _INSERT,
            file="job.sql",
            at="'false'",
            flink="1.17",
            severity=Severity.WARNING,
            says="t is read with UTC off and written with UTC on",
        ),
        bad(_TABLE % write % "false" + _INSERT, file="job.sql", flink="1.17"),
        good(_TABLE % (read + write) % ("false", "false") + _INSERT, file="job.sql", flink="1.17"),
        good(_TABLE % "" + _INSERT, file="job.sql", flink="1.17"),
        good(_TABLE % read % "false" + "SELECT * FROM t;\n", file="job.sql", flink="1.17"),
        good(_TABLE % read % "${UTC}" + _INSERT, file="job.sql", flink="1.17"),
    ]
