"""Kafka, Kinesis and other connectors in programs: what their builders and constructors set."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.source.constant_folding import Symbol
from flink_flint.linter.formats.source.option_constants import key_of
from tests.formats.reading import parts, read

HEAD = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"


def elements(kind: str, code: str, language: str = "java") -> list[tuple[str, dict[str, object]]]:
    """Return the elements of a kind in a program: their names, and the values of their attributes."""
    text = {
        "java": f"{HEAD}class Job {{ void run(Properties given, Other what) {{ {code} }} }}\n",
        "scala": f"{HEAD.replace(';', '')}object Job {{ def run() = {{\n{code}\n}} }}\n",
        "py": f"import pyflink\n{code}\n",
    }[language]
    (document,) = read(f"Job.{language}", text)
    return [(name, {key: value for key, (value, _) in one.items()}) for name, one in parts(document, kind)]


@pytest.mark.parametrize(
    ("setters", "name", "attributes"),
    [
        ('.setTopics("a", "b")', "a,b", {"topics": "a,b"}),
        ('.setTopics(Arrays.asList("a", "b"))', "a,b", {"topics": "a,b"}),
        (".setTopics(load())", "", {"topics": None}),
        (".setTopics()", "", {}),
        ('.setTopicPattern("a.*")', "", {"topic-pattern": "a.*"}),
        ('.setTopicPattern(Pattern.compile("a.*"))', "", {"topic-pattern": "a.*"}),
        (".setTopicPattern(Pattern.compile(load()))", "", {"topic-pattern": None}),
        (".setTopicPattern(pattern)", "", {"topic-pattern": None}),
        (".setTopicPattern(Pattern.of(text))", "", {"topic-pattern": None}),
        (".setStartingOffsets(OffsetsInitializer.earliest())", "", {"starting-offsets": "earliest"}),
        (".setStartingOffsets(OffsetsInitializer.latest())", "", {"starting-offsets": "latest"}),
        (".setStartingOffsets(OffsetsInitializer.timestamp(5))", "", {"starting-offsets": "timestamp"}),
        (".setStartingOffsets(OffsetsInitializer.offsets(map))", "", {"starting-offsets": "offsets"}),
        (".setStartingOffsets(OffsetsInitializer.committedOffsets())", "", {"starting-offsets": "committed"}),
        (".setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.LATEST))", "",
         {"starting-offsets": "committed-latest"}),
        (".setStartingOffsets(OffsetsInitializer.committedOffsets(load()))", "", {"starting-offsets": None}),
        (".setStartingOffsets(new Own())", "", {"starting-offsets": None}),
        (".setStartingOffsets(what)", "", {"starting-offsets": None}),
        (".setBounded(OffsetsInitializer.latest())", "", {"bounded": True}),
        ('.setProperty("a", "1")', "", {"properties.a": "1"}),
        ('.setProperty(load(), "1")', "", {"properties": None}),
        ('.setProperty("a")', "", {}),
        (".setProperties(given)", "", {"properties": None}),
        ('.setProperties(Map.of("a", "1"))', "", {"properties.a": "1"}),
        ('.setBootstrapServers("b:1").setGroupId("g").setClientIdPrefix("c")', "",
         {"properties.bootstrap.servers": "b:1", "properties.group.id": "g", "properties.client.id.prefix": "c"}),
    ],
)  # fmt: skip
def test_a_source_of_kafka(setters: str, name: str, attributes: dict[str, object]) -> None:
    ((found, made),) = elements("kafka-source", f"KafkaSource.<A>builder(){setters}.build();")
    names = {"bootstrap-servers", "group-id", "client-id-prefix"}  # also as the setters call them
    assert found == name
    assert {key: value for key, value in made.items() if key not in names} == {"api": "KafkaSource", **attributes}


@pytest.mark.parametrize(
    ("setters", "name", "attributes"),
    [
        (".setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)", "", {"delivery-guarantee": "exactly-once"}),
        (".setDeliverGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)", "", {"delivery-guarantee": "at-least-once"}),
        (".setDeliveryGuarantee(DeliveryGuarantee.NONE)", "", {"delivery-guarantee": "none"}),
        (".setDeliveryGuarantee(guarantee)", "", {"delivery-guarantee": None}),
        (".setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)", "", {"transaction-naming": "pooling"}),
        (".setTransactionNamingStrategy(what)", "", {"transaction-naming": None}),
        ('.setKafkaProducerConfig(Map.of("acks", "1"))', "", {"properties.acks": "1"}),
        ('.setRecordSerializer(S.builder().setTopic("t").setValueSerializationSchema(v).build())', "t", {}),
        (".setRecordSerializer(S.builder().setTopic(load()).build())", "", {}),
        (".setRecordSerializer(S.builder().setTopic().build())", "", {}),
        (".setRecordSerializer(new Own())", "", {}),
        (".setRecordSerializer(what)", "", {}),
    ],
)
def test_a_sink_of_kafka(setters: str, name: str, attributes: dict[str, object]) -> None:
    assert elements("kafka-sink", f"KafkaSink.builder(){setters}.build();") == [
        (name, {"api": "KafkaSink", **attributes})
    ]


def test_a_builder_that_leaves_the_method_may_get_more_calls() -> None:
    for code in ("var b = KafkaSource.builder(); configure(b); b.build();", "return KafkaSource.builder();"):
        ((_, attributes),) = elements("kafka-source", code)
        assert attributes["calls"] is None
    assert elements("kafka-source", "Other.builder().build(); builder().build();") == []


@pytest.mark.parametrize(
    ("kind", "made", "name", "attributes"),
    [
        ("kafka-source", 'FlinkKafkaConsumer<>("t", s, Map.of("a", "1"))', "t", {"properties.a": "1"}),
        ("kafka-source", 'FlinkKafkaConsumer010<>(Arrays.asList("t", "u"), s, given)', "t,u", {"properties": None}),
        ("kafka-source", 'FlinkKafkaConsumer<>("t", s, kafkaProps())', "t", {"properties": None}),
        ("kafka-source", 'FlinkKafkaConsumer<>("t", new Own(), what)', "t", {}),
        ("kafka-source", 'FlinkKafkaConsumer<>("t", s, 5)', "t", {}),
        ("kafka-sink", 'FlinkKafkaProducer<>("t", s, Map.of("acks", "1"), Semantic.EXACTLY_ONCE)', "t",
         {"properties.acks": "1", "delivery-guarantee": "exactly-once"}),
        ("kafka-sink", 'FlinkKafkaProducer<>("t", s, given, FlinkKafkaProducer.Semantic.NONE, 7)', "t",
         {"properties": None, "delivery-guarantee": "none", "producers-pool-size": 7}),
        ("kafka-sink", 'FlinkKafkaProducer<>("t", s, given, Other.EXACTLY_ONCE)', "t", {"properties": None}),
        ("kafka-sink", 'FlinkKafkaProducer<>("t", s, given, true)', "t", {"properties": None}),
        ("kafka-sink", 'FlinkKafkaProducer<>("b:1", "t", s)', "t", {"properties.bootstrap.servers": "b:1"}),
        ("kafka-sink", 'FlinkKafkaProducer<>("t", s, given)', "t", {"properties": None}),
        ("kafka-sink", 'FlinkKafkaProducer011<>(load(), "t", s)', "t", {"properties.bootstrap.servers": None}),
    ],
)  # fmt: skip
def test_the_old_clients_of_kafka(kind: str, made: str, name: str, attributes: dict[str, object]) -> None:
    ((found, all_of_it),) = elements(kind, f"env.add(new {made});")
    assert (found, all_of_it) == (name, {"api": made.partition("<")[0], **attributes})


@pytest.mark.parametrize(
    ("call", "attributes"),
    [
        ("setStartFromEarliest()", {"starting-offsets": "earliest"}),
        ("setStartFromLatest()", {"starting-offsets": "latest"}),
        ("setStartFromGroupOffsets()", {"starting-offsets": "committed"}),
        ("setStartFromTimestamp(5)", {"starting-offsets": "timestamp"}),
        ("setCommitOffsetsOnCheckpoints(false)", {"commit-offsets-on-checkpoints": False}),
        ("disableFilterRestoredPartitionsWithSubscribedTopics()",
         {"disable-filter-restored-partitions-with-subscribed-topics": True}),
        ("assignTimestamps(x)", {}),
    ],
)  # fmt: skip
def test_calls_on_an_old_client_of_kafka(call: str, attributes: dict[str, object]) -> None:
    code = f'FlinkKafkaConsumer<A> in = new FlinkKafkaConsumer<>("t", s, new Properties()); in.{call};'
    assert elements("kafka-source", code) == [("t", {"api": "FlinkKafkaConsumer", **attributes})]


@pytest.mark.parametrize(
    "arguments", ["topics='t', deserialization_schema=S(), properties={'a': '1'}", "'t', S(), {'a': '1'}"]
)
def test_the_old_client_of_python(arguments: str) -> None:
    ((name, attributes),) = elements("kafka-source", f"x = FlinkKafkaConsumer({arguments})", "py")
    assert (name, attributes["properties.a"]) == ("t", "1")


@pytest.mark.parametrize(
    ("kind", "code", "name", "attributes"),
    [
        ("kinesis-source", 'new FlinkKinesisConsumer<>("s", x, Map.of("aws.region", "eu"));', "s",
         {"properties.aws.region": "eu"}),
        ("kinesis-source", 'new FlinkKinesisConsumer<>(Arrays.asList("s", "t"), x, given);', "s,t",
         {"properties": None}),
        ("kinesis-source", 'new FlinkKinesisConsumer<>("s");', "s", {}),
        ("kinesis-source", 'new FlinkKinesisConsumer<>("s", Map.of("a", "1"));', "s", {"properties.a": "1"}),
        ("kinesis-sink", 'new FlinkKinesisProducer<>(x, Map.of("a", "1"));', "", {"properties.a": "1"}),
        ("kinesis-sink",
         'var p = new FlinkKinesisProducer<>(x, Map.of("a", "1")); p.setDefaultStream("s"); p.setQueueLimit(5);', "s",
         {"properties.a": "1", "default-stream": "s", "queue-limit": 5}),
        ("kinesis-sink", 'KinesisStreamsSink.builder().setStreamName("s").setMaxBatchSize(20).build();', "s",
         {"stream-name": "s", "max-batch-size": 20}),
        ("kinesis-sink", 'KinesisStreamsSink.builder().setKinesisClientProperties(given).build();', "",
         {"properties": None}),
        ("kinesis-source", 'KinesisStreamsSource.builder().setStreamArn("arn:s").build();', "arn:s",
         {"stream-arn": "arn:s"}),
    ],
)  # fmt: skip
def test_clients_of_kinesis(kind: str, code: str, name: str, attributes: dict[str, object]) -> None:
    ((found, made),) = elements(kind, code)
    del made["api"]
    assert (found, made) == (name, attributes)


def test_a_builder_of_kinesis_that_leaves_the_method() -> None:
    ((_, attributes),) = elements("kinesis-sink", "var b = KinesisStreamsSink.builder(); configure(b); b.build();")
    assert "calls" in attributes
    assert elements("kinesis-source", "Other.builder().build(); other.FlinkKinesisConsumer(1, 2);") == []


@pytest.mark.parametrize(
    ("strategy", "watermarks"),
    [
        ("WatermarkStrategy.noWatermarks()", "none"),
        ("WatermarkStrategy.forMonotonousTimestamps()", "without-idleness"),
        ("WatermarkStrategy.forBoundedOutOfOrderness(d)", "without-idleness"),
        ("WatermarkStrategy.forBoundedOutOfOrderness(d).withIdleness(t)", "idle-aware"),
        ("WatermarkStrategy.forGenerator(g)", "absent"),
        ("what", "absent"),
        ("new Own()", "absent"),
    ],
)
def test_watermarks_of_a_source_of_kinesis(strategy: str, watermarks: str) -> None:
    code = f"var in = KinesisStreamsSource.builder().build(); env.fromSource(in, {strategy}, n); env.fromSource(in);"
    ((_, attributes),) = elements("kinesis-source", code)
    assert attributes.get("watermarks", "absent") == watermarks
    ((_, attributes),) = elements("kinesis-source", code.replace("(in, ", "(other, "))
    assert "watermarks" not in attributes


@pytest.mark.parametrize(
    ("code", "name", "attributes"),
    [
        ("FileSink.forRowFormat(p, e).withRollingPolicy(what).build();", "FileSink",
         {"method": "forRowFormat", "path": None}),
        ("FileSink.forOther(p, e);", None, {}),
        ("new RMQSink<>(c, q, s);", "RMQSink", {"method": "RMQSink"}),
        ("new RMQSink<>(c, q, s) { void open() {} };", "RMQSink", {"method": "RMQSink"}),
        ("other.RMQSink(c);", None, {}),
        ("RMQSink(c, q, s);", "RMQSink", {"method": "RMQSink"}),
        ('CassandraSink.addSink(in).setQuery("q");', "CassandraSink", {"method": "addSink", "query": "q"}),
        ("CassandraSink.addSink(in).setB(x.withConsistencyLevel(ConsistencyLevel.ONE));", "CassandraSink",
         {"method": "addSink", "consistency-level": "ONE"}),
        ("CassandraSink.addSink(in).setB(x.withConsistencyLevel(load()));", "CassandraSink",
         {"method": "addSink", "consistency-level": None}),
        ("CassandraSink.addSink(in).setB(x.withConsistencyLevel());", "CassandraSink", {"method": "addSink"}),
        ("JdbcSink.sink(q, b, new B().withBatchSize(500).build(), c);", "JdbcSink",
         {"method": "sink", "batch-size": 500}),
        ("CassandraSink.addSink(in).setB(x.withBatchSize(500));", "CassandraSink", {"method": "addSink"}),
    ],
)  # fmt: skip
def test_other_sinks(code: str, name: str | None, attributes: dict[str, object]) -> None:
    found = elements("sink", code)
    assert [one for one, _ in found] == ([] if name is None else [name])
    for _, made in found:
        known = {key: value for key, value in made.items() if key not in ("rolling-policy", "b")}
        assert known == attributes


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("in.print();", 0), ("DataStream<A> a = load(); a.print();", 1), ("var r = retry(f); r.print();", 0),
        ("var a = env.fromSource(s, w, n); a.print();", 1), ("var a = in.keyBy(f); var b = a.sum(1); b.print();", 1),
        ("ByteArrayOutputStream o = open(); o.print();", 0), ("Unknown u = open(); u.print();", 0),
        ("SingleOutputStreamOperator<A> a = load(); a.print();", 1), ("in.retry(f).print();", 0),
        ('in.print("name");', 0), ("in.print(5);", 0), ('in.print("a", 5);', 0),
        ("in.map(f).print();", 1),
        ("System.print();", 0), ("System.out.print();", 0), ("out.print();", 0), ("err.print();", 0), ("print();", 0),
        ("this.print();", 0), ("super.print();", 0), ("DataStream<A> out = env.from(s); out.print();", 1),
        ("PrintStream p = open(); p.print();", 0), ("StringWriter w = open(); w.print();", 0),
        ("TableResult r = t.run(); r.print();", 0),
        ("t.execute().print();", 0), ("var r = t.executeSql(q); r.print();", 0), ('found.print("name");', 0),
    ],
)  # fmt: skip
def test_what_prints_a_stream(code: str, count: int) -> None:
    assert len(elements("sink", code)) == count


@pytest.mark.parametrize(
    ("symbol", "imports", "key"),
    [
        (("ConsumerConfig", "GROUP_ID_CONFIG"), [], "group.id"), (("ConsumerConfig", "GROUP_ID"), [], None),
        (("RestOptions", "PORT"), [], "rest.port"), (("RestOptions", "NO_SUCH"), [], None),
        (("Names", "PORT"), [], None),
        (("FlinkKafkaConsumer", "KEY_DISABLE_METRICS"), [], "flink.disable-metrics"),
        (("FlinkKafkaConsumer", "GROUP_ID_CONFIG"), [], None),
        (("", "PORT"), [], None), (("", "PORT"), ["org.RestOptions.PORT"], "rest.port"),
        (("", "PORT"), ["org.RestOptions.*"], "rest.port"), (("", "PORT"), ["org.RestOptions._"], "rest.port"),
        (("", "PORT"), ["org.RestOptions.ADDRESS"], None), (("", "PORT"), ["PORT"], None),
        (("", "PORT"), ["org.Names.PORT"], None),
        (("", "PORT"), ["org.Names.*", "org.RestOptions.*"], "rest.port"),
    ],
)  # fmt: skip
def test_the_key_of_a_constant(symbol: tuple[str, str], imports: list[str], key: str | None) -> None:
    assert key_of(Symbol(*symbol), frozenset(imports)) == key
