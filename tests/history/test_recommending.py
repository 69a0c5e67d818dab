"""Recommendations, from observations made by hand, from histories with known truth, and from a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.pipeline.read_store import read_groups
from flink_flint.calculators.history.pipeline.reducing import reduce_day
from flink_flint.calculators.history.pipeline.staging import Staging
from flink_flint.calculators.history.recommend.evidence import Figure
from flink_flint.calculators.history.recommend.expected_demand import coarser, expected, scored, weekly_peak
from flink_flint.calculators.history.recommend.process_sizes import agreed
from flink_flint.calculators.history.recommend.recommend_jobs import METRICS, TIME_SERIES, recommend
from flink_flint.calculators.history.recommend.recommend_store import (
    merged,
    pieces_of,
    recommend_slice,
    recommend_store,
)
from flink_flint.calculators.history.recommend.recommendation import Missing, Plan, Recommendation
from flink_flint.calculators.history.samples import JOB, JOBMANAGER, OPERATOR, TASKMANAGER, Record
from flink_flint.calculators.history.store.layout import Store
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.taskmanager import taskmanager
from flink_flint.linter.flink.releases import NEWEST, release_at
from tests.history.generator import ENRICH, WINDOW, generate, jobs_of, truth
from tests.history.observations import CLUSTER, START, seen
from tests.history.stores import put

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flink_flint.calculators.history.pipeline.read_store import Groups

MIB = 1 << 20
SLOTS = 14 * 288


def rows(*observed: Any, settings: dict[str, str] | None = None, **plan: Any) -> list[Recommendation]:
    given = {"": settings} if settings else {}
    found = list(recommend(observed, [], Plan(given=given, **plan)))
    return [one for one in found if isinstance(one, Recommendation)]


def row(key: str, *observed: Any, settings: dict[str, str] | None = None, **plan: Any) -> Recommendation:
    found = [one for one in rows(*observed, settings=settings, **plan) if one.key == key]
    assert len(found) == 1, found
    return found[0]


def durations(seconds: float, days: int = 14) -> Any:
    return seen("lastCheckpointDuration", np.full(days * 288, seconds * 1000), scope=JOB, step=300)


def heap(live: float, days: int = 14) -> list[Any]:
    return [
        seen("Status.JVM.Memory.Heap.Used", np.full(days * 288, live * 2), scope=TASKMANAGER, step=300),
        seen("heapLiveSet", np.full(days * 144, live), scope=TASKMANAGER, step=600),
    ]


INTERVAL, TIMEOUT = "execution.checkpointing.interval", "execution.checkpointing.timeout"
PROCESS = "taskmanager.memory.process.size"
DEFAULT = "parallelism.default"


def test_a_value_that_is_too_small_is_raised_with_evidence_and_reason() -> None:
    found = row(INTERVAL, durations(47.3), settings={INTERVAL: "60 s"})
    assert (found.current, found.severity, found.direction, found.unit) == (60, "raise", 1, "seconds")
    assert found.recommended >= 2 * 47.3
    assert (found.current_text, found.job, found.operator) == ("1 min", "orders", "")
    assert found.evidence["statistic"] == "p99"
    assert found.evidence["value"] == pytest.approx(47.3, rel=0.01)
    assert found.evidence["from"] == "2025-11-20T00:00:00Z"
    assert found.evidence["days"] == 14
    assert "47" in found.reason
    assert found.confidence == "high"


def test_a_change_below_ten_percent_is_none() -> None:
    found = row(INTERVAL, durations(31), settings={INTERVAL: "60 s"})
    assert (found.severity, found.recommended, found.direction) == ("ok", 60, 0)


def test_a_short_history_is_of_low_confidence_and_says_so() -> None:
    low, medium, high = (row(INTERVAL, durations(47, days), settings={INTERVAL: "60 s"}) for days in (2, 10, 20))
    assert (low.confidence, medium.confidence, high.confidence) == ("low", "medium", "high")
    assert any("less than a week" in one for one in low.evidence["notes"])
    assert not any("less than a week" in one for one in high.evidence["notes"])


def test_without_a_configuration_the_present_value_is_unset() -> None:
    every = seen("rate(numberOfCompletedCheckpoints)", np.full(SLOTS, 1 / 3600), scope=JOB, step=300)
    found = row(TIMEOUT, durations(900), every)
    assert (found.current, found.severity, found.current_text) == (None, "unset", "")


def test_memory_shrinks_by_no_more_than_forty_percent_a_step() -> None:
    found = row(PROCESS, *heap(200 * MIB), settings={PROCESS: "16gb"})
    assert found.severity == "lower"
    assert 0.6 * (16 << 30) <= found.recommended <= 0.6 * (16 << 30) + 64 * MIB
    assert "40%" in found.reason


def test_memory_is_not_lowered_by_what_was_seen_for_less_than_a_day() -> None:
    brief = [
        seen("Status.JVM.Memory.Heap.Used", np.full(144, 400.0 * MIB), scope=TASKMANAGER, step=300),
        seen("heapLiveSet", np.full(72, 200.0 * MIB), scope=TASKMANAGER, step=600),
    ]
    found = rows(*brief, settings={PROCESS: "16gb"})
    assert [one.severity for one in found if one.key == PROCESS] == ["ok"]
    assert not [one for one in found if one.severity == "lower"]


def test_what_must_go_beside_a_value_is_named() -> None:
    found = row(PROCESS, *heap(2000 * MIB), settings={"taskmanager.memory.flink.size": "1gb"})
    assert found.severity == "raise"
    assert "taskmanager.memory.flink.size" in found.remove


def test_the_largest_vertex_sets_the_default_parallelism() -> None:
    def vertex(task: str, rate: float) -> list[Any]:
        return [
            seen("numRecordsInPerSecond", np.full(SLOTS, rate), task=task, step=300),
            seen("trueProcessingRate.vertex", np.full(SLOTS, 1000.0), task=task, step=300),
        ]

    found = {one.operator: one for one in rows(*vertex("small", 100), *vertex("large", 900))}
    assert found["large"].key == "parallelism.default"
    assert found["small"].key == "parallelism.vertex"


def test_too_little_data_is_missing_and_says_what() -> None:
    found = list(recommend([seen("lastCheckpointDuration", np.full(30, 1.0), scope=JOB)], [], Plan()))
    assert [type(one) for one in found] == [Missing]
    assert "30 samples" in found[0].reason


def test_only_the_calculators_jobs_and_clusters_asked_for_are_answered() -> None:
    observed = [durations(47), *heap(500 * MIB)]
    settings = {INTERVAL: "60 s", PROCESS: "2gb"}
    assert {one.calculator for one in rows(*observed, settings=settings, calculators=("checkpoint",))} == {"checkpoint"}
    assert not [one for one in rows(*observed, settings=settings, jobs=("nobody",)) if one.calculator == "checkpoint"]
    assert rows(*observed, settings=settings, cluster="elsewhere") == []


def test_recorded_settings_and_topology_count() -> None:
    records = [
        Record("configuration", CLUSTER, "", "", 1, {INTERVAL: "60 s"}),
        Record("topology", CLUSTER, "orders", "a", 1, {"vertices": [
            {"id": "1", "name": "map", "parallelism": 7, "max_parallelism": 128, "inputs": []}]}),
    ]  # fmt: skip
    vertex = [
        seen("numRecordsInPerSecond", np.full(SLOTS, 500.0), step=300),
        seen("trueProcessingRate.vertex", np.full(SLOTS, 1000.0), step=300),
    ]
    found = {one.key: one for one in recommend([durations(47), *vertex], records, Plan())
             if isinstance(one, Recommendation)}  # fmt: skip
    assert found[INTERVAL].current == 60
    assert found["parallelism.default" if "parallelism.default" in found else "parallelism.vertex"].current == 7


def test_rows_are_plain_json() -> None:
    found = rows(durations(47), *heap(500 * MIB), settings={INTERVAL: "60 s", PROCESS: "2gb"})
    assert found
    for one in found:
        assert json.loads(json.dumps(one.as_json(), allow_nan=False))["key"] == one.key


# -- what stands side by side


def vertex(task: str, rate: float, true: float = 1000.0, subtasks: int = 1) -> list[Any]:
    return [
        seen("numRecordsInPerSecond", np.full((subtasks, SLOTS), rate / subtasks), task=task, step=300),
        seen("trueProcessingRate.vertex", np.full(SLOTS, true), task=task, step=300),
    ]


def test_the_vertices_with_the_default_share_one_value_of_it() -> None:
    found = rows(*vertex("small", 100, subtasks=5), *vertex("large", 1300, 4000.0, 5), settings={DEFAULT: "5"})
    assert {(one.key, one.recommended) for one in found} == {(DEFAULT, 3)}
    assert "uses the value of large" in next(one.reason for one in found if one.operator == "small")


def test_a_vertex_is_not_made_smaller_than_the_slots_of_the_job() -> None:
    found = {one.operator: one for one in rows(*vertex("small", 100, subtasks=2), *vertex("large", 1900, subtasks=2))}
    assert (found["large"].key, found["large"].severity) == (DEFAULT, "raise")
    assert (found["small"].severity, found["small"].recommended) == ("ok", 2)
    assert "1 would be enough" in found["small"].reason


def test_a_vertex_that_waits_for_a_service_is_not_made_smaller_by_its_busy_time() -> None:
    async_ = {"scope": OPERATOR, "task": "enrich", "operator": "async enrich", "step": 300}
    found = rows(
        *vertex("enrich", 100, 100_000.0, subtasks=4),
        seen("inFlight", np.full(SLOTS, 8.0), **async_),  # type: ignore[arg-type]
    )
    assert [(one.recommended, one.severity) for one in found if one.operator == "enrich"] == [(4, "ok")]


def test_a_rate_without_a_full_queue_is_no_limit_of_the_service() -> None:
    async_ = {"scope": OPERATOR, "task": "enrich", "operator": "async enrich", "step": 300}
    found = row(
        "async-io.capacity",
        seen("numRecordsInPerSecond", np.full(SLOTS, 500.0), **async_),  # type: ignore[arg-type]
        seen("inFlight", np.full(SLOTS, 50.0), **async_),  # type: ignore[arg-type]
        seen("inFlightTime", np.full(SLOTS, 100.0), **async_),  # type: ignore[arg-type]
        seen("serviceRate", np.full(40, 510.0), **async_),  # type: ignore[arg-type]
    )
    assert found.recommended > 510 * 0.1 * 2
    assert found.confidence == "medium"
    assert "at most" not in found.reason


def state_in_rocksdb(states: int) -> list[Any]:
    operator = {"scope": OPERATOR, "operator": "aggregate", "step": 300}
    return [
        seen("rocksdb.block-cache-usage", np.full((states, SLOTS), 1e7), **operator),  # type: ignore[arg-type]
        seen("numRecordsIn", np.full(SLOTS, 1.0), **operator),  # type: ignore[arg-type]
    ]


def of_a_store(*observed: Any, settings: dict[str, str] | None = None) -> dict[str, Recommendation]:
    """By key, what a store of one job would recommend."""
    found = rows(*observed, settings=settings)
    result = {"recommendations": [list(one) for one in found], "missing": [], "jobs": [(CLUSTER, "orders", "orders")],
              "clusters": [CLUSTER]}  # fmt: skip
    told = merged("store", ["2025-11-20"], Plan(given={"": settings} if settings else {}), [result]).recommendations
    assert len({one.key for one in told}) == len(told)
    return {one.key: one for one in told}


MANAGED = "taskmanager.memory.managed.size"


@pytest.mark.parametrize("settings", [None, {"taskmanager.memory.process.size": "2gb"}])
def test_a_process_has_room_for_what_rocksdb_wants_in_it(settings: dict[str, str] | None) -> None:
    observed = [*heap(500 * MIB), *state_in_rocksdb(100)]
    alone = next(one for one in rows(*observed, settings=settings) if one.key == PROCESS)
    found = of_a_store(*observed, settings=settings)
    managed = found[MANAGED].recommended
    assert managed >= 100 * 32 * MIB
    assert found[PROCESS].recommended > max(alone.recommended, managed + 500 * MIB)
    assert "managed memory for orders" in found[PROCESS].reason
    # The effective value is reported.
    set_now = {key: found[key].recommended_text for key in (PROCESS, MANAGED)}
    memory = taskmanager(Configuration(set_now, release_at(NEWEST), yaml=False))
    assert memory.task_heap >= 500 * MIB


def test_of_two_calculators_that_size_one_option_the_one_that_wants_more_counts() -> None:
    rows_ = rows(*heap(500 * MIB), settings={PROCESS: "2gb"})
    one = next(row for row in rows_ if row.key == PROCESS)
    more = one._replace(calculator="network-buffers", job="other", recommended=one.recommended * 2)
    assert agreed([one, more], release_at(NEWEST)) == [more]
    assert agreed([more, one], release_at(NEWEST)) == [more]


def test_the_reason_begins_with_what_was_seen_not_with_the_name_of_a_metric() -> None:
    found = rows(durations(47.3), *heap(500 * MIB), *vertex("large", 900), settings={INTERVAL: "60 s", PROCESS: "2gb"})
    assert {one.reason.partition(":")[0] for one in found} == {
        "Time of a checkpoint", "Heap still in use after collections, of the fullest process",
        "Records that reach the vertex",
    }  # fmt: skip
    assert all(one.evidence["metric"] for one in found)
    assert all(one.unit for one in found)


def test_a_catch_up_is_judged_by_all_of_the_history_that_was_looked_at_for_it() -> None:
    source = {"task": "source", "step": 300}
    found = row(
        "catch-up.time",
        seen("numRecordsOutPerSecond.vertex.steady", np.full(SLOTS, 100.0), **source),  # type: ignore[arg-type]
        seen("numRecordsOutPerSecond.vertex.catchup", np.full(5, 307.0), **source),  # type: ignore[arg-type]
    )
    assert found.confidence == "medium"
    assert found.recommended == float(f"{found.recommended:.2g}")
    assert not any("less than a week" in one for one in found.evidence["notes"])


# -- what the next day demands


def sine(days: int, *, weekly: float = 0.0, step: int = 1800) -> Demand:
    times = START + np.arange(0, days * 86_400, step)
    values = 100 * (1 + 0.3 * np.sin(times / 86_400 * 2 * np.pi))
    # A batch comes in every week, in the hour before the same midnight.
    values = values + np.where((times // 3600) % 168 == 95, weekly, 0.0)
    return Demand(times.astype(np.int64), values)


def figure_of(demand: Demand, days: float) -> Any:
    peak = float(demand.values.max())
    return Figure("rate", "p95", peak, peak, len(demand), days, int(demand.times[0]) * 1000, demand.end * 1000)


def test_an_hour_that_comes_back_every_week_raises_the_need() -> None:
    quiet, batch = sine(21), sine(21, weekly=900)
    need = expected(quiet, figure_of(quiet, 21), "elastic")
    raised = expected(batch, figure_of(batch, 21), "elastic")
    assert need.figure.value < 200
    assert raised.figure.value > 900
    season = weekly_peak(batch)
    assert season is not None
    assert season.weeks >= 2


def test_what_came_once_is_no_season_and_two_weeks_are_needed() -> None:
    once = sine(21)
    once.values[700] = 5000
    season = weekly_peak(once)
    assert season is not None
    assert season.value < 200
    assert weekly_peak(sine(13)) is None


def test_a_history_too_short_to_learn_from_gets_its_peak_with_a_wide_margin() -> None:
    short = sine(1)
    need = expected(short, figure_of(short, 1), "safe")
    assert need.figure.value == pytest.approx(1.4 * short.values.max())


def test_a_method_is_scored_on_its_own_series() -> None:
    steady = scored(sine(14), "safe")
    assert steady is not None
    assert (steady.over, steady.lag, steady.days) == (0, 0, 4)
    assert scored(sine(1), "safe") is None


@given(st.integers(2, 20), st.sampled_from((1, 2, 3, 4, 5, 6, 10, 12)))
def test_a_coarser_course_keeps_its_mean(slots: int, each: int) -> None:
    times = np.arange(slots * each, dtype=np.int64) * (3600 // each)
    demand = Demand(times, np.arange(slots * each, dtype=np.float64))
    assert coarser(demand, 3600).values.mean() == pytest.approx(demand.values.mean())


# -- known truth


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Groups:
    """Three generated jobs over sixteen days, as a store would hold them."""
    folder = tmp_path_factory.mktemp("history")
    staging = Staging(str(folder / "staged"), "canonical-csv")
    staging.take(generate(JOBS, DAYS, 1, 300))
    staging.flush()
    files: dict[str, list[str]] = {}
    for one in staging.written:
        files.setdefault(one.day, []).append(one.path)
    tables: dict[str, list[str]] = {"histograms": [], "rollups": []}
    for day, paths in sorted(files.items()):
        written = reduce_day(day, paths, range(16), str(folder / day))["files"]
        for name, found in tables.items():
            found.append(written[name][0])
    return read_groups(
        tables["histograms"], tables["rollups"], range(16), (min(files), max(files)), half_life=2.0, metrics=METRICS,
        time_series=TIME_SERIES,
    )  # fmt: skip


JOBS, DAYS = 4, 16


@pytest.mark.slow
def test_recommendations_come_near_the_truth(history: Groups) -> None:
    found = [one for one in recommend(history.values(), [], Plan()) if isinstance(one, Recommendation)]
    for job in jobs_of(JOBS, DAYS, 1, step=300):
        known = truth(job)
        mine = {(one.operator, one.key.rpartition(".")[0] or one.key, one.key): one for one in found
                if one.cluster == job.name}  # fmt: skip
        window = next(one for (operator, _, key), one in mine.items() if operator == WINDOW and "parallelism" in key)
        # Room for a restart and an even share of key groups come on top of the truth, never below it.
        assert known.needed_parallelism <= window.recommended <= 2 * known.needed_parallelism, job.name
        assert window.evidence["inputs"]["true_rate"]["value"] == pytest.approx(known.vertex_rate, rel=0.03)
        capacity = next(one for (operator, _, key), one in mine.items() if key == "async-io.capacity")
        assert capacity.operator == ENRICH
        assert 2 * job.threads * 0.85 <= capacity.recommended <= 2 * job.threads * 3, job.name
        if capacity.current is not None:
            assert capacity.current == pytest.approx(job.capacity, rel=0.02)
        timeout = next(one for (_, _, key), one in mine.items() if key == "async-io.timeout")
        assert timeout.recommended >= capacity.recommended / job.threads * job.latency
        interval = next(one for (_, _, key), one in mine.items() if key == INTERVAL)
        assert interval.evidence["value"] == pytest.approx(known.checkpoint_p99, rel=0.05)
        assert interval.current == pytest.approx(job.interval, rel=0.02)
        memory = next(one for (_, _, key), one in mine.items() if key == PROCESS)
        assert known.live_set <= memory.evidence["value"] <= 1.25 * known.live_set
        assert memory.evidence["method_score"]["U"] == 0


@pytest.mark.slow
def test_the_same_history_gives_the_same_rows(history: Groups) -> None:
    first = list(recommend(history.values(), [], Plan()))
    again = list(recommend(reversed(list(history.values())), [], Plan()))
    assert first == again


# -- a store


@pytest.fixture(scope="module")
def store(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two generated jobs over three days, imported."""
    found = Store(str(tmp_path_factory.mktemp("stores") / "store"))
    put(spark, found, *generate(2, 3, 1, 300))
    return found


