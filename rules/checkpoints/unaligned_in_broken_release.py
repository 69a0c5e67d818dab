"""Unaligned checkpoints of this release cannot be relied on.

## What it does
Reports `execution.checkpointing.unaligned.enabled: true` where the release is known: an error in 1.12.0 and 1.12.1,
advice in 1.11.

## Why it matters
In 1.12.0 a checkpoint that begins as a task with several inputs recovers may succeed with records missing; in 1.12.1
it is the checkpoint after one that was declined or timed out. Restoring such a checkpoint fails or goes on with a
corrupted stream, and nothing has warned of it. In 1.11 unaligned checkpoints were new: a job restores them with the
same parallelism and the same graph only.

## What to do
Upgrade to 1.12.2 or later, or switch them off until then.

## Not when
- Flink is 1.12.2 or later; a 1.12 without its patch level counts as the last one.
- Nothing says which release it is.
- The program or its deployment takes no checkpoints. Where that is not known, in 1.12 it is a warning,
  and advice in a program that sets no interval itself.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-20654>, <https://github.com/apache/flink/pull/14730>: both faults
- <https://nightlies.apache.org/flink/flink-docs-release-1.12/release-notes/flink-1.12.html>: the warning
- <https://nightlies.apache.org/flink/flink-docs-release-1.11/ops/state/checkpoints.html#unaligned-checkpoints>:
  the limits of 1.11
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import is_of_one_start, takes_checkpoints
from flink_flint.rules.connectors._cases import program

_UNALIGNED = "execution.checkpointing.unaligned.enabled"


@rule(
    code="FLK308",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_UNALIGNED],
    flink=">=1.11,<1.12.2",
    since="0.1",
)
def unaligned_in_broken_release(config: View) -> Iterator[Finding]:
    """unaligned checkpoints of 1.11 to 1.12.1 cannot be relied on"""
    setting = config.get(_UNALIGNED)
    if not config.boolean(_UNALIGNED) or not config.target.certain:
        return
    taken = takes_checkpoints(config)
    if taken is False:
        return
    if config.since("1.12"):
        yield setting.finding(
            "unaligned checkpoints of 1.12.0 and 1.12.1 may lack records and fail to restore (FLINK-20654)",
            help="upgrade to 1.12.2 or later, or switch them off until then",
            severity=None if taken else Severity.INFO if is_of_one_start(setting) else Severity.WARNING,
        )
    else:
        yield setting.finding(
            "unaligned checkpoints were new in 1.11: a job restores them with the same parallelism only",
            help="upgrade, or switch them off until then",
            severity=Severity.INFO,
        )


_ENABLE = "env.getCheckpointConfig().enableUnalignedCheckpoints();"


def cases() -> list[Case]:
    return [
        bad("execution.checkpointing.unaligned: true\nexecution.checkpointing.interval: 1 min\n", at=_UNALIGNED,
            flink="1.12.0", severity=Severity.ERROR, says="FLINK-20654"),
        bad("execution.checkpointing.unaligned: true\n", at=_UNALIGNED, flink="1.12.0", severity=Severity.WARNING),
        bad(program(f"{_ENABLE} env.enableCheckpointing(60_000);"), file="J.java", flink="1.12.0",
            severity=Severity.ERROR),
        bad(program(_ENABLE), file="J.java", flink="1.12.0", severity=Severity.INFO),
        good("execution.checkpointing.unaligned: true\nexecution.checkpointing.interval: 0\n", flink="1.12.0"),
        bad("execution.checkpointing.unaligned: true\n", at=_UNALIGNED, flink="1.12.1", says="may lack records"),
        bad("execution.checkpointing.unaligned: true\n", at=_UNALIGNED, flink="1.11.3", severity=Severity.INFO),
        bad("execution.checkpointing.unaligned: true\n", at=_UNALIGNED, flink="1.11", says="same parallelism"),
        good("execution.checkpointing.unaligned: true\n", flink="1.12.2"),
        good("execution.checkpointing.unaligned: true\n", flink="1.12"),
        good("execution.checkpointing.unaligned: false\n", flink="1.12.0"),
        good("execution.checkpointing.unaligned: {{ unaligned }}\n", flink="1.12.0"),
        good("execution.checkpointing.unaligned: true\n", file="flink-conf.yaml"),
    ]  # fmt: skip
