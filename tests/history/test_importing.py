"""Importing: duplicates, late data, several sources, bad rows, and the contents of the store afterwards."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from flink_flint.calculators.history.pipeline.importing import import_files
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.store.layout import Store
from tests.history.stores import DAY, DAY_MS, JOB, TASKMANAGER, batch, content, held, key, minutes, never, one, put

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def csv(path: Path, rows: list[str]) -> None:
    path.write_text("\n".join(["ts,metric,value,cluster,job,scope,task,subtask", *rows]) + "\n")


@pytest.mark.slow
def test_percentiles_of_a_store_are_exact_to_within_a_bucket(spark: SparkSession, store: Store) -> None:
    rng = np.random.default_rng(7)
    values = rng.lognormal(3, 2, (4, 1440))
    put(spark, store, batch(*((key("busyTimeMsPerSecond", subtask=n), minutes(1440), values[n]) for n in range(4))))
    observed = one(store, "busyTimeMsPerSecond")
    assert (observed.samples, observed.series, observed.minutes) == (4 * 1440, 4, 1439.0)
    for share in (0.5, 0.95, 0.99, 1.0):
        wanted = np.sort(values.ravel())[math.ceil(share * values.size) - 1]
        assert abs(observed.percentile(share) / wanted - 1) <= 0.01
    assert math.isclose(observed.mean, values.mean(), rel_tol=1e-9)


@pytest.mark.slow
def test_days_in_any_order_give_the_same_store(spark: SparkSession, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    days = [
        batch((key("busyTimeMsPerSecond"), minutes(300, DAY + n * DAY_MS), rng.random(300) * 1000)) for n in range(3)
    ]
    first, second = Store(str(tmp_path / "first")), Store(str(tmp_path / "second"))
    for one_day in days:
        put(spark, first, one_day)
    put(spark, second, *reversed(days))
    assert content(first) == content(second)
    assert held(first)[next(iter(held(first)))].percentile(0.9) == held(second)[next(iter(held(second)))].percentile(
        0.9
    )


@pytest.mark.slow
def test_the_same_import_twice_changes_nothing(spark: SparkSession, store: Store, tmp_path: Path) -> None:
    csv(tmp_path / "m.csv", [f"{DAY + n * 60000},busyTimeMsPerSecond,{n},prod,orders,task,map,0" for n in range(90)])
    first = import_files(lambda: spark, store, str(tmp_path / "m.csv"), Options())
    before, number = content(store), store.manifest().number
    second = import_files(never, store, str(tmp_path / "m.csv"), Options())
    again = import_files(lambda: spark, store, str(tmp_path / "m.csv"), Options(), again=True)
    assert (first.samples, first.days) == (90, ["2025-11-20"])
    assert (second.samples, second.skipped, second.days) == (0, 1, [])
    assert (again.samples, again.days, again.unchanged) == (90, [], 1)
    assert content(store) == before
    assert store.manifest().number == number


@pytest.mark.slow
def test_late_data_reopens_its_day_and_joins_what_is_there(spark: SparkSession, tmp_path: Path) -> None:
    whole = (key("numRecordsInPerSecond"), minutes(600), np.arange(600.0))
    early = (whole[0], whole[1][:200], whole[2][:200])
    later = (whole[0], whole[1][400:], whole[2][400:])
    late = (whole[0], whole[1][150:450], whole[2][150:450])
    pieces, at_once = Store(str(tmp_path / "pieces")), Store(str(tmp_path / "whole"))
    put(spark, pieces, batch(early))
    put(spark, pieces, batch(later))
    told = put(spark, pieces, batch(late))
    put(spark, at_once, batch(whole))
    assert (told.days, told.duplicates) == (["2025-11-20"], 100)
    assert content(pieces) == content(at_once)


def test_a_sample_imported_again_with_another_value_is_replaced(spark: SparkSession, store: Store) -> None:
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(100), np.full(100, 5.0))))
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(50), np.full(50, 7.0))))
    assert one(store, "busyTimeMsPerSecond").total == 50 * 7 + 50 * 5


@pytest.mark.slow
def test_of_two_sources_the_preferred_one_counts(spark: SparkSession, store: Store) -> None:
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(100), np.full(100, 5.0))), source="statsd")
    told = put(
        spark, store, batch((key("busyTimeMsPerSecond"), minutes(100), np.full(100, 9.0))), source="canonical-parquet"
    )
    assert told.shadowed == 100
    observed = one(store, "busyTimeMsPerSecond")
    assert (observed.samples, observed.peak, observed.least) == (100, 9.0, 9.0)


def test_sources_that_spell_a_job_differently_meet(spark: SparkSession, store: Store) -> None:
    put(spark, store, batch((key("busyTimeMsPerSecond", job="a-b (1)"), minutes(90), np.ones(90))))
    put(spark, store, batch((key("numRecordsInPerSecond", job="a_b__1_"), minutes(90), np.ones(90))))
    groups = held(store)
    assert {group.job for group in groups} == {"a_b__1_"}
    assert {observed.name for observed in groups.values() if observed.group.metric == "busyTimeMsPerSecond"} == {"map"}


def test_counters_become_rates_and_a_reset_begins_anew(spark: SparkSession, store: Store) -> None:
    values = np.concatenate([np.arange(0, 6000, 60.0), np.arange(0, 6000, 60.0)])
    put(spark, store, batch((key("numRecordsIn", counter=True), minutes(200), values)))
    rate, grown = one(store, "rate(numRecordsIn)"), one(store, "numRecordsIn")
    assert grown.total == 2 * 99 * 60
    assert math.isclose(rate.percentile(0.5), 1.0, rel_tol=0.01)
    assert rate.least == 0.0


def test_an_attempt_after_a_restart_is_the_same_subtask(spark: SparkSession, store: Store) -> None:
    put(
        spark, store,
        batch(
            (key("numRecordsIn", counter=True, attempt=0), minutes(60), np.arange(60) * 600.0),
            (key("numRecordsIn", counter=True, attempt=1), minutes(60, DAY + 70 * 60_000), np.arange(60) * 600.0),
        ),
    )  # fmt: skip
    observed = one(store, "rate(numRecordsIn)", time_series=("rate(numRecordsIn)",))
    assert observed.series == 1
    assert observed.time_series is not None
    assert observed.time_series.series.max() == 1
    assert math.isclose(float(observed.time_series.total.max()), 10.0, rel_tol=1e-6)


def test_what_is_no_value_is_left_out_and_counted(spark: SparkSession, store: Store) -> None:
    busy = np.where(np.arange(100) % 2, np.nan, 100.0)
    size = np.where(np.arange(100) < 10, -1.0, 5000.0)
    told = put(
        spark, store,
        batch(
            (key("busyTimeMsPerSecond"), minutes(100), busy),
            (key("lastCheckpointSize", JOB), minutes(100), size),
        ),
    )  # fmt: skip
    assert told.absent == 60
    assert one(store, "busyTimeMsPerSecond").samples == 50
    assert one(store, "lastCheckpointSize").least == 5000.0


def test_clock_jumps_and_disorder_do_no_harm(spark: SparkSession, store: Store) -> None:
    times = minutes(200)
    order = np.random.default_rng(3).permutation(200)
    jumped = np.concatenate([times[order], times[:50]])
    values = np.concatenate([order.astype(float), np.arange(50.0)])
    told = put(spark, store, batch((key("numRecordsInPerSecond"), jumped, values)))
    observed = one(store, "numRecordsInPerSecond")
    assert (told.duplicates, observed.samples, observed.total, observed.last) == (50, 200, 199 * 100, 199.0)


def test_samples_around_midnight_go_to_their_days(spark: SparkSession, store: Store) -> None:
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(120, DAY + DAY_MS - 60 * 60_000), np.ones(120))))
    assert {day: held_.count for day, held_ in store.manifest().days.items()} == {"2025-11-20": 60, "2025-11-21": 60}


def test_infinite_values_are_counted_apart(spark: SparkSession, store: Store) -> None:
    values = np.concatenate([np.ones(99), [np.inf]])
    put(spark, store, batch((key("currentEmitEventTimeLag"), minutes(100), values)))
    observed = one(store, "currentEmitEventTimeLag")
    assert observed.percentile(1.0) == math.inf
    assert math.isclose(observed.percentile(0.99), 1.0, rel_tol=0.01)
    assert observed.mean == pytest.approx(0.99)


def test_the_largest_process_shows_in_the_course(spark: SparkSession, store: Store) -> None:
    lines = [
        (key("Status.JVM.Memory.Heap.Used", TASKMANAGER, tm=f"tm-{n}"), minutes(60), np.full(60, 100.0 * (n + 1)))
        for n in range(3)
    ]
    put(spark, store, batch(*lines))
    time_series = one(store, "Status.JVM.Memory.Heap.Used", time_series=("Status.JVM.Memory.Heap.Used",)).time_series
    assert time_series is not None
    assert (time_series.top.max(), time_series.total.max()) == (300, 600)
    assert (time_series.series.max(), len(time_series.times)) == (3, 12)


def test_bad_rows_are_kept_aside_with_their_place_and_counted(
    spark: SparkSession, store: Store, tmp_path: Path
) -> None:
    good = [f"{DAY + n * 60000},busyTimeMsPerSecond,{n},prod,orders,task,map,0" for n in range(70)]
    csv(tmp_path / "m.csv", [*good, f"{DAY},busyTimeMsPerSecond,many,prod,orders,task,map,0"])
    told = import_files(lambda: spark, store, str(tmp_path / "m.csv"), Options())
    assert told.samples == 70
    assert told.bad == {"value is not a number": 1}
    kept = [
        json.loads(line)
        for file in store.manifest().quarantine
        for line in gzip.decompress(Path(store.at(file.path)).read_bytes()).splitlines()
    ]
    assert [row["where"].rpartition(":")[2] for row in kept] == ["72"]
    assert "many" in kept[0]["text"]


def test_a_truncated_parquet_file_is_named_and_the_others_count(
    spark: SparkSession, store: Store, tmp_path: Path
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(
        {
            "ts": pa.array(minutes(100), pa.timestamp("ms", "UTC")),
            "metric": ["taskSlotsTotal"] * 100,
            "value": [4.0] * 100,
        }
    )
    source = tmp_path / "in"
    source.mkdir()
    parquet.write_table(table, source / "whole.parquet")
    whole = (source / "whole.parquet").read_bytes()
    (source / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    told = import_files(lambda: spark, store, str(source), Options())
    assert told.samples == 100
    assert told.bad == {"the file cannot be read": 1}


def test_nothing_to_read_is_said_with_what_was_found(spark: SparkSession, store: Store, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("buy milk\n")
    with pytest.raises(ValueError, match=r"contains no metrics that flint can read; .*notes.txt has an unknown format"):
        import_files(lambda: spark, store, str(tmp_path / "notes.txt"), Options())
    with pytest.raises(ValueError, match="no such file or folder"):
        import_files(lambda: spark, store, str(tmp_path / "none"), Options())


def test_a_frame_of_canonical_rows_can_be_imported(spark: SparkSession, store: Store) -> None:
    from flink_flint.calculators.history.pipeline.importing import import_frame

    frame = spark.range(0, 200, 1, 2).selectExpr(
        f"timestamp_millis({DAY} + id * 60000) as ts", "'taskSlotsAvailable' as metric", "cast(id as double) as value",
        "'prod' as cluster",
    )  # fmt: skip
    told = import_frame(store, frame, "prometheus", "http://prometheus")
    assert (told.samples, one(store, "taskSlotsAvailable").peak) == (200, 199.0)
