"""A store of a year from the store of its first week: ``python -m tests.benchmarks.history_year WEEK STORE``.

Tables are written as `flint history import` and then ``flint history compact --keep-samples 0`` leave them: months of
daily histograms and hourly rollups, and for the last 60 days a file a day with slots of five minutes. Every day is
that day of the week which it would be, its values larger by 1 % for every ten days gone by: of histograms that moves
each bucket by one. Shares of time stay as they are.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flink_flint.calculators.history.pipeline.compacting import Ages, hourly
from flink_flint.calculators.history.pipeline.reducing import Group
from flink_flint.calculators.history.pipeline.staging import DAY_MS, read_slices, write_by_slice
from flink_flint.calculators.history.store.histogram import WIDTH, codes_of
from flink_flint.calculators.history.store.layout import SLICES, Day, File, Store

AGES = Ages(samples=0)
_TABLES = ("series", "histograms", "rollups")
_WEEK = 7
_GROWS_AFTER = 10
SHARES = "TimeMsPerSecond|Share|Skew|catchingUp"
"""Matches the metrics that do not grow."""
_INFINITE = int(codes_of(np.array([np.inf]))[0])


class ElementView(NamedTuple):
    """What one process writes: a month that has aged, or a day."""

    week: str
    into: str
    folder: str
    """Below ``days``."""
    days: tuple[int, ...]
    """Counted from the first day of the week."""
    aged: bool


class Written(NamedTuple):
    part: ElementView
    files: dict[str, File]


@cache
def _of_week(path: str, day: int, table: str, aged: bool) -> pa.Table:
    """A table of a day of the week, as it is or aged."""
    store = Store(path)
    held = list(store.manifest().days.values())[day]
    read = [one for file in getattr(held, table) for one in read_slices(store.at(file.path), range(SLICES))]
    whole = pa.concat_tables(read)
    return hourly(whole) if aged and table == "rollups" else whole


def _first_day(path: str) -> int:
    return int(np.datetime64(min(Store(path).manifest().days), "D").astype(int))


def _table(part: ElementView, day: int, table: str) -> pa.Table:
    """A table of a day of the year."""
    base = day % _WEEK
    found = _of_week(part.week, base, table, part.aged)
    growth = 0 if table == "series" else day // _GROWS_AFTER
    buckets = np.zeros(found.num_rows, np.int64)
    if growth:
        buckets[~pc.match_substring_regex(found.column("metric"), SHARES).to_numpy()] = growth
    later = (day - base) * DAY_MS
    columns = [_moved(found.column(one.name), one, buckets, later) for one in found.schema]
    return pa.table(columns, schema=found.schema)


def _moved(column: pa.ChunkedArray, field: pa.Field, buckets: Any, later: int) -> Any:
    """A column of a day that is `later` by milliseconds, and grown by so many buckets."""
    kind = field.type
    if field.name in ("first", "last_time", "first_time") or (field.name == "last" and pa.types.is_int64(kind)):
        return pc.add(column, later)
    if field.name == "day":
        return pc.add(column.cast(pa.int32()), pa.scalar(later // DAY_MS, pa.int32())).cast(pa.date32())
    if not buckets.any():
        return column
    if pa.types.is_floating(kind):
        return pa.array(column.to_numpy() * WIDTH**buckets, kind)
    if not pa.types.is_list(kind) or (field.name != "codes" and not pa.types.is_floating(kind.value_type)):
        return column
    whole = column.combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    flat, lengths = whole.flatten().to_numpy(), pc.list_value_length(whole).to_numpy()
    moved = np.repeat(buckets, lengths)
    if field.name == "codes":
        finite = (flat != 0) & (np.abs(flat) < _INFINITE)
        grown = np.where(finite, flat + np.sign(flat) * moved, flat)
    else:
        grown = flat * WIDTH**moved
    offsets = pa.array(np.append(0, np.cumsum(lengths)).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array(grown.astype(flat.dtype)))


def _write(part: ElementView) -> Written:
    """Write the tables of a month or of a day."""
    files = {}
    for name in _TABLES:
        if name == "series" and part.aged:
            table = _series_of_month(part)
        else:
            table = pa.concat_tables([_table(part, day, name) for day in part.days])
        if part.aged:
            fields = ("cluster", "job", "metric") if name == "series" else (*Group._fields, "day")
            table = table.sort_by([(one, "ascending") for one in ("slice", *fields)])
        path = f"days/{part.folder}/{name}-{'month' if part.aged else '00'}.parquet"
        size = write_by_slice(f"{part.into}/{path}", table)
        files[name] = File(path, table.num_rows, size)
    return Written(part, files)


def _series_of_month(part: ElementView) -> pa.Table:
    """The same series every day: each once."""
    days = [_table(part, day, "series") for day in (part.days[0], part.days[-1])]
    counts = np.add.reduce([_of_week(part.week, day % _WEEK, "series", True).column("count") for day in part.days])
    columns = {
        "first": days[0].column("first"),
        "last": days[1].column("last"),
        "count": pa.array(counts, pa.int64()),
    }
    plain = [
        columns.get(one.name, column.cast(one.type.value_type) if pa.types.is_dictionary(one.type) else column)
        for one, column in zip(days[0].schema, days[0].columns, strict=True)
    ]
    return pa.table(plain, names=days[0].column_names)


def _parts(week: Store, into: Store, days: int, ages: Ages) -> Iterator[ElementView]:
    first = np.datetime64(_first_day(week.path), "D")
    old = max(0, days - ages.slots)
    months: dict[str, list[int]] = {}
    for day in range(old):
        months.setdefault(str(first + day)[:7], []).append(day)
    for month, held in months.items():
        yield ElementView(week.path, into.path, month, tuple(held), True)
    for day in sorted(range(old, days), key=lambda one: one % _WEEK):
        yield ElementView(week.path, into.path, str(first + day), (day,), False)


def write_year(week: Store, into: Store, days: int = 365, ages: Ages = AGES, *, processes: int = 2) -> int:
    """Write the store; returns its bytes."""
    into.create()
    first = np.datetime64(_first_day(week.path), "D")
    held = list(week.manifest().days.values())
    manifest = into.manifest()
    with ProcessPoolExecutor(processes) as pool:
        written = list(pool.map(_write, _parts(week, into, days, ages)))
    for part, files in written:
        for day in part.days:
            own = held[day % _WEEK]
            tables = {name: [file] for name, file in files.items()}
            manifest.days[str(first + day)] = Day(count=own.count, digest=own.digest, sealed=True, **tables)
    manifest.days = dict(sorted(manifest.days.items()))
    into.commit(manifest)
    return sum(file.bytes for _, files in written for file in files.values())


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.history_year", description=__doc__)
    parser.add_argument("week", type=Path)
    parser.add_argument("into", type=Path)
    parser.add_argument("--days", type=int, default=365)
    given = parser.parse_args(arguments)
    start = time.monotonic()
    size = write_year(Store(str(given.week)), Store(str(given.into)), given.days)
    print(f"{given.days} days, {size / 1e6:.0f} MB, {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