@pytest.mark.slow
def test_a_store_recommends_capacity_and_timeout_of_its_async_jobs(spark: SparkSession, store: Store) -> None:
    found = recommend_store(lambda: spark, store, Plan())
    keys = {one.key for one in found.recommendations}
    assert {"async-io.capacity", "async-io.timeout"} <= keys
    plain = found.as_json()
    assert plain["version"] == 1
    assert set(plain["window"]) == {"from", "to"}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    contract = {
        "job",
        "operator",
        "calculator",
        "key",
        "current",
        "recommended",
        "unit",
        "evidence",
        "confidence",
        "reason",
    }
    assert all(contract <= set(one) for one in plain["recommendations"])


@pytest.mark.slow
def test_slices_give_what_the_whole_gives_in_one_order(store: Store) -> None:
    manifest = store.manifest()
    days = list(manifest.days)
    pieces = pieces_of(store, manifest, days, Plan())
    results = [json.loads(json.dumps(one)) for piece in pieces for one in recommend_slice(piece)]
    forwards, backwards = (merged(store.path, days, Plan(), order) for order in (results, results[::-1]))
    assert forwards == backwards
    assert forwards.recommendations
    assert forwards.jobs == sorted(forwards.jobs)


@pytest.mark.slow
def test_a_job_or_cluster_nobody_knows_is_refused_with_those_there_are(store: Store) -> None:
    manifest = store.manifest()
    days = list(manifest.days)

    def run(**plan: Any) -> None:
        results = [one for piece in pieces_of(store, manifest, days, Plan(**plan)) for one in recommend_slice(piece)]
        merged(store.path, days, Plan(**plan), results)

    with pytest.raises(ValueError, match=r"has no job 'nobody'; it has job-00"):
        run(jobs=("nobody",))
    with pytest.raises(ValueError, match=r"has no cluster 'elsewhere'; it has job-00"):
        run(cluster="elsewhere")


