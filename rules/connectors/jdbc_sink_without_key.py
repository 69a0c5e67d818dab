"""A database gets rows twice after a failure.

## What it does
Reports, in a SQL script, a streaming INSERT into a JDBC table without a primary key.

## Why it matters
The JDBC sink writes at least once: after a failure rows since the last checkpoint are written again. With a primary
key they replace the first ones, without it they are there twice, or break a constraint and fail the job at every
restart. A query whose rows are updated (GROUP BY without a window, a join of changes) is refused altogether.

## What to do
Declare the key of the table in the database: `PRIMARY KEY (id) NOT ENFORCED`.

## Not when
The table is a log of events in which duplicates do no harm: then silence the rule. On a developer's machine it is
advice. In batch mode the finding does not apply, nor where the connector has no dialect for the database (ClickHouse):
it refuses the table, key or not. StarRocks and Doris, which look like MySQL to it, replace rows by the key of their own
table.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/#key-handling>:
  append mode and upsert mode
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/#idempotent-writes>:
  what a key is for
"""

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.sql._queries import is_streaming, sinks

_DIALECTS = ("crate", "db2", "derby", "mysql", "oceanbase", "oracle", "postgresql", "sqlserver", "trino")
"""The databases, as their URLs name them, for which some release of the connector has a dialect that can use a key."""
_OTHERS = regex(r"(?i)starrocks|doris|clickhouse|:9030\b")
"""What URLs have (their hosts, their variables or their port) of databases that are reached as MySQL is."""


@rule(
    code="FLK854",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def jdbc_sink_without_key(config: View) -> Iterator[Finding]:
    """a database gets rows twice after a failure"""
    told = set()
    for_development = config.target.profile == "development"
    for query, sink, table in sinks(config):
        if sink.connector != "jdbc" or query.has("values") or table.has("primary-key"):
            continue
        if not table.has("columns") or table.span() in told or not _may_replace_rows(table):
            continue
        if not is_streaming(config, query):
            continue
        told.add(table.span())
        refused = query.has("group-by")
        yield table.finding(
            f"{table.name} has no primary key: "
            + (
                "Flink refuses to write the updates that GROUP BY gives"
                if refused
                else "rows that are written again after a failure are there twice"
            ),
            help="declare the key of the table in the database: PRIMARY KEY (…) NOT ENFORCED",
            severity=Severity.ERROR if refused else Severity.INFO if for_development else None,
            related=[query.place("targets[0].name")],
        )


def _may_replace_rows(table: ElementView) -> bool:
    """Whether the connector may have a dialect for the database of a table, and one in which a key replaces rows."""
    given = table.element.attributes.get("with.url")
    url = table.text("with.url") or (given.raw if given is not None else "")
    database = re.match(r"jdbc:([\w-]+):", url)
    return _OTHERS.search(url) is None and (database is None or database[1] in _DIALECTS)


_SOURCE = "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's');\n"
_SINK = "CREATE TABLE d (id INT%s) WITH ('connector' = 'jdbc', 'url' = 'x');\n"

_UPDATES = (
    "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE d (id INT, n BIGINT%s)"
    " WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x', 'table-name' = 'd');\n"
    "INSERT INTO d SELECT id, COUNT(*) FROM s GROUP BY id;\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _SOURCE + _SINK.replace("'x'", "'jdbc:mysql://localhost/x'") % "" + "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            profile="development",
            severity=Severity.INFO,
        ),
        bad(
            _SOURCE + _SINK % "" + "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            at="d",
            flink="1.18",
            severity=Severity.WARNING,
            says="are there twice",
        ),
        bad(
            _SOURCE + _SINK % "" + "INSERT INTO d SELECT COUNT(*) FROM s GROUP BY id;\n",
            file="job.sql",
            at="d",
            flink="1.18",
            severity=Severity.ERROR,
            says="Flink refuses to write the updates",
        ),
        good(
            _SOURCE + _SINK % ", PRIMARY KEY (id) NOT ENFORCED" + "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            _SOURCE + _SINK % " PRIMARY KEY NOT ENFORCED" + "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'execution.runtime-mode' = 'batch';\n" + _SOURCE + _SINK % "" + "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(_SOURCE + _SINK % "" + "INSERT INTO s SELECT id FROM d;\n", file="job.sql", flink="1.18"),
        *(
            case(
                _SOURCE + (_SINK % "").replace("'x'", f"'{url}'") + "INSERT INTO d SELECT id FROM s;\n",
                file="job.sql",
                flink="1.18",
            )
            for case, url in (
                (bad, "jdbc:mysql://db/x"),
                (bad, "${url}"),
                (bad, "jdbc:postgresql://db/x"),
                (good, "jdbc:clickhouse://db/x"),
                (good, "jdbc:hive2://db/x"),
                (bad, "jdbc:mysql://db:3306/x"),
                (good, "jdbc:mysql://db:9030/x"),
                (good, "jdbc:mysql://starrocks-fe/x"),
                (good, "${CLICKHOUSE_URL}"),
            )
        ),
        good(_SINK % "" + "INSERT INTO d VALUES (1);\n", file="job.sql", flink="1.18"),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'url' = 'x') LIKE keyed;\n"
            "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "CREATE TABLE d WITH ('connector' = 'jdbc', 'url' = 'x');\n"
            "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(_SOURCE + _SINK % "" + "INSERT INTO d SELECT id FROM s;\n", file="job.sql", flink="1.10"),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            _UPDATES % "",
            good=_UPDATES % ", PRIMARY KEY (id) NOT ENFORCED",
            releases=">=1.12,<1.20",  # later the dialects are jars of their own
        ),
    ]
