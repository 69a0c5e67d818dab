"""The number of subtasks that an operator needs according to its metrics, and the setting for its parallelism."""

from __future__ import annotations

import math
from collections.abc import Sequence

from flink_flint.calculators.formulas.autoscaling import UTILIZATION, required_capacity, subtasks_for, unlimited_factor
from flink_flint.linter.model.observations import Observed, Operator
from flink_flint.linter.model.view import Setting, View

BUSY = "task/busyTimeMsPerSecond"
SKEW = "task/busySkew"
TRUE_RATE = "task/trueProcessingRate.vertex"
IN_RATE = "task/numRecordsInPerSecond.vertex.steady"
OUT_RATE = "task/numRecordsOutPerSecond.vertex.steady"
ARRIVALS = "task/arrivalRate"
PARALLELISM = "parallelism.default"
_SKEWED = 2.0


def rates_of(operator: Operator) -> tuple[Observed | None, Observed | None]:
    """Return an operator's arrival rate at busy times and its true processing rate, in records per second."""
    arriving = [operator.observed(metric, p=0.95) for metric in (ARRIVALS, IN_RATE, OUT_RATE)]
    return next((rate for rate in arriving if rate), None), operator.observed(TRUE_RATE, p=0.5)


def subtasks_wanted(operator: Operator, busy: float) -> int:
    """Return the number of subtasks with which an operator is busy for 70 % of the time at peak load.

    By its rates as the operator's autoscaler reckons; without them by its busy time (ms per second).
    """
    arriving, able = rates_of(operator)
    if arriving is not None and able:
        # What piled up is left out: this is about what comes day by day.
        return subtasks_for(operator.parallelism, unlimited_factor(required_capacity(arriving, catch_up=0), able))
    return max(1, math.ceil(round(operator.parallelism * busy / 1000 / UTILIZATION, 9)))


def sources_tell(operators: Sequence[Operator]) -> bool:
    """Return whether the busy time of each source is known, from its own task or the task that it heads."""
    known = [one.key for one in operators if one.number(BUSY, "p95") is not None]
    return all(any(key.startswith(one.key) for key in known) for one in operators if one.is_source)


def is_skewed(operator: Operator) -> bool:
    """Return whether one subtask has much more load than the others, so that more subtasks would not help."""
    skew = operator.observed(SKEW, p=0.5)
    return skew is not None and skew > _SKEWED


def parallelism_setting(config: View, operator: Operator) -> Setting | None:
    """Return the setting of an operator's parallelism; None if the job's code or something else sets it."""
    setting = config.get(PARALLELISM)
    return setting if setting.is_set and config.integer(PARALLELISM) == operator.parallelism else None
