"""Readers of one MySQL server throw each other off.

## What it does
Reports, of the `mysql-cdc` tables of a SQL script and the `MySqlSource` of a program: a `server-id` range with fewer
ids than the parallelism, ranges of two tables of one server that overlap, and, as advice, tables without a
`server-id`.

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
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import WHEN, Reader, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM
from flink_flint.rules.sql._queries import Reading, number, parallelism, queries, readings

_ID = "server-id"
_RANGE = r"\s*(\d{1,10})\s*(?:-\s*(\d{1,10})\s*)?"


@rule(
    code="FLK862",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=WHEN,
    flink=">=1.11",
    since="0.1",
)
def mysql_server_ids(config: View) -> Iterator[Finding]:
    """readers of one MySQL server throw each other off"""
    taken: list[tuple[str, int, int, Reader]] = []
    hinted = {
        reading.name.rpartition(".")[2]
        for query in queries(config)
        for reading in readings(config, query)
        if _ID in reading.hints
    }
    for reader in readers(config, "mysql-cdc"):
        if reader.is_table and reader.part.name.rpartition(".")[2] in hinted:
            continue
        if not reader.has(_ID):
            if reader.is_whole:
                found = reader.finding(
                    f"{reader.what} draws its server id from 5400 to 6400 at each start; readers of the server"
                    " that draw"
                    " the same throw each other off",
                    None,
                    f"give it a range of its own, as wide as its parallelism: {reader.spelled(_ID, '5401-5408')}",
                    severity=Severity.INFO,
                )
                found.confidence = Confidence.MEDIUM
                yield found
            continue
        match = re.fullmatch(_RANGE, reader.text(_ID) or "")
        if match is None:
            continue
        first, last = int(match[1]), int(match[2] or match[1])
        subtasks = _subtasks(config, reader)
        if subtasks is not None and subtasks > last - first + 1:
            yield reader.finding(
                f"{subtasks} subtasks read {reader.what} and {reader.text(_ID)} {'are' if match[2] else 'is'}"
                f" {last - first + 1} server id{'s' if last > first else ''}: each needs its own",
                _ID,
                f"write {first}-{first + subtasks - 1}, if no other reader has those",
            )
        server = f"{reader.text('hostname')}:{reader.text('port') or 3306}"
        clash = next((one for one in taken if one[0] == server and one[1] <= last and first <= one[2]), None)
        if clash is not None and reader.text("hostname"):
            yield reader.finding(
                f"{reader.what} and {clash[3].what} read {server} with the same server ids: each throws the other off",
                _ID,
                f"give each {'table' if reader.is_table else 'source'} a range of its own",
                related=[clash[3].part.place(clash[3].prefix + _ID)],
            )
        taken.append((server, first, last, reader))


def _subtasks(config: View, reader: Reader) -> int | None:
    """How many subtasks read a table at once; None where nobody can tell."""
    if not reader.is_table:
        if ".source." not in (reader.text("api") or ""):
            return None  # a function, which has one subtask
        own = reader.part.number("parallelism")
        if reader.has("parallelism"):
            return None if own is None else int(own)
        return config.integer("parallelism.default") if config.is_set("parallelism.default") else None
    if reader.flag("scan.incremental.snapshot.enabled", default=True) is not True:
        return 1
    if reader.has("scan.parallelism"):
        return number(reader.text("scan.parallelism"))
    for query in queries(config):
        if any(_is(reading, reader) for reading in readings(config, query)):
            return parallelism(config, query)[0]
    return None


def _is(reading: Reading, reader: Reader) -> bool:
    return reading.table is not None and reading.table.span() == reader.part.span()


_TABLE = "CREATE TABLE %s (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db'%s);\n"


def _job(ids: str, parallelism: int, other: str = "") -> str:
    calls = f'.serverId("{ids}")'
    text = PROGRAM.format(
        package="com.ververica.cdc.connectors.mysql.source.MySqlSource", source="MySqlSource", put="", calls=calls
    )
    made = "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"
    more = f'env.addSource(MySqlSource.<String>builder().hostname("db").serverId({other}).build());' if other else ""
    return text.replace(made, f"{made} env.setParallelism({parallelism}); {more}")


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
        bad(_job("5401-5402", 4), file="Job.java", says="4 subtasks read this mysql-cdc source and 5401-5402 are 2"),
        bad(_job("5401", 1, '"5401"'), file="Job.java", says="with the same server ids"),
        good(_job("5401-5404", 4), file="Job.java"),
        good(_job("5401-5402", 4).replace("mysql.source.", "mysql."), file="Job.java"),
    ]
