"""The checkpoint timeout leaves no room for a bad day.

## What it does
Reports a written `execution.checkpointing.timeout` below one minute, or below a tenth of
`execution.checkpointing.interval`, where the timeout and not the interval limits how long a checkpoint may take. A
timeout of 10 min, Flink's default, or more is never reported.

## Why it matters
A checkpoint that takes longer than the timeout is thrown away, and from 1.11 on its failure restarts the job unless
failures are tolerated. Under backpressure, while a backlog is read and after a restart, checkpoints take several
times as long as usual: that is when they expire, the job falls back to an old one, and reads still more again.

## What to do
Set the timeout to three times the 99th percentile of the durations, 10 min at least; `flint size checkpoint` finds
it. A long timeout costs nothing while checkpoints are fast.

## Not when
Durations are known, and a third of the timeout at most. Where transactions of Kafka must be short, the checkpoint
timeout is part of them; `flint size kafka-transactions` weighs that.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/>:
  what the timeout does
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/>: durations grow with
  backpressure
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.checkpoint_timing import (
    DEFAULT_TIMEOUT,
    enough_timeout,
    longest_duration,
    usual_duration,
)
from flink_flint.calculators.formulas.quantity import spell_duration
from flink_flint.linter.flink.values import Duration
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_TIMEOUT = "execution.checkpointing.timeout"
_INTERVAL = "execution.checkpointing.interval"
_SHORT = 60.0
_REFUSED = 0.01
"""Seconds below which Flink takes no timeout at all."""


@rule(
    code="FLK303",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_TIMEOUT],
    since="0.1",
    of_scale=True,
)
def checkpoint_timeout_too_short(config: View) -> Iterator[Finding]:
    """the checkpoint timeout leaves no room for a bad day"""
    setting, written = config.get(_TIMEOUT), config.duration(_TIMEOUT)
    if not setting.is_set or written is None:
        return
    timeout = written / 1e9
    every = config.duration(_INTERVAL)
    if not _REFUSED <= timeout < DEFAULT_TIMEOUT:
        return
    if timeout >= _SHORT and (every is None or timeout >= every / 1e10):
        return
    usual = usual_duration(timeout)
    if every is not None and longest_duration(every / 1e9, timeout) < usual:
        # Checkpoints that take so long keep the job busy before they expire.
        return
    enough = Duration(round(enough_timeout(usual) * 1e9))
    yield setting.finding(
        f"a checkpoint expires after {written}: one that usually takes {spell_duration(usual)} may take three"
        " times as long on a bad day, and does not complete",
        help=f"set {setting.written} to {enough} (Flink's default) or more",
        fix=setting.replace(str(enough)),
        related=[config.get(_INTERVAL)],
        evidence={"timeout_ms": written.milliseconds},
        measure=-written.milliseconds,
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{_INTERVAL}: 60 s\n{_TIMEOUT}: 30 s\n", at=_TIMEOUT, flink="1.18", severity=Severity.WARNING,
            says="usually takes 10 s", fixed=f"{_INTERVAL}: 60 s\n{_TIMEOUT}: 10 min\n",
        ),
        bad(f"{_INTERVAL}: 30 min\n{_TIMEOUT}: 2 min\n", at=_TIMEOUT, says="usually takes 40 s"),
        bad(f"{_TIMEOUT}: 15000\n", at=_TIMEOUT, flink="1.14"),
        bad(f"{_TIMEOUT}: 30 s\n", at=_TIMEOUT, profile="development", severity=Severity.INFO),
        good(f"{_INTERVAL}: 10 s\n{_TIMEOUT}: 30 s\n", flink="1.18"),
        good(f"{_INTERVAL}: 60 s\n{_TIMEOUT}: 15 min\n"),
        good(f"{_INTERVAL}: 2 h\n{_TIMEOUT}: 10 min\n"),
        good(f"{_INTERVAL}: 5 min\n"),
        good(f"{_TIMEOUT}: 5\n", flink="1.18"),
        bad(f"{_TIMEOUT}: 10\n", at=_TIMEOUT, flink="1.18"),
        good(f"{_TIMEOUT}: 1 min\n"),
        good(f"{_INTERVAL}: 20 min\n{_TIMEOUT}: 2 min\n"),
        good(f"{_INTERVAL}: 15 s\n{_TIMEOUT}: 50 s\n"),
        good(f"{_TIMEOUT}: '{{{{ timeout }}}}'\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses("checkpoints", f"{_TIMEOUT}: 30 s\n", "for 30000 ms", good="", both=f"{_INTERVAL}: 1 min\n"),
    ]
