"""Kafka transactions: the transaction timeout that an exactly-once sink needs.

## The formula
An exactly-once sink opens a transaction with every checkpoint, and commits it when the next checkpoint is complete.
The next barrier comes after `max(interval, min-pause)`, its checkpoint lasts at most `checkpoint timeout`, each
tolerated failure adds both once more, and while the job is down nothing is committed:

`transaction.timeout.ms >= margin x ((max(interval, min-pause) + checkpoint timeout) x (1 + tolerable failures)
+ outage)`

in whole minutes. This assumes that the previous checkpoint is complete within the interval; if not, its duration and
the pause replace the interval, and two consecutive checkpoints near their timeout need almost two timeouts.

The broker aborts a transaction that is open for longer: its records are lost, although Flink's checkpoint counts them
as written.

The broker refuses producers that request more than its `transaction.max.timeout.ms`, 15 minutes unless it was raised,
and KafkaSink requests one hour unless configured otherwise: with both defaults no job starts. So either the broker
must allow the required timeout, or the job must need less: a shorter checkpoint timeout or a shorter interval.

Longer is not always better. After a job has failed permanently, consumers with `read_committed` wait for its open
transactions until these time out. Each job needs its own prefix of transactional IDs, or jobs abort each other's
transactions.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>: a
  transaction must outlast the longest checkpoint and the longest restart, or data is lost
- <https://kafka.apache.org/documentation/#brokerconfigs_transaction.max.timeout.ms>: the broker's limit and its
  default
- <https://kafka.apache.org/documentation/#producerconfigs_transaction.timeout.ms>: the producer's property
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/connector/kafka/sink/KafkaSinkBuilder.java>:
  the one hour that KafkaSink requests
- <https://kafka.apache.org/42/javadoc/org/apache/kafka/common/errors/InvalidTxnTimeoutException.html>: the broker's
  refusal
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Snippet, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.checkpoint_timing import DEFAULT_TIMEOUT, effective_interval
from flink_flint.calculators.formulas.duration_rounding import rounded_down, whole_minutes
from flink_flint.calculators.formulas.quantity import (
    COUNT,
    NUMBER,
    SECONDS,
    choice,
    significant,
    spell_count,
    spell_duration,
)
from flink_flint.calculators.formulas.transactions import (
    BROKER_DEFAULT,
    MARGIN,
    SINK_DEFAULT,
    longest_checkpoint_timeout,
    longest_interval,
    longest_open,
    survived_outage,
    transaction_timeout,
)
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index

_PREFIX = "execution.checkpointing."
_KAFKA_SINK_SINCE = MINORS.index("1.14")
_GREATEST = 2147483.647
"""The maximum timeout in seconds, as both of Kafka's timeouts are milliseconds in an int."""
_SHORTEST = 1.0
"""The minimum checkpoint timeout or interval, in seconds, that is suggested as a remedy."""


# -- inputs


@dataclass(frozen=True, kw_only=True)
class _Job(Inputs):
    """Inputs about the job, for both directions."""

    interval: float = ask(SECONDS, "the checkpoint interval", least=0.01, option=_PREFIX + "interval")
    min_pause: float = ask(
        SECONDS,
        "the pause between checkpoints",
        default=0.0,
        assumed="Flink's default",
        least=0,
        option=_PREFIX + "min-pause",
    )
    checkpoint_timeout: float = ask(
        SECONDS,
        "the checkpoint timeout",
        default=DEFAULT_TIMEOUT,
        assumed="Flink's default",
        least=0.01,
        option=_PREFIX + "timeout",
    )
    tolerable: int = ask(
        COUNT,
        "the failed checkpoints in a row that do not restart the job",
        default=0,
        assumed="Flink's default",
        least=0,
        option=_PREFIX + "tolerable-failed-checkpoints",
    )
    margin: float = ask(
        NUMBER, "the factor kept above the longest a transaction may be open", default=MARGIN,
        assumed="20 % for clock differences and the broker's abort interval", least=1,
    )  # fmt: skip
    broker_limit: float = ask(
        SECONDS,
        "the broker's transaction.max.timeout.ms",
        default=BROKER_DEFAULT,
        assumed="Kafka's default",
        least=0.001,
        most=_GREATEST,
    )

    @property
    def gap(self) -> float:
        """The seconds between the starts of two checkpoints."""
        return effective_interval(self.interval, self.min_pause)


