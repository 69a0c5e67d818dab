"""A sink has another key than the changes that are written into it.

## What it does
Looks for streaming INSERTs whose target has a primary key that is not the key of the changes written: a copy of a
table of changes (CDC, `upsert-kafka`) whose own primary key is not among the columns of the target's; and an outer
join of which a column of the target's key is computed.

## Why it matters
Changes of one row of the sink then come from several rows of the source, and may overtake each other. Flink puts an
operator before the sink that keeps each row in state and finds old rows by all of their columns (`SinkMaterializer`,
`table.exec.sink.upsert-materialize`): large state and high load, on a job that looked like a copy. A function that
gives another result for the old row than it gave for the new one makes it miss that row: what was deleted or changed
stays in the sink, and with `NONE` late deletions remove rows that are there.

From Flink 2.3 on such a statement is refused unless it has `ON CONFLICT`, or
`table.exec.sink.require-on-conflict` is false.

## What to do
Declare the key of the changes as the sink's primary key. Take values such as `UUID()` and the result of a function
that is not deterministic from a column, or set `table.optimizer.non-deterministic-update.strategy` to TRY_RESOLVE.

## Not when
- The target has all columns of the source's key among those of its own.
- `table.exec.sink.upsert-materialize` is set, to whatever; batch mode; tables of new rows only.
- The tables, or the columns that the query yields, are not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-sink-upsert-materialize>:
  when the operator is added
- <https://issues.apache.org/jira/browse/FLINK-28569>: rows that it does not find
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/concepts/determinism/>: what non-deterministic
  functions do to updates
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import is_set, is_streaming, readings, sinks

_MATERIALIZE = "table.exec.sink.upsert-materialize"
_CHANGING = frozenset((
    "CURRENT_TIMESTAMP", "CURRENTTIMESTAMP", "NOW", "UUID", "RAND", "RAND_INTEGER", "RANDINTEGER", "UNIX_TIMESTAMP",
    "CURRENT_ROW_TIMESTAMP", "LOCALTIMESTAMP", "LOCALTIME", "CURRENT_DATE", "CURRENT_TIME",
))  # fmt: skip
_KEYED = (
    "group-by",
    "distinct",
    "deduplicate",
    "top-n",
    "window",
    "aggregate",
    "union",
    "set-operation",
    "on-conflict",
)
"""Parts that give the rows of a query another key."""
_JOINS = ("regular-join", "interval-join", "window-join", "temporal-join", "lookup-join")


@rule(
    code="FLK156",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.13",
    since="0.1",
)
def sql_sink_key_differs(config: View) -> Iterator[Finding]:
    """a sink has another key than the changes that are written into it"""
    for query, sink, table in sinks(config):
        if not table.has("primary-key") or not is_streaming(config, query) or is_set(config, query, _MATERIALIZE):
            continue
        if config.may_be_set_by_program(_MATERIALIZE) or any(query.has(name) for name in _KEYED):
            continue
        key = _outputs_of_key(query, table)
        if key is None:
            continue
        if any(query.has(name) for name in _JOINS):
            computed = next((one for one in key if one.text("column") is None and not one.has("constant")), None)
            if query.has("outer-join") and computed is not None:
                yield query.finding(
                    f"{_name(table, key, computed)} is computed and part of the key of {sink.name}, so that the"
                    " join has another key: Flink"
                    " keeps each row of the sink in state to order its updates",
                    of=_attribute(query, computed),
                    key=_MATERIALIZE,
                    help=f"let the sink's primary key be columns that identify the join's rows, or set {_MATERIALIZE}:"
                    " NONE if updates of a row cannot overtake each other",
                    related=[table.place("primary-key")],
                    confidence=Confidence.LOW,
                )
            continue
        yield from _of_copy(config, query, table, key)


def _of_copy(config: View, query: ElementView, table: ElementView, key: list[ElementView]) -> Iterator[Finding]:
    read = readings(config, query)
    source = read[0].table if len(read) == 1 and read[0].is_changelog and read[0].role == "scan" else None
    if source is None or not source.has("primary-key") or source.has("like"):
        return
    own = set((source.text("primary-key") or "").split(", "))
    if own <= {(one.text("column") or "").rpartition(".")[2] for one in key}:
        return
    changing = _changing(config, query)
    theirs = source.text("primary-key")
    keys = f"{table.name} is keyed by {table.text('primary-key')}, changes of {source.name} by {theirs}"
    if changing is not None:
        function, place = changing
        yield query.finding(
            f"{keys}: Flink takes back rows by all their columns, and does not find one for which {function}"
            " gives another"
            " value: old rows stay",
            of=place,
            key=_MATERIALIZE,
            help="take the value from a column, or declare the source's key as the sink's primary key",
            related=[table.place("primary-key")],
        )
        return
    kept = "Flink keeps each row in state to order updates of one key"
    if config.since("2.3"):
        kept = f"Flink refuses the INSERT without ON CONFLICT; with it {kept}"
    yield query.finding(
        f"{keys}: {kept}, and rows with the same {table.text('primary-key')} replace each other",
        of="targets[0].name",
        key=_MATERIALIZE,
        help=f"declare PRIMARY KEY ({source.text('primary-key')}) NOT ENFORCED on {table.name}",
        related=[table.place("primary-key")],
    )


def _outputs_of_key(query: ElementView, table: ElementView) -> list[ElementView] | None:
    """Return the columns of a query that become the primary key of a table; None if they are not known."""
    columns = [one for one in table.items("columns") if not one.has("expression") and not one.has("metadata")]
    names = [one.text("name") for one in columns]
    outputs = query.items("outputs")
    wanted = (table.text("primary-key") or "").split(", ")
    if not outputs or len(outputs) != len(columns) or any(name not in names for name in wanted):
        return None
    return [outputs[names.index(name)] for name in wanted]


def _changing(config: View, query: ElementView) -> tuple[str, str] | None:
    """Return a function in a column that may give another value for the same row, with the attribute of the column."""
    own = {one.name.upper() for one in config.elements("function")}
    for place, output in enumerate(query.items("outputs")):
        for call in (output.text("calls") or "").split(", "):
            if call.upper() in _CHANGING or call.upper() in own:
                return call, f"outputs[{place}].name"
    return None


def _name(table: ElementView, key: list[ElementView], output: ElementView) -> str:
    return (table.text("primary-key") or "").split(", ")[key.index(output)]


def _attribute(query: ElementView, output: ElementView) -> str:
    place = next(at for at, one in enumerate(query.items("outputs")) if one.span("name") == output.span("name"))
    return f"outputs[{place}].name"


_USERS = (
    "CREATE TABLE users (id STRING, name STRING, email STRING, PRIMARY KEY (id) NOT ENFORCED)\n"
    "WITH ('connector' = '%s', 'hostname' = 'db');\n"
)
_SINK = (
    "CREATE TABLE d (id STRING, name STRING, email STRING, PRIMARY KEY (%s) NOT ENFORCED)\n"
    "WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/d', 'table-name' = 'd');\n"
)
_COPY = "INSERT INTO d SELECT id, %s, email FROM users;\n"
_JOIN = "INSERT INTO d SELECT a.id, a.name, %s FROM a %sJOIN b ON a.id = b.id;\n"


def claims() -> list[Claim]:
    def script(key: str) -> str:
        table = (
            "CREATE TABLE %s (id STRING, name STRING, email STRING, PRIMARY KEY (%s) NOT ENFORCED) WITH ('connector' ="
            " 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json',"
            " 'value.format' = 'json');\n"
        )
        return table % ("users", "id") + table % ("d", key) + "INSERT INTO d SELECT id, name, email FROM users;\n"

    return [
        flink_uses("SQL plan", script("email"), "upsertMaterialize=[true]", good=script("id"), releases=">=1.17,<2.3"),
        flink_fails("SQL plan", script("email"), good=script("id"), releases=">=2.3"),
    ]


def cases() -> list[Case]:
    def script(key: str, name: str = "name", connector: str = "mysql-cdc") -> str:
        return _USERS % connector + _SINK % key + _COPY % name

    return [
        bad(
            script("email"),
            file="job.sql",
            at="d",
            flink="1.18",
            severity=Severity.WARNING,
            says="d is keyed by email, changes of users by id: Flink keeps each row in state",
        ),
        bad(
            "CREATE FUNCTION pick AS 'com.example.Pick';\n" + script("email", "pick(name)"),
            file="job.sql",
            flink="1.14",
            says="does not find one for which pick gives another value",
        ),
        bad(
            script("email"),
            file="job.sql",
            flink="2.3",
            says="refuses the INSERT without ON CONFLICT; with it Flink keeps",
        ),
        bad(script("email", "UUID()"), file="job.sql", flink="1.18", says="old rows stay"),
        bad(
            _SINK % "id, email" + _JOIN % ("CONCAT(b.email, a.name) AS email", "LEFT "),
            file="job.sql",
            flink="1.18",
            says="email is computed and part of the key of d",
        ),
        good(script("id"), file="job.sql", flink="1.18"),
        good(script("id, email"), file="job.sql", flink="1.18"),
        good(script("email", connector="kafka"), file="job.sql", flink="1.18"),
        good(f"SET '{_MATERIALIZE}' = 'NONE';\n" + script("email"), file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + script("email"), file="job.sql", flink="1.18"),
        good(_SINK % "id, email" + _JOIN % ("b.email", "LEFT "), file="job.sql", flink="1.18"),
        good(_SINK % "id, email" + _JOIN % ("'none' AS email", "LEFT "), file="job.sql", flink="1.18"),
        good(_SINK % "id, email" + _JOIN % ("CONCAT(b.email, a.name)", ""), file="job.sql", flink="1.18"),
        good(
            _USERS % "mysql-cdc" + _SINK % "email" + "INSERT INTO d SELECT * FROM users;\n",
            file="job.sql",
            flink="1.18",
        ),
    ]
