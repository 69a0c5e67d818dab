"""Reduction of a day's samples to histograms and rollups: the second half of an import, run by executors.

One piece of work is a day and a range of slices. All samples of that day are read, old and new; if they differ, the
latest import wins, and if several sources have the same series, the one with the highest priority is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from flink_flint.calculators.history.metrics.vocabulary import is_meaningless, means_nothing
from flink_flint.calculators.history.pipeline.staging import (
    DAY_MS,
    STAGED,
    read_slices,
    slice_of,
    staged,
    values_of,
    write_by_slice,
)
from flink_flint.calculators.history.samples import JOBMANAGER, OPERATOR, STREAM, TASK, TASKMANAGER, SeriesKey
from flink_flint.calculators.history.signals.day_signals import signals
from flink_flint.calculators.history.signals.time_steps import Line
from flink_flint.calculators.history.sources.recognition import priority_of
from flink_flint.calculators.history.store.histogram import codes_of
from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.text.named_tuple import NamedTuple

SLOT_MS = 300_000
SLOTS = DAY_MS // SLOT_MS
_HOLE_MS = 600_000
"""Milliseconds between two samples of a counter above which no rate is computed, as it is unknown when it grew."""
_BLOCK = 250_000
"""Number of samples that are counted at once."""
_CELLS = 16_000_000
"""Number of bucket counters in memory at once."""


class Group(NamedTuple):
    """The subject of a histogram: one metric of an operator, a task, a job, or a cluster's processes."""

    cluster: str
    job: str
    """The sanitized name of the job, so that spelling variants match; empty for a cluster's own processes."""
    scope: str
    task: str
    operator: str
    metric: str


def group_of(key: SeriesKey) -> Group:
    """Return the group of a series; a group combines all subtasks, attempts, TaskManagers and Kafka partitions."""
    inside = key.scope not in (JOBMANAGER, TASKMANAGER, STREAM)
    return Group(
        key.cluster,
        sanitized(key.job or key.job_id) if inside else "",
        key.scope,
        sanitized(key.task or key.task_id) if key.scope in (TASK, OPERATOR) else "",
        sanitized(key.operator or key.operator_id) if key.scope == OPERATOR else "",
        key.metric,
    )


def _identity(key: SeriesKey) -> tuple[object, ...]:
    """Return the key that is equal for the same series of different sources."""
    process = key.scope in (JOBMANAGER, TASKMANAGER)
    return (*group_of(key), key.subtask, key.part, sanitized(key.tm) if process else "")


def reduce_day(day: str, files: Sequence[str], slices: range, folder: str, *, rewrite: bool = False) -> dict[str, Any]:
    """Reduce `slices` of a day to tables, written to `folder`; `files` are in the order of their import.

    The samples are rewritten if some of them no longer count, or if `rewrite` is set; otherwise their original files
    are kept. Returns the ``count`` of samples, their ``digests`` by slice, the ``files`` written by table (path, rows,
    bytes), and the numbers of omitted samples: ``duplicates``, ``shadowed`` (another source has priority), ``absent``
    (NaN, or no value yet).
    """
    start = int(np.datetime64(day, "ms").astype(np.int64))
    raw, counts = _read(files, slices)
    held = _preferred(raw, counts)
    digests = _digests(held)
    lines, absent = _clean(held)
    counts["absent"] = sum(absent.values())
    lines = [*_measured(lines), *_joint(lines)]
    written: dict[str, Any] = {}
    whole = blake2b("".join(digests.values()).encode(), digest_size=6).hexdigest()
    # A unique name, so that no current file, and none that another attempt writes, is overwritten.
    name = f"{slices.start:02d}-{whole}-{uuid4().hex[:8]}.parquet"
    tables = [("series", _series(held, start)), *_tables(lines, absent, start)]
    if rewrite or counts["duplicates"] or counts["shadowed"]:
        tables.append(("samples", _samples(held)))
    for kind, content in tables:
        if content.num_rows:
            path = f"{folder}/{kind}-{name}"
            written[kind] = [path, content.num_rows, write_by_slice(path, content)]
    count = sum(len(line.times) for line, _ in held)
    return {"day": day, "count": count, "digests": digests, "files": written, **counts}


SourcedLine = tuple[Line, str]
"""A series of samples, and the name of the source that it was read from."""


