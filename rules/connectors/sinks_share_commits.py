"""Two sinks of one job take each other's commits for their own.

## What it does
Looks for two Iceberg sinks of one job that write the same table with a release before 1.2, and for two tables of
Doris or StarRocks with the same `sink.label-prefix` that one file writes.

## Why it matters
Rows are missing after a restart, and no error says so. Iceberg before 1.2 knows what it has committed by the table,
the job and the number of the checkpoint: where one sink has committed checkpoint 100, the other takes its own files
of it for committed, and never adds them. Loads into Doris and StarRocks are known by their label, which begins with
the prefix: the second sink's load is refused as a duplicate (`Label Already Exists`), or taken for the one that came
before.

## What to do
Iceberg: union the streams into one sink, or upgrade to 1.2, where the operator is part of what a commit is known by.
Doris and StarRocks: give each table a `sink.label-prefix` of its own.

## Not when
The tables differ or are not known, the INSERTs are jobs of their own, or the release is not known.

## Sources
- <https://github.com/apache/iceberg/pull/6528>: how the second sink loses its files, and the change of 1.2
- <https://doris.apache.org/docs/ecosystem/flink-doris-connector>: the prefix has to be unique
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.connectors._cases import program
from flink_flint.rules.connectors._releases import ICEBERG, is_before
from flink_flint.rules.sql._queries import queries, sinks, target

_BY_OPERATOR_SINCE = (1, 2)
_PREFIX = "sink.label-prefix"
_LOADS = ("doris", "starrocks")


@rule(
    code="FLK566",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:sink", "element:query"],
    since="0.1",
)
def sinks_share_commits(config: View) -> Iterator[Finding]:
    """two sinks of one job take each other's commits for their own"""
    if is_before(config, ICEBERG, _BY_OPERATOR_SINCE):
        yield from _of_iceberg(config)
    yield from _of_labels(config)


def _of_iceberg(config: View) -> Iterator[Finding]:
    first: dict[object, ElementView] = {}
    for one, table, at in (*_built(config), *_inserted(config)):
        other = first.setdefault(table, one)
        if other is not one:
            yield one.finding(
                "two sinks write one Iceberg table in this job, and before 1.2 each takes the other's last"
                " commit for its"
                " own: after a restart rows are missing",
                of=at,
                help="union the streams into one sink, or upgrade to Iceberg 1.2",
                related=[other.place(at)],
            )


def _built(config: View) -> Iterator[tuple[ElementView, object, str | None]]:
    for sink in config.elements("sink"):
        if sink.name == "FlinkSink" and (table := sink.text("table-loader")) is not None:
            yield sink, table, None


def _inserted(config: View) -> Iterator[tuple[ElementView, object, str | None]]:
    for query in queries(config):
        sink = target(config, query)
        if sink is not None and sink.store == "iceberg" and query.flag("statement-set"):
            yield query, (query.value("job"), sink.name), "targets[0].name"


def _of_labels(config: View) -> Iterator[Finding]:
    first: dict[tuple[str, str, str], ElementView] = {}
    for _, sink, table in sinks(config):
        prefix = table.text(f"with.{_PREFIX}")
        if sink.connector not in _LOADS or not prefix:
            continue
        server = table.text("with.fenodes") or table.text("with.load-url") or ""
        other = first.setdefault((sink.connector, server, prefix), table)
        if other.span() != table.span():
            yield table.finding(
                f"{table.name} and {other.name} load with the same labels: the second is refused as a duplicate, Label"
                " Already Exists, or taken for the first",
                of=f"with.{_PREFIX}",
                help=f"give each table a {_PREFIX} of its own",
                related=[other.place(f"with.{_PREFIX}")],
            )


_ADD = "FlinkSink.forRowData(%s).tableLoader(%s).append();"
_LOADER = 'TableLoader loader = TableLoader.fromHadoopTable("s3://lake/events");'
_POM = (
    "<project><dependencies><dependency><groupId>org.apache.iceberg</groupId>"
    "<artifactId>iceberg-flink-runtime-1.16</artifactId><version>%s</version></dependency></dependencies></project>\n"
)
_TABLES = (
    "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE a (id INT) WITH ('connector' = '%s'%s);\nCREATE TABLE b (id INT) WITH ('connector' = '%s'%s);\n"
)
_BOTH = "BEGIN STATEMENT SET;\nINSERT INTO a SELECT id FROM s;\nINSERT INTO %s SELECT id + 1 FROM s;\nEND;\n"


def cases() -> list[Case]:
    java, old, new = "Positions.java", {"pom.xml": _POM % "1.1.0"}, {"pom.xml": _POM % "1.3.1"}
    two = program(_LOADER, _ADD % ("web", "loader"), _ADD % ("app", "loader"))
    label = ", 'fenodes' = 'fe:8030', 'sink.label-prefix' = '%s'"
    return [
        bad(two, file=java, flink="1.16", beside=old, severity=Severity.WARNING, says="rows are missing"),
        bad(
            _TABLES % ("doris", label % "orders", "doris", label % "orders") + _BOTH % "b",
            file="job.sql",
            flink="1.17",
            says="b and a load with the same labels",
        ),
        bad(_TABLES % ("iceberg", "", "iceberg", "") + _BOTH % "a", file="job.sql", flink="1.16", beside=old),
        good(two, file=java, flink="1.16", beside=new),
        good(two, file=java, flink="1.16"),
        good(
            program(_LOADER, _LOADER.replace("loader", "other").replace("events", "sums"), _ADD % ("web", "loader"),
                    _ADD % ("app", "other")),
            file=java, flink="1.16", beside=old,
        ),
        good(_TABLES % ("iceberg", "", "iceberg", "") + _BOTH % "b", file="job.sql", flink="1.16", beside=old),
        good(
            _TABLES % ("iceberg", "", "iceberg", "") + _BOTH.replace("BEGIN STATEMENT SET;\n", "").replace("END;\n", "")
            % "a",
            file="job.sql", flink="1.16", beside=old,
        ),
        good(
            _TABLES % ("doris", label % "orders", "doris", label % "sums") + _BOTH % "b", file="job.sql", flink="1.17"
        ),
    ]  # fmt: skip
