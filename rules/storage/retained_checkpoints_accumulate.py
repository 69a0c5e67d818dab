"""Checkpoints are kept on cancellation, and nobody deletes them.

## What it does
Advice where `execution.checkpointing.externalized-checkpoint-retention` is `RETAIN_ON_CANCELLATION`, the checkpoint
directory is a local or HDFS path (a disk of limited size), and no claim mode is set.

## Why it matters
Each job that is cancelled, or that an upgrade replaces, leaves its last checkpoints under a directory of its own job
id. Flink never comes back to them: the next job, started from one of them, claims nothing by default. One full state
for each deployment adds up, three times that on HDFS with replication 3.

## What to do
Start from checkpoints with `execution.state-recovery.claim-mode: CLAIM` (`execution.savepoint-restore-mode` before
1.20), which hands the old checkpoint to the new job, to be deleted once nothing needs it; or delete the directory of
an old job id, but only after the new job has completed a checkpoint that does not build on it.

## Not when
The operator runs the job, under one job id; the mode is set; the checkpoints are in an object store, whose owner pays
rather than runs out of space.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/#retained-checkpoints>: who deletes
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#restore-mode>: what CLAIM does
"""

from collections.abc import Iterator

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_RETENTION = "execution.checkpointing.externalized-checkpoint-retention"
_DIRECTORY = "execution.checkpointing.dir"
_CLAIM = "execution.state-recovery.claim-mode"


@rule(
    code="FLK111",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=[_RETENTION],
    of_scale=True,
    flink=">=1.15",
    since="0.1",
)
def retained_checkpoints_accumulate(config: View) -> Iterator[Finding]:
    """checkpoints are kept on cancellation, and nobody deletes them"""
    setting, directory = config.get(_RETENTION), config.get(_DIRECTORY)
    if config.platform == "operator":
        return
    if (config.string(_RETENTION) or "").upper() != "RETAIN_ON_CANCELLATION":
        return
    if not directory.is_known or config.is_set(_CLAIM):
        return
    if locate(directory.text).scheme in ("file", "hdfs", "viewfs", "webhdfs"):
        yield setting.finding(
            f"every job that is cancelled or replaced leaves its last checkpoints in {directory.text}, where nothing"
            " deletes them",
            help=f"start from checkpoints with {_CLAIM}: CLAIM, or delete the directories of old job ids",
            related=[directory],
        )


_KEPT = f"{_RETENTION}: RETAIN_ON_CANCELLATION\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_KEPT}state.checkpoints.dir: hdfs:///checkpoints\n", at=_RETENTION, flink="1.18", severity=Severity.INFO
        ),
        bad(f"{_KEPT}execution.checkpointing.dir: file:///mnt/nfs/checkpoints\n", at=_RETENTION, flink="2.0"),
        good(f"{_KEPT}state.checkpoints.dir: s3://bucket/checkpoints\n", flink="1.18"),
        good(f"{_KEPT}state.checkpoints.dir: hdfs:///c\nexecution.savepoint-restore-mode: CLAIM\n", flink="1.18"),
        good(f"{_KEPT}state.checkpoints.dir: hdfs:///c\n", flink="1.18", platform="operator"),
        good(f"{_RETENTION}: DELETE_ON_CANCELLATION\nstate.checkpoints.dir: hdfs:///c\n", flink="1.18"),
        good(f"{_KEPT}state.checkpoints.dir: hdfs:///c\n", flink="1.14"),
        good(f"{_KEPT}state.checkpoints.dir: hdfs:///c/${{JOB}}\n", flink="1.18"),
        good(f"{_KEPT}rest.port: 8081\n", flink="1.18"),
        good(f"{_RETENTION}: ${{RETENTION}}\nstate.checkpoints.dir: hdfs:///c\n", flink="1.18"),
    ]