@dataclass(frozen=True, kw_only=True)
class KafkaTransactions(_Job):
    """Inputs for sizing the transaction timeout."""

    outage: float = ask(
        SECONDS,
        "how long the job may be down without loss: detection, restart delays, deployment, restore",
        default=600.0,
        assumed="ten minutes from a failure until records flow again",
        least=0,
    )
    timeout: float = ask(
        SECONDS,
        "the producer's current transaction.timeout.ms",
        default=SINK_DEFAULT,
        assumed="what KafkaSink requests",
        least=0.001,
        most=_GREATEST,
    )
    remedy: str = ask(
        choice("broker", "checkpoint-timeout", "interval"),
        "what to change if the broker allows less than is needed: its limit, the checkpoint timeout or the interval",
        default="broker",
        assumed="the broker's limit can be raised",
    )


@dataclass(frozen=True, kw_only=True)
class CurrentKafkaTransactions(_Job):
    """Inputs for computing the outage that the current transaction timeout survives."""

    timeout: float = ask(
        SECONDS,
        "the producer's current transaction.timeout.ms",
        default=SINK_DEFAULT,
        assumed="what KafkaSink requests",
        least=0.001,
        most=_GREATEST,
    )

    def contradictions(self) -> Iterator[BadInput]:
        if self.timeout > self.broker_limit:
            yield BadInput(
                "timeout",
                f"{spell_duration(self.timeout)} is more than the broker allows, so no job starts; allowed: at most "
                f"{spell_duration(self.broker_limit)} (the broker's transaction.max.timeout.ms)",
            )


# -- from needs to settings


def _open_step(inputs: _Job, outage: float) -> str:
    longest = longest_open(inputs.gap, inputs.checkpoint_timeout, inputs.tolerable, outage)
    once = f"{spell_duration(inputs.gap)} + {spell_duration(inputs.checkpoint_timeout)}"
    if inputs.tolerable:
        once = f"({once}) x {spell_count(1 + inputs.tolerable)}"
    return f"Open at the longest: {once} + {spell_duration(outage)} = {spell_duration(longest)}."


def _fitting(inputs: KafkaTransactions) -> tuple[float, float]:
    """Return the longest checkpoint timeout and the longest interval, in seconds, within the broker's limit."""
    limit, tolerable, outage, margin = inputs.broker_limit, inputs.tolerable, inputs.outage, inputs.margin
    return (
        longest_checkpoint_timeout(limit, inputs.gap, tolerable, outage, margin),
        longest_interval(limit, inputs.checkpoint_timeout, tolerable, outage, margin),
    )


