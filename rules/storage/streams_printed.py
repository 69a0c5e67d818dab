"""A job prints a stream, to a file that never rolls.

## What it does
Reports a `print()` or `printToErr()` at the end of a stream in a program, and an `INSERT` into a table with the
connector `print`, unless `taskmanager.system-out.mode` (from 1.19 on) is `LOG` or `IGNORE`. Where a job or script
writes nowhere else, or nothing in the repository deploys it, it is an example to look at, and the finding a hint; so it
is for what windows yield, which is few.

## Why it matters
What a TaskManager prints goes into its `.out` file, which no logging configuration rolls and nothing deletes: a
thousand records of 200 bytes a second are 17 GB a day. In a container it is in the logs of the node. Printing is
serial and waits for the disk, so it also slows the job down.

## What to do
Take it out, or look at samples through a log line at DEBUG. `taskmanager.system-out.mode: IGNORE` keeps a leftover
harmless.

## Not when
The file is one of tests or examples; nothing writes to the table. All that the job reads has an end
(`execution.runtime-mode: BATCH`, `number-of-rows`, `fromElements`, `readTextFile`). Nor where a condition decides about
the sink: what `if (isLocal(env))` prints is not printed in production, and a flag is somebody's choice. Nor where the
program runs statements of tables and never calls `execute` of its environment: what it builds of streams does not run.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/print/>: where the connector writes to
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-system-out-mode>: the mode
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/data_stream_api/>: what `executeSql` and
  `StreamExecutionEnvironment.execute` run
"""

from collections.abc import Iterator

from flink_flint.linter.model.elements import SINKS
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import MODE, Reading, in_force, readings, target

_PRINTS = ("print", "printToErr", "PrintSink", "PrintSinkFunction")
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
    message = f"what is printed goes to {_where(config)}: a thousand records of 200 bytes a second are 17 GB a day"
    # A job that writes nothing else, or that nothing deploys, is for looking at.
    severity = None if config.below and _writes_elsewhere(config) else Severity.INFO
    if config.string(MODE) != "BATCH":
        for sink in config.elements("sink"):
            if sink.name in _PRINTS and not sink.has("condition") and not sink.has("bounded"):
                few = Severity.INFO if sink.has("windowed") else severity
                yield sink.finding(message, help="take it out, or log samples at DEBUG", severity=few)
    for table, is_windowed in _printed_tables(config):
        few = Severity.INFO if is_windowed else severity
        yield table.finding(message, of="connector", help="write to a table that somebody reads", severity=few)


def _where(config: View) -> str:
    """Where the standard output of a TaskManager is."""
    if config.platform in ("kubernetes", "operator", "compose"):
        return "the TaskManager's standard output, which is the log of its container"
    if config.platform == "msf":
        return "the TaskManager's standard output"
    if config.platform is None:
        return "the TaskManager's standard output: the log of its container, or an .out file, which never rolls"
    return "the TaskManager's .out file, which never rolls"


def _writes_elsewhere(config: View) -> bool:
    """Whether the job, or a job of the script, writes to something that somebody reads."""
    if any(part.name not in (*_PRINTS, "DiscardingSink") for part in config.elements(*SINKS)):
        return True
    targets = [target(config, query) for query in config.elements("query")]
    return any(one is not None and one.connector not in ("print", "blackhole") for one in targets)


def _printed_tables(config: View) -> Iterator[tuple[ElementView, bool]]:
    """The tables that print what statements write to them for as long as they run, and whether windows yield all."""
    printed: dict[str, tuple[ElementView, bool]] = {}
    for query in config.elements("query"):
        sink = target(config, query)
        if sink is None or sink.table is None or sink.connector != "print" or query.has("values"):
            continue
        sources = readings(config, query)
        is_bounded = bool(sources) and all(_is_bounded(one) for one in sources)
        mode = in_force(config, query, MODE)
        if not is_bounded and not (isinstance(mode, str) and mode.upper() == "BATCH"):
            is_windowed = query.has("window") and printed.get(sink.table.name, (None, True))[1]
            printed[sink.table.name] = sink.table, is_windowed
    yield from printed.values()


def _is_bounded(source: Reading) -> bool:
    """Whether a table certainly has an end."""
    if source.connector in ("datagen", "faker"):
        return source.has("number-of-rows") or (source.connector == "datagen" and not source.is_endless_log)
    if source.connector == "filesystem":
        return not source.has("source.monitor-interval")
    if source.has("scan.bounded.mode"):
        return source.option("scan.bounded.mode") != "unbounded"
    return source.connector == "jdbc"


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


_OTHER = (
    "CREATE TABLE paid (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'paid');\n"
    "INSERT INTO paid SELECT id FROM orders;\n"
)
_DATAGEN = "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'datagen'%s);\n"
_FILES = "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'filesystem', 'path' = 's3://b/o'%s);\n"
_WRAPPER = (
    "import org.apache.flink.streaming.api.datastream.DataStream;\n"
    "public class Stream<T> {\n  private DataStream<T> stream;\n  public void print() { stream.print(); }\n}\n"
)
_TABLES_ALONE = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "class Job {\n  public static void main(String[] args) throws Exception {\n"
    "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    "    StreamTableEnvironment tables = StreamTableEnvironment.create(env);\n"
    '    DataStream<Row> paid = tables.toDataStream(tables.from("paid"));\n    paid.print();\n'
    '    tables.createTemporaryView("shown", paid);\n    tables.executeSql("INSERT INTO kept SELECT * FROM shown");\n'
    "    // env.execute();\n  }\n}\n"
)
_WINDOW = "FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"
_KEPT = (
    _JOB.format(
        ".sinkTo(KafkaSink.<String>builder().build());\n    DataStream<Order> sums = env.fromSource(source).keyBy(key)"
        ".PLACE;\n    sums.print()"
    )
    .replace("{", "{{")
    .replace("}", "}}")
    .replace("PLACE", "{}")
)


