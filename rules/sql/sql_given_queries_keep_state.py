"""A program runs queries that it is given, and keeps their state for ever.

## What it does
Looks for programs that make a stream of updates (`toRetractStream`) of a query whose text comes from outside, and that
set neither an idle state retention nor `table.exec.state.ttl`.

## Why it matters
State of long-running jobs grows with every key that was ever seen: checkpoints become slower week by week until they
time out. Whoever writes a query for such a program does not see the code that runs it; the first GROUP BY or join
without a window keeps its keys for ever, since that is the default.

## What to do
Set it in the program, with a default: `tableEnvironment.getConfig().setIdleStateRetention(Duration.ofHours(9))`;
before 1.12 `withIdleStateRetentionTime(Time.hours(8), Time.hours(9))` of the query's configuration.

## Not when
The program has the text of the query itself (other rules read it), it sets a time, or, from 1.13 on, its deployment
may do so: then it is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/concepts/overview/#idle-state-retention-time>:
  kept for ever by default
- <https://github.com/raystack/dagger>: a platform that came to set it
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import TTL


@rule(
    code="FLK159",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    when=["element:update-stream"],
    flink=">=1.4",
    since="0.1",
)
def sql_given_queries_keep_state(config: View) -> Iterator[Finding]:
    """a program runs queries that it is given, and keeps their state for ever"""
    streams = [one for one in config.elements("update-stream") if not one.has("retention")]
    if not streams or config.is_set(TTL):
        return
    new = config.since("1.13")  # from where on the configuration of a cluster counts for tables
    yield streams[0].finding(
        "the query comes from outside and yields updates, and nothing sets an idle state retention: each GROUP"
        " BY and join"
        " without a window keeps every key for ever",
        key=TTL,
        help=f"set {TTL} in the program"
        + (" (setIdleStateRetention)" if config.since("1.12") else ", by withIdleStateRetentionTime(min, max)"),
        severity=Severity.INFO if new and not config.is_deployment_known else None,
    )


_JOB = """\
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Runner {
    private StreamTableEnvironment tables;

    public void run(Parameters parameters) throws Exception {
        %s
        tables.toRetractStream(tables.sqlQuery(%s), Row.class).print();
    }
}
"""
_GIVEN = 'parameters.get("query", "")'


def cases() -> list[Case]:
    return [
        bad(_JOB % ("", _GIVEN), file="Runner.java", at="toRetractStream", flink="1.11", severity=Severity.WARNING,
            says="the query comes from outside and yields updates"),
        bad(_JOB % ("", "query"), file="Runner.java", flink="1.18", severity=Severity.INFO),
        good(_JOB % ("tables.getConfig().setIdleStateRetention(Duration.ofHours(9));", _GIVEN), file="Runner.java",
             flink="1.13"),
        good(_JOB % ('tables.getConfig().getConfiguration().setString("table.exec.state.ttl", ttl);', _GIVEN),
             file="Runner.java", flink="1.12"),
        good(_JOB % ("", '"SELECT id FROM orders"'), file="Runner.java", flink="1.11"),
    ]  # fmt: skip
