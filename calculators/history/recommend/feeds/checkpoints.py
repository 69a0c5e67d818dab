"""Inputs for a job's checkpoints, and for its Kafka transactions, which stay open between checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.given_inputs import values_for
from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.calculators.formulas.quantity import SECONDS, spell_count, spell_duration
from flink_flint.calculators.history.recommend.evidence import Evidence, Figure, Job, figure, percentile
from flink_flint.calculators.history.recommend.feeds.async_operators import as_written
from flink_flint.calculators.history.recommend.fill_inputs import (
    Fed,
    Feeds,
    Lacking,
    Required,
    Surroundings,
    scaled,
    supplied,
    values_of,
)
from flink_flint.calculators.inputs.checkpoint import Checkpoint
from flink_flint.calculators.kafka_transactions import KafkaTransactions

_PREFIX = "execution.checkpointing."
_DETECTION = 50.0
"""Seconds until the loss of a TaskManager is noticed (heartbeat.timeout)."""
_OUTAGE = 600.0


def feed(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs of the checkpoint and transaction calculators for a job."""
    yield from _checkpoint(job, around)
    yield from _transactions(job, around)


def restarts_of(own: Evidence) -> float:
    """Return the number of restarts of a job in the observed period."""
    counted = own.seen("rate(numRestarts)")
    gauge = own.seen("numRestarts")
    if gauge is None:
        return 0.0
    # For a counter the store keeps the growth, for a gauge the value itself.
    return gauge.total if counted is not None else gauge.peak - gauge.least


def _checkpoint(job: Job, around: Surroundings) -> Feeds:
    own = job.own
    if own.seen("lastCheckpointDuration") is None:
        return
    if reason := own.lacks("lastCheckpointDuration"):
        yield Lacking("checkpoint", own, reason)
        return
    way = calculator("checkpoint").forward
    figures = {name: one for name, one in supplied(way, (own,)).items() if name in ("duration", "state_size")}
    if figures.get("duration") is None:
        yield Lacking("checkpoint", own, "all checkpoint durations are 0")
        return
    figures |= _barriers(job, figures["duration"])
    finalize = own.percentile("checkpointFinalizationTime", 0.99)
    if finalize is not None:
        figures["finalize"] = finalize.scaled(1e-3)
    given = values_of(way, figures)
    restarts = restarts_of(own)
    seconds = figures["duration"].days * 86_400
    entries: list[str] = []
    if restarts >= 1 and figures.get("alignment") is not None and figures["alignment"].value > 0:
        given |= values_for(Checkpoint, mtbf=seconds / restarts, cost=figures["alignment"].value)
        entries.append(f"{spell_count(round(restarts))} restarts, one every {spell_duration(seconds / restarts)}")
    interval = around.configuration.current(f"{_PREFIX}interval")
    assumed: tuple[str, ...] = ()
    every = own.known("rate(numberOfCompletedCheckpoints)")
    if interval is None and every is not None and every.mean > 0:
        interval = figures["duration"].value if every.mean > 1 else float(as_written(1 / every.mean))
        figures["interval"] = figure(every, "1 / mean", interval)
        given |= values_for(Checkpoint, interval=interval)
        assumed = (f"the current interval is {spell_duration(interval)}, the mean time between completed checkpoints",)
    if interval is None:
        unknown = "no source has execution.checkpointing.interval: import Flink's REST responses or pass --config"
        yield Lacking("checkpoint", own, unknown)
        return
    required = [
        Required(f"{_PREFIX}interval", "interval", interval),
        Required(f"{_PREFIX}timeout", "timeout", only_up=True),
    ]
    busy = figures["duration"].value + (figures["finalize"].value if "finalize" in figures else 0.0)
    if busy > 0.5 * interval:
        required.append(Required(f"{_PREFIX}min-pause", "min_pause", only_up=True))
    yield Fed(
        calculator="checkpoint",
        about=own,
        surroundings=around,
        given=given,
        figures=figures,
        main=figures["duration"],
        unit=SECONDS,
        meaning="Time of a checkpoint",
        wanted=tuple(required),
        assumed=assumed,
        doubts=len(assumed),
        remarks=tuple(entries),
    )


def _barriers(job: Job, duration: Figure) -> dict[str, Figure]:
    """Return how long barriers take to align and to arrive, at the slowest task."""
    found: dict[str, Figure] = {}
    for name, metric in (("alignment", "checkpointAlignmentTime"), ("start_delay", "checkpointStartDelayNanos")):
        known = [observed for task in job.tasks.values() if (observed := task.known(metric)) is not None]
        if known:
            worst = max((scaled(percentile(one, 0.99)) for one in known), key=lambda one: one.value)
            found[name] = worst._replace(value=min(worst.value, duration.value))
    return found


def _transactions(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs for a job that writes to Kafka in transactions."""
    if not any(metric.startswith("KafkaProducer.txn-") and one.total > 0 for metric, one in _producers(job).items()):
        return
    own = job.own
    if reason := own.lacks("lastCheckpointDuration"):
        yield Lacking("kafka-transactions", own, reason)
        return
    if around.configuration.current(f"{_PREFIX}interval") is None:
        yield Lacking("kafka-transactions", own, f"no source has {_PREFIX}interval")
        return
    lasts = own.percentile("lastCheckpointDuration", 0.99)
    assert lasts is not None
    down = own.seen("restartingTime")
    outage, figures = _OUTAGE, {}
    if down is not None and down.peak > 0:
        figures["outage"] = scaled(figure(down, "max", down.peak)).becomes("max", down.peak / 1000 + _DETECTION)
        outage = max(_OUTAGE, rounded_up(figures["outage"].value))
    yield Fed(
        calculator="kafka-transactions",
        about=own,
        surroundings=around,
        given=values_for(KafkaTransactions, outage=outage),
        figures=figures,
        main=scaled(lasts),
        unit=SECONDS,
        meaning="Time of a checkpoint, until which its transactions stay open",
        wanted=(
            Required("transaction.timeout.ms", "transaction_timeout"),
            Required("transaction.max.timeout.ms", "broker_limit"),
        ),
        assumed=(f"the job may be down for {spell_duration(outage)}", "the broker allows Kafka's default of 15 min"),
        doubts=1,
    )


def _producers(job: Job) -> Mapping[str, Any]:
    return {metric: one for operator in job.operators.values() for metric, one in operator.metrics.items()}
