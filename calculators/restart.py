"""Restarts: the delays and number of restarts of a job during an outage, and when Flink gives up.

## The formula
While a service is unavailable, each restart fails again after `restart time`.

- exponential-delay waits `min(initial x multiplier ^ n, maximum)` before restart n + 1, so an outage sees the
  smallest number of restarts with `sum of delays + restarts x restart time >= outage`. It starts over after a quiet
  `reset-backoff-threshold`. It survives any outage, unless attempts are limited (from 1.19 on).
- fixed-delay survives `attempts x (delay + restart time)`. Attempts are never given back: the limit applies to the
  whole life of the job.
- failure-rate gives up when more than `max-failures` failures fall into one interval, after
  `max-failures x (delay + restart time)`; where that is more than the interval it never gives up, so the interval to
  set is twice that. From 1.10 to 1.12.2 (1.11.3) it allows one failure fewer.

After the outage the job stays down until the current delay is over: a longer maximum delay means fewer restarts but
more of this downtime. If a job has several regions (parts without a shuffle between them), every region that fails
uses an attempt of fixed-delay and counts for failure-rate.

Without a strategy and with checkpoints Flink restarts forever: up to 1.18 after 1 s each (1.9: at once), from 1.19
on by exponential-delay from 1 s, x 1.5, to 1 min.

From 1.19 on delays with jitter overflow after about 90 restarts in a row (1 s, x 1.5): about every second one is the
initial delay again.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the strategies, their
  settings and defaults
- <https://nightlies.apache.org/flink/flink-docs-stable/release-notes/flink-1.19/>: exponential-delay becomes the
  default, with new defaults of its own
- <https://github.com/apache/flink/pull/14480>: FLINK-20752, failure-rate allowed one failure too few
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flink_flint.calculators.answer_parts.current_restart_strategy import Waits, between, current_strategy, default_of
from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.answering.declaration import BadInput, flag_of
from flink_flint.calculators.formulas import restart_delays as restarts
from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.calculators.formulas.quantity import (
    COUNT,
    SECONDS,
    Unit,
    counted,
    significant,
    spell_count,
    spell_duration,
)
from flink_flint.calculators.formulas.restart_delays import ENDLESS, Curve
from flink_flint.calculators.inputs.restart import PREFIX, STRATEGY, CurrentRestart, Restart
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple

_KEYS = {
    "fixed-delay": ("attempts", "delay"),
    "failure-rate": ("delay", "failure-rate-interval", "max-failures-per-interval"),
    "exponential-delay": (
        "initial-backoff", "backoff-multiplier", "max-backoff", "jitter-factor", "reset-backoff-threshold",
        "attempts-before-reset-backoff",
    ),
}  # fmt: skip
_INITIAL = 1.0
_MULTIPLIER = 1.5
_JITTER = 0.1
_RESET = 3600.0
_OFTEN = 1800
"""Restarts per hour above which the load on the services that a job depends on is too high."""


# -- from an outage to a strategy


class _Plan(NamedTuple):
    waits: Waits
    settings: dict[str, Any]
    binding: str
    steps: list[str]
    warnings: list[str]


def _exponential(inputs: Restart, release: Release) -> _Plan:
    curve = Curve(min(_INITIAL, inputs.patience), _MULTIPLIER, inputs.patience)
    time, outage = inputs.restart_time, spell_duration(inputs.outage)
    count = restarts.restarts_within(inputs.outage, curve, time)
    each = f", each followed by {spell_duration(time)} until the next failure" if time else ""
    reset = rounded_up(max(_RESET, 2 * time))
    steps = [
        (
            f"Delays: {spell_duration(curve.initial)} x {significant(curve.multiplier)} each time, up to "
            f"{spell_duration(curve.greatest)}{each}: restarts that make up {outage}: {spell_count(count)}."
        ),
        f"A quiet {spell_duration(reset)} resets the delays.",
    ]
    of = PREFIX + "exponential-delay."
    settings: dict[str, Any] = {
        PREFIX + "type": "exponential-delay",
        of + "initial-backoff": curve.initial,
        of + "backoff-multiplier": curve.multiplier,
        of + "max-backoff": curve.greatest,
        of + "jitter-factor": _JITTER,
        of + "reset-backoff-threshold": reset,
    }
    attempts, warnings = math.inf, []
    if inputs.give_up and restarts.limits_exponential(release):
        # Jitter may shorten every delay.
        shortest = Curve(curve.initial * (1 - _JITTER), curve.multiplier, curve.greatest * (1 - _JITTER))
        attempts = restarts.restarts_within(inputs.outage, shortest, time)
        settings[of + "attempts-before-reset-backoff"] = attempts
        steps.append(
            f"Attempts: with delays {significant(_JITTER * 100)} % shorter, as jitter may have them, "
            f"{spell_count(attempts)} make up {outage}; then the job fails permanently."
        )
    elif inputs.give_up:
        warnings.append(
            f"exponential-delay never gives up in Flink {release}; from 1.19 on it can, and failure-rate can in any"
        )
    overflow = restarts.attempts_until_overflow(curve, _JITTER)
    if restarts.limits_exponential(release) and overflow is not None and min(count, attempts) >= overflow:
        settings[of + "jitter-factor"] = 0.0
        steps.append(
            f"Jitter: none, because after {spell_count(overflow)} restarts delays with jitter overflow in Flink "
            "1.19 and later, and about every second one is the initial delay again."
        )
        if inputs.jobs > 1:
            warnings.append(
                f"without jitter {spell_count(inputs.jobs)} jobs that fail at once restart at once; a longer delay "
                "needs fewer restarts and allows jitter"
            )
    binding = (
        "it restarts soon after a single failure and rarely in an outage, after which the job is down for at most "
        f"{spell_duration(inputs.patience)}"
    )
    return _Plan(Waits(curve, attempts, time), settings, binding, steps, warnings)


def _fixed(inputs: Restart, release: Release) -> _Plan:
    delay, time, outage = inputs.patience, inputs.restart_time, spell_duration(inputs.outage)
    needed = restarts.fixed_attempts(inputs.outage, delay, time, inputs.failures_at_once)
    attempts = needed if inputs.give_up else ENDLESS
    each = between(delay, time)
    regions = f" x {spell_count(inputs.failures_at_once)} regions" if inputs.failures_at_once > 1 else ""
    steps = [f"Attempts: {outage} / {each}{regions} = {spell_count(needed)} at least."]
    warnings = []
    if inputs.give_up:
        warnings.append(
            f"fixed-delay never gives attempts back: after {counted(needed, 'failure')}, however far apart, the "
            "next one fails the job permanently; failure-rate forgets them"
        )
    else:
        steps.append(f"The job must not give up: {ENDLESS} attempts mean no limit.")
    rounds = restarts.fixed_rounds(attempts, inputs.failures_at_once)
    settings = {
        PREFIX + "type": "fixed-delay",
        PREFIX + "fixed-delay.attempts": attempts,
        PREFIX + "fixed-delay.delay": delay,
    }
    binding = (
        f"{counted(attempts, 'attempt')}, {spell_count(inputs.failures_at_once)} every {each}, make up the outage"
        if inputs.give_up
        else f"a restart every {each} continues endlessly, whatever the outage"
    )
    return _Plan(Waits(Curve(delay, 2.0, delay), rounds, time), settings, binding, steps, warnings)


def _failure_rate(inputs: Restart, release: Release) -> _Plan:
    delay, time, outage = inputs.patience, inputs.restart_time, spell_duration(inputs.outage)
    allowed = restarts.fixed_attempts(inputs.outage, delay, time, inputs.failures_at_once)
    exact = restarts.counts_exactly(release)
    most = restarts.failures_to_configure(allowed, exact=exact)
    rounds = restarts.rounds_of(allowed, inputs.failures_at_once)
    outlasts = spell_duration(restarts.time_of(rounds, delay, time))
    interval = rounded_up(restarts.interval_for(rounds, delay + time))
    each = between(delay, time)
    regions = f" x {spell_count(inputs.failures_at_once)} regions" if inputs.failures_at_once > 1 else ""
    early = "" if exact else f"; Flink {release} gives up one failure early, so {spell_count(most)}"
    steps = [
        f"Failures: {outage} / {each}{regions} = {spell_count(allowed)}{early}.",
        (
            f"Interval: {restarts.INTERVAL_ROOM} x {spell_count(rounds)} x {each} = {spell_duration(interval)}; "
            f"below {outlasts} the strategy would never give up."
        ),
    ]
    warnings = []
    if not inputs.give_up:
        warnings.append(
            f"failure-rate gives up in an outage longer than {outlasts}; fixed-delay and "
            "exponential-delay can continue forever"
        )
    settings = {
        PREFIX + "type": "failure-rate",
        PREFIX + "failure-rate.max-failures-per-interval": most,
        PREFIX + "failure-rate.failure-rate-interval": interval,
        PREFIX + "failure-rate.delay": delay,
    }
    binding = (
        f"{counted(allowed, 'failure')}, {spell_count(inputs.failures_at_once)} every {each}, make up the outage, and "
        "no more are allowed"
    )
    return _Plan(Waits(Curve(delay, 2.0, delay), rounds, time), settings, binding, steps, warnings)


def size_restart(inputs: Restart, release: Release) -> Answer:
    """Size a restart strategy that survives an outage, and compute its load on the services that the job uses."""
    strategy, why, warnings = inputs.strategy or "exponential-delay", "", []
    if strategy == "exponential-delay" and not restarts.has_exponential(release):
        strategy = "fixed-delay"
        if inputs.strategy is None:
            why = f"Flink {release} has no exponential-delay yet, and "
        else:
            warnings.append(f"Flink {release} has no exponential-delay (from 1.13 on); this is fixed-delay")
    plan = {"exponential-delay": _exponential, "fixed-delay": _fixed, "failure-rate": _failure_rate}[strategy](
        inputs, release
    )
    named, usual = default_of(release, inputs.restart_time)
    steps = [
        *plan.steps,
        (
            f"Without a strategy Flink {release} restarts with checkpoints ({named}) "
            f"{_times(usual.restarts(inputs.outage))} in that outage, without checkpoints never."
        ),
    ]
    remove = [
        PREFIX + f"{other}.{name}"
        for other, names in _KEYS.items()
        for name in names
        if PREFIX + f"{other}.{name}" not in plan.settings
    ]
    chart = _chart(plan.waits, inputs.outage, usual.drawn(f"default of Flink {release}", inputs.outage))
    present, errors, remarks = _present(inputs, release)
    return Answer(
        values=(
            Value("strategy", strategy, STRATEGY, "how the job is restarted when it fails", inputs.in_force),
            *_values(plan.waits, inputs, present),
        ),
        binding=why + plan.binding,
        steps=tuple(steps),
        settings=plan.settings,
        remove=tuple(remove),
        errors=errors,
        warnings=(*remarks, *warnings, *plan.warnings, *_often(plan.waits, inputs.jobs)),
        chart=chart,
    )


def _present(inputs: Restart, release: Release) -> tuple[Waits | None, tuple[str, ...], tuple[str, ...]]:
    """Return the current strategy's waits, with errors and warnings about it; None if it is not given."""
    try:
        now = inputs.present
    except BadInput as refused:
        return None, (f"currently, {flag_of(refused.name)} of {refused.message}",), ()
    if now is None:
        return None, (), ()
    judged = outlasted_by_restart(now, release)
    errors, warnings = (tuple(f"currently, {text}" for text in found) for found in (judged.errors, judged.warnings))
    return current_strategy(now, release)[0], errors, warnings


