"""Inputs of the catch-up calculator: arrival and read rates, and the cost of a failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    NUMBER,
    PER_SECOND,
    SECONDS,
    YES_NO,
    spell_count,
    spell_duration,
)


def _fails(inputs: Reading) -> bool:
    return bool(inputs.failure)


def _restores(inputs: Reading) -> bool:
    return bool(inputs.state)


def _has_sink(inputs: Reading) -> bool:
    return inputs.sink_limit is not None


@dataclass(frozen=True, kw_only=True)
class Reading(Inputs):
    """Inputs shared by `CatchUp` and `CurrentCatchUp`: the job, its source and a failure."""

    rate: float = ask(
        PER_SECOND,
        "records per second that arrive at the source",
        above=0,
        metric="numRecordsInPerSecond",
        statistic="p95",
    )
    capacity: float = ask(
        PER_SECOND,
        "records per second that the job can process, as while it reads a backlog",
        above=0,
        metric="numRecordsInPerSecond",
        statistic="max",
    )
    throttle: float | None = ask(PER_SECOND, "the limit of reading, in records per second", default=None, above=0)
    retention: float | None = ask(SECONDS, "how long the source keeps records", default=None, above=0, example="7d")
    sink_limit: float | None = ask(
        PER_SECOND,
        "records per second that a sink accepts, if it fails or refuses more instead of applying backpressure",
        default=None,
        above=0,
    )
    fan_out: float = ask(
        NUMBER,
        "records written to that sink for each record read",
        default=1.0,
        assumed="one for one",
        above=0,
        when=_has_sink,
    )
    failure: bool = ask(
        YES_NO,
        "whether the job fails first, and is down until it is detected, restarted and restored",
        default=False,
        assumed="only the backlog given is read",
    )
    detection: float = ask(
        SECONDS,
        "time until the failure is detected",
        default=50.0,
        assumed="a TaskManager is lost and its heartbeat times out",
        least=0,
        option="heartbeat.timeout",
        when=_fails,
    )
    restart_delay: float = ask(
        SECONDS,
        "the pause before the restart",
        default=1.0,
        assumed="the first pause of exponential-delay",
        least=0,
        option="restart-strategy.exponential-delay.initial-backoff",
        when=_fails,
    )
    redeployment: float = ask(
        SECONDS,
        "time until TaskManagers are available and tasks run, without restoring state",
        default=30.0,
        assumed="a new container starts",
        least=0,
        metric="restartingTime",
        statistic="max",
        when=_fails,
    )
    state: int = ask(
        BYTES, "state to be restored, that of the largest TaskManager", default=0, assumed="none", least=0, when=_fails
    )
    restore_rate: float | None = ask(
        BYTES_PER_SECOND,
        "the rate at which a TaskManager restores its state",
        default=None,
        above=0,
        when=_fails,
        needed=_restores,
    )
    checkpoint_interval: float | None = ask(
        SECONDS,
        "the checkpoint interval: what was read since the last checkpoint is read again",
        default=None,
        above=0,
        option="execution.checkpointing.interval",
        when=_fails,
        example="1min",
    )

    @property
    def restored(self) -> float:
        """The seconds that restoring the job's state takes."""
        return self.state / self.restore_rate if self.state and self.restore_rate else 0.0

    @property
    def failing(self) -> float:
        """The seconds of input to read after a failure: the downtime plus one checkpoint interval; 0 without one."""
        if not self.failure:
            return 0.0
        down = self.detection + self.restart_delay + self.redeployment + self.restored
        return down + (self.checkpoint_interval or 0.0)

    @property
    def reading(self) -> float:
        """The records per second read during a catch-up."""
        return self.capacity if self.throttle is None else min(self.capacity, self.throttle)

    @property
    def sink_throttle(self) -> float | None:
        """The records per second that may be read without overloading the sink; None if there is no limit."""
        return None if self.sink_limit is None else self.sink_limit / self.fan_out


@dataclass(frozen=True, kw_only=True)
class CatchUp(Reading):
    """Inputs for computing how long a job takes to read a backlog."""

    lag: int = ask(
        COUNT,
        "records that already wait",
        default=0,
        assumed="none wait",
        least=0,
        metric="pendingRecords",
        statistic="max",
    )
    behind: float = ask(
        SECONDS,
        "how far the job is already behind, if the source reports time instead of records (Kinesis)",
        default=0.0,
        assumed="it is not behind",
        least=0,
        metric="millisBehindLatest",
        statistic="max",
    )
    downtime: float = ask(
        SECONDS, "how long the job is down first", default=0.0, assumed="it is already running", least=0
    )
    deadline: float | None = ask(SECONDS, "the deadline for reading the backlog", default=None, above=0, example="1h")

    def contradictions(self) -> Iterator[BadInput]:
        if self.lag and self.behind:
            yield BadInput(
                "behind",
                f"{spell_duration(self.behind)} and {spell_count(self.lag)} waiting records measure the same backlog; "
                "give one of them",
            )


@dataclass(frozen=True, kw_only=True)
class CurrentCatchUp(Reading):
    """Inputs for computing the largest backlog and outage that the current capacity handles within a deadline."""

    deadline: float = ask(SECONDS, "the deadline for reading a backlog", above=0, example="1h")
