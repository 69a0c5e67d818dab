"""From 2.3 on, an INSERT whose rows may clash in the sink is refused.

## What it does
Reports, for Flink 2.3 and later, an INSERT into a table with a primary key that takes updates (JDBC, `upsert-kafka`,
Elasticsearch, OpenSearch, HBase, MongoDB) from a query that certainly has no key of its own: it only passes on rows
of tables without a primary key, or VALUES. Without `ON CONFLICT`, and with `table.exec.sink.require-on-conflict` at
its default, true.

## Why it matters
The statement worked up to 2.2; 2.3 refuses to plan it: "The query has an upsert key that differs from the primary key
of the sink table". The job does not start after the upgrade.

Where what runs the script is not known, and may set either option, the finding is advice.

## What to do
Say what is to win: `ON CONFLICT DO DEDUPLICATE` (the last row; keeps the history in state), `DO NOTHING` (the first) or
`DO ERROR`; or set `table.exec.sink.require-on-conflict` to false, which does as before.

## Not when
The query groups, joins or removes duplicates, which gives it a key that only the planner knows;
`table.exec.sink.upsert-materialize` is NONE or FORCE; batch mode.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-2.3/docs/sql/reference/dml/insert/#on-conflict-clause>:
  when the clause is required
- <https://issues.apache.org/jira/browse/FLINK-38926>: the change
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import in_force, is_streaming, may_be_set_elsewhere, queries, readings, target

_REQUIRED = "table.exec.sink.require-on-conflict"
_MATERIALIZE = "table.exec.sink.upsert-materialize"
_UPSERTS = ("jdbc", "upsert-kafka", "elasticsearch-", "opensearch", "hbase-", "mongodb")
_PASSES_ON = ("limit", "order-by", "non-deterministic", "watermark-filter")
"""Parts of a query that give its rows no key."""
_ATTRIBUTES = ("job", "statement-set", "parsed", "values", *_PASSES_ON)


@rule(
    code="FLK908",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=2.3",
    since="0.1",
)
def sql_conflict_unhandled(config: View) -> Iterator[Finding]:
    """from 2.3 on, an INSERT whose rows may clash in the sink is refused"""
    for query in queries(config):
        sink = target(config, query)
        if sink is None or sink.table is None or not sink.table.has("primary-key"):
            continue
        if not sink.connector.startswith(_UPSERTS) or not is_streaming(config, query) or _has_key(config, query):
            continue
        if in_force(config, query, _REQUIRED) is not True or in_force(config, query, _MATERIALIZE) != "AUTO":
            continue
        is_open = any(may_be_set_elsewhere(config, query, key) for key in (_REQUIRED, _MATERIALIZE))
        yield query.finding(
            f"rows without a key go into {sink.name}, whose primary key is {sink.table.text('primary-key')}:"
            f" {config.releases_text} refuses the INSERT without ON CONFLICT",
            of="targets[0].name",
            help=f"add ON CONFLICT DO DEDUPLICATE, DO NOTHING or DO ERROR, or set {_REQUIRED} to false",
            related=[sink.table.place("primary-key")],
            severity=Severity.INFO if is_open else None,
        )


def _has_key(config: View, query: ElementView) -> bool:
    """Whether the query may have a key of its own."""
    if any(
        name not in _ATTRIBUTES and not name.startswith(("targets[", "sources[", "outputs[", "hints[", "settings."))
        for name in query.element.attributes
    ):
        return True
    return any(
        reading.table is None
        or reading.is_changelog
        or reading.table.has("primary-key")
        or reading.table.has("like")  # which hands keys on
        or not reading.connector
        for reading in readings(config, query)
    )


_SOURCE = "CREATE TABLE s (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
_SINK = "CREATE TABLE o (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'x');\n"
_RUNS_IT = """\
services:
  client:
    image: flink:2.3.0
    command: sql-client.sh -f /sql/job.sql
    volumes: ['.:/sql']
