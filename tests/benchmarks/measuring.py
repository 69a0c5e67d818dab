"""Processor time and memory of a command, as the kernel accounts for them when it ends."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

RUNS = 5
ROOT = Path(__file__).resolve().parents[2]
FLINT = (str(Path(sys.executable).parent / "flint"),)


class Cost(NamedTuple):
    """What a command took: medians over its runs."""

    milliseconds: float
    """User and system time, of the processes it started too."""
    mebibytes: float
    """The most memory resident at once. No less than this process has, whose memory the child starts out with."""


def cost(
    command: Sequence[str], folder: Path, *, runs: int = RUNS, environment: Mapping[str, str] | None = None
) -> Cost:
    """Run a command some times; raises RuntimeError if it breaks.

    One that runs more than once runs once more before, so that caches are warm.

    Exit status 1 is fine: linters use it for findings.
    """
    if runs > 1:
        _run(command, folder, environment)
    samples = [_run(command, folder, environment) for _ in range(runs)]
    return Cost(*(statistics.median(column) for column in zip(*samples, strict=True)))


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None) -> Cost:
    # An installed flint comes with its bytecode; here the run before the measured ones has to write it.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(
        command,
        cwd=folder,
        env={**inherited, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise RuntimeError(f"exit status {child.returncode} of {' '.join(command)} in {folder}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost((usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss * unit / 1024**2)


def flint(*arguments: str, folder: Path, runs: int = RUNS) -> Cost:
    return cost((*FLINT, *arguments), folder, runs=runs)
