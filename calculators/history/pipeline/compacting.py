"""Aging of a store: old samples are deleted, five-minute slots become hours, and a month's days share one file.

Daily histograms are kept until the retention period ends, so percentiles do not change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flink_flint.calculators.history.file_access import join
from flink_flint.calculators.history.pipeline.reducing import SLOTS, Group
from flink_flint.calculators.history.pipeline.staging import read_slices, values_of, write_by_slice
from flink_flint.calculators.history.pipeline.write_summary import write_summary
from flink_flint.calculators.history.store.layout import SLICES, File, Manifest, Store
from flink_flint.calculators.history.store.progress import Meter, leave_mark
from flink_flint.calculators.history.store.spark_session import Piece, Start, run_pieces
from flink_flint.linter.text.named_tuple import NamedTuple

HOUR = 3600
_PER_HOUR = SLOTS // 24


class Ages(NamedTuple):
    """The ages at which each kind of data is condensed or deleted, in days before the last day in the store."""

    samples: int = 14
    """The age in days at which samples are deleted; late data can then no longer be added."""
    slots: int = 60
    """The age in days at which five-minute values are condensed to hourly values."""
    keep: int = 0
    """The age in days at which all data of a day is deleted; 0 for never."""


class Compacted(NamedTuple):
    """The result of aging a store: numbers of changed days, and bytes before and after."""

    sealed: int
    """The number of days whose samples were deleted."""
    aged: int
    """The number of days whose five-minute values were condensed to hourly values."""
    forgotten: int
    before: int
    """The size of the store's tables in bytes before compaction; `after` is the size afterward."""
    after: int


def compact(start: Start, store: Store, ages: Ages) -> Compacted:
    """Delete or condense old data in a store; Spark is started only if it is needed.

    Raises ValueError if the store cannot be used.
    """
    with store.lock():
        manifest = store.manifest()
        before = sum({file.path: file.bytes for file in manifest.files}.values())
        forgotten = _forget(manifest, ages)
        sealed = _seal(manifest, ages)
        months = _months(manifest, ages)
        aged = sum(len(days) for days in months.values())
        _age(start, store, manifest, months)
        after = sum({file.path: file.bytes for file in manifest.files}.values())
        if forgotten or sealed or aged:
            store.commit(manifest)
            if forgotten:
                write_summary(start, store, manifest)
        store.sweep(manifest)
        return Compacted(sealed, aged, forgotten, before, after)


def _ages(manifest: Manifest) -> dict[str, int]:
    """Return the age of each day, in days before the last one."""
    if not manifest.days:
        return {}
    last = np.datetime64(max(manifest.days), "D")
    return {day: int((last - np.datetime64(day, "D")).astype(int)) for day in manifest.days}


def _forget(manifest: Manifest, ages: Ages) -> int:
    gone = [day for day, age in _ages(manifest).items() if ages.keep and age >= ages.keep]
    for day in gone:
        del manifest.days[day]
    return len(gone)


def _seal(manifest: Manifest, ages: Ages) -> int:
    sealed = 0
    for day, age in _ages(manifest).items():
        held = manifest.days[day]
        if age >= ages.samples and not held.sealed:
            held.samples, held.sealed = [], True
            sealed += 1
    return sealed


def _months(manifest: Manifest, ages: Ages) -> dict[str, list[str]]:
    """Return the days to age, by month; only sealed days, because others can still change."""
    found: dict[str, list[str]] = {}
    for day, age in _ages(manifest).items():
        held = manifest.days[day]
        if age >= ages.slots and held.sealed and held.files and not held.aged:
            found.setdefault(day[:7], []).append(day)
    return found


def _age(start: Start, store: Store, manifest: Manifest, months: dict[str, list[str]]) -> None:
    pieces: list[Piece] = []
    for month, days in sorted(months.items()):
        already = _aged(manifest, month)
        for table in ("histograms", "rollups", "series"):
            files = dict.fromkeys(
                file.path for day in sorted([*already, *days]) for file in getattr(manifest.days[day], table)
            )
            if files:  # days without values have only series
                pieces.append(
                    {"month": month, "table": table, "paths": [store.at(path) for path in files],
                     "folder": store.at("days", month)}
                )  # fmt: skip
    with Meter(store.at("staging"), "aging", len(pieces)) as meter:
        done = run_pieces(start, [{**piece, "marks": meter.folder} for piece in pieces], age_piece)
    below = len(store.path) + 1
    shared = {month: [*_aged(manifest, month), *days] for month, days in months.items()}
    for one in done:
        file = File(one["path"][below:], one["rows"], one["bytes"])
        for day in shared[one["month"]]:
            setattr(manifest.days[day], one["table"], [file])


