"""Mini-batched aggregation with expiring state can drop rows in this release.

## What it does
Reports mini-batching (`table.exec.mini-batch.enabled`) together with a state TTL (`table.exec.state.ttl`) in a release
that has FLINK-35661: all up to 1.20, 2.0 before 2.0.3, 2.1 before 2.1.3 and 2.2 before 2.2.2.

## Why it matters
When one key of a bundle has nothing but retractions (deletions and the old rows of updates) and its accumulator has
expired, the aggregation in these releases leaves the loop over the bundle: all other keys that were buffered with it
are dropped, without an error or a log line.

## What to do
Upgrade to a release with the fix (2.1.3 or later of 2.1, or 2.3), or switch mini-batching off for the job.

## Not when
The release is unknown; mini-batching without a TTL keeps its accumulators. A script has no GROUP BY without a window,
or only such over rows that are never taken back: tables of insertions alone (Kafka, Kinesis or files in JSON, CSV,
Avro, ...; `datagen`), without an outer join, another GROUP BY, a top-N or the like in between.
Two-phase aggregation, which Flink prefers where the functions allow, goes another way; hence low confidence unless
`table.optimizer.agg-phase-strategy` is ONE_PHASE.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-35661>: the defect
- <https://github.com/apache/flink/pull/27573>: what was wrong and the fix, as taken into 2.1
- <https://github.com/apache/flink-web/pull/857>: the release notes of 2.1.3
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import Reading, queries, readings

_ENABLED = "table.exec.mini-batch.enabled"
_TTL = "table.exec.state.ttl"
_PHASES = "table.optimizer.agg-phase-strategy"
_RETRACTING = (
    "outer-join", "group-bys", "deduplicate", "top-n", "top-n-of-all", "limit", "set-operation", "match-recognize",
)  # fmt: skip
"""Parts of a query whose results may be taken back."""
_LOGS = ("kafka", "kinesis", "kinesis-legacy", "filesystem", "pulsar")
_INSERTIONS = ("json", "csv", "raw", "avro", "avro-confluent", "protobuf", "parquet", "orc")
"""Formats that only know insertions."""


@rule(
    code="FLK905",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    reads=[_ENABLED],
    flink=">=1.13,<2.3",
    since="0.1",
)
def sql_mini_batch_drops_rows(config: View) -> Iterator[Finding]:
    """mini-batched aggregation with expiring state can drop rows in this release"""
    ttl = config.duration(_TTL)
    if not config.boolean(_ENABLED) or not ttl or _is_fixed(config):
        return
    known = list(queries(config))
    if not config.target.certain or (known and not any(_may_group_changes(config, query) for query in known)):
        return
    yield config.get(_ENABLED).finding(
        f"{config.releases_text} drops the other keys of a mini-batch when one of them only has retractions and its"
        f" state expired after {config.get(_TTL).text}",
        help="upgrade to a release with the fix of FLINK-35661 (2.1.3, 2.3), or switch mini-batching off",
        confidence=Confidence.MEDIUM if (config.string(_PHASES) or "").upper() == "ONE_PHASE" else None,
        related=[config.get(_TTL)],
    )


def _may_group_changes(config: View, query: ElementView) -> bool:
    """Whether a query has a GROUP BY, and rows may come to it that take others back."""
    if not query.has("group-by"):
        return False
    return any(query.has(name) for name in _RETRACTING) or not all(
        _only_inserts(one) for one in readings(config, query)
    )


def _only_inserts(reading: Reading) -> bool:
    """Whether a table certainly holds rows that are never taken back; what a lookup adds to a row does not count."""
    if reading.role == "lookup":
        return True
    if reading.connector in ("datagen", "jdbc"):
        return True
    named = [reading.option(key) for key in ("format", "value.format") if reading.has(key)]
    return reading.connector in _LOGS and bool(named) and all(one in _INSERTIONS for one in named)


def _is_fixed(config: View) -> bool:
    for minor, fixed in (("2.2", "2.2.2"), ("2.1", "2.1.3"), ("2.0", "2.0.3")):
        if config.since(minor):
            return config.since(fixed)
    return False


_BOTH = "SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'table.exec.state.ttl' = '1 d';\n"
_LOG = "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
_COUNT = "INSERT INTO r SELECT id, COUNT(*) FROM s GROUP BY id;\n"


def cases() -> list[Case]:
    return [
        bad(_BOTH, file="job.sql", at="'true'", flink="1.20.1", says="Flink 1.20.1 drops"),
        bad(_BOTH, file="job.sql", at="'true'", flink="2.1.2", severity=Severity.WARNING),
        bad(_BOTH + _COUNT, file="job.sql", flink="1.20.1", at="'true'"),
        bad(
            "SET 'table.exec.mini-batch.enabled' = 'true';\n"
            "SET 'table.exec.state.ttl' = '1 d';\n"
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'debezium-json');\n"
            "INSERT INTO r SELECT id, COUNT(*) FROM s GROUP BY id;\n",
            file="job.sql",
            flink="1.20.1",
            at="'true'",
        ),
        bad(
            _BOTH
            + _LOG
            + "INSERT INTO r SELECT n, COUNT(*) FROM (SELECT COUNT(*) AS n FROM s GROUP BY id) GROUP BY n;\n",
            file="job.sql",
            flink="1.20.1",
            at="'true'",
        ),
        bad(
            _BOTH
            + _LOG
            + "INSERT INTO r SELECT s.id, COUNT(*) FROM s LEFT JOIN s AS o ON s.id = o.id GROUP BY s.id;\n",
            file="job.sql",
            flink="1.20.1",
            at="'true'",
        ),
        good(_BOTH + _LOG + _COUNT, file="job.sql", flink="1.20.1"),
        good(
            _BOTH + _LOG + "INSERT INTO r SELECT s.id, COUNT(*) FROM s JOIN s AS o ON s.id = o.id GROUP BY s.id;\n",
            file="job.sql",
            flink="1.20.1",
        ),
        good(_BOTH, file="job.sql", flink="2.1.3"),
        good(_BOTH, file="job.sql", flink="2.3"),
        good(_BOTH, file="job.sql"),
        good(_BOTH + "INSERT INTO r SELECT id FROM s;\n", file="job.sql", flink="1.20.1"),
        good("SET 'table.exec.mini-batch.enabled' = 'true';\n", file="job.sql", flink="1.20.1"),
        good(
            "SET 'table.exec.mini-batch.enabled' = 'false';\nSET 'table.exec.state.ttl' = '1 d';\n",
            file="job.sql",
            flink="1.20.1",
        ),
        bad(_BOTH, file="job.sql", flink="2.0.2", says="Flink 2.0.2 drops"),
        bad(_BOTH, file="job.sql", flink="2.2.1", says="Flink 2.2.1 drops"),
        good(_BOTH, file="job.sql", flink="2.0.3"),
        good(_BOTH, file="job.sql", flink="2.2.2"),
        good(_BOTH, file="job.sql", flink="1.12"),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n" + _BOTH + _COUNT, file="job.sql", flink="1.20.1"
        ),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/s', 'table-name' = "
            "'s');\n" + _BOTH + _COUNT,
            file="job.sql",
            flink="1.20.1",
        ),
        good(
            "SET 'table.exec.mini-batch.enabled' = 'true';\n"
            "SET 'table.exec.state.ttl' = '1 d';\n"
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's', 'value.format' = 'json');\n"
            "INSERT INTO r SELECT id, COUNT(*) FROM s GROUP BY id;\n",
            file="job.sql",
            flink="1.20.1",
        ),
        bad(
            "SET 'table.exec.mini-batch.enabled' = 'true';\n"
            "SET 'table.exec.state.ttl' = '1 d';\n"
            "CREATE TABLE s (id INT) WITH ('connector' = 'upsert-kafka', 'topic' = 's', 'value.format' = "
            "'json');\n"
            "INSERT INTO r SELECT id, COUNT(*) FROM s GROUP BY id;\n",
            file="job.sql",
            flink="1.20.1",
        ),
        bad(
            _BOTH + "CREATE TABLE s WITH ('connector' = 'kafka', 'topic' = 's') LIKE orders;\n" + _COUNT,
            file="job.sql",
            flink="1.20.1",
        ),
        good(
            _BOTH + "CREATE TABLE s (id INT, t AS PROCTIME()) WITH ('connector' = 'kafka', 'format' = 'json');\n"
            "INSERT INTO r SELECT d.name, COUNT(*) FROM s JOIN d FOR SYSTEM_TIME AS OF s.t ON s.id = d.id"
            " GROUP BY d.name;\n",
            file="job.sql",
            flink="1.20.1",
        ),
        bad(
            _BOTH + _LOG + "INSERT INTO r SELECT id, COUNT(*) FROM s {{ where }} GROUP BY ( id;\n",
            file="job.sql",
            flink="1.20.1",
        ),
    ]
