"""Two jobs write a Hudi table, each with an index of its own.

## What it does
Looks for Hudi tables that two jobs of the project write by key: two `INSERT` statements outside of a statement set, or
of two scripts with the same `path`, while the index is `FLINK_STATE` (the default) and is not loaded from the table
(`index.bootstrap.enabled`).

## Why it matters
Keys appear twice, or updates go astray, and nothing is logged. `FLINK_STATE` keeps the place of each key in the state
of the job that wrote it. What another job has written, a bulk load at the beginning for instance, is unknown to it: the
key is new, and is inserted again. The same happens when the job starts without its checkpoint.

## What to do
Set `'index.type' = 'BUCKET'`, which computes the place from the key and needs no state. Or write the table with one
job, and load the index at its first start with `'index.bootstrap.enabled' = 'true'`.

## Not when
The index is `BUCKET`, it is loaded, the statements only append (`'write.operation' = 'insert'`), or the table's options
are not known.

## Sources
- <https://hudi.apache.org/docs/ingestion_flink/#index-bootstrap>: an index for what is in the table already
- <https://hudi.apache.org/docs/indexes/>
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import Reading, queries, target

_APPENDS = ("insert", "insert_overwrite", "insert_overwrite_table", "delete")
_QUERY = "element:query"


@rule(
    code="FLK174",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[_QUERY],
    scope="project",
    compares=[([_QUERY], [_QUERY])],
    flink=">=1.12",
    since="0.1",
)
def sql_hudi_index_apart(project: Project) -> Iterator[Finding]:
    """two jobs write a Hudi table, each with an index of its own"""
    writers: dict[str, dict[tuple[str, object], tuple[ElementView, Reading]]] = defaultdict(dict)
    for view in project.views:
        for query, written in _written(view):
            path = written.option("path")
            if path is not None and "$" not in path and "{{" not in path:
                job = (view.document.path, query.value("job"))
                writers[path.rstrip("/")].setdefault(job, (query, written))
    for path, jobs in writers.items():
        if len(jobs) < 2:
            continue
        (first, _), (query, written) = list(jobs.values())[:2]
        if _is_copy(first, query) or any(_is_loaded(one) for _, one in jobs.values()):
            continue
        yield query.finding(
            f"two jobs write {path}, each with an index in its own state: {written.name} does not know the keys that"
            " the other wrote, and inserts them again",
            help="set 'index.type' = 'BUCKET', or 'index.bootstrap.enabled' = 'true' and write with one job",
            related=[first.place(None, "the other job")],
        )


def _written(view: View) -> Iterator[tuple[ElementView, Reading]]:
    """Yield the statements that write a Hudi table by key, with an index in state."""
    for query in queries(view):
        sink = target(view, query)
        if sink is None or sink.table is None or sink.store != "hudi" or sink.table.has("like"):
            continue
        index, operation = sink.option("index.type"), sink.option("write.operation")
        unknown = any(sink.has(key) and sink.option(key) is None for key in ("index.type", "write.operation"))
        if unknown or "with" in sink.table.element.attributes or sink.has("hoodie.index.type"):
            continue
        if (index or "FLINK_STATE").upper() == "FLINK_STATE" and (operation or "upsert").lower() not in _APPENDS:
            yield query, sink


def _is_copy(one: ElementView, other: ElementView) -> bool:
    """Return whether two statements of different files read the same: one may be a copy of the other, for a test."""
    if one.document.path == other.document.path:
        return False
    return [part.text("name") for part in one.items("sources")] == [
        part.text("name") for part in other.items("sources")
    ]


def _is_loaded(written: Reading) -> bool:
    """Return whether a writer loads the index from the table, or may do so."""
    return written.has("index.bootstrap.enabled") and (written.option("index.bootstrap.enabled") or "true") == "true"


_TABLE = (
    "CREATE TABLE h (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'hudi', 'path' = 'hdfs://n/h'%s);\n"
    "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');\n"
    "SET 'execution.checkpointing.interval' = '1 min';\n"
)
_INSERT = "INSERT INTO h %sSELECT id FROM s;\n"
_BULK = _INSERT % "/*+ OPTIONS('write.operation' = 'bulk_insert') */ "


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % "" + _INSERT % "" + _INSERT % "", file="job.sql", severity=Severity.WARNING,
            says="two jobs write hdfs://n/h, each with an index in its own state",
        ),
        bad(_TABLE % "" + _BULK + _INSERT % "", file="job.sql"),
        bad(
            _TABLE % "" + _INSERT % "", file="b.sql",
            beside={"a.sql": _TABLE % "" + _INSERT.replace("FROM s", "FROM old") % ""},
        ),
        good(_TABLE % "" + _INSERT % "", file="b.sql", beside={"a.sql": _TABLE % "" + _INSERT % ""}),
        good(_TABLE % "" + _INSERT % "", file="job.sql"),
        good(_TABLE % ", 'index.type' = 'BUCKET'" + _INSERT % "" + _INSERT % "", file="job.sql"),
        good(_TABLE % ", 'index.bootstrap.enabled' = 'true'" + _BULK + _INSERT % "", file="job.sql"),
        good(_TABLE % ", 'write.operation' = 'insert'" + _INSERT % "" + _INSERT % "", file="job.sql"),
        good(
            _TABLE % "" + "EXECUTE STATEMENT SET BEGIN\n" + _INSERT % "" + _INSERT % "" + "END;\n", file="job.sql",
        ),
        good(_TABLE % ", 'index.type' = '${INDEX}'" + _INSERT % "" + _INSERT % "", file="job.sql"),
    ]  # fmt: skip
