"""Inlined state may fill the JobManager's heap.

## What it does
Estimates what the JobManager keeps of inlined state: `parallelism.default` x 10 pieces of state (five stateful
operators with two kinds of state each), each just below the inline threshold, for every retained checkpoint
(`execution.checkpointing.num-retained`), for the one in progress and for the one that is being replaced.
Reports when that is more than 30 % of the JobManager's heap, and more than the heap has beyond 1 GiB.

## Why it matters
All acknowledgements end in the JobManager, on its heap, and one thread writes them out. With much inlined state
checkpoints take minutes to finalise, and the JobManager dies of `OutOfMemoryError`. When 1.11 raised the default from
1 kb to 20 kb, its release notes warned of just that.

## What to do
Lower the threshold (1 kb with more than 5 000 subtasks) or raise the JobManager's memory. `flint size rpc-size`
reckons with the job's own state.

## Not when
The state is large: only pieces up to the threshold are inlined, and a job whose state lies in files needs little.
How many operators a job has is not in its configuration; hence low confidence, and advice only as long as the
threshold is the default. A threshold above 1 MiB is ignored (`inline-threshold-ignored`), and with the JobManager
as checkpoint storage there is none.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-master/release-notes/flink-1.11/>: the warning
- <https://issues.apache.org/jira/browse/FLINK-17865>: the default became 20 kb
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/>: checkpoints of large jobs
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.inlining._inlining import THRESHOLD, inlines_by_threshold, threshold_of

PARALLELISM = "parallelism.default"
RETAINED = "execution.checkpointing.num-retained"
PIECES = 10


@rule(
    code="FLK382",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    reads=[THRESHOLD, PARALLELISM],
    flink=">=1.11",
    since="0.1",
)
def inline_vs_jm_heap(config: View) -> Iterator[Finding]:
    """inlined state may fill the JobManager's heap"""
    setting, threshold = config.get(THRESHOLD), threshold_of(config)
    parallelism, retained = config.integer(PARALLELISM), config.integer(RETAINED)
    if threshold is None or not 0 < threshold <= ack.LARGEST_THRESHOLD or not inlines_by_threshold(config):
        return
    if parallelism is None or retained is None or not config.is_set(PARALLELISM):
        return
    each = ack.held(parallelism * PIECES, max(1, retained))
    need = each * threshold
    memory = config.jobmanager_memory()
    if memory is None or need <= (room := ack.room_on_heap(memory.heap)):
        return
    lower = next((step for step in ack.USUAL_THRESHOLDS if each * step <= room), None)
    smaller = "the inline threshold" if lower is None else f"the inline threshold to {lower >> 10}kb"
    culprit = setting if setting.is_set else config.get(PARALLELISM)
    yield culprit.finding(
        f"state inlined up to {threshold} by {parallelism} parallel subtasks of five stateful operators may hold"
        f" {need >> 20} MiB of the JobManager's heap of {memory.heap >> 20} MiB",
        help=f"lower {smaller}, or give the JobManager a heap of {ack.jobmanager_heap(need) >> 20} MiB",
        fix=None if lower is None else setting.replace(f"{lower >> 10}kb"),
        severity=None if setting.is_set else Severity.INFO,
        related=[config.get(PARALLELISM)] if setting.is_set else [],
        evidence={"need": need, "heap": memory.heap, "retained": retained},
        measure=need / max(1, memory.heap),
    )


def cases() -> list[Case]:
    return [
        bad(
            "state.storage.fs.memory-threshold: 1mb\nparallelism.default: 120\njobmanager.memory.process.size: 1600m\n",
            at="1mb",
            flink="1.18",
            severity=Severity.WARNING,
            says="3600 MiB of the JobManager's heap of 1024 MiB",
            fixed="state.storage.fs.memory-threshold: 20kb\nparallelism.default: 120\n"
            "jobmanager.memory.process.size: 1600m\n",
        ),
        bad(
            "parallelism.default: 1000\njobmanager.memory.process.size: 1600m\n",
            at="parallelism.default",
            flink="1.18",
            severity=Severity.INFO,
        ),
        bad(
            "execution.checkpointing.data-inline-threshold: 100kb\nparallelism.default: 100\n"
            "jobmanager.memory.process.size: 1600m\nexecution.checkpointing.num-retained: 3\n",
            at="100kb",
        ),
        good("parallelism.default: 200\njobmanager.memory.process.size: 1600m\n", flink="1.18"),
        good(
            "state.storage.fs.memory-threshold: 1kb\nparallelism.default: 3000\n"
            "jobmanager.memory.process.size: 1600m\n",
            flink="1.18",
        ),
        good(
            "state.storage.fs.memory-threshold: 1mb\nparallelism.default: 120\njobmanager.memory.process.size: 20g\n",
            flink="1.18",
        ),
        good(
            "parallelism.default: 1000\njobmanager.memory.process.size: 1600m\nstate.checkpoint-storage: jobmanager\n",
            flink="1.18",
        ),
        good("parallelism.default: ${PARALLELISM}\njobmanager.memory.process.size: 1600m\n", flink="1.18"),
        good(
            "state.storage.fs.memory-threshold: ${THRESHOLD}\nparallelism.default: 9000\n"
            "jobmanager.memory.process.size: 1600m\n",
            flink="1.18",
        ),
        good(
            "state.storage.fs.memory-threshold: 2mb\nparallelism.default: 9000\n"
            "jobmanager.memory.process.size: 1600m\n",
            flink="1.18",
        ),
        good(
            "state.storage.fs.memory-threshold: 0\nparallelism.default: 9000\njobmanager.memory.process.size: 1600m\n",
            flink="1.18",
        ),
        good(
            "state.storage.fs.memory-threshold: 1mb\nexecution.checkpointing.num-retained: 500\n"
            "jobmanager.memory.process.size: 1600m\n"
        ),
        good(
            "parallelism.default: 9000\njobmanager.memory.process.size: 1600m\n"
            "execution.checkpointing.num-retained: ${RETAINED}\n",
            flink="1.20",
        ),
        good("parallelism.default: 9000\n"),
        bad(
            "state.storage.fs.memory-threshold: 1mb\nparallelism.default: 2500\n"
            "jobmanager.memory.process.size: 1600m\n",
            flink="1.18",
            fixed="state.storage.fs.memory-threshold: 2kb\nparallelism.default: 2500\n"
            "jobmanager.memory.process.size: 1600m\n",
        ),
        bad(
            "state.storage.fs.memory-threshold: 1mb\nparallelism.default: 32000\n"
            "jobmanager.memory.process.size: 1600m\n"
            "execution.checkpointing.num-retained: 100\n",
            flink="1.18",
            fixed="state.storage.fs.memory-threshold: 1mb\nparallelism.default: 32000\n"
            "jobmanager.memory.process.size: 1600m\nexecution.checkpointing.num-retained: 100\n",
        ),
    ]
