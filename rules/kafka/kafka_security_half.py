"""Settings for a secure connection to Kafka that the protocol leaves unused.

## What it does
Reports `sasl.*` properties where `security.protocol` is not one of the SASL protocols, `ssl.*` properties where it is
not one of the SSL protocols, and a password that goes over an unencrypted connection (`SASL_PLAINTEXT` with the
mechanism `PLAIN`) to other machines.

## Why it matters
`security.protocol` alone decides, and it is `PLAINTEXT` unless set: Kafka's client reads the other properties and does
not use them. Towards a broker that wants a login it then hangs in timeouts, and towards one that does not it sends
everything in the clear although the configuration looks secure.

## What to do
Set `security.protocol` to `SASL_SSL`, `SSL` or `SASL_PLAINTEXT`, as the broker's listener has it.

## Not when
Properties come from elsewhere, or the protocol is unknown. `ssl.endpoint.identification.algorithm` alone asks for
nothing. On a single development machine a password in the clear is advice.

## Sources
- <https://kafka.apache.org/documentation/#consumerconfigs_security.protocol>: the protocols and the default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#security>: which properties
  go together
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import READ, TOPIC, group, table
from flink_flint.rules.kafka._clients import brokers, more_properties, named, of_property

_PROTOCOL = "security.protocol"
_TELLING = {
    "SASL": ("sasl.jaas.config", "sasl.mechanism", "sasl.client.callback.handler.class"),
    "SSL": ("ssl.truststore.location", "ssl.keystore.location", "ssl.truststore.certificates", "ssl.keystore.key"),
}
"""By what must be in the protocol's name, the properties that show it is meant."""
_LOCAL = ("localhost", "127.0.0.1", "[::1]")


@rule(
    code="FLK819",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kafka-source", "element:kafka-sink"],
    flink=">=1.9",
    since="0.1",
)
def kafka_security_half(config: View) -> Iterator[Finding]:
    """settings for a secure connection to Kafka that the protocol leaves unused"""
    for client in config.elements("kafka-source", "kafka-sink"):
        where = named(client, *of_property(_PROTOCOL))
        protocol = "PLAINTEXT" if where is None else (client.text(where) or "").strip().upper()
        if not protocol or (where is None and more_properties(client)):
            continue
        for word, keys in _TELLING.items():
            names = [name for key in keys if (name := named(client, *of_property(key)))]
            if names and word not in protocol:
                meant = "SASL_SSL or SASL_PLAINTEXT" if word == "SASL" else "SSL or SASL_SSL"
                key = names[0].removeprefix("with.").removeprefix("properties.")
                yield client.finding(
                    f"{key} is set, but {_PROTOCOL} is {protocol if where else 'not set, which means PLAINTEXT'}:"
                    f" Kafka's client does not use it",
                    of=names[0],
                    help=f"set {_PROTOCOL} to {meant}, as the broker's listener has it",
                    related=[client.place(where)] if where else (),
                )
        if protocol == "SASL_PLAINTEXT" and _mechanism(client) == "PLAIN" and not _is_local(client):
            yield client.finding(
                "SASL_PLAINTEXT sends the password of mechanism PLAIN over the network as it is",
                of=where,
                help=f"use a listener with TLS and set {_PROTOCOL} to SASL_SSL",
                severity=Severity.INFO if config.target.profile == "development" else Severity.WARNING,
            )


def _mechanism(client: ElementView) -> str | None:
    name = named(client, *of_property("sasl.mechanism"))
    return None if name is None else client.text(name)


def _is_local(client: ElementView) -> bool:
    """Whether the brokers are on this very machine, or unknown."""
    servers = brokers(client)
    return not servers or any(server.startswith(_LOCAL) for server in servers)


_JAAS = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
_PLAIN = ("'properties.security.protocol' = 'SASL_PLAINTEXT'", "'properties.sasl.mechanism' = 'PLAIN'")


