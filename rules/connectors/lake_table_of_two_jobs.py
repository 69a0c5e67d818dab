"""Two jobs write one table of Paimon or Hudi, and each as if it were alone.

## What it does
Compares the INSERTs of SQL scripts that are jobs of their own, in one file or several. Reports two that write the same
table with a primary key: of Paimon, where neither has `write-only`; of Hudi (by its `path`), where the index is the one
in Flink's state, which is the default.

## Why it matters
Paimon: each writer compacts as well, and both take the same files. One commit is refused, `LSM conflicts detected! Give
up committing` or `File deletion conflicts detected!`, and its job restarts, again and again. Hudi: each job knows in
its state the keys that it wrote itself. A key of the other is inserted a second time, into another file: readers get it
twice, and updates reach one of both.

## What to do
Paimon: `'write-only' = 'true'` for all writers and one job of compaction (`CALL sys.compact`), or one statement set.
Hudi: `'index.type' = 'BUCKET'`, or one statement set.

## Not when
- The INSERTs are in one statement set, the table has no key, or its name, path or options are not known.
- All writers of Paimon's table but one are `write-only`; Hudi's `write.operation` is `insert` or `bulk_insert`.

## Sources
- <https://paimon.apache.org/docs/master/maintenance/dedicated-compaction/>: several writers, and what conflicts
- <https://hudi.apache.org/docs/indexes/>: the index in the state of a job
- <https://github.com/apache/hudi/issues/10914>: a streaming and a batch job
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.sql._queries import Reading, queries, target

_WRITE_ONLY, _INDEX, _OPERATION, _PATH = "write-only", "index.type", "write.operation", "path"


class _Writer(NamedTuple):
    """A statement that writes a table."""

    view: View
    query: ElementView
    table: Reading


@rule(
    code="FLK591",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    scope="project",
    compares=[(["element:query"], ["element:query"])],
    since="0.1",
)
def lake_table_of_two_jobs(project: Project) -> Iterator[Finding]:
    """two jobs write one table of Paimon or Hudi, each as if it were alone"""
    written: dict[tuple[str, ...], list[_Writer]] = {}
    for view in project.views:
        if view.document.kind == "sql":
            for query in queries(view):
                table = target(view, query)
                identity = _identity(view, table) if table is not None else None
                if table is not None and identity is not None:
                    written.setdefault(identity, []).append(_Writer(view, query, table))
    for (store, *_), writers in written.items():
        for first, other in pairwise(writers):
            if first.view is other.view and first.query.value("job") == other.query.value("job"):
                continue
            yield other.query.finding(
                f"two jobs write {other.table.name.rpartition('.')[2]}, and {_EFFECTS[store]}",
                of="targets[0].name",
                key=store,
                help=_HELP[store],
                related=[first.query.place("targets[0].name", "the other job")],
            )
            break


_EFFECTS = {
    "paimon": "both compact it: commits end with 'conflicts detected! Give up committing', and jobs restart",
    "hudi": "each has an index in its own state without the other's keys, which appear twice",
}
_HELP = {
    "paimon": "set 'write-only' = 'true' for both and run one job of compaction, or put both into one statement set",
    "hudi": "set 'index.type' = 'BUCKET', or put both into one statement set",
}


def _identity(view: View, written: Reading) -> tuple[str, ...] | None:
    """Return what identifies a table that a writer must not share; None if it may, or that is not known."""
    table = written.table
    if table is None or not table.has("primary-key") or table.has("like") or not table.is_known("with"):
        return None
    if written.store == "hudi":
        path = written.option(_PATH)
        operation = written.option(_OPERATION) if written.has(_OPERATION) else "upsert"
        index = written.option(_INDEX) if written.has(_INDEX) else "FLINK_STATE"
        alone = (operation or "").lower() == "upsert" and (index or "").upper() in ("FLINK_STATE", "INMEMORY")
        return ("hudi", path.rstrip("/")) if path and alone else None
    if written.store == "paimon":
        alone = not written.has(_WRITE_ONLY) or (written.option(_WRITE_ONLY) or "").lower() == "false"
        return ("paimon", _warehouse(view), *table.name.split(".")[-2:]) if alone else None
    return None


def _warehouse(view: View) -> str:
    """Return what tells tables of one name apart: the place of the only catalog, or the file."""
    places = {one.text("with.warehouse") for one in view.elements("catalog") if one.text("type") == "paimon"}
    place = places.pop() if len(places) == 1 else None
    return place or view.document.path


_HUDI = (
    "CREATE TABLE h (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'hudi', 'path' = '%s'%s);\n"
    "INSERT INTO h SELECT id FROM s;\n"
)
_CATALOG = "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '%s');\n"
_PAIMON = "CREATE TABLE IF NOT EXISTS lake.db.t (id INT%s) WITH ('bucket' = '4'%s);\n"
_INSERT = "INSERT INTO lake.db.t SELECT id FROM s%s;\n"


def _paimon(place: str = "s3://lake", key: str = " PRIMARY KEY NOT ENFORCED", more: str = "") -> str:
    return _CATALOG % place + _PAIMON % (key, more)


def cases() -> list[Case]:
    two = _INSERT % 1 + _INSERT % 2
    return [
        bad(_paimon() + two, file="job.sql", at="lake.db.t", flink="1.18", severity=Severity.WARNING,
            says="both compact it"),
        bad(_paimon() + _INSERT % "", file="b.sql", flink="1.18", beside={"a.sql": _paimon() + _INSERT % ""}),
        bad(_HUDI % ("s3://h", ""), file="b.sql", flink="1.17", beside={"a.sql": _HUDI % ("s3://h/", "")},
            says="which appear twice"),
        good(_paimon() + "BEGIN STATEMENT SET;\n" + two + "END;\n", file="job.sql", flink="1.18"),
        good(_paimon(more=", 'write-only' = 'true'") + two, file="job.sql", flink="1.18"),
        good(_paimon(key="") + two, file="job.sql", flink="1.18"),
        good(_paimon() + _INSERT % "", file="b.sql", flink="1.18",
             beside={"a.sql": _paimon("s3://other") + _INSERT % ""}),
        good(_HUDI % ("s3://h", ""), file="b.sql", flink="1.17", beside={"a.sql": _HUDI % ("s3://i", "")}),
        good(_HUDI % ("s3://h", ", 'index.type' = 'BUCKET'"), file="b.sql", flink="1.17",
             beside={"a.sql": _HUDI % ("s3://h", ", 'index.type' = 'BUCKET'")}),
        good(_HUDI % ("s3://h", ", 'write.operation' = 'insert'"), file="b.sql", flink="1.17",
             beside={"a.sql": _HUDI % ("s3://h", ", 'write.operation' = 'insert'")}),
    ]  # fmt: skip