def _aged(manifest: Manifest, month: str) -> list[str]:
    return [day for day, held in manifest.days.items() if day[:7] == month and held.aged]


def age_piece(piece: Piece) -> Iterator[Piece]:
    """Combine a month's files of one table into a single file, with rollups made hourly; runs on an executor."""
    whole = pa.concat_tables(_plain(table) for path in piece["paths"] for table in read_slices(path, range(SLICES)))
    if piece["table"] == "rollups":
        whole = pa.concat_tables([hourly(whole.filter(pc.less(whole.column("step"), HOUR))),
                                  whole.filter(pc.equal(whole.column("step"), HOUR))])  # fmt: skip
    if piece["table"] == "series":
        whole = _series_of_month(whole)
        order = [("slice", "ascending"), ("cluster", "ascending"), ("job", "ascending"), ("metric", "ascending")]
    else:
        order = [("slice", "ascending"), *((name, "ascending") for name in Group._fields), ("day", "ascending")]
    whole = whole.sort_by(order)
    path = join(piece["folder"], f"{piece['table']}-{uuid4().hex[:16]}.parquet")
    written = write_by_slice(path, whole)
    leave_mark(piece["marks"], whole.num_rows)
    yield {"month": piece["month"], "table": piece["table"], "path": path, "rows": whole.num_rows, "bytes": written}


def _plain(table: pa.Table) -> pa.Table:
    """Return a table with dictionary-encoded texts as plain texts."""
    return pa.table(
        [
            column.cast(one.type.value_type) if pa.types.is_dictionary(one.type) else column
            for column, one in zip(table.columns, table.schema, strict=True)
        ],
        names=table.column_names,
    )


def _series_of_month(table: pa.Table) -> pa.Table:
    """Return each series once, with the samples of all its days."""
    keys = [name for name in table.column_names if name not in ("count", "first", "last")]
    grouped = table.group_by(keys, use_threads=False).aggregate([("count", "sum"), ("first", "min"), ("last", "max")])
    renamed = grouped.rename_columns(
        [{"count_sum": "count", "first_min": "first", "last_max": "last"}.get(n, n) for n in grouped.column_names]
    )
    return renamed.select(table.column_names)


def hourly(table: pa.Table) -> pa.Table:
    """Combine five-minute rollups into hourly rollups."""
    if not table.num_rows:
        return table
    rows = table.num_rows
    cells: dict[str, NDArray[Any]] = {}
    for one in table.schema:
        if pa.types.is_list(one.type):
            cells[one.name] = values_of(table.column(one.name)).reshape(rows, 24, _PER_HOUR)
    held = cells["series"] > 0
    counts, slots = cells["count"].sum(axis=2), held.sum(axis=2)
    empty = slots == 0

    def without(name: str, otherwise: float) -> NDArray[Any]:
        return np.where(held, cells[name], otherwise)

    latest = np.where(held, np.arange(_PER_HOUR), -1).argmax(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        aged = {
            "count": counts,
            "series": cells["series"].max(axis=2),
            "min": without("min", np.inf).min(axis=2),
            "max": without("max", -np.inf).max(axis=2),
            "mean": (without("mean", 0.0) * cells["count"]).sum(axis=2) / counts,
            "last": np.take_along_axis(cells["last"], latest[:, :, None], axis=2)[:, :, 0],
            "top": without("top", -np.inf).max(axis=2),
            "total": without("total", 0.0).sum(axis=2) / slots,
        }
    offsets = pa.array(np.arange(0, rows * 24 + 1, 24, dtype=np.int32))
    columns: list[Any] = []
    for one in table.schema:
        if one.name == "step":
            columns.append(pa.array(np.full(rows, HOUR), pa.int32()))
        elif one.name in aged:
            values = aged[one.name]
            if one.name not in ("count", "series"):
                values = np.where(empty, np.nan, values)
            flat = values.reshape(-1).astype(np.int32 if pa.types.is_integer(one.type.value_type) else np.float32)
            columns.append(pa.ListArray.from_arrays(offsets, pa.array(flat)))
        else:
            columns.append(table.column(one.name))
    return pa.table(columns, schema=table.schema)
