"""The JobManager takes long to finalise checkpoints.

## What it does
Reports when the 95th percentile of the time between the last acknowledgement and the completed checkpoint, as the
JobManager's log tells it (`finalizationTime`), is 10 s or more.

## Why it matters
One thread of the JobManager writes `_metadata` and deletes what the new checkpoint replaces. While it does, no other
checkpoint completes, and acknowledgements wait. Seconds mean that the metadata is large: inlined state, many small
files, or operator list state with many elements.

## What to do
Lower `execution.checkpointing.data-inline-threshold`, have fewer elements in list state, fewer files; then a longer
interval. `flint size rpc-size` reckons what the metadata consists of.

## Not when
The JobManager's log was not imported: Flink has no metric of it.

## Sources
- <https://github.com/apache/flink/blob/master/flink-runtime/src/main/java/org/apache/flink/runtime/checkpoint/CheckpointCoordinator.java>:
  the line in the log
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/>: checkpoints of large jobs
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting, likewise, sized

FINALISATION = "job/checkpointFinalizationTime"
_THRESHOLD = "execution.checkpointing.data-inline-threshold"
_LONG = 10_000


@rule(
    code="FLK658",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{FINALISATION} p95 > {_LONG}"],
    since="0.1",
)
def checkpoint_finalisation_slow(config: View) -> Iterator[Finding]:
    """the JobManager takes long to finalise checkpoints"""
    slow = config.observed_where(FINALISATION, p=0.95, above=_LONG)
    if not slow:
        return
    final = slow[0]
    duration = final.holder.observed("job/lastCheckpointDuration", p=0.95)
    metadata = final.holder.observed("job/lastCheckpointMetadataSize", p=0.95)
    beside = "" if duration is None else f", beside {lasting(duration / 1000)} until the last acknowledgement"
    what = "" if metadata is None else f" for {sized(metadata)} of metadata"
    setting = config.get(_THRESHOLD)
    yield setting.finding(
        f"the JobManager takes {lasting(final / 1000)} ({final.basis}) to finalise a checkpoint of {final.holder}"
        f"{what}{beside}{likewise(slow, 'job')}",
        help="make the metadata smaller: a lower inline threshold, fewer elements of list state, fewer files"
        " (`flint size rpc-size`)",
        evidence=evidence(final, duration, metadata),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{_THRESHOLD}: 100kb\n", at=_THRESHOLD, flink="1.20",
            observed={FINALISATION: 120_000, "job/lastCheckpointDuration": 47_346},
            says="takes 2 min (p95 of 14 days to 2025-11-20) to finalise a checkpoint of job 'orders'",
        ),
        bad("parallelism.default: 2\n", at=_THRESHOLD, observed={FINALISATION: 15_000}),
        good("parallelism.default: 2\n", observed={FINALISATION: {"p50": 4, "p95": 300, "p99": 12_000}}),
        bad("parallelism.default: 2\n", observed={FINALISATION: 10_001}),
        good("parallelism.default: 2\n", observed={FINALISATION: 10_000}),
        good("pipeline.name: payments\n", observed={FINALISATION: 15_000}),
    ]  # fmt: skip
