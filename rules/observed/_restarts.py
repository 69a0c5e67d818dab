"""How often jobs restarted."""

from __future__ import annotations

from linter.observations import Observed
from linter.view import View

RESTARTS = "job/numRestarts"
STRATEGY = "restart-strategy.type"
_DAY = 1440


def a_day(restarts: Observed) -> float:
    """Restarts in a day of the time in which the job was observed."""
    return restarts / restarts.minutes * _DAY if restarts.minutes else 0.0


def strategy_of(config: View) -> str | None:
    """The strategy the configuration names, as Flink's newest name of it; None where it names none or hides it."""
    setting = config.get(STRATEGY)
    if not setting.is_set or not setting.is_known:
        return None
    name = setting.text.lower().replace("-", "").replace("_", "")
    return {"fixeddelay": "fixed-delay", "failurerate": "failure-rate", "exponentialdelay": "exponential-delay"}.get(
        name, name
    )