def size_kafka_transactions(inputs: KafkaTransactions, release: Release) -> Answer:
    """Size the transaction timeout, and compute what has to change if the broker does not allow it."""
    gap, limit = inputs.gap, inputs.broker_limit
    open_for = longest_open(gap, inputs.checkpoint_timeout, inputs.tolerable, inputs.outage)
    needed = transaction_timeout(gap, inputs.checkpoint_timeout, inputs.tolerable, inputs.outage, inputs.margin)
    steps = [_open_step(inputs, inputs.outage)]
    steps.append(
        f"With the margin: {significant(inputs.margin)} x {spell_duration(open_for)} = {spell_duration(needed)}."
    )
    settings: dict[str, Any] = {}
    errors, warnings = _judge(inputs, open_for, needed)
    timeout = broker = whole_minutes(needed)
    if timeout > _GREATEST:
        errors.append(
            f"no transaction can be open for {spell_duration(needed)}: transaction.timeout.ms is at most "
            f"{spell_duration(_GREATEST)}"
        )
    binding = (
        f"a transaction may be open for {spell_duration(open_for)}; {significant(inputs.margin)} times "
        "that in whole minutes keeps the margin"
    )
    if needed <= inputs.timeout <= limit:
        timeout, broker = inputs.timeout, limit
        binding = f"the current {spell_duration(timeout)} outlasts the {spell_duration(needed)} that are needed"
        steps.append(f"The current {spell_duration(timeout)} is sufficient.")
    elif timeout <= limit:
        broker = limit
    elif needed <= limit:
        timeout = broker = limit
    elif inputs.remedy == "broker":
        binding = f"the broker allows {spell_duration(limit)} and must allow {spell_duration(timeout)}"
        steps.append(f"The broker allows {spell_duration(limit)}: it must allow {spell_duration(timeout)}.")
        steps += _instead(inputs)
    else:
        binding = f"the broker allows {spell_duration(limit)} and no more"
        fitted = dict(zip(("checkpoint-timeout", "interval"), _fitting(inputs), strict=True))[inputs.remedy]
        named = inputs.remedy.replace("-", " ")
        steps.append(
            f"Longest {named} that fits: {spell_duration(limit)} / {significant(inputs.margin)}, less the outage of "
            f"{spell_duration(inputs.outage)}, / {spell_count(1 + inputs.tolerable)}, less the rest = "
            f"{spell_duration(fitted)}."
        )
        if fitted < _SHORTEST:
            errors.append(
                f"no {named} makes transactions fit the broker's {spell_duration(limit)}: raise its "
                f"transaction.max.timeout.ms to {spell_duration(timeout)}, or accept shorter outages or fewer failures"
            )
        else:
            timeout = broker = limit
            fitted = rounded_down(fitted)
            settings[_PREFIX + inputs.remedy.removeprefix("checkpoint-")] = fitted
            if inputs.remedy == "interval" and inputs.min_pause > fitted:
                settings[_PREFIX + "min-pause"] = fitted
    values = [
        Value("transaction_timeout", timeout, SECONDS, "transaction.timeout.ms of the producer", inputs.timeout),
        Value("broker_limit", broker, SECONDS, "transaction.max.timeout.ms of the broker, at least", limit),
        Value("needed", needed, SECONDS, "the smallest transaction timeout without data loss"),
        Value("read_committed_latency", longest_open(gap, inputs.checkpoint_timeout, 0, 0.0), SECONDS,
              "until consumers with read_committed see a record, at worst"),
        Value("consumers_held_up", timeout, SECONDS,
              "how long such consumers wait after the job failed permanently, at worst"),
    ]  # fmt: skip
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        settings=settings,
        elsewhere=_snippets(timeout, broker, limit, release),
        errors=tuple(errors),
        warnings=tuple(warnings),
        chart=_chart(inputs, timeout),
    )


def _instead(inputs: KafkaTransactions) -> Iterator[str]:
    """Yield a step about what could be shortened instead of raising the broker's limit."""
    checkpoint, interval = (rounded_down(seconds) for seconds in _fitting(inputs))
    ways = [
        f"{name} of {spell_duration(seconds)}"
        for name, seconds in (("a checkpoint timeout", checkpoint), ("an interval", interval))
        if seconds >= _SHORTEST
    ]
    if ways:
        yield f"{' or '.join(ways).capitalize()} would fit the broker's {spell_duration(inputs.broker_limit)}, too."


def _judge(inputs: KafkaTransactions, open_for: float, needed: float) -> tuple[list[str], list[str]]:
    """Return errors and warnings about the current timeout."""
    errors: list[str] = []
    warnings: list[str] = []
    timeout, limit = spell_duration(inputs.timeout), spell_duration(inputs.broker_limit)
    if inputs.timeout > inputs.broker_limit:
        errors.append(
            f"the producer requests {timeout} and the broker allows {limit}: it refuses the producer, and the job "
            "does not start"
        )
    if inputs.timeout < open_for:
        errors.append(
            f"a transaction may be open for {spell_duration(open_for)} and the broker aborts it after {timeout}: its "
            "records are lost"
        )
    elif inputs.timeout < needed:
        warnings.append(
            f"the transaction timeout of {timeout} outlasts the {spell_duration(open_for)} that a transaction may be "
            f"open, but leaves less than the margin ({spell_duration(needed)})"
        )
    return errors, warnings


def _milliseconds(seconds: float) -> int:
    return math.ceil(round(seconds * 1000, 6))


