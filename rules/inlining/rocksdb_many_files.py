"""RocksDB may leave so many small files that their names do not fit one message.

## What it does
Reports, as advice, incremental checkpoints of RocksDB at intervals of at most 30 s with a state TTL for SQL
(`table.exec.state.ttl`), while `state.backend.rocksdb.manual-compaction.min-interval` is 0, its default.

## Why it matters
Each checkpoint makes RocksDB write what it holds in memory as new files, often tiny ones. Files whose rows all expire
before they are compacted stay. After days a subtask has thousands; the acknowledgement names every one, about 370 bytes
each, and no longer fits the RPC frame.

## What to do
Set `state.backend.rocksdb.manual-compaction.min-interval` to 1 min (1.20 and later), or take checkpoints less often.

## Not when
Large state that changes throughout is compacted anyway; hence low confidence.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-26050>: too many small files
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#state-backend-rocksdb-manual-compaction-min-interval>:
  the option
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import SECOND
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_COMPACTION = "state.backend.rocksdb.manual-compaction.min-interval"
_INTERVAL = "execution.checkpointing.interval"
_TTL = "table.exec.state.ttl"
_INCREMENTAL = "execution.checkpointing.incremental"


@rule(
    code="FLK389",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=[_INTERVAL],
    flink=">=1.20",
    since="0.1",
)
def rocksdb_many_files(config: View) -> Iterator[Finding]:
    """RocksDB may leave so many small files that their names do not fit one message"""
    interval, ttl = config.duration(_INTERVAL), config.duration(_TTL)
    if not interval or not ttl or interval > 30 * SECOND or config.string("state.backend.type") != "rocksdb":
        return
    if config.boolean(_INCREMENTAL) is not True or config.duration(_COMPACTION) != 0:
        return
    yield config.get(_INTERVAL).finding(
        f"a checkpoint every {config.get(_INTERVAL).text} makes RocksDB write small files, and those whose rows expire"
        f" ({_TTL} is {config.get(_TTL).text}) are never compacted: their names may outgrow an RPC message",
        help=f"set {_COMPACTION} to 1 min",
        related=[config.get(_TTL)],
    )


_ROCKSDB = "state.backend.type: rocksdb\nexecution.checkpointing.incremental: true\n"


def cases() -> list[Case]:
    return [
        bad(
            _ROCKSDB + "execution.checkpointing.interval: 10 s\ntable.exec.state.ttl: 1 h\n",
            at="10 s",
            flink="1.20",
            severity=Severity.INFO,
            says="a checkpoint every 10 s",
        ),
        bad(
            "SET 'state.backend.type' = 'rocksdb';\nSET 'execution.checkpointing.incremental' = 'true';\n"
            "SET 'execution.checkpointing.interval' = '5 s';\nSET 'table.exec.state.ttl' = '30 min';\n",
            file="job.sql",
            at="'5 s'",
            flink="2.0",
        ),
        good(_ROCKSDB + "execution.checkpointing.interval: 1 min\ntable.exec.state.ttl: 1 h\n", flink="1.20"),
        good(_ROCKSDB + "execution.checkpointing.interval: 10 s\n", flink="1.20"),
        good(
            _ROCKSDB + "execution.checkpointing.interval: 10 s\ntable.exec.state.ttl: 1 h\n"
            "state.backend.rocksdb.manual-compaction.min-interval: 1 min\n",
            flink="1.20",
        ),
        good(
            "state.backend.type: hashmap\nexecution.checkpointing.interval: 10 s\ntable.exec.state.ttl: 1 h\n",
            flink="1.20",
        ),
        bad(_ROCKSDB + "execution.checkpointing.interval: 30 s\ntable.exec.state.ttl: 1 h\n", flink="1.20"),
        good(_ROCKSDB + "execution.checkpointing.interval: 31 s\ntable.exec.state.ttl: 1 h\n", flink="1.20"),
        good(_ROCKSDB + "execution.checkpointing.interval: ${INTERVAL}\ntable.exec.state.ttl: 1 h\n", flink="1.20"),
        good(
            "state.backend.type: forst\n"
            "execution.checkpointing.incremental: true\n"
            "execution.checkpointing.interval: 10 s\n"
            "table.exec.state.ttl: 1 h\n",
            flink="2.0",
        ),
        good("state.backend.type: rocksdb\nexecution.checkpointing.interval: 10 s\ntable.exec.state.ttl: 1 h\n"),
    ]
