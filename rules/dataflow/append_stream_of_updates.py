"""A table whose rows are updated becomes a stream of rows that are only added.

## What it does
Looks at `toAppendStream` and `toDataStream` of a table that comes from a query with `GROUP BY`, `SELECT DISTINCT` or an
outer join, or from `groupBy` of the Table API, without a window.

## Why it matters
Such a query updates its result with each row. The two methods have no way to say so, and the planner refuses the
program: `Table sink '*anonymous_datastream_sink$1*' doesn't support consuming update changes which is produced by node
GroupAggregate(...)`, or, before 1.13, `toAppendStream doesn't support consuming update changes`.

## What to do
Call `toChangelogStream`, whose rows have a kind (`+I`, `-U`, `+U`, `-D`), before 1.13 `toRetractStream`. Or aggregate
in windows (`TABLE(TUMBLE(...))`), whose results are final.

## Not when
The query has a window, an `OVER`, a temporal or interval join, runs in batch mode, or is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/data_stream_api/#converting-between-datastream-and-table>:
  which method is for which tables
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK467",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:append-stream"],
    flink=">=1.0",
    since="0.1",
)
def append_stream_of_updates(config: View) -> Iterator[Finding]:
    """a table with updates becomes a stream of additions"""
    for stream in config.elements("append-stream"):
        newer = "toChangelogStream" if config.since("1.13") else "toRetractStream"
        yield stream.finding(
            f"{stream.method(stream.name)} takes rows that are only added, and {stream.text('updates')} updates them:"
            " the planner refuses the program (doesn't support consuming update changes)",
            help=f"call {stream.method(newer)}, or aggregate in a window",
            related=[stream.place("updates", "updates its result")],
        )


_JAVA = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    Table totals = %s;
    tables.%s.print();
    env.execute("totals");
  }
}
"""
_GROUPED = 'tables.sqlQuery("SELECT shop, COUNT(*) FROM orders GROUP BY shop")'
_WINDOWED = (
    'tables.sqlQuery("SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), "'
    " + \"INTERVAL '1' MINUTE)) GROUP BY window_start, window_end\")"
)
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
tables = StreamTableEnvironment.create(env)
totals = tables.from_path("orders").group_by(col("shop")).select(col("shop"), col("n").sum)
tables.%s(totals).print()
env.execute("totals")
"""


def cases() -> list[Case]:
    return [
        bad(
            _JAVA % (_GROUPED, "toDataStream(totals)"), file="Job.java", at="toDataStream", severity=Severity.WARNING,
            says="GROUP BY updates them",
        ),
        bad(_JAVA % (_GROUPED, "toAppendStream(totals, Row.class)"), file="Job.java"),
        bad(_PYTHON % "to_data_stream", file="job.py", says="to_data_stream takes rows"),
        good(_JAVA % (_GROUPED, "toChangelogStream(totals)"), file="Job.java"),
        good(_JAVA % (_WINDOWED, "toDataStream(totals)"), file="Job.java"),
        good(_JAVA % ('tables.from("orders")', "toDataStream(totals)"), file="Job.java"),
        good(
            _JAVA % (_GROUPED, 'toDataStream(totals); env.setRuntimeMode(RuntimeExecutionMode.BATCH); totals'),
            file="Job.java",
        ),
    ]  # fmt: skip


_PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    tables.executeSql("CREATE TABLE a (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')");
    tables.%s(tables.sqlQuery("SELECT n, COUNT(*) AS c FROM a GROUP BY n")).print();
    env.execute();
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails("program", _PROGRAM % "toDataStream", good=_PROGRAM % "toChangelogStream", releases=">=1.20"),
    ]
