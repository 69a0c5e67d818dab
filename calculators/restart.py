"""Restarts: how long Flink waits, how often it restarts, and when it gives up, through an outage.

## The formula
While a service is away each restart fails again, `restart time` after it began.

- exponential-delay waits `min(initial x multiplier ^ n, greatest)` before restart n + 1, so an outage sees the
  smallest number of restarts with `sum of delays + restarts x restart time >= outage`. It begins anew after a quiet
  `reset-backoff-threshold`. It outlasts everything, unless attempts are limited (from 1.19 on).
- fixed-delay outlasts `attempts x (delay + restart time)`. Attempts are never given back: the number counts for the
  whole life of the job.
- failure-rate gives up when more than `max-failures` failures fall into one interval, after
  `max-failures x (delay + restart time)`; where that is more than the interval it never gives up. From 1.10 to
  1.12.2 (1.11.3) it allows one failure fewer.

After the outage the job stands still until the delay that has begun is over: the greatest delay trades restarts for
that. With a job of several regions (parts without a shuffle between them) every region that fails takes an attempt
of fixed-delay and counts for failure-rate.

Without a strategy and with checkpoints Flink restarts for ever: up to 1.18 after 1 s each (1.9: at once), from 1.19
on by exponential-delay from 1 s, x 1.5, to 1 min.

From 1.19 on delays with jitter overflow after about 90 restarts in a row (1 s, x 1.5): about every second one is the
initial delay again.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the strategies, their
  settings and defaults
- <https://nightlies.apache.org/flink/flink-docs-stable/release-notes/flink-1.19/>: exponential-delay becomes the
  default, with new defaults of its own
- <https://issues.apache.org/jira/browse/FLINK-20752>: failure-rate allowed one failure too few
"""

from __future__ import annotations

import math
from itertools import islice
from typing import Any, NamedTuple

from calculators.answer import Answer, Chart, Point, Series, Value
from calculators.calculator import Calculator, Way
from calculators.formulas import restart_delays as restarts
from calculators.formulas.restart_delays import ENDLESS, Curve
from calculators.formulas.rounding import rounded_up
from calculators.inputs.restart import PREFIX, STRATEGY, Restart, RestartInForce
from calculators.quantity import COUNT, SECONDS, significant, spell_count, spell_duration
from linter.flink.releases import MINORS, Release, nearest_index

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
"""Restarts an hour that the services behind a job should not have to bear."""
_DRAWN = 400
"""Restarts a chart shows at most."""


class _Waits(NamedTuple):
    """How a strategy behaves in an outage, whichever it is."""

    curve: Curve
    attempts: float
    """Restarts until the job fails for good; infinite where it never does."""
    restart_time: float

    def restarts(self, outage: float) -> float:
        """Restarts within an outage."""
        if self.curve.greatest + self.restart_time == 0:
            return self.attempts
        return min(self.attempts, restarts.restarts_within(outage, self.curve, self.restart_time))

    @property
    def outlasts(self) -> float:
        """Seconds of an outage after which the job fails for good."""
        if math.isinf(self.attempts):
            return math.inf
        return restarts.outlasted(int(self.attempts), self.curve, self.restart_time)

    def drawn(self, label: str, outage: float) -> Series:
        """The delays over the time of an outage."""
        points, passed = [], 0.0
        for delay in islice(self.curve.delays(), int(min(self.attempts, _DRAWN))):
            points.append((passed, delay))
            if passed >= outage or delay + self.restart_time == 0:
                break
            passed += delay + self.restart_time
        return Series(label, tuple(points))


def _default(release: Release, restart_time: float) -> tuple[str, _Waits]:
    """The strategy of a job with checkpoints and without a chosen one, in words and in numbers."""
    if restarts.limits_exponential(release):
        return "exponential-delay, 1 s x 1.5 up to 60 s", _Waits(
            restarts.exponential_curve(release), math.inf, restart_time
        )
    delay = 0.0 if nearest_index(release) == MINORS.index("1.9") else 1.0
    waits = _Waits(Curve(delay, 2.0, delay), math.inf, restart_time)
    return f"fixed-delay, {spell_duration(delay)} and {ENDLESS} attempts", waits


