"""Canonical Parquet of the size real histories have: ``python -m tests.benchmarks.history_data FOLDER``.

A file a day and half of the series, sorted by series and then time, zstd, texts as dictionaries. 10 000 series are
about 3 000 groups of job, operator and metric. Values are realistic in what histograms mind: busy shares near nought
and at 1000, rates with days and bursts, counters that start anew, heaps like saws, backlogs that are mostly nought.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from flink_flint.calculators.history.samples import JOB, OPERATOR, TASK, TASKMANAGER, SeriesKey
from flink_flint.calculators.history.sources.canonical.rows import COLUMNS, type_of

SEED = 20260101
START = 1_767_225_600_000
"""The first midnight, in milliseconds since the epoch."""
STEP = 60_000
A_DAY = 1440
ROW_GROUP = 700 * A_DAY
"""Rows of a group: whole series, about a million."""

Floats = NDArray[np.float64]


class Shape(NamedTuple):
    """A metric: where it is reported and what its values are like."""

    metric: str
    scope: str
    values: Callable[[np.random.Generator, Floats, float, int], Floats]
    """Of series and hours of one day: from a load of about 1 (series by minutes), a level of the series and the day."""
    counter: bool = False


def _busy(chance: np.random.Generator, load: Floats, level: float, day: int) -> Floats:
    return np.clip(np.rint(load * level * 0.4), 0, 1000)


def _rate(chance: np.random.Generator, load: Floats, level: float, day: int) -> Floats:
    return load * level


def _counter(chance: np.random.Generator, load: Floats, level: float, day: int) -> Floats:
    grown = np.cumsum(load * level * 60)
    if chance.uniform() < 0.1:
        start = int(chance.integers(1, A_DAY))
        grown[start:] -= grown[start]
        grown[:start] += day * level * 86_400
        return np.floor(grown)
    return np.floor(grown + day * level * 86_400)


def _pending(chance: np.random.Generator, load: Floats, level: float, day: int) -> Floats:
    return np.where(load > 1.6, np.floor((load - 1.6) * level * 1000), 0.0)


def _heap(chance: np.random.Generator, load: Floats, level: float, day: int) -> Floats:
    minutes = np.arange(A_DAY) + chance.integers(0, 7)
    return np.floor(2**28 * (1 + level / 2000) + minutes % 7 * 2.0**26 + load * 2**20)


def _duration(chance: np.random.Generator, load: Floats, level: float, day: int) -> Floats:
    return np.floor(100 + load**2 * level)


def _size(chance: np.random.Generator, load: Floats, level: float, day: int) -> Floats:
    return np.floor(2**30 * (1 + day / 100) * (1 + level / 1000) + load * 2**20)


SHAPES = (
    Shape("busyTimeMsPerSecond", TASK, _busy),
    Shape("backPressuredTimeMsPerSecond", TASK, _busy),
    Shape("numRecordsInPerSecond", TASK, _rate),
    Shape("numRecordsOutPerSecond", TASK, _rate),
    Shape("numRecordsIn", TASK, _counter, True),
    Shape("numRecordsOut", TASK, _counter, True),
    Shape("checkpointAlignmentTime", TASK, _duration),
    Shape("numRecordsIn", OPERATOR, _counter, True),
    Shape("numRecordsOut", OPERATOR, _counter, True),
    Shape("pendingRecords", OPERATOR, _pending),
    Shape("Status.JVM.Memory.Heap.Used", TASKMANAGER, _heap),
    Shape("Status.JVM.GarbageCollector.All.TimeMsPerSecond", TASKMANAGER, _busy),
    Shape("lastCheckpointDuration", JOB, _duration),
    Shape("lastCheckpointSize", JOB, _size),
)
_TASKS = ("Source: events", "enrich", "Sink: store")
_BY_NAME = {(shape.metric, shape.scope): shape for shape in SHAPES}


def series() -> Iterator[SeriesKey]:
    """Series without end, a job after the other: 30 groups and 100 series each, on the mean."""
    number = 0
    while True:
        job, parallelism = f"job-{number:04d}", 2 + number % 4
        key = SeriesKey("", JOB, cluster=f"cluster-{number % 3}", job=job, job_id=f"{number:032x}")
        for shape in SHAPES:
            here = key._replace(metric=shape.metric, scope=shape.scope, counter=shape.counter)
            if shape.scope == JOB:
                yield here
            elif shape.scope == TASKMANAGER:
                for tm in range(parallelism):
                    yield here._replace(job="", job_id="", tm=f"{job}-tm-{tm}")
            else:
                tasks = _TASKS[:1] if shape.metric == "pendingRecords" else _TASKS
                for place, task in enumerate(tasks):
                    of_task = here._replace(task=task, task_id=f"{place:032x}")
                    if shape.scope == OPERATOR:
                        of_task = of_task._replace(operator=task, operator_id=f"{place:032x}")
                    for subtask in range(parallelism):
                        yield of_task._replace(subtask=subtask, attempt=0, tm=f"{job}-tm-{subtask}")
        number += 1


def _values(key: SeriesKey, place: int, day: int) -> Floats:
    chance = np.random.default_rng((SEED, place, day))
    shape = _BY_NAME[key.metric, key.scope]
    level = 100.0 + place * 7919 % 1000
    hours = np.arange(A_DAY) * (2 * np.pi / A_DAY)
    load = (1 + 0.5 * np.sin(hours + place % 6)) * np.exp(0.1 * chance.standard_normal(A_DAY))
    if chance.uniform() < 0.02:
        start = int(chance.integers(0, A_DAY - 60))
        load[start : start + 60] *= 3
    return shape.values(chance, load, level, day)


def _table(keys: list[SeriesKey], first: int, day: int, schema: pa.Schema) -> pa.Table:
    """The rows of some series; texts become dictionaries of a few entries, one index a row."""
    times = START + day * A_DAY * STEP + np.arange(A_DAY, dtype=np.int64) * STEP
    columns: list[pa.Array] = []
    for field in schema:
        if field.name == "ts":
            columns.append(pa.array(np.tile(times, len(keys)), pa.int64()).cast(field.type))
        elif field.name == "value":
            values = np.concatenate([_values(key, first + place, day) for place, key in enumerate(keys)])
            columns.append(pa.array(values, field.type))
        else:
            told = [getattr(key, field.name) for key in keys]
            if pa.types.is_dictionary(field.type):
                names = sorted(set(told))
                places = {name: place for place, name in enumerate(names)}
                index = np.repeat(np.array([places[name] for name in told], np.int32), A_DAY)
                columns.append(pa.DictionaryArray.from_arrays(pa.array(index), pa.array(names, pa.string())))
            else:
                columns.append(pa.array(np.repeat(np.array(told), A_DAY), field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def write_file(path: Path, first: int, end: int, day: int) -> int:
    """One day of the series at these places; returns the rows."""
    texts = [name for name in COLUMNS if COLUMNS[name] == "string"]
    schema = pa.schema(
        [(name, pa.dictionary(pa.int32(), pa.string()) if name in texts else type_of(name)) for name in COLUMNS]
    )
    keys = list(islice(series(), first, end))
    step = ROW_GROUP // A_DAY
    with parquet.ParquetWriter(
        path, schema, compression="zstd", use_dictionary=[*texts, "subtask", "attempt"],
        column_encoding={"ts": "DELTA_BINARY_PACKED"}, write_statistics=True,
    ) as writer:  # fmt: skip
        for start in range(0, len(keys), step):
            writer.write_table(_table(keys[start : start + step], first + start, day, schema), row_group_size=ROW_GROUP)
    return len(keys) * A_DAY


def write(folder: Path, number: int = 10_000, days: int = 7, *, processes: int = 2) -> int:
    """Two files a day, `number` series in all; returns the rows."""
    folder.mkdir(parents=True, exist_ok=True)
    half = (number + 1) // 2
    jobs = [
        (folder / f"day-{day:03d}-{part}.parquet", first, end, day)
        for day in range(days)
        for part, (first, end) in enumerate(((0, half), (half, number)))
        if end > first
    ]
    with ProcessPoolExecutor(processes) as pool:
        return sum(pool.map(write_file, *zip(*jobs, strict=True)))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.history_data", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--series", type=int, default=10_000)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(arguments)
    start = time.monotonic()
    rows = write(given.folder, given.series, given.days, processes=given.processes)
    size = sum(file.stat().st_size for file in given.folder.glob("*.parquet"))
    print(f"{rows} samples, {size / 1e6:.0f} MB, {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
