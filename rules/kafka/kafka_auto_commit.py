"""The Kafka client commits offsets of its own beside those of the checkpoints.

## What it does
Reports `enable.auto.commit` that is on for a `KafkaSource` or a SQL table, where checkpointing is on.

## Why it matters
Flink commits the offsets of a checkpoint when it is complete. The client's own timer commits, every five seconds, what
was handed to the job, done or not. Committed offsets then run ahead of the state: whoever starts from them without a
checkpoint skips the records that were under way.

## What to do
Delete the property. Flink turns it off by itself and commits at each checkpoint.

## Not when
Checkpointing is off, where it is the only way offsets are committed. The old `FlinkKafkaConsumer` ignores the property
once checkpointing is on.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#consumer-offset-committing>:
  when offsets are committed, with checkpoints and without
- <https://kafka.apache.org/documentation/#consumerconfigs_enable.auto.commit>: the client's timer
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import GROUP, READ, TOPIC, program, source, table
from flink_flint.rules.kafka._clients import INTERVAL, is_group, is_old, named, of_property


@rule(
    code="FLK811",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kafka-source"],
    flink=">=1.14",
    since="0.1",
)
def kafka_auto_commit(config: View) -> Iterator[Finding]:
    """the Kafka client commits offsets of its own beside those of the checkpoints"""
    if not config.duration(INTERVAL):
        return
    for reader in config.elements("kafka-source"):
        name = named(reader, *of_property("enable.auto.commit"))
        if name is not None and reader.flag(name) is True and not is_old(reader) and not is_group(reader):
            yield reader.finding(
                "the Kafka client commits offsets by a timer, ahead of Flink's checkpoints: a start from committed"
                " offsets skips what was under way",
                of=name,
                help="delete enable.auto.commit; Flink commits the offsets of each checkpoint",
                related=[config.get(INTERVAL)],
            )


_AUTO = 'setProperty("enable.auto.commit", "true")'
_CHECKPOINTS = "env.enableCheckpointing(60_000);"
_OPTIONS = (TOPIC, "'properties.group.id' = 'orders'", "'properties.enable.auto.commit' = 'true'")
_OLD = (
    "Properties properties = new Properties();\n"
    '        properties.setProperty("enable.auto.commit", "true");\n'
    '        env.addSource(new FlinkKafkaConsumer<>("clicks", new SimpleStringSchema(), properties));'
)


def cases() -> list[Case]:
    return [
        bad(program(_CHECKPOINTS, source(GROUP, _AUTO)), file="Orders.java", at='"true"'),
        bad("SET 'execution.checkpointing.interval' = '1 min';\n" + table("t", *_OPTIONS) + READ, file="orders.sql"),
        good(program(source(GROUP, _AUTO)), file="Orders.java"),
        good(program(_CHECKPOINTS, source(GROUP, 'setProperty("enable.auto.commit", "false")')), file="Orders.java"),
        good(program(_CHECKPOINTS, source(GROUP)), file="Orders.java"),
        good(table("t", *_OPTIONS) + READ, file="orders.sql"),
        good(program(_CHECKPOINTS, source(GROUP, _AUTO)), file="Orders.java", flink="1.13"),
        good(program(_CHECKPOINTS, _OLD), file="Orders.java"),
    ]  # fmt: skip
