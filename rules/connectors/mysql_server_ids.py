"""Readers of one MySQL server throw each other off.

## What it does
Reports, of the `mysql-cdc` tables of a SQL script: a `server-id` range with fewer ids than the parallelism, ranges of
two tables of one server that overlap, and, as advice, tables without a `server-id`.

## Why it matters
To MySQL each reader is a replica with an id. Two with the same id push each other out, again and again: "A slave with
the same server_uuid/server_id as this slave has connected to the master", and the jobs restart. Without a `server-id`
the connector draws one of 5400 to 6400 at each start: with ten readers of a server two are alike in 1 of 20 cases.
With incremental snapshots, the default, each subtask needs an id of its own.

## What to do
Give each table a range of its own, at least as wide as its parallelism: `'server-id' = '5401-5408'`.

## Not when
`scan.incremental.snapshot.enabled` is false and there is one reader: one id is enough.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/#set-a-different-server-id-for-each-reader>:
  ids for each reader, and the ranges
- <https://help.aliyun.com/en/flink/realtime-flink/developer-reference/best-practices-for-mysql-connector>: how wide a
  range has to be
"""

import re
from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import Reading, number, parallelism, queries, readings, tables

_ID = "server-id"
_RANGE = r"\s*(\d{1,10})\s*(?:-\s*(\d{1,10})\s*)?"


@rule(
    code="FLK862",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.11",
    since="0.1",
)
def mysql_server_ids(config: View) -> Iterator[Finding]:
    """readers of one MySQL server throw each other off"""
    taken: list[tuple[str, int, int, ElementView]] = []
    hinted = {
        reading.name.rpartition(".")[2]
        for query in queries(config)
        for reading in readings(config, query)
        if _ID in reading.hints
    }
    for table in tables(config, "mysql-cdc"):
        if table.name.rpartition(".")[2] in hinted:
            continue
        of = f"with.{_ID}"
        if not table.has(of):
            yield table.finding(
                f"{table.name} draws its server id from 5400 to 6400 at each start; readers of the server that draw the"
                " same throw each other off",
                of="connector",
                help="give it a range of its own, as wide as its parallelism: 'server-id' = '5401-5408'",
                severity=Severity.INFO,
                confidence=Confidence.MEDIUM,
            )
            continue
        match = re.fullmatch(_RANGE, table.text(of) or "")
        if match is None:
            continue
        first, last = int(match[1]), int(match[2] or match[1])
        subtasks = _subtasks(config, table)
        if subtasks is not None and subtasks > last - first + 1:
            yield table.finding(
                f"{subtasks} subtasks read {table.name} and {table.text(of)} {'are' if match[2] else 'is'}"
                f" {last - first + 1} server id{'s' if last > first else ''}: each needs its own",
                of=of,
                help=f"write {first}-{first + subtasks - 1}, if no other reader has those",
            )
        server = f"{table.text('with.hostname')}:{table.text('with.port') or 3306}"
        clash = next((one for one in taken if one[0] == server and one[1] <= last and first <= one[2]), None)
        if clash is not None and table.text("with.hostname"):
            yield table.finding(
                f"{table.name} and {clash[3].name} read {server} with the same server ids: each throws the other off",
                of=of,
                help="give each table a range of its own",
                related=[clash[3].place(of)],
            )
        taken.append((server, first, last, table))


def _subtasks(config: View, table: ElementView) -> int | None:
    """How many subtasks read a table at once; None where nobody can tell."""
    if (table.text("with.scan.incremental.snapshot.enabled") or "true").lower() != "true":
        return 1
    if table.has("with.scan.parallelism"):
        return number(table.text("with.scan.parallelism"))
    for query in queries(config):
        if any(_is(reading, table) for reading in readings(config, query)):
            return parallelism(config, query)[0]
    return None


def _is(reading: Reading, table: ElementView) -> bool:
    return reading.table is not None and reading.table.span() == table.span()


