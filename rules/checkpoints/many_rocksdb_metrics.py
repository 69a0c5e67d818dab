"""Many of RocksDB's own metrics are switched on.

## What it does
Advice where 5 or more (threshold `metrics`) of the options `state.backend.rocksdb.metrics.*` are true.

## Why it matters
Each of them is asked of RocksDB for every state of every subtask, under the lock of its database, and some (the
estimates of sizes) are costly. Each is a series for every state and subtask as well: 18 metrics of 20 states in 100
subtasks are 36,000 series, whose names hold the state's unless `column-family-as-variable` makes it a variable.

## What to do
Keep the few that somebody looks at: `block-cache-usage`, `estimate-live-data-size`, `is-write-stopped`,
`actual-delayed-write-rate`. Switch others on while looking for something.

## Not when
Fewer are on. Another state backend is set.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#rocksdb-native-metrics>:
  the options, and that they may cost performance
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import may_be_rocksdb

_METRICS = "state.backend.rocksdb.metrics."
_AS_VARIABLE = f"{_METRICS}column-family-as-variable"


@rule(
    code="FLK344",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_METRICS],
    flink=">=1.10",
    of_scale=True,
    thresholds={"metrics": Threshold(5, "metrics of RocksDB from which they are many")},
    since="0.1",
)
def many_rocksdb_metrics(config: View) -> Iterator[Finding]:
    """many of RocksDB's own metrics are switched on"""
    if not may_be_rocksdb(config):
        return
    on = [one for one in config.under(_METRICS) if one.written != _AS_VARIABLE and one.value is True]
    if len(on) >= config.threshold("metrics"):
        yield on[0].finding(
            f"{len(on)} metrics are asked of RocksDB for every state of every subtask, and are as many series each",
            help="keep the few that somebody looks at",
            evidence={"metrics": len(on)},
            measure=len(on),
            at="entry",
        )


_FOUR = "".join(
    f"{_METRICS}{name}: true\n"
    for name in ("block-cache-usage", "estimate-num-keys", "is-write-stopped", "size-all-mem-tables")
)
_FIVE = f"{_FOUR}{_METRICS}estimate-live-data-size: true\n"


def cases() -> list[Case]:
    return [
        bad(_FIVE, at=f"{_METRICS}block-cache-usage", severity=Severity.INFO, says="5 metrics", flink="1.18"),
        bad(
            f"state.backend.type: RocksDB\n{_AS_VARIABLE}: true\n{_FIVE}{_METRICS}bytes-read: true\n", says="6 metrics"
        ),
        good(f"{_FOUR}{_METRICS}estimate-live-data-size: false\n", flink="1.18"),
        good(f"{_FOUR}{_AS_VARIABLE}: true\n", flink="1.18"),
        good(f"state.backend.type: hashmap\n{_FIVE}", flink="1.20"),
        good(f"{_FOUR}{_METRICS}estimate-live-data-size: '{{{{ metrics }}}}'\n", flink="1.18"),
    ]
