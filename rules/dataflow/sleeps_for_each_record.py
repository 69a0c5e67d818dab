"""A function sleeps with each record.

## What it does
Looks at map, filter, process and join functions that sleep for a second or more with each record, unconditionally.

## Why it matters
The thread of a task is asleep: it takes no other record, no timer fires, and checkpoint barriers wait in its queue. One
record a second is all that a subtask gets through; back pressure reaches the source, and checkpoints fail with
`Checkpoint expired before completing`.

## What to do
To wait for something, register a timer in a `KeyedProcessFunction` and go on with the next record. To limit the rate,
use the source's rate limiter.

## Not when
The sleep depends on a condition, or is shorter than a second.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/process_function/#timers>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK463",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:record-work"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def sleeps_for_each_record(config: View) -> Iterator[Finding]:
    """a function sleeps with each record"""
    for work in config.elements("record-work"):
        if work.text("kind") == "sleeps":
            yield work.finding(
                f"{work.text('call')} stops the task with every record: it handles one at a time, and barriers and"
                " timers wait until checkpoints expire",
                help="register a timer in a KeyedProcessFunction instead of sleeping",
            )


_FUNCTION = """  static class Later extends ProcessFunction<String, String> {
    @Override public void processElement(String in, Context c, Collector<String> out) throws Exception {
      %s
      out.collect(in);
    }
  }"""
_STREAM = ".process(new Later()).addSink(sink)"


def cases() -> list[Case]:
    return [
        bad(
            java_job(_FUNCTION % "Thread.sleep(5000);", stream=_STREAM), file="Job.java", at="Thread.sleep",
            severity=Severity.WARNING, says="with every record",
        ),
        bad(java_job(_FUNCTION % "Thread.sleep(1000);", stream=_STREAM), file="Job.java"),
        good(java_job(_FUNCTION % "Thread.sleep(999);", stream=_STREAM), file="Job.java"),
        good(java_job(_FUNCTION % "if (in.isEmpty()) { Thread.sleep(5000); }", stream=_STREAM), file="Job.java"),
    ]  # fmt: skip
