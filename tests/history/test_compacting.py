"""Aging a store: what takes less room then, and the data that must survive."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.calculators.history.pipeline.compacting import HOUR, Ages, compact, hourly
from flink_flint.calculators.history.pipeline.reducing import ROLLUPS, SLOTS
from flink_flint.calculators.history.store.layout import Store
from tests.history.stores import DAY, DAY_MS, batch, content, held, key, minutes, never, one, put

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

METRIC = "busyTimeMsPerSecond"
DAYS = 24
"""2025-11-20 to 2025-12-13: parts of two months."""
AGES = Ages(samples=3, slots=6, keep=0)


@pytest.fixture(scope="module")
def filled(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two subtasks over many days, and a counter."""
    store = Store(str(tmp_path_factory.mktemp("filled") / "store"))
    rng = np.random.default_rng(5)
    times = minutes(DAYS * 288, step=300_000)
    put(
        spark, store,
        batch(
            (key(METRIC), times, rng.lognormal(3, 1, len(times))),
            (key(METRIC, subtask=1), times[100:], rng.lognormal(4, 1, len(times) - 100)),
            (key("numRecordsIn", counter=True), times, np.cumsum(rng.integers(0, 50, len(times))).astype(float)),
        ),
    )  # fmt: skip
    return store


@pytest.fixture
def store(filled: Store, tmp_path: Path) -> Store:
    import shutil

    shutil.copytree(filled.path, tmp_path / "store")
    return Store(str(tmp_path / "store"))


def on_disk(store: Store) -> set[str]:
    return {str(path.relative_to(store.path)) for path in Path(store.path).rglob("*") if path.is_file()}


def told(store: Store) -> dict[str, Any]:
    """What every group's histogram says."""
    return {
        str(group): ([seen.percentile(share) for share in (0.0, 0.5, 0.9, 0.99, 1.0)], seen.total, seen.minutes,
                     seen.samples, seen.series, seen.last, list(seen.days))
        for group, seen in held(store).items()
    }  # fmt: skip


@pytest.mark.slow
def test_ageing_changes_no_percentile_and_takes_less_room(spark: SparkSession, store: Store) -> None:
    before = told(store)
    done = compact(lambda: spark, store, AGES)
    assert told(store) == before
    assert (done.sealed, done.aged, done.forgotten) == (DAYS - 3, DAYS - 6, 0)
    assert done.after < done.before / 2
    manifest = store.manifest()
    assert sum(Path(store.at(file)).stat().st_size for file in {file.path for file in manifest.files}) == done.after


@pytest.mark.slow
def test_aged_days_share_a_file_a_month_and_nothing_else_stays_behind(spark: SparkSession, store: Store) -> None:
    compact(lambda: spark, store, AGES)
    manifest = store.manifest()
    aged = [day for name, day in manifest.days.items() if name < "2025-12-08"]
    for table in ("series", "histograms", "rollups"):
        assert {file.path.split("/")[1] for day in aged for file in getattr(day, table)} == {"2025-11", "2025-12"}
        assert len({file.path for day in aged for file in getattr(day, table)}) == 2
    kept = {file.path for file in manifest.files}
    assert {path for path in on_disk(store) if path.startswith("days/")} == kept
    assert not [path for path in Path(store.at("days")).iterdir() if not any(path.iterdir())]


@pytest.mark.slow
def test_ageing_twice_changes_nothing(spark: SparkSession, store: Store) -> None:
    compact(lambda: spark, store, AGES)
    before, number = on_disk(store), store.manifest().number
    done = compact(never, store, AGES)
    assert (done.sealed, done.aged, done.forgotten) == (0, 0, 0)
    assert (on_disk(store), store.manifest().number) == (before, number)


