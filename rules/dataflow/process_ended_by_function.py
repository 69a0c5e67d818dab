"""A function ends the whole TaskManager.

## What it does
Looks at what runs in tasks (functions, sinks, lambdas given to streams) for `System.exit`, `Runtime.halt`, `sys.exit`
of Scala and `exitProcess` of Kotlin.

## Why it matters
A function runs in the JVM of the TaskManager, with the tasks of all jobs that have a slot there. The call ends that
process: the JobManager reports `The TaskExecutor is shutting down` or `Task manager ... is no longer reachable`, each
job in it restarts, and none names the line that did it. The record that led to it comes again after the restart, so the
next TaskManager ends as well.

## What to do
Throw an exception: Flink fails the task, says why, and restarts by the job's strategy. To stop a job for good throw
`SuppressRestartsException`.

## Not when
`cluster.intercept-user-system-exit` is `THROW`, or the call is in `main`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#cluster-intercept-user-system-exit>:
  what Flink does with the call
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job

_EXIT = "cluster.intercept-user-system-exit"


@rule(
    code="FLK471",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:process-exit"],
    flink=">=1.0",
    since="0.1",
)
def process_ended_by_function(config: View) -> Iterator[Finding]:
    """a function ends the TaskManager with all tasks in it"""
    if (config.string(_EXIT) or "").upper() == "THROW":
        return
    for call in config.elements("process-exit"):
        yield call.finding(
            f"{call.name} in {call.text('function')} ends the TaskManager with the tasks of all jobs in it, again after"
            " each restart",
            help="throw an exception, or SuppressRestartsException to stop the job",
        )


_CLASS = """  static class Check implements FilterFunction<String> {
    @Override public boolean filter(String line) { if (line.isEmpty()) { %s; } return true; }
  }"""


def cases() -> list[Case]:
    return [
        bad(
            java_job(_CLASS % "System.exit(1)", ".filter(new Check())"), file="Job.java", at="System.exit",
            severity=Severity.WARNING, says="System.exit in Check ends the TaskManager",
        ),
        bad(
            java_job("", ".map(line -> { if (line.isEmpty()) { Runtime.getRuntime().halt(3); } return line; })"),
            file="Job.java", says="in a lambda",
        ),
        good(java_job(_CLASS % "throw new IllegalStateException()", ".filter(new Check())"), file="Job.java"),
        good(java_job("  static void usage() { System.exit(2); }"), file="Job.java"),
        good(
            java_job(_CLASS % "System.exit(1)", ".filter(new Check())").replace(
                "getExecutionEnvironment();",
                'getExecutionEnvironment(new Configuration().set("cluster.intercept-user-system-exit", "THROW"));',
            ),
            file="Job.java",
        ),
    ]  # fmt: skip


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a").map(line -> {%s return line; }).print();
    env.execute();
    System.out.println("the process goes on");
  }
}
"""


def claims() -> list[Claim]:
    return [flink_fails("program", _CLAIMED % " System.exit(3);", good=_CLAIMED % "", releases=">=1.20")]
