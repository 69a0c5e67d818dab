"""A table of Iceberg or Paimon is partitioned by a column outside its primary key.

## What it does
Looks for tables with a primary key and `PARTITIONED BY` a column that the key lacks: of Iceberg with
`write.upsert.enabled`, of Paimon with a fixed number of buckets.

## Why it matters
The table or the job that writes it is refused: `In UPSERT mode, partition field ... should be included in equality
fields`, or `You should use dynamic bucket (bucket = -1) mode in cross partition update case`. A new version of a row
may belong to another partition, and the writer of that one does not know where the old version lies.

## What to do
Add the partition's columns to the primary key, or partition by columns of the key. With Paimon `'bucket' = '-1'` lets
rows move between partitions, at the price of an index in state.

## Not when
The table is append-only, or its buckets are dynamic, the default of Paimon.

## Sources
- <https://iceberg.apache.org/docs/latest/flink-writes/#upsert>: partition fields belong to the equality fields
- <https://paimon.apache.org/docs/master/primary-key-table/data-distribution/>: keys, partitions and buckets
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import number, tables

_UPSERT, _BUCKET = "write.upsert.enabled", "bucket"


@rule(
    code="FLK577",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def partition_outside_primary_key(config: View) -> Iterator[Finding]:
    """a table is partitioned by a column that is not in its primary key"""
    for table in tables(config):
        key, by = _columns(table, "primary-key"), _columns(table, "partitioned-by")
        outside = [column for column in by if column not in key]
        if not key or not outside:
            continue
        if _is_upsert_of_iceberg(table):
            why = "In UPSERT mode, partition field should be included in equality fields"
            how = f"add {outside[0]} to the primary key, or partition by columns of the key"
        elif _has_buckets_of_paimon(table):
            why = "a fixed number of buckets cannot move a row to another partition"
            how = f"add {outside[0]} to the primary key, or set 'bucket' = '-1'"
        else:
            continue
        yield table.finding(
            f"{table.name} is partitioned by {outside[0]}, which its primary key lacks: it is refused ({why})",
            of="primary-key",
            help=how,
            related=[table.place("partitioned-by", "partitioned here")],
        )


def _columns(table: ElementView, name: str) -> list[str]:
    return [one.strip() for one in (table.text(name) or "").split(",") if one.strip()]


def _is_upsert_of_iceberg(table: ElementView) -> bool:
    kind = table.text("connector") or table.text("catalog-type") or "iceberg"  # no other connector has the option
    return kind == "iceberg" and (table.text(f"with.{_UPSERT}") or "").lower() == "true"


def _has_buckets_of_paimon(table: ElementView) -> bool:
    kind = table.text("connector") or table.text("catalog-type") or ""
    return kind.startswith("paimon") and (number(table.text(f"with.{_BUCKET}")) or 0) > 0


_TABLE = (
    "CREATE CATALOG c WITH ('type' = '%s', 'warehouse' = 'hdfs://nn/w');\n"
    "CREATE TABLE c.db.o (id BIGINT, d STRING, PRIMARY KEY (%s) NOT ENFORCED) PARTITIONED BY (d) WITH (%s);\n"
)


def cases() -> list[Case]:
    upsert, buckets = "'write.upsert.enabled' = 'true', 'format-version' = '2'", "'bucket' = '4'"
    return [
        bad(
            _TABLE % ("iceberg", "id", upsert), file="job.sql", severity=Severity.WARNING,
            says="is partitioned by d, which its primary key lacks",
        ),
        bad(_TABLE % ("paimon", "id", buckets), file="job.sql", says="cannot move a row to another partition"),
        good(_TABLE % ("iceberg", "id, d", upsert), file="job.sql"),
        good(_TABLE % ("iceberg", "id", "'format-version' = '2'"), file="job.sql"),
        good(_TABLE % ("paimon", "id, d", buckets), file="job.sql"),
        good(_TABLE % ("paimon", "id", "'bucket' = '-1'"), file="job.sql"),
        good(_TABLE % ("paimon", "id", "'merge-engine' = 'deduplicate'"), file="job.sql"),
    ]  # fmt: skip
