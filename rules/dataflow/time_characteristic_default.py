"""A program assigns timestamps, and its environment works in processing time.

## What it does
Looks, before Flink 1.12, at programs that assign timestamps and watermarks and have windows of event time or
`timeWindow`, and never call `setStreamTimeCharacteristic`.

## Why it matters
Until 1.12 the default was `TimeCharacteristic.ProcessingTime`. With it no watermarks are made, as their interval is 0:
windows of event time never fire while the job runs. `timeWindow` makes windows of the machine's clock, so that the
results depend on when records happen to arrive, and the timestamps are for nothing.

## What to do
Call `env.setStreamTimeCharacteristic(TimeCharacteristic.EventTime)`; or move to 1.12, where event time is the default
and `timeWindow` is deprecated.

## Not when
The program sets a characteristic, gets its environment from elsewhere, or may be of a later release.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.11/dev/event_time.html#setting-a-time-characteristic>
- <https://nightlies.apache.org/flink/flink-docs-release-1.12/release-notes/flink-1.12.html>: the default became event
  time
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK469",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:window"],
    every_release=True,
    flink=">=1.0,<1.12",
    since="0.1",
)
def time_characteristic_default(config: View) -> Iterator[Finding]:
    """a program with timestamps works in processing time"""
    for window in config.elements("window"):
        if not window.has("characteristic"):
            continue
        plain = window.name in ("timeWindow", "timeWindowAll")
        end = (
            f"{window.method(window.name)} goes by the machine's clock, not by them"
            if plain
            else f"{window.text('assigner')} get no watermarks and never fire"
        )
        yield window.finding(
            f"timestamps are assigned, and the environment works in processing time, the default before 1.12: {end}",
            help="call env.setStreamTimeCharacteristic(TimeCharacteristic.EventTime)",
        )


_STREAM = '.assignTimestampsAndWatermarks(new ByTime()).keyBy(o -> o.shop)%s.sum("n").uid("n").addSink(sink)'
_EVENT = ".window(TumblingEventTimeWindows.of(Time.minutes(1)))"


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.apache.flink.streaming.api.functions.timestamps.AscendingTimestampExtractor;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    %s
    env.addSource(new Orders()).assignTimestampsAndWatermarks(new ByTime()).keyBy(o -> o)
        .window(TumblingEventTimeWindows.of(Time.minutes(1))).sum(0).print();
    System.out.println("shows " + (env.getConfig().getAutoWatermarkInterval() > 0 ? "watermarks" : "no watermarks"));
    env.execute();
  }
  static class Orders implements SourceFunction<Long> {
    @Override public void run(SourceContext<Long> context) { context.collect(1L); }
    @Override public void cancel() {}
  }
  static class ByTime extends AscendingTimestampExtractor<Long> {
    @Override public long extractAscendingTimestamp(Long one) { return one; }
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_uses(
            "program",
            _CLAIMED % "",
            "shows no watermarks",
            good=_CLAIMED
            % "env.setStreamTimeCharacteristic(org.apache.flink.streaming.api.TimeCharacteristic.EventTime);",
            releases="<1.12",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(
            java_job("", stream=_STREAM % _EVENT), file="Job.java", flink="1.11", at="window",
            severity=Severity.WARNING, says="never fire",
        ),
        bad(
            java_job("", stream=_STREAM % ".timeWindow(Time.minutes(1))"), file="Job.java", flink="1.9",
            says="the machine's clock",
        ),
        good(java_job("", stream=_STREAM % _EVENT), file="Job.java", flink="1.12"),
        good(java_job("", stream=_STREAM % _EVENT), file="Job.java"),
        good(
            java_job("", stream=_STREAM % _EVENT).replace(
                "    env.add", "    env.setStreamTimeCharacteristic(TimeCharacteristic.EventTime);\n    env.add"
            ),
            file="Job.java", flink="1.11",
        ),
    ]  # fmt: skip
