"""Jobs in Java, Scala, and Kotlin: what they declare, and the exact spans."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.source.jvm_program import FILE_FORMAT
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import apply_edits
from tests.fix_edits import edits_for
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

ENV = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"

JAVA = """package com.example;

import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.connectors.kinesis.config.ConsumerConfigConstants;

public class EnrichJob {
    private static final int CAPACITY = 10_000;
    static final Duration REST = Duration.ofSeconds(2);

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000L, CheckpointingMode.EXACTLY_ONCE);
        env.setParallelism(4);
        Properties props = new Properties();
        props.setProperty(ConsumerConfigConstants.AWS_REGION, "eu-west-1");
        props.put("flink.shard.getrecords.maxrecordcount", 1000 * 5); // für alle
        props.put(/* ä */ ConsumerConfigConstants.STREAM_INITIAL_POSITION, args[0]);
        DataStream<Event> in = env.addSource(new FlinkKinesisConsumer<>("events", new Schema(), props));
        AsyncDataStream.unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, CAPACITY).print();
    }
}

class Enrich extends RichAsyncFunction<Event, Event> {
    private transient ExecutorService pool;

    @Override
    public void open(Configuration parameters) {
        pool = Executors.newFixedThreadPool(25);
        http = new OkHttpClient.Builder().readTimeout(EnrichJob.REST).build();
    }
}
"""

SCALA = """import org.apache.flink.streaming.api.scala._
import scala.concurrent.duration._

object Job {
  val Timeout: Long = 5000L

  def main(args: Array[String]): Unit = {
    val env = StreamExecutionEnvironment.getExecutionEnvironment
    env.enableCheckpointing(30.seconds.toMillis)
    env.setParallelism(4)
    AsyncDataStream.unorderedWait(in, new Fn(), Timeout, TimeUnit.MILLISECONDS, 100)
    AsyncDataStream.orderedWait(in, 10, TimeUnit.SECONDS, 50) { (x: String, f: ResultFuture[String]) =>
      f.complete(Nil)
    }
    val tuned = Map("linger.ms" -> "5", "acks" -> "all")
  }
}

class Fn extends RichAsyncFunction[String, String] {
  implicit lazy val ec: ExecutionContext = ExecutionContext.fromExecutor(Executors.newFixedThreadPool(25))
  override def timeout(in: String, out: ResultFuture[String]): Unit = out.complete(Nil)
}
"""

KOTLIN = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment

const val T = 5_000L

fun main() {
  val env = StreamExecutionEnvironment.getExecutionEnvironment()
  env.enableCheckpointing(T * 2)
  env.parallelism = 4
  env.checkpointConfig.checkpointTimeout = 60_000
  val props = Properties().apply {
    setProperty("bootstrap.servers", "b:1")
    put(ConsumerConfig.GROUP_ID_CONFIG, "g")
    this["auto.offset.reset"] = "latest"
  }
  props["isolation.level"] = "read_committed"
  val old = FlinkKafkaConsumer("t", SimpleStringSchema(), props)
  val conf = Configuration().apply { setString("state.backend", "rocksdb") }
  AsyncDataStream.unorderedWait(input, Fn(), T, TimeUnit.MILLISECONDS)
}

class Fn : RichAsyncFunction<String, String>() {
  companion object { private val pool = Executors.newFixedThreadPool(10) }
}
"""

SAMPLES: dict[str, str] = {"EnrichJob.java": JAVA, "Job.scala": SCALA, "Job.kt": KOTLIN}


def job(body: str, *imports: str) -> Document:
    """Return a Java program with this code in its main method."""
    lines = "".join(f"import {name};\n" for name in imports)
    text = f"{ENV}{lines}class Job {{\n  public static void main(String[] args) {{\n{body}\n  }}\n}}\n"
    (document,) = read("Job.java", text)
    return document


def kotlin_job(body: str) -> Document:
    """Return a Kotlin program with this code in its main function."""
    text = f"fun main() {{\n  val env = StreamExecutionEnvironment.getExecutionEnvironment()\n  {body}\n}}\n"
    (document,) = read("Job.kt", ENV.replace(";", "") + text)
    return document


