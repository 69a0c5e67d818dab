"""RocksDB may hold few files open, and opens them again and again.

## What it does
Advice where `state.backend.rocksdb.files.open` is set to a number below 1000 (threshold `files`).

## Why it matters
RocksDB holds the index of each file it has open. With a limit, it closes one to open another, and reads the index
again: a state of tens of GB in hundreds of files slows down by the number of reads. The limit is for each database,
which is each operator with state in each slot, so it does not say how many files a process holds, either.

## What to do
Leave the default, -1 (no limit), and give the process enough files: `ulimit -n` of 65536 or more, `LimitNOFILE` or the
limits of the container.

## Not when
The number is negative or at least the threshold; another state backend is set.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#state-backend-rocksdb-files-open>:
  the option and its default
- <https://github.com/facebook/rocksdb/wiki/RocksDB-Tuning-Guide#general-options>: what `max_open_files` costs
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import may_be_rocksdb

_FILES = "state.backend.rocksdb.files.open"


@rule(
    code="FLK343",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_FILES],
    flink=">=1.10",
    thresholds={"files": Threshold(1000, "open files of a database from which the limit is of no concern")},
    since="0.1",
)
def few_files_open(config: View) -> Iterator[Finding]:
    """RocksDB may hold few files open"""
    setting, number = config.get(_FILES), config.integer(_FILES)
    if number is None or not 0 <= number < config.threshold("files"):
        return
    if may_be_rocksdb(config):
        yield setting.finding(
            f"RocksDB holds at most {number} files open, and opens those of a large state again and again",
            help="delete the line (no limit), and give the process enough files: ulimit -n 65536",
            evidence={"files": number},
        )


def cases() -> list[Case]:
    return [
        bad(f"{_FILES}: 999\n", at=_FILES, severity=Severity.INFO, says="at most 999 files"),
        bad(f"state.backend: rocksdb\n{_FILES}: 0\n", at=_FILES, flink="1.10"),
        good(f"{_FILES}: 1000\n"),
        good(f"{_FILES}: -1\n"),
        good("state.backend.type: rocksdb\n"),
        good(f"state.backend.type: hashmap\n{_FILES}: 100\n"),
        good(f"{_FILES}: '{{{{ files }}}}'\n"),
    ]  # fmt: skip
