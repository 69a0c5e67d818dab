"""A pause between checkpoints is no pause where they may overlap.

## What it does
Reports `execution.checkpointing.min-pause` above zero together with
`execution.checkpointing.max-concurrent-checkpoints` above 1.

## Why it matters
The two contradict each other. The documentation says that a pause implies one checkpoint at a time. The JobManager
does not hold to that: it counts the pause from the end of the last checkpoint that ended, and while one runs for
long, the next begins beside it. So there is neither the time without a checkpoint that the pause is set for, nor the
steady overlap.

## What to do
Keep the pause and set `execution.checkpointing.max-concurrent-checkpoints: 1`. Who needs overlapping checkpoints
(long ones, of operators that wait) deletes the pause.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/>:
  the pause and what it implies
- <https://github.com/apache/flink/blob/master/flink-runtime/src/main/java/org/apache/flink/runtime/checkpoint/CheckpointRequestDecider.java>:
  how the JobManager decides when the next one may begin
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import CONCURRENT, INTERVAL, PAUSE, is_managed

_TIMEOUT = "execution.checkpointing.timeout"


@rule(
    code="FLK305",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[CONCURRENT],
    flink=">=1.10",
    since="0.1",
)
def min_pause_with_concurrent(config: View) -> Iterator[Finding]:
    """a pause between checkpoints is none where they may overlap"""
    number, pause = config.integer(CONCURRENT), config.duration(PAUSE)
    if number is None or number <= 1 or pause is None or pause <= 0 or is_managed(config):
        return
    interval, timeout = config.duration(INTERVAL), config.duration(_TIMEOUT)
    if interval is not None and timeout is not None and interval >= timeout:
        return  # the last one has ended or expired before the next begins
    concurrent = config.get(CONCURRENT)
    yield concurrent.finding(
        f"with {number} checkpoints at a time the pause of {pause} leaves the job no time without one: it counts from"
        " the last that ended, while another may run",
        help=f"set {concurrent.written}: 1, or delete the pause",
        fix=concurrent.replace("1"),
        related=[config.get(PAUSE)],
        evidence={"concurrent": number, "pause": str(pause)},
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{PAUSE}: 10s\n{CONCURRENT}: 2\n", at=CONCURRENT, severity=Severity.WARNING, says="10 s",
            fixed=f"{PAUSE}: 10s\n{CONCURRENT}: 1\n",
        ),
        bad(f"{PAUSE}: 500\n{CONCURRENT}: 3\n", at=CONCURRENT, flink="1.14"),
        good(f"{PAUSE}: 10s\n{CONCURRENT}: 1\n"),
        good(f"{PAUSE}: 0\n{CONCURRENT}: 2\n"),
        good(f"{CONCURRENT}: 2\n"),
        good(f"{PAUSE}: 10s\n{CONCURRENT}: 2\n{INTERVAL}: 3 min\n{_TIMEOUT}: 1 min\n"),
        bad(f"{PAUSE}: 10s\n{CONCURRENT}: 2\n{INTERVAL}: 1 min\n{_TIMEOUT}: 3 min\n"),
        good(f"{PAUSE}: '{{{{ pause }}}}'\n{CONCURRENT}: 2\n"),
        good(f"{PAUSE}: 10s\n{CONCURRENT}: 2\n", platform="msf"),
        good(f"{PAUSE}: 10s\n{CONCURRENT}: '{{{{ concurrent }}}}'\n"),
    ]  # fmt: skip


_PROGRAM = """import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  static volatile int begun, most;

  public static class Counting extends Stateful implements CheckpointListener {
    public Long map(Long number) throws Exception { Thread.sleep(1); return number; }
    public void snapshotState(FunctionSnapshotContext context) { most = Math.max(most, ++begun); }
    public void notifyCheckpointComplete(long id) { begun--; }
    public void notifyCheckpointAborted(long id) { begun--; }
  }

  public static class Slow extends Stateful {
    public Long map(Long number) { return number; }
    public void snapshotState(FunctionSnapshotContext context) throws Exception { Thread.sleep(2000); }
  }

  abstract static class Stateful extends RichMapFunction<Long, Long> implements CheckpointedFunction {
    public void initializeState(FunctionInitializationContext context) {}
  }

  public static void main(String[] args) throws Exception {
    Configuration settings = new Configuration();
    settings.setString("execution.checkpointing.interval", "300 ms");
    settings.setString("execution.checkpointing.min-pause", "300 ms");
    settings.setString("execution.checkpointing.max-concurrent-checkpoints", "2");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(settings);
    env.setParallelism(1);
    env.fromSequence(1, 3000).map(new Counting()).map(new Slow()).disableChaining().print();
    env.execute();
    if (most > 1) {
      throw new IllegalStateException("a checkpoint begins while another one runs");
    }
  }
}
"""


def claims() -> list[Claim]:
    return [flink_fails("program", _PROGRAM, good=_PROGRAM.replace('"2"', '"1"'), releases=">=1.12")]
