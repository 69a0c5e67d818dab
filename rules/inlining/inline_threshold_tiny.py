"""Every piece of state becomes a file of its own.

## What it does
Reports an inline threshold (`execution.checkpointing.data-inline-threshold`, `state.storage.fs.memory-threshold`)
below 1 KiB.

## Why it matters
State up to the threshold travels in the message of the task; everything above it is a file of its own, for each
subtask, each operator, each kind of state. A few hundred bytes of offsets or timers then cost a file for each
checkpoint: 100 subtasks with five stateful operators write 500 to 1,000 small files each time, and delete as many.
HDFS and S3 answer each with a request, and the JobManager waits for the deletions.

The setting is often lowered because an acknowledgement was too large for a frame. Where long lists in operator state
are the cause, it does not help: their 8 bytes for each element stay in the message.

## What to do
Go back to 20 kb, or let checkpoints share files: `execution.checkpointing.file-merging.enabled` (1.20 and later).

## Not when
Files are merged, or the JobManager's heap is the checkpoint storage.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-data-inline-threshold>:
  against many small files
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/#unify-file-merging-mechanism-for-checkpoints-experimental>:
  merging
- measured on 1.20.5: two subtasks with ten numbers each write two files for every checkpoint with a threshold of 0, and
  none with 20 kb
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.inlining._inlining import THRESHOLD, inlines_by_threshold, threshold_of

_LEAST = 1 << 10
_MERGING = "execution.checkpointing.file-merging.enabled"
_PIECES = 10
"""Pieces of state of a subtask: five stateful operators with two kinds each."""


@rule(code="FLK384", severity=Severity.WARNING, confidence=Confidence.LOW, reads=[THRESHOLD], since="0.1")
def inline_threshold_tiny(config: View) -> Iterator[Finding]:
    """every piece of state becomes a file of its own"""
    setting, threshold = config.get(THRESHOLD), threshold_of(config)
    if threshold is None or not 0 <= threshold < _LEAST or not inlines_by_threshold(config):
        return
    if config.since("1.20") and config.boolean(_MERGING) is not False:
        return
    subtasks = config.integer("parallelism.default")
    known = subtasks is not None and config.is_set("parallelism.default")
    files = f"{subtasks * _PIECES:,}" if known and subtasks is not None else "thousands of"
    yield setting.finding(
        f"each piece of state above {threshold} is a file of its own: a job of five stateful operators writes"
        f" {files} small files for every checkpoint" + (f" at a parallelism of {subtasks}" if known else ""),
        help=f"write 20kb{', or merge files' if config.since('1.20') else ''}; where long lists in operator state make"
        " messages too large, a small threshold does not help",
        fix=setting.replace("20kb" if config.since("1.11") else "20480"),
        related=[config.get("parallelism.default")] if known else [],
    )


def cases() -> list[Case]:
    return [
        bad("state.storage.fs.memory-threshold: 0b\nparallelism.default: 400\n", at="0b", flink="1.18",
            severity=Severity.WARNING, says="writes 4,000 small files for every checkpoint at a parallelism of 400",
            fixed="state.storage.fs.memory-threshold: 20kb\nparallelism.default: 400\n"),
        bad("execution.checkpointing.data-inline-threshold: 512b\n", at="512b", flink="1.20", says="thousands of"),
        good("state.storage.fs.memory-threshold: 1kb\n", flink="1.18"),
        good("execution.checkpointing.data-inline-threshold: 0b\nexecution.checkpointing.file-merging.enabled: true\n",
             flink="1.20"),
        good("state.storage.fs.memory-threshold: 0b\nstate.checkpoint-storage: jobmanager\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: ${THRESHOLD}\n", flink="1.18"),
        bad("state.backend.fs.memory-threshold: 0\n", flink="1.10", fixed="state.backend.fs.memory-threshold: 20480\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    threshold = "state.storage.fs.memory-threshold"
    return [
        flink_uses(
            "checkpoint storage", f"{threshold}: 512b\n", " 512", good=f"{threshold}: 20kb\n",
            both="state.checkpoints.dir: file:///data/c\n", releases=">=1.13",
        ),
    ]  # fmt: skip
