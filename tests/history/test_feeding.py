"""What calculators are fed with, against histories whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.current_configuration import CurrentConfiguration, overlaid, recorded
from flink_flint.calculators.history.recommend.evidence import Job, Processes, gathered
from flink_flint.calculators.history.recommend.feeds import async_operators as async_io
from flink_flint.calculators.history.recommend.feeds import checkpoints, clusters, jobs
from flink_flint.calculators.history.recommend.feeds import vertices as parallelism
from flink_flint.calculators.history.recommend.fill_inputs import (
    Fed,
    Lacking,
    Surroundings,
    Vertex,
    run_calculator,
    statistic,
    supplied,
)
from flink_flint.calculators.history.samples import JOB, JOBMANAGER, OPERATOR, TASK, TASKMANAGER, Record
from flink_flint.linter.flink.releases import NEWEST, release_at
from tests.history.observations import CLUSTER, around, evidence, seen

DAY = 24 * 60
WEEKS = 14
"""Days of most histories here, a sample every five minutes."""
SLOTS = WEEKS * 288
NEWEST_RELEASE = release_at(NEWEST)
MIB = 1 << 20


def job_of(*observed: Observed) -> Job:
    return gathered(observed).jobs[0]


def processes_of(*observed: Observed) -> Processes:
    return gathered(observed).processes[0]


def only(found: Iterator[Fed | Lacking]) -> Fed:
    fed = list(found)
    assert len(fed) == 1, fed
    assert isinstance(fed[0], Fed), fed
    return fed[0]


def lacking(found: Iterator[Fed | Lacking]) -> str:
    fed = list(found)
    assert len(fed) == 1, fed
    assert isinstance(fed[0], Lacking), fed
    return fed[0].reason


def day_of(base: float, *, days: int = WEEKS, seed: int = 1) -> np.ndarray:  # type: ignore[type-arg]
    """A rate that is half as much again at its daily peak, with some noise, every five minutes."""
    times = np.arange(days * 288)
    noise = np.random.default_rng(seed).normal(1, 0.02, len(times))
    return np.asarray(base * (1 + 0.5 * np.sin(times / 288 * 2 * np.pi)) * noise)


@pytest.mark.parametrize(
    ("metric", "raw", "name", "value"),
    [
        ("busyTimeMsPerSecond", 250.0, "mean", 0.25),
        ("millisBehindLatest", 1500.0, "max", 1.5),
        ("restartingTime", 4000.0, "max", 4.0),
        ("lastCheckpointDuration", 42_000.0, "p99", 42.0),
        ("checkpointAlignmentTime", 3e9, "p99", 3.0),
        ("checkpointStartDelayNanos", 5e8, "p99", 0.5),
        ("Status.Shuffle.Netty.RequestedMemoryUsage", 85.0, "p99", 85.0),
        ("lastCheckpointFullSize", 1e9, "max", 1e9),
    ],
)
def test_metrics_come_in_the_units_of_calculators(metric: str, raw: float, name: str, value: float) -> None:
    found = statistic(evidence(seen(metric, np.full(10 * DAY, raw))), metric, name)
    assert found is not None
    assert found.value == pytest.approx(value, rel=0.006)


def test_inputs_are_supplied_as_they_declare_it() -> None:
    way = calculator("checkpoint").forward
    told = supplied(
        way,
        [evidence(seen("lastCheckpointDuration", np.full(10 * DAY, 2000.0), scope=JOB))],
    )
    assert told["duration"].value == pytest.approx(2.0, rel=0.006)
    assert set(told) == {"duration"}


# -- async I/O


def async_job(
    *, rate: float = 200.0, call: float = 0.04, threads: int = 25, capacity: int = 1000, full: bool = True
) -> Job:
    """An async operator of one subtask whose service answers `threads / call` records a second."""
    service = threads / call
    usual = day_of(rate)
    flying = usual * call
    if full:
        flying = np.concatenate([flying, capacity + np.arange(40) % 3])
    operator = {"scope": OPERATOR, "task": "enrich", "operator": "enrich", "step": 300}
    found = [
        seen("numRecordsInPerSecond", usual, **operator),  # type: ignore[arg-type]
        seen("numRecordsInPerSecond.steady", usual, **operator),  # type: ignore[arg-type]
        seen("inFlight", flying, **operator),  # type: ignore[arg-type]
        seen("inFlightTime", np.full(SLOTS, call * 1000), **operator),  # type: ignore[arg-type]
    ]
    if full:
        found.append(seen("serviceRate", np.full(40, service), **operator))  # type: ignore[arg-type]
        found.append(seen("numRecordsInPerSecond.catchup", np.full(40, service), **operator))  # type: ignore[arg-type]
    return job_of(*found)


def test_a_full_queue_tells_the_capacity_in_force_and_its_service_the_threads() -> None:
    fed = only(async_io.feed(async_job(), around()))
    assert fed.wanted[0].current == 1000
    assert fed.given["limit"] == pytest.approx(25, abs=1)
    assert fed.given["mean_latency"] == pytest.approx(0.04, rel=0.02)
    capacity = async_io.capacity_of(run_calculator(fed).answer)
    assert 50 <= capacity <= 55  # two records for each of 25 threads


def test_the_timeout_covers_a_full_queue() -> None:
    slow = only(async_io.feed(async_job(call=1.0, threads=25, capacity=10_000, rate=10), around()))
    answer = run_calculator(slow).answer
    capacity, timeout = async_io.capacity_of(answer), slow.wanted[1].of
    assert timeout is not None
    assert timeout(answer) >= capacity / 25  # what the service needs to empty it
    assert timeout(answer) >= 2 * slow.given["read_timeout"]


def test_without_a_full_queue_the_demand_tells_the_threads() -> None:
    fed = only(async_io.feed(async_job(full=False, rate=1000, call=0.1), around()))
    assert fed.wanted[0].current is None
    assert "limit" not in fed.given
    assert fed.doubts == 1
    pool = run_calculator(fed).answer.value("pool")
    # Twice a peak of 1 500/s while it catches up, 100 ms each, threads 70 % busy.
    assert 2 * 1500 * 0.1 / 0.7 * 0.7 < pool < 2 * 1500 * 0.1 / 0.7 * 1.3


def test_an_operator_that_holds_nothing_back_is_not_asynchronous() -> None:
    operator = {"scope": OPERATOR, "task": "calc", "operator": "calc", "step": 300}
    found = job_of(
        seen("inFlight", np.tile([0.0, 0.0, 3.0], SLOTS // 3), **operator),  # type: ignore[arg-type]
        seen("inFlightTime", np.full(SLOTS, 0.4), **operator),  # type: ignore[arg-type]
    )
    assert list(async_io.feed(found, around())) == []


def test_too_few_samples_in_flight_are_missing_with_the_number() -> None:
    found = job_of(seen("inFlight", np.full(20, 5.0), scope=OPERATOR, task="t", operator="async calls"))
    assert "20 samples" in lacking(async_io.feed(found, around()))


@pytest.mark.parametrize(("measured", "written"), [(10_004.0, 10_000), (1013.0, 1000), (437.0, 440), (37.4, 37)])
def test_a_measured_number_is_taken_for_the_one_people_write(measured: float, written: int) -> None:
    assert async_io.as_written(measured) == written


def test_a_lookup_join_is_sized_by_its_options() -> None:
    plain = async_job()
    (place, operator), *_ = plain.operators.items()
    operator = type(operator)(**{**operator.__dict__, "name": "LookupJoin[7]"})
    plain.operators[place] = operator
    fed = only(async_io.feed(plain, around()))
    assert [one.key for one in fed.wanted] == [
        "table.exec.async-lookup.buffer-capacity",
        "table.exec.async-lookup.timeout",
    ]


# -- parallelism


def vertex_job(rate: float, each: float, parallelism: int, *, task: str = "window") -> list[Observed]:
    """A vertex whose subtasks process `each` a second when busy all the time."""
    total = day_of(rate)
    rows = np.tile(total / parallelism, (parallelism, 1))
    return [
        seen("numRecordsInPerSecond", rows, task=task, step=300),
        seen("numRecordsInPerSecond.vertex.steady", total, task=task, step=300),
        seen("trueProcessingRate.vertex", np.full(SLOTS, each * parallelism), task=task, step=300),
        seen("busyTimeMsPerSecond", rows / each * 1000, task=task, step=300),
    ]


def test_parallelism_follows_from_true_rate_and_demand() -> None:
    fed = only(parallelism.feed(job_of(*vertex_job(10_000, 2_000, 10)), around()))
    assert fed.given["parallelism"] == 10
    assert fed.given["true_rate"] == pytest.approx(20_000, rel=0.01)
    found = run_calculator(fed).answer.value("parallelism")
    # A peak of 15 000/s over 2 000/s each, 70 % busy and with room for a restart.
    assert 15_000 / 2_000 < found <= 15_000 / 2_000 / 0.7 * 1.6


def test_twice_the_demand_wants_about_twice_the_subtasks() -> None:
    small, large = (
        run_calculator(only(parallelism.feed(job_of(*vertex_job(rate, 1_000, 40)), around()))).answer.value("needed")
        for rate in (10_000, 20_000)
    )
    assert large == pytest.approx(2 * small, rel=0.1)


@pytest.mark.parametrize(("parallelism_now", "is_named"), [(4, False), (40, False), (100, True)])
def test_the_limit_of_scaling_down_is_named_where_the_demand_is_far_below(parallelism_now: int, is_named: bool) -> None:
    fed = only(parallelism.feed(job_of(*vertex_job(4000, 400, parallelism_now)), around()))
    assert ("scale_down_limit" in fed.given) == is_named


def test_a_vertex_that_no_record_reaches_says_so() -> None:
    assert lacking(parallelism.feed(job_of(*vertex_job(0, 400, 4)), around())) == "no records reach it"


def test_the_topology_tells_parallelism_key_groups_and_keys() -> None:
    vertices = (
        Vertex("1", "source", 2, 128, ()),
        Vertex("2", "window", 6, 96, (("1", "REBALANCE"),)),
    )
    fed = only(parallelism.feed(job_of(*vertex_job(10_000, 2_000, 10)), around({}, *vertices)))
    assert (fed.given["parallelism"], fed.given["max_parallelism"], fed.given["keyed"]) == (6, 96, False)


def test_a_vertex_behind_a_slow_one_is_sized_by_what_its_source_receives() -> None:
    source = [
        seen("numRecordsOutPerSecond", day_of(10_000), task="source", step=300),
        seen("numRecordsOutPerSecond.vertex.steady", day_of(10_000), task="source", step=300),
        seen("arrivalRate", day_of(30_000), task="source", step=300),
        seen("trueProcessingRate.vertex", np.full(SLOTS, 60_000.0), task="source", step=300),
        seen("catchingUp", np.zeros(SLOTS), task="source", step=300),
    ]
    vertices = (Vertex("1", "source", 1, 128, ()), Vertex("2", "window", 10, 128, (("1", "HASH"),)))
    fed = {one.about.task: one for one in parallelism.feed(
        job_of(*source, *vertex_job(10_000, 2_000, 10)), around({}, *vertices)) if isinstance(one, Fed)}  # fmt: skip
    assert fed["window"].given["rate"] == pytest.approx(fed["source"].given["rate"], rel=0.02)
    assert any("its source receives" in one for one in fed["window"].remarks)


def test_rescalings_that_brought_little_are_taken_into_account() -> None:
    grown = [
        np.concatenate([np.full(24, rate / parallelism), np.full(96 - 24, np.nan)])
        for parallelism, rate in ((2, 2_000.0), (4, 3_000.0), (8, 4_800.0))
    ]
    rates = seen("trueProcessingRate", np.nan_to_num(np.array(grown)), step=300)
    assert rates.time_series is not None
    series = np.repeat([2, 4, 8], 32).astype(np.int32)
    total = np.repeat([2_000.0, 3_000.0, 4_800.0], 32).astype(np.float32)
    time_series = rates.time_series._replace(series=series[:96], total=total[:96])
    told = parallelism._rescalings(type(rates)(**{**rates.__dict__, "time_series": time_series}))
    assert told == [(2, 2_000.0), (4, 3_000.0), (8, pytest.approx(4_800.0))]


def test_a_vertex_without_busy_time_says_what_is_missing() -> None:
    found = job_of(*vertex_job(10_000, 2_000, 10)[:2])
    reason = lacking(parallelism.feed(found, around()))
    assert "trueProcessingRate.vertex" in reason
    assert "busyTimeMsPerSecond" in reason


# -- checkpoints


def checkpoint_job(seconds: float, *more: Observed) -> Job:
    return job_of(seen("lastCheckpointDuration", np.full(SLOTS, seconds * 1000), scope=JOB, step=300), *more)


def test_an_interval_in_force_is_judged_by_the_duration() -> None:
    settings: dict[str, object] = {"execution.checkpointing.interval": "60 s"}
    fed = only(checkpoints.feed(checkpoint_job(47.3), around(settings)))
    answer = run_calculator(fed).answer
    assert answer.value("interval") >= 2 * 47.3
    assert fed.wanted[0].current == 60


def test_how_often_checkpoints_are_completed_stands_for_an_interval_nobody_tells() -> None:
    every = seen("rate(numberOfCompletedCheckpoints)", np.full(SLOTS, 1 / 60.2), scope=JOB, step=300)
    fed = only(checkpoints.feed(checkpoint_job(5, every), around()))
    assert fed.wanted[0].current == 60
    assert fed.assumed


def test_without_any_interval_that_is_what_is_missing() -> None:
    assert "execution.checkpointing.interval" in lacking(checkpoints.feed(checkpoint_job(5), around()))


def test_kafka_transactions_last_as_long_as_checkpoints_and_restarts() -> None:
    txn = seen(
        "KafkaProducer.txn-commit-time-ns-total", np.ones(SLOTS), scope=OPERATOR, task="sink", operator="sink", step=300
    )
    down = seen("restartingTime", np.full(SLOTS, 900_000.0), scope=JOB, step=300)
    settings: dict[str, object] = {"execution.checkpointing.interval": "60 s"}
    fed = [one for one in checkpoints.feed(checkpoint_job(5, txn, down), around(settings))
           if one.calculator == "kafka-transactions"]  # fmt: skip
    assert isinstance(fed[0], Fed)
    assert fed[0].given["outage"] >= 900
    assert run_calculator(fed[0]).answer.value("transaction_timeout") >= 900 + 600


# -- jobs


def test_restarts_are_counted_from_a_counter_and_from_a_gauge() -> None:
    gauge = job_of(seen("numRestarts", np.repeat([0.0, 1.0, 3.0], 100), scope=JOB))
    counter = job_of(
        seen("numRestarts", np.eye(1, 300, 7)[0] * 2, scope=JOB), seen("rate(numRestarts)", np.zeros(300), scope=JOB)
    )
    assert checkpoints.restarts_of(gauge.own) == 3
    assert checkpoints.restarts_of(counter.own) == 2
    assert only(jobs.restart(gauge, around())).given["outage"] == 600
    assert list(jobs.restart(job_of(seen("numRestarts", np.zeros(300), scope=JOB)), around())) == []


def test_state_that_grows_is_extrapolated() -> None:
    sizes = (1 << 30) + np.arange(SLOTS) / 288 * 100 * MIB
    fed = only(jobs.storage(job_of(seen("lastCheckpointFullSize", sizes, scope=JOB, step=300)), around()))
    assert fed.given["growth"] * 86_400 == pytest.approx(100 * MIB, rel=0.01)


@pytest.mark.parametrize(("size", "is_worth_it"), [(66 * MIB, True), (62 * MIB, False)])
def test_a_small_state_needs_no_disk(size: int, is_worth_it: bool) -> None:
    job = job_of(seen("lastCheckpointSize", np.full(SLOTS, float(size)), scope=JOB, step=300))
    assert bool(list(jobs.storage(job, around()))) == is_worth_it


def test_growth_needs_some_days_and_is_never_below_zero() -> None:
    def growth(days: int, each: float) -> float:
        values = 1e9 + each * (np.arange(days * 288) // 288)
        found = seen("lastCheckpointSize", values, scope=JOB, step=300)
        return jobs.growth_of(found) * 86_400

    assert growth(14, 1e8) == pytest.approx(1e8, rel=0.02)
    assert growth(14, -1e7) == 0
    assert growth(jobs._GROWTH_DAYS - 1, 1e8) == 0
    assert growth(jobs._GROWTH_DAYS, 1e8) > 9e7


def test_states_and_hits_of_rocksdb_come_from_its_own_metrics() -> None:
    parts = {"scope": OPERATOR, "task": "window", "operator": "window"}
    found = job_of(
        seen("numRecordsIn", np.ones((2, 600)), **parts),  # type: ignore[arg-type]
        seen("rocksdb.block-cache-usage", np.ones((6, 600)), **parts),  # type: ignore[arg-type]
        seen("rocksdb.block-cache-hit", np.full((2, 600), 60.0), **parts),  # type: ignore[arg-type]
        seen("rocksdb.block-cache-miss", np.full((2, 600), 40.0), **parts),  # type: ignore[arg-type]
    )
    fed = only(jobs.rocksdb(found, around({"taskmanager.memory.process.size": "4gb"})))
    assert fed.given["states"] == 3
    assert fed.given["hit_ratio"] == pytest.approx(0.6)
    assert run_calculator(fed).answer.value("managed_memory") > 0


def test_a_kinesis_reader_is_told_by_its_shards_and_records() -> None:
    parts = {"scope": OPERATOR, "task": "source", "operator": "Source: events"}
    found = job_of(
        seen("millisBehindLatest", np.full((4, 600), 1000.0), **parts),  # type: ignore[arg-type]
        seen("averageRecordSizeBytes", np.full((4, 600), 1000.0), **parts),  # type: ignore[arg-type]
    )
    fed = only(jobs.kinesis(found, around(release="1.18")))
    assert (fed.given["shards"], fed.given["record_size"], fed.given["connector"]) == (4, 1000, "consumer")
    assert run_calculator(fed).answer.value("max_records") == 320


def test_metadata_of_checkpoints_is_held_against_the_frame() -> None:
    found = job_of(
        seen("lastCheckpointMetadataSize", np.full(600, 400.0 * MIB), scope=JOB),
        seen("numRecordsIn", np.ones((4, 600))),
    )
    fed = only(jobs.rpc_size(found, around()))
    assert fed.given["parallelism"] == 4
    assert run_calculator(fed).answer.value("frame") > 100 * MIB


def test_a_catch_up_is_told_for_sources_that_read_faster_than_usual() -> None:
    source = [
        seen("numRecordsOutPerSecond", day_of(1000), task="source", step=300),
        seen("numRecordsOutPerSecond.vertex.steady", day_of(1000), task="source", step=300),
        seen("numRecordsOutPerSecond.vertex.catchup", np.full(20, 5000.0), task="source", step=300),
    ]
    fed = only(jobs.catch_up(job_of(*source), around()))
    assert fed.given["capacity"] == 5000
    assert run_calculator(fed).answer.value("catch_up_time") > 0


# -- clusters


def heap(live: float, scope: str, days: int = WEEKS) -> list[Observed]:
    rows = days * 288
    return [
        seen("Status.JVM.Memory.Heap.Used", np.tile([live, live * 2], rows // 2), scope=scope, step=300),
        seen("heapLiveSet", np.full(rows // 2, live), scope=scope, step=600),
        seen("Status.JVM.Memory.Metaspace.Used", np.full(rows, 100.0 * MIB), scope=scope, step=300),
    ]


def test_a_taskmanager_is_sized_by_its_live_set() -> None:
    fed = only(clusters.taskmanager_memory(processes_of(*heap(1000 * MIB, TASKMANAGER)), around()))
    assert fed.given["live_set"] == pytest.approx(1000 * MIB, rel=0.15)
    jvm_heap = run_calculator(fed).answer.value("jvm_heap")
    assert 1.3 * 1000 * MIB <= jvm_heap <= 1.3 * 1150 * MIB


def test_the_fullest_taskmanager_decides() -> None:
    two = seen("heapLiveSet", [np.full(2000, 100.0 * MIB), np.full(2000, 900.0 * MIB)], scope=TASKMANAGER, step=600)
    used = seen("Status.JVM.Memory.Heap.Used", np.full((2, 4000), 1e9), scope=TASKMANAGER, step=300)
    fed = only(clusters.taskmanager_memory(processes_of(used, two), around()))
    assert fed.given["live_set"] >= 900 * MIB


def test_a_short_history_wants_a_larger_heap() -> None:
    short, long = (
        run_calculator(only(clusters.taskmanager_memory(processes, around()))).answer
        for processes in (processes_of(*heap(1000 * MIB, TASKMANAGER, days)) for days in (1, 14))
    )
    assert short.value("jvm_heap") > 1.15 * long.value("jvm_heap")


def test_managed_memory_that_nobody_ever_used_is_not_wanted() -> None:
    idle = seen("Status.Flink.Memory.Managed.Used", np.zeros(SLOTS), scope=TASKMANAGER, step=300)
    fed = only(clusters.taskmanager_memory(processes_of(*heap(500 * MIB, TASKMANAGER), idle), around()))
    assert fed.given["managed"] == 0
    brief = only(clusters.taskmanager_memory(processes_of(*heap(500 * MIB, TASKMANAGER, 3), idle), around()))
    assert "managed" not in brief.given


def test_a_jobmanager_that_was_seen_for_a_week_needs_no_estimate() -> None:
    fed = only(clusters.jobmanager_memory(processes_of(*heap(300 * MIB, JOBMANAGER)), around()))
    assert fed.given["heap"] == pytest.approx(1.3 * 300 * MIB, rel=0.15)


def test_network_memory_wants_the_exchanges_of_the_jobs() -> None:
    total = seen("Status.Shuffle.Netty.TotalMemory", np.full(600, 64.0 * MIB), scope=TASKMANAGER)
    assert "topology" in lacking(clusters.network_buffers(processes_of(total), around()))
    vertices = (Vertex("1", "a", 120, 128, ()), Vertex("2", "b", 120, 128, (("1", "HASH"),)))
    fed = only(clusters.network_buffers(processes_of(total), around({"taskmanager.numberOfTaskSlots": 4}, *vertices)))
    assert [str(one) for one in fed.given["exchanges"]] == ["120x120 hash"]
    assert run_calculator(fed).inputs["slots"] == 4


def test_kubernetes_and_yarn_are_evaluated_only_where_they_are_used() -> None:
    running = seen("numRunningJobs", np.full(600, 60.0), scope=JOBMANAGER)
    managers = seen("numRegisteredTaskManagers", np.full(600, 20.0), scope=JOBMANAGER)
    cluster = processes_of(running, managers)
    assert list(clusters.kubernetes_ha(cluster, around())) == []
    assert list(clusters.yarn(cluster, around())) == []
    ha = only(clusters.kubernetes_ha(cluster, around({"high-availability": "kubernetes"}, release="1.13")))
    assert ha.given["jobs"] == 60
    assert any("CONCURRENT_REQUESTS" in key for key in run_calculator(ha).answer.settings)
    yarn = only(clusters.yarn(cluster, around({"yarn.application.name": "x"})))
    assert yarn.given["containers"] == 20


# -- the current configuration


def record(kind: str, time: int, body: dict[str, object], job: str = "", job_id: str = "") -> Record:
    return Record(kind, CLUSTER, job, job_id, time, body)


def test_the_latest_settings_before_the_end_count_and_a_jobs_own_before_its_clusters() -> None:
    records = [
        record("configuration", 1, {"a": "1", "b": "1"}),
        record("configuration", 5, {"a": "2"}),
        record("configuration", 9, {"a": "9"}),
        record("configuration", 3, {"c": "job"}, "or ders", "x"),
        record("checkpointing", 3, {"d": "checkpoint"}, "or ders", "x"),
        record("configuration", 3, {"c": "other"}, "other", "y"),
    ]
    assert recorded(records, CLUSTER, "or_ders", 6) == {"a": "2", "c": "job", "d": "checkpoint"}
    assert recorded(records, CLUSTER, "", 6) == {"a": "2"}
    assert recorded(records, "elsewhere", "", 6) == {}


def test_a_job_started_anew_forgets_what_it_ran_with_before() -> None:
    records = [
        record("configuration", 1, {"old": "1"}, "orders", "a"),
        record("configuration", 5, {"new": "1"}, "orders", "b"),
    ]
    assert recorded(records, CLUSTER, "orders", 9) == {"new": "1"}


def test_a_file_counts_over_what_was_recorded_in_whichever_spelling() -> None:
    release = around(release="1.20").configuration.release
    found = overlaid({"state.backend": "rocksdb", "x": "1"}, {"state.backend.type": "hashmap"}, release)
    assert found == {"x": "1", "state.backend.type": "hashmap"}


def test_a_setting_that_is_not_known_has_no_present_value() -> None:
    timeout = "execution.checkpointing.timeout"
    assert CurrentConfiguration({}, NEWEST_RELEASE).current(timeout) is None
    assert CurrentConfiguration({"x": "1"}, NEWEST_RELEASE).current(timeout) == 600
    assert CurrentConfiguration({timeout: "20 min"}, NEWEST_RELEASE).current(timeout) == 1200
    assert CurrentConfiguration({timeout: "nonsense"}, NEWEST_RELEASE).current(timeout) is None
    for text, is_set in (("20 min", True), ("${TIMEOUT}", False)):
        assert CurrentConfiguration({timeout: text}, NEWEST_RELEASE).is_set(timeout) == is_set
    assert not CurrentConfiguration({"x": "1"}, NEWEST_RELEASE).is_set(timeout)
    assert CurrentConfiguration({"pekko.framesize": "20971520b"}, NEWEST_RELEASE).current("pekko.framesize") == 20 * MIB


def test_an_observation_that_contradicts_another_is_left_out() -> None:
    align = seen("checkpointAlignmentTime", np.full(SLOTS, 60e9), step=300, scope=TASK)
    settings: dict[str, object] = {"execution.checkpointing.interval": "60 s"}
    fed = only(checkpoints.feed(checkpoint_job(5, align), Surroundings(CurrentConfiguration(settings, NEWEST_RELEASE))))
    assert run_calculator(fed).inputs["alignment"] <= 5.1
