"""The metadata of checkpoints fills the JobManager's heap.

## What it does
Takes the 99th percentile of `lastCheckpointMetadataSize` (from 2.3 on) of all jobs of the cluster, once for each
retained checkpoint, each one in progress and the one being replaced, and reports when that is more than 30 % of the
JobManager's heap and more than the heap has beyond 1 GiB.

## Why it matters
The JobManager holds all of a checkpoint's handles, its inlined state and 8 bytes for each element of operator list
state on its heap, and writes them to `_metadata` with one thread. Metadata of gigabytes makes each checkpoint take
minutes to finalise and ends in `OutOfMemoryError` of the JobManager, which takes all of its jobs along.

## What to do
See what the metadata consists of (`flint size rpc-size`): fewer elements in operator list state, a lower
`execution.checkpointing.data-inline-threshold`, fewer retained checkpoints; else give the JobManager the heap.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-master/release-notes/flink-1.11/>: inlined state and the JobManager's
  memory
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/>: checkpoints of large jobs
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import total_for_heap, total_of
from flink_flint.rules.observed._wording import evidence, sized

METADATA = "job/lastCheckpointMetadataSize"
_RETAINED = "execution.checkpointing.num-retained"
_CONCURRENT = "execution.checkpointing.max-concurrent-checkpoints"
PROCESS = "jobmanager.memory.process.size"
_LEAST = 1 << 20
"""Bytes; less does not fill any heap, however many jobs."""


@rule(
    code="FLK655",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{METADATA} p99 > {_LEAST}"],
    flink=">=1.11",
    since="0.1",
)
def metadata_vs_jobmanager_heap(config: View) -> Iterator[Finding]:
    """the metadata of checkpoints fills the JobManager's heap"""
    sizes = config.observed_where(METADATA, p=0.99, above=_LEAST)
    if not sizes or (memory := config.jobmanager_memory()) is None:
        return
    retained, concurrent = config.integer(_RETAINED), config.integer(_CONCURRENT)
    if retained is None or concurrent is None:
        return
    metadata = round(sum(sizes))
    held = ack.held(metadata, max(1, retained), max(1, concurrent))
    if held <= ack.room_on_heap(memory.heap):
        return
    heap = ack.jobmanager_heap(held)
    total = total_of(config, "jobmanager")
    value = total_for_heap(config, "jobmanager", total, heap)
    yield total.finding(
        f"checkpoints bring {sized(metadata)} of metadata ({sizes[0].basis}), of which the JobManager holds"
        f" {ack.copies_held(max(1, retained), max(1, concurrent))}: {sized(held)} of its heap of {sized(memory.heap)}",
        help=f"make the metadata smaller (`flint size rpc-size`), or give the JobManager a heap of {sized(heap)}"
        + (f": {total.written}: {value}" if value else ""),
        fix=total.replace(value) if value else None,
        related=[config.get(_RETAINED)],
        evidence=evidence(*sizes[:3], metadata=metadata, held=held, heap=memory.heap),
    )


_HEAP = "jobmanager.memory.heap.size"


def cases() -> list[Case]:
    return [
        bad(
            f"{PROCESS}: 1600m\n", at=PROCESS, observed={METADATA: 400 << 20}, flink="2.3",
            says="400 MiB of metadata (p99 of 14 days to 2025-11-20), of which the JobManager holds 3",
            fixed=f"{PROCESS}: 3008mb\n",
        ),
        bad(
            f"{PROCESS}: 2g\nexecution.checkpointing.num-retained: 10\n", flink="2.3",
            observed={METADATA: 60 << 20, f"{METADATA} @ payments": 80 << 20},
        ),
        good(f"{PROCESS}: 1600m\n", observed={METADATA: 90 << 20}, flink="2.3"),
        good(f"{PROCESS}: 8g\n", observed={METADATA: 400 << 20}, flink="2.3"),
        good(f"{PROCESS}: '{{{{ memory }}}}'\n", observed={METADATA: 400 << 20}, flink="2.3"),
        bad(f"{_HEAP}: 128m\n{_RETAINED}: 100\n", observed={METADATA: 1.5e6}, flink="2.3"),
        good(f"{_HEAP}: 128m\n{_RETAINED}: 200\n", observed={METADATA: 1e6}, flink="2.3"),
        good(f"{PROCESS}: 1600m\n{_RETAINED}: ${{RETAINED}}\n", observed={METADATA: 400 << 20}, flink="2.3"),
        good(f"{PROCESS}: 1600m\n{_CONCURRENT}: ${{MOST}}\n", observed={METADATA: 400 << 20}, flink="2.3"),
        good(f"pipeline.name: other\n{PROCESS}: 1600m\n", observed={METADATA: 400 << 20}, flink="2.3"),
        good(f"{_HEAP}: 1000000000b\n", observed={METADATA: 1e8}, flink="2.3"),
        bad(f"{_HEAP}: 999999999b\n", observed={METADATA: 1e8}, flink="2.3"),
    ]  # fmt: skip
