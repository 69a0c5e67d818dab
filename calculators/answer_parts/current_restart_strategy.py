"""The current restart strategy, or a release's default: its delays, its restarts, and the outage that it survives."""

from __future__ import annotations

import math
from itertools import islice

from flink_flint.calculators.answering.answer import Series
from flink_flint.calculators.formulas import restart_delays as restarts
from flink_flint.calculators.formulas.quantity import counted, significant, spell_count, spell_duration
from flink_flint.calculators.formulas.restart_delays import ENDLESS, Curve
from flink_flint.calculators.inputs.restart import CurrentRestart
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index
from flink_flint.linter.text.named_tuple import NamedTuple

_DRAWN = 400
"""The maximum number of restarts in a chart."""


class Waits(NamedTuple):
    """A restart strategy's delays, and the number of restarts before the job fails permanently."""

    curve: Curve
    attempts: float
    """The number of restarts before the job fails permanently; infinite if it never does."""
    restart_time: float

    def restarts(self, outage: float) -> float:
        """Return the number of restarts within an outage of `outage` seconds."""
        if self.curve.greatest + self.restart_time == 0:
            return self.attempts
        return min(self.attempts, restarts.restarts_within(outage, self.curve, self.restart_time))

    @property
    def outlasts(self) -> float:
        """The longest outage in seconds that the job survives; infinite if the job never fails permanently."""
        if math.isinf(self.attempts):
            return math.inf
        return restarts.outlasted(int(self.attempts), self.curve, self.restart_time)

    def drawn(self, label: str, outage: float) -> Series:
        """Return the delays during an outage as a line of a chart."""
        points, passed = [], 0.0
        for delay in islice(self.curve.delays(), int(min(self.attempts, _DRAWN))):
            points.append((passed, delay))
            if passed >= outage or delay + self.restart_time == 0:
                break
            passed += delay + self.restart_time
        return Series(label, tuple(points))


def default_of(release: Release, restart_time: float) -> tuple[str, Waits]:
    """Return a release's default restart strategy for a job with checkpoints: its description and its delays."""
    if restarts.limits_exponential(release):
        return "exponential-delay, 1 s x 1.5 up to 60 s", Waits(
            restarts.exponential_curve(release), math.inf, restart_time
        )
    delay = 0.0 if nearest_index(release) == MINORS.index("1.9") else 1.0
    waits = Waits(Curve(delay, 2.0, delay), math.inf, restart_time)
    return f"fixed-delay, {spell_duration(delay)} and {ENDLESS} attempts", waits


def between(delay: float, restart_time: float) -> str:
    """Format the time from one failure to the next as a term of a formula: ``(1 s + 30 s)``."""
    return f"({spell_duration(delay)} + {spell_duration(restart_time)})" if restart_time else spell_duration(delay)


def current_strategy(inputs: CurrentRestart, release: Release) -> tuple[Waits, list[str], list[str]]:
    """Return the delays of the current restart strategy, the steps of the calculation, and warnings."""
    time, regions = inputs.restart_time, inputs.failures_at_once
    if inputs.strategy == "none" or (inputs.strategy is None and not inputs.checkpointing):
        return Waits(Curve(0.0, 2.0, 0.0), 0, time), ["Flink does not restart."], []
    if inputs.strategy is None:
        named, waits = default_of(release, time)
        warnings: list[str] = []
        if restarts.limits_exponential(release):
            # The option's own defaults apply: settings of a strategy that is not chosen are not read.
            chosen = CurrentRestart(strategy="exponential-delay", outage=inputs.outage, restart_time=time)
            waits, _, warnings = _current_exponential(chosen, release)
        return waits, [f"The default of Flink {release} with checkpoints: {named}."], warnings
    if inputs.strategy == "exponential-delay":
        return _current_exponential(inputs, release)
    if inputs.strategy == "fixed-delay":
        each = between(inputs.delay, time)
        rounds = restarts.fixed_rounds(inputs.attempts, regions)
        if math.isinf(rounds):
            step = f"{ENDLESS} attempts mean no limit: a restart every {each}."
            return Waits(Curve(inputs.delay, 2.0, inputs.delay), rounds, time), [step], []
        text = spell_duration(restarts.fixed_outlasted(inputs.attempts, inputs.delay, time, regions))
        spent = [
            (
                f"fixed-delay never gives attempts back: after {counted(inputs.attempts, 'failure')}, however far "
                "apart, the next one fails the job permanently"
            )
        ]
        step = f"Restarts: {spell_count(rounds)} x {each} = {text}."
        return Waits(Curve(inputs.delay, 2.0, inputs.delay), rounds, time), [step], spent
    most = restarts.counted_failures(inputs.max_failures, exact=restarts.counts_exactly(release))
    delay, interval = inputs.rate_delay, inputs.failure_interval
    outlasts = restarts.rate_outlasted(most, delay, interval, time, regions)
    each = between(delay, time)
    allowed = restarts.rounds_of(most, regions)
    side = "more than" if math.isinf(outlasts) else "within"
    took = spell_duration(restarts.time_of(allowed, delay, time))
    steps = [f"Restarts: {spell_count(allowed)} x {each} = {took}, {side} the interval of {spell_duration(interval)}."]
    warnings = []
    if math.isinf(outlasts):
        warnings.append(
            f"failure-rate never gives up: {counted(allowed, 'restart')} {'takes' if allowed == 1 else 'take'} longer "
            "than its interval of "
            f"{spell_duration(interval)}; if a limit is meant, make that "
            f"{spell_duration(restarts.interval_for(allowed, delay + time))}"
        )
    return Waits(Curve(delay, 2.0, delay), math.inf if math.isinf(outlasts) else allowed, time), steps, warnings


def _current_exponential(inputs: CurrentRestart, release: Release) -> tuple[Waits, list[str], list[str]]:
    curve = Curve(inputs.initial_backoff, inputs.multiplier, inputs.max_backoff)
    limited = restarts.limits_exponential(release) and inputs.attempts_before_reset < ENDLESS
    waits = Waits(curve, inputs.attempts_before_reset if limited else math.inf, inputs.restart_time)
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
            f"after {counted(overflow, 'restart')} in a row, "
            f"{spell_duration(restarts.outlasted(overflow, curve, inputs.restart_time))}, delays with jitter overflow: "
            f"about every second one is {spell_duration(curve.initial)} again; set jitter-factor to 0 or limit the "
            "attempts"
        )
    return waits, steps, warnings