def _times(count: float) -> str:
    return "endlessly" if math.isinf(count) else counted(int(count), "time")


def _values(waits: Waits, inputs: Restart | CurrentRestart, now: Waits | None = None) -> tuple[Value, ...]:
    """Return the values of a strategy in an outage, next to those of the current one."""
    tellers: tuple[tuple[str, Unit, str, Callable[[Waits], float | None]], ...] = (
        ("outlasts", SECONDS, "the longest outage after which the job runs again", lambda which: which.outlasts),
        (
            "restarts",
            COUNT,
            f"of one job in an outage of {spell_duration(inputs.outage)}",
            lambda which: which.restarts(inputs.outage),
        ),
        (
            "restarts_per_hour",
            COUNT,
            "of all jobs, in the first hour of an outage",
            lambda which: which.restarts(3600.0) * inputs.jobs,
        ),
        (
            "stands_still",
            SECONDS,
            "how long the job waits at most for its next restart after the outage",
            lambda which: which.curve.greatest if which.attempts else None,
        ),
    )
    return tuple(
        Value(name, print_message(waits), unit, explained, None if now is None else print_message(now))
        for name, unit, explained, print_message in tellers
    )


def _often(waits: Waits, jobs: int) -> list[str]:
    count = waits.restarts(3600.0) * jobs
    if count < _OFTEN:
        return []
    often = "endless" if math.isinf(count) else spell_count(count)
    return [f"in an outage the services see {often} restarts an hour, each of which reopens all connections"]


