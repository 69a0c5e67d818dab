"""Every record of a lookup join asks the database.

## What it does
Reports, in a SQL script, a lookup join on a JDBC table whose options have no cache: neither `lookup.cache` = `PARTIAL`
nor `lookup.cache.max-rows`.

## Why it matters
The JDBC connector looks rows up one after the other: each record waits for an answer of the database. At 2 ms an
answer that is 500 records a second for each subtask, and the join holds back the whole job; after an outage it has to
ask for every record of the backlog once more.

## What to do
Set `lookup.cache` to PARTIAL with `lookup.partial-cache.max-rows` and `lookup.partial-cache.expire-after-write`, as
old as rows of the table may be in the result (up to 1.15 `lookup.cache.max-rows` and `lookup.cache.ttl`).

## Not when
The stream is small, or results must show the row as it is at that very moment: then silence the rule.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/#lookup-cache>: none by default
- <https://github.com/apache/flink-connector-jdbc/blob/main/flink-connector-jdbc-core/src/main/java/org/apache/flink/connector/jdbc/core/table/JdbcDynamicTableFactory.java>:
  what makes a cache
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import Reading, number, queries, readings


@rule(
    code="FLK850",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.11",
    since="0.1",
)
def jdbc_lookup_without_cache(config: View) -> Iterator[Finding]:
    """every record of a lookup join asks the database"""
    told = set()
    for query in queries(config):
        for reading in readings(config, query):
            if reading.role != "lookup" or reading.connector != "jdbc" or reading.table is None:
                continue
            if reading.table.has("like") or reading.table.span() in told or _is_cached(reading):
                continue
            told.add(reading.table.span())
            new = config.since("1.16")
            options = "lookup.cache = PARTIAL" if new else "lookup.cache.max-rows and lookup.cache.ttl"
            yield reading.table.finding(
                f"each record of the join on {reading.name} waits for a query of its own: at 2 ms an answer that is"
                " 500 records a second for each subtask",
                of="connector",
                help=f"give {reading.name} a cache: {options}"
                + (", with lookup.partial-cache.max-rows and .expire-after-write" if new else ""),
                related=[query.place("lookup-join")],
            )


def _is_cached(reading: Reading) -> bool:
    """Whether rows are cached, or may be: a template gives the option, or its value is none that Flink takes."""
    if reading.has("lookup.cache") and (reading.option("lookup.cache") or "").upper() != "NONE":
        return True
    rows = number(reading.option("lookup.cache.max-rows"))
    return reading.has("lookup.cache.max-rows") and (rows is None or rows > 0)


_STREAM = "CREATE TABLE s (id INT, pt AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = 's');\n"
_TABLE = "CREATE TABLE d (id INT, n STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x'%s);\n"
_JOIN = "INSERT INTO r SELECT s.id, d.n FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt ON s.id = d.id;\n"


def cases() -> list[Case]:
    return [
        bad(_STREAM + _TABLE % "" + _JOIN, file="job.sql", at="'jdbc'", flink="1.18", severity=Severity.WARNING,
            says="each record of the join on d waits for a query of its own"),
        bad(_STREAM + _TABLE % ", 'lookup.cache' = 'NONE'" + _JOIN + _JOIN, file="job.sql", flink="1.17"),
        good(_STREAM + _TABLE % ", 'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '10000'" + _JOIN,
             file="job.sql", flink="1.18"),
        good(_STREAM + _TABLE % ", 'lookup.cache.max-rows' = '1000', 'lookup.cache.ttl' = '1 min'" + _JOIN,
             file="job.sql", flink="1.14"),
        good(
            "CREATE TABLE s (id INT, pt AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "CREATE TABLE d (id INT, n STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x');\n"
            "INSERT INTO r SELECT s.id, d.n FROM s JOIN d /*+ OPTIONS('lookup.cache' = 'PARTIAL') */ FOR "
            "SYSTEM_TIME AS OF s.pt ON s.id = d.id;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(_STREAM + _TABLE % "" + "INSERT INTO d SELECT id, 'a' FROM s;\n", file="job.sql", flink="1.18"),
        good(_STREAM + _TABLE % ", 'lookup.cache' = '${CACHE}'" + _JOIN, file="job.sql", flink="1.18"),
        good(_STREAM + _TABLE % ", 'lookup.cache.max-rows' = 'all'" + _JOIN, file="job.sql", flink="1.14"),
        bad(
            "CREATE TABLE s (id INT, pt AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "CREATE TABLE d (id INT, n STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x');\n"
            "CREATE TABLE h (id INT, n STRING) WITH ('connector' = 'hbase-2.2');\n"
            "INSERT INTO r SELECT s.id, d.n FROM s JOIN h FOR SYSTEM_TIME AS OF s.pt ON s.id = d.id;\n"
            "INSERT INTO r SELECT s.id, d.n FROM s JOIN elsewhere FOR SYSTEM_TIME AS OF s.pt ON s.id = d.id;\n"
            "INSERT INTO r SELECT s.id, d.n FROM s JOIN d /*+ OPTIONS('lookup.cache' = 'PARTIAL') */ FOR "
            "SYSTEM_TIME AS OF s.pt ON s.id = d.id;\n"
            "INSERT INTO r SELECT s.id, d.n FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt ON s.id = d.id;\n"
            "INSERT INTO r SELECT s.id, d.n FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt ON s.id = d.id;\n",
            file="job.sql",
            flink="1.11",
        ),
        bad(_STREAM + _TABLE % ", 'lookup.cache.max-rows' = '0'" + _JOIN, file="job.sql", flink="1.14"),
        good(_STREAM + _TABLE % ", 'lookup.cache.max-rows' = '1'" + _JOIN, file="job.sql", flink="1.14"),
        good(_STREAM + _TABLE % ", 'lookup.cache.max-rows' = '${ROWS}'" + _JOIN, file="job.sql", flink="1.14"),
        good(
            "CREATE TABLE s (id INT, pt AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "CREATE TABLE d (id INT, n STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x') "
            "LIKE cached;\n"
            "INSERT INTO r SELECT s.id, d.n FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt ON s.id = d.id;\n",
            file="job.sql",
            flink="1.14",
        ),
        good(_STREAM + _TABLE % "" + "INSERT INTO r SELECT id FROM d;\n", file="job.sql", flink="1.18"),
        good(_STREAM + _TABLE % "" + _JOIN, file="job.sql", flink="1.10"),
    ]  # fmt: skip
