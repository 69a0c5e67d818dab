"""A source runs in a loop that its `cancel` does not end.

## What it does
Looks at sources of the old API (`SourceFunction`) whose `run` loops for ever, without a flag, `return`, `break` or an
interrupt, and whose `cancel` is empty.

## Why it matters
To stop a job Flink calls `cancel` and waits for `run` to return. It never does: cancelling, a failover or a savepoint
with stop hangs with `Task did not exit gracefully within 180 + seconds`, and then the TaskManager kills itself with all
the tasks of other jobs in it.

## What to do
Loop while a `volatile boolean` is true, and set it to false in `cancel`. Better, use the source API (FLIP-27).

## Not when
`cancel` does something, or the loop ends by itself or by an interrupt.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/api/java/org/apache/flink/streaming/api/functions/source/SourceFunction.html>:
  `cancel` has to make `run` return
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#task-cancellation-timeout>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK462",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:endless-source"],
    flink=">=1.0",
    since="0.1",
)
def source_never_ends(config: View) -> Iterator[Finding]:
    """a source runs in a loop that its cancel does not end"""
    for source in config.elements("endless-source"):
        yield source.finding(
            "nothing ends this loop, as cancel() is empty: cancelling or a failover hangs for 3 minutes, and then kills"
            " the TaskManager with all tasks in it",
            help="loop while a volatile boolean is true, and set it to false in cancel()",
            related=[source.place("cancel", "does nothing")],
        )


_SOURCE = """  static class Ticks implements SourceFunction<Long> {
    private volatile boolean running = true;
    @Override public void run(SourceContext<Long> context) {
      while (%s) { context.collect(next()); }
    }
    @Override public void cancel() { %s }
  }"""


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.addSource(new Ticks()).print();
    JobClient job = env.executeAsync();
    while (!started) { Thread.sleep(100); }
    job.cancel();
    Thread.sleep(3000);
    System.out.println("shows " + (hangs() ? "CANCELLING" : "the end"));
    System.exit(0);
  }
  static volatile boolean started;
  static boolean hangs() {
    return Thread.getAllStackTraces().values().stream().flatMap(java.util.Arrays::stream)
        .anyMatch(frame -> frame.getClassName().endsWith("Ticks"));
  }
  static class Ticks implements SourceFunction<Long> {
    private volatile boolean running = true;
    @Override public void run(SourceContext<Long> context) {
      while (%s) { started = true; }
    }
    @Override public void cancel() { %s }
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_uses(
            "program",
            _CLAIMED % ("true", ""),
            "shows CANCELLING",
            good=_CLAIMED % ("running", "running = false;"),
            releases=">=1.19,<2.0",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(java_job(_SOURCE % ("true", "")), file="Job.java", at="while (true)", severity=Severity.WARNING),
        bad(java_job((_SOURCE % ("true", "")).replace("while (true)", "for (;;)")), file="Job.java", says="cancel()"),
        good(java_job(_SOURCE % ("running", "running = false;")), file="Job.java"),
        good(java_job(_SOURCE % ("true", "client.close();")), file="Job.java"),
    ]
