"""A window waits for event time that never advances.

## What it does
Looks at windows and timers of event time whose stream certainly has no watermarks, as it comes from
`fromSource(..., WatermarkStrategy.noWatermarks(), ...)`, or no timestamps, as it comes from a socket, a collection or a
file, and gets neither on the way.

## Why it matters
A window of event time fires when a watermark passes its end. Without watermarks there is never one: records go in,
nothing comes out, no error is logged, and the state grows with every window. Where streams are joined, connected
or united, such as with one of rules that is broadcast, the lowest watermark counts: one stream without any holds back
all of them. Timers of event time wait in the same way. Without timestamps the job fails with
`Record has Long.MIN_VALUE timestamp (= no timestamp marker). Is the time characteristic set to 'ProcessingTime', or
did you forget to call 'DataStream.assignTimestampsAndWatermarks(...)'?`

## What to do
Give the source a strategy, such as `WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5))`, with
`withTimestampAssigner` where the connector does not set timestamps and `withIdleness` where partitions may be empty. Or
use windows of processing time.

## Not when
The source ends, after which all windows fire; the stream comes from another function or file; or sessions have no
timestamps, for which the lowest counts as one.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/event-time/generating_watermarks/>: what
  windows of event time need
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK449",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:window"],
    flink=">=1.0",
    since="0.1",
)
def event_time_never_advances(config: View) -> Iterator[Finding]:
    """a window waits for event time that never advances"""
    for window in config.elements("window"):
        missing = window.text("without")
        if missing is None or (missing == "watermarks" and config.is_bounded):
            continue
        if missing == "timestamps" and "Session" in (window.text("assigner") or ""):
            continue  # takes the lowest timestamp for one
        end = (
            "it never fires, and its state grows"
            if missing == "watermarks"
            else 'the job fails with "Record has Long.MIN_VALUE timestamp"'
        )
        is_timer = window.has("timer")
        what = f"the timers of {window.text('timer')}" if is_timer else window.text("assigner")
        yield window.finding(
            f"{what} need event time, and {_stream(window)} has no {missing}: {'they never fire' if is_timer else end}",
            of="timer" if is_timer else "assigner",
            help="assign a WatermarkStrategy with timestamps before the window, or use windows of processing time",
            related=[window.place("without", f"makes a stream without {missing}")],
        )


def _stream(window: ElementView) -> str:
    """Return how to name the stream that lacks something."""
    return "the stream" if window.text("without") == "timestamps" else "a stream before them"


_WINDOW = '.keyBy(o -> o.shop).window(%s.of(Duration.ofMinutes(1))).sum("n").uid("n").addSink(sink)'
_SOURCE = 'env.fromSource(source, %s, "orders").uid("orders")'


def _job(source: str, assigner: str = "TumblingEventTimeWindows", between: str = "") -> str:
    return java_job("", stream=between + _WINDOW % assigner).replace(
        'env.addSource(new Orders()).uid("orders")', source
    )


_RULES = (
    'env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "orders")'
    '.connect(env.fromSource(rules, WatermarkStrategy.noWatermarks(), "rules").broadcast(state)).process(new Check())'
)
_TIMER = """  static class Late extends KeyedProcessFunction<String, Order, Order> {
    @Override public void processElement(Order order, Context context, Collector<Order> out) {
      context.timerService().registerEventTimeTimer(order.end);
    }
  }"""


def _timer(strategy: str) -> str:
    return java_job(_TIMER, stream='.keyBy(o -> o.shop).process(new Late()).uid("late").addSink(sink)').replace(
        'env.addSource(new Orders()).uid("orders")', _SOURCE % strategy
    )


_NONE = _SOURCE % "WatermarkStrategy.noWatermarks()"
_SOCKET = 'env.socketTextStream("logs", 9999).map(new Parse())'


def cases() -> list[Case]:
    return [
        bad(
            _job(_NONE), file="Job.java", at="TumblingEventTimeWindows.of(Duration.ofMinutes(1))",
            severity=Severity.WARNING, says="it never fires",
        ),
        bad(_job(_SOCKET), file="Job.java", says="no timestamps"),
        bad(_job(_RULES), file="Job.java", says="a stream before them has no watermarks"),
        bad(_timer("WatermarkStrategy.noWatermarks()"), file="Job.java", at="new Late()", says="timers of Late"),
        good(_timer("WatermarkStrategy.forMonotonousTimestamps()"), file="Job.java"),
        good(_job(_RULES.replace(".noWatermarks()", ".forMonotonousTimestamps()")), file="Job.java"),
        bad(_job(_NONE, "EventTimeSessionWindows"), file="Job.java", says="no watermarks"),
        good(_job(_SOCKET, "EventTimeSessionWindows"), file="Job.java"),
        good(_job(_NONE, "TumblingProcessingTimeWindows"), file="Job.java"),
        good(_job(_SOURCE % "WatermarkStrategy.forMonotonousTimestamps()"), file="Job.java"),
        good(_job(_NONE, between=".assignTimestampsAndWatermarks(strategy)"), file="Job.java"),
        good(_job("streams.orders(env)"), file="Job.java"),
    ]  # fmt: skip


_PROGRAM = """import java.time.Duration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.*;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1, 2, 3).keyBy(one -> one % 2)
        .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1))).reduce((a, b) -> a + b).print();
    env.execute();
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails("program", _PROGRAM, good=_PROGRAM.replace("EventTime", "ProcessingTime"), releases=">=1.20"),
    ]