def _snippets(timeout: float, broker: float, limit: float, release: Release) -> tuple[Snippet, ...]:
    milliseconds = _milliseconds(timeout)
    if nearest_index(release) >= _KAFKA_SINK_SINCE:
        where, call = "job source (Java), builder of KafkaSink", "setProperty"
    else:
        where, call = "job source (Java), properties of FlinkKafkaProducer", "properties.setProperty"
    dot = "." if call == "setProperty" else ""
    end = "" if dot else ";"
    snippets = [
        Snippet(where, f'{dot}{call}("transaction.timeout.ms", "{milliseconds}"){end}'),
        Snippet("SQL table of the sink", f"'properties.transaction.timeout.ms' = '{milliseconds}'"),
    ]
    if broker > limit:
        snippets.append(Snippet("broker (server.properties)", f"transaction.max.timeout.ms={_milliseconds(broker)}"))
    return tuple(snippets)


def _chart(inputs: KafkaTransactions, timeout: float) -> Chart:
    """Return a chart of the required transaction timeout against the outage to survive."""

    def needed(outage: float) -> float:
        return transaction_timeout(inputs.gap, inputs.checkpoint_timeout, inputs.tolerable, outage, inputs.margin)

    survived = survived_outage(
        inputs.timeout, inputs.gap, inputs.checkpoint_timeout, inputs.tolerable, inputs.margin
    )  # fmt: skip
    most = 2 * max(inputs.outage, survived, 60.0)
    xs = [most * step / 40 for step in range(41)]
    return Chart(
        "Transaction timeout needed against the outage",
        "outage",
        SECONDS,
        "transaction timeout",
        SECONDS,
        (
            Series("needed", tuple((x, needed(x)) for x in xs)),
            Series("broker's limit", ((0.0, inputs.broker_limit), (most, inputs.broker_limit))),
        ),
        (Point("recommended", inputs.outage, timeout), Point("now", inputs.outage, inputs.timeout)),
    )


# -- from settings to the outage they survive


def survived_by_kafka_transactions(inputs: CurrentKafkaTransactions, release: Release) -> Answer:
    """Compute the longest outage that the current transaction timeout survives without data loss."""
    base = longest_open(inputs.gap, inputs.checkpoint_timeout, inputs.tolerable, 0.0)
    survived = survived_outage(inputs.timeout, inputs.gap, inputs.checkpoint_timeout, inputs.tolerable, inputs.margin)
    steps = (
        _open_step(inputs, 0.0),
        (
            f"Outage: {spell_duration(inputs.timeout)} / {significant(inputs.margin)} - {spell_duration(base)} = "
            f"{spell_duration(survived)}."
        ),
    )
    errors: tuple[str, ...] = ()
    if inputs.timeout < base:
        errors = (
            (
                f"even without an outage a transaction may be open for {spell_duration(base)}, more than "
                f"{spell_duration(inputs.timeout)}: its records are lost"
            ),
        )
    return Answer(
        values=(
            Value("survived_outage", max(0.0, survived), SECONDS, "the longest outage of the job without loss"),
            Value("without_outage", base, SECONDS, "how long a transaction may be open while the job runs, at worst"),
            Value("consumers_held_up", inputs.timeout, SECONDS,
                  "how long read_committed consumers wait after the job failed permanently, at worst"),
        ),
        binding=f"the broker aborts a transaction after {spell_duration(inputs.timeout)}",
        steps=steps,
        errors=errors,
        warnings=()
        if survived >= 0 or errors
        else (f"with the factor of {significant(inputs.margin)} the job survives no outage",),
    )  # fmt: skip


CALCULATOR = Calculator(
    name="kafka-transactions",
    title="Kafka transactions: the timeout of exactly-once sinks",
    question="My exactly-once sink to Kafka fails to start or loses data",
    forward=Way(
        KafkaTransactions,
        size_kafka_transactions,
        {"interval": "60s", "checkpoint_timeout": "15min", "outage": "10min"},
    ),
    reverse=Way(
        CurrentKafkaTransactions,
        survived_by_kafka_transactions,
        {"interval": "60s", "checkpoint_timeout": "10min", "timeout": "15min"},
    ),
)