def test_an_asynchronous_call_is_read_with_its_function() -> None:
    (document,) = read("EnrichJob.java", JAVA)
    ((name, attributes),) = parts(document, "async-call")
    assert name == "unorderedWait"
    assert attributes["timeout"] == (4000, "4, TimeUnit.SECONDS")
    assert attributes["capacity"] == (10_000, "CAPACITY")
    assert attributes["function"] == ("Enrich", "new Enrich()")
    assert attributes["threads"] == (25, "25")
    assert attributes["request-timeout"] == (2000, "EnrichJob.REST")
    assert attributes["timeout-handled"] == (False, "Enrich")
    assert attributes["threads-shared"][0] is False


def test_properties_are_followed_through_their_variable() -> None:
    (document,) = read("EnrichJob.java", JAVA)
    ((name, attributes),) = parts(document, "kinesis-source")
    assert name == "events"
    assert attributes["properties.aws.region"] == ("eu-west-1", '"eu-west-1"')
    assert attributes["properties.flink.shard.getrecords.maxrecordcount"] == ("5000", "1000 * 5")
    assert attributes["properties.flink.stream.initpos"] == (None, "args[0]")
    assert "properties" not in attributes


def test_methods_of_the_environment_are_settings_of_their_layer() -> None:
    (document,) = read("EnrichJob.java", JAVA)
    assert cuts(document) == [
        ("execution.checkpointing.interval", "enableCheckpointing", "60_000L"),
        ("execution.checkpointing.mode", "enableCheckpointing", "CheckpointingMode.EXACTLY_ONCE"),
        ("parallelism.default", "setParallelism", "4"),
    ]
    assert entry(document, "execution.checkpointing.interval").text == "60000 ms"
    assert entry(document, "execution.checkpointing.interval").layer == "env.enableCheckpointing"
    assert document.name == "EnrichJob"
    assert not document.whole


def test_places_hold_with_carriage_returns_tabs_and_astral_characters() -> None:
    text = JAVA.replace("    public static", "\t/* 😀 */ public static").replace("\n", "\r\n")
    (document,) = read("EnrichJob.java", text)
    plain, odd = read("EnrichJob.java", JAVA)[0], document
    assert cuts(odd) == cuts(plain)
    for kind in ("async-call", "kinesis-source"):
        assert parts(odd, kind) == parts(plain, kind)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SAMPLES))
@given(st.data())
def test_places_hold_wherever_characters_of_several_bytes_stand(name: str, data: st.DataObject) -> None:
    """Check spans with multi-byte comments before each statement."""
    odd = st.text(st.sampled_from("aü€😀\ud800"), max_size=4)
    text = re.sub(r"(?m)^(?=[ \t]+\w)", lambda _: f"/* {data.draw(odd)} */", SAMPLES[name])
    text = re.sub(r"(?<=// )", lambda _: data.draw(odd), text)
    (plain,), (document,) = read(name, SAMPLES[name]), FILE_FORMAT.read(name, text.encode("utf-8", "surrogatepass"))
    assert cuts(document) == cuts(plain)
    for kind in {element.kind for element in plain.elements}:
        assert re.sub(r"/\* .*? \*/", "", str(parts(document, kind))) == str(parts(plain, kind))


@pytest.mark.parametrize("name", list(SAMPLES))
def test_places_hold_inside_of_names_and_texts_of_several_bytes(name: str) -> None:
    def swapped(text: str) -> str:
        text = re.sub(r"\benv\b", "ümgebung", text)
        return text.replace('"events"', '"ereignisse😀"').replace('"latest"', '"späteste"')

    (plain,), (document,) = read(name, SAMPLES[name]), read(name, swapped(SAMPLES[name]))
    assert cuts(document) == [tuple(map(swapped, cut)) for cut in cuts(plain)]
    for kind in {element.kind for element in plain.elements}:
        assert [attributes.keys() for _, attributes in parts(document, kind)] == [
            attributes.keys() for _, attributes in parts(plain, kind)
        ]
        assert [swapped(text) for _, attributes in parts(plain, kind) for _, text in attributes.values()] == [
            text for _, attributes in parts(document, kind) for _, text in attributes.values()
        ]


