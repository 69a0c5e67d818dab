"""What twice the input costs, along each dimension of each format, and what 10 MiB of it cost.

Counted in calls, all shapes are measured within minutes, whatever else the machine does: the ratio is that of what the
second doubling adds to what the first adds. ``--timed`` measures processor time without that of starting up, the least
of two runs each, or of more where two say that it is too much; the count is raised until a run takes long enough for
what is quadratic to show, which takes hours for all shapes. With ``--largest`` each is filled up to 10 MiB. What fixes
cost is measured where each line calls for one. Names as arguments of ``python -m tests.benchmarks.growth`` choose the
shapes whose names hold one of them.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from flink_flint.linter.engine.discovery import LARGEST_FILE
from tests.benchmarks.calls import calls
from tests.benchmarks.measuring import Cost, flint
from tests.benchmarks.shapes import SHAPES, Files, Shape
from tests.benchmarks.table import Table

RATIO = 2.3
SECONDS, MEBIBYTES = 5, 200
LONG_ENOUGH = 600
"""Milliseconds beyond start-up at which doubling begins to mean something."""
SAMPLE, COUNTED = 8, 24
"""How many shapes are measured and counted as part of all benchmarks; `SEED` chooses others."""
_COUNT, _FEW = 64, 10_000
CHECK = ("check", "-j", "1", "--exit-zero", "--output-format", "concise", ".")
DIFF = ("check", "-j", "1", "--exit-zero", "--diff", "--unsafe-fixes", ".")
WITH_FIXES = ("misspelled keys", "deprecated keys", "duplicates", "a typo in each")
"""How the names of shapes end whose every line has a finding with a fix."""
_RUNS, _MAX_RUNS = 2, 6
_FIRST = 128
_MAX_FILES = 2_000
_MAX_BYTES = 500_000
"""Bytes of a file at which doubling begins at the latest: twice as many are still read in full."""


def sampled(table: Table, folder: Path) -> None:
    """Growth and the cost of 10 MiB for some of the shapes."""
    names = random.Random(int(os.environ.get("SEED") or 1)).sample(sorted(SHAPES), COUNTED)
    counted(table, folder, names.__contains__)
    timed(table, folder, names[:SAMPLE].__contains__)
    largest(table, folder, names[:SAMPLE].__contains__)


def counted(table: Table, folder: Path, chosen: Callable[[str], bool] = lambda name: True) -> None:
    """The ratio of each shape, in calls."""
    for name, shape in SHAPES.items():
        for label, command in _commands(name):
            if chosen(label):
                first, second, third = (_calls(folder, shape(factor * _COUNT), command) for factor in (1, 2, 4))
                # What makes no calls worth mentioning does not grow either.
                ratio = (third - second) / max(second - first, _FEW)
                table.figure(f"{label}, {_COUNT} twice and four times", ratio, RATIO, "x")


def timed(table: Table, folder: Path, chosen: Callable[[str], bool] = lambda name: True) -> None:
    """The ratio of each shape, in time."""
    start = min(_cost(folder, {"flink-conf.yaml": "rest.port: 8081\n"}, CHECK).milliseconds for _ in range(3))
    for name, shape in SHAPES.items():
        for label, command in _commands(name):
            if chosen(label):
                _ratio(table, folder, label, shape, command, start)


def _commands(name: str) -> Iterator[tuple[str, Sequence[str]]]:
    yield name, CHECK
    if name.endswith(WITH_FIXES):
        yield f"{name}, fixed", DIFF


def _ratio(table: Table, folder: Path, name: str, shape: Shape, command: Sequence[str], start: float) -> None:
    count = _FIRST
    while not _is_enough(shape, count) and _cost(folder, shape(count), command).milliseconds - start < LONG_ENOUGH:
        count *= 2
    least = [float("inf"), float("inf")]
    for runs in range(_MAX_RUNS):
        if runs >= _RUNS and least[1] / least[0] <= RATIO:
            break
        for place, number in enumerate((count, 2 * count)):
            # What takes no time worth mentioning does not grow either.
            taken = max(50, _cost(folder, shape(number), command).milliseconds - start)
            least[place] = min(least[place], taken)
    table.figure(f"{name}, {count} and twice", least[1] / least[0], RATIO, "x")


def largest(table: Table, folder: Path, chosen: Callable[[str], bool] = lambda name: True) -> None:
    """Seconds and memory for a file of 10 MiB of each shape."""
    for name, shape in SHAPES.items():
        if chosen(name) and not name.startswith("files"):
            cost = _cost(folder, filled(shape), CHECK)
            table.figure(f"10 MiB of {name}", cost.milliseconds / 1000, SECONDS, "s")
            table.figure("  its memory", cost.mebibytes, MEBIBYTES, "MB")


def filled(shape: Shape, size: int = LARGEST_FILE) -> Files:
    """The largest input of a shape that is not larger than `size` bytes, nearly."""
    few, many = (_size(shape(number)) for number in (64, 256))
    count = max(1, int((size - few) / ((many - few) / 192)))
    while _size(files := shape(count)) > size:
        count = count * 49 // 50
    return files


def _size(files: Files) -> int:
    return sum(len(text.encode()) for text in files.values())


def _is_enough(shape: Shape, count: int) -> bool:
    files = shape(count)
    return len(files) >= _MAX_FILES or max(map(len, files.values())) >= _MAX_BYTES


def _cost(folder: Path, files: Files, command: Sequence[str]) -> Cost:
    with _written(folder, files) as scratch:
        return flint(*command, folder=scratch, runs=1)


def _calls(folder: Path, files: Files, command: Sequence[str]) -> int:
    with _written(folder, files) as scratch:
        return calls(command, scratch)


@contextmanager
def _written(folder: Path, files: Files) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=folder) as name:
        for file, text in files.items():
            path = Path(name, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        yield Path(name)


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    words = [one for one in arguments if not one.startswith("--")]
    measure = largest if "--largest" in arguments else timed if "--timed" in arguments else counted
    with tempfile.TemporaryDirectory(prefix="flint-bench-") as scratch:
        measure(Table(), Path(scratch), lambda name: not words or any(word in name for word in words))


if __name__ == "__main__":
    main(sys.argv[1:])