# -- from an outage to a strategy


def _between(delay: float, restart_time: float) -> str:
    """The time from one failure to the next, as a term of a formula."""
    return f"({spell_duration(delay)} + {spell_duration(restart_time)})" if restart_time else spell_duration(delay)


class _Plan(NamedTuple):
    waits: _Waits
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
        f"A quiet {spell_duration(reset)} begins the delays anew.",
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
            f"{spell_count(attempts)} make up {outage}; then the job fails for good."
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
                f"without jitter {spell_count(inputs.jobs)} jobs that fail at once restart at once; a longer patience "
                "needs fewer restarts and can keep it"
            )
    binding = f"the job may stand still for {spell_duration(inputs.patience)} after the outage"
    return _Plan(_Waits(curve, attempts, time), settings, binding, steps, warnings)


def _fixed(inputs: Restart, release: Release) -> _Plan:
    delay, time, outage = inputs.patience, inputs.restart_time, spell_duration(inputs.outage)
    needed = restarts.fixed_attempts(inputs.outage, delay, time, inputs.failures_at_once)
    attempts = needed if inputs.give_up else ENDLESS
    each = _between(delay, time)
    regions = f" x {spell_count(inputs.failures_at_once)} regions" if inputs.failures_at_once > 1 else ""
    steps = [f"Attempts: {outage} / {each}{regions} = {spell_count(needed)} at least."]
    warnings = []
    if inputs.give_up:
        warnings.append(
            f"fixed-delay never gives attempts back: after {spell_count(needed)} failures, however far apart, the "
            "next one ends the job; failure-rate forgets them"
        )
    else:
        steps.append(f"The job shall not give up: {ENDLESS} attempts stand for no limit.")
    rounds = math.inf if attempts == ENDLESS else attempts // inputs.failures_at_once
    settings = {
        PREFIX + "type": "fixed-delay",
        PREFIX + "fixed-delay.attempts": attempts,
        PREFIX + "fixed-delay.delay": delay,
    }
    return _Plan(_Waits(Curve(delay, 2.0, delay), rounds, time), settings, _fixed_binding(delay), steps, warnings)


def _fixed_binding(delay: float) -> str:
    return f"every failure, a single one too, costs a delay of {spell_duration(delay)}"


def _failure_rate(inputs: Restart, release: Release) -> _Plan:
    delay, time, outage = inputs.patience, inputs.restart_time, spell_duration(inputs.outage)
    counted = restarts.fixed_attempts(inputs.outage, delay, time, inputs.failures_at_once)
    exact = restarts.counts_exactly(release)
    most = counted if exact else counted + 1
    rounds = counted // inputs.failures_at_once
    between = delay + time
    interval = rounded_up(restarts.interval_for(rounds, between))
    each = _between(delay, time)
    regions = f" x {spell_count(inputs.failures_at_once)} regions" if inputs.failures_at_once > 1 else ""
    early = "" if exact else f"; Flink {release} gives up one failure early, so {spell_count(most)}"
    steps = [
        f"Failures: {outage} / {each}{regions} = {spell_count(counted)}{early}.",
        (
            f"Interval: {restarts.INTERVAL_ROOM} x {spell_count(rounds)} x {each} = {spell_duration(interval)}; "
            f"below {spell_duration(rounds * between)} the strategy would never give up."
        ),
    ]
    warnings = []
    if not inputs.give_up:
        warnings.append(
            f"failure-rate gives up in an outage longer than {spell_duration(rounds * between)}; fixed-delay and "
            "exponential-delay can go on for ever"
        )
    settings = {
        PREFIX + "type": "failure-rate",
        PREFIX + "failure-rate.max-failures-per-interval": most,
        PREFIX + "failure-rate.failure-rate-interval": interval,
        PREFIX + "failure-rate.delay": delay,
    }
    return _Plan(_Waits(Curve(delay, 2.0, delay), rounds, time), settings, _fixed_binding(delay), steps, warnings)