@pytest.mark.slow
def test_a_month_that_aged_in_two_steps_is_as_one_that_aged_at_once(
    spark: SparkSession, store: Store, filled: Store, tmp_path: Path
) -> None:
    import shutil

    shutil.copytree(filled.path, tmp_path / "other")
    other = Store(str(tmp_path / "other"))
    compact(lambda: spark, store, AGES._replace(slots=15))
    compact(lambda: spark, store, AGES)
    compact(lambda: spark, other, AGES)
    first, second = content(store), content(other)
    # A month's series are counted for the month, so that `content` returns them once for each of its days.
    assert {table: first[table] for table in ("histograms", "rollups")} == {
        table: second[table] for table in ("histograms", "rollups")
    }
    assert told(store) == told(other)
    assert first["series"] == second["series"]


@pytest.mark.slow
def test_days_that_aged_tell_hours_and_the_others_five_minutes(spark: SparkSession, store: Store) -> None:
    fine = one(store, METRIC, time_series=(METRIC,)).time_series
    compact(lambda: spark, store, AGES)
    time_series = one(store, METRIC, time_series=(METRIC,)).time_series
    assert time_series is not None
    assert fine is not None
    assert set(time_series.steps.tolist()) == {300, HOUR}
    aged = time_series.steps == HOUR
    assert aged.sum() == (DAYS - 6) * 24
    assert time_series.times[~aged].min() == DAY // 1000 + (DAYS - 6) * 86_400
    for at in np.flatnonzero(aged)[[0, 7, 100, -1]]:
        within = (fine.times >= time_series.times[at]) & (fine.times < time_series.times[at] + HOUR)
        assert time_series.max[at] == fine.max[within].max()
        assert time_series.min[at] == fine.min[within].min()
        assert time_series.top[at] == fine.top[within].max()
        assert time_series.last[at] == fine.last[within][-1]
        assert time_series.total[at] == pytest.approx(fine.total[within].mean(), rel=1e-5)


@pytest.mark.slow
def test_late_data_for_a_sealed_day_is_refused_and_counted(spark: SparkSession, store: Store) -> None:
    compact(lambda: spark, store, AGES)
    before = content(store)
    late = put(spark, store, batch((key(METRIC, subtask=9), minutes(30), np.ones(30))))
    assert (late.sealed, late.days) == (30, [])
    assert content(store) == before


@pytest.mark.slow
def test_an_import_after_ageing_adds_to_what_is_still_open(spark: SparkSession, store: Store) -> None:
    compact(lambda: spark, store, AGES)
    before = one(store, METRIC)
    new = put(
        spark, store, batch((key(METRIC), minutes(288, DAY + DAYS * DAY_MS, 300_000), np.full(288, 7.0))),
        batch((key(METRIC, subtask=2), minutes(10, DAY + (DAYS - 1) * DAY_MS), np.full(10, 7.0))),
    )  # fmt: skip
    assert new.days == ["2025-12-13", "2025-12-14"]
    after = one(store, METRIC)
    assert (after.samples - before.samples, after.series) == (298, 3)
    done = compact(lambda: spark, store, AGES)
    assert (done.sealed, done.aged) == (1, 1)
    assert one(store, METRIC).percentile(0.95) == after.percentile(0.95)


@pytest.mark.slow
def test_days_beyond_the_retention_are_forgotten(spark: SparkSession, store: Store) -> None:
    compact(lambda: spark, store, AGES)
    done = compact(lambda: spark, store, AGES._replace(keep=10))
    assert done.forgotten == DAYS - 10
    assert min(store.manifest().days) == str(date(2025, 12, 4))
    seen = one(store, METRIC)
    assert len(seen.days) == 10
    assert seen.first == DAY + (DAYS - 10) * DAY_MS
    kept = {file.path for file in store.manifest().files}
    assert {path for path in on_disk(store) if path.startswith("days/")} == kept


