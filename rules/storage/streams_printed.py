"""A job prints a stream, to a file that never rolls.

## What it does
Reports a `print()` or `printToErr()` at the end of a stream in a program, and an `INSERT` into a table with the
connector `print`, unless `taskmanager.system-out.mode` (from 1.19 on) is `LOG` or `IGNORE`. Where a program writes
nowhere else it is an example to look at, and the finding a hint.

## Why it matters
What a TaskManager prints goes into its `.out` file, which no logging configuration rolls and nothing deletes: a
thousand records of 200 bytes a second are 17 GB a day. In a container it is in the logs of the node. Printing is
serial and waits for the disk, so it also slows the job down.

## What to do
Take it out, or look at samples through a log line at DEBUG. `taskmanager.system-out.mode: IGNORE` keeps a leftover
harmless.

## Not when
The file is one of tests or examples; nothing writes to the table. Nor where a condition decides about the sink: what
`if (isLocal(env))` prints is not printed in production, and a flag is somebody's choice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/print/>: where the connector writes to
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-system-out-mode>: the mode
"""

from collections.abc import Iterator

from flink_flint.linter.model.elements import KINDS
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_PRINTS = ("print", "printToErr", "PrintSink", "PrintSinkFunction")
_SINKS = tuple(kind for kind in KINDS if kind == "sink" or kind.endswith("-sink"))
_MODE = "taskmanager.system-out.mode"


@rule(
    code="FLK115",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:sink", "element:table"],
    flink=">=1.0",
    since="0.1",
)
def streams_printed(config: View) -> Iterator[Finding]:
    """a job prints a stream, to a file that never rolls"""
    if config.target.profile == "development":
        return
    if config.is_set(_MODE) and config.string(_MODE) != "DEFAULT":
        return
    message = (
        "what is printed goes to the TaskManager's .out file, which never rolls: a thousand records of 200 bytes a"
        " second are 17 GB a day"
    )
    sinks = [part for part in config.elements(*_SINKS) if part.name not in _PRINTS]
    for sink in config.elements("sink"):
        if sink.name in _PRINTS and not sink.has("condition"):
            yield sink.finding(
                message,
                help="take it out, or log samples at DEBUG",
                severity=None if sinks else Severity.INFO,  # a program for looking at, where nothing else is written
            )
    written = {target.text("name") for query in config.elements("query") for target in query.items("targets")}
    tables = [table for table in config.elements("table") if table.name in written]
    shown = [table for table in tables if table.text("connector") == "print"]
    is_example = config.document.kind == "source" and not sinks and len(shown) == len(tables)
    for table in shown:
        yield table.finding(
            message,
            of="connector",
            help="write to a table that somebody reads",
            severity=Severity.INFO if is_example else None,
        )


_TABLE = "CREATE TABLE shown (id BIGINT) WITH ('connector' = 'print');\n"
_SOURCE = "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'orders');\n"
_INSERT = "INSERT INTO shown SELECT id FROM orders;\n"
_JOB = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "class Job {{\n  void run() throws Exception {{\n"
    "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    "    env.addSource(new Orders()){}\n    env.execute();\n  }}\n}}\n"
)
_GUARDED = _JOB.format(
    ".sinkTo(KafkaSink.<String>builder().build());\n    if (CONDITION) env.fromSource(source).print()"
)
_PROGRAM = (
    "from pyflink.table import EnvironmentSettings, TableEnvironment\n"
    "tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\n"
    "tables.execute_sql(\"CREATE TABLE orders (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'orders')\")\n%s"
)
_WRITE = (
    "tables.execute_sql(\"CREATE TABLE shown (id BIGINT) WITH ('connector' = 'print')\")\n"
    "tables.execute_sql('INSERT INTO shown SELECT id FROM orders')\n"
)
_STORE = (
    "tables.execute_sql(\"CREATE TABLE kept (id BIGINT) WITH ('connector' = 'jdbc', 'table-name' = 'kept')\")\n"
    "tables.execute_sql('INSERT INTO kept SELECT id FROM orders')\n"
)


def cases() -> list[Case]:
    return [
        bad(_SOURCE + _TABLE + _INSERT, file="job.sql", at="shown.connector", says="17 GB a day"),
        bad(_JOB.format(".map(x -> x).print();"), file="src/main/java/Job.java", at="print"),
        bad(_JOB.format(".map(x -> x).print();"), file="src/main/java/org/example/Job.java", at="print"),
        good(_JOB.format(".map(x -> x).print();"), file="src/test/java/Job.java", profile="development"),
        good(_SOURCE + _TABLE + _INSERT, file="job.sql", profile="development"),
        good(_SOURCE + _TABLE + "SELECT * FROM orders;\n", file="job.sql"),
        good(
            "SET 'taskmanager.system-out.mode' = 'IGNORE';\n" + _SOURCE + _TABLE + _INSERT, file="job.sql", flink="1.20"
        ),
        good(
            "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'orders');\n"
            "CREATE TABLE shown (id BIGINT) WITH ('connector' = 'blackhole');\n"
            "INSERT INTO shown SELECT id FROM orders;\n",
            file="job.sql",
        ),
        bad(
            "SET 'taskmanager.system-out.mode' = 'default';\n" + _SOURCE + _TABLE + _INSERT,
            file="job.sql",
            flink="1.20",
        ),
        good(
            "SET 'taskmanager.system-out.mode' = '${MODE}';\n" + _SOURCE + _TABLE + _INSERT,
            file="job.sql",
            flink="1.20",
        ),
        bad(_JOB.format(".print();"), file="src/main/java/Job.java", severity=Severity.INFO),
        good(_GUARDED.replace("CONDITION", "isLocal(env)"), file="src/main/java/Job.java"),
        good(_GUARDED.replace("CONDITION", 'params.has("print")'), file="src/main/java/Job.java"),
        bad(_GUARDED.replace("CONDITION", "isProduction(env)"), file="src/main/java/Job.java", at="print"),
        bad(_JOB.format(".printToErr();"), file="src/main/java/Job.java", at="printToErr"),
        good(_JOB.format(".sinkTo(new Files());"), file="src/main/java/Job.java"),
        bad(
            _JOB.format(".print();\n    env.addSource(new Orders()).addSink(JdbcSink.sink(sql, setter, options))"),
            file="src/main/java/Job.java",
            severity=Severity.WARNING,
        ),
        bad(
            _JOB.format(".print();\n    KafkaSink<String> sink = KafkaSink.<String>builder().build()"),
            file="src/main/java/Job.java",
            severity=Severity.WARNING,
        ),
        bad(_PROGRAM % _WRITE, file="orders.py", severity=Severity.INFO),
        bad(
            _PROGRAM % (_WRITE + _STORE),
            file="orders.py",
            at="'print'",
            severity=Severity.WARNING,
        ),
    ]
