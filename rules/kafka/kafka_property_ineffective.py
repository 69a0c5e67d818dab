"""A property of the Kafka consumer that a Flink source does not heed.

## What it does
Reports `auto.offset.reset` given to a `KafkaSource` whose starting offsets say otherwise, and, as advice, properties of
group membership: `session.timeout.ms`, `heartbeat.interval.ms`, `max.poll.interval.ms`,
`partition.assignment.strategy`, `group.instance.id`.

## Why it matters
The builder overrides `auto.offset.reset` by what `setStartingOffsets` says, and where that is not called it starts at
the earliest offset: a job that sets the property to `latest` reads the whole topic at its first start. Flink assigns
partitions to its readers itself, so they join no group, and what governs joining and leaving it has no effect.

## What to do
Call `setStartingOffsets(OffsetsInitializer.latest())`, or what is meant. Delete the others.

## Not when
SQL's `group-offsets` and the old `FlinkKafkaConsumer` use `auto.offset.reset`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#additional-properties>:
  which keys the builder overrides
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/connector/kafka/source/reader/KafkaPartitionSplitReader.java>:
  partitions are assigned, not subscribed to
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import GROUP, READ, TOPIC, program, source, table
from flink_flint.rules.kafka._clients import RESET, api, named, of_property, offsets_initializer, starting_offsets

_STRATEGIES = ("earliest", "latest", "none")
_MEMBERSHIP = (
    *("session.timeout.ms", "heartbeat.interval.ms", "max.poll.interval.ms", "partition.assignment.strategy"),
    "group.instance.id",
)


@rule(
    code="FLK824",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=["element:kafka-source"],
    flink=">=1.12",
    since="0.1",
)
def kafka_property_ineffective(config: View) -> Iterator[Finding]:
    """a property of the Kafka consumer that a Flink source does not heed"""
    for reader in config.elements("kafka-source"):
        name = named(reader, *of_property(RESET))
        if name is not None and api(reader) == "KafkaSource":
            yield from _reset_property(reader, name)
        for key in _MEMBERSHIP:
            name = named(reader, *of_property(key))
            if name is not None:
                yield reader.finding(
                    f"{key} has no effect: Flink assigns partitions itself and its readers join no consumer group",
                    of=name,
                    help="delete it",
                )


def _reset_property(reader: ElementView, name: str) -> Iterator[Finding]:
    """Report the property for what is done without an offset, unless the source starts like that anyway."""
    start, reset = starting_offsets(reader), (reader.text(name) or "").strip().lower()
    kept = "none" if start == "committed" else (start or "").removeprefix("committed-")
    chosen = named(reader, "starting-offsets")
    if kept not in _STRATEGIES or kept == reset:
        return
    if reset in _STRATEGIES:
        where = f"starts at the {kept} offset" if kept == start else f"takes {kept} where nothing is committed"
        yield reader.finding(
            f"{RESET} is overridden by the starting offsets"
            f"{'' if chosen else ', which nothing sets'}: the source {where}",
            of=name,
            help=f"delete the property, or call {_meant(reader, start, reset)}",
            severity=Severity.WARNING,
            related=[reader.place(chosen)] if chosen else (),
        )
    elif chosen is None and not reader.is_known(name):
        yield reader.finding(
            f"{RESET} has no effect, whatever it is set to: nothing sets the starting offsets, so the source starts at"
            f" the {kept} offset",
            of=name,
            help=f"call {reader.method('setStartingOffsets')} for what is meant, and delete the property",
        )


def _meant(reader: ElementView, start: str | None, reset: str) -> str:
    """The call that does what the property says."""
    initializer = "KafkaOffsetsInitializer" if reader.is_python else "OffsetsInitializer"
    if (start or "").startswith("committed"):
        offsets = offsets_initializer(reader, reset.upper())
    else:
        offsets = f"{initializer}.{reset if reset != 'none' else reader.method('committedOffsets')}()"
    return f"{reader.method('setStartingOffsets')}({offsets})"


_LATEST = "setStartingOffsets(OffsetsInitializer.latest())"
_COMMITTED = "setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST))"
_RESET_LATEST = 'setProperty("auto.offset.reset", "latest")'


def cases() -> list[Case]:
    return [
        bad(
            program(source(GROUP, _RESET_LATEST)),
            file="Orders.java",
            severity=Severity.WARNING,
            says="which nothing sets: the source starts at the earliest offset",
        ),
        bad(
            program(source(GROUP, _LATEST, 'setProperty("auto.offset.reset", "earliest")')),
            file="Orders.java",
            severity=Severity.WARNING,
            says="starts at the latest offset",
        ),
        bad(
            table("t", TOPIC, "'properties.group.id' = 'o'", "'properties.session.timeout.ms' = '45000'") + READ,
            file="orders.sql",
            severity=Severity.INFO,
            at="'45000'",
        ),
        bad(
            program(source(GROUP, _COMMITTED, _RESET_LATEST)),
            file="Orders.java",
            severity=Severity.WARNING,
            says="takes earliest where nothing is committed",
        ),
        bad(
            program(source(GROUP, 'setProperty("auto.offset.reset", parameters.get("kafka.offset"))')),
            file="Orders.java",
            severity=Severity.INFO,
            says="has no effect, whatever it is set to",
        ),
        good(
            program(source(GROUP, "setStartingOffsets(start)", 'setProperty("auto.offset.reset", args[0])')),
            file="Orders.java",
        ),
        good(program(source(GROUP, _COMMITTED, 'setProperty("auto.offset.reset", "earliest")')), file="Orders.java"),
        good(program(source(GROUP, _LATEST, _RESET_LATEST)), file="Orders.java"),
        good(program(source(GROUP, "setStartingOffsets(start)", _RESET_LATEST)), file="Orders.java"),
        good(
            table("t", TOPIC, "'properties.group.id' = 'o'", "'properties.auto.offset.reset' = 'latest'") + READ,
            file="orders.sql",
        ),
        good(program(source(GROUP, 'setProperty("max.poll.records", "500")')), file="Orders.java"),
        bad(
            program(
                source(
                    GROUP,
                    "setStartingOffsets(OffsetsInitializer.committedOffsets())",
                    'setProperty("auto.offset.reset", "earliest")',
                )
            ),
            file="Orders.java",
            severity=Severity.WARNING,
            flink="1.12",
        ),
        bad(
            program(source(GROUP, _COMMITTED, 'setProperty("auto.offset.reset", "none")')),
            file="Orders.java",
            severity=Severity.WARNING,
        ),
        good(program(source(GROUP, _RESET_LATEST)), file="Orders.java", flink="1.11"),
    ]