@pytest.mark.parametrize(
    "body",
    [
        'env.addSource<String>(list).uid("a").print()',
        'env.addSource(Source<Map<String, Int>, T?> { it }).uid("a").print()',
        'val a = make()\n  /* told */ env.addSource(a).uid("a").print()',
        'val a = make()\n  get("x") { 1 }; env.addSource(a).uid("a").print()',
        'env.addSource(object : A<B>() { companion object { const val P = "x" } }).uid("a").print()',
        'class A { companion object { const val P = "}" } }; env.addSource(A.P).uid("a").print()',
        'val a = "/* $env <"\n  env.addSource(a).uid("a").print() // >( */',
        'env.addSource(a ?: return@main null).uid("a").print()',
    ],
)
def test_kotlin_is_read_where_its_grammar_goes_wrong(body: str) -> None:
    document = kotlin_job(body + "\n  env.setParallelism(4)")
    assert cuts(document) == [("parallelism.default", "setParallelism", "4")]
    ((name, attributes),) = parts(document, "operator")
    assert (name, attributes["uid"]) == ("addSource", ("a", '"a"'))


def test_a_comparison_in_kotlin_is_no_type_argument() -> None:
    assert cuts(kotlin_job("if (a < b && c > (d)) env.setParallelism(4)")) == [
        ("parallelism.default", "setParallelism", "4")
    ]


def test_a_text_with_a_place_to_fill_in_is_unknown() -> None:
    for value, known in (('"a$b"', None), ('"a${b}"', None), ('"""a$b"""', None), (r'"a\$b"', "a$b"), ('"5 $"', "5 $")):
        document = kotlin_job(f'Configuration().apply {{ setString("state.backend", {value}) }}')
        found = [entry.text for entry in document.entries]
        assert found == ([] if known is None else [known]), value


def test_scala_is_read_with_its_own_order_of_parameters() -> None:
    (document,) = read("Job.scala", SCALA)
    assert entry(document, "execution.checkpointing.interval").text == "30000 ms"
    assert entry(document, "parallelism.default").text == "4"
    first, second = parts(document, "async-call")
    assert first[1]["timeout"] == (5000, "Timeout, TimeUnit.MILLISECONDS")
    assert first[1]["threads"] == (25, "25")
    assert first[1]["timeout-handled"] == (True, "timeout")
    assert second[0] == "orderedWait"
    assert second[1]["timeout"] == (10_000, "10, TimeUnit.SECONDS")
    assert second[1]["capacity"] == (50, "50")


def test_kotlin_sets_by_assignment_and_in_apply() -> None:
    (document,) = read("Job.kt", KOTLIN)
    assert cuts(document) == [
        ("execution.checkpointing.interval", "enableCheckpointing", "T * 2"),
        ("parallelism.default", "parallelism", "4"),
        ("execution.checkpointing.timeout", "checkpointTimeout", "60_000"),
        ("state.backend", '"state.backend"', '"rocksdb"'),
    ]
    ((_, kafka),) = parts(document, "kafka-source")
    assert {name: value for name, (value, _) in kafka.items() if name.startswith("properties.")} == {
        "properties.bootstrap.servers": "b:1",
        "properties.group.id": "g",
        "properties.auto.offset.reset": "latest",
        "properties.isolation.level": "read_committed",
    }
    ((_, call),) = parts(document, "async-call")
    assert call["threads"] == (10, "10")
    assert call["threads-shared"][0] is True
    assert call["capacity"][0] == 100
    assert call["default-capacity"][0] is True


