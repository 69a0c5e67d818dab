"""A table of Hudi names an index that only Spark has.

## What it does
Looks for tables of Hudi whose `index.type` or `hoodie.index.type` is `BLOOM`, `GLOBAL_BLOOM`, `SIMPLE`,
`GLOBAL_SIMPLE` or `HBASE`.

## Why it matters
A row whose partition changes is there twice, or updates do not reach rows that another writer wrote. Flink finds the
file of a key in its own state (`FLINK_STATE`, the default) or by its hash (`BUCKET`); the indexes of Spark are not
looked up.

## What to do
Set `'index.type' = 'BUCKET'`, which Spark understands too, or leave the state index: it is global by
`index.global.enabled`, and `index.bootstrap.enabled` loads the keys of a table that another writer began.

## Not when
The index is `FLINK_STATE` or `BUCKET`, or is not known.

## Sources
- <https://hudi.apache.org/docs/configurations#FLINK_SQL>: `index.type` of Flink
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import tables

_KEYS = ("index.type", "hoodie.index.type")
_OF_SPARK = ("BLOOM", "GLOBAL_BLOOM", "SIMPLE", "GLOBAL_SIMPLE", "HBASE")


@rule(
    code="FLK578",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def hudi_index_of_spark(config: View) -> Iterator[Finding]:
    """a table of Hudi names an index that only Spark has"""
    for table in tables(config):
        if (table.text("connector") or table.text("catalog-type")) != "hudi":
            continue
        for key in _KEYS:
            index = (table.text(f"with.{key}") or "").upper()
            if index in _OF_SPARK:
                yield table.finding(
                    f"Flink does not write by the index {index}, but by its state or by buckets: what the index"
                    " promises, such as one row for a key in all partitions, does not hold",
                    of=f"with.{key}",
                    help="set 'index.type' = 'FLINK_STATE' with 'index.global.enabled' = 'true', or 'BUCKET'",
                )


_TABLE = "CREATE TABLE c (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'hudi', 'path' = 'hdfs://nn/c'%s);\n"


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ", 'hoodie.index.type' = 'GLOBAL_BLOOM'", file="job.sql", at="'GLOBAL_BLOOM'",
            severity=Severity.WARNING, says="does not write by the index GLOBAL_BLOOM",
        ),
        bad(_TABLE % ", 'index.type' = 'simple'", file="job.sql"),
        *(good(_TABLE % f", 'index.type' = '{index}'", file="job.sql") for index in ("BUCKET", "FLINK_STATE")),
        good(_TABLE % "", file="job.sql"),
    ]  # fmt: skip
