"""A primary key is declared without NOT ENFORCED.

## What it does
Reports `PRIMARY KEY (...)` in a `CREATE TABLE` that is not followed by `NOT ENFORCED`; behind a column (`id INT
PRIMARY KEY`) from Flink 1.17 on.

## Why it matters
Flink refuses the statement: "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint". It does not own the
data, and checks no key. Without the words the mode is ENFORCED, as the SQL standard has it.

## What to do
Write `PRIMARY KEY (id) NOT ENFORCED`.

## Not when
The script speaks Hive's dialect (`table.sql-dialect`). The statement may be for another database, such as PostgreSQL:
no option, type, or clause in it is only Flink's, and the script uses no catalog (`USE CATALOG`) that stores tables
itself.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/create/#primary-key>: only NOT ENFORCED
- <https://github.com/apache/flink/blob/master/flink-table/flink-sql-parser/src/main/java/org/apache/flink/sql/parser/ddl/constraint/SqlTableConstraint.java>:
  a constraint is enforced unless it says otherwise
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ENFORCED = "primary-key-enforced"
_DIALECT = "table.sql-dialect"


@rule(
    code="FLK917",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.9",
    since="0.1",
)
def sql_primary_key_enforced(config: View) -> Iterator[Finding]:
    """a primary key is declared without NOT ENFORCED"""
    for table in config.elements("table"):
        where = table.text(_ENFORCED)
        if where is None or _speaks_hive(config) or (where == "column" and not _in_columns(config)):
            continue
        end = table.element.attributes[_ENFORCED].raw
        written = "NOT ENFORCED" if end.upper() == "ENFORCED" else f"{end} NOT ENFORCED"
        yield table.finding(
            f"the primary key of {table.name} is to be enforced, and Flink refuses the statement: it enforces none",
            of=_ENFORCED,
            help="write NOT ENFORCED behind it",
            key=f"{table.name}.primary-key",
            fix=table.replace(_ENFORCED, written, safe=True, title="add NOT ENFORCED"),
            even_unused=True,
        )


def _in_columns(config: View) -> bool:
    """Whether the release certainly looks at keys behind columns too."""
    return config.target.certain and config.since("1.17")


def _speaks_hive(config: View) -> bool:
    # As written: releases without the option have no other dialect, but a script for all of them names it all the same.
    return any(not setting.is_known or setting.text.strip().lower() == "hive" for setting in config.under(_DIALECT))


_TABLE = "CREATE TABLE t (id INT, n STRING, %s) WITH ('connector' = 'upsert-kafka', 'topic' = 'a');\n"
_COLUMN = "CREATE TABLE t (id INT PRIMARY KEY%s, n STRING) WITH ('connector' = 'jdbc', 'url' = 'x');\n"
_POSTGRESQL = "CREATE TABLE IF NOT EXISTS a (id VARCHAR(50) PRIMARY KEY, n INT NOT NULL);\n"


def cases() -> list[Case]:
    return [
        bad(_TABLE % "PRIMARY KEY (id)", file="job.sql", at="t.primary-key", severity=Severity.ERROR,
            says="Flink refuses the statement", fixed=_TABLE % "PRIMARY KEY (id) NOT ENFORCED"),
        bad(_TABLE % "CONSTRAINT k PRIMARY KEY (id, n) ENFORCED", file="job.sql", flink="1.13",
            fixed=_TABLE % "CONSTRAINT k PRIMARY KEY (id, n) NOT ENFORCED"),
        bad(_COLUMN % "", file="job.sql", flink="1.20", fixed=_COLUMN % " NOT ENFORCED"),
        bad(_COLUMN % " ENFORCED", file="job.sql", flink="1.17", fixed=_COLUMN % " NOT ENFORCED"),
        good(_COLUMN % "", file="job.sql", flink="1.16"),
        good(_COLUMN % "", file="job.sql"),
        good(_COLUMN % " NOT ENFORCED", file="job.sql", flink="1.20"),
        good(_TABLE % "primary key (id) not  enforced", file="job.sql"),
        good(_TABLE % "PRIMARY KEY (id) {{ enforcement }}", file="job.sql"),
        good("SET 'table.sql-dialect' = 'hive';\n" + _TABLE % "PRIMARY KEY (id) DISABLE NOVALIDATE", file="job.sql"),
        good(_POSTGRESQL + _COLUMN % " NOT ENFORCED", file="job.sql", flink="1.20"),
        good(_COLUMN % " NOT ENFORCED" + _POSTGRESQL + "INSERT INTO a SELECT id, n FROM t;\n", file="job.sql",
             flink="1.20"),
        bad("CREATE CATALOG c WITH ('type' = 'paimon');\nUSE CATALOG c;\n" + _POSTGRESQL, file="job.sql", flink="1.20"),
        bad(_COLUMN % " NOT ENFORCED" + _POSTGRESQL.replace("VARCHAR(50)", "STRING"), file="job.sql", flink="1.20"),
        good("CREATE TABLE t (`primary` INT, key INT) WITH ('connector' = 'print');\n", file="job.sql"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            "CREATE TABLE a (id BIGINT, PRIMARY KEY (id)) WITH ('connector' = 'blackhole');\n",
            good="CREATE TABLE a (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'blackhole');\n",
        ),
    ]
