"""Formulas for the bytes that Flink writes to disk: checkpoints, savepoints, HA files, logs and local state.

Sizes are in bytes, times in seconds, growth in bytes per second.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from flink_flint.calculators.formulas.quantity import DAY
from flink_flint.linter.flink.releases import MINORS

Usage = Callable[[float], float]
"""A function that returns the bytes in use on a disk, given the seconds from now."""


LOGGED_BY_A_PROCESS = 3_757
"""The bytes that the Slf4j reporter logs per report for a TaskManager's own metrics, as measured on Flink 1.20.5."""
LOGGED_BY_A_SUBTASK = 9_405
"""The bytes that the Slf4j reporter logs per report for one subtask (about 76 lines), as measured on Flink 1.20.5."""

WRITTEN_ANEW = 0.5
"""The default share (0 to 1) of incremental state that each checkpoint rewrites, including compaction.

Stores of incremental checkpoints contain 1.3 to 2 times the state.
"""

LOG_FILE = 100 << 20
"""The size in bytes at which Flink's default Log4j configuration starts a new log file."""
_FIRST_ROLLING = MINORS.index("1.12")

_BYTES_OF_A_FILE = 64 << 20
_HORIZON = 36_500 * DAY
_MAX_RETAINED = 1_000


# -- the store of checkpoints and savepoints


def checkpoints_size(state: float, checkpoints: int, anew: float | None = None, replication: int = 1) -> float:
    """Return the total bytes of `checkpoints` stored checkpoints, including those in progress.

    Full ones contain the whole `state` each. Incremental ones (`anew` is the part of the state that each rewrites,
    0 to 1) share their files: the state once, and the additions of each further one. `replication`: the store's copies.
    """
    return state * (checkpoints if anew is None else 1 + anew * (checkpoints - 1)) * replication


def max_retained(state: float, limit: float, concurrent: int = 1, anew: float | None = None) -> int:
    """Return how many retained checkpoints of `state` bytes, plus `concurrent` in progress, fit into `limit` bytes.

    `concurrent` more are in progress; `anew` as for `checkpoints_size`, of which this is the inverse. At most 1000,
    and 0 where not even one fits.
    """
    copies = limit / state
    if anew is None:
        together = copies
    elif copies < 1:
        together = 0.0
    else:
        together = 1 + (copies - 1) / anew if anew else math.inf
    return max(0, math.floor(round(min(together, _MAX_RETAINED + concurrent), 9)) - concurrent)


def savepoints_kept(seconds: float, every: float, kept: int | None = None) -> int:
    """Return the number of savepoints stored after `seconds`, if one is taken every `every` seconds; at most `kept`.

    Flink deletes no savepoints.
    """
    taken = math.floor(round(seconds / every, 9))
    return taken if kept is None else min(taken, kept)


def savepoints_size(
    state: float, seconds: float, every: float, kept: int | None = None, growth: float = 0.0, replication: int = 1
) -> float:
    """Return the bytes of all savepoints stored after `seconds`, each with the full state when it was taken."""
    count = savepoints_kept(seconds, every, kept)
    taken = savepoints_kept(seconds, every)
    mean = every * (taken - (count - 1) / 2)  # those that are left are the newest, evenly apart
    return count * (state + growth * mean) * replication


def checkpoint_files(subtasks: int, pieces: int, state: float = 0.0, *, incremental: bool = False) -> int:
    """Return the number of files of one checkpoint.

    There is one for each piece of state above the inline threshold in each subtask, and `_metadata`; incremental
    RocksDB state has at least one more for every 64 MiB.
    """
    files = subtasks * pieces + 1
    return files + (math.ceil(state / _BYTES_OF_A_FILE) if incremental else 0)


def availability_size(jars: float, metadata: float, retained: int, replication: int = 1) -> float:
    """Return the bytes used in the high-availability storage.

    It contains job graphs with their jars, and a handle as large as `_metadata` for each retained checkpoint.
    """
    return (jars + metadata * retained) * replication


# -- logs


def metrics_logged(subtasks: int, every: float, processes: int = 1) -> float:
    """Return the bytes per second that the Slf4j reporter logs, with a report every `every` seconds."""
    return (LOGGED_BY_A_PROCESS * processes + LOGGED_BY_A_SUBTASK * subtasks) / every


def rolls(index: int) -> bool:
    """Return whether the default log4j configuration of a release (`index` in MINORS) rolls and deletes log files."""
    return index >= _FIRST_ROLLING


def logs_cap(file: float, files: int, processes: int = 1) -> float:
    """Return the maximum bytes of log files if each process keeps its current file and `files` older files.

    `file`: the size of one log file in bytes.
    """
    return file * (files + 1) * processes


# -- local disks


def local_size(
    state: float, *, on_disk: bool, recovery: bool = False, incremental: bool = False, anew: float = WRITTEN_ANEW
) -> float:
    """Return the bytes of state on TaskManagers' local disks.

    `on_disk`: the backend is RocksDB, whose working state is on disk. Local recovery (`recovery`) keeps a copy of the
    last checkpoint; for incremental RocksDB state as hard links, so only data compacted away since (`anew`) uses space.
    """
    copy = 0.0
    if recovery:
        copy = state * anew if on_disk and incremental else state
    return (state if on_disk else 0.0) + copy


# -- when it is full


def room_of(disk: float, reserve: float) -> float:
    """Return the usable bytes of a disk if a fraction `reserve` (0 to 1) of it must stay free."""
    return disk * (1 - reserve)


def seconds_until(limit: float, used: Usage) -> float:
    """Return the seconds until the use of a disk exceeds `limit` bytes; infinite if not within a century.

    `used` gives bytes by seconds from now and never falls.
    """
    if used(0.0) > limit:
        return 0.0
    if used(_HORIZON) <= limit:
        return math.inf
    low, high = 0.0, _HORIZON
    while high - low > 1:
        middle = (low + high) / 2
        low, high = (middle, high) if used(middle) <= limit else (low, middle)
    return high
