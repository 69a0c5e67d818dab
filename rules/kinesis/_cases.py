"""Programs and scripts for the test cases of rules on Kinesis."""

from __future__ import annotations


def program(*statements: str) -> str:
    """Return a Java program that creates an environment, runs the given statements, and starts the job."""
    body = "".join(f"        {statement}\n" for statement in statements)
    return (
        "package fleet;\n\n"
        "import java.util.Properties;\n"
        "import org.apache.flink.configuration.Configuration;\n"
        "import org.apache.flink.connector.kinesis.sink.KinesisStreamsSink;\n"
        "import org.apache.flink.connector.kinesis.source.KinesisStreamsSource;\n"
        "import org.apache.flink.connector.kinesis.source.config.KinesisSourceConfigOptions;\n"
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer;\n"
        "import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisProducer;\n"
        "import org.apache.flink.streaming.connectors.kinesis.config.AWSConfigConstants;\n"
        "import org.apache.flink.streaming.connectors.kinesis.config.ConsumerConfigConstants;\n\n"
        "public class Positions {\n"
        "    public static void main(String[] args) throws Exception {\n"
        "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        f"{body}"
        '        env.execute("positions");\n'
        "    }\n"
        "}\n"
    )


def consumer(*puts: tuple[str, str], region: bool = True, stream: str = "positions", constants: bool = False) -> str:
    """Return statements that create a FlinkKinesisConsumer with the given properties."""
    names = [("aws.region", "eu-west-1"), *puts] if region else list(puts)
    lines = "".join(
        f"        consumerConfig.put({key if constants and key.isupper() else quoted(key)}, {quoted(value)});\n"
        for key, value in names
    )
    return (
        "Properties consumerConfig = new Properties();\n"
        f"{lines}"
        "        DataStream<String> stream = env.addSource(new FlinkKinesisConsumer<>(\n"
        f'            "{stream}", new SimpleStringSchema(), consumerConfig));'
    )


def source(*puts: tuple[str, str], stream: str = "positions") -> str:
    """Return statements that build a KinesisStreamsSource with the given options."""
    lines = "".join(f"        sourceConfig.setString({quoted(key)}, {quoted(value)});\n" for key, value in puts)
    return (
        "Configuration sourceConfig = new Configuration();\n"
        f"{lines}"
        "        KinesisStreamsSource<String> source = KinesisStreamsSource.<String>builder()\n"
        f'            .setStreamArn("arn:aws:kinesis:eu-west-1:123456789012:stream/{stream}")\n'
        "            .setSourceConfig(sourceConfig)\n"
        "            .setDeserializationSchema(new SimpleStringSchema())\n"
        "            .build();\n"
        '        DataStream<String> stream = env.fromSource(source, WatermarkStrategy.noWatermarks(), "positions");'
    )


def again(statements: str) -> str:
    """Rename the variables of some statements, so that a program can contain the statements twice."""
    return statements.replace("Config", "Other").replace("> stream", "> other").replace("> source", "> another")


def unknown(text: str, value: str) -> str:
    """Replace a string literal of a program by a variable with an unknown value."""
    return text.replace(f'"{value}"', "given")


def given_more(text: str) -> str:
    """Add a call to a program that puts unknown properties into the consumer's properties."""
    return text.replace("consumerConfig.put(", "consumerConfig.putAll(given);\n        consumerConfig.put(", 1)


def sink(*calls: str) -> str:
    """Return statements that build a KinesisStreamsSink, configured by the given method calls."""
    return (
        "KinesisStreamsSink<String> sink = KinesisStreamsSink.<String>builder()\n"
        "            .setKinesisClientProperties(sinkProperties)\n"
        "            .setSerializationSchema(new SimpleStringSchema())\n"
        "            .setPartitionKeyGenerator(element -> String.valueOf(element.hashCode()))\n"
        '            .setStreamName("enriched")\n'
        + "".join(f"            .{call}\n" for call in calls)
        + "            .build();\n        stream.sinkTo(sink);"
    )


