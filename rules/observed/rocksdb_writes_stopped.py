"""RocksDB makes writes wait.

## What it does
Reports jobs whose RocksDB stopped writes (`is-write-stopped`) for more than one part in a thousand of the samples, or
slowed them down (`actual-delayed-write-rate`) in one of a hundred.

## Why it matters
RocksDB holds writes back when it cannot flush or compact as fast as records come. The task then stands still: a
throughput with holes, backpressure up to the source, late checkpoints.

## What to do
Give it more threads (`state.backend.rocksdb.thread.num`, 2 by default) if cores are free, larger write buffers through
more managed memory or `state.backend.rocksdb.memory.write-buffer-ratio`, faster local disks, or more subtasks.

## Not when
The metrics are off, as they are by default: `state.backend.rocksdb.metrics.is-write-stopped: true` and
`…actual-delayed-write-rate: true` bring them.

## Sources
- <https://github.com/facebook/rocksdb/wiki/Write-Stalls>: when writes are slowed down and stopped
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#rocksdb-native-metrics>: the metrics
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, likewise, percent

STOPPED = "operator/rocksdb.is-write-stopped"
DELAYED = "operator/rocksdb.actual-delayed-write-rate"
THREADS = "state.backend.rocksdb.thread.num"
_OFTEN = 0.001


@rule(
    code="FLK665",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{STOPPED} mean > {_OFTEN}", f"observed:{DELAYED} p99 > 0"],
    flink=">=1.10",
    since="0.1",
)
def rocksdb_writes_stopped(config: View) -> Iterator[Finding]:
    """RocksDB makes writes wait"""
    found = config.observed_where(STOPPED, statistic="mean", above=_OFTEN)
    if found:
        what = f"stopped the writes of {found[0].holder} in {percent(found[0])} of the samples"
    else:
        found = config.observed_where(DELAYED, p=0.99, above=0)
        if not found:
            return
        what = f"slowed the writes of {found[0].holder} down in at least one of a hundred samples"
    setting = config.get(THREADS)
    yield setting.finding(
        f"RocksDB {what} of {found[0].window}: it flushes and compacts more slowly than records"
        f" come{likewise(found, 'operator')}",
        help=f"raise {setting.key} where cores are free, or give RocksDB more managed memory (`flint size rocksdb`)",
        evidence=evidence(found[0]),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{THREADS}: 1\n",
            at=THREADS,
            says="in 2 % of the samples",
            observed={STOPPED: {"p50": 0, "p99": 1, "mean": 0.02}},
            flink="1.20",
        ),
        bad(
            "state.backend.type: rocksdb\n", at=THREADS, observed={DELAYED: {"p50": 0, "p99": 16_777_216}}, flink="1.20"
        ),
        good(f"{THREADS}: 1\n", observed={STOPPED: {"p50": 0, "max": 1, "mean": 0.0001}, DELAYED: 0}, flink="1.20"),
        bad("state.backend.type: rocksdb\n", observed={DELAYED: {"p50": 0, "p99": 1}}, flink="1.20"),
        good("pipeline.name: payments\n", observed={DELAYED: {"p50": 0, "p99": 16_777_216}}, flink="1.20"),
    ]