def _chart(waits: Waits, outage: float, *others: Series) -> Chart | None:
    """Return a chart of the delays over the time of an outage; None if no strategy restarts the job."""
    drawn = waits.drawn("delay", outage)
    series = tuple(line for line in (drawn, *others) if line.points)
    points = () if not drawn.points else (Point("outage is over", outage, drawn.points[-1][1]),)
    if not series:
        return None
    return Chart("Delays before restarts in an outage", "time", SECONDS, "delay", SECONDS, series, points)


# -- from a strategy to the outage it survives


def outlasted_by_restart(inputs: CurrentRestart, release: Release) -> Answer:
    """Compute the outage that the current restart strategy survives, and the number of restarts during it."""
    waits, steps, warnings = current_strategy(inputs, release)
    survived = waits.outlasts
    errors = []
    if waits.attempts == 0:
        errors.append("the first failure fails the job permanently")
    elif survived < inputs.outage:
        errors.append(
            f"the job fails permanently after {spell_duration(survived)} of an outage of "
            f"{spell_duration(inputs.outage)}, with failure {spell_count(waits.attempts + 1)}"
        )
    binding = "the strategy never gives up"
    if waits.attempts == 0:
        binding = "the strategy does not restart at all"
    elif math.isfinite(survived):
        binding = (
            f"{counted(int(waits.attempts), 'restart')} {'makes' if waits.attempts == 1 else 'make'} up "
            f"{spell_duration(survived)}, and the job fails permanently at failure {spell_count(waits.attempts + 1)}"
        )
    return Answer(
        values=_values(waits, inputs),
        binding=binding,
        steps=tuple(steps),
        errors=tuple(errors),
        warnings=(*warnings, *_often(waits, inputs.jobs)),
        chart=_chart(waits, inputs.outage),
    )


CALCULATOR = Calculator(
    name="restart",
    title="Restarts: the strategy that outlasts an outage",
    question="My job gives up, or restarts too often",
    forward=Way(Restart, size_restart, {"outage": "30min", "restart_time": "20s", "jobs": "12"}),
    reverse=Way(
        CurrentRestart,
        outlasted_by_restart,
        {"strategy": "fixed-delay", "attempts": "10", "delay": "10s", "outage": "10min"},
    ),
)
