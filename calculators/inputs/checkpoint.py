"""Inputs of the checkpoint calculator: checkpoint duration, acceptable cost of a failure, and current settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas import checkpoint_timing as timing
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    FRACTION,
    NUMBER,
    SECONDS,
    YES_NO,
    spell_duration,
)

PREFIX = "execution.checkpointing."


def _has_failures(inputs: Judged) -> bool:
    return bool(inputs.mtbf)


def _has_cost(inputs: Judged) -> bool:
    return bool(inputs.cost)


def _has_state_size(inputs: Checkpoint) -> bool:
    return bool(inputs.state_size)


def _cannot_estimate(inputs: Checkpoint) -> bool:
    """Return whether the duration is required because it cannot be estimated."""
    return inputs.state_size is None or inputs.bandwidth is None


def _has_recovery(inputs: Checkpoint) -> bool:
    return bool(inputs.recovery)


def _has_waits(inputs: Checkpoint) -> bool:
    return bool(inputs.alignment or inputs.start_delay)


def _has_storage_outage(inputs: Checkpoint) -> bool:
    return bool(inputs.storage_outage)


def _unmeasured(inputs: Checkpoint) -> bool:
    return inputs.duration is None


@dataclass(frozen=True, kw_only=True)
class Judged(Inputs):
    """Inputs shared by `Checkpoint` and `CurrentCheckpoint`: the job and its current settings."""

    cost: float | None = ask(
        SECONDS,
        "how long each checkpoint delays processing: the synchronous part and the alignment, not the whole duration",
        default=None,
        above=0,
        needed=_has_failures,
    )
    mtbf: float | None = ask(SECONDS, "the mean time between failures of the job", default=None, above=0, example="7d")
    load: float = ask(
        FRACTION,
        "the share of time in which a checkpoint may be running",
        default=timing.LOAD,
        assumed="checkpoints may run half of the time",
        above=0,
        most=1,
    )
    slack: float = ask(
        NUMBER,
        "how many times its usual duration a checkpoint may take before it expires",
        default=timing.SLACK,
        assumed="a checkpoint may take three times as long on a bad day",
        least=1,
    )
    timeout: float = ask(
        SECONDS,
        "the current timeout",
        default=timing.DEFAULT_TIMEOUT,
        assumed="Flink's default",
        least=0.01,
        option=PREFIX + "timeout",
    )
    min_pause: float = ask(
        SECONDS,
        "the current pause between checkpoints",
        default=0.0,
        assumed="Flink's default",
        least=0,
        option=PREFIX + "min-pause",
    )


@dataclass(frozen=True, kw_only=True)
class Checkpoint(Judged):
    """Inputs for sizing the interval, timeout and pause of checkpoints."""

    duration: float | None = ask(
        SECONDS,
        "how long a checkpoint takes from end to end, at its 99th percentile",
        default=None,
        above=0,
        metric="lastCheckpointDuration",
        statistic="p99",
        needed=_cannot_estimate,
    )
    state_size: int | None = ask(
        BYTES,
        "bytes that one checkpoint writes, if its duration is not known",
        default=None,
        least=1,
        metric="lastCheckpointSize",
        statistic="p99",
        when=_unmeasured,
        example="50gb",
    )
    bandwidth: float | None = ask(
        BYTES_PER_SECOND,
        "the rate at which all TaskManagers write checkpoints",
        default=None,
        above=0,
        when=_unmeasured,
        needed=_has_state_size,
    )
    finalize: float = ask(
        SECONDS,
        "how long the JobManager needs after the last acknowledgement (finalizationTime in its log)",
        default=0.0,
        assumed="milliseconds, unless the metadata is large",
        least=0,
    )
    overhead: float = ask(
        FRACTION,
        "the share of time that the cost of checkpoints may take",
        default=0.05,
        assumed="checkpoints may delay processing 5 % of the time",
        above=0,
        below=1,
        when=_has_cost,
    )
    latency: float | None = ask(
        SECONDS, "the delay after which results of exactly-once sinks must be visible", default=None, above=0
    )
    replay: float | None = ask(
        SECONDS, "how much input may be read again after a failure", default=None, above=0, example="5min"
    )
    recovery: float | None = ask(
        SECONDS,
        "how long it may take from a failure until the job has caught up",
        default=None,
        above=0,
        example="5min",
    )
    downtime: float = ask(
        SECONDS,
        "how long no records flow after a failure: detection, delay, deployment, restore",
        default=120.0,
        assumed="50 s until a lost TaskManager is detected, the rest for deployment and restore",
        least=0,
        when=_has_recovery,
    )
    catch_up: float = ask(
        NUMBER,
        "the job's maximum rate over the usual one",
        default=2.0,
        assumed="a backlog is read at twice the usual rate",
        above=1,
        when=_has_recovery,
    )
    storage_outage: float | None = ask(
        SECONDS, "how long the checkpoint storage may be unavailable without a job restart", default=None, least=0
    )
    alignment: float | None = ask(
        SECONDS,
        "how long barriers take to align, at the 99th percentile",
        default=None,
        least=0,
        metric="checkpointAlignmentTime",
        statistic="p99",
    )
    start_delay: float | None = ask(
        SECONDS,
        "how long barriers take to reach a task, at the 99th percentile",
        default=None,
        least=0,
        metric="checkpointStartDelayNanos",
        statistic="p99",
    )
    unaligned: bool = ask(
        YES_NO,
        "whether checkpoints are unaligned",
        default=False,
        assumed="Flink's default",
        option=PREFIX + "unaligned.enabled",
        when=_has_waits,
    )
    interval: float | None = ask(SECONDS, "the current interval", default=None, least=0.01, option=PREFIX + "interval")
    tolerable: int = ask(
        COUNT,
        "the current number of failures in a row that do not restart the job",
        default=0,
        assumed="Flink's default",
        least=0,
        option=PREFIX + "tolerable-failed-checkpoints",
        when=_has_storage_outage,
    )
    concurrent: int = ask(
        COUNT,
        "the current number of checkpoints that may run at once",
        default=1,
        assumed="Flink's default",
        least=1,
        option=PREFIX + "max-concurrent-checkpoints",
    )

    @property
    def lasts(self) -> float:
        """The seconds from a checkpoint's trigger to its last acknowledgement."""
        if self.duration is not None:
            return self.duration
        assert self.state_size is not None
        assert self.bandwidth is not None
        return timing.duration_of(self.state_size, self.bandwidth)

    @property
    def busy(self) -> float:
        """The seconds from a checkpoint's trigger to the end of its finalization."""
        return self.lasts + self.finalize

    def contradictions(self) -> Iterator[BadInput]:
        if self.cost is not None and self.cost > self.lasts:
            yield BadInput(
                "cost",
                f"{spell_duration(self.cost)} is above the {spell_duration(self.lasts)} that a whole checkpoint takes",
            )
        if self.duration is not None and self.alignment is not None and self.alignment > self.duration:
            yield BadInput(
                "alignment",
                f"{spell_duration(self.alignment)} is above the {spell_duration(self.duration)} that a whole "
                f"checkpoint takes; allowed: at most {spell_duration(self.duration)}",
            )
        if self.duration is not None and self.start_delay is not None and self.start_delay > self.duration:
            yield BadInput(
                "start_delay",
                f"{spell_duration(self.start_delay)} is above the {spell_duration(self.duration)} that a whole "
                f"checkpoint takes; allowed: at most {spell_duration(self.duration)}",
            )
        if self.recovery is not None and self.recovery <= self.downtime:
            yield BadInput(
                "recovery",
                f"{spell_duration(self.recovery)} is not above the {spell_duration(self.downtime)} in which no records "
                "flow; allowed: more than that",
            )


@dataclass(frozen=True, kw_only=True)
class CurrentCheckpoint(Judged):
    """Inputs for computing the longest checkpoint that the current interval, timeout and pause allow."""

    interval: float = ask(SECONDS, "the current interval", least=0.01, option=PREFIX + "interval")
    tolerable: int = ask(
        COUNT,
        "the current number of failures in a row that do not restart the job",
        default=0,
        assumed="Flink's default",
        least=0,
        option=PREFIX + "tolerable-failed-checkpoints",
    )
    bandwidth: float | None = ask(
        BYTES_PER_SECOND, "the rate at which all TaskManagers write checkpoints", default=None, above=0
    )
