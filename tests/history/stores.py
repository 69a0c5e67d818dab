"""Small stores for tests: samples written as a table of texts, and what a store then says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flink_flint.calculators.history.pipeline.importing import Imported, import_batches
from flink_flint.calculators.history.pipeline.read_store import Groups, Observed, paths_of, read_groups, window_of
from flink_flint.calculators.history.pipeline.staging import DAY_MS
from flink_flint.calculators.history.samples import (
    JOB,
    JOBMANAGER,
    TASK,
    TASKMANAGER,
    Batch,
    Gathering,
    SeriesKey,
)
from flink_flint.calculators.history.store.layout import SLICES, Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAY = 1_763_596_800_000
"""2025-11-20, in milliseconds."""
MINUTE = 60_000

__all__ = ["DAY", "DAY_MS", "JOB", "JOBMANAGER", "MINUTE", "TASK", "TASKMANAGER", "Path"]


def never() -> SparkSession:
    """Stands for Spark where there must be no work for it."""
    raise AssertionError("Spark was started")


def key(metric: str, scope: str = TASK, **more: object) -> SeriesKey:
    """A series of job `orders`, task `map`, subtask 0, unless said otherwise."""
    usual: dict[str, object] = {"cluster": "prod"}
    if scope in (JOB, TASK):
        usual |= {"job": "orders", "job_id": "a1"}
    if scope == TASK:
        usual |= {"task": "map", "subtask": 0}
    return SeriesKey(metric, scope, **{**usual, **more})  # type: ignore[arg-type]


def batch(*lines: tuple[SeriesKey, NDArray[np.int64], NDArray[np.float64]]) -> Batch:
    """A batch of whole series."""
    gathering = Gathering()
    for who, times, values in lines:
        gathering.extend(gathering.series(who), np.asarray(times, np.int64), np.asarray(values, np.float64))
    return gathering.take()


def minutes(count: int, start: int = DAY, step: int = MINUTE) -> NDArray[np.int64]:
    """`count` times, a minute apart."""
    return start + np.arange(count, dtype=np.int64) * step


def put(spark: SparkSession, store: Store, *batches: Batch, source: str = "canonical-csv") -> Imported:
    """Import batches."""
    return import_batches(lambda: spark, store, batches, source, "test")


def held(store: Store, *, half_life: float = 7.0, time_series: tuple[str, ...] = ()) -> Groups:
    """All groups of a store."""
    manifest = store.manifest()
    days = window_of(manifest)
    return read_groups(
        paths_of(store, manifest, days, "histograms"),
        paths_of(store, manifest, days, "rollups") if time_series else (),
        range(SLICES),
        (days[0], days[-1]),
        half_life=half_life,
        time_series=time_series,
    )


def one(store: Store, metric: str, **more: object) -> Observed:
    """The only group with a metric."""
    found = [observed for group, observed in held(store, **more).items() if group.metric == metric]  # type: ignore[arg-type]
    assert len(found) == 1, [observed.group for observed in found]
    return found[0]


def content(store: Store) -> dict[str, list[str]]:
    """All rows of all tables that count, by table, in a fixed order, independent of how files are cut."""
    from pyarrow import parquet

    manifest = store.manifest()
    found: dict[str, list[str]] = {}
    for table in ("samples", "series", "histograms", "rollups"):
        rows: dict[str, list[tuple[int, float]]] = {}
        for day, files in manifest.days.items():
            for file in getattr(files, table):
                for row in parquet.ParquetFile(store.at(file.path)).read().to_pylist():
                    samples = list(zip(row.pop("times", []), row.pop("values", []), strict=True))
                    rows.setdefault(f"{day} {row}", []).extend(samples)
        found[table] = [f"{who} {sorted(samples)}" for who, samples in sorted(rows.items())]
    return found