@pytest.mark.parametrize(
    ("expression", "milliseconds"),
    [
        ("Duration.ofSeconds(10)", 10_000),
        ("Duration.ofMinutes(2).plus(Duration.ofMillis(5))", 120_005),
        ("Duration.of(3, ChronoUnit.MINUTES)", 180_000),
        ("TimeUnit.MINUTES.toMillis(5)", 300_000),
        ("Time.hours(1).toMilliseconds()", 3_600_000),
        ("5 * 60 * 1_000L", 300_000),
        ("(long) (1 << 10)", 1024),
        ("0x10", 16),
        ("Job.PAUSE", 7_000),
        ("PAUSE / 2", 3_500),
        ("Integer.parseInt(\"12\" + \"34\")", 1234),
        ("local", 250),
        ("config.getLong(\"timeout\", 5000)", 5000),
        ("args.length", None),
        ("changed", None),
        ("5000 / 0", None),
    ],
)  # fmt: skip
def test_constant_expressions_are_folded_and_all_else_is_unknown(expression: str, milliseconds: int | None) -> None:
    text = (
        f"{ENV}class Job {{\n  static final long PAUSE = 7_000;\n  void run(Config config) {{\n"
        "    final long local = 250; long changed = 5; changed = 6;\n"
        f"    env.getCheckpointConfig().setCheckpointTimeout({expression});\n  }}\n}}\n"
    )
    (document,) = read("Job.java", text)
    entries = {e.key: e.text for e in document.entries}
    expected = {} if milliseconds is None else {"execution.checkpointing.timeout": f"{milliseconds} ms"}
    assert entries == expected


def test_a_parameter_hides_the_constant_of_its_name() -> None:
    text = f"{ENV}class Job {{ static final int P = 4; void run(int P) {{ env.enableCheckpointing(P); }} }}\n"
    assert read("Job.java", text)[0].entries == []


def test_a_value_that_branches_set_differently_is_left_out() -> None:
    document = job("if (args.length > 0) { env.enableCheckpointing(5); } else { env.enableCheckpointing(6); }")
    assert document.entries == []
    document = job("env.enableCheckpointing(5); env.enableCheckpointing(6);")
    assert [(e.text, e.overridden) for e in document.entries] == [("5 ms", True), ("6 ms", False)]


def test_what_several_methods_set_alike_overrides_nothing() -> None:
    text = f"{ENV}class A {{ void a() {{ env.enableCheckpointing(5); }} void b() {{ env.enableCheckpointing(5); }} }}\n"
    assert [(e.text, e.overridden) for e in read("A.java", text)[0].entries] == [("5 ms", False)]


def test_a_comment_suppresses_findings_on_its_line(tmp_path: Path) -> None:
    path = tmp_path / "EnrichJob.java"
    found = {}
    for comment in ("", " // flint: ignore[FLK880] a test of the queue"):
        path.write_text(JAVA.replace("CAPACITY).print();", f"CAPACITY).print();{comment}"))
        found[comment] = [one.code for one in check(find([str(path)]), Options(select=("FLK880",))).findings]
    assert list(found.values()) == [["FLK880"], []]


def test_options_by_constant_and_by_key_in_place() -> None:
    document = job(
        "Configuration conf = new Configuration();\n"
        'conf.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "s3://b/c");\n'
        "conf.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(64));\n"
        'conf.set(ConfigOptions.key("rest.port").intType().defaultValue(1), 8082);\n'
        'conf.setString("akka.framesize", "20971520b");\n'
        "conf.set(MyOptions.OF_THE_JOB, 5);\n",
        "org.apache.flink.configuration.Configuration",
    )
    assert [(e.key, e.text, e.layer) for e in document.entries] == [
        ("state.checkpoints.dir", "s3://b/c", "CheckpointingOptions.CHECKPOINTS_DIRECTORY"),
        ("taskmanager.memory.managed.size", "67108864 b", "TaskManagerOptions.MANAGED_MEMORY_SIZE"),
        ("rest.port", "8082", "ConfigOptions.key"),
        ("akka.framesize", "20971520b", ""),
    ]
    assert cuts(document)[3] == ("akka.framesize", '"akka.framesize"', '"20971520b"')


def test_a_configuration_of_hadoop_is_not_flinks() -> None:
    body = 'Configuration conf = new Configuration(); conf.set("parallelism.default", "4");'
    assert job(body, "org.apache.hadoop.conf.Configuration").entries == []
    assert len(job(body, "org.apache.flink.configuration.Configuration").entries) == 1


def test_restart_strategies_and_state_backends_are_settings() -> None:
    document = job(
        "env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, Time.of(10, TimeUnit.SECONDS)));\n"
        'env.setStateBackend(new RocksDBStateBackend("hdfs:///cp", true));'
    )
    assert {e.key: e.text for e in document.entries} == {
        "restart-strategy": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": "3",
        "restart-strategy.fixed-delay.delay": "10000 ms",
        "state.backend": "rocksdb",
        "state.checkpoints.dir": "hdfs:///cp",
        "state.backend.incremental": "true",
    }


