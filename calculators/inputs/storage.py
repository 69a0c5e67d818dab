"""Inputs of the storage calculator: checkpoint storage, logs and TaskManagers' local disks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.disk_use import LOG_FILE, WRITTEN_ANEW
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    DAY,
    FRACTION,
    PER_SECOND,
    SECONDS,
    YES_NO,
    Unit,
    choice,
    parse_byte_rate,
    spell_size,
)

BYTES_PER_DAY = Unit("bytes/s", parse_byte_rate, lambda rate: f"{spell_size(rate * DAY)}/d", "1gb/d")
"""The unit of growth rates: bytes per second, formatted as bytes per day."""


def _parse_backend(text: str) -> str:
    """Return ``rocksdb`` or ``hashmap`` for any name Flink accepts for a state backend."""
    word = text.strip().lower()
    if "rocksdb" in word or word == "forst":  # ForSt's cache is at most as large as the state
        return "rocksdb"
    on_heap = word in ("filesystem", "jobmanager") or "statebackend" in word
    return "hashmap" if on_heap else choice("hashmap", "rocksdb").parse(word)


BACKEND = choice("hashmap", "rocksdb")._replace(parse=_parse_backend)


def _is(store: str) -> Callable[[Stored], bool]:
    return lambda inputs: inputs.store == store


def _has_state(inputs: Stored) -> bool:
    return inputs.store != "logs"


def _has_disk(inputs: Stored) -> bool:
    return inputs.disk is not None


def _takes_savepoints(inputs: Stored) -> bool:
    return inputs.store == "checkpoints" and inputs.savepoint_every is not None


def _may_share(inputs: Stored) -> bool:
    if inputs.store == "checkpoints":
        return True
    return inputs.store == "local" and inputs.backend == "rocksdb" and bool(inputs.recovery)


def _shares(inputs: Stored) -> bool:
    return _may_share(inputs) and bool(inputs.incremental)


def _reports(inputs: Stored) -> bool:
    return isinstance(inputs, Storage) and inputs.report_every is not None


def _is_meaningless(inputs: Storage) -> bool:
    return inputs.store == "logs" and inputs.printed is None and inputs.logged is None


def _has_lines(inputs: Storage) -> bool:
    return inputs.store == "logs" and (inputs.printed is not None or inputs.logged is not None)


@dataclass(frozen=True, kw_only=True)
class Stored(Inputs):
    """Inputs shared by `Storage` and `CurrentStorage`: the disk and its contents."""

    store: str = ask(
        choice("checkpoints", "logs", "local"),
        "the contents of the disk: checkpoints and savepoints, logs, or the state of TaskManagers (local)",
        default="checkpoints",
        assumed="the store of checkpoints",
    )
    state: int | None = ask(
        BYTES,
        "the full size of the job's state",
        least=1,
        metric="lastCheckpointFullSize",
        statistic="max",
        when=_has_state,
    )
    disk: int | None = ask(BYTES, "the disk's size", default=None, least=1)
    ahead: float = ask(
        SECONDS, "how far ahead to look", default=2_592_000.0, assumed="a month", least=1, most=3_153_600_000
    )
    used: int = ask(BYTES, "bytes of the disk that others use", default=0, assumed="nothing", least=0, when=_has_disk)
    reserve: float = ask(
        FRACTION,
        "the part of the disk to keep free",
        default=0.2,
        assumed="a fifth, for a second job that is started in addition",
        least=0,
        below=1,
        when=_has_disk,
    )
    replication: int = ask(
        COUNT,
        "copies the store keeps of each file",
        default=1,
        assumed="one; HDFS keeps 3",
        least=1,
        when=_is("checkpoints"),
    )
    retained: int = ask(
        COUNT,
        "completed checkpoints that are kept",
        default=1,
        assumed="Flink's default",
        least=1,
        option="execution.checkpointing.num-retained",
        when=_is("checkpoints"),
    )
    concurrent: int = ask(
        COUNT,
        "checkpoints in progress at once",
        default=1,
        assumed="Flink's default",
        least=1,
        option="execution.checkpointing.max-concurrent-checkpoints",
        when=_is("checkpoints"),
    )
    backend: str = ask(
        BACKEND,
        "the state backend",
        default="hashmap",
        assumed="Flink's default",
        option="state.backend.type",
        when=_is("local"),
    )
    recovery: bool = ask(
        YES_NO,
        "whether tasks keep a local copy of the last checkpoint (local recovery)",
        default=False,
        assumed="Flink's default",
        option="execution.checkpointing.local-backup.enabled",
        when=_is("local"),
    )
    incremental: bool = ask(
        YES_NO,
        "whether checkpoints are incremental",
        default=False,
        assumed="Flink's default",
        option="execution.checkpointing.incremental",
        when=_may_share,
    )
    anew: float = ask(
        FRACTION,
        "the part of the state that an incremental checkpoint rewrites",
        default=WRITTEN_ANEW,
        assumed="incremental stores hold 1.3 to 2 times the state",
        least=0,
        most=1,
        when=_shares,
    )
    taskmanagers: int = ask(
        COUNT, "TaskManagers, each with such a disk", default=1, assumed="one", least=1, when=_is("local")
    )
    savepoint_every: float | None = ask(
        SECONDS,
        "how often a savepoint is taken",
        default=None,
        least=1,
        when=_is("checkpoints"),
        example="1d",
    )
    savepoints: int | None = ask(
        COUNT,
        "savepoints that are kept, if something deletes older ones (Flink does not)",
        default=None,
        least=1,
        when=_takes_savepoints,
    )
    reported_subtasks: int | None = ask(
        COUNT,
        "subtasks whose metrics the Slf4j reporter logs to this disk",
        default=None,
        least=1,
        when=_is("logs"),
        needed=_reports,
    )
    processes: int = ask(
        COUNT,
        "TaskManagers (and JobManagers) that log to this disk",
        default=1,
        assumed="one",
        least=1,
        when=_is("logs"),
    )

    @property
    def share(self) -> float | None:
        """The share (0 to 1) of the state that each incremental checkpoint rewrites; None for full checkpoints."""
        return self.anew if self.incremental else None

    @property
    def in_store(self) -> int:
        """The maximum number of checkpoints in storage at the same time."""
        return self.retained + self.concurrent

    def contradictions(self) -> Iterator[BadInput]:
        yield from super().contradictions()
        if self.disk is not None and self.used > self.disk:
            yield BadInput(
                "used",
                f"{spell_size(self.used)} is more than the disk's {spell_size(self.disk)}; allowed: at most that",
            )


@dataclass(frozen=True, kw_only=True)
class Storage(Stored):
    """Inputs for computing how much a disk will store, and when it will be full."""

    growth: float = ask(BYTES_PER_DAY, "growth of the state", default=0.0, assumed="none", least=0, when=_has_state)
    parallelism: int = ask(
        COUNT,
        "subtasks of each stateful task, for the number of files",
        default=1,
        assumed="one",
        least=1,
        option="parallelism.default",
        when=_is("checkpoints"),
    )
    pieces: int = ask(
        COUNT,
        "pieces of state above the inline threshold in one subtask, for the number of files",
        default=1,
        assumed="one",
        least=0,
        when=_is("checkpoints"),
    )
    jars: int = ask(
        BYTES,
        "the jars of the jobs in high availability's storage",
        default=0,
        assumed="none",
        least=0,
        when=_is("checkpoints"),
    )
    metadata: int = ask(
        BYTES,
        "the _metadata file of a checkpoint, of which high availability's storage keeps a copy",
        default=0,
        assumed="small",
        least=0,
        when=_is("checkpoints"),
    )
    report_every: float | None = ask(
        SECONDS,
        "how often the Slf4j reporter logs all metrics",
        default=None,
        above=0,
        when=_is("logs"),
        needed=_is_meaningless,
        example="60s",
    )
    printed: float | None = ask(
        PER_SECOND, "records that print() writes, to the .out file", default=None, least=0, when=_is("logs")
    )
    logged: float | None = ask(
        PER_SECOND, "lines written to the log, such as those at DEBUG", default=None, least=0, when=_is("logs")
    )
    line: int | None = ask(
        BYTES,
        "the size of such a record or line",
        default=None,
        least=1,
        when=_has_lines,
        needed=_has_lines,
        example="200 b",
    )
    roll_size: int = ask(
        BYTES,
        "the size at which log4j starts another log file",
        default=LOG_FILE,
        assumed="Flink's default configuration from 1.12 on",
        least=1,
        when=_is("logs"),
    )
    roll_files: int = ask(
        COUNT,
        "older log files that log4j keeps",
        default=10,
        assumed="Flink's default",
        least=0,
        option="env.log.max",
        when=_is("logs"),
    )


@dataclass(frozen=True, kw_only=True)
class CurrentStorage(Stored):
    """Inputs for computing the largest state, retention or log volume that fits on a disk."""

    disk: int = ask(BYTES, "the disk's size", least=1)
    state: int | None = ask(
        BYTES,
        "the full size of the job's state, to compute how much of it may be retained",
        default=None,
        least=1,
        metric="lastCheckpointFullSize",
        statistic="max",
        when=_has_state,
    )
