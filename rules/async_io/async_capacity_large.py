"""Very many records wait in an asynchronous operator, and each is in every checkpoint.

## What it does
Tells of a capacity of 10 000 and more.

## Why it matters
What is in flight is state: each subtask writes all of it into each checkpoint, as a list whose every element also costs
8 bytes in the acknowledgement to the JobManager, which must fit its frame size. After a failure all of them are asked
for again at once, by every subtask: the service that was slow gets `capacity` times the parallelism of calls.

## What to do
Calls in flight are rate times latency (Little's law): 1 000 records per second and subtask that take 50 ms are 50.
`flint size async-io` reckons it with room to spare.

## Not when
Slow calls at a high rate want it: 10 000 in flight is 5 000 records per second and subtask that take 2 s each.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: records of requests in
  flight are stored in checkpoints, and the requests are made again after a failure
- <https://en.wikipedia.org/wiki/Little%27s_law>: calls in flight are rate times latency
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import MANY, calls, counted, program


@rule(
    code="FLK885",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:async-call"],
    only=["element:async-call"],
    reads=["parallelism.default"],
    flink=">=1.2",
    since="0.1",
    of_scale=True,
)
def async_capacity_large(config: View) -> Iterator[Finding]:
    """very many records wait in an asynchronous operator"""
    parallelism = config.get("parallelism.default")
    subtasks = config.integer("parallelism.default") if parallelism.is_set else None
    for call in calls(config):
        if call.capacity is None or call.capacity < MANY:
            continue
        total = f", {counted(call.capacity * subtasks)} in all" if subtasks and subtasks > 1 else ""
        yield call.part.finding(
            f"{counted(call.capacity)} records in flight in each subtask{total} are written into every checkpoint, and"
            " all are asked for again at once after a failure",
            of="capacity",
            help="ask for rate times latency at once, with some room; `flint size async-io` reckons it",
            evidence={"capacity": call.capacity, "parallelism": subtasks},
            measure=call.capacity * (subtasks or 1),
        )


def _job(capacity: str, env: str = "") -> str:
    return program(f"unorderedWait(in, new Lookup(), 60, TimeUnit.SECONDS{capacity})", env)


def cases() -> list[Case]:
    return [
        bad(_job(", 10_000"), file="Job.java", at="10_000", severity=Severity.INFO),
        bad(_job(", 50 * 1000", "StreamExecutionEnvironment env = make(); env.setParallelism(4); "), file="Job.java",
            at="50 * 1000", says="200 000 in all"),
        good(_job(", 5_000"), file="Job.java"),
        good(_job(""), file="Job.java"),
        good(_job(", n * 10_000"), file="Job.java"),
        bad(_job(", 10_000"), file="Job.java", flink="1.5"),
        bad(program("orderedWait(in, new Lookup(), 60, TimeUnit.SECONDS, 9_999); AsyncDataStream.unorderedWait(in,"
                    " new Lookup(), 60, TimeUnit.SECONDS, 20_000)"), file="Job.java", at="20_000"),
    ]  # fmt: skip
