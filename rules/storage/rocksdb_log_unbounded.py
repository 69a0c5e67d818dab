"""RocksDB's own log grows without bound.

## What it does
Reports `state.backend.rocksdb.log.level` of `INFO_LEVEL` or `DEBUG_LEVEL` where the log does not roll: in 1.14 without
`state.backend.rocksdb.log.max-file-size`, in later releases with a size of 0; in 1.13 always.

## Why it matters
RocksDB writes a `LOG` file for each instance, that is for each stateful operator of each slot. Compactions and flushes
write to it all the time, and with no size limit the file lives as long as the task.

## What to do
Set `state.backend.rocksdb.log.max-file-size: 25mb` with `state.backend.rocksdb.log.file-num: 4`, the defaults from 1.15
on, or leave the level alone.

## Not when
The level is `HEADER_LEVEL`, `WARN_LEVEL` or higher; the values are templates; the state backend is another one.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#state-backend-rocksdb-log-max-file-size>:
  the size at which the log rolls
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_LEVEL = "state.backend.rocksdb.log.level"
_SIZE = "state.backend.rocksdb.log.max-file-size"


@rule(
    code="FLK114",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_LEVEL, _SIZE],
    flink=">=1.13",
    since="0.1",
)
def rocksdb_log_unbounded(config: View) -> Iterator[Finding]:
    """RocksDB's own log grows without bound"""
    level, size = config.get(_LEVEL), config.get(_SIZE)
    word = (config.string(_LEVEL) or "").upper()
    if word not in ("INFO_LEVEL", "DEBUG_LEVEL"):
        return
    if size.is_set:
        endless = config.memory(_SIZE) == 0
    else:
        endless = not config.since("1.15")
    if endless:
        yield (size if size.is_set else level).finding(
            f"at {word} RocksDB logs each flush and compaction, and its log, one for each stateful operator of each"
            " slot, never rolls",
            help=f"set {_SIZE}: 25mb and state.backend.rocksdb.log.file-num: 4"
            if config.since("1.14")
            else f"delete {_LEVEL}",
            fix=size.replace("25mb"),
        )


def cases() -> list[Case]:
    return [
        bad(f"{_LEVEL}: INFO_LEVEL\n", at="INFO_LEVEL", flink="1.14"),
        bad(f"{_SIZE}: 0\n", at=_SIZE, flink="1.18", fixed=f"{_SIZE}: 25mb\n"),
        bad(f"{_LEVEL}: DEBUG_LEVEL\n{_SIZE}: 0 mb\n", at=_SIZE, flink="1.20"),
        good(f"{_LEVEL}: INFO_LEVEL\n", flink="1.18"),
        good(f"{_LEVEL}: HEADER_LEVEL\n{_SIZE}: 0\n", flink="1.18"),
        good(f"{_LEVEL}: INFO_LEVEL\n{_SIZE}: ${{SIZE}}\n", flink="1.14"),
        good(f"{_LEVEL}: ${{LEVEL}}\n{_SIZE}: 0\n", flink="1.18"),
    ]
