"""A Hudi table names an index that Flink does not write with.

## What it does
Looks at `index.type`, or `hoodie.index.type` without it, of Hudi tables. Reports the indexes of Spark: `BLOOM`,
`GLOBAL_BLOOM`, `SIMPLE`, `GLOBAL_SIMPLE` and `HBASE`.

## Why it matters
The job runs, and keys appear twice. Flink's writer asks whether the index is `BUCKET`; with all else it keeps the
index in its state. The state knows nothing of rows that Spark or an earlier job wrote, and inserts their keys again.

## What to do
Write `'index.type' = 'BUCKET'`, or `FLINK_STATE` with `'index.bootstrap.enabled' = 'true'` where the table has rows
already.

## Not when
The index is one of Flink's, or the option is not known.

## Sources
- <https://hudi.apache.org/docs/indexes/>: the indexes of Flink
- `OptionsResolver.isBucketIndexType` of hudi-flink 0.13.1: it compares `index.type` with `BUCKET` alone
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import tables

_OWN, _SPARKS = "with.index.type", "with.hoodie.index.type"
_IGNORED = ("BLOOM", "GLOBAL_BLOOM", "SIMPLE", "GLOBAL_SIMPLE", "HBASE")


@rule(
    code="FLK587",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def hudi_index_ignored(config: View) -> Iterator[Finding]:
    """a Hudi table names an index that Flink does not write with"""
    for table in tables(config, "hudi"):
        name = _OWN if table.has(_OWN) else _SPARKS
        index = (table.text(name) or "").strip().upper()
        if index in _IGNORED:
            yield table.finding(
                f"Flink does not write with the index {index} and keeps one in its state, which lacks what others"
                f" wrote: keys of {table.name} appear twice",
                of=name,
                help="set 'index.type' = 'BUCKET', or FLINK_STATE with 'index.bootstrap.enabled' = 'true'",
            )


_TABLE = (
    "CREATE TABLE h (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'hudi', 'path' = 'hdfs://n/h'%s);\n"
    "SET 'execution.checkpointing.interval' = '1 min';\n"
)


def cases() -> list[Case]:
    return [
        bad(_TABLE % ", 'index.type' = 'BLOOM'", file="job.sql", at="'BLOOM'", flink="1.16", severity=Severity.WARNING,
            says="keys of h appear twice"),
        bad(_TABLE % ", 'hoodie.index.type' = 'GLOBAL_BLOOM'", file="job.sql", flink="1.16"),
        good(_TABLE % ", 'index.type' = 'BUCKET'", file="job.sql", flink="1.16"),
        good(_TABLE % ", 'index.type' = 'BUCKET', 'hoodie.index.type' = 'BLOOM'", file="job.sql", flink="1.16"),
        good(_TABLE % ", 'index.type' = '${INDEX}'", file="job.sql", flink="1.16"),
        good(_TABLE % "", file="job.sql", flink="1.16"),
        good(_TABLE.replace("'hudi'", "'paimon'") % ", 'index.type' = 'BLOOM'", file="job.sql", flink="1.16"),
    ]  # fmt: skip