def _read(files: Sequence[str], slices: range) -> tuple[dict[tuple[str, SeriesKey], list[Line]], dict[str, int]]:
    found: dict[tuple[str, SeriesKey], list[Line]] = {}
    for path in files:
        for table in read_slices(path, slices):
            columns = {one: table.column(one).to_pylist() for one in STAGED.names[:-2]}
            times, values = (values_of(table.column(one)) for one in ("times", "values"))
            bounds = _offsets(table.column("times"))
            for row in range(table.num_rows):
                if not slices.start <= columns["slice"][row] < slices.stop:
                    continue
                key = SeriesKey(*(columns[name][row] for name in SeriesKey._fields))
                part = slice(bounds[row], bounds[row + 1])
                found.setdefault((columns["source"][row], key), []).append(Line(key, times[part], values[part]))
    return found, {"duplicates": 0, "shadowed": 0, "absent": 0}


def _offsets(column: pa.ChunkedArray) -> NDArray[np.int64]:
    lengths = pa.compute.list_value_length(column).to_numpy()
    return np.append(0, np.cumsum(lengths)).astype(np.int64)


def _preferred(raw: dict[tuple[str, SeriesKey], list[Line]], counts: dict[str, int]) -> list[SourcedLine]:
    """Return one line per series: sorted, with unique times, and from the preferred of several sources."""
    held: dict[tuple[str, SeriesKey], Line] = {}
    for (name, key), parts in raw.items():
        line, twice = _sorted(parts)
        counts["duplicates"] += twice
        held[name, key] = line
    names = {name for name, _ in held}
    if len(names) > 1:
        priority = {name: priority_of(name) for name in names}
        best: dict[tuple[object, ...], str] = {}
        for name, key in held:
            identity = _identity(key)
            if identity not in best or (priority[name], name) > (priority[best[identity]], best[identity]):
                best[identity] = name
        for name, key in list(held):
            if best[_identity(key)] != name:
                counts["shadowed"] += len(held.pop((name, key)).times)
    rows = [(line, name) for (name, _), line in held.items()]
    # A fixed order, regardless of the order of files: the same samples produce the same store.
    return sorted(rows, key=lambda row: (slice_of(row[0].key), _order(row[0].key), row[1]))


def _order(key: SeriesKey) -> tuple[str, ...]:
    return (key.cluster, key.job, key.metric, *(str(one) for one in key))


def _sorted(parts: list[Line]) -> tuple[Line, int]:
    """Return the samples of a series by time, the last one for each time, and the number of duplicates."""
    if len(parts) == 1 and (len(parts[0].times) < 2 or (np.diff(parts[0].times) > 0).all()):
        return parts[0], 0
    times = np.concatenate([part.times for part in parts])
    values = np.concatenate([part.values for part in parts])
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    last = np.append(np.diff(times) > 0, True)
    return Line(parts[0].key, times[last], values[last]), int(len(times) - last.sum())


def _digests(held: list[SourcedLine]) -> dict[str, str]:
    """Return a digest of the samples of each slice."""
    found = {}
    for part, rows in groupby(held, key=lambda row: slice_of(row[0].key)):
        digest = blake2b(digest_size=16)
        for line, name in rows:
            digest.update(repr((name, tuple(line.key))).encode())
            digest.update(np.ascontiguousarray(line.times).tobytes())
            digest.update(np.ascontiguousarray(line.values).tobytes())
        found[str(part)] = digest.hexdigest()
    return found


def _samples(held: list[SourcedLine]) -> pa.Table:
    """Return the table of samples to keep."""
    offsets = pa.array(np.append(0, np.cumsum([len(line.times) for line, _ in held])).astype(np.int32))
    keys = [line.key for line, _ in held]
    return staged(
        keys,
        np.array([slice_of(key) for key in keys], np.int32),
        [name for _, name in held],
        pa.ListArray.from_arrays(offsets, pa.array(np.concatenate([line.times for line, _ in held]))),
        pa.ListArray.from_arrays(offsets, pa.array(np.concatenate([line.values for line, _ in held]))),
    )


def _clean(held: list[SourcedLine]) -> tuple[list[Line], dict[Group, int]]:
    """Return the lines without missing values, and the number of missing values of each group."""
    lines = []
    absent: dict[Group, int] = {}
    for line, _ in held:
        if is_meaningless(line.key.metric):
            continue
        usable = ~np.isnan(line.values)
        lowest = line.values.min() if len(line.values) else 0.0
        if lowest < 0 and means_nothing(line.key.metric, float(lowest)):
            usable &= line.values != lowest
        if not usable.all():
            group = group_of(line.key)
            absent[group] = absent.get(group, 0) + int((~usable).sum())
            line = Line(line.key, line.times[usable], line.values[usable])
        if len(line.times):
            lines.append(line)
    return lines, absent


