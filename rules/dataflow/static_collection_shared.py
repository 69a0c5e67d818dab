"""A function changes a static collection that all subtasks of a process share.

## What it does
Looks at functions and sinks that add to or remove from a static `HashMap`, `ArrayList` or the like with each record,
without a lock.

## Why it matters
A TaskManager runs several subtasks of a function in one JVM, each in its own thread, and a static field is there once.
Two threads that change a `HashMap` at a time lose entries, loop for ever, or fail with
`ConcurrentModificationException`; records of one subtask are seen by another. What is in the field is in no checkpoint,
differs between machines, and is kept when the job restarts in the same process.

## What to do
Make the field an instance's own, and keep what must survive in Flink's state. For a cache that is to be shared, take a
`ConcurrentHashMap` or a cache of bounded size.

## Not when
The collection is a concurrent one, a lock is held, or it is only read with each record.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/concepts/flink-architecture/#task-slots-and-resources>:
  subtasks share the JVM of their TaskManager
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK460",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:shared-field"],
    flink=">=1.0",
    since="0.1",
)
def static_collection_shared(config: View) -> Iterator[Finding]:
    """a function changes a static collection that all subtasks share"""
    for field in config.elements("shared-field"):
        yield field.finding(
            f"{field.name} is a static {field.text('class')} that every subtask in the process changes in its own"
            " thread: entries get lost or mixed, and no checkpoint has them",
            help="make it a field of the instance or Flink state; for a shared cache use a ConcurrentHashMap",
            related=[field.place("class", "shared by all subtasks")],
        )


_FUNCTION = """  static class Count extends RichMapFunction<String, String> {
    private %s Map<String, Integer> counts = new %s<>();
    @Override public String map(String in) { %s return in; }
  }"""
_STREAM = ".map(new Count()).addSink(sink)"
_PUT = "counts.put(in, 1);"


def cases() -> list[Case]:
    return [
        bad(
            java_job(_FUNCTION % ("static", "HashMap", _PUT), stream=_STREAM), file="Job.java", at="counts.put",
            severity=Severity.WARNING, says="a static HashMap",
        ),
        bad(java_job(_FUNCTION % ("static final", "TreeMap", "counts.merge(in, 1, Integer::sum);")), file="Job.java"),
        good(java_job(_FUNCTION % ("static", "ConcurrentHashMap", _PUT), stream=_STREAM), file="Job.java"),
        good(java_job(_FUNCTION % ("", "HashMap", _PUT), stream=_STREAM), file="Job.java"),
        good(java_job(_FUNCTION % ("static", "HashMap", "counts.get(in);"), stream=_STREAM), file="Job.java"),
    ]  # fmt: skip
