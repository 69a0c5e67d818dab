"""RPC frames are large beside the JobManager's heap.

## What it does
Compares a `pekko.framesize` (`akka.framesize` up to 1.17) that is set with the JobManager's heap. Reports a frame of
more than an eighth of it.

## Why it matters
The JobManager holds a message more than once while it reads it, and acknowledgements of a checkpoint come from many
tasks at once. A few that use the frame they were given fill the heap: the JobManager dies with "Java heap space" while
it decodes them, where before the frame was raised only the checkpoint failed.

## What to do
Give the JobManager a heap of eight times the frame, or better find out what makes messages so large: long lists in
operator state, many small files of RocksDB, a large inline threshold. `flint size rpc-size` adds them up.

## Not when
The heap is derived from memory that a template fills in, or Flink refuses the memory configuration.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#pekko-framesize>: the option
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_jobmanager/>: the heap
- <https://issues.apache.org/jira/browse/FLINK-26050>: frames raised to gigabytes for the many files of RocksDB
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.inlining._frame import FRAME, frame_of


@rule(
    code="FLK386",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=[FRAME],
    flink=">=1.11",
    since="0.1",
    thresholds={"messages": Threshold(8, "messages as large as the frame for which the heap has room")},
)
def framesize_vs_heap(config: View) -> Iterator[Finding]:
    """RPC frames are large beside the JobManager's heap"""
    setting, frame = config.get(FRAME), frame_of(config)
    memory = config.jobmanager_memory()
    if frame is None or memory is None or (enough := frame * config.threshold("messages")) <= memory.heap:
        return
    count = max(1, memory.heap // frame)
    many = f"{count} messages as large as the frame of {MemorySize(frame)} fill"
    yield setting.finding(
        f"{many if count > 1 else f'one message as large as the frame of {MemorySize(frame)} fills'} the JobManager's"
        f" heap of {memory.heap >> 20} MiB, and tasks send theirs at once",
        help=f"give the JobManager a heap of {int(enough) >> 20} MiB, or find out what makes messages so large:"
        " flint size rpc-size",
        evidence={"frame": frame, "heap": memory.heap},
        measure=frame / max(1, memory.heap),
    )


def cases() -> list[Case]:
    return [
        bad("akka.framesize: 1073741824b\njobmanager.memory.process.size: 4g\n", at="1073741824b", flink="1.16",
            severity=Severity.INFO, says="3 messages as large as the frame of 1 GiB fill the JobManager's heap"),
        bad("pekko.framesize: 209715200b\njobmanager.memory.process.size: 1600m\n", at="209715200b", flink="1.20"),
        good("pekko.framesize: 104857600b\njobmanager.memory.process.size: 1600m\n", flink="1.20"),
        good("pekko.framesize: 209715200b\njobmanager.memory.process.size: 4g\n", flink="1.20"),
        good("pekko.framesize: 209715200b\njobmanager.memory.process.size: ${JM_MEMORY}\n", flink="1.18"),
        good("pekko.framesize: 209715200b\n", flink="1.20"),
        good("pekko.framesize: 104857600b\njobmanager.memory.heap.size: 800m\n"),
        bad("pekko.framesize: 104857600b\njobmanager.memory.heap.size: 799m\n", says="7 messages as large as"),
        good("pekko.framesize: ${FRAME}\njobmanager.memory.heap.size: 128m\n"),
    ]  # fmt: skip
