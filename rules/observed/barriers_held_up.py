"""Backpressure holds barriers up, and checkpoints with them.

## What it does
Adds up how long barriers were under way to a task (`checkpointStartDelayNanos`) and how long it waited for the
others of them (`checkpointAlignmentTime`), the 99th percentile of both. Reports more than 30 % of the checkpoint
timeout, or more than half a minute that is more than half of the checkpoint's whole duration, while unaligned
checkpoints are off.

## Why it matters
It is then the way of the barriers through full buffers, not the state, that decides how long a checkpoint takes. The
more the job is behind, the longer it takes, until checkpoints expire just when they are needed.

## What to do
Make the job faster, let buffers hold less (`taskmanager.network.memory.buffer-debloat.enabled`), or let barriers
overtake records: `execution.checkpointing.unaligned.enabled: true` with an
`execution.checkpointing.aligned-checkpoint-timeout` of 30 s. If the delay comes from one record that blocks (a call
that waits), unaligned checkpoints do nothing for it.

## Not when
Unaligned checkpoints are on, or the release is older than 1.13, where they could not go back to aligned ones.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpointing_under_backpressure/>: unaligned
  checkpoints and buffer debloating
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#monitoring-state-and-checkpoints>:
  start delay and alignment
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.checkpoint_timing import BACKPRESSURED
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting, percent

UNALIGNED = "execution.checkpointing.unaligned.enabled"
_TIMEOUT = "execution.checkpointing.timeout"
DELAY = "task/checkpointStartDelayNanos"
ALIGNMENT = "task/checkpointAlignmentTime"
_DURATION = "job/lastCheckpointDuration"
_LONG = 30.0
_HALF = 0.5
_LEAST = _LONG / 2 * 1e9
"""Nanoseconds that one of the two must take for both to be long."""


@rule(
    code="FLK653",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{DELAY} p99 > {_LEAST}", f"observed:{ALIGNMENT} p99 > {_LEAST}"],
    flink=">=1.13",
    since="0.1",
)
def barriers_held_up(config: View) -> Iterator[Finding]:
    """backpressure holds barriers up, and checkpoints with them"""
    candidates = [
        *config.observed_where(DELAY, p=0.99, above=_LEAST)[:1],
        *config.observed_where(ALIGNMENT, p=0.99, above=_LEAST)[:1],
    ]
    if not candidates or config.boolean(UNALIGNED) is not False:
        return
    ways = []
    for one in candidates:
        delay, alignment = one.holder.observed(DELAY, p=0.99), one.holder.observed(ALIGNMENT, p=0.99)
        ways.append((((delay or 0.0) + (alignment or 0.0)) / 1e9, one, delay, alignment))
    way, worst, delay, alignment = max(ways, key=lambda tried: tried[0])
    timeout = config.duration(_TIMEOUT)
    if timeout is None or way <= _LONG:
        return
    duration = worst.operator.job.observed(_DURATION, p=0.99)
    share = way / timeout.seconds
    if share <= BACKPRESSURED and (duration is None or way * 1000 <= _HALF * duration):
        return
    setting = config.get(UNALIGNED)
    yield setting.finding(
        f"barriers reach {worst.holder} and are aligned {lasting(way)} after a checkpoint began ({worst.basis}),"
        f" {percent(share)} of the timeout of {lasting(timeout.seconds)}: backpressure holds checkpoints up",
        help=f"make the job faster, or set {setting.written} to true",
        fix=setting.replace("true"),
        evidence=evidence(worst, delay, alignment, duration, timeout_ms=timeout.milliseconds),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{UNALIGNED}: false\n",
            at=UNALIGNED,
            fixed=f"{UNALIGNED}: true\n",
            says="40 % of the timeout of 10 min",
            observed={DELAY: {"p50": 1e9, "p99": 180e9}, ALIGNMENT: {"p50": 1e9, "p99": 60e9}},
        ),
        bad(
            "execution.checkpointing.timeout: 30 min\n",
            at=UNALIGNED,
            flink="1.15",
            observed={DELAY: {"p50": 1e9, "p99": 100e9}, "job/lastCheckpointDuration": {"p50": 4000, "p99": 110_000}},
        ),
        good(f"{UNALIGNED}: true\n", observed={DELAY: 180e9, ALIGNMENT: 60e9}),
        good("parallelism.default: 2\n", observed={DELAY: 240e9}, flink="1.12"),
        good("parallelism.default: 2\n", observed={DELAY: 20e9, ALIGNMENT: 5e9}),
        good(
            "execution.checkpointing.timeout: 30 min\n", observed={DELAY: 100e9, "job/lastCheckpointDuration": 900_000}
        ),
        bad("parallelism.default: 2\n", observed={DELAY: 240e9}, flink="1.13"),
        bad("parallelism.default: 2\n", observed={ALIGNMENT: 240e9}),
        bad("parallelism.default: 2\n", observed={DELAY: 20e9, ALIGNMENT: 10.5e9, _DURATION: 40_000}),
        bad(
            "parallelism.default: 2\n",
            says="barriers reach 'join'",
            observed={DELAY: 200e9, f"{DELAY} @ join": 199e9, f"{ALIGNMENT} @ join": 199e9},
        ),
        good("parallelism.default: 2\n", observed={DELAY: 20e9, ALIGNMENT: 10e9, _DURATION: 40_000}),
        good("parallelism.default: 2\n", observed={DELAY: 180e9}),
        good("execution.checkpointing.timeout: 30 min\n", observed={DELAY: 100e9, _DURATION: 200_000}),
        good("execution.checkpointing.timeout: ${TIMEOUT}\n", observed={DELAY: 240e9}),
        good(f"{UNALIGNED}: ${{UNALIGNED}}\n", observed={DELAY: 240e9}),
        good("pipeline.name: payments\n", observed={DELAY: 240e9}),
    ]
