"""An exactly-once sink with many checkpoints leaves the brokers with many transactional ids.

## What it does
Reports an exactly-once writer of the Kafka connector 4.0 and later whose transactions are named `INCREMENTING` (the
default) where checkpoints are 30 s apart or less, with how many ids that makes in the seven days that a broker keeps
each of them.

## Why it matters
The default makes a new transactional id for each subtask and checkpoint, and the broker keeps what it knows of each in
memory for a week (`transactional.id.expiration.ms`). With short intervals and many subtasks that is millions of ids,
and brokers that run out of memory or take long to load their transaction logs.

## What to do
`setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)`, in SQL `'sink.transaction-naming-strategy' =
'POOLING'`: ids are used again once they are free. It wants brokers of 3.0 or later and the right to describe
transactional ids.

## Not when
Before connector 4.0 (Flink 2.0) there is no choice. Longer intervals make few ids.

## Sources
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/connector/kafka/sink/KafkaSinkOptions.java>:
  the strategies, and that brokers keep each name for seven days
- <https://kafka.apache.org/documentation/#brokerconfigs_transactional.id.expiration.ms>: the seven days
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import Duration
from flink_flint.linter.model.rule import (
    Case,
    Confidence,
    Finding,
    Severity,
    Threshold,
    bad,
    cases_in_folders,
    good,
    rule,
)
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import AT_LEAST_ONCE, EXACTLY_ONCE, PREFIX, TOPIC, WRITE, program, sink, table
from flink_flint.rules.kafka._clients import (
    INTERVAL,
    exactly_once,
    guarantee_attribute,
    is_batch,
    is_old,
    more_calls,
    named,
)

_KEPT = Duration(7 * 86_400 * 10**9)


@rule(
    code="FLK822",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:kafka-sink"],
    flink=">=2.0",
    of_scale=True,
    since="0.1",
    thresholds={"interval": Threshold("30 s", "longest checkpoint interval that counts as short")},
)
def kafka_transaction_naming(config: View) -> Iterator[Finding]:
    """short checkpoint intervals leave brokers with many transactional ids"""
    interval = config.duration(INTERVAL)
    if not interval or interval > config.threshold("interval") or is_batch(config):
        return
    for writer in exactly_once(config):
        name = named(writer, "transaction-naming", "with.sink.transaction-naming-strategy")
        chosen = "incrementing" if name is None else (writer.text(name) or "").lower()
        if chosen not in ("incrementing", "default") or is_old(writer) or (name is None and more_calls(writer)):
            continue
        from flink_flint.calculators.formulas.quantity import spell_count

        yield writer.finding(
            f"with checkpoints {interval} apart each subtask of this sink uses {spell_count(_KEPT // interval)} "
            "transactional ids in the seven days for which brokers keep them in memory",
            of=name or guarantee_attribute(writer),
            help="name transactions by POOLING (brokers of 3.0 and later), or make checkpoints less often",
            related=[config.get(INTERVAL)],
        )


_EVERY = "env.enableCheckpointing({});"
_POOLING = "setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)"
_OPTIONS = (TOPIC, "'sink.delivery-guarantee' = 'exactly-once'", "'sink.transactional-id-prefix' = 'o'")
_SET = "SET 'execution.checkpointing.interval' = '5 s';\n"


def cases() -> list[Case]:
    return [
        bad(program(_EVERY.format(10_000), sink(EXACTLY_ONCE, PREFIX)), file="Orders.java", flink="2.0", says="60 480"),
        bad(_SET + table("t", *_OPTIONS) + WRITE, file="orders.sql", flink="2.1"),
        bad(
            _SET + table("t", *_OPTIONS, "'sink.transaction-naming-strategy' = 'INCREMENTING'") + WRITE,
            file="orders.sql",
            flink="2.1",
            at="'INCREMENTING'",
        ),
        good(program(_EVERY.format(10_000), sink(EXACTLY_ONCE, PREFIX, _POOLING)), file="Orders.java", flink="2.0"),
        good(program(_EVERY.format(300_000), sink(EXACTLY_ONCE, PREFIX)), file="Orders.java", flink="2.0"),
        good(program(_EVERY.format(10_000), sink(AT_LEAST_ONCE)), file="Orders.java", flink="2.0"),
        good(_SET + table("t", *_OPTIONS) + WRITE, file="orders.sql", flink="1.20"),
        good(
            _SET + table("t", *_OPTIONS, "'sink.transaction-naming-strategy' = 'POOLING'") + WRITE,
            file="orders.sql",
            flink="2.1",
        ),
        bad(
            program(
                _EVERY.format(30_000), sink(EXACTLY_ONCE, PREFIX, _POOLING), sink(EXACTLY_ONCE, PREFIX, name="other")
            ),
            file="Orders.java",
            flink="2.0",
            at="DeliveryGuarantee.EXACTLY_ONCE",
            profile="development",
            severity=Severity.INFO,
        ),
        bad(
            _SET + table("t", *_OPTIONS, "'sink.transaction-naming-strategy' = 'DEFAULT'") + WRITE,
            file="orders.sql",
            flink="2.1",
        ),
        good(program(_EVERY.format(30_001), sink(EXACTLY_ONCE, PREFIX)), file="Orders.java", flink="2.0"),
        good(
            _SET + "SET 'execution.runtime-mode' = 'batch';\n" + table("t", *_OPTIONS) + WRITE,
            file="orders.sql",
            flink="2.1",
        ),
        good(
            _SET + table("t", *_OPTIONS, "'sink.transaction-naming-strategy' = '${NAMING}'") + WRITE,
            file="orders.sql",
            flink="2.1",
        ),
        good(program(sink(EXACTLY_ONCE, PREFIX)), file="Orders.java", flink="2.0"),
        *cases_in_folders(__file__),
    ]
