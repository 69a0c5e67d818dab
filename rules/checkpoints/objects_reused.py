"""Operators hand on the very objects that others still hold.

## What it does
Reports `pipeline.object-reuse: true`, in a program of the DataStream API (`enableObjectReuse()`) or for a whole
cluster. It is advice: only a look at the job's functions shows whether one of them keeps or changes its input.

## Why it matters
Flink then passes a record to the next operator in the chain without copying it. A function that keeps its input (in a
list, a cache, a state on the heap, a request under way) or changes it changes what others hold: values are silently
wrong, and only where operators happen to be chained. For a whole cluster that is the fate of jobs whose authors never
heard of it.

## What to do
Set it in the job whose functions were looked through for this, or not at all. Types without mutable fields gain the
speed by nothing being copied anyway.

## Not when
The job is in SQL or on the Table API, whose operators copy what they keep; so is a program with statements of SQL.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/execution/execution_configuration/>:
  the option, and that functions must be aware of it
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/dev/dataset/overview/#operating-on-data-objects-in-functions>:
  what functions may do with objects in either mode
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_REUSE = "pipeline.object-reuse"


@rule(
    code="FLK326",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_REUSE],
    since="0.1",
)
def objects_reused(config: View) -> Iterator[Finding]:
    """operators hand on the very objects that others still hold"""
    reuse = config.get(_REUSE)
    if not config.boolean(_REUSE):
        return
    if config.document.kind == "sql" or config.elements("query", "table"):
        return
    if reuse.document.kind == "source":
        yield reuse.finding(
            "records are no longer copied between chained functions: one that keeps or changes its input corrupts"
            " what others hold",
            help="leave it out, unless every function of the job was looked through for this",
            at="entry",
        )
    else:
        yield reuse.finding(
            "records of every job are no longer copied between chained functions, whether or not they bear it",
            help="set it in the jobs whose functions were looked through for this, as SQL's are",
            at="entry",
        )


_PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    {}
    env.execute();
  }}
}}
"""


def cases() -> list[Case]:
    return [
        bad(
            _PROGRAM.format("env.getConfig().enableObjectReuse();"),
            at=_REUSE,
            file="Orders.java",
            flink="1.18",
            severity=Severity.INFO,
            says="keeps or changes its input",
        ),
        bad(f"{_REUSE}: true\n", at=_REUSE, severity=Severity.INFO, says="every job"),
        bad(f"{_REUSE}: true\n", flink="1.10"),
        good(_PROGRAM.format("env.getConfig().disableObjectReuse();"), file="Orders.java", flink="1.18"),
        good(
            _PROGRAM.format(
                "env.getConfig().enableObjectReuse();\n    StreamTableEnvironment t = "
                "StreamTableEnvironment.create(env);\n"
                '    t.executeSql("INSERT INTO a SELECT * FROM b");'
            ),
            file="Orders.java",
            flink="1.18",
        ),
        good(f"SET '{_REUSE}' = 'true';\nINSERT INTO a SELECT * FROM b;\n", file="job.sql"),
        good(f"SET '{_REUSE}' = 'true';\n", file="settings.sql"),
        good(
            _PROGRAM.format(
                "env.getConfig().enableObjectReuse();\n    StreamTableEnvironment t = "
                "StreamTableEnvironment.create(env);\n"
                "    t.executeSql(\"CREATE TABLE a (b INT) WITH ('connector' = 'datagen')\");"
            ),
            file="Orders.java",
            flink="1.18",
        ),
        good(f"{_REUSE}: false\n"),
        good(f"{_REUSE}: '{{{{ reuse }}}}'\n"),
    ]
