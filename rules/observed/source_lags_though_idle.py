"""A source falls behind although no operator is busy.

## What it does
Reports sources whose backlog grows (`pendingRecords` or Kafka's `records-lag-max`: at last nearly the largest ever,
more than twice the median, 10 000 records or more) in jobs of which no operator is busy for more than 70 % of the time
at the 95th percentile.

## Why it matters
More subtasks or faster code change nothing: the job waits for its source. The lag grows until records are deleted
before they are read.

## What to do
Look at what the source may take: partitions fewer than subtasks, quotas of the broker (`fetch-throttle-time-avg`), the
consumer's `fetch.max.bytes` and `max.partition.fetch.bytes`, a rate limiter, limits of a shard (`flint size kinesis`),
aligned watermarks that pause it (`…drift`). An operator that waits for a service does not count as busy: see
`async-operator-full`.

## Not when
A source tells nothing about its busy time: nobody knows what limits the job then.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#monitoring>: the lag of a
  source
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#io>: `busyTimeMsPerSecond`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._lag import LAGS, LIMITED, MANY, busiest, growing
from flink_flint.rules.observed._wording import evidence, likewise, percent, whole


@rule(
    code="FLK684",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{metric} last > {MANY}" for metric in LAGS],
    since="0.1",
)
def source_lags_though_idle(config: View) -> Iterator[Finding]:
    """a source falls behind although no operator is busy"""
    found = []
    for lag in growing(config):
        busy = busiest(lag.operator.job)
        if busy is not None and busy <= LIMITED:
            found.append((lag, busy))
    if not found:
        return
    lag, busy = found[0]
    yield config.finding(
        f"{lag.holder} had {whole(lag)} records waiting at last, and ever more ({lag.window}), although no operator is"
        f" busy for more than {percent(busy / 1000)} of the time{likewise(found, 'source')}",
        help="more subtasks would not help: find what holds the source back (partitions, quotas, fetch sizes, limits)",
        evidence=evidence(lag, lag.holder.observed(lag.metric, p=0.5), busy),
    )


_IN = "Source: in"
_BUSY = "task/busyTimeMsPerSecond"
_GROWS = {"p50": 200_000, "p95": 4e6, "max": 5e6, "last": 5e6}


def cases() -> list[Case]:
    return [
        bad("parallelism.default: 4\n", says="had 5 000 000 records waiting at last",
            observed={f"{LAGS[0]} @ {_IN}": _GROWS, f"{_BUSY} @ {_IN}": 300, _BUSY: {"p50": 100, "p95": 400}}),
        bad("parallelism.default: 4\n", observed={f"{LAGS[1]} @ {_IN}": _GROWS, f"{_BUSY} @ {_IN} -> map": 300}),
        good("parallelism.default: 4\n", observed={f"{LAGS[0]} @ {_IN}": _GROWS, f"{_BUSY} @ {_IN}": 300, _BUSY: 980}),
        good("parallelism.default: 4\n", observed={f"{LAGS[0]} @ {_IN}": _GROWS, _BUSY: 300}),
        good("parallelism.default: 4\n",
             observed={f"{LAGS[0]} @ {_IN}": {"p50": 200_000, "max": 5e6, "last": 3e6}, f"{_BUSY} @ {_IN}": 300}),
        bad("parallelism.default: 4\n", observed={f"{_BUSY} @ {_IN}": 700,
            f"{LAGS[0]} @ {_IN}": {"p50": 8000, "max": 20_000, "last": 18_000}}),
        good("parallelism.default: 4\n", observed={f"{_BUSY} @ {_IN}": 700,
             f"{LAGS[0]} @ {_IN}": {"p50": 9000, "max": 20_000, "last": 18_000}}),
        good("parallelism.default: 4\n", observed={f"{LAGS[0]} @ {_IN}": _GROWS, f"{_BUSY} @ {_IN}": 700.5}),
    ]  # fmt: skip
