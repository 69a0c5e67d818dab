"""A property of the Kafka producer undoes what the sink guarantees.

## What it does
Reports, for exactly-once writers, `acks` other than `all`, `enable.idempotence` off, `retries` 0 and
`max.in.flight.requests.per.connection` above 5; for at-least-once writers `acks` 0 or 1; for all of them a
`delivery.timeout.ms` below `linger.ms` plus `request.timeout.ms`.

## Why it matters
Transactions need an idempotent producer, and Kafka refuses to make one with such properties: the job fails at its
start with a `ConfigException`, as it does with the delivery timeout. With `acks` 0 or 1 a broker confirms records that
its replicas do not have yet, Flink completes the checkpoint, and when that broker dies the records are gone.

## What to do
Leave these properties at their defaults.

## Not when
The guarantee is `NONE` or unknown.

## Sources
- <https://kafka.apache.org/documentation/#producerconfigs_enable.idempotence>: what idempotence needs
- <https://kafka.apache.org/documentation/#producerconfigs_acks>: what each value of acks risks
- <https://kafka.apache.org/documentation/#producerconfigs_delivery.timeout.ms>: the least delivery timeout
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import (
    AT_LEAST_ONCE,
    EXACTLY_ONCE,
    PREFIX,
    TOPIC,
    WRITE,
    group,
    program,
    sink,
    table,
    writing_job,
)
from flink_flint.rules.kafka._clients import guarantee, named, of_property

_COVERED = {"linger.ms": 0.0, "request.timeout.ms": 30_000.0}
"""Milliseconds by default. From Kafka 4.0 on `linger.ms` is 5: too little to matter."""


@rule(
    code="FLK823",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kafka-sink"],
    flink=">=1.9",
    since="0.1",
)
def kafka_producer_undoes_guarantee(config: View) -> Iterator[Finding]:
    """a property of the Kafka producer undoes what the sink guarantees"""
    for writer in config.elements("kafka-sink"):
        promised = guarantee(writer)
        if promised == "exactly-once":
            for key, why in _refused(writer):
                yield _finding(writer, key, f"{why}: Kafka refuses such a producer and the job fails at its start")
        elif promised == "at-least-once" and _text(writer, "acks") in ("0", "1"):
            yield _finding(
                writer,
                "acks",
                f"with acks {_text(writer, 'acks')} a broker confirms records that no replica has: an at-least-once"
                " sink loses them when that broker dies",
                severity=Severity.WARNING,
            )
        if promised is not None and (times := _times(writer)):
            delivery, covered = times
            if delivery < covered:
                yield _finding(
                    writer,
                    "delivery.timeout.ms",
                    f"delivery.timeout.ms is {delivery:.0f}, below linger.ms plus request.timeout.ms"
                    f" ({covered:.0f}): Kafka refuses such a producer and the job fails at its start",
                )


def _refused(writer: ElementView) -> Iterator[tuple[str, str]]:
    """The properties with which no transactional producer is made, and why."""
    if _text(writer, "acks") in ("0", "1"):
        yield "acks", f"transactions need acks all, not {_text(writer, 'acks')}"
    if _text(writer, "enable.idempotence") == "false":
        yield "enable.idempotence", "transactions need an idempotent producer"
    if _number(writer, "retries") == 0:
        yield "retries", "transactions need retries"
    flight = _number(writer, "max.in.flight.requests.per.connection")
    if flight is not None and flight > 5:
        yield "max.in.flight.requests.per.connection", f"transactions take 5 requests in flight, not {flight:.0f}"


def _times(writer: ElementView) -> tuple[float, float] | None:
    """The delivery timeout, and what it must cover; None where the first is not set, or one is unknown.

    Where it is not set, Kafka's client makes it as long as it must be.
    """
    delivery = _number(writer, "delivery.timeout.ms")
    covered = [_number(writer, key) if named(writer, *of_property(key)) else usual for key, usual in _COVERED.items()]
    if delivery is None or None in covered:
        return None
    return delivery, sum(time for time in covered if time is not None)


def _text(writer: ElementView, key: str) -> str | None:
    name = named(writer, *of_property(key))
    value = None if name is None else writer.value(name)
    return None if value is None else str(value).strip().lower()


def _number(writer: ElementView, key: str) -> float | None:
    name = named(writer, *of_property(key))
    return None if name is None else writer.number(name)


def _finding(writer: ElementView, key: str, message: str, severity: Severity | None = None) -> Finding:
    return writer.finding(
        message, of=named(writer, *of_property(key)), help=f"leave {key} at its default", severity=severity
    )


_EXACTLY = (TOPIC, "'sink.delivery-guarantee' = 'exactly-once'", "'sink.transactional-id-prefix' = 'o'")


def cases() -> list[Case]:
    return [
        bad(
            program(sink(EXACTLY_ONCE, PREFIX, 'setProperty("acks", "1")')),
            file="Orders.java",
            severity=Severity.ERROR,
            says="need acks all, not 1",
        ),
        bad(program(sink(AT_LEAST_ONCE, 'setProperty("acks", "1")')), file="Orders.java", severity=Severity.WARNING),
        bad(
            table("t", *_EXACTLY, "'properties.enable.idempotence' = 'false'") + WRITE, file="orders.sql", at="'false'"
        ),
        bad(
            table("t", *_EXACTLY, "'properties.max.in.flight.requests.per.connection' = '10'") + WRITE,
            file="orders.sql",
        ),
        bad(
            table("t", TOPIC, "'properties.delivery.timeout.ms' = '10000'") + WRITE,
            file="orders.sql",
            severity=Severity.ERROR,
            says="below linger.ms plus request.timeout.ms (30000)",
        ),
        good(program(sink(EXACTLY_ONCE, PREFIX, 'setProperty("acks", "all")')), file="Orders.java"),
        good(
            program(sink("setDeliveryGuarantee(DeliveryGuarantee.NONE)", 'setProperty("acks", "1")')),
            file="Orders.java",
        ),
        good(program(sink(AT_LEAST_ONCE, 'setProperty("enable.idempotence", "false")')), file="Orders.java"),
        good(
            table("t", TOPIC, "'properties.delivery.timeout.ms' = '10000'", "'properties.request.timeout.ms' = '5000'")
            + WRITE,
            file="orders.sql",
        ),
        bad(program(sink(EXACTLY_ONCE, PREFIX, 'setProperty("acks", "0")')), file="Orders.java", at='"0"'),
        bad(program(sink(AT_LEAST_ONCE, 'setProperty("acks", "0")')), file="Orders.java", at='"0"'),
        bad(table("t", TOPIC, "'properties.acks' = '1'") + WRITE, file="orders.sql", severity=Severity.WARNING),
        bad(table("t", *_EXACTLY, "'properties.retries' = '0'") + WRITE, file="orders.sql", at="'0'"),
        bad(
            table("t", *_EXACTLY, "'properties.max.in.flight.requests.per.connection' = '6'") + WRITE,
            file="orders.sql",
            at="'6'",
        ),
        bad(
            table("t", TOPIC, "'properties.delivery.timeout.ms' = '30000'", "'properties.linger.ms' = '1'") + WRITE,
            file="orders.sql",
            at="'30000'",
        ),
        good(table("t", TOPIC, "'properties.delivery.timeout.ms' = '30000'") + WRITE, file="orders.sql"),
        good(table("t", TOPIC, "'properties.request.timeout.ms' = '300000'") + WRITE, file="orders.sql"),
        good(
            table("t", TOPIC, "'properties.delivery.timeout.ms' = '9'", "'properties.linger.ms' = '${LINGER}'") + WRITE,
            file="orders.sql",
        ),
        good(
            table(
                "t", *_EXACTLY, "'properties.max.in.flight.requests.per.connection' = '5'", "'properties.retries' = '1'"
            )
            + WRITE,
            file="orders.sql",
        ),
        good(
            table("t", *_EXACTLY, "'properties.max.in.flight.requests.per.connection' = '${N}'") + WRITE,
            file="orders.sql",
        ),
        good(
            table(
                "t",
                TOPIC,
                "'sink.delivery-guarantee' = '${PROMISE}'",
                "'properties.acks' = '1'",
                "'properties.delivery.timeout.ms' = '9'",
            )
            + WRITE,
            file="orders.sql",
        ),
        good(group("KafkaSink", ("acks", "1"), ("delivery.timeout.ms", "9")), file="main.tf"),
        good(program(sink('setProperty("acks", "1")')), file="Orders.java"),
    ]


def claims() -> list[Claim]:
    return [
        flink_fails(
            "program",
            writing_job(AT_LEAST_ONCE, 'setProperty("delivery.timeout.ms", "1000")'),
            good=writing_job(AT_LEAST_ONCE),
            releases=">=2.3",
        ),
    ]
