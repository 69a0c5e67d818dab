"""What lives on the JobManager's heap leaves too little of it free.

## What it does
Compares the heap that the configuration gives the JobManager with its live set: the least heap used within ten
minutes, after some garbage collection, the largest over the time observed. Reports more than 80 %; a heap smaller
than the live set is an error.

## Why it matters
The JobManager holds the execution graphs of all jobs, the metadata of their checkpoints and the history of both. When
it runs out of memory all jobs of the cluster fail with it, and with high availability the next JobManager recovers
the same into the same heap.

## What to do
Give the heap 1.3 times the live set. `flint size jobmanager-memory` reckons with tasks, edges and metadata;
`metadata-vs-jobmanager-heap` says whether checkpoints are the cause; in a session fewer jobs help as well.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_jobmanager/>: what is on the
  heap
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/>: `OutOfMemoryError`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._memory import room_for, total_for_heap, total_of
from flink_flint.rules.observed._wording import evidence, percent, sized

LIVE = "jobmanager/heapLiveSet"
PROCESS = "jobmanager.memory.process.size"


@rule(
    code="FLK670",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{LIVE}"],
    flink=">=1.11",
    since="0.1",
    thresholds={"tight": Threshold(0.8, "part of the heap of a JobManager that may be lived on")},
)
def jobmanager_heap_tight(config: View) -> Iterator[Finding]:
    """what lives on the JobManager's heap leaves too little of it free"""
    if not (live := config.observed(LIVE)) or (memory := config.jobmanager_memory()) is None:
        return
    tight = config.threshold("tight")
    if live <= tight * memory.heap:
        return
    enough = live * room_for(tight)
    total = total_of(config, "jobmanager")
    value = total_for_heap(config, "jobmanager", total, enough)
    running = config.observed("jobmanager/numRunningJobs")
    jobs = "" if running is None or running < 2 else f" with {int(running)} jobs"
    outcome = "it does not hold that" if live > memory.heap else f"that is {percent(live / memory.heap)} of it"
    yield total.finding(
        f"{sized(live)} live on the JobManager's heap{jobs} ({live.basis}), which the configuration gives"
        f" {sized(memory.heap)}: {outcome}",
        help=f"give the heap {sized(enough)}" + (f": {total.written}: {value}" if value else ""),
        severity=Severity.ERROR if live > memory.heap else None,
        fix=total.replace(value) if value else None,
        evidence=evidence(live, running, heap=memory.heap),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{PROCESS}: 1600m\n",
            at=PROCESS,
            flink="1.18",
            observed={LIVE: 900 << 20, "jobmanager/numRunningJobs": 40},
            severity=Severity.WARNING,
            says="900 MiB live on the JobManager's heap with 40 jobs",
            fixed=f"{PROCESS}: 1792mb\n",
        ),
        bad(
            "jobmanager.memory.heap.size: 1g\n",
            flink="1.18",
            observed={LIVE: 2 << 30},
            severity=Severity.ERROR,
            fixed="jobmanager.memory.heap.size: 2688mb\n",
        ),
        good(f"{PROCESS}: 1600m\n", flink="1.18", observed={LIVE: 700 << 20}),
        good(f"{PROCESS}: '{{{{ memory }}}}'\n", flink="1.18", observed={LIVE: 4 << 30}),
        bad(
            "jobmanager.memory.heap.size: 1000000000b\n", flink="1.18", observed={LIVE: 1e9}, severity=Severity.WARNING
        ),
        good("jobmanager.memory.heap.size: 1000000000b\n", flink="1.18", observed={LIVE: 8e8}),
        good(f"{PROCESS}: 1600m\n", flink="1.10", observed={LIVE: 900 << 20}),
    ]