def test_an_unknown_strategy_or_backend_counts_as_set() -> None:
    document = job("env.setRestartStrategy(chosen);\nenv.setStateBackend(new OwnBackend());")
    assert document.entries == []
    (main,) = [one for one in document.elements if one.kind == "job"]
    assert {"sets.restart-strategy.type", "sets.state.backend.type"} <= main.attributes.keys()


def test_an_operators_parallelism_is_not_the_jobs() -> None:
    assert job("stream.map(f).setParallelism(4); stream.setMaxParallelism(8);").entries == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('env.addSource(s).name("in").setParallelism(4);', {}),
        ("env.fromSource(s, w, n).setMaxParallelism(4);", {}),
        ("var in = env.addSource(s); in.setParallelism(4);", {}),
        ("env.enableCheckpointing(1000).setParallelism(4);",
         {"execution.checkpointing.interval": "1000 ms", "parallelism.default": "4"}),
        ("env.getConfig().setParallelism(4);", {"parallelism.default": "4"}),
        ("var other = env; other.setParallelism(4);", {"parallelism.default": "4"}),
        ("StreamExecutionEnvironment.createLocalEnvironment().setParallelism(4);", {"parallelism.default": "4"}),
        ("StreamExecutionEnvironment.createLocalEnvironmentWithWebUI(c).setParallelism(4);",
         {"parallelism.default": "4"}),
    ],
)  # fmt: skip
def test_the_parallelism_of_what_an_environment_makes_is_not_the_jobs(line: str, expected: dict[str, str]) -> None:
    made = "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"
    assert job(f"{made} {line}").settings() == expected


def test_kafka_builders_are_read_from_their_setters() -> None:
    document = job(
        'KafkaSource<String> in = KafkaSource.<String>builder().setBootstrapServers("b:9092")\n'
        '    .setTopics("a", "b")\n'
        "    .setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST))\n"
        '    .setProperty(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "500").build();\n'
        "KafkaSinkBuilder<String> builder = KafkaSink.builder();\n"
        "builder.setDeliverGuarantee(DeliveryGuarantee.EXACTLY_ONCE);\n"
        "builder.setTransactionalIdPrefix(prefix).setRecordSerializer(\n"
        '    KafkaRecordSerializationSchema.builder().setTopic("out").build());\n'
        'builder.setProperty("transaction.timeout.ms", String.valueOf(60 * 60 * 1000));\n'
        "KafkaSink<String> out = builder.build();"
    )
    ((name, source),) = parts(document, "kafka-source")
    assert name == "a,b"
    assert source["starting-offsets"][0] == "committed-earliest"
    assert source["properties.max.poll.records"] == ("500", '"500"')
    assert "calls" not in source
    ((name, sink),) = parts(document, "kafka-sink")
    assert name == "out"
    assert sink["delivery-guarantee"] == ("exactly-once", "DeliveryGuarantee.EXACTLY_ONCE")
    assert sink["transactional-id-prefix"] == (None, "prefix")
    assert sink["properties.transaction.timeout.ms"] == ("3600000", "String.valueOf(60 * 60 * 1000)")


def test_properties_from_elsewhere_are_known_to_be_incomplete() -> None:
    document = job(
        'Map<String, Properties> groups = KinesisAnalyticsRuntime.getApplicationProperties();\n'
        'env.addSource(new FlinkKinesisConsumer<>("s", new Schema(), groups.get("in")));\n'
    )  # fmt: skip
    ((_, attributes),) = parts(document, "kinesis-source")
    assert attributes["properties"][0] is None


