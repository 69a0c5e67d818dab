"""The store of a year that is measured is one that imports and compact would have left."""

from __future__ import annotations

import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pyarrow import parquet

from flink_flint.calculators.history.pipeline.compacting import Ages, compact
from flink_flint.calculators.history.pipeline.importing import import_files
from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.store.layout import Store
from tests.benchmarks.history_data import write
from tests.benchmarks.history_year import SHARES, write_year
from tests.history.conftest import spark  # noqa: F401
from tests.history.stores import content, held

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AGES = Ages(samples=0, slots=3)


@pytest.fixture(scope="module")
def week(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Store:  # noqa: F811
    """A week of the metrics of one job, imported."""
    folder = tmp_path_factory.mktemp("week")
    write(folder / "metrics", 90, 7, processes=1)
    store = Store(str(folder / "store"))
    import_files(lambda: spark, store, str(folder / "metrics"), Options())
    return store


def layout(store: Store) -> dict[str, list[tuple[str, int, list[int]]]]:
    """Of each table of each day: the schema, how many row groups there are, and in which order the slices stand."""
    found: dict[str, list[tuple[str, int, list[int]]]] = {}
    for day, files in store.manifest().days.items():
        for table in ("series", "histograms", "rollups"):
            for file in getattr(files, table):
                with parquet.ParquetFile(store.at(file.path)) as opened:
                    slices = opened.read(columns=["slice"]).column("slice").to_pylist()
                    told = (str(opened.schema_arrow), opened.num_row_groups, slices)
                    found.setdefault(f"{day} {table}", []).append(told)
    return found


@pytest.mark.slow
def test_a_year_that_is_a_week_equals_the_week_compacted(spark: SparkSession, week: Store, tmp_path: Path) -> None:  # noqa: F811
    compacted = Store(shutil.copytree(week.path, tmp_path / "compacted").as_posix())
    compact(lambda: spark, compacted, AGES)
    written = Store(str(tmp_path / "written"))
    write_year(week, written, 7, AGES, processes=1)
    assert content(written) == content(compacted)
    assert layout(written) == layout(compacted)
    ours, theirs = (list(store.manifest().days.items()) for store in (written, compacted))
    assert [(day, one.count, one.digest, one.sealed) for day, one in ours] == [
        (day, one.count, one.digest, one.sealed) for day, one in theirs
    ]


@pytest.mark.slow
def test_later_days_are_those_of_the_week_grown_by_whole_buckets(week: Store, tmp_path: Path) -> None:
    written = Store(str(tmp_path / "written"))
    write_year(week, written, 24, AGES, processes=1)
    assert list(written.manifest().days) == [str(np.datetime64("2026-01-01") + day) for day in range(24)]
    before, after = held(week), held(written)
    assert before.keys() == after.keys()
    grown, same = 0, 0
    for group, observed in after.items():
        assert all(earlier < later for earlier, later in pairwise(observed.days.tolist()))
        known = _of_day(before[group], 23 % 7)
        if not known:
            continue
        factor = 1.0 if re.search(SHARES, group.metric) else 1.01**2
        assert _of_day(observed, 23) == pytest.approx([value * factor for value in known], rel=1e-9)
        grown, same = grown + (factor > 1), same + (factor == 1)
    assert grown
    assert same


def _of_day(observed: Observed, day: int) -> list[float]:
    """Extremes and sum of a day of the year; nothing where the group has none."""
    start = int(np.datetime64("2026-01-01").astype(int))
    place = np.flatnonzero(observed.days == start + day)
    return [float(one[place[0]]) for one in (observed.mins, observed.maxs, observed.sums)] if len(place) else []
