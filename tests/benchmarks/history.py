"""Benchmarks of the history: imports, recommendations of a year, and what a check with a history costs more.

The same files are read by DuckDB, which counts exactly, so that the machine is part of both figures.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from flink_flint.calculators.history.metrics.vocabulary import is_counter
from flink_flint.calculators.history.pipeline.read_store import paths_of, read_groups, window_of
from flink_flint.calculators.history.pipeline.reducing import Group
from flink_flint.calculators.history.store.histogram import WIDTH
from flink_flint.calculators.history.store.layout import SLICES, Store
from flink_flint.linter.flink.reporter_names import sanitized
from tests.benchmarks import history_data
from tests.benchmarks.history_year import write_year
from tests.benchmarks.measuring import FLINT, ROOT, flint
from tests.benchmarks.table import Table
from tests.benchmarks.watching import Watched, watch

SERIES = 10_000
"""A hundred jobs."""
FEW_SERIES = 1_000
WEEK = 7

IMPORT = """
import json, sys, time
from flink_flint.calculators.history.pipeline.importing import import_files
from flink_flint.calculators.history.store.spark_session import session
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.store.layout import Store
spark = session()
began = time.monotonic()
told = import_files(lambda: spark, Store(sys.argv[2]), sys.argv[1], Options())
print(json.dumps([time.monotonic() - began, told.samples]))
"""
EXACT = """
import duckdb, json, sys, time
began = time.monotonic()
database = duckdb.connect(config={"threads": 2})
database.execute("set enable_progress_bar = false")
rows = database.execute(
    "select job, task, operator, metric, count(*), quantile_disc(value, [0.5, 0.95, 0.99]), max(value) "
    "from read_parquet(?) group by all",
    [sys.argv[1:]],
).fetchall()
print(json.dumps([time.monotonic() - began, rows]))
"""


class Timed(NamedTuple):
    """A command that says itself how long its work took."""

    seconds: float
    """Of the work alone: without the start of Python and of Spark."""
    whole: Watched
    told: Any


def _timed(code: str, *arguments: str) -> Timed:
    whole = watch((sys.executable, "-c", code, *arguments), ROOT)
    seconds, told = json.loads(whole.output.splitlines()[-1])
    return Timed(seconds, whole, told)


def history(table: Table, folder: Path) -> None:
    """All of them, on the same files."""
    files, few = folder / "metrics", folder / "few-metrics"
    history_data.write(files, SERIES, WEEK + 1)
    history_data.write(few, FEW_SERIES, WEEK)
    later = _last_day(files, folder / "later")
    exact = _exact(table, files)
    week = folder / "week"
    imported = _import(table, files, few, folder)
    if exact is not None:
        table.figure("  against DuckDB, exact, the same files", imported.seconds / exact[0].seconds, unit="x")
        table.figure("  largest error of a percentile", _error(week, exact[0].told), (WIDTH - 1) * 100, "%")
    one_more = _timed(IMPORT, str(later), str(week))
    table.figure("flint history import, an eighth day", one_more.seconds, unit="s")
    table.figure("  against seven", one_more.seconds / imported.seconds, 1 / WEEK * 1.5, "x")
    _check(table, week, folder / "stock")
    shutil.rmtree(files)
    year = folder / "year"
    written = write_year(Store(str(week)), Store(str(year)))
    table.figure("a store of a year, 10 000 series", written / 1e9, unit="GB")
    _recommend(table, year, exact)


def _last_day(files: Path, into: Path) -> Path:
    """Move the files of the last day away."""
    into.mkdir()
    for file in sorted(files.iterdir())[-2:]:
        file.rename(into / file.name)
    return into


def _exact(table: Table, files: Path) -> list[Timed] | None:
    """DuckDB over the files, once and four times; None where it is not installed."""
    if importlib.util.find_spec("duckdb") is None:
        print("DuckDB is not installed (make tools): nothing to compare with", flush=True)
        return None
    paths = [str(file) for file in sorted(files.iterdir())]
    found = [_timed(EXACT, *paths * times) for times in (1, 4)]
    for days, one in zip((WEEK, 4 * WEEK), found, strict=True):
        table.figure(f"DuckDB, exact percentiles, {days} days", one.seconds, unit="s")
    return found


def _import(table: Table, files: Path, few: Path, folder: Path) -> Timed:
    small = _timed(IMPORT, str(few), str(folder / "few"))
    table.figure("flint history import, 10 M samples", small.seconds, unit="s")
    large = _timed(IMPORT, str(files), str(folder / "week"))
    table.figure("flint history import, 100 M samples", large.seconds, 45, "s")
    table.figure("  with Spark's start", large.whole.seconds, unit="s")
    table.figure("  its processor time, with Spark's start", large.whole.cpu, unit="s")
    table.figure("  samples a second", large.told / large.seconds / 1e6, unit="M")
    table.figure("  memory of all its processes", large.whole.mebibytes, 6 * 1024, "MB")
    per_sample = (large.seconds / large.told) / (small.seconds / small.told)
    table.figure("  a sample of 100 M against one of 10 M", per_sample, 1.1, "x")
    return large


def _recommend(table: Table, year: Path, exact: list[Timed] | None) -> None:
    for days, target in ((365, 25.0), (30, None)):
        command = (*FLINT, "recommend", "--history", str(year), "--window", f"{days}d", "--output-format", "json")
        found = watch(command, ROOT)
        table.figure(f"flint recommend, the last {days} days of a year", found.seconds, target, "s")
        table.figure("  its processor time", found.cpu, unit="s")
        table.figure("  memory of all its processes", found.mebibytes, unit="MB")
        if exact is not None and days == 365:
            of_day = (exact[1].seconds - exact[0].seconds) / (3 * WEEK)
            raw = exact[1].seconds + of_day * (365 - 4 * WEEK)
            table.figure("  DuckDB over the raw samples would take", raw, unit="s")
            table.figure("  of that", found.seconds / raw * 100, 5, "%")


def _check(table: Table, store: Path, stock: Path) -> None:
    """What `flint check --history` costs more."""
    runs = 15
    without = flint("check", "config.yaml", folder=stock, runs=runs)
    with_it = flint("check", "--history", f"{store}#cluster-0", "config.yaml", folder=stock, runs=runs)
    table.figure("flint check --history, what it adds", with_it.milliseconds - without.milliseconds, 20, "ms")


def _error(store: Path, rows: list[Any]) -> float:
    """The largest deviation of a percentile from the exact one, in percent of it; counters are kept as rates."""
    exact = {
        (*(sanitized(one or "") for one in row[:3]), row[3]): row[5]
        for row in rows
        if row[0] and not is_counter(row[3])
    }
    found = {
        (group.job, group.task, group.operator, group.metric): percentiles
        for group, percentiles in _percentiles(Store(str(store)))
    }
    missing = exact.keys() - found.keys()
    if missing:
        raise RuntimeError(f"the store lacks {sorted(missing)[:3]}")
    return max(
        100 * abs(is_ - ought) / abs(ought) if ought else (0.0 if is_ == 0 else 100.0)
        for key, percentiles in exact.items()
        for is_, ought in zip(found[key], percentiles, strict=True)
    )


def _percentiles(store: Store) -> Iterator[tuple[Group, list[float]]]:
    manifest = store.manifest()
    days = window_of(manifest)
    groups = read_groups(
        paths_of(store, manifest, days, "histograms"), (), range(SLICES), (days[0], days[-1]), half_life=WEEK
    )
    for group, observed in groups.items():
        yield group, [observed.percentile(share) for share in (0.5, 0.95, 0.99)]
