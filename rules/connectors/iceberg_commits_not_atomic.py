"""Commits of an Iceberg catalog overwrite each other on an object store.

## What it does
Looks for catalogs of Iceberg with `'catalog-type' = 'hadoop'` whose warehouse is an object store, without
`lock-impl`.

## Why it matters
A table breaks for good: `Failed to open input stream for file`, `File does not exist`, or rows of one commit are
missing. The hadoop catalog makes a snapshot the current one by renaming a file; an object store has no atomic rename,
so the later of two commits replaces the earlier one. Compaction and the expiry of snapshots commit as well.

## What to do
Use a catalog that commits atomically: `rest`, `jdbc`, `hive`, or `glue`. Or set `lock-impl`.

## Not when
The warehouse is on HDFS or a local disk, or a lock is configured.

## Sources
- <https://iceberg.apache.org/docs/latest/java-api-quickstart/#using-a-hadoop-catalog>: not safe with a local file
  system or S3
- <https://iceberg.apache.org/docs/latest/aws/#dynamodb-lock-manager>: locks
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_OBJECTS = ("s3://", "s3a://", "s3n://", "oss://", "gs://", "obs://", "cos://", "cosn://")


@rule(
    code="FLK581",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:catalog"],
    since="0.1",
)
def iceberg_commits_not_atomic(config: View) -> Iterator[Finding]:
    """commits of an Iceberg catalog overwrite each other on an object store"""
    for catalog in config.elements("catalog"):
        warehouse = catalog.text("with.warehouse") or ""
        if catalog.text("type") != "iceberg" or catalog.text("with.catalog-type") != "hadoop":
            continue
        if not warehouse.startswith(_OBJECTS) or catalog.has("with.lock-impl") or not catalog.is_known("with"):
            continue
        store = warehouse.partition(":")[0]
        yield catalog.finding(
            f"a hadoop catalog commits by renaming a file, which is not atomic on {store}: two commits at a time, of"
            " jobs or maintenance, lose a snapshot and break the table",
            of="with.catalog-type",
            help="use a catalog with atomic commits (rest, jdbc, hive, glue), or set lock-impl",
        )


_CATALOG = "CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = '%s', 'warehouse' = '%s'%s);\n"


def cases() -> list[Case]:
    return [
        bad(
            _CATALOG % ("hadoop", "s3a://lake/w", ""), file="job.sql", at="'hadoop'", severity=Severity.WARNING,
            says="not atomic on s3a",
        ),
        bad(_CATALOG % ("hadoop", "oss://lake/w", ""), file="job.sql", says="not atomic on oss"),
        good(_CATALOG % ("hadoop", "hdfs://nn/w", ""), file="job.sql"),
        good(_CATALOG % ("hadoop", "file:///tmp/w", ""), file="job.sql"),
        good(_CATALOG % ("rest", "s3://lake/w", ""), file="job.sql"),
        good(
            _CATALOG % ("hadoop", "s3://l", ", 'lock-impl' = 'org.apache.iceberg.aws.dynamodb.DynamoDbLockManager'"),
            file="job.sql",
        ),
    ]  # fmt: skip
