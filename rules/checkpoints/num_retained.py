"""The number of completed checkpoints that are kept is none Flink takes, or a very large one.

## What it does
Looks at `execution.checkpointing.num-retained` (`state.checkpoints.num-retained` before 1.20). Reports zero and
negative numbers, and more than 20.

## Why it matters
Flink does not take a number below 1: it logs a warning and keeps one checkpoint, so who wrote 0 for "all of them"
has a single way back. Each of many that are kept holds its files in the storage, and its metadata in the heap of the
JobManager: state below the memory threshold is part of the metadata, which then counts as often as checkpoints are
kept. With incremental checkpoints files are held as long as any of them refers to them.

## What to do
Keep 3 or so. For states that must stay for days take savepoints.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-num-retained>:
  the option
- <https://github.com/apache/flink/blob/master/flink-runtime/src/main/java/org/apache/flink/runtime/checkpoint/DefaultCompletedCheckpointStoreUtils.java>:
  a number below 1 is replaced by the default
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_RETAINED = "execution.checkpointing.num-retained"
_MOST = 20


@rule(
    code="FLK312",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_RETAINED],
    flink=">=1.9",
    since="0.1",
)
def num_retained(config: View) -> Iterator[Finding]:
    """the number of checkpoints to keep is not taken, or very large"""
    setting = config.get(_RETAINED)
    number = config.integer(_RETAINED)
    if not setting.is_set or number is None:
        return
    if number < 1:
        yield setting.finding(
            f"Flink does not take {number} checkpoints: it logs a warning and keeps 1",
            help="write how many to keep, 3 for example",
            fix=setting.replace("3"),
        )
    elif number > _MOST:
        yield setting.finding(
            f"{number} completed checkpoints are kept, each with its files in the storage and its metadata in the heap"
            " of the JobManager",
            help="keep 3 or so; for states that must stay for days take savepoints",
            confidence=Confidence.MEDIUM,
            evidence={"retained": number},
            measure=number,
        )


def cases() -> list[Case]:
    return [
        bad(f"{_RETAINED}: 0\n", at=_RETAINED, says="keeps 1", fixed=f"{_RETAINED}: 3\n"),
        bad("state.checkpoints.num-retained: -1\n", at=_RETAINED, flink="1.14", severity=Severity.WARNING),
        bad("state.checkpoints.num-retained: 100\n", at=_RETAINED, flink="1.18", says="100"),
        good(f"{_RETAINED}: 10\n"),
        good("state.checkpoints.num-retained: 1\n", flink="1.14"),
        good(f"{_RETAINED}: 20\n"),
        bad(f"{_RETAINED}: 21\n", at=_RETAINED),
        good(f"{_RETAINED}: '{{{{ retained }}}}'\n"),
    ]


def claims() -> list[Claim]:
    retained = "state.checkpoints.num-retained"
    return [
        flink_uses("retained checkpoints", f"{retained}: 0\n", "+1 kept", good=f"{retained}: 3\n"),
        flink_uses("retained checkpoints", f"{retained}: -1\n", "+1 kept", good=f"{retained}: 3\n"),
        flink_uses("retained checkpoints", f"{retained}: 100\n", "100 kept", good=f"{retained}: 3\n"),
    ]
