"""Checkpoints are so far apart that failures cost more than they do.

## What it does
Takes the mean time between restarts (`numRestarts` over the time observed) and the 95th percentile of the checkpoints'
durations, and reckons the interval that loses the least time to both. Reports an interval of more than twice that,
with three restarts at least.

## Why it matters
After each failure the job reads again what came since the last checkpoint: half of the interval on average. A job
that fails every hour and takes a checkpoint every hour hardly gets on.

## What to do
Shorten the interval as proposed; `flint size checkpoint` also reckons with a limit for replay and recovery. And find
out why it fails.

## Not when
The duration is the most that a checkpoint can hold the job up, and mostly far more than it does, so the interval
proposed is longer than need be, never shorter: what is reported is too long by any measure.

## Sources
- <https://doi.org/10.1145/361147.361115>: Young's optimum of interval, cost and failures
- <https://arxiv.org/abs/1911.11915>: the same for streaming: only cost and failures count
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.checkpoint_timing import min_interval, optimum
from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting, setting_text, times

INTERVAL = "execution.checkpointing.interval"
RESTARTS = "job/numRestarts"
DURATION = "job/lastCheckpointDuration"
_FEW = 3


@rule(
    code="FLK659",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{RESTARTS} total > {_FEW - 1}"],
    flink=">=1.10",
    since="0.1",
    thresholds={"far": Threshold(2.0, "times the best interval that the interval may be")},
)
def checkpoint_interval_vs_failures(config: View) -> Iterator[Finding]:
    """checkpoints are so far apart that failures cost more than they do"""
    often = config.observed_where(RESTARTS, statistic="total", above=_FEW - 1)
    if not often or (interval := config.duration(INTERVAL)) is None:
        return
    restarts = often[0]
    duration = restarts.holder.observed(DURATION, p=0.95)
    if not duration:
        return
    cost, apart = duration / 1000, restarts.minutes * 60 / restarts
    best = max(optimum(cost, apart), min_interval(cost))
    if interval.seconds <= config.threshold("far") * best:
        return
    setting = config.get(INTERVAL)
    better = setting_text(rounded_up(best))
    yield setting.finding(
        f"{restarts.holder} restarted {times(restarts)} in {restarts.window}, every {lasting(apart)}, and reads"
        f" {lasting(interval.seconds / 2)} again each time; a checkpoint takes {lasting(cost)}",
        help=f"set {setting.written} to {better}",
        fix=setting.replace(better),
        evidence=evidence(restarts, duration, interval_ms=interval.milliseconds),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{INTERVAL}: 60 min\n", at=INTERVAL, observed={RESTARTS: {"total": 140}, DURATION: 2000},
            says="restarted 140 times in 14 days to 2025-11-20, every 2 h 24 min, and reads 30 min again",
            fixed=f"{INTERVAL}: 190 s\n",
        ),
        good(f"{INTERVAL}: 5 min\n", observed={RESTARTS: {"total": 140}, DURATION: 2000}),
        good(f"{INTERVAL}: 60 min\n", observed={RESTARTS: {"total": 140}, DURATION: 500_000}),
        good(f"{INTERVAL}: 60 min\n", observed={RESTARTS: {"total": 2}, DURATION: 2000}),
        good(f"{INTERVAL}: 60 min\n", observed={RESTARTS: {"total": 140}}),
        bad(f"{INTERVAL}: 60 min\n", observed={RESTARTS: {"total": 3}, DURATION: 10}),
        bad(f"{INTERVAL}: 401 s\n", observed={RESTARTS: {"total": 40_000}, DURATION: 100_000}),
        good(f"{INTERVAL}: 400 s\n", observed={RESTARTS: {"total": 40_000}, DURATION: 100_000}),
        good(f"pipeline.name: orders\n{INTERVAL}: 60 min\n",
             observed={RESTARTS: {"total": 2}, DURATION: 10, f"{RESTARTS} @ payments": {"total": 140}}),
        good(f"{INTERVAL}: ${{INTERVAL}}\n", observed={RESTARTS: {"total": 140}, DURATION: 2000}),
        good(f"{INTERVAL}: 60 min\n", flink="1.9", observed={RESTARTS: {"total": 140}, DURATION: 2000}),
    ]  # fmt: skip
