"""State past its time to live stays where it is.

## What it does
Looks at programs with a `StateTtlConfig`. Reports `disableCleanupInBackground()` where neither
`cleanupInRocksdbCompactFilter` nor `cleanupIncrementally` is called, and, for 1.9, any time to live without a call of
one of the two or of `cleanupInBackground`.

## Why it matters
The time to live alone makes old values invisible. What removes them is a background cleanup: a filter as RocksDB
compacts its files, a few entries with each access on the heap. Without it a value goes only when its own key is read
again, which for the ids of sessions or orders is never: the state grows as if there were no time to live.

## What to do
Leave the background cleanup on (the default since 1.10), or name one of the two strategies.

## Not when
One of the strategies is set by hand. The job ends by itself: it runs in batch mode, or all it reads has an end. Of a
release that nobody knows only `disableCleanupInBackground` is reported.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/state/#cleanup-of-expired-state>:
  what removes expired state
- <https://nightlies.apache.org/flink/flink-docs-release-1.9/dev/stream/state/state.html#cleanup-of-expired-state>:
  the cleanup of 1.9, which must be asked for
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_CLEANUP = "state-ttl-cleanup"


@rule(
    code="FLK349",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:job"],
    of_scale=True,
    since="0.1",
)
def expired_state_kept(config: View) -> Iterator[Finding]:
    """state past its time to live is never removed"""
    if config.is_bounded:
        return
    for job in config.elements("job"):
        if job.value(_CLEANUP) is False:
            yield job.finding(
                "nothing removes what is past its time to live unless its own key is read again: the state grows on",
                of=_CLEANUP,
                help="leave the cleanup in the background on, or set cleanupInRocksdbCompactFilter",
            )
        elif job.has("state-ttl") and not job.has(_CLEANUP) and config.target.certain and not config.since("1.10"):
            yield job.finding(
                "Flink 1.9 removes what is past its time to live only where its own key is read again",
                of="state-ttl",
                help="call cleanupInBackground() on the builder",
            )


_JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Sessions {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StateTtlConfig ttl = StateTtlConfig.newBuilder(Time.days(7)){}.build();
    env.execute();
  }}
}}
"""
_ENDED = _JOB.replace("{}.build();", ".disableCleanupInBackground().build();\n    {}")


def cases() -> list[Case]:
    return [
        bad(
            _JOB.format(".disableCleanupInBackground()"), at="Sessions.state-ttl-cleanup", file="Sessions.java",
            severity=Severity.WARNING, says="the state grows on",
        ),
        bad(_JOB.format(".disableCleanupInBackground().cleanupFullSnapshot()"), file="Sessions.java", flink="1.18"),
        bad(_JOB.format(""), at="Sessions.state-ttl", file="Sessions.java", flink="1.9"),
        good(_JOB.format(""), file="Sessions.java", flink="1.10"),
        good(_ENDED.format("env.setRuntimeMode(RuntimeExecutionMode.BATCH);"), file="Sessions.java"),
        good(_ENDED.format("env.fromSequence(1, 10).addSink(new Sink());"), file="Sessions.java"),
        bad(_ENDED.format("env.addSource(new Orders()).addSink(new Sink());"), file="Sessions.java"),
        good(_JOB.format(""), file="Sessions.java"),
        good(_JOB.format(".cleanupInBackground()"), file="Sessions.java", flink="1.9"),
        good(_JOB.format(".cleanupInRocksdbCompactFilter(1000)"), file="Sessions.java", flink="1.9"),
        good(_JOB.format(".disableCleanupInBackground().cleanupIncrementally(10, false)"), file="Sessions.java"),
        good(
            _JOB.format(".disableCleanupInBackground().cleanupInRocksdbCompactFilter(1000)"), file="Sessions.java",
            flink="1.9",
        ),
    ]  # fmt: skip


_PROGRAM = """import org.apache.flink.api.common.state.StateTtlConfig;
{}
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StateTtlConfig ttl = StateTtlConfig.newBuilder({}.{}(7)){}.build();
    StateTtlConfig.CleanupStrategies removing = ttl.getCleanupStrategies();
    if (removing.getIncrementalCleanupStrategy() == null && !removing.inRocksdbCompactFilter()) {{
      throw new IllegalStateException("nothing removes expired state");
    }}
  }}
}}
"""


def claims() -> list[Claim]:
    old = _PROGRAM.format("import org.apache.flink.api.common.time.Time;", "Time", "days", "{}")
    new = _PROGRAM.format("import java.time.Duration;", "Duration", "ofDays", "{}")
    off = ".disableCleanupInBackground()"
    one = f"{off}.cleanupIncrementally(10, false)"
    return [
        flink_fails("program", _filled(old, off), good=_filled(old, one), releases=">=1.10,<2.0"),
        flink_fails("program", _filled(new, off), good=_filled(new, ""), releases=">=2.0"),
        flink_fails("program", _filled(old, ""), good=_filled(old, ".cleanupInBackground()"), releases="<1.11"),
    ]


def _filled(program: str, calls: str) -> str:
    return program.replace("{}", calls)