def test_properties_of_a_method_of_the_file_and_of_literal_maps() -> None:
    text = (
        f"{ENV}class Job {{\n  void run() {{\n"
        '    env.addSource(new FlinkKafkaConsumer<>("t", new S(), props()));\n'
        "    KinesisStreamsSink.builder().setKinesisClientProperties(other)\n"
        '        .setStreamName("s").setMaxBatchSize(20).setFailOnError(true).build();\n  }\n'
        "  Properties props() {\n    Properties p = new Properties();\n"
        '    p.setProperty("group.id", "g");\n    p.putAll(Map.of("acks", "all"));\n    return p;\n  }\n'
        '  Properties other = new Properties() {{ put("aws.region", "eu"); }};\n}\n'
    )
    (document,) = read("Job.java", text)
    ((_, kafka),) = parts(document, "kafka-source")
    assert kafka["properties.group.id"] == ("g", '"g"')
    assert kafka["properties.acks"] == ("all", '"all"')
    ((name, kinesis),) = parts(document, "kinesis-sink")
    assert name == "s"
    assert kinesis["properties.aws.region"] == ("eu", '"eu"')
    assert kinesis["max-batch-size"] == (20, "20")
    assert kinesis["fail-on-error"] == (True, "true")


def test_only_a_printed_stream_is_a_sink() -> None:
    document = job(
        'DataStream<String> stream = load(); stream.print(); other.print("name"); stream.printToErr();\n'
        'System.out.print("x"); out.print("y");\n'
        'tables.executeSql("SELECT 1").print(); TableResult result = tables.executeSql("SELECT 1"); result.print();'
    )
    assert [name for name, _ in parts(document, "sink")] == ["print", "printToErr"]
    document = job('DataStream<String> stream = in.map(f); stream.print("name");')
    assert [name for name, _ in parts(document, "sink")] == ["print"]


def test_a_cassandra_sink_is_read_into_its_cluster() -> None:
    document = job(
        'CassandraSink.addSink(stream).setQuery("INSERT").setMaxConcurrentRequests(500)\n'
        "  .setClusterBuilder(new ClusterBuilder() {\n    protected Cluster buildCluster(Cluster.Builder b) {\n"
        "      return b.withQueryOptions(new QueryOptions().setConsistencyLevel(ConsistencyLevel.QUORUM)).build();\n"
        "    } }).build();"
    )
    ((name, attributes),) = parts(document, "sink")
    assert name == "CassandraSink"
    assert attributes["max-concurrent-requests"] == (500, "500")
    assert attributes["consistency-level"] == ("QUORUM", "ConsistencyLevel.QUORUM")


def test_retries_are_the_attempts_behind_the_first() -> None:
    document = job(
        "AsyncRetryStrategy strategy = new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(3, 1000L).build();\n"
        "AsyncDataStream.unorderedWaitWithRetry(in, new Fn(), 10, TimeUnit.SECONDS, 50, strategy);"
    )
    ((_, attributes),) = parts(document, "async-call")
    assert attributes["retries"] == (3, "3")
    assert attributes["retry-delay"] == (1000, "1000L")
    assert attributes["capacity"] == (50, "50")


def test_a_literal_can_be_replaced_and_nothing_else_changes() -> None:
    document = job(
        'Configuration conf = new Configuration();\nconf.setString("akka.framesize", "20971520b");\n'
        'conf.setInteger("taskmanager.numberOfTaskSlots", 4);\nenv.enableCheckpointing(60_000L);',
        "org.apache.flink.configuration.Configuration",
    )
    changed = edited(document, "replace", entry(document, "taskmanager.numberOfTaskSlots"), "8")
    assert changed is not None
    assert "setInteger(" in changed.text
    assert changed.effective["taskmanager.numberOfTaskSlots"].raw == "8"
    changed = edited(document, "replace", entry(document, "execution.checkpointing.interval"), "120000 ms")
    assert changed is not None
    assert "enableCheckpointing(120_000L)" in changed.text
    renamed = edited(document, "rename", entry(document, "akka.framesize"), "pekko.framesize")
    assert renamed is not None
    assert 'setString("pekko.framesize", "20971520b")' in renamed.text
    assert edits_for(document, "replace", entry(document, "execution.checkpointing.interval"), "often") is None
    assert assert_edits_hold(document, "5") == 2


def test_an_edit_of_a_text_keeps_its_quotes() -> None:
    document = job('Configuration c = new Configuration(); c.setString("pipeline.name", "a");', "org.apache.flink.X")
    edits = edits_for(document, "replace", entry(document, "pipeline.name"), 'b "c" \\d')
    assert edits is not None
    assert 'setString("pipeline.name", "b \\"c\\" \\\\d")' in apply_edits(document.text, edits)


