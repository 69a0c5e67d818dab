"""A sink commits with checkpoints, and the job takes none.

## What it does
Looks for sinks that make their output visible when a checkpoint completes: `FileSink` and `StreamingFileSink`,
exactly-once sinks of Kafka and JDBC, SQL tables of `filesystem`, `iceberg`, `paimon`, `hudi` and `delta`. It reports
them where neither the program or script nor the deployment it runs on sets `execution.checkpointing.interval`. Where
no deployment is known it is a warning of low confidence if the job reads Kafka, CDC or the like, and nothing in the
repository sets it; otherwise it is advice.

## Why it matters
Without a checkpoint nothing is ever committed. Files stay hidden or `.inprogress`, transactions stay open until the
broker aborts them, tables get no snapshot. The job runs, its metrics show records going out, and whoever reads sees
none. A restart throws away what was written.

## What to do
Set `execution.checkpointing.interval: 60s`, or call `env.enableCheckpointing(60_000)`.

## Not when
The class creates no environment: what calls it does. The job runs as a batch, or a `FileSink` writes what is bounded,
which is committed at the end; the managed service takes the checkpoints; a template decides.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/filesystem/#file-sink>:
  checkpointing needs to be enabled, or part files stay in progress
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  transactions are committed on a checkpoint
- <https://iceberg.apache.org/docs/latest/flink-writes/>: data is committed when a checkpoint completes
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, is_managed
from flink_flint.rules.checkpoints._checkpointing import is_streaming as may_stream
from flink_flint.rules.connectors._cases import program
from flink_flint.rules.kafka._cases import EXACTLY_ONCE, OLD_SINK
from flink_flint.rules.kafka._cases import program as kafka_program
from flink_flint.rules.kafka._cases import sink as kafka_sink
from flink_flint.rules.kafka._clients import drops_guarantee, exactly_once
from flink_flint.rules.sql._queries import MODE, is_overridden, is_streaming, queries, readings, target

_FILES = ("FileSink", "StreamingFileSink")
_ICEBERG = ("FlinkSink", "IcebergSink")
_TABLES = {
    "filesystem": "its files stay in progress", "iceberg": "its table gets no snapshot",
    "paimon": "its table gets no snapshot", "hudi": "its table gets no commit", "delta": "its table gets no commit",
}  # fmt: skip


@rule(
    code="FLK858",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    when=["element:sink", "element:kafka-sink", "element:query"],
    flink=">=1.12",
    since="0.1",
)
def commits_without_checkpoints(config: View) -> Iterator[Finding]:
    """a sink commits with checkpoints, and the job takes none"""
    if is_managed(config) or config.document.kind not in ("source", "sql"):
        return
    known = config.is_deployment_known
    kind = "program" if config.document.kind == "source" else "script"
    where = f"neither the {kind} nor its deployment sets {INTERVAL}"
    if not known:
        where = f"the {kind} does not set {INTERVAL}, which only its deployment, unknown here, could do"
    is_nowhere = not (known or config.may_be_set_by_cluster(INTERVAL) or config.may_be_set_by_program(INTERVAL))
    unknown = Severity.WARNING if is_nowhere and _reads_endless(config) else Severity.INFO
    for part, name, effect in (*_of_program(config, known=known), *_of_script(config)):
        yield part.finding(
            f"{name} commits with checkpoints, and {where}: {effect}",
            key=INTERVAL,
            help=f"set {INTERVAL}: 60s"
            + (f", or call {part.method('enableCheckpointing')}" if config.document.kind == "source" else ""),
            severity=None if known else unknown,
            confidence=None if known else Confidence.LOW,
        )


def _reads_endless(config: View) -> bool:
    """Return whether a job certainly reads a stream without an end that others write."""
    if config.elements("query"):
        read = [one for query in queries(config) for one in readings(config, query) if one.connector != "datagen"]
        return any(one.is_endless for one in read)
    sources = config.elements("kafka-source", "kinesis-source", "pulsar-source", "cdc-source")
    return bool(sources) and not any(one.has("bounded") for one in sources)


def _of_program(config: View, *, known: bool) -> Iterator[tuple[ElementView, str, str]]:
    jobs = config.elements("job")
    if config.is_set(INTERVAL) or not may_stream(config) or not jobs:
        return
    if not all(job.is_known(f"sets.{key}") for job in jobs for key in (INTERVAL, MODE)):
        return
    for sink in config.elements("sink"):
        if sink.name in ("FileSink", *_ICEBERG) and sink.has("bounded"):
            continue  # its committer commits when the input ends
        if sink.name in _FILES:
            yield sink, sink.name, "its files stay in progress"
        elif sink.name in _ICEBERG:
            yield sink, f"Iceberg's {sink.name}", "its table gets no snapshot"
        elif sink.name == "JdbcSink" and sink.text("method") == "exactlyOnceSink":
            yield sink, "JdbcSink.exactlyOnceSink", "its transactions stay open"
    for writer in exactly_once(config):
        effect = "readers of committed records see nothing"
        if drops_guarantee(config, writer):
            if known:
                continue  # FLK804 reports it
            effect = "it switches to no guarantee"
        yield writer, f"{writer.text('api')} with exactly-once", effect


def _of_script(config: View) -> Iterator[tuple[ElementView, str, str]]:
    told = set()
    for query in queries(config):
        sink = target(config, query)
        if sink is None or (sink.table is not None and sink.table.has("like")):
            continue
        part = query if sink.table is None else sink.table  # a table that is in its catalog already
        if sink.store not in _TABLES or part.span() in told or not is_streaming(config, query):
            continue
        if is_overridden(config, query, INTERVAL) or config.is_set(INTERVAL):
            continue
        told.add(part.span())
        yield part, sink.name, _TABLES[sink.store]


_SINK = "FileSink<String> sink = FileSink.forRowFormat(new Path(path), new SimpleStringEncoder<String>()).build();"
_KAFKA = 'KafkaSource<String> in = KafkaSource.<String>builder().setTopics("positions").build();'
_BOUNDED = (
    'env.fromElements("a").sinkTo(FileSink.forRowFormat(new Path(path), new SimpleStringEncoder<String>()).build());'
)
_JDBC = 'stream.addSink(JdbcSink.{}("INSERT INTO positions VALUES (?, ?)", setter, options, () -> dataSource));'
_READ = "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
_FROM_KAFKA = _READ.replace("datagen", "kafka")
_WRITE = (
    "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', 'format' = 'json');\n"
    "INSERT INTO d SELECT id FROM s;\n"
)
_PART = (
    "import org.apache.flink.streaming.api.datastream.DataStream;\n"
    "public class FileSinkJob {\n  public void build(DataStream<String> stream) {\n"
    "    stream.addSink(StreamingFileSink.forRowFormat(new Path(path), new SimpleStringEncoder<String>()).build());\n"
    "  }\n}\n"
)
_MODULE = {"pom.xml": "<project><artifactId>positions</artifactId></project>\n"}
_CLUSTER = "taskmanager.numberOfTaskSlots: 2\n%s"
_DEPLOYMENT = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: fleet}\n"
    "spec:\n  flinkVersion: v1_18\n  serviceAccount: flink\n  flinkConfiguration: {%s}\n"
)
_JOB = "  job: {jarURI: local:///opt/flink/usrlib/%s.jar}\n"
_SESSION = (
    "---\napiVersion: flink.apache.org/v1beta1\nkind: FlinkSessionJob\nmetadata: {name: positions}\n"
    "spec:\n  deploymentName: fleet\n  job: {jarURI: 'https://jars/positions-1.0.jar'}\n"
)
_ENABLED = "env.enableCheckpointing(60000);"


def cases() -> list[Case]:
    return [
        bad(program(_SINK), file="Positions.java", severity=Severity.INFO, says="the program does not set"),
        bad(
            program(_SINK),
            file="src/main/java/fleet/Positions.java",
            flink="1.18",
            severity=Severity.ERROR,
            beside={**_MODULE, "deploy/fleet.yaml": _DEPLOYMENT % "" + _JOB % "positions-1.0-all"},
            says="neither the program nor its deployment",
        ),
        bad(
            program(_SINK),
            file="positions/src/main/java/fleet/Positions.java",
            severity=Severity.ERROR,
            beside={"positions/pom.xml": _MODULE["pom.xml"], "deploy/fleet.yaml": _DEPLOYMENT % "" + _SESSION},
            says="neither the program nor its deployment",
        ),
        good(
            program(_SINK),
            file="positions/src/main/java/fleet/Positions.java",
            beside={
                "positions/pom.xml": _MODULE["pom.xml"],
                "positions/conf/flink-conf.yaml": _CLUSTER % "",
                "deploy/fleet.yaml": _DEPLOYMENT % "execution.checkpointing.interval: 60s" + _SESSION,
            },
        ),
        bad(
            program(_SINK),
            file="src/main/java/fleet/Positions.java",
            flink="1.18",
            severity=Severity.INFO,
            beside={**_MODULE, "conf/flink-conf.yaml": _CLUSTER % ""},
            says="the program does not set",
        ),
        bad(
            program(_SINK),
            file="src/main/java/fleet/Positions.java",
            flink="1.18",
            severity=Severity.INFO,
            beside={**_MODULE, "deploy/fleet.yaml": _DEPLOYMENT % "" + _JOB % "positions-of-ships-1.0"},
            says="the program does not set",
        ),
        bad(_READ + _WRITE, file="job.sql", severity=Severity.INFO, says="d commits with checkpoints"),
        bad(
            _FROM_KAFKA + _WRITE,
            file="job.sql",
            severity=Severity.WARNING,
            says="d commits with checkpoints",
        ),
        bad(
            program(_KAFKA, _SINK),
            file="Positions.java",
            severity=Severity.WARNING,
            says="FileSink commits",
        ),
        bad(
            program(_KAFKA.replace(".build()", ".setBounded(OffsetsInitializer.latest()).build()"), _SINK),
            file="Positions.java",
            severity=Severity.INFO,
        ),
        bad(
            "CREATE CATALOG lake WITH ('type' = 'iceberg');\n"
            + _READ.replace("datagen", "kafka")
            + "INSERT INTO lake.db.events SELECT id FROM s;\n",
            file="job.sql",
            severity=Severity.WARNING,
            says="lake.db.events commits with checkpoints",
        ),
        good(
            "CREATE CATALOG lake WITH ('type' = 'jdbc');\n"
            + _READ.replace("datagen", "kafka")
            + "INSERT INTO lake.db.events SELECT id FROM s;\n",
            file="job.sql",
        ),
        bad(
            _FROM_KAFKA + _WRITE,
            file="sql/job.sql",
            severity=Severity.INFO,
            beside={"deploy/fleet.yaml": _DEPLOYMENT % "execution.checkpointing.interval: 60s"},
        ),
        bad(
            _FROM_KAFKA + _WRITE,
            file="sql/job.sql",
            severity=Severity.WARNING,
            beside={"deploy/fleet.yaml": _DEPLOYMENT % ""},
        ),
        bad(
            _FROM_KAFKA + _WRITE,
            file="sql/job.sql",
            severity=Severity.INFO,
            beside={"src/main/java/fleet/Positions.java": program(_ENABLED)},
        ),
        good(program(_ENABLED, _SINK), file="Positions.java"),
        good(program(_BOUNDED), file="Positions.java"),
        bad(
            program(_BOUNDED.replace("fromElements", "addSource")),
            file="Positions.java",
            severity=Severity.INFO,
            says="FileSink commits",
        ),
        good(_PART, file="FileSinkJob.java"),
        good(_PART, file="FileSinkJob.java", beside={**_MODULE, "conf/flink-conf.yaml": _CLUSTER % ""}),
        good(program("env.enableCheckpointing(interval);", _SINK), file="Positions.java"),
        good(program("env.setRuntimeMode(RuntimeExecutionMode.BATCH);", _SINK), file="Positions.java"),
        good(
            "package fleet;\n"
            "\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "\n"
            "public class Positions {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = "
            "StreamExecutionEnvironment.getExecutionEnvironment(Settings.of(args));\n"
            "        FileSink<String> sink = FileSink.forRowFormat(new Path(path), new "
            "SimpleStringEncoder<String>()).build();\n"
            '        env.execute("positions");\n'
            "    }\n"
            "}\n",
            file="Positions.java",
        ),
        good("SET 'execution.checkpointing.interval' = '60s';\n" + _READ + _WRITE, file="job.sql"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _READ + _WRITE, file="job.sql"),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'blackhole', 'path' = 's3://b/d', 'format' = "
            "'json');\n"
            "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
        ),
        bad(
            "package fleet;\n"
            "\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "\n"
            "public class Positions {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        StreamingFileSink<String> sink = StreamingFileSink.forRowFormat(new Path(path), new "
            "SimpleStringEncoder<String>()).build();\n"
            '        env.execute("positions");\n'
            "    }\n"
            "}\n",
            file="Positions.java",
        ),
        bad(program(_JDBC.format("exactlyOnceSink")), file="Positions.java", says="JdbcSink.exactlyOnceSink commits"),
        bad(kafka_program(kafka_sink(EXACTLY_ONCE)), file="Orders.java", says="KafkaSink with exactly-once commits"),
        bad(
            _READ + "CREATE TABLE b (id INT) WITH ('connector' = 'blackhole');\nINSERT INTO b SELECT id FROM s;\n"
            "INSERT INTO elsewhere SELECT id FROM s;\nSET 'execution.checkpointing.interval' = '60s';\n"
            "CREATE TABLE e (id INT) WITH ('connector' = 'iceberg');\nINSERT INTO e SELECT id FROM s;\n"
            "RESET 'execution.checkpointing.interval';\n" + _WRITE + "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            times=1,
            says="d commits",
        ),
        bad(kafka_program(OLD_SINK), file="Orders.java", severity=Severity.INFO, says="switches to no guarantee"),
        good(
            kafka_program(OLD_SINK),
            file="src/main/java/fleet/Orders.java",
            flink="1.18",
            beside={**_MODULE, "deploy/fleet.yaml": _DEPLOYMENT % "" + _JOB % "job"},
        ),
        bad(
            program("FlinkSink.forRowData(rows).tableLoader(table).append();"), file="Positions.java", says="Iceberg's"
        ),
        good(program(_JDBC.format("sink")), file="Positions.java"),
        good(
            program('stream.addSink(CassandraSink.addSink(stream).setQuery("INSERT").build());'), file="Positions.java"
        ),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', 'format' = "
            "'json') LIKE e;\n"
            "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
        ),
        good(_READ + _WRITE + "SET 'execution.checkpointing.interval' = '60s';\n", file="job.sql"),
        good("SET 'execution.checkpointing.interval' = '${EVERY}';\n" + _READ + _WRITE, file="job.sql"),
        good(_READ + _WRITE, file="job.sql", platform="msf"),
        good(program(_SINK), file="Positions.java", flink="1.11"),
        *cases_in_folders(__file__),
    ]
