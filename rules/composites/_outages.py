"""The longest downtime of a job for one restart: the longest delay, and the wait for lost TaskManagers."""

from __future__ import annotations

from itertools import islice

from flink_flint.calculators.formulas.restart_delays import ENDLESS, Curve
from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.composites._places import first_set

_STRATEGY = "restart-strategy.type"
_OF = "restart-strategy"
_EXPONENTIAL = f"{_OF}.exponential-delay"
_SCHEDULER = "jobmanager.scheduler"
_KEPT = "slotmanager.number-of-slots.min"
SLOT_IDLE = "slot.idle.timeout"
TASKMANAGER_IDLE = "resourcemanager.taskmanager-timeout"
SLOT_REQUEST = "slot.request.timeout"
_MAX_STEPS = 1_000


class Delay(NamedTuple):
    """The longest delay before a restart in seconds, and the setting that determines it."""

    seconds: float
    setting: Setting | None
    """The setting that determines the delay; None if the delay is Flink's default."""


class Outage(NamedTuple):
    """The longest time in seconds that a job is down for one restart."""

    delay: Delay
    kept: float
    """The minimum seconds that Flink keeps idle TaskManagers."""
    new_taskmanagers: float
    """The maximum seconds to wait for new TaskManagers; 0 if the old ones are still there."""

    @property
    def seconds(self) -> float:
        """The seconds of downtime: the restart delay plus the wait for TaskManagers."""
        return self.delay.seconds + self.new_taskmanagers


def longest_delay(config: View) -> Delay | None:
    """Return the longest delay of the effective restart strategy; None if it is unknown or never restarts."""
    chosen = config.get(_STRATEGY)
    if chosen.is_set:
        strategy = strategy_named(chosen.text)
    else:
        strategy = "exponential-delay" if config.since("1.19") else "fixed-delay"
    keys = {
        "fixed-delay": f"{_OF}.fixed-delay.delay",
        "failure-rate": f"{_OF}.failure-rate.delay",
        "exponential-delay": f"{_EXPONENTIAL}.max-backoff",
    }
    jobs = config.elements("job")
    if strategy not in keys or not all(
        job.is_known(f"sets.{one}") for job in jobs for one in (_STRATEGY, *keys.values())
    ):
        return None
    longest = config.duration(keys[strategy])
    if longest is None:
        return None
    seconds = longest.seconds
    if strategy == "exponential-delay":
        reached = _reached(config, seconds)
        if reached is None:
            return None
        seconds = reached
    return Delay(seconds, first_set(config, (keys[strategy], _STRATEGY)))


def _reached(config: View, greatest: float) -> float | None:
    """The delay that the exponential strategy comes to before it gives up."""
    attempts = config.integer(f"{_EXPONENTIAL}.attempts-before-reset-backoff") if config.since("1.19") else ENDLESS
    initial = config.duration(f"{_EXPONENTIAL}.initial-backoff")
    factor = config.number(f"{_EXPONENTIAL}.backoff-multiplier")
    if attempts is None or attempts < 1 or initial is None or factor is None or factor < 1:
        return None
    return max(islice(Curve(initial.seconds, factor, greatest).delays(), min(attempts, _MAX_STEPS)))


def longest_outage(config: View) -> Outage | None:
    """Return the longest time that a job is down for one restart; None if it is unknown."""
    delay = longest_delay(config)
    slot, idle, request = (config.duration(key) for key in (SLOT_IDLE, TASKMANAGER_IDLE, SLOT_REQUEST))
    if delay is None or slot is None or idle is None or request is None:
        return None
    kept = slot.seconds + idle.seconds
    is_lost = delay.seconds > kept and releases_taskmanagers(config)
    return Outage(delay, kept, request.seconds if is_lost else 0.0)


def releases_taskmanagers(config: View) -> bool:
    """Return whether Flink releases idle TaskManagers, because it requests them itself."""
    if config.platform not in ("operator", "yarn", "emr") or config.is_set(_KEPT):
        return False
    scheduler = config.string(_SCHEDULER)
    if scheduler is None or scheduler.lower() == "adaptive":
        return False
    return "standalone" not in [one.value("spec.mode") for lower in config.below for one in lower.elements]
