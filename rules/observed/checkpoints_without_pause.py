"""Checkpoints run more than half of the time.

## What it does
Puts the 95th percentile of the durations of checkpoints (and of the JobManager's finalisation, where its log was
imported) beside `execution.checkpointing.interval` and `execution.checkpointing.min-pause`, and reports when a
checkpoint is running for more than half of the time from one start to the next.

## Why it matters
While a checkpoint runs the job writes its state and barriers travel, so the job does less; when a checkpoint
outlasts the interval the next one follows at once and the job never does anything else. The interval is then not
kept anyway.

## What to do
Make the interval twice the duration, or set a pause; `flint size checkpoint` finds both.

## Not when
`execution.checkpointing.max-concurrent-checkpoints` is above 1: then checkpoints are meant to overlap. Jobs that set
their interval in code are not judged by it, hence medium confidence.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#tuning-checkpointing>:
  checkpoints that take longer than the interval, and the pause between them
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.checkpoint_timing import LOAD, min_interval, start_to_start
from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting, percent, setting_text

INTERVAL = "execution.checkpointing.interval"
_PAUSE = "execution.checkpointing.min-pause"
_CONCURRENT = "execution.checkpointing.max-concurrent-checkpoints"
DURATION = "job/lastCheckpointDuration"
_FINALISATION = "job/checkpointFinalizationTime"


@rule(
    code="FLK651",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{DURATION}"],
    flink=">=1.10",
    since="0.1",
)
def checkpoints_without_pause(config: View) -> Iterator[Finding]:
    """checkpoints run more than half of the time"""
    if not (duration := config.observed(DURATION, p=0.95)) or (interval := config.duration(INTERVAL)) is None:
        return
    pause = config.duration(_PAUSE)
    if not interval or pause is None or config.integer(_CONCURRENT) != 1:
        return
    final = duration.holder.observed(_FINALISATION, p=0.95)
    busy = (duration + (final or 0.0)) / 1000
    every = start_to_start(interval.seconds, busy, pause.seconds)
    if busy <= LOAD * every:
        return
    setting = config.get(INTERVAL)
    # As `flint recommend` does: an interval is to hold for the long ones too.
    longest = (duration.other("p99") + (duration.holder.observed(_FINALISATION, p=0.99) or 0.0)) / 1000
    enough = setting_text(rounded_up(min_interval(longest)))
    yield setting.finding(
        f"checkpoints of {duration.holder} take {lasting(busy)} ({duration.basis}) and start every {lasting(every)}:"
        f" they run {percent(busy / every)} of the time",
        help=f"set {setting.written} to {enough}",
        fix=setting.replace(enough),
        related=[config.get(_PAUSE)],
        evidence=evidence(duration, final, interval_ms=interval.milliseconds, share=round(busy / every, 4)),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{INTERVAL}: 60 s\n", at=INTERVAL, observed={DURATION: {"p50": 30_000, "p95": 47_346}},
            says="run 78.9 % of the time", fixed=f"{INTERVAL}: 96 s\n",
        ),
        bad(
            f"{INTERVAL}: 60 s\n", at=INTERVAL,
            says="take 2 min 47 s (p95 of 14 days to 2025-11-20) and start every 2 min 47 s",
            observed={DURATION: {"p50": 30_000, "p95": 47_346}, "job/checkpointFinalizationTime": 120_000},
        ),
        good(f"{INTERVAL}: 60 s\n{_PAUSE}: 60 s\n", observed={DURATION: 47_346}),
        good(f"{INTERVAL}: 5 min\n", observed={DURATION: {"p50": 30_000, "p95": 47_346, "p99": 170_000}}),
        good(f"{INTERVAL}: 60 s\n{_CONCURRENT}: 2\n", observed={DURATION: 47_346}),
        good("parallelism.default: 2\n", observed={DURATION: 47_346}),
        bad(f"{INTERVAL}: 60 s\n", observed={DURATION: {"p95": 40_000, "p99": 48_000}}, fixed=f"{INTERVAL}: 96 s\n"),
        bad(f"{INTERVAL}: 60 s\n", observed={DURATION: {"p95": 40_000, "p99": 50_030}, _FINALISATION: 5000},
            fixed=f"{INTERVAL}: 112 s\n"),
        good(f"{INTERVAL}: 60 s\n", observed={DURATION: 30_000}),
        good(f"{INTERVAL}: 0 s\n", observed={DURATION: 30_000}),
        good(f"{INTERVAL}: 60 s\n{_PAUSE}: ${{PAUSE}}\n", observed={DURATION: 47_346}),
        good(f"{INTERVAL}: ${{INTERVAL}}\n", observed={DURATION: 47_346}),
        good(f"{INTERVAL}: 60 s\n", flink="1.9", observed={DURATION: 47_346}),
    ]  # fmt: skip