_MODULE = {"pom.xml": "<project/>\n", "conf/flink-conf.yaml": "taskmanager.numberOfTaskSlots: 2\n"}
_SCRIPT = {
    "compose.yaml": "services:\n  script:\n    image: flink:1.20\n    command: sql-client.sh -f /opt/job.sql\n"
    "    volumes: ['./job.sql:/opt/job.sql']\n"
}


def cases() -> list[Case]:
    return [
        bad(_SOURCE + _TABLE + _INSERT, file="job.sql", at="shown.connector", says="17 GB a day"),
        bad(_JOB.format(".map(x -> x).print();"), file="src/main/java/Job.java", at="print"),
        bad(_JOB.format(".map(x -> x).print();"), file="src/main/java/org/example/Job.java", at="print"),
        good(_JOB.format(".map(x -> x).print();"), file="src/test/java/Job.java", profile="development"),
        good(_SOURCE + _TABLE + _INSERT, file="job.sql", profile="development"),
        bad(_SOURCE + _TABLE + _INSERT, file="job.sql", severity=Severity.INFO),
        bad(
            _SOURCE + _TABLE + _OTHER + _INSERT, file="job.sql", severity=Severity.WARNING, beside=_SCRIPT,
            at="shown.connector",
        ),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _SOURCE + _TABLE + _INSERT, file="job.sql"),
        bad(
            "SET 'execution.runtime-mode' = 'batch';\n"
            + _SOURCE
            + _TABLE
            + "INSERT INTO shown SELECT id FROM orders WHERE id < 9;\nSET 'execution.runtime-mode' = 'streaming';\n"
            + _INSERT,
            file="job.sql",
        ),
        good(_DATAGEN % ", 'number-of-rows' = '10'" + _TABLE + _INSERT, file="job.sql"),
        bad(_DATAGEN % ", 'rows-per-second' = '10'" + _TABLE + _INSERT, file="job.sql", severity=Severity.INFO),
        good(_FILES % "" + _TABLE + _INSERT, file="job.sql"),
        bad(_FILES % ", 'source.monitor-interval' = '1 min'" + _TABLE + _INSERT, file="job.sql"),
        good(_SOURCE + _TABLE + "INSERT INTO shown VALUES (1);\n", file="job.sql"),
        good(_SOURCE.replace("orders')", "orders', 'scan.bounded.mode' = 'latest-offset')") + _TABLE + _INSERT,
             file="job.sql"),
        good(_JOB.format(".print();").replace("addSource(new Orders())", "fromElements(1, 2)"),
             file="src/main/java/Job.java"),
        good(_JOB.format(".print();").replace("addSource(new Orders())", 'readTextFile("in.txt")'),
             file="src/main/java/Job.java"),
        bad(_JOB.format(".print();\n    env.fromElements(1, 2).map(x -> x)"), file="src/main/java/Job.java"),
        good(_WRAPPER, file="src/main/java/Stream.java"),
        bad(_WRAPPER.replace("print()", "show()", 1), file="src/main/java/Stream.java", severity=Severity.INFO),
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
            severity=Severity.WARNING, beside=_MODULE,
        ),
        bad(
            _JOB.format(".print();\n    KafkaSink<String> sink = KafkaSink.<String>builder().build()"),
            file="src/main/java/Job.java",
            severity=Severity.WARNING, beside=_MODULE,
        ),
        bad(
            _KEPT.format("map(x -> x)"), file="src/main/java/Job.java", at="print", severity=Severity.WARNING,
            beside=_MODULE,
        ),
        bad(
            _KEPT.format("window(hours).sum(1)"), file="src/main/java/Job.java", at="print", severity=Severity.INFO,
        ),
        bad(
            _KEPT.format("window(hours).sum(1)").replace("sums.print()", "sums.addSink(new PrintSinkFunction<>())"),
            file="src/main/java/Job.java", severity=Severity.INFO,
        ),
        bad(
            _SOURCE + _TABLE + _OTHER + _INSERT.replace(" id FROM orders", f" COUNT(*) {_WINDOW}"), file="job.sql",
            severity=Severity.INFO,
        ),
        bad(
            _SOURCE + _TABLE + _OTHER + _INSERT + _INSERT.replace(" id FROM orders", f" COUNT(*) {_WINDOW}"),
            file="job.sql", severity=Severity.WARNING, beside=_SCRIPT,
        ),
        good(_TABLES_ALONE, file="src/main/java/Job.java"),
        bad(_TABLES_ALONE.replace("// env", "env"), file="src/main/java/Job.java", at="print"),
        bad(_PROGRAM % _WRITE, file="orders.py", severity=Severity.INFO),
        bad(
            _PROGRAM % (_WRITE + _STORE),
            file="orders.py",
            at="'print'",
            severity=Severity.WARNING, beside={**_MODULE, "setup.py": "setup()\n"},
        ),
    ]  # fmt: skip
