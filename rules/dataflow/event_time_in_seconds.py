"""Records get their timestamps in seconds, and Flink reads milliseconds.

## What it does
Looks at timestamp assigners (`withTimestampAssigner`, `extractTimestamp`, `assignAscendingTimestamps`) that return what
is certainly in seconds: `getEpochSecond()`, `toEpochSecond(...)`, a field called `epochSeconds` or `unix_seconds`, the
milliseconds of a clock divided by 1000, and `timestamp()` of a Python `datetime`.

## Why it matters
Event time is in milliseconds. In seconds it passes a thousand times too slowly, in January 1970: a window of an hour
takes the records of 42 days, and fires after as many. Bounds on disorder, allowed lateness and timers are a thousand
times as long. Nothing fails: results are late, wrong, or missing, and state grows.

## What to do
Return milliseconds: `toEpochMilli()`, or multiply by 1,000.

## Not when
The value is multiplied or converted, or its name does not say its unit.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/event-time/generating_watermarks/>:
  timestamps and watermarks are milliseconds since the epoch
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK473",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:event-time"],
    flink=">=1.0",
    since="0.1",
)
def event_time_in_seconds(config: View) -> Iterator[Finding]:
    """records get their timestamps in seconds, and Flink reads milliseconds"""
    for time in config.elements("event-time"):
        if time.text("unit") != "s":
            continue
        yield time.finding(
            "this timestamp is in seconds, and Flink reads milliseconds: a window of an hour takes the records of 42"
            " days",
            help="multiply it by 1000, or use toEpochMilli()",
        )


_ASSIGNED = (
    ".assignTimestampsAndWatermarks(WatermarkStrategy.<Order>forMonotonousTimestamps()"
    ".withTimestampAssigner((order, before) -> %s))"
)
_CLASS = """  static class Times implements SerializableTimestampAssigner<Order> {
    @Override public long extractTimestamp(Order order, long before) { return %s; }
  }"""
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
class Times(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(%s)
env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(source).assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(Times())).print()
env.execute()
"""


def cases() -> list[Case]:
    return [
        bad(
            java_job("", _ASSIGNED % "order.getTime().getEpochSecond()"), file="Job.java", severity=Severity.WARNING,
            at="order.getTime().getEpochSecond()", says="this timestamp is in seconds",
        ),
        bad(java_job("", _ASSIGNED % "order.epochSeconds"), file="Job.java"),
        bad(java_job(_CLASS % "order.date.getTime() / 1000"), file="Job.java"),
        bad(_PYTHON % "value.created.timestamp()", file="job.py"),
        good(java_job("", _ASSIGNED % "order.getTime().toEpochMilli()"), file="Job.java"),
        good(java_job("", _ASSIGNED % "order.epochSeconds * 1000L"), file="Job.java"),
        good(java_job("", _ASSIGNED % "TimeUnit.SECONDS.toMillis(order.epochSeconds)"), file="Job.java"),
        good(java_job("", _ASSIGNED % "order.timestamp()"), file="Job.java"),
        good(_PYTHON % "value.created.timestamp() * 1000", file="job.py"),
    ]  # fmt: skip


_CLAIMED = """import java.time.*;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(1);
    int[] windows = {0};
    env.fromElements("2024-05-01T00:10:00Z", "2024-05-02T00:10:00Z")
        .assignTimestampsAndWatermarks(WatermarkStrategy.<String>forMonotonousTimestamps()
            .withTimestampAssigner((time, before) -> Instant.parse(time).%s))
        .keyBy(time -> 0).window(TumblingEventTimeWindows.of(Duration.ofHours(1))).reduce((a, b) -> b)
        .executeAndCollect().forEachRemaining(time -> windows[0]++);
    if (windows[0] < 2) {
      throw new IllegalStateException("records of two days are in one window of an hour");
    }
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails(
            "program", _CLAIMED % "getEpochSecond()", good=_CLAIMED % "toEpochMilli()", releases=">=1.20"
        ),
    ]  # fmt: skip