def test_text_blocks_and_commented_code() -> None:
    document = job(
        'Configuration c = new Configuration();\n// c.setString("rest.port", "1");\n'
        '/* c.setString("rest.port", "2"); */\n'
        'c.setString("pipeline.name", """\n      a\n        b""");',
        "org.apache.flink.configuration.Configuration",
    )
    assert [(e.key, e.text) for e in document.entries] == [("pipeline.name", "a\n  b")]


def test_sql_in_a_program_is_read_in_its_place() -> None:
    text = (
        f'{ENV}class Job {{\n  static final String TOPIC = "in";\n  void run(String name) {{\n'
        '    tables.executeSql("""\n        CREATE TABLE orders (\n          id INT -- ä\n'
        "        ) WITH (\n          'connector' = 'kafka',\n          'topic' = 'o'\n        )\n        \"\"\");\n"
        "    tables.executeSql(\"CREATE TABLE users (id INT) WITH ('connector' = 'jdbc',\" +\n"
        "        \" 'table-name' = '\" + TOPIC + \"')\");\n"
        '    tables.executeSql("CREATE TABLE " + name + " (id INT)");\n  }\n}\n'
    )
    (document,) = read("Job.java", text)
    orders, users = parts(document, "table")  # and not the one whose name is unknown
    assert orders[0] == "orders"
    assert orders[1]["with.topic"] == ("o", "'o'")
    assert orders[1]["connector"][0] == "kafka"
    assert users[0] == "users"
    assert users[1]["connector"][0] == "jdbc"
    assert users[1]["with.connector"] == ("jdbc", "'jdbc'")


def test_sql_behind_a_margin_is_read_in_its_place() -> None:
    text = (
        "import org.apache.flink.table.api._\nobject Job {\n  tables.executeSql(\n"
        '    """CREATE TABLE orders (id INT)\n      |WITH (\'connector\' = \'print\')""".stripMargin)\n}\n'
    )
    (document,) = read("Job.scala", text)
    ((name, attributes),) = parts(document, "table")
    assert name == "orders"
    assert attributes["with.connector"] == ("print", "'print'")


@pytest.mark.parametrize("trimmed", ["", ".trimIndent()", ".trim()", ".trimIndent().trim()"])
def test_sql_that_is_trimmed_is_read_in_its_place(trimmed: str) -> None:
    text = (
        "import org.apache.flink.table.api.TableEnvironment\nfun main() {\n  tables.executeSql(\n"
        f'    """\n      CREATE TABLE orders (id INT)\n      WITH (\'connector\' = \'print\')\n    """{trimmed})\n}}\n'
    )
    (document,) = read("Job.kt", text)
    ((name, attributes),) = parts(document, "table")
    assert (name, attributes["with.connector"]) == ("orders", ("print", "'print'"))


_OPTIONS = "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = '%s')"


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("Job.java", '"' + _OPTIONS.replace("%s", '" + topic + "') + '"'),
        ("Job.java", f'String.format("{_OPTIONS}", topic)'),
        ("Job.java", f'"{_OPTIONS}".formatted(topic)'),
        ("Job.kt", f'"{_OPTIONS % "$topic"}"'),
        ("Job.kt", f'"""{_OPTIONS % "${topic}"}""".trimIndent()'),
        ("Job.scala", f's"{_OPTIONS % "${topic}"}"'),
        ("Job.scala", 's"""' + (_OPTIONS % "$topic").replace("WITH", "\n    |WITH") + '""".stripMargin'),
    ],
)
def test_sql_with_unknown_parts_is_read_as_a_template(name: str, sql: str) -> None:
    texts = {
        "Job.java": f"{ENV}class Job {{\n  void run(String topic) {{\n    tables.executeSql({sql});\n  }}\n}}\n",
        "Job.kt": f"import org.apache.flink.table.api.Table\nfun main(topic: String) {{ t.executeSql({sql}) }}\n",
        "Job.scala": f"import org.apache.flink.table.api._\nobject J {{ def a(topic: Any) = t.executeSql({sql}) }}\n",
    }
    (document,) = read(name, texts[name])
    ((table, attributes),) = parts(document, "table")
    assert table == "t"
    assert attributes["with.connector"] == ("kafka", "'kafka'")
    assert attributes["with.topic"][0] is None