def _joint(lines: list[Line]) -> Iterator[Line]:
    """Yield the signals computed from several metrics of a job, or of a cluster's processes."""
    ordered = sorted(lines, key=lambda line: group_of(line.key)[:2])
    for _, of_job in groupby(ordered, key=lambda line: group_of(line.key)[:2]):
        yield from signals(list(of_job))


def _measured(lines: list[Line]) -> Iterator[Line]:
    """Yield gauges unchanged, and counters as their rate of growth."""
    for line in lines:
        if line.key.counter:
            yield from _rate(line)
        else:
            yield line


def rate_name(metric: str) -> str:
    """Return the name of the metric for a counter's growth per second: ``rate(…)``."""
    return f"rate({metric})"


def _grown(line: Line) -> NDArray[np.float64]:
    """Return the growth of a counter between samples; a counter that fell restarted from 0."""
    steps = np.diff(line.values)
    return np.where(steps < 0, line.values[1:], steps)


def _rate(line: Line) -> Iterator[Line]:
    if len(line.times) < 2:
        return
    gaps = np.diff(line.times)
    near = gaps <= _HOLE_MS
    if near.any():
        key = line.key._replace(metric=rate_name(line.key.metric), counter=False)
        yield Line(key, line.times[1:][near], (_grown(line) / gaps * 1000)[near])
    key = line.key._replace(metric=line.key.metric)
    # The metric name of the counter is kept for its growth, so the sum of its histogram is the total growth.
    yield Line(key, line.times[1:], _grown(line))


def _series(held: list[SourcedLine], start: int) -> pa.Table:
    """Return the table of series of a day."""
    if not held:
        return STAGED.empty_table()
    table = _samples([(Line(line.key, line.times[:0], line.values[:0]), name) for line, name in held])
    counts = [len(line.times) for line, _ in held]
    first = [int(line.times[0]) if len(line.times) else start for line, _ in held]
    last = [int(line.times[-1]) if len(line.times) else start for line, _ in held]
    table = table.drop_columns(["times", "values"])
    for name, content in (("count", counts), ("first", first), ("last", last)):
        table = table.append_column(name, pa.array(content, pa.int64()))
    return table


_GROUP = [("slice", pa.int32()), *((name, pa.string()) for name in Group._fields), ("name", pa.string())]
HISTOGRAMS = pa.schema(
    [
        *_GROUP,
        ("day", pa.date32()),
        ("series", pa.int32()),
        ("count", pa.int64()),
        ("absent", pa.int64()),
        ("sum", pa.float64()),
        ("min", pa.float64()),
        ("max", pa.float64()),
        ("last", pa.float64()),
        ("first_time", pa.int64()),
        ("last_time", pa.int64()),
        ("slots", pa.int32()),
        ("codes", pa.list_(pa.int32())),
        ("counts", pa.list_(pa.int32())),
    ]
)
"""The Arrow schema of the histogram table, which has one row per group and day.

`name` is as the source spells it; `slots` is the number of five-minute slots with samples.
"""
ROLLUPS = pa.schema(
    [
        *_GROUP,
        ("day", pa.date32()),
        ("step", pa.int32()),
        ("count", pa.list_(pa.int32())),
        ("series", pa.list_(pa.int32())),
        *((name, pa.list_(pa.float32())) for name in ("min", "max", "mean", "last", "top", "total")),
    ]
)
"""The Arrow schema of the rollup table: one row per group and day, with statistics per slot of `step` seconds.

NaN without samples. `min`, `max`, `mean` and `last` are over samples; `top` and `total` are the largest and the sum of
the means of series in the slot, so total / series is the mean subtask.
"""


def _tables(lines: list[Line], absent: dict[Group, int], start: int) -> Iterator[tuple[str, pa.Table]]:
    """Yield the histograms and rollups of a day."""
    lines = _attempts_joined([line for line in lines if len(line.times)])
    ranked = sorted(
        ((slice_of(line.key), group_of(line.key), line) for line in lines),
        key=lambda one: (one[0], one[1], one[2].key),
    )
    blocks = [_tables_of(block, absent, start) for block in _blocks(ranked)]
    yield "histograms", pa.concat_tables([HISTOGRAMS.empty_table(), *(histograms for histograms, _ in blocks)])
    yield "rollups", pa.concat_tables([ROLLUPS.empty_table(), *(rollups for _, rollups in blocks)])


