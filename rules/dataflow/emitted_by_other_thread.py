"""Another thread than the task's emits records.

## What it does
Looks for calls of `collect` on a `Collector` or `SourceContext` in classes that threads run (`Runnable`, `Callable`,
`Thread`), and in lambdas that a function hands to a pool or to a future, where no lock is taken.

## Why it matters
Collectors and their serializers are not thread-safe: one buffer is written by whoever calls. Two threads at a time mix
their bytes, and the receiver fails with `KryoException: Encountered unregistered class ID`, `IndexOutOfBounds` or
`EOFException`, or reads wrong records. Records that are emitted between the parts of a checkpoint are lost or doubled
by a restore, and in a keyed function the key is another one by then.

## What to do
Let threads put results into a queue, and emit from the method that Flink calls. For requests, use an asynchronous
function (`AsyncDataStream`); in a source of the old API, hold the lock of `getCheckpointLock()`.

## Not when
A lock is held, or the method waits for its threads before it returns.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: how to work with
  results of other threads
- <https://github.com/apache/flink/blob/release-1.20/flink-streaming-java/src/main/java/org/apache/flink/streaming/api/functions/source/SourceFunction.java>:
  records are emitted under the checkpoint lock
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK445",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:emission"],
    flink=">=1.0",
    since="0.1",
)
def emitted_by_other_thread(config: View) -> Iterator[Finding]:
    """another thread than the task's emits records"""
    for emission in config.elements("emission"):
        yield emission.finding(
            f"{emission.name} runs in threads of {emission.text('by')}, without a lock: collectors and serializers are"
            " not thread-safe, and records get corrupted or lost",
            help="hand results to the task through a queue and emit there, or use an asynchronous function",
        )


_WORKER = """  static class Worker implements Callable<Integer> {
    private final Collector<String> out;
    private final Queue<String> queue;
    Worker(Collector<String> out, Queue<String> queue) { this.out = out; this.queue = queue; }
    @Override public Integer call() { %s return 1; }
  }"""
_FUNCTION = """  static class Enrich extends ProcessFunction<String, String> {
    private transient ExecutorService pool;
    @Override public void processElement(String in, Context context, Collector<String> out) throws Exception {
      %s
    }
  }"""


def cases() -> list[Case]:
    return [
        bad(
            java_job(_WORKER % "out.collect(queue.poll());"), file="Job.java", at="out.collect",
            severity=Severity.WARNING, says="runs in threads of Worker",
        ),
        bad(java_job(_FUNCTION % "pool.submit(() -> out.collect(ask(in)));"), file="Job.java", says="of submit"),
        bad(java_job(_FUNCTION % "client.ask(in).thenAccept(answer -> out.collect(answer));"), file="Job.java"),
        good(java_job(_WORKER % "synchronized (out) { out.collect(queue.poll()); }"), file="Job.java"),
        good(java_job(_FUNCTION % "pool.submit(() -> out.collect(ask(in))).get();"), file="Job.java"),
        good(java_job(_FUNCTION % "Optional.of(in).ifPresent(one -> out.collect(one));"), file="Job.java"),
        good(java_job(_WORKER % "queue.add(ask());"), file="Job.java"),
    ]  # fmt: skip