@pytest.mark.slow
def test_a_month_without_any_value_ages_too(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    put(spark, store, batch((key(METRIC), minutes(60), np.full(60, np.nan))))
    put(spark, store, batch((key(METRIC), minutes(60, DAY + 30 * DAY_MS), np.ones(60))))
    assert compact(lambda: spark, store, AGES).aged == 1
    assert compact(never, store, AGES).aged == 0
    assert one(store, METRIC).samples == 60


@pytest.mark.slow
def test_a_day_that_was_forgotten_can_come_back(spark: SparkSession, store: Store) -> None:
    compact(lambda: spark, store, AGES._replace(keep=10))
    told_ = put(spark, store, batch((key(METRIC), minutes(60), np.full(60, 7.0))))
    assert told_.days == ["2025-11-20"]


@pytest.mark.slow
def test_ageing_that_does_not_end_leaves_the_store_as_it_was(spark: SparkSession, store: Store) -> None:
    before, said = content(store), told(store)

    class Killed(BaseException):
        pass

    def killed(manifest: object) -> Any:
        raise Killed

    store.commit = killed  # type: ignore[method-assign]
    with pytest.raises(Killed):
        compact(lambda: spark, store, AGES)
    again = Store(store.path)
    assert content(again) == before
    compact(lambda: spark, again, AGES)
    assert told(again) == said
    kept = {file.path for file in again.manifest().files}
    assert {path for path in on_disk(again) if path.startswith("days/")} == kept


@pytest.mark.slow
def test_samples_alone_go_without_spark(store: Store) -> None:
    ages = AGES._replace(slots=500)
    before = told(store)
    assert compact(never, store, ages).sealed == DAYS - 3
    assert told(store) == before
    assert not any(day.samples for name, day in store.manifest().days.items() if name < "2025-12-11")


CELLS = st.lists(
    st.one_of(
        st.none(),
        st.tuples(st.integers(1, 9), st.integers(1, 5), *(st.floats(-1e6, 1e6, width=32) for _ in range(5))),
    ),
    min_size=24, max_size=24,
)  # fmt: skip


@given(CELLS, st.integers(0, 23))
@settings(max_examples=60, deadline=None)
def test_hours_are_what_their_slots_say(cells: list[Any], hour: int) -> None:
    """Two hours of a day with slots of every kind, against the plain reading of what each column means."""
    slots: list[Any] = [None] * SLOTS
    slots[hour * 12 : hour * 12 + 12] = cells[:12]
    other = (hour + 5) % 24
    slots[other * 12 : other * 12 + 12] = cells[12:]
    nan = float("nan")
    names = ("count", "series", "min", "max", "mean", "last", "top")
    row: dict[str, Any] = {
        name: [(0 if place < 2 else nan) if slot is None else slot[place] for slot in slots]
        for place, name in enumerate(names)
    }
    row["total"] = [nan if slot is None else slot[1] * slot[6] for slot in slots]
    head = {"slice": 3, "cluster": "c", "job": "j", "scope": "task", "task": "t", "operator": "", "metric": "m"}
    table = pa.Table.from_pylist([{**head, "name": "t", "day": date(2026, 1, 1), "step": 300, **row}], schema=ROLLUPS)
    aged = hourly(table).to_pylist()[0]
    assert aged["step"] == HOUR
    for at in range(24):
        within = [slot for slot in slots[at * 12 : at * 12 + 12] if slot is not None]
        assert aged["count"][at] == sum(slot[0] for slot in within)
        assert aged["series"][at] == max((slot[1] for slot in within), default=0)
        if not within:
            assert all(np.isnan(aged[name][at]) for name in ("min", "max", "mean", "last", "top", "total"))
            continue
        assert aged["min"][at] == min(slot[2] for slot in within)
        assert aged["max"][at] == max(slot[3] for slot in within)
        mean = sum(slot[0] * slot[4] for slot in within) / sum(slot[0] for slot in within)
        assert aged["mean"][at] == pytest.approx(mean, rel=1e-5, abs=1)
        assert aged["last"][at] == within[-1][5]
        assert aged["top"][at] == max(slot[6] for slot in within)
        total = sum(np.float32(slot[1] * slot[6]) for slot in within) / len(within)
        assert aged["total"][at] == pytest.approx(total, rel=1e-5, abs=1)
