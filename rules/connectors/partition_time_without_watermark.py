"""Partitions are to be committed by a watermark that does not exist.

## What it does
Reports, in a SQL script, a streaming INSERT into a table with `sink.partition-commit.trigger` = `partition-time` from
tables none of which has a WATERMARK.

## Why it matters
With this trigger a partition is committed when the watermark passes its time and the delay. A stream without a
watermark never gets there: no partition is ever committed, and downstream jobs wait for ever.

## What to do
Declare a watermark on the source's time column, or take `process-time`, which goes by the clock.

## Not when
One of the tables is declared in another file, which may give it a watermark.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/filesystem/#partition-commit-trigger>:
  what each trigger needs
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries, readings, target

_TRIGGER = "sink.partition-commit.trigger"


@rule(
    code="FLK861",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def partition_time_without_watermark(config: View) -> Iterator[Finding]:
    """partitions are to be committed by a watermark that does not exist"""
    told = set()
    for query in queries(config):
        sink = target(config, query)
        if sink is None or sink.table is None or (sink.option(_TRIGGER) or "").lower() != "partition-time":
            continue
        sources = readings(config, query)
        if not sources or not is_streaming(config, query) or sink.table.span() in told:
            continue
        if any(one.table is None or one.table.has("watermark") or one.table.has("like") for one in sources):
            continue
        told.add(sink.table.span())
        names = ", ".join(dict.fromkeys(one.name for one in sources))
        yield sink.table.finding(
            f"{sink.name} commits its partitions by the watermark, and {names}"
            f" {'have' if len(sources) > 1 else 'has'} none: no partition is ever committed",
            of=f"with.{_TRIGGER}",
            help="declare WATERMARK FOR … on the source's time column, or write process-time",
            related=[one.table.place() for one in sources if one.table is not None],
        )


_SOURCE = "CREATE TABLE s (id INT, ts TIMESTAMP(3)%s) WITH ('connector' = 'kafka', 'topic' = 's');\n"
_SINK = (
    "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = 'p',\n"
    "  'sink.partition-commit.trigger' = '%s', 'sink.partition-commit.policy.kind' = 'success-file');\n"
    "INSERT INTO d SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM s;\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _SOURCE % "" + _SINK % "partition-time",
            file="job.sql",
            at="'partition-time'",
            flink="1.18",
            severity=Severity.ERROR,
            says="d commits its partitions by the watermark, and s has none",
        ),
        bad(
            "CREATE TABLE s (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "CREATE VIEW v AS SELECT * FROM s;\n"
            "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', "
            "'path' = 'p',\n"
            "  'sink.partition-commit.trigger' = 'partition-time', 'sink.partition-commit.policy.kind' = "
            "'success-file');\n"
            "INSERT INTO d SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM v;\n",
            file="job.sql",
            flink="1.14",
        ),
        good(
            _SOURCE % ", WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE" + _SINK % "partition-time",
            file="job.sql",
            flink="1.18",
        ),
        good(_SOURCE % "" + _SINK % "process-time", file="job.sql", flink="1.18"),
        good(_SINK % "partition-time", file="job.sql", flink="1.18"),
        good(
            "SET 'execution.runtime-mode' = 'batch';\n" + _SOURCE % "" + _SINK % "partition-time",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE s (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 's') LIKE "
            "marked;\n"
            "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', "
            "'path' = 'p',\n"
            "  'sink.partition-commit.trigger' = 'partition-time', 'sink.partition-commit.policy.kind' = "
            "'success-file');\n"
            "INSERT INTO d SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE s (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', "
            "'path' = 'p',\n"
            "  'sink.partition-commit.trigger' = 'partition-time', 'sink.partition-commit.policy.kind' = "
            "'success-file');\n"
            "INSERT INTO d VALUES (1, 'a');\n",
            file="job.sql",
            flink="1.18",
        ),
        *cases_in_folders(__file__),
    ]