_TABLE = "CREATE TABLE %s (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db'%s);\n"


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ("a", ""),
            file="job.sql",
            at="'mysql-cdc'",
            flink="1.18",
            severity=Severity.INFO,
            says="a draws its server id from 5400 to 6400",
        ),
        bad(
            "SET 'parallelism.default' = '4';\n"
            + _TABLE % ("a", ", 'server-id' = '5401'")
            + "INSERT INTO r SELECT * FROM a;\n",
            file="job.sql",
            at="'5401'",
            flink="1.16",
            severity=Severity.WARNING,
            says="4 subtasks read a and 5401 is 1 server id",
        ),
        bad(
            _TABLE % ("a", ", 'server-id' = '5401-5408'") + _TABLE % ("b", ", 'server-id' = '5405-5412'"),
            file="job.sql",
            at="'5405-5412'",
            flink="1.18",
            says="b and a read db:3306 with the same server ids",
        ),
        good(
            "SET 'parallelism.default' = '4';\n"
            + _TABLE % ("a", ", 'server-id' = '5401-5404'")
            + "INSERT INTO r SELECT * FROM a;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'parallelism.default' = '4';\n"
            + _TABLE % ("a", ", 'server-id' = '5401', 'scan.incremental.snapshot.enabled' = 'false'")
            + "INSERT INTO r SELECT * FROM a;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE a (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db', 'server-id' = "
            "'5401-5404');\n"
            "CREATE TABLE b (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'other', 'server-id' "
            "= '5401-5404');\n",
            file="job.sql",
            flink="1.18",
        ),
        good(_TABLE % ("a", ", 'server-id' = '${SERVER_IDS}'"), file="job.sql", flink="1.18"),
        good(
            _TABLE % ("a", "") + "INSERT INTO r SELECT * FROM a /*+ OPTIONS('server-id' = '5401') */;\n",
            file="job.sql",
            flink="1.18",
        ),
        bad(
            _TABLE % ("a", "")
            + _TABLE % ("b", "")
            + _TABLE % ("c", ", 'server-id' = '5401-5408'")
            + _TABLE % ("x", ", 'server-id' = '${SERVER_IDS}'")
            + (_TABLE % ("d", ", 'server-id' = '5408'"))
            + "INSERT INTO r SELECT * FROM a /*+ OPTIONS('server-id' = '5401') */;\n",
            file="job.sql",
            times=2,
            flink="1.11",
        ),
        bad(
            _TABLE % ("a", ", 'server-id' = '5408'") + _TABLE % ("b", ", 'server-id' = '5401-5408'"),
            file="job.sql",
            says="b and a read db:3306",
        ),
        bad(
            _TABLE % ("a", ", 'port' = '3306', 'server-id' = '5401'") + _TABLE % ("b", ", 'server-id' = '5401'"),
            file="job.sql",
            says="b and a read db:3306",
        ),
        bad(
            "SET 'parallelism.default' = '4';\n"
            + _TABLE % ("a", ", 'scan.parallelism' = '5', 'server-id' = '5401-5404'")
            + "INSERT INTO r SELECT * FROM a;\n",
            file="job.sql",
            says="5 subtasks read a",
        ),
        bad(
            "SET 'parallelism.default' = '5';\n"
            + _TABLE % ("a", ", 'server-id' = '5401-5404'")
            + "INSERT INTO r SELECT * FROM b;\nINSERT INTO r SELECT * FROM a;\n",
            file="job.sql",
            says="5 subtasks read a",
        ),
        good(
            "SET 'parallelism.default' = '4';\n"
            + _TABLE % ("a", ", 'server-id' = '5401-5403'")
            + "INSERT INTO a SELECT * FROM b;\n",
            file="job.sql",
        ),
        good(
            _TABLE % ("a", ", 'server-id' = '5401-5404'")
            + _TABLE % ("b", ", 'server-id' = '5405-5408'")
            + _TABLE % ("c", ", 'server-id' = '5399-5400'"),
            file="job.sql",
        ),
        good(
            _TABLE % ("a", ", 'port' = '3307', 'server-id' = '5401'") + _TABLE % ("b", ", 'server-id' = '5401'"),
            file="job.sql",
        ),
        good(
            "CREATE TABLE a (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = '${HOST}', "
            "'server-id' = '5401');\n"
            "CREATE TABLE a (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = '${HOST}', "
            "'server-id' = '5401');\n",
            file="job.sql",
        ),
        good(_TABLE % ("a", ""), file="job.sql", flink="1.10"),
    ]