def size_restart(inputs: Restart, release: Release) -> Answer:
    """A restart strategy that outlasts an outage, and what it does to the services behind the job."""
    strategy, warnings = inputs.strategy, []
    if strategy == "exponential-delay" and not restarts.has_exponential(release):
        strategy = "fixed-delay"
        warnings.append(f"Flink {release} has no exponential-delay (from 1.13 on); this is fixed-delay")
    plan = {"exponential-delay": _exponential, "fixed-delay": _fixed, "failure-rate": _failure_rate}[strategy](
        inputs, release
    )
    named, usual = _default(release, inputs.restart_time)
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
    return Answer(
        values=(Value("strategy", strategy, STRATEGY, "restart-strategy.type"), *_values(plan.waits, inputs)),
        binding=plan.binding,
        steps=tuple(steps),
        settings=plan.settings,
        remove=tuple(remove),
        warnings=(*warnings, *plan.warnings, *_often(plan.waits, inputs.jobs)),
        chart=chart,
    )


def _times(count: float) -> str:
    return "without end" if math.isinf(count) else f"{spell_count(count)} times"


def _values(waits: _Waits, inputs: Restart | RestartInForce) -> tuple[Value, ...]:
    idle = waits.curve.greatest if waits.attempts else None
    return (
        Value("outlasts", waits.outlasts, SECONDS, "the longest outage after which the job runs again"),
        Value("restarts", waits.restarts(inputs.outage), COUNT, f"within {spell_duration(inputs.outage)}"),
        Value("restarts_per_hour", waits.restarts(3600.0) * inputs.jobs, COUNT, "of all jobs, in the first hour"),
        Value("stands_still", idle, SECONDS, "after the outage until the next restart, at most"),
    )


def _often(waits: _Waits, jobs: int) -> list[str]:
    count = waits.restarts(3600.0) * jobs
    if count < _OFTEN:
        return []
    often = "endless" if math.isinf(count) else spell_count(count)
    return [f"in an outage the services behind see {often} restarts an hour, each of which opens all connections anew"]


def _chart(waits: _Waits, outage: float, *others: Series) -> Chart:
    """Delays over the time of an outage."""
    drawn = waits.drawn("delay", outage)
    points = () if not drawn.points else (Point("outage is over", outage, drawn.points[-1][1]),)
    return Chart(
        "Delays before restarts in an outage", "time", SECONDS, "delay", SECONDS, (drawn, *others), points
    )  # fmt: skip


# -- from a strategy to what it outlasts


def outlasted_by_restart(inputs: RestartInForce, release: Release) -> Answer:
    """The outage that the restart strategy in force outlasts, and its restarts."""
    waits, steps, warnings = _in_force(inputs, release)
    survived = waits.outlasts
    errors = []
    if waits.attempts == 0:
        errors.append("the first failure ends the job")
    elif survived < inputs.outage:
        errors.append(
            f"the job fails for good after {spell_duration(survived)} of an outage of {spell_duration(inputs.outage)}, "
            f"with failure {spell_count(waits.attempts + 1)}"
        )
    binding = "the strategy never gives up"
    if math.isfinite(survived):
        binding = f"the job fails for good at failure {spell_count(waits.attempts + 1)}"
    return Answer(
        values=_values(waits, inputs),
        binding=binding,
        steps=tuple(steps),
        errors=tuple(errors),
        warnings=(*warnings, *_often(waits, inputs.jobs)),
        chart=_chart(waits, inputs.outage),
    )


