"""An exactly-once sink writes to Kafka, but no checkpoint ever commits it.

## What it does
Reports an exactly-once writer where checkpointing is off: the interval is 0, or nothing sets it, neither the program
or script nor the deployment it runs on.

## Why it matters
Such a sink commits its transaction when a checkpoint is complete. Without checkpoints nothing is ever committed:
consumers that read only what is committed see no record at all, and the others see records that the broker aborts
when the transaction times out. `FlinkKafkaProducer` is the exception, and with it the SQL tables up to Flink 1.13: it
logs *"Using EXACTLY_ONCE semantic, but checkpointing is not enabled. Switching to NONE semantic."* and writes without
transactions, so that records are visible, but are lost or written twice when something fails. That is a warning.

## What to do
Set `execution.checkpointing.interval`, or choose at-least-once. The interval is how long consumers wait for records.

## Not when
The program's cluster is unknown: its configuration may turn checkpointing on. In batch mode everything is committed
at the end.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  checkpointing must be enabled; transactions are committed on a checkpoint
- <https://github.com/apache/flink-connector-kafka/blob/v3.2/flink-connector-kafka/src/main/java/org/apache/flink/streaming/connectors/kafka/FlinkKafkaProducer.java>:
  `initializeState` switches to NONE
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import (
    AT_LEAST_ONCE,
    EXACTLY_ONCE,
    OLD_SINK,
    PREFIX,
    TOPIC,
    WRITE,
    program,
    sink,
    table,
)
from flink_flint.rules.kafka._clients import INTERVAL, drops_guarantee, exactly_once, guarantee_attribute, is_batch


@rule(
    code="FLK804",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kafka-sink"],
    flink=">=1.12",
    since="0.1",
)
def kafka_commits_never(config: View) -> Iterator[Finding]:
    """an exactly-once sink writes to Kafka, but no checkpoint ever commits it"""
    interval = config.get(INTERVAL)
    nowhere = not interval.is_set and config.is_deployment_known
    if is_batch(config) or not (nowhere or (interval.is_set and config.duration(INTERVAL) == 0)):
        return
    for writer in exactly_once(config):
        drops = drops_guarantee(config, writer)
        yield writer.finding(
            "checkpointing is off, so this sink switches from exactly-once to no guarantee: records are lost or written"
            " twice when something fails"
            if drops
            else "this sink commits its transactions when a checkpoint completes, and checkpointing is off: consumers"
            " that read committed records see none",
            severity=Severity.WARNING if drops else None,
            of=guarantee_attribute(writer),
            help=f"set {INTERVAL}, or choose at-least-once",
            related=[interval] if interval.is_set else (),
        )


_EXACTLY = (TOPIC, "'sink.delivery-guarantee' = 'exactly-once'", "'sink.transactional-id-prefix' = 'o'")
_DEPLOYMENT = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n"
    "  flinkVersion: v1_20\n  flinkConfiguration:\n    {}\n  job:\n    jarURI: local:///opt/orders.jar\n"
    "    entryClass: shop.Orders\n    upgradeMode: stateless\n"
)
_BUILDER = (
    "package shop;\nimport org.apache.flink.connector.kafka.sink.KafkaSink;\n"
    "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
    "class Sinks {\n  static KafkaSink<String> orders() {\n    return KafkaSink.<String>builder()\n"
    '      .setBootstrapServers("kafka:9092").setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)\n'
    '      .setTransactionalIdPrefix("orders").build();\n  }\n}\n'
)
_OFF = "SET 'execution.checkpointing.interval' = '0';\n"


def cases() -> list[Case]:
    return [
        bad(_OFF + table("t", *_EXACTLY) + WRITE, file="orders.sql", at="'exactly-once'"),
        bad(program("Configuration configuration = new Configuration();",
                    'configuration.setString("execution.checkpointing.interval", "0");',
                    "env.configure(configuration);", sink(EXACTLY_ONCE, PREFIX)), file="Orders.java"),
        good(program(sink(EXACTLY_ONCE, PREFIX)), file="Orders.java", flink="1.20",
             beside={"deployment.yaml": _DEPLOYMENT.format("execution.checkpointing.interval: 1 min")}),
        good(program(sink(EXACTLY_ONCE, PREFIX)), file="Orders.java"),
        good(program("env.enableCheckpointing(60_000);", sink(EXACTLY_ONCE, PREFIX)), file="Orders.java"),
        good(_OFF + table("t", TOPIC) + WRITE, file="orders.sql"),
        good(_OFF + "SET 'execution.runtime-mode' = 'batch';\n" + table("t", *_EXACTLY) + WRITE, file="orders.sql"),
        good(program(sink(AT_LEAST_ONCE)), file="Orders.java"),
        bad(
            program('env.getConfig().setString("a", "b");', OLD_SINK), file="Orders.java", flink="1.17",
            severity=Severity.WARNING, says="no guarantee",
            beside={"deployment.yaml": _DEPLOYMENT.format("rest.port: 8081")},
        ),
        bad(_OFF + table("t", *_EXACTLY) + WRITE, file="orders.sql", flink="1.13", severity=Severity.WARNING),
        bad(_OFF + table("t", *_EXACTLY) + WRITE, file="orders.sql", flink="1.14", severity=Severity.ERROR),
        *cases_in_folders(__file__),
        good(
            _BUILDER,
            file="src/main/java/shop/Sinks.java",
            beside={
                "pom.xml": "<project/>\n",
                "orders.yaml": _DEPLOYMENT.format("taskmanager.numberOfTaskSlots: '2'"),
                "src/main/java/shop/Orders.java": "package shop;\n"
                "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
                "class Orders {\n  public static void main(String[] args) throws Exception {\n"
                "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
                "    env.enableCheckpointing(60000);\n    env.fromSource(source, marks, name).sinkTo(Sinks.orders());\n"
                "    env.execute();\n  }\n}\n",
            },
        ),
    ]  # fmt: skip
