"""An exactly-once sink has no prefix of transactional ids to itself.

## What it does
Reports an exactly-once `KafkaSink` without `setTransactionalIdPrefix`, an exactly-once SQL table without
`sink.transactional-id-prefix`, two exactly-once sinks of one program or script with the same prefix, and a prefix that
is made of the time or of chance. As advice, it reports a prefix or `transaction.timeout.ms` of a sink that is not
exactly-once: it begins no transactions.

## Why it matters
Kafka knows a producer by its transactional id: whoever comes second under an id fences the first one off, and aborts
what it had not committed. SQL refuses a table without the prefix, and so does `KafkaSink` from connector 4.0 (Flink
2.0) on. Before, its sinks all used the prefix `kafka-sink`, so that two jobs on one Kafka cluster abort each other's
transactions and fail with `ProducerFencedException`, at times, after restarts.

A sink that starts again aborts the open transactions it finds under its prefix. Under a new prefix it finds none: they
stay open until they time out, and until then consumers that read only what is committed get nothing beyond them.

## What to do
Set a prefix that no other sink of any job on the Kafka cluster has, and that stays the same across restarts:
`<job>-<sink>`.

## Not when
The prefix comes from elsewhere. `FlinkKafkaProducer` makes its ids of the task's name and the operator's id.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  the prefix must be unique among the applications on one Kafka cluster
- <https://github.com/apache/flink-connector-kafka/pull/156>: the default prefix goes in 4.0
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#sink-transactional-id-prefix>:
  SQL's option
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import AT_LEAST_ONCE, EXACTLY_ONCE, PREFIX, TOPIC, WRITE, program, sink, table
from flink_flint.rules.kafka._clients import (
    exactly_once,
    guarantee,
    guarantee_attribute,
    is_old,
    is_sql,
    more_calls,
    named,
    of_property,
    prefix_attribute,
)

_EACH_TIME = r"(?i)random|currentTimeMillis|nanoTime|\buuid|\.now\(|time\.time\("
"""Calls, in any language, whose result differs from start to start."""


@rule(
    code="FLK803",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kafka-sink"],
    flink=">=1.14",
    since="0.1",
)
def kafka_transactional_prefix(config: View) -> Iterator[Finding]:
    """an exactly-once sink has no prefix of transactional ids to itself"""
    yield from _without_transactions(config)
    first: dict[str, ElementView] = {}
    for writer in exactly_once(config):
        if is_old(writer):
            continue
        name = prefix_attribute(writer)
        if name is None:
            if not more_calls(writer):
                yield _missing(config, writer)
            continue
        prefix = writer.text(name)
        if prefix is None:
            if re.search(_EACH_TIME, writer.element.attributes[name].raw):
                yield writer.finding(
                    "the prefix of the transactional ids is another one with every start: the transactions that the"
                    " last run left open are not aborted, and hold up consumers of committed records until they time"
                    " out",
                    of=name,
                    help="use a prefix that stays the same across restarts, such as <job>-<sink>",
                    severity=Severity.WARNING,
                )
            continue
        other = first.setdefault(prefix, writer)
        if other is not writer:
            yield writer.finding(
                f"two exactly-once sinks share the prefix {prefix} of their transactional ids: they fence each other"
                " off and abort each other's transactions",
                of=name,
                help="give each sink a prefix of its own, such as <job>-<sink>",
                confidence=Confidence.MEDIUM,
                related=[other.place(prefix_attribute(other), "the other sink")],
            )


def _without_transactions(config: View) -> Iterator[Finding]:
    """Sinks that are told about transactions, and begin none."""
    for writer in config.elements("kafka-sink"):
        name = prefix_attribute(writer) or named(writer, *of_property("transaction.timeout.ms"))
        kept = guarantee(writer)
        if name is None or is_old(writer) or kept not in ("none", "at-least-once"):
            continue
        told = "the transactional id prefix" if name == prefix_attribute(writer) else "transaction.timeout.ms"
        chosen = guarantee_attribute(writer)
        yield writer.finding(
            f"{told} has no effect: a sink with the delivery guarantee {kept}"
            f"{'' if chosen else ', the default,'} begins no transactions",
            of=name,
            help="set the delivery guarantee to exactly-once if that is meant, or delete the setting",
            severity=Severity.INFO,
            related=[writer.place(chosen, "the guarantee")] if chosen else (),
        )


def _missing(config: View, writer: ElementView) -> Finding:
    of = guarantee_attribute(writer)
    if is_sql(writer):
        return writer.finding(
            "an exactly-once table without sink.transactional-id-prefix is refused",
            of=of,
            help="set 'sink.transactional-id-prefix' to what no other sink on the Kafka cluster uses",
        )
    setter = writer.method("setTransactionalIdPrefix")
    if config.since("2.0"):
        return writer.finding(
            f"an exactly-once KafkaSink without {setter} is refused when it is built",
            of=of,
            help=f"call {setter} with what no other sink on the Kafka cluster uses",
        )
    return writer.finding(
        f"without {setter} this exactly-once sink uses the prefix kafka-sink, as all such sinks do: two"
        " jobs on one Kafka cluster abort each other's transactions",
        of=of,
        help=f"call {setter} with what no other sink on the Kafka cluster uses",
        severity=Severity.WARNING,
    )


_TABLE = (TOPIC, "'sink.delivery-guarantee' = 'exactly-once'")
_OLD = (
    'stream.addSink(new FlinkKafkaProducer<>("orders", schema, properties, FlinkKafkaProducer.Semantic.EXACTLY_ONCE));'
)


def cases() -> list[Case]:
    return [
        bad(
            program(sink(EXACTLY_ONCE)), file="Orders.java", flink="1.18", severity=Severity.WARNING, says="kafka-sink"
        ),
        bad(program(sink(EXACTLY_ONCE)), file="Orders.java", flink="2.0", severity=Severity.ERROR),
        bad(
            program(sink(EXACTLY_ONCE, PREFIX), sink(EXACTLY_ONCE, PREFIX, name="second", topic="bills")),
            file="Orders.java",
            flink="1.20",
            severity=Severity.ERROR,
            says="share the prefix orders-sink",
        ),
        bad(table("t", *_TABLE) + WRITE, file="orders.sql", flink="1.17", severity=Severity.ERROR),
        bad(
            program(sink(EXACTLY_ONCE, 'setTransactionalIdPrefix("orders-" + UUID.randomUUID())')),
            file="Orders.java",
            flink="1.20",
            severity=Severity.WARNING,
            says="another one with every start",
        ),
        good(program(sink(EXACTLY_ONCE, PREFIX)), file="Orders.java", flink="2.0"),
        bad(
            program(sink(AT_LEAST_ONCE, PREFIX)),
            file="Orders.java",
            flink="1.20",
            severity=Severity.INFO,
            says="the transactional id prefix has no effect",
        ),
        bad(
            program(sink('setProperty("transaction.timeout.ms", "900000")')),
            file="Orders.java",
            flink="1.20",
            severity=Severity.INFO,
            says="guarantee none, the default, begins no transactions",
        ),
        bad(
            table("t", TOPIC, "'sink.transactional-id-prefix' = 'orders'") + WRITE,
            file="orders.sql",
            flink="1.17",
            severity=Severity.INFO,
        ),
        good(
            program(sink("setDeliveryGuarantee(guarantee)", PREFIX)),
            file="Orders.java",
            flink="1.20",
        ),
        good(program(sink(AT_LEAST_ONCE)), file="Orders.java", flink="2.0"),
        good(
            program(
                sink(EXACTLY_ONCE, PREFIX),
                sink(EXACTLY_ONCE, 'setTransactionalIdPrefix("bills-sink")', name="second", topic="bills"),
            ),
            file="Orders.java",
            flink="1.20",
        ),
        good(
            program(
                sink(EXACTLY_ONCE, "setTransactionalIdPrefix(args[0])"),
                sink(EXACTLY_ONCE, "setTransactionalIdPrefix(args[0])", name="second"),
            ),
            file="Orders.java",
            flink="1.20",
        ),
        good(table("t", *_TABLE, "'sink.transactional-id-prefix' = 'orders'") + WRITE, file="orders.sql", flink="1.17"),
        bad(
            program(sink(EXACTLY_ONCE, "setTransactionalIdPrefix(args[0])"), sink(EXACTLY_ONCE, name="other")),
            file="Orders.java",
            flink="1.14",
        ),
        good(
            "CREATE TABLE t (\n"
            "  id STRING, amount INT\n"
            ") WITH (\n"
            "  'connector' = 'kafka',\n"
            "  'properties.bootstrap.servers' = 'kafka:9092',\n"
            "  'topic' = 'orders', 'format' = 'json',\n"
            "  'sink.delivery-guarantee' = 'exactly-once'\n"
            ") LIKE base;\n"
            "CREATE TABLE made (id STRING, amount INT) WITH ('connector' = 'datagen');\n"
            "INSERT INTO t SELECT * FROM made;\n",
            file="orders.sql",
        ),
        good(program(sink(EXACTLY_ONCE)), file="Orders.java", flink="1.13"),
        good(program(_OLD), file="Orders.java", flink="1.17"),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            table("t", *_TABLE) + WRITE,
            good=table("t", *_TABLE, "'sink.transactional-id-prefix' = 'orders'") + WRITE,
            releases=">=1.14",
        ),
    ]