Ranked = tuple[int, Group, Line]
"""The slice number of a series of samples, its group, and the series itself."""


def _blocks(ranked: list[Ranked]) -> Iterator[list[Ranked]]:
    """Yield lines in blocks of whole groups that are small enough for the processor's cache."""
    block: list[Ranked] = []
    held = 0
    for _, of_group in groupby(ranked, key=lambda one: one[1]):
        lines = list(of_group)
        more = sum(len(line.times) for _, _, line in lines)
        if block and held + more > _BLOCK:
            yield block
            block, held = [], 0
        block += lines
        held += more
    if block:
        yield block


def _tables_of(ranked: list[Ranked], absent: dict[Group, int], start: int) -> tuple[pa.Table, pa.Table]:
    """Return the histograms and rollups of some groups."""
    groups = list(dict.fromkeys((part, group) for part, group, _ in ranked))
    place = {group: number for number, (_, group) in enumerate(groups)}
    lengths = np.array([len(line.times) for _, _, line in ranked])
    of_line = np.array([place[group] for _, group, _ in ranked], np.int32)
    times = np.concatenate([line.times for _, _, line in ranked])
    values = np.concatenate([line.values for _, _, line in ranked])
    names: dict[Group, str] = {}
    for _, group, line in ranked:
        spelled = _spelled(line.key)
        # Of two spellings, the one that no reporter has sanitized is used.
        if group not in names or (names[group] == sanitized(names[group]) and spelled != sanitized(spelled)):
            names[group] = spelled
    count = len(groups)
    bounds = np.append(0, np.cumsum(lengths))
    series_slots = ((times - start) // SLOT_MS).astype(np.int32)
    begins = np.append(True, series_slots[1:] != series_slots[:-1])
    begins[bounds[:-1]] = True
    runs = np.flatnonzero(begins)
    of_sample = np.repeat(of_line, lengths)
    rolled = _rolled(values, runs, of_sample[runs].astype(np.int64) * SLOTS + series_slots[runs], count)
    head = [
        pa.array([part for part, _ in groups], pa.int32()),
        *(pa.array([group[at] for _, group in groups], pa.string()) for at in range(len(Group._fields))),
        pa.array([names[group] for _, group in groups], pa.string()),
        pa.array([np.datetime64(start, "ms").astype("datetime64[D]").astype(object)] * count, pa.date32()),
    ]
    first_line = np.append(0, np.flatnonzero(np.diff(of_line)) + 1)
    starts = bounds[first_line]
    finite = np.where(np.isfinite(values), values, 0.0)
    first_times, last_times = times[bounds[:-1]], times[bounds[1:] - 1]
    latest = np.maximum.reduceat(last_times, first_line)
    codes, counts, offsets = _counted(values, of_sample, count)
    histograms = pa.table(
        [
            *head,
            pa.array(_holders(ranked, place), pa.int32()),
            pa.array(np.bincount(of_sample, minlength=count), pa.int64()),
            pa.array([absent.get(group, 0) for _, group in groups], pa.int64()),
            pa.array(np.add.reduceat(finite, starts)),
            pa.array(np.minimum.reduceat(values, starts)),
            pa.array(np.maximum.reduceat(values, starts)),
            pa.array(_latest(values[bounds[1:] - 1], last_times, latest, of_line)),
            pa.array(np.minimum.reduceat(first_times, first_line)),
            pa.array(latest),
            pa.array((rolled["count"] > 0).sum(axis=1), pa.int32()),
            pa.ListArray.from_arrays(offsets, codes),
            pa.ListArray.from_arrays(offsets, counts),
        ],
        schema=HISTOGRAMS,
    )
    rollups = pa.table(
        [
            *head,
            pa.array(np.full(count, SLOT_MS // 1000), pa.int32()),
            *(_lists(rolled[one.name], one.type) for one in list(ROLLUPS)[len(head) + 1 :]),
        ],
        schema=ROLLUPS,
    )
    return histograms, rollups


def _holder(key: SeriesKey) -> tuple[object, ...]:
    """Return the owner of a series within its group: a subtask, a process, or a part of one."""
    return (key.subtask, key.part, key.tm if key.scope in (JOBMANAGER, TASKMANAGER) else "")


def _holders(ranked: Sequence[Ranked], place: dict[Group, int]) -> list[int]:
    """Return the number of subtasks or processes of each group."""
    found: list[set[tuple[object, ...]]] = [set() for _ in place]
    for _, group, line in ranked:
        subtask, part, process = _holder(line.key)
        # A subtask with several parts (states, shards) counts once; streams are counted by part.
        found[place[group]].add((subtask, process, part if line.key.scope == STREAM else ""))
    return [len(one) for one in found]


def _attempts_joined(lines: list[Line]) -> list[Line]:
    """Return one line for all attempts of a subtask, which is the same subtask after a restart."""
    parts: dict[tuple[object, ...], list[Line]] = {}
    for line in lines:
        parts.setdefault((group_of(line.key), line.key.job_id, _holder(line.key)), []).append(line)
    return [_sorted(of_holder)[0] for of_holder in parts.values()]


def _spelled(key: SeriesKey) -> str:
    return key.operator or key.task or key.job


def _latest(
    values: NDArray[np.float64], times: NDArray[np.int64], latest: NDArray[np.int64], of_line: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the value of each group's latest sample; the maximum if several series end together."""
    found = np.full(len(latest), -np.inf)
    last = times == latest[of_line]
    np.maximum.at(found, of_line[last], values[last])
    return found


def _rolled(
    values: NDArray[np.float64], runs: NDArray[np.int64], cells: NDArray[np.int64], groups: int
) -> dict[str, NDArray[Any]]:
    """Return the statistics of each group's slots, from each series' runs of samples within a slot."""
    size = groups * SLOTS
    held = np.diff(np.append(runs, len(values)))
    finite = np.where(np.isfinite(values), values, 0.0)
    means = np.add.reduceat(finite, runs) / held
    count = np.bincount(cells, weights=held, minlength=size)
    series = np.bincount(cells, minlength=size)
    total = np.bincount(cells, weights=means, minlength=size)
    summed = np.bincount(cells, weights=means * held, minlength=size)
    extremes = {}
    for name, function, empty, per_run in (
        ("min", np.minimum, np.inf, np.minimum.reduceat(values, runs)),
        ("max", np.maximum, -np.inf, np.maximum.reduceat(values, runs)),
        ("top", np.maximum, -np.inf, means),
        ("last", np.maximum, -np.inf, values[np.append(runs[1:], len(values)) - 1]),
    ):
        cell = np.full(size, empty)
        function.at(cell, cells, per_run)
        extremes[name] = cell
    empty_cells = series == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        found = {"mean": summed / count, "total": total, **extremes}
    for array in found.values():
        array[empty_cells] = np.nan
    found["count"], found["series"] = count, series
    return {name: array.reshape(groups, SLOTS) for name, array in found.items()}


def _lists(cells: NDArray[Any], kind: pa.ListType) -> pa.ListArray:
    offsets = np.arange(0, cells.size + 1, cells.shape[1], dtype=np.int32)
    number = np.int32 if pa.types.is_integer(kind.value_type) else np.float32
    with np.errstate(over="ignore"):
        flat = cells.reshape(-1).astype(number)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat))


def _counted(values: NDArray[np.float64], groups: NDArray[np.int32], count: int) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return codes, counts and offsets of the histogram of each group, from samples sorted by group."""
    codes = codes_of(values)
    bounds = np.searchsorted(groups, np.arange(count + 1))
    found_codes, found_counts, lengths = [], [], np.zeros(count, np.int64)
    low = np.minimum.reduceat(codes, bounds[:-1])
    span = np.maximum.reduceat(codes, bounds[:-1]).astype(np.int64) - low + 1
    first = 0
    while first < count:
        reach = np.cumsum(span[first:])
        last = first + max(1, int(np.searchsorted(reach, _CELLS, side="right")))
        part = slice(bounds[first], bounds[last])
        base = np.append(0, reach[: last - first])
        cells = base[groups[part] - first] + (codes[part] - low[groups[part]])
        dense = np.bincount(cells, minlength=int(base[-1]))
        held = np.flatnonzero(dense)
        of_cell = np.searchsorted(base, held, side="right") - 1
        found_codes.append((held - base[of_cell] + low[first + of_cell]).astype(np.int32))
        found_counts.append(dense[held].astype(np.int32))
        lengths[first:last] = np.bincount(of_cell, minlength=last - first)
        first = last
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int32)
    return pa.array(np.concatenate(found_codes)), pa.array(np.concatenate(found_counts)), pa.array(offsets)