@pytest.mark.parametrize(("count", "more"), [(0, "none"), (2, "c00, c01"), (10, "c08, c09"), (12, "c09 and 2 more")])
def test_the_clusters_that_there_are_are_listed_up_to_a_limit(count: int, more: str) -> None:
    clusters = [f"c{number:02d}" for number in range(count)]
    result = {"recommendations": [], "missing": [], "jobs": [], "clusters": clusters}
    with pytest.raises(ValueError, match="has no cluster 'x'; it has ") as error:
        merged("store", ["2026-01-01"], Plan(cluster="x"), [result])
    assert str(error.value).endswith(more)


def test_an_empty_store_says_how_to_fill_it(spark: SparkSession, tmp_path: Path) -> None:
    empty = Store(str(tmp_path / "store"))
    empty.create()
    with pytest.raises(ValueError, match="flint history import"):
        recommend_store(lambda: spark, empty, Plan())


def test_the_only_job_of_a_cluster_is_whom_its_processes_are_for() -> None:
    one = rows(*heap(500 * MIB), settings={PROCESS: "16gb"})
    result = {
        "recommendations": [list(row) for row in one],
        "missing": [],
        "jobs": [(CLUSTER, "orders", "orders")],
        "clusters": [CLUSTER],
    }
    found = merged("store", ["2025-11-20"], Plan(), [result])
    assert {row.job for row in found.recommendations} == {"orders"}
    two = merged("store", ["2025-11-20"], Plan(), [result | {"jobs": [(CLUSTER, "a", "a"), (CLUSTER, "b", "b")]}])
    assert {row.job for row in two.recommendations} == {""}


def test_unused_scopes_are_no_trouble() -> None:
    assert rows(seen("numRunningJobs", np.ones(600), scope=JOBMANAGER)) == []
    assert rows(seen("inFlight", np.ones(600), scope=OPERATOR, operator="x")) == []
