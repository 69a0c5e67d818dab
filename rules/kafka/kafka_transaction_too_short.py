"""Kafka aborts transactions that Flink still means to commit.

## What it does
Compares the `transaction.timeout.ms` of an exactly-once writer (one hour where nothing sets it) with how long its
transactions stay open: from one checkpoint until the next is complete, that is
`max(interval, min-pause) + timeout` of the checkpoints at worst, and once more for each failure that
`tolerable-failed-checkpoints` allows. A timeout that does not even reach the interval is an error.

## Why it matters
The broker aborts a transaction when its time is up. Flink's checkpoint then says that the records were written, they
are not replayed, and nobody ever reads them: exactly-once becomes data loss, at the very time when checkpoints are
slow.

## What to do
Raise `transaction.timeout.ms`, and the broker's `transaction.max.timeout.ms` if need be, well above the longest
checkpoint and the longest restart; or shorten the checkpoint timeout. `flint size kafka-transactions` adds them up.

## Not when
The checkpoint interval or the timeout is unknown, or in batch mode, where everything is committed at the end.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  the timeout must be far above the longest checkpoint and restart, or data is lost
- <https://kafka.apache.org/documentation/#producerconfigs_transaction.timeout.ms>: what the broker does
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import AT_LEAST_ONCE, EXACTLY_ONCE, PREFIX, TOPIC, WRITE, program, sink, table
from flink_flint.rules.kafka._clients import INTERVAL, exactly_once, is_batch
from flink_flint.rules.kafka._transactions import timeout_of

_TIMEOUT = "execution.checkpointing.timeout"
_PAUSE = "execution.checkpointing.min-pause"
_TOLERABLE = "execution.checkpointing.tolerable-failed-checkpoints"


@rule(
    code="FLK802",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kafka-sink"],
    flink=">=1.12",
    since="0.1",
)
def kafka_transaction_too_short(config: View) -> Iterator[Finding]:
    """Kafka aborts transactions that Flink still means to commit"""
    from flink_flint.calculators.formulas.quantity import spell_duration
    from flink_flint.calculators.formulas.transactions import longest_open

    interval, timeout, pause = (config.duration(key) for key in (INTERVAL, _TIMEOUT, _PAUSE))
    if not interval or timeout is None or pause is None or is_batch(config):
        return
    gap = max(interval, pause).seconds
    tolerable = max(config.integer(_TOLERABLE) or 0, 0)
    for writer in exactly_once(config):
        allowed = timeout_of(writer)
        if allowed is None or allowed.seconds >= longest_open(gap, timeout.seconds, tolerable, 0.0):
            continue
        if allowed.seconds <= gap:
            severity, why = Severity.ERROR, f"checkpoints are {spell_duration(gap)} apart: all that is written is lost"
        elif allowed.seconds < (open_for := longest_open(gap, timeout.seconds, 0, 0.0)):
            severity = Severity.WARNING
            why = (
                f"with checkpoints {spell_duration(gap)} apart that may take {spell_duration(timeout.seconds)} it may"
                f" stay open for {spell_duration(open_for)}: what a slow checkpoint covers is lost"
            )
        else:
            severity = Severity.INFO
            open_for = longest_open(gap, timeout.seconds, tolerable, 0.0)
            why = (
                f"after {tolerable} tolerated failures of checkpoints it may be open for {spell_duration(open_for)}:"
                " what it holds is lost"
            )
        yield writer.finding(
            f"the broker aborts a transaction of this sink after {spell_duration(allowed.seconds)}, and {why}",
            of=allowed.attribute,
            help=f"raise transaction.timeout.ms well above the longest checkpoint and restart, or lower {_TIMEOUT};"
            " `flint size kafka-transactions` adds them up",
            severity=severity,
            related=[setting for key in (INTERVAL, _TIMEOUT) if (setting := config.get(key)).is_set],
            evidence={"timeout_ms": round(allowed.seconds * 1000), "interval_ms": interval.milliseconds},
        )


def _every(milliseconds: int) -> str:
    return f"env.enableCheckpointing({milliseconds});"


def _transactions_of(milliseconds: int) -> str:
    return f'setProperty("transaction.timeout.ms", "{milliseconds}")'


_LATE = "env.getCheckpointConfig().setTolerableCheckpointFailureNumber(3);"


def cases() -> list[Case]:
    return [
        bad(
            program(_every(600_000), sink(EXACTLY_ONCE, PREFIX, _transactions_of(300_000))),
            file="Orders.java",
            flink="1.20",
            severity=Severity.ERROR,
            at='"300000"',
            says="after 5 min, and checkpoints are 10 min apart",
        ),
        bad(
            program(_every(60_000), sink(EXACTLY_ONCE, PREFIX, _transactions_of(300_000))),
            file="Orders.java",
            severity=Severity.WARNING,
            says="may stay open for 11 min",
        ),
        bad(
            program(_every(60_000), _LATE, sink(EXACTLY_ONCE, PREFIX, _transactions_of(900_000))),
            file="Orders.java",
            severity=Severity.INFO,
            says="open for 44 min",
        ),
        bad(
            program(_every(7_200_000), sink(EXACTLY_ONCE, PREFIX)),
            file="Orders.java",
            flink="1.20",
            severity=Severity.ERROR,
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '20 min';\n"
            + table(
                "t",
                TOPIC,
                "'sink.delivery-guarantee' = 'exactly-once'",
                "'sink.transactional-id-prefix' = 'o'",
                "'properties.transaction.timeout.ms' = '900000'",
            )
            + WRITE,
            file="orders.sql",
            flink="1.20",
            severity=Severity.ERROR,
        ),
        good(program(_every(60_000), sink(EXACTLY_ONCE, PREFIX, _transactions_of(900_000))), file="Orders.java"),
        good(program(_every(600_000), sink(AT_LEAST_ONCE, _transactions_of(300_000))), file="Orders.java"),
        good(program(sink(EXACTLY_ONCE, PREFIX, _transactions_of(300_000))), file="Orders.java"),
        good(
            program(_every(600_000), sink(EXACTLY_ONCE, PREFIX, 'setProperty("transaction.timeout.ms", timeout)')),
            file="Orders.java",
        ),
        good(
            "SET 'execution.runtime-mode' = 'batch';\nSET 'execution.checkpointing.interval' = '20 min';\n"
            + table(
                "t",
                TOPIC,
                "'sink.delivery-guarantee' = 'exactly-once'",
                "'sink.transactional-id-prefix' = 'o'",
                "'properties.transaction.timeout.ms' = '900000'",
            )
            + WRITE,
            file="orders.sql",
        ),
        bad(
            program(_every(300_000), sink(EXACTLY_ONCE, PREFIX, _transactions_of(300_000))),
            file="Orders.java",
            flink="1.20",
            severity=Severity.ERROR,
        ),
        bad(
            program(
                _every(60_000),
                sink(EXACTLY_ONCE, PREFIX, _transactions_of(900_000)),
                sink(EXACTLY_ONCE, PREFIX, _transactions_of(659_999), name="other"),
            ),
            file="Orders.java",
            at='"659999"',
            severity=Severity.WARNING,
        ),
        bad(
            program(_every(60_000), _LATE, sink(EXACTLY_ONCE, PREFIX, _transactions_of(660_000))),
            file="Orders.java",
            severity=Severity.INFO,
        ),
        good(program(_every(60_000), sink(EXACTLY_ONCE, PREFIX, _transactions_of(660_000))), file="Orders.java"),
        good(
            "SET 'execution.checkpointing.interval' = '20 min';\n"
            "SET 'execution.checkpointing.min-pause' = '${PAUSE}';\n"
            + table(
                "t",
                TOPIC,
                "'sink.delivery-guarantee' = 'exactly-once'",
                "'sink.transactional-id-prefix' = 'o'",
                "'properties.transaction.timeout.ms' = '900000'",
            )
            + WRITE,
            file="orders.sql",
            flink="1.20",
        ),
        good(
            "SET 'execution.checkpointing.interval' = '20 min';\n"
            "SET 'execution.checkpointing.timeout' = '${TIMEOUT}';\n"
            + table(
                "t",
                TOPIC,
                "'sink.delivery-guarantee' = 'exactly-once'",
                "'sink.transactional-id-prefix' = 'o'",
                "'properties.transaction.timeout.ms' = '900000'",
            )
            + WRITE,
            file="orders.sql",
            flink="1.20",
        ),
    ]
