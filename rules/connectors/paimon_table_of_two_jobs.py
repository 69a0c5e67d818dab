"""Two jobs write one table of Paimon, and both compact it.

## What it does
Compares the INSERTs of SQL scripts that are jobs of their own, in one file or several. Reports two that write the same
table with a primary key from streams without an end, where neither has `write-only`.

## Why it matters
Each writer compacts as well, and both take the same files. One commit is refused, `LSM conflicts detected! Give up
committing` or `File deletion conflicts detected!`, and its job restarts, again and again.

## What to do
Set `'write-only' = 'true'` for all writers and run one job of compaction (`CALL sys.compact`), or put the INSERTs into
one statement set.

## Not when
- The INSERTs are in one statement set or end by themselves, the table has no key, or its name or options are not known.
- All writers of the table but one are `write-only`.

## Sources
- <https://paimon.apache.org/docs/master/maintenance/dedicated-compaction/>: several writers, and what conflicts
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.sql._queries import Reading, is_streaming, queries, readings, target

_WRITE_ONLY = "write-only"


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
def paimon_table_of_two_jobs(project: Project) -> Iterator[Finding]:
    """two jobs write one table of Paimon, and both compact it"""
    written: dict[tuple[str, ...], list[_Writer]] = {}
    for view in project.views:
        if view.document.kind == "sql":
            for query in queries(view):
                table = target(view, query)
                identity = _identity(view, query, table) if table is not None else None
                if table is not None and identity is not None:
                    written.setdefault(identity, []).append(_Writer(view, query, table))
    for writers in written.values():
        for first, other in pairwise(writers):
            if first.view is other.view and first.query.value("job") == other.query.value("job"):
                continue
            yield other.query.finding(
                f"two jobs write {other.table.name.rpartition('.')[2]}, and both compact it: commits end with"
                " 'conflicts detected! Give up committing', and jobs restart",
                of="targets[0].name",
                key="paimon",
                help="set 'write-only' = 'true' for both and run one job of compaction, or put both into one statement"
                " set",
                related=[first.query.place("targets[0].name", "the other job")],
            )
            break


def _identity(view: View, query: ElementView, written: Reading) -> tuple[str, ...] | None:
    """Return what identifies a table that a writer must not share; None if it may, or that is not known."""
    table = written.table
    if written.store != "paimon" or table is None or not table.has("primary-key"):
        return None
    if table.has("like") or not table.is_known("with"):
        return None
    compacts = not written.has(_WRITE_ONLY) or (written.option(_WRITE_ONLY) or "").lower() == "false"
    is_endless = any(one.is_endless for one in readings(view, query))
    if not (compacts and is_endless and is_streaming(view, query)):
        return None
    return _warehouse(view), *table.name.split(".")[-2:]


def _warehouse(view: View) -> str:
    """Return what tells tables of one name apart: the place of the only catalog, or the file."""
    places = {one.text("with.warehouse") for one in view.elements("catalog") if one.text("type") == "paimon"}
    place = places.pop() if len(places) == 1 else None
    return place or view.document.path


_KAFKA = "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
_CATALOG = "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '%s');\n"
_PAIMON = "CREATE TABLE IF NOT EXISTS lake.db.t (id INT%s) WITH ('bucket' = '4'%s);\n"
_INSERT = "INSERT INTO lake.db.t SELECT id FROM s%s;\n"


def _paimon(place: str = "s3://lake", key: str = " PRIMARY KEY NOT ENFORCED", more: str = "") -> str:
    return _KAFKA + _CATALOG % place + _PAIMON % (key, more)


def cases() -> list[Case]:
    two = _INSERT % " WHERE id < 9" + _INSERT % " WHERE id > 9"
    return [
        bad(_paimon() + two, file="job.sql", at="lake.db.t", flink="1.18", severity=Severity.WARNING,
            says="both compact it"),
        bad(_paimon() + _INSERT % "", file="b.sql", flink="1.18", beside={"a.sql": _paimon() + _INSERT % ""}),
        good(_paimon() + "BEGIN STATEMENT SET;\n" + two + "END;\n", file="job.sql", flink="1.18"),
        good(_paimon(more=", 'write-only' = 'true'") + two, file="job.sql", flink="1.18"),
        good(_paimon(key="") + two, file="job.sql", flink="1.18"),
        good(_paimon() + _INSERT % "", file="b.sql", flink="1.18",
             beside={"a.sql": _paimon("s3://other") + _INSERT % ""}),
        good(_paimon().replace("kafka", "jdbc") + two, file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _paimon() + two, file="job.sql", flink="1.18"),
    ]  # fmt: skip
