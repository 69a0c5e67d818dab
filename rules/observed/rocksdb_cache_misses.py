"""RocksDB reads from disk what its block cache should hold.

## What it does
Takes the hits and misses of RocksDB's block cache over the time observed and reports more than 10 % of misses, with ten
of them a second at least.

## Why it matters
A miss is a read from disk and a block to unpack, which takes a hundred times as long as one from memory. The cache is
a part of managed memory, so with many states or slots it may be a few megabytes.

## What to do
Give RocksDB more: `taskmanager.memory.managed.fraction`, fewer slots, `state.backend.rocksdb.memory.fixed-per-slot`,
and `state.backend.rocksdb.memory.partitioned-index-filters: true` where the cache is far smaller than the state.
`flint size rocksdb` reckons the parts.

## Not when
The counters are off, as they are by default: `state.backend.rocksdb.metrics.block-cache-hit: true` and
`…block-cache-miss: true` (from 1.16 on) bring them. Reads that are spread evenly over a state far larger than memory
miss whatever the cache.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#tuning-rocksdb-memory>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#rocksdb-native-metrics>: the metrics
"""

from collections.abc import Iterator

from flink_flint.linter.model.observations import Observed
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, likewise, percent, sized

HITS = "operator/rocksdb.block-cache-hit"
MISSES = "operator/rocksdb.block-cache-miss"
_CAPACITY = "operator/rocksdb.block-cache-capacity"
FRACTION = "taskmanager.memory.managed.fraction"
_KEYS = ("state.backend.rocksdb.memory.fixed-per-slot", "taskmanager.memory.managed.size", FRACTION)


@rule(
    code="FLK664",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{MISSES} total > 0"],
    flink=">=1.10",
    since="0.1",
    thresholds={
        "misses": Threshold(0.1, "part of the reads that may miss the cache"),
        "rate": Threshold(10, "misses a second from which they count"),
    },
)
def rocksdb_cache_misses(config: View) -> Iterator[Finding]:
    """RocksDB reads from disk what its block cache should hold"""
    found: list[tuple[float, Observed]] = []
    for misses in config.observed_where(MISSES, statistic="total", above=0):
        number = misses.beside(HITS, "total")
        if number is None or misses < config.threshold("rate") * 60 * misses.minutes:
            continue
        share = misses / (misses + number)
        if share > config.threshold("misses"):
            found.append((share, misses))
    if not found:
        return
    found.sort(key=lambda one: -one[0])
    share, misses = found[0]
    hits = misses.holder.observed(HITS, statistic="total")
    capacity = misses.holder.observed(_CAPACITY, p=0.5)
    of_size = "" if capacity is None else f" of {sized(capacity)}"
    setting = next((config.get(key) for key in _KEYS if config.is_set(key)), config.get(FRACTION))
    yield setting.finding(
        f"{percent(share)} of the reads of {misses.holder} in {misses.window} missed RocksDB's block cache{of_size}:"
        f" {misses / misses.minutes / 60:.0f} a second went to disk{likewise(found, 'operator')}",
        help="give RocksDB more managed memory (`flint size rocksdb`)",
        evidence=evidence(misses, hits, capacity, share=round(share, 4)),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{FRACTION}: 0.2\n",
            at=FRACTION,
            says="25 % of the reads",
            observed={HITS: {"total": 9e8}, MISSES: {"total": 3e8}, _CAPACITY: 27 << 20},
        ),
        bad(
            "taskmanager.memory.managed.size: 1g\n",
            at="taskmanager.memory.managed.size",
            observed={
                HITS: {"total": 3e8},
                MISSES: {"total": 3e8},
                f"{HITS} @ join": {"total": 1e9},
                f"{MISSES} @ join": {"total": 4e8},
            },
            says="(and 1 more operator)",
        ),
        good("parallelism.default: 2\n", observed={HITS: {"total": 3e9}, MISSES: {"total": 3e8}}),
        good("parallelism.default: 2\n", observed={HITS: {"total": 3000}, MISSES: {"total": 3000}}),
        good("parallelism.default: 2\n", observed={MISSES: {"total": 3e8}}),
        bad(
            f"parallelism.default: 2\n{FRACTION}: 0.2\n",
            at=FRACTION,
            observed={
                HITS: {"total": 9e7},
                MISSES: {"total": 12_096_000},
                f"{HITS} @ join": {"total": 1},
                f"{MISSES} @ join": {"total": 1},
            },
        ),
        bad(
            f"parallelism.default: 2\n{_KEYS[1]}: 1g\n{_KEYS[0]}: 64m\n",
            at="state.backend.rocksdb.memory.fixed-per-slot",
            observed={HITS: {"total": 3e8}, MISSES: {"total": 3e8}},
        ),
        bad(
            "parallelism.default: 2\ntaskmanager.memory.managed.size: 1g\n",
            at="taskmanager.memory.managed.size",
            says="50 % of the reads of 'enrich'",
            observed={
                HITS: {"total": 3e8},
                MISSES: {"total": 3e8},
                f"{HITS} @ join": {"total": 1e9},
                f"{MISSES} @ join": {"total": 4e8},
                f"{MISSES} @ none": {"total": 5e8},
            },
        ),
        good("parallelism.default: 2\n", observed={HITS: {"total": 1e6}, MISSES: {"total": 12_090_000}}),
        good("parallelism.default: 2\n", observed={HITS: {"total": 9e8}, MISSES: {"total": 1e8}}),
    ]