"""


def cases() -> list[Case]:
    return [
        bad(
            _SOURCE + _SINK + "INSERT INTO o SELECT id, n FROM s;\n",
            file="job.sql",
            at="o",
            flink="2.3",
            severity=Severity.INFO,
            says="rows without a key go into o, whose primary key is id: Flink 2.3",
        ),
        bad(
            _SOURCE + _SINK + "INSERT INTO o SELECT id, n FROM s;\n",
            file="job.sql",
            at="o",
            flink="2.3",
            severity=Severity.ERROR,
            beside={"docker-compose.yml": _RUNS_IT},
        ),
        bad(_SINK + "INSERT INTO o VALUES (1, 'a');\n", file="job.sql", at="o", flink="2.3"),
        good(_SOURCE + _SINK + "INSERT INTO o SELECT id, n FROM s;\n", file="job.sql", flink="2.2"),
        good(
            _SINK + "CREATE TABLE f WITH ('connector' = 'faker') LIKE o (EXCLUDING OPTIONS);\n"
            "INSERT INTO o SELECT * FROM f;\n",
            file="job.sql",
            flink="2.3",
        ),
        good(
            _SOURCE + _SINK + "INSERT INTO o SELECT id, n FROM s ON CONFLICT DO NOTHING;\n", file="job.sql", flink="2.3"
        ),
        good(
            "SET 'table.exec.sink.require-on-conflict' = 'false';\n"
            + _SOURCE
            + _SINK
            + "INSERT INTO o SELECT id, n FROM s;\n",
            file="job.sql",
            flink="2.3",
        ),
        good(_SOURCE + _SINK + "INSERT INTO o SELECT id, MAX(n) FROM s GROUP BY id;\n", file="job.sql", flink="2.3"),
        good(
            "CREATE TABLE s (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = "
            "'debezium-json');\n"
            "CREATE TABLE o (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = "
            "'jdbc', 'url' = 'x');\n"
            "INSERT INTO o SELECT id, n FROM s;\n",
            file="job.sql",
            flink="2.3",
        ),
        good(
            "CREATE TABLE s (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = "
            "'json');\n"
            "CREATE TABLE o (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = "
            "'kafka', 'url' = 'x');\n"
            "INSERT INTO o SELECT id, n FROM s;\n",
            file="job.sql",
            flink="2.3",
        ),
        bad(
            "CREATE TABLE p (id INT, n STRING) WITH ('connector' = 'print');\n"
            + _SOURCE
            + _SINK
            + "INSERT INTO elsewhere SELECT id, n FROM s;\nINSERT INTO p SELECT id, n FROM s;\nSELECT id FROM s;\n"
            "INSERT INTO o SELECT id, MAX(n) FROM s GROUP BY id;\nSET 'table.exec.sink.upsert-materialize' = 'NONE';\n"
            "INSERT INTO o SELECT id, n FROM s;\nRESET 'table.exec.sink.upsert-materialize';\n"
            "INSERT INTO o SELECT id, n FROM s LIMIT 5;\nINSERT INTO o SELECT id, n FROM s ORDER BY n LIMIT 5;\n",
            file="job.sql",
            flink="2.3",
            times=2,
        ),
        bad(_SOURCE + _SINK + "INSERT INTO o SELECT id, CAST(RAND() AS STRING) FROM s;\n", file="job.sql", flink="2.3"),
        good(
            "CREATE TABLE s (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = "
            "'json');\n"
            "CREATE TABLE o (id INT, n STRING) WITH ('connector' = 'jdbc', 'url' = 'x');\n"
            "INSERT INTO o SELECT id, n FROM s;\n",
            file="job.sql",
            flink="2.3",
        ),
        good(_SOURCE + _SINK + "INSERT INTO o SELECT id, n FROM elsewhere;\n", file="job.sql", flink="2.3"),
        good(
            "CREATE TABLE s (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = "
            "'kafka', 'topic' = 's', 'format' = 'json');\n"
            "CREATE TABLE o (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = "
            "'jdbc', 'url' = 'x');\n"
            "INSERT INTO o SELECT id, n FROM s;\n",
            file="job.sql",
            flink="2.3",
        ),
        good(
            "SET 'execution.runtime-mode' = 'batch';\n" + _SOURCE + _SINK + "INSERT INTO o SELECT id, n FROM s;\n",
            file="job.sql",
            flink="2.3",
        ),
    ]


_CLAIMED = (
    "CREATE TABLE s (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json',"
    " 'properties.bootstrap.servers' = 'k:9092', 'scan.startup.mode' = 'earliest-offset');\n"
    "CREATE TABLE o (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',"
    " 'topic' = 'o', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');\n"
)


def claims() -> list[Claim]:
    plain = _CLAIMED + "INSERT INTO o SELECT id, n FROM s;\n"
    off = "SET 'table.exec.sink.require-on-conflict' = 'false';\n"
    return [
        flink_fails(
            "SQL",
            plain,
            good=_CLAIMED + "INSERT INTO o SELECT id, n FROM s ON CONFLICT DO DEDUPLICATE;\n",
            releases=">=2.3",
        ),
        flink_fails("SQL", plain, good=off + plain, releases=">=2.2"),
    ]
