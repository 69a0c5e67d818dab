"""Whether a source falls behind, and whether the job behind it has time left."""

from __future__ import annotations

from flink_flint.linter.model.observations import Job, Observed
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._capacity import BUSY, sources_tell

LAGS = ("operator/pendingRecords", "operator/KafkaSourceReader.KafkaConsumer.records-lag-max")
"""Records that wait, as sources report it."""
MANY = 10_000
"""Records; a backlog below that is read in a moment."""
LIMITED = 700.0
"""Milliseconds a second: an operator busier than that at its busy times may be what limits the job."""
_NEAR_PEAK = 0.9
_OVER_MEDIAN = 2.0


def is_growing(lag: Observed) -> bool:
    """Whether the last value of a lag is nearly its largest ever, and far above its median."""
    return lag >= _NEAR_PEAK * lag.other("max") and lag > _OVER_MEDIAN * lag.other("p50")


def growing(config: View) -> list[Observed]:
    """The lags that grow (their last values), the largest first, one for each operator."""
    found: dict[tuple[object, ...], Observed] = {}
    for metric in LAGS:
        for lag in config.observed_where(metric, statistic="last", above=MANY):
            if is_growing(lag):
                found.setdefault(tuple(lag.holder.identity.values()), lag)
    return sorted(found.values(), reverse=True)


def busiest(job: Job) -> Observed | None:
    """The 95th percentile of the job's busiest operator's busy time; None where a source does not tell its own."""
    operators = job.operators
    if not sources_tell(operators):
        return None
    times = [operator.observed(BUSY, p=0.95) for operator in operators]
    return max((time for time in times if time is not None), default=None)
