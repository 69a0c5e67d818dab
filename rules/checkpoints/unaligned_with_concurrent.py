"""Unaligned checkpoints allow only one checkpoint at a time.

## What it does
Reports `execution.checkpointing.max-concurrent-checkpoints` above 1 together with
`execution.checkpointing.unaligned.enabled: true`.

## Why it matters
Flink refuses to make the job graph with `IllegalArgumentException: maxConcurrentCheckpoints can't be > 1 if
UnalignedCheckpoints enabled`: no job starts, not even one without checkpointing.

## What to do
Set `execution.checkpointing.max-concurrent-checkpoints` to 1, or switch unaligned checkpoints off. Overlapping
checkpoints were a way around slow barriers, which unaligned checkpoints solve better.

## Not when
With `execution.checkpointing.mode: AT_LEAST_ONCE` Flink switches unaligned checkpoints off by itself.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpointing_under_backpressure/>:
  the limits of unaligned checkpoints
- <https://issues.apache.org/jira/browse/FLINK-14551>: unaligned checkpoints
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK306",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["execution.checkpointing.max-concurrent-checkpoints"],
    flink=">=1.11",
    since="0.1",
)
def unaligned_with_concurrent(config: View) -> Iterator[Finding]:
    """unaligned checkpoints allow only one checkpoint at a time"""
    concurrent = config.get("execution.checkpointing.max-concurrent-checkpoints")
    number = config.integer("execution.checkpointing.max-concurrent-checkpoints")
    if number is None or number <= 1 or not config.boolean("execution.checkpointing.unaligned.enabled"):
        return
    if config.value("execution.checkpointing.mode") != "EXACTLY_ONCE":
        return
    yield concurrent.finding(
        f"{number} concurrent checkpoints and unaligned checkpoints exclude each other: Flink refuses every job",
        help=f"set {concurrent.written}: 1",
        fix=concurrent.replace("1"),
        related=[config.get("execution.checkpointing.unaligned.enabled")],
    )


_CONCURRENT = "execution.checkpointing.max-concurrent-checkpoints"


def cases() -> list[Case]:
    return [
        bad(
            f"execution.checkpointing.unaligned: true\n{_CONCURRENT}: 2\n",
            at=_CONCURRENT, flink="1.14", severity=Severity.ERROR,
            fixed=f"execution.checkpointing.unaligned: true\n{_CONCURRENT}: 1\n",
        ),
        bad(f"execution.checkpointing.unaligned.enabled: true\n{_CONCURRENT}: 3\n", at=_CONCURRENT),
        good(f"execution.checkpointing.unaligned: true\n{_CONCURRENT}: 1\n", flink="1.14"),
        good(f"{_CONCURRENT}: 2\n", flink="1.14"),
        good(f"execution.checkpointing.unaligned: true\n{_CONCURRENT}: '{{{{ concurrent }}}}'\n", flink="1.14"),
        good(
            f"execution.checkpointing.unaligned: true\n{_CONCURRENT}: 2\nexecution.checkpointing.mode: AT_LEAST_ONCE\n",
            flink="1.18",
        ),
        good(f"execution.checkpointing.unaligned: {{{{ unaligned }}}}\n{_CONCURRENT}: 2\n", flink="1.14"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "job",
            "execution.checkpointing.max-concurrent-checkpoints: 2\n",
            good="execution.checkpointing.max-concurrent-checkpoints: 1\n",
            both="execution.checkpointing.interval: 1 min\nexecution.checkpointing.unaligned: true\n",
        ),
    ]
