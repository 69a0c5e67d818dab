"""The old Kafka classes end with Flink 2.0.

## What it does
Reports `FlinkKafkaConsumer` and `FlinkKafkaProducer`, as advice from 1.14 on and as an error from 2.0 on, and the
SQL option `sink.semantic`, which is called `sink.delivery-guarantee` since 1.14.

## Why it matters
Both classes are sources and sinks of the kind that Flink 2.0 does not run any more, and the Kafka connector for it
(4.0) does not hold them. They lack what their successors have: watermark alignment, idleness by partition, bounded
reading, a transactional id prefix of one's choice.

## What to do
Use `KafkaSource` and `KafkaSink`. The state of the old classes is not carried over: start the new source from the
offsets the old one committed (`OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST)`), after a
stop with savepoint.

## Not when
Before 1.14 there is nothing else.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/>: the successors
- <https://github.com/apache/flink-connector-kafka/pull/121>: what is slated for removal with 4.0
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: the APIs that 2.0 removes
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#sink-semantic>: SQL's option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.spans import Edit
from flink_flint.rules.kafka._cases import AT_LEAST_ONCE, GROUP, TOPIC, WRITE, program, sink, source, table
from flink_flint.rules.kafka._clients import api, is_old

_OLD, _NEW = "sink.semantic", "sink.delivery-guarantee"


@rule(
    code="FLK806",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=["element:kafka-source", "element:kafka-sink"],
    flink=">=1.14",
    since="0.1",
)
def kafka_deprecated_client(config: View) -> Iterator[Finding]:
    """the old Kafka classes end with Flink 2.0"""
    for client in config.elements("kafka-source", "kafka-sink"):
        if is_old(client):
            successor = "KafkaSource" if client.kind == "kafka-source" else "KafkaSink"
            gone = config.since("2.0")
            yield client.finding(
                f"{api(client)} is deprecated, and not there any more from Flink 2.0 and Kafka connector 4.0 on",
                help=f"use {successor}; its state does not carry over, so stop with a savepoint and start from the"
                " committed offsets"
                if successor == "KafkaSource"
                else f"use {successor}",
                severity=Severity.ERROR if gone else Severity.INFO,
            )
        if f"with.{_OLD}" in client.element.attributes:
            yield client.finding(
                f"{_OLD} is called {_NEW} since Flink 1.14",
                of=f"with.{_OLD}",
                at="key",
                help=f"write {_NEW}",
                fix=_renamed(config, client),
            )


def _renamed(config: View, client: ElementView) -> Fix | None:
    """A fix that renames the option, unless the new name stands beside it."""
    attribute = client.element.attributes[f"with.{_OLD}"]
    if attribute.key_span is None or f"with.{_NEW}" in client.element.attributes:
        return None
    span = attribute.key_span
    written = config.document.text[span.start : span.end]
    if written.count(_OLD) != 1:
        return None
    return Fix(f"write {_NEW}", [Edit(span, written.replace(_OLD, _NEW))], True, config.document.path)


_CONSUMER = (
    'FlinkKafkaConsumer<String> consumer = new FlinkKafkaConsumer<>("clicks", new SimpleStringSchema(), properties);\n'
    "        DataStream<String> stream = env.addSource(consumer);"
)


def cases() -> list[Case]:
    return [
        bad(
            program(_CONSUMER), file="Orders.java", flink="1.17", severity=Severity.INFO, at="new FlinkKafkaConsumer<>"
        ),
        bad(program(_CONSUMER), file="Orders.java", flink="2.0", severity=Severity.ERROR),
        bad(
            program('stream.addSink(new FlinkKafkaProducer<>("orders", new SimpleStringSchema(), properties));'),
            file="Orders.java",
            flink="2.1",
            severity=Severity.ERROR,
        ),
        bad(
            table("t", TOPIC, "'sink.semantic' = 'at-least-once'") + WRITE,
            file="orders.sql",
            flink="1.17",
            fixed=table("t", TOPIC, "'sink.delivery-guarantee' = 'at-least-once'") + WRITE,
        ),
        good(program(_CONSUMER), file="Orders.java", flink="1.13"),
        good(program(source(GROUP), sink(AT_LEAST_ONCE)), file="Orders.java", flink="2.0"),
        good(table("t", TOPIC, "'sink.semantic' = 'at-least-once'") + WRITE, file="orders.sql", flink="1.13"),
        good(table("t", TOPIC, "'sink.delivery-guarantee' = 'at-least-once'") + WRITE, file="orders.sql", flink="1.17"),
    ]
