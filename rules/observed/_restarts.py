"""How often jobs restarted."""

from __future__ import annotations

from flink_flint.linter.model.observations import Observed
from flink_flint.linter.model.view import View

RESTARTS = "job/numRestarts"
STRATEGY = "restart-strategy.type"
_DAY = 1440


def a_day(restarts: Observed) -> float:
    """Restarts in a day of the time in which the job was observed."""
    return restarts / restarts.minutes * _DAY


def strategy_of(config: View) -> str:
    """The strategy the configuration names, as Flink's newest name of it; empty where it names none."""
    name = config.get(STRATEGY).text.lower().replace("-", "").replace("_", "")
    return {"fixeddelay": "fixed-delay", "failurerate": "failure-rate", "exponentialdelay": "exponential-delay"}.get(
        name, name
    )
