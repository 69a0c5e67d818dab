"""A window fires and keeps its records for ever.

## What it does
Looks for windows that count and are not emptied: `GlobalWindows` with a `CountTrigger` in Java, Scala and Kotlin, and
`count_window` and `CountTumblingWindowAssigner` in Python, without a `PurgingTrigger` or an evictor.

## Why it matters
A `CountTrigger` fires, and does not purge. The end of such a window is the end of time, so no timer clears it: each
record that was ever counted stays in state. Checkpoints grow without a plateau. `countWindow` of Java has the purging
trigger built in; that of PyFlink has not.

## What to do
Set `.trigger(PurgingTrigger.of(CountTrigger.of(1000)))`.

## Not when
The trigger purges, an evictor removes records, or the trigger is a class of one's own.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/windows/#fire-and-purge>: triggers
  fire without purging
- <https://github.com/apache/flink/blob/release-1.20/flink-python/pyflink/datastream/window.py>: the default trigger of
  count windows
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View

_COUNTING = ("CountTumblingWindowAssigner", "CountSlidingWindowAssigner")


@rule(
    code="FLK442",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:window"],
    flink=">=1.0",
    since="0.1",
)
def window_never_purged(config: View) -> Iterator[Finding]:
    """a window fires and keeps its records for ever"""
    for window in config.elements("window"):
        if window.has("evictor") or not _counts(window):
            continue
        yield window.finding(
            f"{window.method(window.name)} fires by a CountTrigger, which does not purge: every record stays in state,"
            " and checkpoints grow for ever",
            of="trigger" if window.has("trigger") else None,
            help="set .trigger(PurgingTrigger.of(CountTrigger.of(…)))",
        )


def _counts(window: ElementView) -> bool:
    """Whether a window fires by its number of records alone."""
    assigner, trigger = window.text("assigner"), window.text("trigger")
    if window.has("trigger"):
        return trigger == "CountTrigger" and (assigner == "GlobalWindows" or assigner in _COUNTING)
    if not window.is_python:
        return False
    return assigner in _COUNTING or window.name == "countWindow"


_JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.addSource(new Orders()).uid("a").keyBy(o -> o.id)%s.process(new Rank()).uid("b").print();
    env.execute("orders");
  }
}
"""
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(source).key_by(lambda x: x[0])%s.process(Rank()).print()
env.execute("orders")
"""


def cases() -> list[Case]:
    return [
        bad(
            _PYTHON % ".window(CountTumblingWindowAssigner.of(1000))", file="job.py", at="window",
            severity=Severity.WARNING, says="every record stays in state",
        ),
        bad(_PYTHON % ".count_window(1000)", file="job.py"),
        bad(_JOB % ".window(GlobalWindows.create()).trigger(CountTrigger.of(1000))", file="Job.java"),
        good(_JOB % ".window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(9)))", file="Job.java"),
        good(
            _JOB % ".window(GlobalWindows.create()).trigger(CountTrigger.of(9)).evictor(CountEvictor.of(9))",
            file="Job.java",
        ),
        good(_JOB % ".countWindow(1000)", file="Job.java"),
        good(
            _PYTHON % ".window(CountTumblingWindowAssigner.of(9)).trigger(PurgingTrigger.of(CountTrigger.of(9)))",
            file="job.py",
        ),
    ]  # fmt: skip


_COUNTED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.triggers.PurgingTrigger;
import org.apache.flink.streaming.api.windowing.windows.GlobalWindow;
import org.apache.flink.util.Collector;

public class Job {
  public static class Size extends ProcessWindowFunction<Integer, Integer, Integer, GlobalWindow> {
    public void process(Integer key, Context context, Iterable<Integer> records, Collector<Integer> out) {
      int count = 0;
      for (Integer record : records) {
        count++;
      }
      if (count > 2) {
        throw new IllegalStateException(count + " records in a window of 2");
      }
      out.collect(count);
    }
  }

  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(1);
    env.fromElements(1, 2, 3, 4).keyBy(number -> 0).window(GlobalWindows.create()).trigger(CountTrigger.of(2))
        .process(new Size()).print();
    env.execute();
  }
}
"""


def claims() -> list[Claim]:
    purging = _COUNTED.replace("CountTrigger.of(2)", "PurgingTrigger.of(CountTrigger.of(2))")
    return [flink_fails("program", _COUNTED, good=purging)]
