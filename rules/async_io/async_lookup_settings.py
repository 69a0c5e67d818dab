"""Asynchronous lookups of SQL are set up so that they wait too many at once, or do nothing at all.

## What it does
Looks at `table.exec.async-lookup.*`: a `buffer-capacity` of more than 10 000, and settings in a script whose tables are
all of connectors that look up synchronously (JDBC) or cannot be looked up.

## Why it matters
The buffer is the capacity of the asynchronous operator: what waits in it is written into every checkpoint, and asked
for again at once after a failure. A connector without asynchronous lookup ignores all of these options: the join keeps
making one call at a time, and its author believes otherwise.

## What to do
Rate times latency is enough for the buffer: `flint size async-io`. For a connector that only looks up synchronously,
use its cache (`lookup.cache`) or a higher parallelism.

## Not when
A table has a connector that is not known to be synchronous, or tables come from a catalog.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-async-lookup-buffer-capacity>:
  the options and their defaults
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/>: the JDBC connector looks up in
  synchronous mode only
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import counted

_PREFIX = "table.exec.async-lookup."
_CAPACITY = f"{_PREFIX}buffer-capacity"
_NOT_ASYNCHRONOUS = frozenset({
    *("jdbc", "kafka", "upsert-kafka", "filesystem", "print", "blackhole", "datagen", "kinesis", "firehose"),
    *("dynamodb", "elasticsearch-6", "elasticsearch-7", "opensearch", "mysql-cdc", "postgres-cdc"),
})  # fmt: skip
"""Connectors that look up synchronously, or cannot be looked up."""


@rule(
    code="FLK887",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[f"{_PREFIX}{name}" for name in ("buffer-capacity", "timeout", "output-mode")],
    flink=">=1.10",
    since="0.1",
    thresholds={"lookups": Threshold(10_000, "most lookups in flight in each subtask")},
)
def async_lookup_settings(config: View) -> Iterator[Finding]:
    """asynchronous lookups wait too many at once, or none is asynchronous"""
    capacity = config.integer(_CAPACITY)
    setting = config.get(_CAPACITY)
    if setting.is_set and capacity is not None and capacity > config.threshold("lookups"):
        yield setting.finding(
            f"{counted(capacity)} lookups in flight in each subtask are written into every checkpoint, and all are made"
            " again at once after a failure",
            help="ask for rate times latency at once, with some room; `flint size async-io` reckons it",
        )
    tables = config.elements("table")
    connectors = {table.text("connector") for table in tables}
    if "jdbc" not in connectors or not connectors <= _NOT_ASYNCHRONOUS or config.elements("catalog"):
        return
    for one in config.under(_PREFIX):
        yield one.finding(
            "none of this script's tables has a connector that looks up asynchronously, and jdbc never does: the option"
            " does nothing",
            help="set the connector's lookup cache instead, or delete the statement",
            severity=Severity.INFO,
        )


_JDBC = (
    "CREATE TABLE orders (id INT) WITH ('connector' = 'kafka');\n"
    "CREATE TABLE users (id INT) WITH ('connector' = '{connector}');\n"
)


def claims() -> list[Claim]:
    both = (
        "CREATE TABLE orders (id INT, pt AS PROCTIME()) WITH ('connector' = 'datagen');\n"
        "CREATE TABLE users (id INT, n STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x', 'table-name' ="
        " 'users');\n"
        "SELECT n FROM orders JOIN users FOR SYSTEM_TIME AS OF orders.pt ON orders.id = users.id;\n"
    )
    return [
        flink_ignores(
            "SQL plan", "SET 'table.exec.async-lookup.timeout' = '30 s';\n" + both, good=both, releases=">=1.17,<1.20"
        ),
    ]


def cases() -> list[Case]:
    return [
        bad("table.exec.async-lookup.buffer-capacity: 50000\n", at="50000", flink="1.20", severity=Severity.WARNING),
        bad(
            "SET 'table.exec.async-lookup.timeout' = '30 s';\n" + _JDBC.format(connector="jdbc"),
            file="job.sql",
            at="table.exec.async-lookup.timeout",
            severity=Severity.INFO,
        ),
        good("table.exec.async-lookup.buffer-capacity: 1000\n", flink="1.20"),
        good("SET 'table.exec.async-lookup.timeout' = '30 s';\n" + _JDBC.format(connector="hbase-2.2"), file="job.sql"),
        good("SET 'table.exec.mini-batch.enabled' = 'false';\n" + _JDBC.format(connector="jdbc"), file="job.sql"),
        good("table.exec.async-lookup.buffer-capacity: ${CAPACITY}\n", flink="1.20"),
        bad("table.exec.async-lookup.buffer-capacity: 10001\n", at="10001", flink="1.20"),
        bad(
            "SET 'table.exec.async-lookup.timeout' = '30 s';\n"
            "CREATE TABLE users (id INT) WITH ('connector' = 'jdbc');\n",
            file="job.sql",
        ),
        good("table.exec.async-lookup.buffer-capacity: 10000\n", flink="1.20"),
        good("SET 'table.exec.async-lookup.timeout' = '30 s';\n" + _JDBC.format(connector="mysql-cdc"), file="job.sql"),
        good(
            "SET 'table.exec.async-lookup.timeout' = '30 s';\nCREATE CATALOG lake WITH ('type' = 'hive');\n"
            + _JDBC.format(connector="jdbc"),
            file="job.sql",
        ),
        good(
            "SET 'table.exec.async-lookup.timeout' = '30 s';\n" + _JDBC.format(connector="${CONNECTOR}"), file="job.sql"
        ),
    ]
