"""The sink asks for longer transactions than a Kafka broker allows.

## What it does
Reports an exactly-once writer whose `transaction.timeout.ms` is above 15 minutes, which is what a broker allows
unless its `transaction.max.timeout.ms` was raised. `KafkaSink`, `FlinkKafkaProducer` and SQL's `kafka` tables ask for
one hour where nothing sets the property, so with both defaults it is reported too. A `server.properties` in the same
folder tells what the broker allows.

## Why it matters
The broker answers the first transaction with *"The transaction timeout is larger than the maximum value allowed by
the broker"* and the job fails at its start, again after every restart.

## What to do
Set `transaction.timeout.ms` to 15 minutes (900000) if that covers the checkpoint interval, the checkpoint timeout and
a restart, or raise the broker's `transaction.max.timeout.ms`; `flint size kafka-transactions` weighs them.

## Not when
The properties come from elsewhere. `FlinkKafkaProducer` opens no transactions where nothing turns checkpointing on.
A value that was written is only advice, because who wrote it may have raised the broker's limit.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  the transaction timeout of the sink
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/connector/kafka/sink/KafkaSinkBuilder.java>:
  the one hour
- <https://kafka.apache.org/documentation/#brokerconfigs_transaction.max.timeout.ms>: the broker's limit, 15 minutes
- <https://github.com/apache/flink-connector-kafka/pull/110>: a proposal to lower the default
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.ascii_numbers import whole
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
from flink_flint.rules.kafka._clients import INTERVAL, drops_guarantee, exactly_once
from flink_flint.rules.kafka._transactions import Timeout, timeout_of

_HELP = (
    "set transaction.timeout.ms to 900000 if a checkpoint and a restart fit in it, or raise the broker's"
    " transaction.max.timeout.ms; `flint size kafka-transactions` weighs them"
)


@rule(
    code="FLK801",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kafka-sink"],
    flink=">=1.4",
    since="0.1",
)
def kafka_transaction_over_broker(config: View) -> Iterator[Finding]:
    """an exactly-once sink asks for longer transactions than a Kafka broker allows"""
    from flink_flint.calculators.formulas.quantity import spell_duration
    from flink_flint.calculators.formulas.transactions import BROKER_DEFAULT

    allowed, told = _allowed(config)
    limit = BROKER_DEFAULT if allowed is None else allowed
    for writer in exactly_once(config):
        timeout = timeout_of(writer)
        if timeout is None or timeout.seconds <= limit or not _has_transactions(config, writer):
            continue
        where = "a broker allows unless its transaction.max.timeout.ms was raised" if allowed is None else told
        yield _finding(
            writer,
            timeout,
            f"this exactly-once sink asks for transactions of {spell_duration(timeout.seconds)}"
            f"{'' if timeout.attribute else ', its default'}, and {spell_duration(limit)} is what {where}: the broker"
            " refuses its producers and the job fails at its start",
            certain=allowed is not None,
        )


def _has_transactions(config: View, writer: ElementView) -> bool:
    """Whether nothing shows that the writer drops its guarantee, and its transactions, for want of checkpoints."""
    if not drops_guarantee(config, writer):
        return True
    interval = config.get(INTERVAL)
    return not interval.is_known or (interval.is_set and config.duration(INTERVAL) != 0)


def _allowed(config: View) -> tuple[float | None, str]:
    """Seconds that the broker of a `server.properties` beside the program allows."""
    properties = config.sibling_files.properties("server.properties") if config.sibling_files is not None else None
    allowed = whole((properties or {}).get("transaction.max.timeout.ms", ""))
    return (None, "") if allowed is None else (allowed / 1000, "server.properties says the broker allows")


def _finding(writer: ElementView, timeout: Timeout, message: str, *, certain: bool) -> Finding:
    severity = Severity.ERROR if certain else Severity.INFO if timeout.attribute else Severity.WARNING
    return writer.finding(
        message,
        of=timeout.attribute,
        help=_HELP,
        severity=severity,
        confidence=Confidence.HIGH if certain else Confidence.LOW if timeout.attribute else None,
        evidence={"timeout_ms": round(timeout.seconds * 1000)},
    )


_HOUR = 'setProperty("transaction.timeout.ms", "3600000")'


def cases() -> list[Case]:
    return [
        bad(
            program(sink(EXACTLY_ONCE, PREFIX)),
            file="Orders.java",
            severity=Severity.WARNING,
            says="of 1 h, its default",
        ),
        bad(program(sink(EXACTLY_ONCE, PREFIX, _HOUR)), file="Orders.java", severity=Severity.INFO, at='"3600000"'),
        bad(
            table("t", TOPIC, "'sink.delivery-guarantee' = 'exactly-once'", "'sink.transactional-id-prefix' = 'o'")
            + WRITE,
            file="orders.sql",
            says="of 1 h",
        ),
        good(
            program(sink(EXACTLY_ONCE, PREFIX, 'setProperty("transaction.timeout.ms", "900000")')), file="Orders.java"
        ),
        good(program(sink(EXACTLY_ONCE, PREFIX, "setKafkaProducerConfig(producerProperties())")), file="Orders.java"),
        good(program(sink(AT_LEAST_ONCE)), file="Orders.java"),
        good(program(OLD_SINK), file="Orders.java", flink="1.17"),
        bad(program("env.enableCheckpointing(60_000);", OLD_SINK), file="Orders.java", flink="1.17"),
        bad(program("env.enableCheckpointing(every());", OLD_SINK), file="Orders.java", flink="1.17"),
        good(table("t", TOPIC) + WRITE, file="orders.sql"),
        *cases_in_folders(__file__),
    ]
