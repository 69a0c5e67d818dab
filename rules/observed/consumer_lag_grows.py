"""A source falls behind because the job is too slow.

## What it does
Reports sources whose backlog grows (`pendingRecords` or Kafka's `records-lag-max`: at last nearly the largest ever,
more than twice the median, 10 000 records or more) in jobs of which an operator is busy for more than 70 % of the time
at the 95th percentile, and says how many subtasks that one wants.

## Why it matters
What waits gets older with every minute, and once it is older than the retention of the topic it is deleted before it is
read.

## What to do
Give the busiest operator more subtasks, or less to do. `flint size catch-up` says how long the backlog then takes.

## Not when
Its work is skewed: `busy-skew` speaks of that. A source that tells nothing about its busy time counts as unknown.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#monitoring>: the lag of a
  source
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/autoscaler/>: target
  utilization and true processing rate
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._capacity import BUSY, PARALLELISM, is_skewed, parallelism_setting, subtasks_wanted
from flink_flint.rules.observed._lag import LAGS, LIMITED, MANY, busiest, growing
from flink_flint.rules.observed._wording import count, evidence, likewise, percent, whole


@rule(
    code="FLK685",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{metric} last > {MANY}" for metric in LAGS],
    since="0.1",
)
def consumer_lag_grows(config: View) -> Iterator[Finding]:
    """a source falls behind because the job is too slow"""
    found = []
    for lag in growing(config):
        busy = busiest(lag.operator.job)
        if busy is not None and busy > LIMITED and not is_skewed(busy.operator):
            found.append((lag, busy))
    if not found:
        return
    lag, busy = found[0]
    slow = busy.operator
    wanted = max(subtasks_wanted(slow, busy), slow.parallelism + 1)
    message = (
        f"{lag.holder} had {whole(lag)} records waiting at last, and ever more ({lag.window}): {slow.name!r} is busy"
        f" for {percent(busy / 1000)} of the time with {count(slow.parallelism, 'subtask')}{likewise(found, 'source')}"
    )
    cure = f"give {slow.name!r} {count(wanted, 'subtask')} at least (`flint size parallelism`, `flint size catch-up`)"
    proof = evidence(lag, lag.holder.observed(lag.metric, p=0.5), busy, wanted=wanted)
    setting = parallelism_setting(config, slow)
    if setting is None:
        yield config.finding(message, help=cure, evidence=proof)
    else:
        yield setting.finding(message, help=cure, evidence=proof)


_IN = "Source: in"
_GROWS = {"p50": 200_000, "p95": 4e6, "max": 5e6, "last": 5e6}


def cases() -> list[Case]:
    return [
        bad(f"{PARALLELISM}: 4\n", at=PARALLELISM, says="'enrich' is busy for 98 % of the time with 4 subtasks",
            observed={f"{LAGS[1]} @ {_IN}": _GROWS, f"{BUSY} @ {_IN}": 300, BUSY: 980}),
        bad(f"{PARALLELISM}: 2\n", observed={f"{LAGS[0]} @ {_IN}": _GROWS, f"{BUSY} @ {_IN}": 900}),
        good(f"{PARALLELISM}: 4\n", observed={f"{LAGS[1]} @ {_IN}": _GROWS, f"{BUSY} @ {_IN}": 300, BUSY: 400}),
        good(f"{PARALLELISM}: 4\n", observed={f"{LAGS[1]} @ {_IN}": _GROWS, BUSY: 980}),
        good(f"{PARALLELISM}: 4\n",
             observed={f"{LAGS[1]} @ {_IN}": _GROWS, f"{BUSY} @ {_IN}": 300, BUSY: 980, "task/busySkew": 3}),
        bad(f"pipeline.name: orders\n{PARALLELISM}: 4\n", at=PARALLELISM,
            observed={f"{LAGS[1]} @ {_IN}": _GROWS, f"{BUSY} @ {_IN}": 300, BUSY: 700.5}),
        bad(f"pipeline.name: orders\n{PARALLELISM}: 2\n", at="pipeline.name", says="'Source: other' of",
            observed={f"{LAGS[0]} @ {_IN}": {"p50": 8000, "max": 20_000, "last": 18_000}, f"{BUSY} @ {_IN}": 900,
                      f"{LAGS[1]} @ Source: other": _GROWS, f"{BUSY} @ Source: other": 300}),
        good(f"{PARALLELISM}: 4\n", observed={f"{LAGS[1]} @ {_IN}": _GROWS, f"{BUSY} @ {_IN}": 300, BUSY: 700}),
    ]  # fmt: skip
