"""Inputs of the parallelism calculator: the rates of a vertex, and the constraints on its parallelism."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.autoscaling import ALIGNMENTS, CATCH_UP, MOST, RESTART, UTILIZATION  # fmt: skip
from flink_flint.calculators.formulas.key_groups import LARGEST, default_max_parallelism
from flink_flint.calculators.formulas.quantity import (
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    YES_NO,
    choice,
    spell_count,
)


def _reads_no_partitions(inputs: Vertex) -> bool:
    return inputs.partitions is None


def _lacks_max_parallelism(inputs: Vertex) -> bool:
    return inputs.max_parallelism is None


def _no_true_rate(inputs: Vertex) -> bool:
    return inputs.true_rate is None


def _catches_up(inputs: Vertex) -> bool:
    return bool(inputs.catch_up)


@dataclass(frozen=True, kw_only=True)
class Vertex(Inputs):
    """Inputs shared by `Parallelism` and `CurrentParallelism`: the vertex, its backlog and its limits."""

    busy: float | None = ask(
        FRACTION,
        "the share of time the busiest subtask is busy (busyTimeMsPerSecond / 1000)",
        default=None,
        above=0,
        most=1,
        metric="busyTimeMsPerSecond",
        statistic="mean",
        when=_no_true_rate,
        needed=_no_true_rate,
    )
    true_rate: float | None = ask(
        PER_SECOND,
        "records per second that the current subtasks process when busy all the time, instead of the busy time",
        default=None,
        above=0,
    )
    parallelism: int = ask(
        COUNT,
        "current parallelism, with which the rates were measured",
        default=1,
        assumed="the rates are those of one subtask",
        least=1,
        most=LARGEST,
        option="parallelism.default",
    )
    utilization: float = ask(
        FRACTION,
        "the target share of time in which the vertex is busy",
        default=UTILIZATION,
        assumed="the autoscaler's target; the rest is room for peaks",
        above=0,
        most=1,
    )
    lag: int = ask(
        COUNT,
        "records that wait to be read",
        default=0,
        assumed="none wait",
        least=0,
        metric="pendingRecords",
        statistic="max",
        when=_catches_up,
    )
    catch_up: float = ask(
        SECONDS,
        "the time within which a backlog should be read; 0: backlogs are ignored",
        default=CATCH_UP,
        assumed="the autoscaler's default",
        least=0,
    )
    restart: float = ask(
        SECONDS,
        "how long the job is down when it is rescaled",
        default=RESTART,
        assumed="the autoscaler's default",
        least=0,
        when=_catches_up,
    )
    partitions: int | None = ask(
        COUNT, "partitions or shards that the vertex reads, if it is a source", default=None, least=1
    )
    keyed: bool = ask(
        YES_NO,
        "whether the vertex has keyed state, so that key groups are shared among its subtasks",
        default=True,
        assumed="most vertices worth scaling follow a keyBy",
        when=_reads_no_partitions,
    )
    max_parallelism: int | None = ask(
        COUNT,
        "current max parallelism",
        default=None,
        least=1,
        most=LARGEST,
        option="pipeline.max-parallelism",
    )

    def contradictions(self) -> Iterator[BadInput]:
        if self.max_parallelism is not None and self.parallelism > self.max_parallelism:
            yield BadInput(
                "parallelism",
                f"{spell_count(self.parallelism)} is above the max parallelism of {spell_count(self.max_parallelism)}, "
                "with which Flink refuses the job",
            )

    @property
    def key_groups(self) -> int:
        """The number of key groups of the vertex (its max parallelism), configured or derived by Flink."""
        return self.max_parallelism or default_max_parallelism(self.parallelism)


@dataclass(frozen=True, kw_only=True)
class Parallelism(Vertex):
    """Inputs for sizing the parallelism of a vertex."""

    rate: float = ask(
        PER_SECOND,
        "records per second that arrive at the vertex, at its peak",
        above=0,
        metric="numRecordsInPerSecond",
        statistic="p95",
    )
    processed: float | None = ask(
        PER_SECOND,
        "records per second processed while the busy share was measured (default: the rate of arrival)",
        default=None,
        above=0,
        metric="numRecordsInPerSecond",
        statistic="mean",
        when=_no_true_rate,
    )
    keeps_state: bool = ask(
        YES_NO,
        "whether the job starts from existing state, whose max parallelism is then fixed",
        default=True,
        assumed="a running job keeps its state",
        when=_lacks_max_parallelism,
    )
    scalability: float = ask(
        FRACTION,
        "the part of linear growth that more subtasks achieve",
        default=1.0,
        assumed="twice the subtasks process twice as much",
        above=0,
        most=1,
    )
    scale_down_limit: float | None = ask(
        FRACTION,
        "the largest share of subtasks that one step removes, such as the autoscaler's 60 % (default: no limit)",
        default=None,
        least=0,
        most=1,
    )
    scale_up_limit: float | None = ask(
        NUMBER,
        "how many times the current subtasks one step may add (default: no limit)",
        default=None,
        least=0,
    )
    least: int = ask(
        COUNT, "the minimum parallelism of the vertex", default=1, assumed="the autoscaler's default", least=1
    )
    most: int = ask(
        COUNT, "the maximum parallelism of the vertex", default=MOST, assumed="the autoscaler's default", least=1
    )
    alignment: str = ask(
        choice(*ALIGNMENTS),
        "how the parallelism is fitted to key groups or partitions: by the share of the fullest subtask, by division "
        "without remainder, in the autoscaler's older way, or not at all",
        default="balanced",
        assumed="the default of the newest autoscaler",
    )
    slots: int = ask(
        COUNT, "slots of a TaskManager", default=1, assumed="Flink's default", least=1,
        option="taskmanager.numberOfTaskSlots",
    )  # fmt: skip
    cores: int | None = ask(
        COUNT,
        "cores of a TaskManager, to set one slot for each",
        default=None,
        least=1,
        example="16",
    )
    largest_other: int = ask(
        COUNT,
        "the largest parallelism among the job's other vertices that share its slots",
        default=0,
        assumed="this vertex is the largest",
        least=0,
    )
    other_groups: int = ask(
        COUNT, "slots that the job's other slot sharing groups take", default=0, assumed="there is one group", least=0
    )

    def contradictions(self) -> Iterator[BadInput]:
        yield from super().contradictions()
        if self.least > self.most:
            yield BadInput("least", f"{spell_count(self.least)} is above the maximum allowed, {spell_count(self.most)}")


@dataclass(frozen=True, kw_only=True)
class CurrentParallelism(Vertex):
    """Inputs for computing the rate that the current parallelism sustains."""

    processed: float | None = ask(
        PER_SECOND,
        "records per second processed while the busy share was measured",
        default=None,
        above=0,
        metric="numRecordsInPerSecond",
        statistic="mean",
        when=_no_true_rate,
        needed=_no_true_rate,
    )
