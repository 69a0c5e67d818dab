"""A server id is larger than the connector can hold.

## What it does
Reads `server-id` of Flink CDC's readers of MySQL, in SQL and in the builders of programs.

## Why it matters
MySQL knows ids up to 4294967295, the connector holds them as `int`, up to 2147483647. A larger one is refused when the
job starts: `java.lang.NumberFormatException: For input string: "2437466879"`, `The server id ... is not a valid
numeric`.

## What to do
Take a small range that no other reader of the server has, as wide as the parallelism: `5400-5407`.

## Not when
The ids fit, or are not known.

## Sources
- <https://github.com/apache/flink-cdc/blob/release-3.2/flink-cdc-connect/flink-cdc-source-connectors/flink-connector-mysql-cdc/src/main/java/org/apache/flink/cdc/connectors/mysql/source/config/ServerIdRange.java>:
  `Integer.parseInt`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.connectors._cdc import WHEN, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_KEY = "server-id"
_IDS = regex(r"\s*(\d{1,19})\s*(?:-\s*(\d{1,19})\s*)?")
_LARGEST = 2**31 - 1


@rule(
    code="FLK558",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=WHEN,
    since="0.1",
)
def mysql_server_id_too_large(config: View) -> Iterator[Finding]:
    """a server id is larger than the connector can hold"""
    for reader in readers(config, "mysql-cdc"):
        found = _IDS.fullmatch(reader.text(_KEY) or "")
        largest = 0 if found is None else max(int(found[1]), int(found[2] or 0))
        if largest > _LARGEST:
            yield reader.finding(
                f"the server id {largest} does not fit into an int: the reader is refused when the job starts"
                " (NumberFormatException)",
                _KEY,
                "take a small range as wide as the parallelism, such as 5400-5407",
            )


_TABLE = "CREATE TABLE t (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db', 'server-id' = '%s');\n"


def _job(ids: str) -> str:
    package = "com.ververica.cdc.connectors.mysql.source.MySqlSource"
    return PROGRAM.format(package=package, source="MySqlSource", put="", calls=f'.serverId("{ids}")')


def cases() -> list[Case]:
    return [
        bad(_TABLE % "1-2437466879", file="job.sql", at="'1-2437466879'", flink="1.17", severity=Severity.ERROR),
        bad(_job("4294967295"), file="Job.java", says="does not fit into an int"),
        good(_TABLE % "5400-5407", file="job.sql", flink="1.17"),
        good(_TABLE % "2147483647", file="job.sql", flink="1.17"),
        good(_job("5400"), file="Job.java"),
    ]


_WHOLE = (
    "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db',\n"
    "  'username' = 'u', 'password' = 'p', 'database-name' = 'd', 'table-name' = 't', 'server-id' = '%s');\n"
    "SELECT * FROM t;\n"
)


def claims() -> list[Claim]:
    return [flink_refuses("SQL", _WHOLE % "1-2437466879", good=_WHOLE % "5400-5407", releases=">=1.13,<2.0")]
