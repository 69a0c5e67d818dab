"""The restarts of jobs, and their restart strategy."""

from __future__ import annotations

from flink_flint.linter.model.observations import Observed
from flink_flint.linter.model.view import View

RESTARTS = "job/numRestarts"
STRATEGY = "restart-strategy.type"
_DAY = 1440


def a_day(restarts: Observed) -> float:
    """Return the restarts per day during the time in which the job was observed."""
    return restarts / restarts.minutes * _DAY


def strategy_of(config: View) -> str:
    """Return the configured restart strategy by its newest name; empty if none is configured."""
    name = config.get(STRATEGY).text.lower().replace("-", "").replace("_", "")
    return {"fixeddelay": "fixed-delay", "failurerate": "failure-rate", "exponentialdelay": "exponential-delay"}.get(
        name, name
    )
