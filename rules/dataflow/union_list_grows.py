"""A union list is added to at each restore, and multiplies.

## What it does
Looks at `initializeState` of functions that gets a list by `getUnionListState` and calls `add` or `addAll` on it, where
nothing in the class clears the list or replaces it with `update`.

## Why it matters
At a restore each subtask gets the lists of all subtasks. One that adds to what it got writes all of them again, and so
does every other: n entries of p subtasks become n·p each time. After some restarts the list has millions of entries,
checkpoints grow to gigabytes, and the JobManager, which holds their metadata, fails with `OutOfMemoryError: Java heap
space`.

## What to do
Write the subtask's own values alone, in `snapshotState`: `state.update(own)`, or `state.clear()` first.

## Not when
The class clears or updates the list, or adds only under a condition, such as `!context.isRestored()`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/state/#checkpointedfunction>:
  union redistribution: each operator gets the complete list
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK477",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:union-state"],
    flink=">=1.3",
    since="0.1",
)
def union_list_grows(config: View) -> Iterator[Finding]:
    """a union list is added to at each restore, and multiplies"""
    for state in config.elements("union-state"):
        if not state.has("grows"):
            continue
        yield state.finding(
            f"each restore gives every subtask the whole list, and {state.text('grows')} writes it again with more: it"
            " multiplies by the parallelism at each restart",
            of="grows",
            help="call update(…) with the subtask's own values, in snapshotState",
            related=[state.place(None, "the list of all subtasks")],
        )


_FUNCTION = """  static class Users extends RichSinkFunction<String> implements CheckpointedFunction {
    private transient ListState<String> users;
    @Override public void initializeState(FunctionInitializationContext context) throws Exception {
      users = context.getOperatorStateStore().%s(new ListStateDescriptor<>("users", Types.STRING));
      for (String user : users.get()) { last = user; }
      users.add(last);
    }
    @Override public void snapshotState(FunctionSnapshotContext context) throws Exception { %s }
  }"""


_CLAIMED = """import java.util.*;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  static volatile boolean done = false;
  static volatile int size = 0;
  public static void main(String[] args) throws Exception {
    Configuration settings = new Configuration();
    settings.setString("execution.checkpointing.interval", "100 ms");
    settings.setString("restart-strategy.type", "fixed-delay");
    settings.setString("restart-strategy.fixed-delay.attempts", "3");
    settings.setString("restart-strategy.fixed-delay.delay", "1 ms");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(settings);
    env.setParallelism(2);
    env.fromSequence(1, 400).map(new Users()).print();
    env.execute();
    if (size != 2) {
      throw new IllegalStateException("the list of 2 subtasks has " + size);
    }
  }
  static class Users extends RichMapFunction<Long, Long> implements CheckpointedFunction,
      org.apache.flink.api.common.state.CheckpointListener {
    transient ListState<String> users;
    @Override public void initializeState(FunctionInitializationContext context) throws Exception {
      users = context.getOperatorStateStore().getUnionListState(new ListStateDescriptor<>("users", Types.STRING));
      %s
      size = 0;
      for (String user : users.get()) { size++; }
    }
    @Override public void snapshotState(FunctionSnapshotContext context) throws Exception { %s }
    @Override public Long map(Long number) throws Exception {
      Thread.sleep(10);
      if (done) { done = false; throw new IllegalStateException("once"); }
      return number;
    }
    @Override public void notifyCheckpointComplete(long id) { if (!failed) { failed = done = true; } }
  }
  static boolean failed = false;
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails(
            "program", _CLAIMED % ('users.add("me");', ""), good=_CLAIMED % ("", 'users.update(List.of("me"));'),
            releases=">=1.20",
        ),
    ]  # fmt: skip


def cases() -> list[Case]:
    return [
        bad(
            java_job(_FUNCTION % ("getUnionListState", "")), file="Job.java", at="users.add",
            severity=Severity.WARNING, says="it multiplies by the parallelism",
        ),
        bad(
            java_job((_FUNCTION % ("getUnionListState", "")).replace("users.add(last)", "users.addAll(found)")),
            file="Job.java",
        ),
        good(java_job(_FUNCTION % ("getUnionListState", "users.update(List.of(last));")), file="Job.java"),
        good(java_job(_FUNCTION % ("getUnionListState", "users.clear(); users.add(last);")), file="Job.java"),
        good(java_job(_FUNCTION % ("getListState", "")), file="Job.java"),
        good(
            java_job((_FUNCTION % ("getUnionListState", "")).replace("users.add", "if (first) users.add")),
            file="Job.java",
        ),
    ]  # fmt: skip
