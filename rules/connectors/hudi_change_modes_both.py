"""A Hudi table has both ways of keeping changes, which exclude each other.

## What it does
Looks for Hudi tables with `changelog.enabled` and `cdc.enabled` both true.

## Why it matters
A streaming read of the table fails: `IllegalArgumentException: Unexpected cdc file split infer case: LOG_FILE`, or an
`AssertionError`. With `changelog.enabled` the log files keep each change as it came (`MERGE_ON_READ`); with
`cdc.enabled` changes are in files of their own beside the data (`COPY_ON_WRITE`). A reader follows one of them, and
takes the files of the other for its own.

## What to do
Keep `changelog.enabled` for a `MERGE_ON_READ` table, `cdc.enabled` for a `COPY_ON_WRITE` one.

## Not when
One of them is not set, false, or filled in later.

## Sources
- <https://hudi.apache.org/docs/flink-quick-start-guide/#change-data-capture-query>: the two ways
- <https://github.com/apache/hudi/issues/10539>: the failure
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import tables

_LOG, _CDC = "with.changelog.enabled", "with.cdc.enabled"


@rule(
    code="FLK568",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def hudi_change_modes_both(config: View) -> Iterator[Finding]:
    """a Hudi table has both ways of keeping changes, which exclude each other"""
    for table in tables(config, "hudi"):
        if not table.flag(_LOG) or not table.flag(_CDC):
            continue
        kept = "cdc.enabled" if "MERGE" not in (table.text("with.table.type") or "").upper() else "changelog.enabled"
        other = {"cdc.enabled": "changelog.enabled", "changelog.enabled": "cdc.enabled"}[kept]
        yield table.finding(
            f"{table.name} has changelog.enabled and cdc.enabled: a streaming read follows one and fails on the"
            " files of the"
            " other (Unexpected cdc file split infer case)",
            of=f"with.{other}",
            help=f"keep {kept} and delete {other}",
            related=[table.place(f"with.{kept}")],
        )


_TABLE = "CREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'hudi', 'table.type' = '%s'%s);\n"


def cases() -> list[Case]:
    log, cdc = ", 'changelog.enabled' = 'true'", ", 'cdc.enabled' = 'true'"
    return [
        bad(
            _TABLE % ("MERGE_ON_READ", log + cdc),
            file="job.sql",
            flink="1.17",
            severity=Severity.WARNING,
            says="t has changelog.enabled and cdc.enabled",
        ),
        bad(_TABLE % ("COPY_ON_WRITE", cdc + log), file="job.sql", flink="1.17"),
        good(_TABLE % ("MERGE_ON_READ", log), file="job.sql", flink="1.17"),
        good(_TABLE % ("COPY_ON_WRITE", cdc), file="job.sql", flink="1.17"),
        good(_TABLE % ("MERGE_ON_READ", log + cdc.replace("true", "false")), file="job.sql", flink="1.17"),
        good(_TABLE % ("MERGE_ON_READ", log + cdc.replace("true", "${CDC}")), file="job.sql", flink="1.17"),
    ]
