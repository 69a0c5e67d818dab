"""The coverage of a store: each job's days and gaps, and the file sizes, read without Spark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flink_flint.calculators.history.pipeline.read_store import paths_of
from flink_flint.calculators.history.pipeline.reducing import SLOTS
from flink_flint.calculators.history.pipeline.staging import read_slices
from flink_flint.calculators.history.store.layout import SLICES, Manifest, Store
from flink_flint.linter.text.named_tuple import NamedTuple


class JobDays(NamedTuple):
    """The days on which a job, or a cluster's processes, have data."""

    cluster: str
    job: str
    """The name of the job as the source spells it; empty for the cluster's own processes."""
    days: dict[str, float]
    """The share (0 to 1) of each day that samples cover, by date."""

    @property
    def holes(self) -> list[str]:
        """The dates without data between the first and the last day with data."""
        first, last = (np.datetime64(day, "D") for day in (min(self.days), max(self.days)))
        every = np.arange(first, last + 1)
        return [str(day) for day in every if str(day) not in self.days]


class Coverage(NamedTuple):
    """The days, jobs and file sizes of a store."""

    jobs: list[JobDays]
    tables: dict[str, tuple[int, int, int]]
    """The file, row and byte counts of each table, by table name."""
    days: list[str]
    sealed: int
    aged: int
    imports: list[dict[str, Any]]


def coverage(store: Store, manifest: Manifest) -> Coverage:
    """Return the coverage of a store: its days, jobs and file sizes; raise ValueError if the store is damaged."""
    days = list(manifest.days)
    columns = ["slice", "cluster", "job", "scope", "name", "day", "slots"]
    tables = [
        table
        for path in paths_of(store, manifest, days, "histograms")
        for table in read_slices(path, range(SLICES), columns)
    ]
    jobs: list[JobDays] = []
    if tables:
        whole = pa.concat_tables(tables)
        names = whole.filter(pc.equal(whole.column("scope"), "job"))
        spelled = {
            (cluster, job): name
            for cluster, job, name in zip(
                *(names.column(one).to_pylist() for one in ("cluster", "job", "name")), strict=True
            )
        }
        grouped = whole.group_by(["cluster", "job", "day"]).aggregate([("slots", "max")])
        grouped = grouped.sort_by([("cluster", "ascending"), ("job", "ascending"), ("day", "ascending")])
        found: dict[tuple[str, str], dict[str, float]] = {}
        for row in grouped.to_pylist():
            if str(row["day"]) in manifest.days:
                held = found.setdefault((row["cluster"], row["job"]), {})
                held[str(row["day"])] = min(1.0, row["slots_max"] / SLOTS)
        jobs = [JobDays(cluster, spelled.get((cluster, job)) or job, held) for (cluster, job), held in found.items()]
    sizes = {}
    for table in ("samples", "series", "histograms", "rollups"):
        files = {file.path: file for day in manifest.days.values() for file in getattr(day, table)}
        sizes[table] = (len(files), sum(one.rows for one in files.values()), sum(one.bytes for one in files.values()))
    for table, files_of in (("records", manifest.records), ("quarantine", manifest.quarantine)):
        sizes[table] = (len(files_of), sum(one.rows for one in files_of), sum(one.bytes for one in files_of))
    aged = sum(day.aged for day in manifest.days.values())
    sealed = sum(day.sealed for day in manifest.days.values())
    return Coverage(jobs, sizes, days, sealed, aged, manifest.imports)