def cases() -> list[Case]:
    return [
        bad(
            "package shop;\n"
            "\n"
            "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
            "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
            "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
            "import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
            "import org.apache.kafka.clients.consumer.OffsetResetStrategy;\n"
            "\n"
            "public class Orders {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        KafkaSource<String> source = KafkaSource.<String>builder()\n"
            '            .setBootstrapServers("kafka:9092")\n'
            '            .setTopics("clicks")\n'
            "            .setValueOnlyDeserializer(new SimpleStringSchema())\n"
            '            .setGroupId("orders")\n'
            '            .setProperty("sasl.jaas.config", '
            '"org.apache.kafka.common.security.scram.ScramLoginModule required;")\n'
            "            .build();\n"
            "        DataStream<String> stream = env.fromSource(source, "
            'WatermarkStrategy.noWatermarks(), "clicks");\n'
            '        env.execute("orders");\n'
            "    }\n"
            "}\n",
            file="Orders.java",
            says="which means PLAINTEXT",
            flink="1.18",
            severity=Severity.ERROR,
        ),
        bad(
            "package shop;\n"
            "\n"
            "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
            "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
            "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
            "import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
            "import org.apache.kafka.clients.consumer.OffsetResetStrategy;\n"
            "\n"
            "public class Orders {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        KafkaSource<String> source = KafkaSource.<String>builder()\n"
            '            .setBootstrapServers("kafka:9092")\n'
            '            .setTopics("clicks")\n'
            "            .setValueOnlyDeserializer(new SimpleStringSchema())\n"
            '            .setGroupId("orders")\n'
            '            .setProperty("security.protocol", "SASL_PLAINTEXT")\n'
            '            .setProperty("ssl.truststore.location", "/ca.jks")\n'
            "            .build();\n"
            "        DataStream<String> stream = env.fromSource(source, "
            'WatermarkStrategy.noWatermarks(), "clicks");\n'
            '        env.execute("orders");\n'
            "    }\n"
            "}\n",
            file="Orders.java",
            says="ssl.truststore.location is set, but security.protocol is SASL_PLAINTEXT",
        ),
        bad(
            table("t", TOPIC, "'properties.group.id' = 'o'", *_PLAIN) + READ,
            file="orders.sql",
            severity=Severity.WARNING,
            at="'SASL_PLAINTEXT'",
        ),
        good(
            "package shop;\n"
            "\n"
            "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
            "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
            "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
            "import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
            "import org.apache.kafka.clients.consumer.OffsetResetStrategy;\n"
            "\n"
            "public class Orders {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        KafkaSource<String> source = KafkaSource.<String>builder()\n"
            '            .setBootstrapServers("kafka:9092")\n'
            '            .setTopics("clicks")\n'
            "            .setValueOnlyDeserializer(new SimpleStringSchema())\n"
            '            .setGroupId("orders")\n'
            '            .setProperty("security.protocol", "SASL_SSL")\n'
            '            .setProperty("sasl.jaas.config", '
            '"org.apache.kafka.common.security.scram.ScramLoginModule required;")\n'
            '            .setProperty("ssl.truststore.location", "/ca.jks")\n'
            "            .build();\n"
            "        DataStream<String> stream = env.fromSource(source, "
            'WatermarkStrategy.noWatermarks(), "clicks");\n'
            '        env.execute("orders");\n'
            "    }\n"
            "}\n",
            file="Orders.java",
        ),
        good(
            "package shop;\n"
            "\n"
            "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
            "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
            "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
            "import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
            "import org.apache.kafka.clients.consumer.OffsetResetStrategy;\n"
            "\n"
            "public class Orders {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        KafkaSource<String> source = KafkaSource.<String>builder()\n"
            '            .setBootstrapServers("kafka:9092")\n'
            '            .setTopics("clicks")\n'
            "            .setValueOnlyDeserializer(new SimpleStringSchema())\n"
            '            .setGroupId("orders")\n'
            "            .setProperties(secured())\n"
            '            .setProperty("sasl.jaas.config", '
            '"org.apache.kafka.common.security.scram.ScramLoginModule required;")\n'
            "            .build();\n"
            "        DataStream<String> stream = env.fromSource(source, "
            'WatermarkStrategy.noWatermarks(), "clicks");\n'
            '        env.execute("orders");\n'
            "    }\n"
            "}\n",
            file="Orders.java",
        ),
        good(
            "CREATE TABLE t (\n"
            "  id STRING, amount INT\n"
            ") WITH (\n"
            "  'connector' = 'kafka',\n"
            "  'properties.bootstrap.servers' = 'localhost:9092',\n"
            "  'properties.security.protocol' = 'SASL_PLAINTEXT', 'properties.sasl.mechanism' = 'PLAIN', "
            "'topic' = 'orders', 'format' = 'json'\n"
            ");\n"
            "CREATE TABLE printed (id STRING, amount INT) WITH ('connector' = 'print');\n"
            "INSERT INTO printed SELECT * FROM t;\n",
            file="orders.sql",
        ),
        bad(
            table("t", TOPIC, "'properties.group.id' = 'o'", *_PLAIN) + READ,
            file="orders.sql",
            profile="development",
            severity=Severity.INFO,
        ),
        good(
            "CREATE TABLE t (\n"
            "  id STRING, amount INT\n"
            ") WITH (\n"
            "  'connector' = 'kafka',\n"
            "  'properties.bootstrap.servers' = '127.0.0.1:9092',\n"
            "  'properties.security.protocol' = 'SASL_PLAINTEXT', 'properties.sasl.mechanism' = 'PLAIN', "
            "'topic' = 'orders', 'format' = 'json'\n"
            ");\n"
            "CREATE TABLE printed (id STRING, amount INT) WITH ('connector' = 'print');\n"
            "INSERT INTO printed SELECT * FROM t;\n",
            file="orders.sql",
        ),
        good(
            "CREATE TABLE t (\n"
            "  id STRING, amount INT\n"
            ") WITH (\n"
            "  'connector' = 'kafka',\n"
            "  'properties.bootstrap.servers' = '[::1]:9092',\n"
            "  'properties.security.protocol' = 'SASL_PLAINTEXT', 'properties.sasl.mechanism' = 'PLAIN', "
            "'topic' = 'orders', 'format' = 'json'\n"
            ");\n"
            "CREATE TABLE printed (id STRING, amount INT) WITH ('connector' = 'print');\n"
            "INSERT INTO printed SELECT * FROM t;\n",
            file="orders.sql",
        ),
        good(
            "CREATE TABLE t (\n"
            "  id STRING, amount INT\n"
            ") WITH (\n"
            "  'connector' = 'kafka',\n"
            "  'properties.bootstrap.servers' = '${BROKER}:9092',\n"
            "  'properties.security.protocol' = 'SASL_PLAINTEXT', 'properties.sasl.mechanism' = 'PLAIN', "
            "'topic' = 'orders', 'format' = 'json'\n"
            ");\n"
            "CREATE TABLE printed (id STRING, amount INT) WITH ('connector' = 'print');\n"
            "INSERT INTO printed SELECT * FROM t;\n",
            file="orders.sql",
        ),
        good(table("t", TOPIC, "'properties.security.protocol' = 'SASL_SSL'", _PLAIN[1]) + READ, file="orders.sql"),
        good(group("KafkaSource", ("sasl.jaas.config", _JAAS)), file="main.tf"),
        *cases_in_folders(__file__),
    ]
