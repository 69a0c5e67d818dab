"""Checkpoints take so long that the timeout leaves them no room.

## What it does
Compares `execution.checkpointing.timeout` (10 min by default) with the 99th percentile of the durations of completed
checkpoints, the JobManager's finalisation included where its log was imported. Reports a timeout below three times
that, and a timeout that half of the checkpoints exceeded as an error.

## Why it matters
A checkpoint that takes longer than the timeout is thrown away and, unless failures are tolerated, restarts the job.
Under backpressure and after a restart checkpoints take several times as long as usual: that is when they expire, the
job falls back to an old one, and has still more to read again.

## What to do
Set the timeout to three times the 99th percentile, 10 min at least; `flint size checkpoint` weighs it with interval
and pause.

## Not when
The job sets its timeout in its code: what is in the configuration then does not hold. With less than 60 samples or
10 minutes of history nothing is said.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/>:
  what the timeout does
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#checkpointing>: `lastCheckpointDuration`
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.checkpoint_timing import enough_timeout, usual_duration
from flink_flint.calculators.formulas.duration_rounding import whole_minutes
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting, likewise, setting_text

TIMEOUT = "execution.checkpointing.timeout"
DURATION = "job/lastCheckpointDuration"
FINALISATION = "job/checkpointFinalizationTime"


@rule(
    code="FLK650",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{DURATION}"],
    flink=">=1.10",
    since="0.1",
)
def checkpoint_timeout_observed(config: View) -> Iterator[Finding]:
    """checkpoints take so long that the timeout leaves them no room"""
    if not (longest := config.observed(DURATION, p=0.99)) or (timeout := config.duration(TIMEOUT)) is None:
        return
    final = longest.holder.observed(FINALISATION, p=0.99)
    lasts = (longest + (final or 0.0)) / 1000
    if usual_duration(timeout.seconds) >= lasts:
        return
    setting = config.get(TIMEOUT)
    usual = longest.holder.observed(DURATION, p=0.5)
    lost = longest.other("p50") / 1000 >= timeout.seconds
    enough = setting_text(whole_minutes(enough_timeout(lasts)))
    slow = config.observed_where(DURATION, p=0.99, above=usual_duration(timeout.seconds) * 1000)
    outcome = (
        "half of those that completed would have expired" if lost else "three times that is what a bad day asks for"
    )
    yield setting.finding(
        f"checkpoints of {longest.holder} took {lasting(lasts)} ({longest.basis}) and expire after"
        f" {lasting(timeout.seconds)}: {outcome}{likewise(slow, 'job')}",
        help=f"set {setting.written} to {enough}",
        severity=Severity.ERROR if lost and setting.is_set else None,
        fix=setting.replace(enough),
        evidence=evidence(longest, usual, final, timeout_ms=timeout.milliseconds),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{TIMEOUT}: 60 s\n", at=TIMEOUT, severity=Severity.WARNING, fixed=f"{TIMEOUT}: 10 min\n",
            observed={DURATION: {"p50": 20_000, "p99": 48_000}}, says="took 48 s (p99 of 14 days to 2025-11-20)",
        ),
        bad(
            f"{TIMEOUT}: 60 s\n", at=TIMEOUT, severity=Severity.ERROR, says="half of those",
            observed={DURATION: {"p50": 80_000, "p99": 400_000}}, fixed=f"{TIMEOUT}: 20 min\n",
        ),
        bad("parallelism.default: 2\n", at=TIMEOUT, observed={DURATION: 290_000}, severity=Severity.WARNING),
        bad(
            f"{TIMEOUT}: 15 min\n", fixed=f"{TIMEOUT}: 20 min\n", says="took 6 min 30 s",
            observed={DURATION: {"p50": 47_346, "p99": 270_000}, FINALISATION: {"p50": 60_000, "p99": 120_000}},
        ),
        good(f"{TIMEOUT}: 15 min\n", observed={DURATION: {"p50": 47_346, "p99": 167_000}}),
        good(f"{TIMEOUT}: 60 s\n", observed={DURATION: {"p99": 58_000, "samples": 59}}),
        good(f"{TIMEOUT}: 60 s\n"),
        good(f"{TIMEOUT}: ${{TIMEOUT}}\n", observed={DURATION: 58_000}),
        bad(f"{TIMEOUT}: 60 s\n", observed={DURATION: {"p50": 60_000, "p99": 80_000}}, severity=Severity.ERROR),
        bad("parallelism.default: 2\n", at=TIMEOUT, observed={DURATION: 700_000}, severity=Severity.WARNING),
        bad(f"{TIMEOUT}: 60 s\n", observed={DURATION: 20_010}),
        good(f"{TIMEOUT}: 60 s\n", observed={DURATION: 20_000}),
        good(f"{TIMEOUT}: 60 s\n", flink="1.9", observed={DURATION: 58_000}),
    ]  # fmt: skip
