"""A sink keeps records in memory that no checkpoint waits for.

## What it does
Looks at sinks of one's own (`SinkFunction`, `RichSinkFunction`) that collect records in a field of a list or queue, to
write them later, and neither implement `CheckpointedFunction` nor are told of checkpoints.

## Why it matters
A checkpoint is complete when each record has been given to `invoke`: the position in Kafka moves on. What is still in
the list is not written, and not in the checkpoint either. If the TaskManager fails or the job is restored, these
records are lost, without an error, although checkpointing promises at least once.

## What to do
Implement `CheckpointedFunction` and write the list in `snapshotState`, or keep the list in operator state. Better, use
`AsyncSinkBase` or a connector's own sink, which do so.

## Not when
Each call of `invoke` writes all that it has, or the class implements `CheckpointedFunction`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/state/#checkpointedfunction>:
  a sink that buffers, and what it does for a checkpoint
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK446",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:buffer"],
    flink=">=1.0",
    since="0.1",
)
def buffer_outside_checkpoint(config: View) -> Iterator[Finding]:
    """a sink keeps records in memory that no checkpoint waits for"""
    for buffer in config.elements("buffer"):
        yield buffer.finding(
            f"{buffer.name} keeps records that checkpoints count as written: a failure or restore loses what is still"
            " in it",
            help="implement CheckpointedFunction and write it in snapshotState",
        )


_SINK = """  static class Store extends RichSinkFunction<String>%s {
    private final List<String> batch = new ArrayList<>();
    @Override public void invoke(String value, Context context) throws Exception {
      batch.add(value);
      %s
    }
    %s
  }"""
_LATER = "if (batch.size() >= 500) { write(batch); batch.clear(); }"
_TO_SINK = '.addSink(new Store()).uid("store")'
_SNAPSHOT = "@Override public void snapshotState(FunctionSnapshotContext c) throws Exception { write(batch); }"


def cases() -> list[Case]:
    return [
        bad(
            java_job(_SINK % ("", _LATER, ""), stream=_TO_SINK), file="Job.java", at="batch.add",
            severity=Severity.WARNING, says="a failure or restore loses",
        ),
        bad(
            java_job((_SINK % ("", _LATER, "")).replace("List<String> batch", "ArrayList<String> batch"),
            stream=_TO_SINK), file="Job.java",
        ),
        good(
            java_job(_SINK % (" implements CheckpointedFunction", _LATER, _SNAPSHOT), stream=_TO_SINK),
            file="Job.java",
        ),
        good(java_job(_SINK % ("", "write(batch); batch.clear();", ""), stream=_TO_SINK), file="Job.java"),
    ]  # fmt: skip
