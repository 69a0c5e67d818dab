"""Detects sources that fall behind, and whether their job has spare capacity."""

from __future__ import annotations

from flink_flint.linter.model.observations import Job, Observed
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._capacity import BUSY, sources_tell

LAGS = ("operator/pendingRecords", "operator/KafkaSourceReader.KafkaConsumer.records-lag-max")
"""The metrics for the number of records that a source has not read yet."""
MANY = 10_000
"""The number of unread records below which a source catches up almost immediately."""
LIMITED = 700.0
"""The busy milliseconds per second above which an operator may limit its job."""
_NEAR_PEAK = 0.9
_OVER_MEDIAN = 2.0


def is_growing(lag: Observed) -> bool:
    """Return whether the last value of a lag is close to its maximum and far above its median."""
    return lag >= _NEAR_PEAK * lag.other("max") and lag > _OVER_MEDIAN * lag.other("p50")


def growing(config: View) -> list[Observed]:
    """Return the last values of the growing lags, one per operator, the largest first."""
    found: dict[tuple[object, ...], Observed] = {}
    for metric in LAGS:
        for lag in config.observed_where(metric, statistic="last", above=MANY):
            if is_growing(lag):
                found.setdefault(tuple(lag.holder.identity.values()), lag)
    return sorted(found.values(), reverse=True)


def busiest(job: Job) -> Observed | None:
    """Return the 95th percentile of the busiest operator's busy time; None if a source does not report one."""
    operators = job.operators
    if not sources_tell(operators):
        return None
    times = [operator.observed(BUSY, p=0.95) for operator in operators]
    return max((time for time in times if time is not None), default=None)
