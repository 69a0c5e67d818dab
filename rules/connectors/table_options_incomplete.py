"""Options of a table that only count together are not all there.

## What it does
Reports tables of a SQL script that have some of a group of options and not the others.

- JDBC: `username` and `password`; `scan.partition.column`, `.num`, `.lower-bound` and `.upper-bound`;
  `lookup.cache.max-rows` and `lookup.cache.ttl`. Flink refuses the table: "Either all or none of the following options
  should be provided".
- JDBC, Elasticsearch 6 to 8, MongoDB, HBase: `lookup.partial-cache.*` without `lookup.cache` = `PARTIAL`, which are
  ignored.
- Elasticsearch 6 to 8: `username` without `password`, which is refused.

## Why it matters
The first and the last keep the job from starting. Without PARTIAL every record asks the other system, and the cache
that the options describe does not exist.

## What to do
Add what is missing, or delete the rest.

## Not when
The table takes options over from another (LIKE).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/#connector-options>: what belongs
  together
- <https://github.com/apache/flink-connector-jdbc/blob/main/flink-connector-jdbc-core/src/main/java/org/apache/flink/connector/jdbc/core/table/JdbcDynamicTableFactory.java>:
  the checks, and when there is a cache
- <https://github.com/apache/flink-connector-elasticsearch/blob/main/flink-connector-elasticsearch8/src/main/java/org/apache/flink/connector/elasticsearch/table/ElasticSearch8AsyncDynamicTableFactory.java>:
  those of Elasticsearch 8
"""

from collections.abc import Iterator

from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import Part, View
from rules.sql._queries import queries, readings, tables, target

_GROUPS = (
    ("username", "password"),
    ("scan.partition.column", "scan.partition.num", "scan.partition.lower-bound", "scan.partition.upper-bound"),
    ("lookup.cache.max-rows", "lookup.cache.ttl"),
)
_ELASTICSEARCH = ("elasticsearch-6", "elasticsearch-7", "elasticsearch-8")
_CACHED = ("jdbc", *_ELASTICSEARCH, "mongodb", "hbase-1.4", "hbase-2.2")
_PARTIAL = "lookup.partial-cache."


@rule(
    code="FLK851",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.11",
    since="0.1",
)
def table_options_incomplete(config: View) -> Iterator[Finding]:
    """options of a table that only count together are not all there"""
    hinted = _hinted(config)
    for table in tables(config, *_CACHED):
        if table.name.rpartition(".")[2] in hinted:
            continue
        connector = table.text("connector")
        for group in _GROUPS if connector == "jdbc" else (("username", "password"),):
            there = [name for name in group if table.has(f"with.{name}")]
            missing = [name for name in group if name not in there]
            if not there or not missing or (connector != "jdbc" and there != ["username"]):
                continue
            if connector not in ("jdbc", *_ELASTICSEARCH):
                continue
            yield table.finding(
                f"{table.name} has {_list(there)} and not {_list(missing)}: Flink refuses the table",
                of=f"with.{there[0]}",
                at="entry",
                help=f"add {_list(missing)}, or delete {_list(there)}",
            )
        yield from _cache_without_switch(table)


def _cache_without_switch(table: Part) -> Iterator[Finding]:
    partial = [name for name, _ in table.under("with") if name.startswith(_PARTIAL)]
    switch = table.text("with.lookup.cache")
    if not partial or not table.is_known("with.lookup.cache") or (switch is not None and switch.upper() == "PARTIAL"):
        return
    yield table.finding(
        f"{_list(partial)} of {table.name} {'do' if len(partial) > 1 else 'does'} nothing: lookup.cache is"
        f" {switch or 'not set'}, so there is no cache",
        of=f"with.{partial[0]}",
        at="entry",
        help="set lookup.cache to PARTIAL",
        severity=Severity.WARNING,
    )


def _hinted(config: View) -> set[str]:
    """The tables that a query gives more options to."""
    found = set()
    for query in queries(config):
        sink = target(config, query)
        for one in (*readings(config, query), *([sink] if sink is not None else ())):
            if one.hints:
                found.add(one.name.rpartition(".")[2])
    return found


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_TABLE = "CREATE TABLE d (id INT) WITH ('connector' = '%s', 'url' = 'jdbc:mysql://db/x', %s);\n"

CASES = [
    bad(_TABLE % ("jdbc", "'username' = 'flink'"), file="job.sql", at="'username' = 'flink'", flink="1.18",
        severity=Severity.ERROR, says="d has username and not password: Flink refuses the table"),
    bad(_TABLE % ("jdbc", "'scan.partition.column' = 'id', 'scan.partition.num' = '8'"), file="job.sql", flink="1.16",
        says="not scan.partition.lower-bound and scan.partition.upper-bound"),
    bad(_TABLE % ("jdbc", "'lookup.cache.ttl' = '10 min'"), file="job.sql", flink="1.14",
        says="not lookup.cache.max-rows"),
    bad(_TABLE % ("jdbc", "'lookup.partial-cache.max-rows' = '1000'"), file="job.sql", flink="1.18",
        severity=Severity.WARNING, says="lookup.cache is not set, so there is no cache"),
    bad(_TABLE % ("elasticsearch-7", "'username' = 'flink'"), file="job.sql", flink="1.18", severity=Severity.ERROR),
    good(_TABLE % ("jdbc", "'username' = 'flink', 'password' = '${DB_PASSWORD}'"), file="job.sql", flink="1.18"),
    good(_TABLE % ("jdbc", "'lookup.cache' = 'partial', 'lookup.partial-cache.max-rows' = '1000'"), file="job.sql",
         flink="1.18"),
    good(_TABLE % ("jdbc", "'username' = 'flink'")
         + "INSERT INTO r SELECT * FROM d /*+ OPTIONS('password' = '${DB_PASSWORD}') */;\n", file="job.sql",
         flink="1.18"),
    good((_TABLE % ("jdbc", "'username' = 'flink'")).replace(");", ") LIKE base;"), file="job.sql", flink="1.18"),
    good(_TABLE % ("mongodb", "'username' = 'flink'"), file="job.sql", flink="1.18"),
]  # fmt: skip