def _in_force(inputs: RestartInForce, release: Release) -> tuple[_Waits, list[str], list[str]]:
    """What the strategy in force does, the steps to it and warnings."""
    time, regions = inputs.restart_time, inputs.failures_at_once
    if inputs.strategy == "none" or (inputs.strategy is None and not inputs.checkpointing):
        return _Waits(Curve(0.0, 2.0, 0.0), 0, time), ["Flink does not restart."], []
    if inputs.strategy is None:
        named, waits = _default(release, time)
        warnings: list[str] = []
        if restarts.limits_exponential(release):
            # The option's own defaults hold: settings of a strategy that is not chosen are not read.
            chosen = RestartInForce(strategy="exponential-delay", outage=inputs.outage, restart_time=time)
            waits, _, warnings = _exponential_in_force(chosen, release)
        return waits, [f"The default of Flink {release} with checkpoints: {named}."], warnings
    if inputs.strategy == "exponential-delay":
        return _exponential_in_force(inputs, release)
    if inputs.strategy == "fixed-delay":
        each = _between(inputs.delay, time)
        rounds = math.inf if inputs.attempts >= ENDLESS else inputs.attempts // regions
        if math.isinf(rounds):
            step = f"{ENDLESS} attempts stand for no limit: a restart every {each}."
            return _Waits(Curve(inputs.delay, 2.0, inputs.delay), rounds, time), [step], []
        told = spell_duration(rounds * (inputs.delay + time))
        spent = [
            (
                f"fixed-delay never gives attempts back: after {spell_count(inputs.attempts)} failures, however far "
                "apart, the next one ends the job"
            )
        ]
        step = f"Restarts: {spell_count(rounds)} x {each} = {told}."
        return _Waits(Curve(inputs.delay, 2.0, inputs.delay), rounds, time), [step], spent
    counted = restarts.counted_failures(inputs.max_failures, exact=restarts.counts_exactly(release))
    delay, interval = inputs.rate_delay, inputs.failure_interval
    outlasts = restarts.rate_outlasted(counted, delay, interval, time, regions)
    each = _between(delay, time)
    allowed = counted // regions
    side = "more than" if math.isinf(outlasts) else "within"
    took = spell_duration(allowed * (delay + time))
    steps = [f"Restarts: {spell_count(allowed)} x {each} = {took}, {side} the interval of {spell_duration(interval)}."]
    warnings = []
    if math.isinf(outlasts):
        warnings.append(
            f"failure-rate never gives up: {spell_count(allowed)} restarts take longer than its interval of "
            f"{spell_duration(interval)}; if a limit is meant, make that "
            f"{spell_duration(restarts.interval_for(allowed, delay + time))}"
        )
    return _Waits(Curve(delay, 2.0, delay), math.inf if math.isinf(outlasts) else allowed, time), steps, warnings


def _exponential_in_force(inputs: RestartInForce, release: Release) -> tuple[_Waits, list[str], list[str]]:
    curve = Curve(inputs.initial_backoff, inputs.multiplier, inputs.max_backoff)
    limited = restarts.limits_exponential(release) and inputs.attempts_before_reset < ENDLESS
    waits = _Waits(curve, inputs.attempts_before_reset if limited else math.inf, inputs.restart_time)
    warnings = []
    count = spell_count(waits.restarts(inputs.outage))
    growing = f"{spell_duration(curve.initial)} x {significant(curve.multiplier)} each time"
    steps = [
        f"Delays: {growing}, up to {spell_duration(curve.greatest)}.",
        f"Restarts in {spell_duration(inputs.outage)}: {count}.",
    ]
    if inputs.restart_time >= inputs.reset_threshold:
        waits = waits._replace(curve=Curve(curve.initial, 2.0, curve.initial))
        warnings.append(
            f"a job that fails {spell_duration(inputs.restart_time)} after each restart has been quiet for the reset "
            f"threshold of {spell_duration(inputs.reset_threshold)}: delays never grow"
        )
    overflow = restarts.attempts_until_overflow(curve, inputs.jitter)
    if (
        restarts.limits_exponential(release)
        and overflow is not None
        and waits.attempts >= overflow
        and inputs.outage > restarts.outlasted(overflow, curve, inputs.restart_time)
    ):
        warnings.append(
            f"after {spell_count(overflow)} restarts in a row, "
            f"{spell_duration(restarts.outlasted(overflow, curve, inputs.restart_time))}, delays with jitter overflow: "
            f"about every second one is {spell_duration(curve.initial)} again; set jitter-factor to 0 or limit the "
            "attempts"
        )
    return waits, steps, warnings


CALCULATOR = Calculator(
    name="restart",
    title="Restarts: the strategy that outlasts an outage",
    question="My job gives up, or restarts too often",
    forward=Way(Restart, size_restart, {"outage": "30min", "restart_time": "20s", "jobs": "12"}),
    reverse=Way(
        RestartInForce,
        outlasted_by_restart,
        {"strategy": "fixed-delay", "attempts": "10", "delay": "10s", "outage": "10min"},
    ),
)
