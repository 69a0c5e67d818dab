"""A window over all records follows a key, which it drops.

## What it does
Looks for `windowAll`, `countWindowAll` and `timeWindowAll` right after `keyBy`.

## Why it matters
`windowAll` gathers all records in one subtask, whatever their keys and the parallelism of the job. The key has no
effect. As soon as one subtask cannot keep up, everything before it waits: back pressure stays, barriers do not get
through, and checkpoints expire.

## What to do
Use `window` after `keyBy`, which runs in parallel. Where one result over all records is wanted, aggregate by key first,
and let `windowAll` combine the results.

## Not when
No key precedes it: then the one subtask is meant.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/windows/#keyed-vs-non-keyed-windows>:
  windows that are not keyed have a parallelism of 1
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ALL = ("windowAll", "countWindowAll", "timeWindowAll")


@rule(
    code="FLK441",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:window"],
    flink=">=1.0",
    since="0.1",
)
def window_all_after_key(config: View) -> Iterator[Finding]:
    """a window over all records follows a key, which it drops"""
    for window in config.elements("window"):
        if window.name not in _ALL or not window.has("keyed"):
            continue
        method, key = window.method(window.name), window.method("keyBy")
        yield window.finding(
            f"{method} drops the key of {key} and runs in one subtask: once it falls behind, the whole job waits and"
            " checkpoints expire",
            help=f"use {window.method(window.name.removesuffix('All'))} after {key}",
            related=[window.place("keyed", "has no effect")],
        )


_JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.addSource(new Orders()).uid("a")%s.process(new Rank()).uid("b").print();
    env.execute("orders");
  }
}
"""
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
ranked = (
    env.add_source(source).key_by(lambda x: x[0]).window_all(CountTumblingWindowAssigner.of(1000)).process(Rank())
)
ranked.print()
env.execute("orders")
"""


def cases() -> list[Case]:
    return [
        bad(
            _JOB % ".keyBy(o -> o.id).windowAll(TumblingEventTimeWindows.of(Time.minutes(1)))", file="Job.java",
            at="windowAll", severity=Severity.WARNING, says="runs in one subtask",
        ),
        bad(_JOB % ".keyBy(o -> o.id).countWindowAll(100)", file="Job.java"),
        bad(_PYTHON, file="job.py", says="window_all drops the key of key_by"),
        good(_JOB % ".keyBy(o -> o.id).window(TumblingEventTimeWindows.of(Time.minutes(1)))", file="Job.java"),
        good(_JOB % ".windowAll(TumblingEventTimeWindows.of(Time.minutes(1)))", file="Job.java"),
        good(
            _JOB % ".keyBy(o -> o.id).reduce(new Sum()).windowAll(TumblingEventTimeWindows.of(Time.minutes(1)))",
            file="Job.java",
        ),
    ]  # fmt: skip


_WINDOW = """import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(4);
    DataStream<String> lines = env.socketTextStream("localhost", 1);
    DataStream<String> last = lines.keyBy(line -> line).countWindowAll(10).reduce((one, other) -> other);
    if (last.getParallelism() == 1) {
      throw new IllegalStateException("one subtask");
    }
  }
}
"""


def claims() -> list[Claim]:
    return [flink_fails("program", _WINDOW, good=_WINDOW.replace("countWindowAll", "countWindow"))]
