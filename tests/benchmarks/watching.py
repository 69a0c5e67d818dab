"""Time, processor time and memory of a command and of every process below it, seen in /proc while it runs.

Spark is three kinds of processes: the driver, its JVM and the Python workers below that. The kernel adds up the
processor time of children only once they have been waited for, and their memory never.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

EVERY = 0.1
"""Seconds between two looks."""
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Watched(NamedTuple):
    """What a command took, from its start to its end."""

    seconds: float
    cpu: float
    """Seconds of all processes, as of the last look at each."""
    mebibytes: float
    """The most that all processes together had resident; pages that they share count for each."""
    output: str


def watch(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> Watched:
    """Run a command; raises RuntimeError with what it said if it breaks. Linux alone has what this looks at."""
    tree = _Tree()
    done = threading.Event()
    began = time.monotonic()
    child = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def look() -> None:
        while not done.wait(EVERY):
            tree.look(child.pid)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        output, told = child.communicate()
    finally:
        done.set()
        watcher.join()
    took = time.monotonic() - began
    if child.returncode:
        raise RuntimeError(f"exit status {child.returncode} of {' '.join(command)[:200]}: {told.strip()[-400:]}")
    return Watched(took, sum(tree.cpu.values()), tree.most / 2**20, output)


class _Tree:
    def __init__(self) -> None:
        self.cpu: dict[int, float] = {}
        """Seconds, by process."""
        self.most = 0

    def look(self, root: int) -> None:
        """Take down what the processes from `root` on have used so far."""
        parents: dict[int, int] = {}
        used: dict[int, tuple[float, int]] = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                text = Path("/proc", entry, "stat").read_text()
            except OSError:
                continue  # it has ended meanwhile
            # The name, in parentheses, may hold blanks.
            fields = text[text.rindex(")") + 2 :].split()
            parents[int(entry)] = int(fields[1])
            used[int(entry)] = (int(fields[11]) + int(fields[12])) / _TICKS, int(fields[21]) * _PAGE
        resident = 0
        for process in parents:
            above: int | None = process
            while above is not None and above != root:
                above = parents.get(above)
            if above == root:
                seconds, memory = used[process]
                self.cpu[process] = seconds
                resident += memory
        self.most = max(self.most, resident)
