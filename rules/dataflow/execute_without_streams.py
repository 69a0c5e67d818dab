"""A program executes an environment without streams, or an empty statement set.

## What it does
Looks at programs that run their statements with `executeSql`, `executeInsert` or a statement set, declare no stream at
all, and call `execute` of the execution environment too; and for statement sets that are executed, to which nothing is
added.

## Why it matters
From Flink 1.11 on, `executeSql` of an `INSERT` submits its job itself. `env.execute()` then has nothing to run, and the
program ends with `IllegalStateException: No operators defined in streaming topology. Cannot execute.` (or `Cannot
generate StreamGraph.`); in application mode the cluster counts the whole application as failed.

## What to do
Leave the call out; add the statements to the set, with `addInsertSql`. To wait for the job of the statement, call
`.await()` on its result.

## Not when
The program declares streams, or hands its environment to another class, which may.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/data_stream_api/#explain-a-table>: what
  `executeSql` and `execute` run
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK465",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:empty-execution"],
    flink=">=1.0",
    since="0.1",
)
def execute_without_streams(config: View) -> Iterator[Finding]:
    """a program executes an environment without streams"""
    for call in config.elements("empty-execution"):
        if call.has("set"):
            yield call.finding(
                'nothing was added to this statement set: execute fails with "No operators defined in streaming'
                ' topology"',
                help=f"add statements with {call.method('addInsertSql')} before, or leave execute out",
                related=[call.place("set", "made here")],
            )
        elif config.since("1.11"):
            yield call.finding(
                f"{call.method(call.text('tables') or '')} has submitted its job, and the environment has no streams:"
                ' execute fails with "No operators defined in streaming topology"',
                help="leave execute out; to wait for the job, call await on the result of the statement",
                related=[call.place("tables", "runs the job")],
            )


_JAVA = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    tables.executeSql("%s");
    %s
  }
}
"""
_INSERT = "INSERT INTO totals SELECT shop FROM orders"
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
tables = StreamTableEnvironment.create(env)
tables.execute_sql("INSERT INTO totals SELECT shop FROM orders")
env.execute("orders")
"""


def cases() -> list[Case]:
    return [
        bad(
            _JAVA % (_INSERT, 'env.execute("orders");'), file="Job.java", at="execute", severity=Severity.WARNING,
            says="No operators defined",
        ),
        bad(_PYTHON, file="job.py", says="execute_sql has submitted"),
        bad(
            _JAVA % ("CREATE TABLE t (a INT)", "StatementSet set = tables.createStatementSet(); set.execute();"),
            file="Job.java", says="nothing was added to this statement set",
        ),
        good(
            _JAVA
            % (
                "CREATE TABLE t (a INT)",
                f'StatementSet set = tables.createStatementSet(); set.addInsertSql("{_INSERT}"); set.execute();',
            ),
            file="Job.java",
        ),
        good(
            _JAVA
            % (
                "CREATE TABLE t (a INT)",
                "StatementSet set = tables.createStatementSet(); fill(set); set.execute();",
            ),
            file="Job.java",
        ),
        good(_JAVA % (_INSERT, ""), file="Job.java"),
        good(_JAVA % (_INSERT, 'tables.toDataStream(orders).print(); env.execute("orders");'), file="Job.java"),
        good(_JAVA % ("CREATE TABLE t (a INT)", 'env.execute("orders");'), file="Job.java"),
        good(_JAVA % (_INSERT, 'Other.add(env); env.execute("orders");'), file="Job.java"),
    ]  # fmt: skip


_PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    tables.executeSql("CREATE TABLE a (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')");
    tables.executeSql("CREATE TABLE b (n INT) WITH ('connector' = 'blackhole')");
    tables.executeSql("INSERT INTO b SELECT n FROM a").await();
    %s
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails("program", _PROGRAM % call, good=_PROGRAM % "", releases=">=1.20")
        for call in ("env.execute();", "tables.createStatementSet().execute();")
    ]
