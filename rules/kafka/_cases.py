"""Programs and scripts for the test cases of rules on Kafka."""

from __future__ import annotations


def program(*statements: str) -> str:
    """Return a Java program that creates an environment, runs the given statements, and starts the job."""
    body = "".join(f"        {statement}\n" for statement in statements)
    return (
        "package shop;\n\n"
        "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
        "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
        "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
        "import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;\n"
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;\n"
        "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
        "import org.apache.kafka.clients.consumer.OffsetResetStrategy;\n\n"
        "public class Orders {\n"
        "    public static void main(String[] args) throws Exception {\n"
        "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        f"{body}"
        '        env.execute("orders");\n'
        "    }\n"
        "}\n"
    )


def sink(*calls: str, name: str = "sink", topic: str = "orders") -> str:
    """Return a statement that builds a KafkaSink, configured by the given method calls."""
    return (
        f"KafkaSink<String> {name} = KafkaSink.<String>builder()\n"
        '            .setBootstrapServers("kafka:9092")\n'
        "            .setRecordSerializer(KafkaRecordSerializationSchema.builder()\n"
        f'                .setTopic("{topic}").setValueSerializationSchema(new SimpleStringSchema()).build())\n'
        + "".join(f"            .{call}\n" for call in calls)
        + f"            .build();\n        stream.sinkTo({name});"
    )


def source(*calls: str, name: str = "source", topic: str = "clicks") -> str:
    """Return a statement that builds a KafkaSource, configured by the given method calls."""
    return (
        f"KafkaSource<String> {name} = KafkaSource.<String>builder()\n"
        '            .setBootstrapServers("kafka:9092")\n'
        f'            .setTopics("{topic}")\n'
        "            .setValueOnlyDeserializer(new SimpleStringSchema())\n"
        + "".join(f"            .{call}\n" for call in calls)
        + "            .build();\n"
        f'        DataStream<String> stream = env.fromSource({name}, WatermarkStrategy.noWatermarks(), "clicks");'
    )


def group(name: str, *pairs: tuple[str, str]) -> str:
    """Return a Terraform application whose property group configures a Kafka client."""
    lines = "".join(f'          "{key}" = "{value}"\n' for key, value in (("bootstrap.servers", "kafka:9092"), *pairs))
    return (
        'resource "aws_kinesisanalyticsv2_application" "orders" {\n'
        '  name                = "orders"\n'
        '  runtime_environment = "FLINK-1_20"\n'
        "  application_configuration {\n    environment_properties {\n      property_group {\n"
        f'        property_group_id = "{name}"\n        property_map = {{\n'
        f"{lines}"
        "        }\n      }\n    }\n  }\n}\n"
    )


EXACTLY_ONCE = "setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)"
AT_LEAST_ONCE = "setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)"
PREFIX = 'setTransactionalIdPrefix("orders-sink")'
GROUP = 'setGroupId("orders")'
OLD_SINK = (
    'stream.addSink(new FlinkKafkaProducer<>("t", schema(), new Properties(),'
    " FlinkKafkaProducer.Semantic.EXACTLY_ONCE));"
)
"""A statement that adds an exactly-once FlinkKafkaProducer, which drops its guarantee if checkpointing is off."""


def table(name: str, *options: str, connector: str = "kafka", columns: str = "id STRING, amount INT") -> str:
    """Return a CREATE TABLE statement for a Kafka table with further options (``'key' = 'value'``)."""
    lines = [f"'connector' = '{connector}'", "'properties.bootstrap.servers' = 'kafka:9092'", *options]
    return f"CREATE TABLE {name} (\n  {columns}\n) WITH (\n" + ",\n".join(f"  {line}" for line in lines) + "\n);\n"


READ = (
    "CREATE TABLE printed (id STRING, amount INT) WITH ('connector' = 'print');\nINSERT INTO printed SELECT * FROM t;\n"
)
"""SQL statements for test cases that read from the table `t`."""
WRITE = "CREATE TABLE made (id STRING, amount INT) WITH ('connector' = 'datagen');\nINSERT INTO t SELECT * FROM made;\n"
"""SQL statements for test cases that write to the table `t`."""
TOPIC = "'topic' = 'orders', 'format' = 'json'"


def writing_job(*calls: str, end: str = "env.execute();") -> str:
    """Return a program of a claim that writes no record to Kafka, with a KafkaSink that the given calls configure."""
    return (
        "import org.apache.flink.api.common.serialization.SimpleStringSchema;\n"
        "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
        "import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;\n"
        "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Job {\n"
        "    public static void main(String[] args) throws Exception {\n"
        "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        "        KafkaSink<String> sink = KafkaSink.<String>builder()\n"
        '            .setBootstrapServers("localhost:1")\n'
        "            .setRecordSerializer(KafkaRecordSerializationSchema.builder()\n"
        '                .setTopic("orders").setValueSerializationSchema(new SimpleStringSchema()).build())\n'
        + "".join(f"            .{call}\n" for call in calls)
        + "            .build();\n"
        '        env.fromElements("a").filter(one -> false).sinkTo(sink);\n'
        f"        {end}\n"
        "    }\n"
        "}\n"
    )
