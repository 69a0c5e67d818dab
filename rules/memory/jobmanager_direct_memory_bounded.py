"""The JobManager's direct memory is bounded, at little.

## What it does
Looks at `jobmanager.memory.off-heap.size` where `jobmanager.memory.enable-jvm-direct-memory-limit` is true, and tells
if it is below `off-heap` (256 MB; Flink's default is 128 MB).

## Why it matters
With the limit Flink starts the JobManager with `-XX:MaxDirectMemorySize` of that size; without it, as by default, the
JVM allows as much as the heap has. Netty of the REST endpoint and of RPC, the blob server and file systems such as S3's
take direct memory, and so do programs whose `main` runs in the JobManager. At the bound it ends with
`OutOfMemoryError: Direct buffer memory`, mostly while many TaskManagers fetch jars or a large checkpoint completes.

## What to do
Raise `jobmanager.memory.off-heap.size`, and the process as much in total. Or leave the limit off.

## Not when
The limit is off.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_jobmanager/#configure-off-heap-memory>:
  what the size is for, and what the limit does
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_LIMIT = "jobmanager.memory.enable-jvm-direct-memory-limit"
_SIZE = "jobmanager.memory.off-heap.size"


@rule(
    code="FLK225",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_LIMIT],
    flink=">=1.11",
    thresholds={"off-heap": Threshold("256 mb", "the least off-heap memory of a JobManager that is held to it")},
    of_scale=True,
    since="0.1",
)
def jobmanager_direct_memory_bounded(config: View) -> Iterator[Finding]:
    """the JobManager's direct memory is bounded, at little"""
    size = config.memory(_SIZE)
    if config.boolean(_LIMIT) is not True or size is None or size >= config.threshold("off-heap"):
        return
    limit, off_heap = config.get(_LIMIT), config.get(_SIZE)
    shown = off_heap if off_heap.is_set else limit
    yield shown.finding(
        f"the JobManager may take {readable(size)} of direct memory and not a byte more, RPC, the blob server and file"
        " systems together: it ends with OutOfMemoryError: Direct buffer memory",
        help=f"raise {_SIZE}, or leave {_LIMIT} off",
        related=[limit] if off_heap.is_set else (),
        evidence={"off_heap_bytes": size},
        measure=-size,
    )


def cases() -> list[Case]:
    return [
        bad(f"{_LIMIT}: true\n", at=_LIMIT, severity=Severity.INFO, says="128 MiB of direct memory"),
        bad(f"{_LIMIT}: true\n{_SIZE}: 255m\n", at=_SIZE, flink="1.14"),
        good(f"{_LIMIT}: true\n{_SIZE}: 256m\n"),
        good(f"{_LIMIT}: true\n{_SIZE}: '{{{{ size }}}}'\n"),
        good(f"{_LIMIT}: false\n{_SIZE}: 64m\n"),
    ]  # fmt: skip
