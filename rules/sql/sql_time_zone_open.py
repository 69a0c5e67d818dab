"""The day of a SQL script depends on the machine that runs it.

## What it does
Reports, as advice, a SQL script that uses CURRENT_DATE, CURRENT_TIME, LOCALTIME or LOCALTIMESTAMP without setting
`table.local-time-zone`.

## Why it matters
These functions tell the time of the session's zone. By default that is the zone of the JVM that plans the script: a
container in UTC and a laptop give different days, and rows of the hours around midnight change sides.

## What to do
`SET 'table.local-time-zone' = 'UTC';`, or the zone that is meant.

## Not when
The cluster's configuration sets it, which a script does not show; hence advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/timezone/>: which functions go by the zone
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-local-time-zone>: its default
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_overridden, queries

_ZONE = "table.local-time-zone"
_LOCAL = ("CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP")


@rule(
    code="FLK910",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    when=["element:query"],
    flink=">=1.13",
    since="0.1",
)
def sql_time_zone_open(config: View) -> Iterator[Finding]:
    """the day of a SQL script depends on the machine that runs it"""
    if config.is_set(_ZONE):
        return
    for query in queries(config):
        function = query.text("non-deterministic")
        if function in _LOCAL and not is_overridden(config, query, _ZONE):
            yield query.finding(
                f"{function} is of the time zone of the machine that plans the script, as {_ZONE} is not set",
                of="non-deterministic",
                help=f"SET '{_ZONE}' = 'UTC', or the zone that is meant",
            )
            return


_DAILY = "INSERT INTO r SELECT id, CURRENT_DATE FROM s /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */;\n"


def cases() -> list[Case]:
    return [
        bad(
            _DAILY,
            file="job.sql",
            at="CURRENT_DATE",
            flink="1.18",
            severity=Severity.INFO,
            says="CURRENT_DATE is of the",
        ),
        bad(
            "SET 'pipeline.name' = 'a';\n"
            "INSERT INTO r SELECT id, LOCALTIMESTAMP FROM s /*+ OPTIONS('scan.startup.mode' = "
            "'latest-offset') */;\n"
            "INSERT INTO r SELECT id, CURRENT_DATE FROM s /*+ OPTIONS('scan.startup.mode' = "
            "'latest-offset') */;\n",
            file="job.sql",
            at="LOCALTIMESTAMP",
            flink="2.0",
        ),
        good("SET 'table.local-time-zone' = 'UTC';\n" + _DAILY, file="job.sql", flink="1.18"),
        good(
            "INSERT INTO r SELECT id, CURRENT_TIMESTAMP FROM s /*+ OPTIONS('scan.startup.mode' = "
            "'latest-offset') */;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "INSERT INTO r SELECT id, s.current_date FROM s /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */;\n",
            file="job.sql",
            flink="1.18",
        ),
    ]
