"""A sliding window puts each record into very many windows.

## What it does
Divides the size of a sliding window by its slide, and reports from 1,000 windows on.

## Why it matters
A record belongs to every window that is open at its time: of one day that slides by a minute, to 1,440. Flink updates
the state of each of them with each record, and sets a timer for each window and key. State, checkpoints and the load
are a thousand times what one window needs; the job falls behind, and its checkpoints time out.

## What to do
Aggregate in tumbling windows of the slide's length first, and combine those; or slide by more. In SQL, `OVER` windows
and cumulating windows do with less.

## Not when
Size or slide is not known, or the ratio is below 1,000.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/windows/#useful-state-size-considerations>:
  one copy of a record for each window
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job

_MANY = 1_000


@rule(
    code="FLK450",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:window"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def windows_overlap_often(config: View) -> Iterator[Finding]:
    """a sliding window puts each record into very many windows"""
    for window in config.elements("window"):
        size, slide = window.number("size"), window.number("slide")
        if size is None or not slide or size / slide < _MANY:
            continue
        copies = f"{int(size / slide):,}"
        yield window.finding(
            f"each record belongs to {copies} windows at a time, and updates the state of all of them: load and"
            f" checkpoints are {copies} times those of one window",
            of="slide",
            help="aggregate in tumbling windows of the slide first and combine them, or slide by more",
            related=[window.place("size", "size")],
        )


_STREAM = '.keyBy(o -> o.shop).window(SlidingEventTimeWindows.of(%s, %s)).sum("n").uid("n").addSink(sink)'


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.concurrent.atomic.*;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1L).assignTimestampsAndWatermarks(WatermarkStrategy.<Long>forMonotonousTimestamps()
        .withTimestampAssigner((one, before) -> 1_600_000_000_000L)).keyBy(one -> one)
        .window(SlidingEventTimeWindows.of(Time.days(1), Time.%s(1))).sum(0)\
.map(one -> COUNT.incrementAndGet()).print();
    env.execute();
    System.out.println("shows " + COUNT + " windows");
  }
  static final AtomicInteger COUNT = new AtomicInteger();
}
"""


def claims() -> list[Claim]:
    return [
        flink_uses(
            "program", _CLAIMED % "minutes", "shows 1440 windows", good=_CLAIMED % "hours", releases=">=1.19,<2.0"
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(
            java_job("", stream=_STREAM % ("Time.days(1)", "Time.minutes(1)")), file="Job.java", at="Time.minutes(1)",
            severity=Severity.WARNING, says="1,440 windows",
        ),
        bad(
            java_job("", stream=_STREAM % ("Duration.ofHours(1)", "Duration.ofSeconds(1)")), file="Job.java",
            says="3,600",
        ),
        bad(java_job("", stream=_STREAM % ("Time.seconds(1000)", "Time.seconds(1)")), file="Job.java"),
        good(java_job("", stream=_STREAM % ("Time.seconds(999)", "Time.seconds(1)")), file="Job.java"),
        good(java_job("", stream=_STREAM % ("size", "Time.seconds(1)")), file="Job.java"),
    ]  # fmt: skip
