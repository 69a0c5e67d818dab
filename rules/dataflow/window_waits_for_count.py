"""A count replaces the end of a time window, and the records of windows that do not reach it are lost.

## What it does
Looks for windows of time (`TumblingEventTimeWindows`, `SlidingProcessingTimeWindows`, sessions, ...) with
`.trigger(CountTrigger.of(n))`, also within a `PurgingTrigger`, for `n` above 1.

## Why it matters
`trigger` replaces the trigger of the window, which fires at the window's end. A `CountTrigger` fires at each n-th
record alone: a window whose records are fewer, or no multiple of n, never emits the rest. At the end of the window its
contents are deleted, without a result, a late record or a line in the log.

## What to do
Leave the trigger out; or write one that registers a timer for `window.maxTimestamp()` besides it counts. For batches of
n records without a time use `countWindow(n)`.

## Not when
The window is a `GlobalWindows`, the count is 1 or unknown, or the trigger is a class of one's own.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/windows/#triggers>: `trigger`
  overwrites the default trigger of the window assigner
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK470",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:window"],
    flink=">=1.0",
    since="0.1",
)
def window_waits_for_count(config: View) -> Iterator[Finding]:
    """a count replaces the end of a time window, which loses its last records"""
    for window in config.elements("window"):
        assigner, count = window.text("assigner"), window.number("count")
        of_time = window.name in ("timeWindow", "timeWindowAll")
        if count is None or count < 2 or not (of_time or (assigner or "").endswith(_OF_TIME)):
            continue
        yield window.finding(
            f"the CountTrigger replaces the end of {assigner or window.name}: a window deletes what is left after each"
            f" {count:,.0f} records, without a result",
            of="trigger",
            help="leave the trigger out, or write one that fires at window.maxTimestamp() too",
        )


_OF_TIME = ("TimeWindows", "TimeSessionWindows")
_HOURS = ".window(TumblingEventTimeWindows.of(Time.hours(1)))"
_STREAM = ".keyBy(o -> o.id)%s.process(new Rank())"


def cases() -> list[Case]:
    return [
        bad(
            java_job("", _STREAM % f"{_HOURS}.trigger(CountTrigger.of(1000))"),
            file="Job.java", at="CountTrigger.of(1000)", severity=Severity.WARNING,
            says="deletes what is left after each 1,000 records",
        ),
        bad(
            java_job(
                "",
                _STREAM % ".window(ProcessingTimeSessionWindows.withGap(Time.minutes(5)))"
                ".trigger(PurgingTrigger.of(CountTrigger.of(2)))",
            ),
            file="Job.java",
        ),
        bad(
            "from pyflink.datastream import StreamExecutionEnvironment\n"
            "env = StreamExecutionEnvironment.get_execution_environment()\n"
            "env.add_source(source).key_by(key).window(TumblingEventTimeWindows.of(Time.hours(1)))"
            ".trigger(CountTrigger.of(9)).process(Rank()).print()\nenv.execute()\n",
            file="job.py",
        ),
        good(
            java_job("", _STREAM % f"{_HOURS}.trigger(CountTrigger.of(1))"),
            file="Job.java",
        ),
        good(
            java_job("", _STREAM % ".window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(9)))"),
            file="Job.java",
        ),
        good(
            java_job("", _STREAM % f"{_HOURS}.trigger(new CountOrEnd(9))"),
            file="Job.java",
        ),
        good(java_job("", _STREAM % _HOURS), file="Job.java"),
        good(
            java_job("", _STREAM % f"{_HOURS}.trigger(CountTrigger.of(size))"),
            file="Job.java",
        ),
    ]  # fmt: skip


_CLAIMED = """import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.triggers.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(1);
    int[] seen = {0};
    env.fromElements(1, 2, 3)
        .assignTimestampsAndWatermarks(
            WatermarkStrategy.<Integer>forMonotonousTimestamps().withTimestampAssigner((n, before) -> n))
        .keyBy(n -> 0).window(TumblingEventTimeWindows.of(%s))%s.reduce((a, b) -> a + b)
        .executeAndCollect().forEachRemaining(sum -> seen[0] = Math.max(seen[0], sum));
    if (seen[0] != 6) {
      throw new IllegalStateException("the window of 6 has given " + seen[0]);
    }
  }
}
"""


def claims() -> list[Claim]:
    size = "Duration.ofSeconds(1)"
    return [
        flink_fails(
            "program", _CLAIMED % (size, ".trigger(CountTrigger.of(2))"), good=_CLAIMED % (size, ""), releases=">=1.20"
        ),
    ]