def test_tables_that_a_program_names_are_sources_or_sinks_as_it_uses_them() -> None:
    ddl = "CREATE TABLE %s (id INT) WITH ('connector' = 'kafka', 'topic' = '%s', 'properties.group.id' = 'g')"
    text = (
        f'{ENV}class Job {{\n  void run() {{\n    tables.executeSql("{ddl % ("a", "in")}");\n'
        f'    tables.executeSql("{ddl % ("b", "out")}");\n    tables.from("a").insertInto("b").execute();\n  }}\n}}\n'
    )
    (document,) = read("Job.java", text)
    assert [name for name, _ in parts(document, "kafka-source")] == ["in"]
    assert [name for name, _ in parts(document, "kafka-sink")] == ["out"]


def test_sql_that_a_method_changes_is_not_read() -> None:
    text = (
        "import org.apache.flink.table.api.TableEnvironment\nfun main() {\n"
        "  tables.executeSql(\"CREATE TABLE x (id INT) WITH ('connector' = 'print')\".CALL)\n}\n"
    )
    for call in ('replace("x", "y")', 'trim("x")', "lowercase()"):
        assert [
            one for document in read("Job.kt", text.replace("CALL", call)) for one in parts(document, "table")
        ] == []
    (document,) = read("Job.kt", text.replace("CALL", "trim()"))
    assert len(parts(document, "table")) == 1


def test_only_programs_that_import_flink_are_recognized() -> None:
    assert file_format_of("A.java", 'import java.util.List;\nclass A { String s = "org.apache.flink"; }') is None
    assert file_format_of("A.txt", JAVA) is None
    assert file_format_of("A.scala", "import software.amazon.kinesis.connectors.flink.X") is FILE_FORMAT


def test_a_local_environment_is_development() -> None:
    text = JAVA.replace("getExecutionEnvironment()", "createLocalEnvironment()")
    (document,) = read("Job.java", text)
    assert (document.profile, document.platform) == ("development", "local")


@pytest.mark.parametrize("name", list(SAMPLES))
@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe\x00", b"(" * 1_000_000, b"{a\n" * 20_000, b"x = " + b'"a" +\n' * 20_000, b"\n" * 100_000 + b"'"],
)
@pytest.mark.slow
def test_nothing_makes_a_reader_fail(name: str, data: bytes) -> None:
    for content in (data, SAMPLES[name].encode() + data):
        (document,) = FILE_FORMAT.read(name, content)
        assert document.kind == "source"


ENDLESS = """\
{("")
t

\ufeff    this["auto.offset.reset"] = "latest"

  }

  props["isolation.level"] = "read_committed"

  val o, "rocksdb") }

  AsyncDataStream.unorderedWait(input, Fn(), T, TimeUnit.MILLISECONDS)

}



class Fn : RichAsyncFunction<String, String>() {

  companion object { private val pool = Executors.newFixedThre"""
"""A file being typed in which the parser's recovery takes minutes."""


def test_a_text_that_the_parser_cannot_recover_from_is_given_up() -> None:
    (document,) = FILE_FORMAT.read("Job.kt", ENDLESS.encode())
    (reason,) = document.budget.reasons
    assert "that the parser cannot recover from" in reason
    assert not document.entries
    assert not document.elements


def test_a_name_that_refers_to_itself_ends() -> None:
    document = job("String a = b; String b = a; env.addSource(new FlinkKafkaConsumer<>(a, s, p(a)));")
    assert parts(document, "kafka-source")[0][0] == ""


def test_settings_with_unknown_values_are_named() -> None:
    document = job("env.enableCheckpointing(interval);")
    ((_, attributes),) = parts(document, "job")
    assert attributes["sets.execution.checkpointing.interval"][0] is None
    assert not document.entries


def test_an_environment_from_elsewhere_may_hold_any_setting() -> None:
    made = "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    ((_, known),) = parts(job(made), "job")
    assert "sets" not in known
    for body in (made + "env.configure(settings, loader);", made.replace("()", "(settings)"), "Env.of(args).run();"):
        ((_, attributes),) = parts(job(body), "job")
        assert attributes["sets"][0] is None
