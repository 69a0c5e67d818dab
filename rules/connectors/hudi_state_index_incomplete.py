"""A Hudi table has an index in Flink's state that forgets keys, or never learned of rows written before.

## What it does
Looks for streaming INSERTs into Hudi tables with a primary key and the index in Flink's state (`index.type` is
`FLINK_STATE`, the default). Reports `index.state.ttl` above 0, and as advice that `index.bootstrap.enabled` is not set.

## Why it matters
Keys appear twice. The index tells the writer in which file a key is, and a key that it does not know is new: it is
inserted into another file, and the old row stays. With `index.state.ttl` the index forgets a key that long after its
last update. Without `index.bootstrap.enabled`, a job that starts without its state, or on a table that Spark or another
job filled, knows no key at all.

## What to do
Set `'index.type' = 'BUCKET'`, which needs no state. Or leave `index.state.ttl` at 0, and set
`'index.bootstrap.enabled' = 'true'` for the first start on a table that has rows.

## Not when
The index is another one, `write.operation` is `insert` or `bulk_insert`, or the job runs as a batch, which reads the
keys first.

## Sources
- <https://hudi.apache.org/docs/configurations/#indexstatettl>: the default is 0, forever
- <https://hudi.apache.org/docs/indexes/>: the indexes of Flink
- `BucketAssignFunction` and `Pipelines.streamBootstrap` of hudi-flink 0.13.1
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, sinks

_TTL, _BOOTSTRAP, _INDEX, _OPERATION = (
    "index.state.ttl", "index.bootstrap.enabled", "index.type", "write.operation",
)  # fmt: skip


@rule(
    code="FLK590",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:query"],
    since="0.1",
)
def hudi_state_index_incomplete(config: View) -> Iterator[Finding]:
    """a Hudi table has an index in Flink's state that forgets keys"""
    told = set()
    for query, sink, table in sinks(config):
        if sink.store != "hudi" or table.span() in told or not table.has("primary-key"):
            continue
        if not is_streaming(config, query) or not table.is_known("with"):
            continue
        operation = sink.option(_OPERATION) if sink.has(_OPERATION) else "upsert"
        index = sink.option(_INDEX) if sink.has(_INDEX) else "FLINK_STATE"
        if (operation or "").lower() != "upsert" or (index or "").upper() != "FLINK_STATE":
            continue
        if sink.has("hoodie.index.type"):
            continue
        told.add(table.span())
        days = _days(sink.option(_TTL))
        if days:
            yield table.finding(
                f"the index of {table.name} forgets keys {days:g} days after their last update: one that comes later is"
                " inserted again, and is there twice",
                of=f"with.{_TTL}",
                help="delete index.state.ttl, or set 'index.type' = 'BUCKET'",
            )
        elif not sink.has(_TTL) and not sink.has(_BOOTSTRAP):
            yield table.finding(
                f"the index of {table.name} knows the keys that this job wrote with its state: others, and all after a"
                " start without state, are inserted again",
                key=_BOOTSTRAP,
                of="connector",
                help="set 'index.type' = 'BUCKET', or 'index.bootstrap.enabled' = 'true' where the table has rows",
                severity=Severity.INFO,
            )


def _days(text: str | None) -> float:
    """Return the days after which the index forgets a key; 0 for never, or if it is not known."""
    try:
        return max(0.0, float(text or 0))
    except ValueError:
        return 0.0


_TABLE = (
    "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE h (id INT%s) WITH ('connector' = 'hudi', 'path' = 'hdfs://n/h'%s);\n"
    "INSERT INTO h SELECT id FROM s;\n"
)


def _job(more: str = "", key: str = " PRIMARY KEY NOT ENFORCED") -> str:
    return _TABLE % (key, more)


def cases() -> list[Case]:
    return [
        bad(_job(", 'index.state.ttl' = '7'"), file="job.sql", at="'7'", flink="1.16", severity=Severity.WARNING,
            says="forgets keys 7 days after"),
        bad(_job(", 'index.state.ttl' = '0.5', 'index.bootstrap.enabled' = 'true'"), file="job.sql", flink="1.16"),
        bad(_job(), file="job.sql", flink="1.16", severity=Severity.INFO),
        good(_job(", 'index.bootstrap.enabled' = 'true'"), file="job.sql", flink="1.16"),
        good(_job(", 'index.type' = 'BUCKET', 'index.state.ttl' = '7'"), file="job.sql", flink="1.16"),
        good(_job(", 'write.operation' = 'insert', 'index.state.ttl' = '7'"), file="job.sql", flink="1.16"),
        good(_job(", 'index.state.ttl' = '${DAYS}'"), file="job.sql", flink="1.16"),
        good(_job(key=""), file="job.sql", flink="1.16"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _job(), file="job.sql", flink="1.16"),
    ]  # fmt: skip
