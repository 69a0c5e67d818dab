"""Changes of one row reach several writers of an Iceberg table.

## What it does
Looks for a query that writes changes (CDC, `upsert-kafka`, `debezium-json` and the like) into an Iceberg table with a
parallelism above 1, while the release of the Iceberg jar, or of Flink, does not divide changes by the primary key.

## Why it matters
The table has duplicates: an insert and a later update of one key leave two rows. The reader of changes has one subtask,
and Flink deals its rows out to the writers in turn. The writer that deletes the old row by key knows only what it wrote
itself, so that the delete and the row that it is for are in files of different writers.

## What to do
Take Iceberg 0.13 or later, which divides the rows by the key of the table, or run the job with parallelism 1.

## Not when
The table has `write.distribution-mode` hash, the parallelism is 1 or unknown, or the release is not known.

## Sources
- <https://github.com/apache/iceberg/issues/2918>: the duplicates
- <https://github.com/apache/iceberg/pull/2898>: the change of 0.13
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._releases import ICEBERG, is_before
from flink_flint.rules.sql._queries import is_streaming, number, parallelism, queries, readings, target

_KEYED_SINCE = (0, 13)
_MODE = "write.distribution-mode"


@rule(
    code="FLK572",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.11",
    since="0.1",
)
def changes_reach_writers_unkeyed(config: View) -> Iterator[Finding]:
    """changes of one row reach several writers of an Iceberg table"""
    is_old = is_before(config, ICEBERG, _KEYED_SINCE)
    if is_old is None:
        is_old = config.target.certain and not config.since("1.13")  # whose last Iceberg with its own jar is older
    if not is_old:
        return
    for query in queries(config):
        sink = target(config, query)
        if sink is None or sink.store != "iceberg" or sink.has(_MODE) or not is_streaming(config, query):
            continue
        own, setting = number(sink.option("write-parallelism")), None
        if own is None:
            own, setting = parallelism(config, query)
        changes = [one for one in readings(config, query) if one.is_changelog and one.role == "scan"]
        if own is None or own < 2 or not changes:
            continue
        yield query.finding(
            f"changes of {changes[0].name} are dealt out to {own} Iceberg writers in turn, not by key: updates"
            " meet other"
            " writers than their rows, which leaves duplicates",
            of="targets[0].name",
            help="use Iceberg 0.13 or later, which divides rows by the table's key, or set parallelism.default: 1",
            related=[
                *([setting] if setting is not None else ()),
                *([sink.table.place("connector")] if sink.table is not None else ()),
            ],
        )


_FROM = "CREATE TABLE s (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db');\n"
_INTO = "CREATE TABLE d (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'iceberg'%s);\n"
_COPY = "INSERT INTO d SELECT id FROM s;\n"
_TWO = "SET 'parallelism.default' = '2';\n"
_POM = (
    "<project><dependencies><dependency><groupId>org.apache.iceberg</groupId>"
    "<artifactId>iceberg-flink-runtime%s</artifactId><version>%s</version></dependency></dependencies></project>\n"
)


def cases() -> list[Case]:
    job = _TWO + _FROM + _INTO % "" + _COPY
    return [
        bad(
            job, file="job.sql", at="d", flink="1.12", severity=Severity.WARNING, says="dealt out to 2 Iceberg writers"
        ),
        bad(job, file="job.sql", flink="1.13", beside={"pom.xml": _POM % ("", "0.12.1")}),
        good(job, file="job.sql", flink="1.14"),
        good(job, file="job.sql", flink="1.12", beside={"pom.xml": _POM % ("-1.12", "0.13.2")}),
        good(job.replace("'2'", "'1'"), file="job.sql", flink="1.12"),
        good(_FROM + _INTO % "" + _COPY, file="job.sql", flink="1.12"),
        good(_TWO + _FROM + _INTO % f", '{_MODE}' = 'hash'" + _COPY, file="job.sql", flink="1.12"),
        good(job.replace("'mysql-cdc'", "'datagen'"), file="job.sql", flink="1.12"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + job, file="job.sql", flink="1.12"),
    ]