def producer(*calls: str) -> str:
    """Return statements that create a FlinkKinesisProducer and call the given setters."""
    return (
        "FlinkKinesisProducer<String> producer = new FlinkKinesisProducer<>(new SimpleStringSchema(),"
        " producerConfig);\n"
        '        producer.setDefaultStream("enriched");\n'
        + "".join(f"        producer.{call};\n" for call in calls)
        + "        stream.addSink(producer);"
    )


def quoted(text: str) -> str:
    """Return a text as a Java string literal; leave a qualified constant unchanged."""
    return text if "." in text and text.split(".")[-1].isupper() else f'"{text}"'


def table(name: str, *options: str, connector: str = "kinesis") -> str:
    """Return a CREATE TABLE statement for a Kinesis table with further options (``'key' = 'value'``)."""
    lines = [f"'connector' = '{connector}'", "'aws.region' = 'eu-west-1'", "'format' = 'json'", *options]
    return f"CREATE TABLE {name} (\n  id STRING, speed INT\n) WITH (\n" + ",\n".join(f"  {x}" for x in lines) + "\n);\n"


def group(*pairs: tuple[str, str]) -> str:
    """Return a Terraform application whose property group configures a Kinesis reader."""
    lines = "".join(f'          "{key}" = "{value}"\n' for key, value in (("aws.region", "eu-west-1"), *pairs))
    return (
        'resource "aws_kinesisanalyticsv2_application" "positions" {\n'
        '  name                = "positions"\n'
        '  runtime_environment = "FLINK-1_20"\n'
        "  application_configuration {\n"
        "    environment_properties {\n"
        "      property_group {\n"
        '        property_group_id = "InputStream0"\n'
        "        property_map = {\n"
        '          "stream.name" = "positions"\n'
        f"{lines}"
        "        }\n      }\n    }\n  }\n}\n"
    )


READ = (
    "CREATE TABLE printed (id STRING, speed INT) WITH ('connector' = 'print');\nINSERT INTO printed SELECT * FROM t;\n"
)
"""SQL statements for test cases that read from the table `t`."""
WRITE = "CREATE TABLE made (id STRING, speed INT) WITH ('connector' = 'datagen');\nINSERT INTO t SELECT * FROM made;\n"
"""SQL statements for test cases that write to the table `t`."""
STREAM = "'stream' = 'positions'"
ARN = "'stream.arn' = 'arn:aws:kinesis:eu-west-1:123456789012:stream/positions'"


def job(name: str, *statements: str) -> str:
    """Return a program of a claim, which is compiled and run; `name` is the class of Kinesis that it imports."""
    body = "".join(f"        {statement}\n" for statement in statements)
    return (
        "import java.util.Properties;\n"
        "import org.apache.flink.api.common.serialization.SimpleStringSchema;\n"
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        f"import org.apache.flink.{name};\n"
        "public class Job {\n"
        "    public static void main(String[] args) throws Exception {\n"
        "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        "        Properties given = new Properties();\n"
        '        given.put("aws.region", "eu-west-1");\n'
        f"{body}"
        "    }\n"
        "}\n"
    )


def reading_job(*puts: tuple[str, str]) -> str:
    """Return a program of a claim that builds a FlinkKinesisConsumer with the given properties."""
    return job(
        "streaming.connectors.kinesis.FlinkKinesisConsumer",
        *(f'given.put("{key}", "{value}");' for key, value in puts),
        'env.addSource(new FlinkKinesisConsumer<>("positions", new SimpleStringSchema(), given));',
    )


def writing_job(field: str, *calls: str) -> str:
    """Return a program of a claim that builds a FlinkKinesisProducer, and shows a field of it."""
    return job(
        "streaming.connectors.kinesis.FlinkKinesisProducer",
        "FlinkKinesisProducer<String> producer = new FlinkKinesisProducer<>(new SimpleStringSchema(), given);",
        'producer.setDefaultStream("enriched");',
        *(f"producer.{call};" for call in calls),
        'env.fromElements("a").addSink(producer);',
        f'JobFields.show(env, "FlinkKinesisProducer.{field}");',
    )


IN_INDEX = ">=1.19,<1.20"
"""The release whose Kinesis connector is asked: the last of the older ones that the package index has."""
