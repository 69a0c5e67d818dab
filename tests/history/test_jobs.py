"""What is fed to the calculators of a job as a whole, case by case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.evidence import Job
from flink_flint.calculators.history.recommend.feeds import jobs
from flink_flint.calculators.history.recommend.fill_inputs import Fed, Lacking, Surroundings, Vertex, run_calculator
from flink_flint.calculators.history.samples import JOB, OPERATOR
from tests.history.observations import around, seen
from tests.history.test_feeding import job_of, lacking, only

SLOTS = 14 * 288
MIB = 1 << 20
Feed = Callable[[Job, Surroundings], Iterator[Fed | Lacking]]


def own(metric: str, value: float, count: int = SLOTS) -> Observed:
    return seen(metric, np.full(count, float(value)), scope=JOB, step=300)


def of(metric: str, value: float, subtasks: int = 1, count: int = SLOTS, **where: Any) -> Observed:
    return seen(metric, np.full((subtasks, count), float(value)), step=300, **where)


def reader(metric: str, value: float, subtasks: int = 1, count: int = SLOTS) -> Observed:
    return of(metric, value, subtasks, count, scope=OPERATOR, task="source", operator="Source: events")


@pytest.mark.parametrize(
    ("feed", "metric"),
    [
        (jobs.storage, "lastCheckpointSize"),
        (jobs.storage, "lastCheckpointFullSize"),
        (jobs.rpc_size, "lastCheckpointMetadataSize"),
    ],
)
def test_a_metric_of_too_few_samples_is_missing_and_one_nobody_reported_is_no_matter(feed: Feed, metric: str) -> None:
    assert lacking(feed(job_of(own(metric, 1e9, 59)), around())).startswith(f"{metric} has only 59 samples")
    assert isinstance(only(feed(job_of(own(metric, 1e9, 60)), around())), Fed)
    assert list(feed(job_of(own("x", 1e9)), around())) == []


# -- restarts


def restarted(times: float, count: int = SLOTS) -> Observed:
    return seen("numRestarts", np.linspace(0, times, count), scope=JOB, step=300)


def test_one_restart_is_enough_and_none_is_not() -> None:
    fed = only(jobs.restart(job_of(restarted(1)), around()))
    assert (fed.main.value, fed.main.statistic) == (1, "growth")
    assert list(jobs.restart(job_of(restarted(0.9)), around())) == []
    assert "59 samples" in lacking(jobs.restart(job_of(restarted(2, 59)), around()))


@pytest.mark.parametrize(
    ("down", "outage", "is_observed"), [(None, 600, False), (0, 600, False), (90, 600, True), (900, 900, True)]
)
def test_an_outage_is_as_long_as_the_longest_that_was_seen_or_ten_minutes(
    down: float | None, outage: float, is_observed: bool
) -> None:
    longest = [] if down is None else [own("restartingTime", down * 1000)]
    fed = only(jobs.restart(job_of(restarted(2), *longest), around()))
    assert fed.given["outage"] == outage
    assert ("outage" in fed.figures) == is_observed
    assert fed.assumed == (f"it must survive an outage of {'15' if outage == 900 else '10'} min",)


def test_a_strategy_that_is_not_known_is_a_doubt() -> None:
    job = job_of(restarted(2))
    assert only(jobs.restart(job, around())).wanted[0].doubts == 1
    assert only(jobs.restart(job, around({"x": "1"}))).wanted[0].doubts == 0


# -- stored state


def test_the_full_size_of_a_state_counts_before_that_of_its_last_increment() -> None:
    full, part = own("lastCheckpointFullSize", 900 * MIB), own("lastCheckpointSize", 100 * MIB)
    both, one = (only(jobs.storage(job_of(*observed), around())) for observed in ((full, part), (part,)))
    assert (both.given["state"], both.doubts) == (900 * MIB, 0)
    assert (one.given["state"], one.doubts) == (100 * MIB, 1)


@pytest.mark.parametrize(("size", "is_worth_it"), [(64 * MIB - 1, False), (64 * MIB, True)])
def test_the_smallest_state_worth_a_disk(size: int, is_worth_it: bool) -> None:
    assert bool(list(jobs.storage(job_of(own("lastCheckpointFullSize", size)), around()))) == is_worth_it


def test_growth_is_remarked_where_there_is_any() -> None:
    growing = seen("lastCheckpointFullSize", 1e9 + np.arange(SLOTS) * 1e5, scope=JOB, step=300)
    assert len(only(jobs.storage(job_of(growing), around())).remarks) == 1
    fed = only(jobs.storage(job_of(own("lastCheckpointFullSize", 1e9)), around()))
    assert (fed.remarks, fed.given["growth"]) == ((), 0)


# -- catch-ups


def source(catch_up: float | None, *, rate: float = 1000, count: int = 20) -> list[Observed]:
    found = [of("numRecordsOutPerSecond.vertex.steady", rate, task="source")]
    if catch_up is not None:
        found.append(of("numRecordsOutPerSecond.vertex.catchup", catch_up, count=count, task="source"))
    return found


@pytest.mark.parametrize(("catch_up", "shows"), [(1000, False), (900, False), (1100, True)])
def test_a_source_must_have_read_faster_than_usual(catch_up: float, shows: bool) -> None:
    found = list(jobs.catch_up(job_of(*source(catch_up)), around()))
    assert isinstance(found[0], Fed if shows else Lacking)


@pytest.mark.parametrize(
    "observed",
    [
        source(None),
        source(5000, count=2),
        [of("numRecordsInPerSecond", 10), of("numRecordsOutPerSecond.vertex.catchup", 5000)],
        [of("catchingUp", 1), of("numRecordsOutPerSecond.vertex.catchup", 5000)],
    ],
)
def test_what_never_caught_up_or_is_no_source_has_no_catch_up(observed: list[Observed]) -> None:
    assert list(jobs.catch_up(job_of(*observed), around())) == []


def test_a_source_that_receives_nothing_never_read_faster() -> None:
    assert "never read faster" in lacking(jobs.catch_up(job_of(*source(5000, rate=0)), around()))


@pytest.mark.parametrize(
    ("down", "redeployment"), [(None, None), (0, None), (90, 90), (3600, 3600), (3601, None), (1e6, None)]
)
def test_a_redeployment_is_a_restart_of_up_to_an_hour(down: float | None, redeployment: float | None) -> None:
    seen_down = [] if down is None else [own("restartingTime", down * 1000)]
    fed = only(jobs.catch_up(job_of(*source(5000), *seen_down), around()))
    assert fed.given.get("redeployment") == redeployment
    assert (len(fed.assumed), fed.doubts) == ((1, 1) if redeployment is None else (0, 0))


# -- metadata


def test_metadata_are_shared_by_the_widest_vertex_of_the_topology_else_by_those_that_report() -> None:
    job = job_of(own("lastCheckpointMetadataSize", 8000), of("numRecordsIn", 1, 4))
    wide = (Vertex("1", "a", 2, 128, ()), Vertex("2", "b", 10, 128, ()))
    for topology, parallelism in ((wide, 10), ((), 4), ((Vertex("1", "a", 0, -1, ()),), 4)):
        fed = only(jobs.rpc_size(job, around({}, *topology)))
        assert fed.given["parallelism"] == parallelism
        assert fed.given["list_elements"] == -(-1000 // parallelism)
    alone = only(jobs.rpc_size(job_of(own("lastCheckpointMetadataSize", 8000)), around()))
    assert alone.given["parallelism"] == 1


# -- RocksDB


def rocksdb(metric: str, value: float, series: int = 1, *, operator: str = "window", count: int = SLOTS) -> Observed:
    return of(f"rocksdb.{metric}", value, series, count, scope=OPERATOR, task=operator, operator=operator)


def records(subtasks: int, operator: str = "window") -> Observed:
    return of("numRecordsIn", 1, subtasks, scope=OPERATOR, task=operator, operator=operator)


@pytest.mark.parametrize(
    ("observed", "states", "metric"),
    [
        ([rocksdb("block-cache-usage", 1, 6), records(2)], 3, "rocksdb.block-cache-usage"),
        ([rocksdb("block-cache-usage", 1, 2), rocksdb("estimate-num-keys", 1, 6), records(2)],
         3, "rocksdb.estimate-num-keys"),
        ([rocksdb("block-cache-usage", 1, 2), records(8)], 1, "rocksdb.block-cache-usage"),
        ([rocksdb("block-cache-usage", 1, 2)], 2, "rocksdb.block-cache-usage"),
        ([rocksdb("cur-size-all-mem-tables", 1, 4, operator="a"), records(2, "a"),
          rocksdb("estimate-live-data-size", 1, 6, operator="b"), records(2, "b"), records(2, "c")],
         5, "rocksdb.cur-size-all-mem-tables"),
    ],
)  # fmt: skip
def test_states_are_the_series_of_a_subtask_summed_over_operators(
    observed: list[Observed], states: int, metric: str
) -> None:
    fed = only(jobs.rocksdb(job_of(*observed), around()))
    assert (fed.given["states"], fed.main.value, fed.main.peak) == (states, states, states)
    assert fed.main.metric == metric


def test_without_a_state_there_is_nothing_to_size() -> None:
    assert list(jobs.rocksdb(job_of(records(2), rocksdb("block-cache-hit", 1)), around())) == []


@pytest.mark.parametrize(
    ("hits", "misses", "ratio"), [(30, 10, 0.75), (None, 10, 0), (30, None, 1), (0, 0, None), (None, None, None)]
)
def test_the_hit_ratio_needs_hits_or_misses(hits: float | None, misses: float | None, ratio: float | None) -> None:
    counters = [
        rocksdb(f"block-cache-{name}", value)
        for name, value in (("hit", hits), ("miss", misses)) if value is not None
    ]  # fmt: skip
    fed = only(jobs.rocksdb(job_of(rocksdb("block-cache-usage", 1), *counters), around()))
    assert fed.given.get("hit_ratio") == ratio
    assert ("hit_ratio" in fed.figures) == (ratio is not None)


def test_hits_of_all_operators_add_up() -> None:
    fed = only(jobs.rocksdb(job_of(
        rocksdb("block-cache-usage", 1), rocksdb("block-cache-hit", 30), rocksdb("block-cache-miss", 10),
        rocksdb("block-cache-hit", 0, operator="b"), rocksdb("block-cache-miss", 20, operator="b"),
    ), around()))  # fmt: skip
    assert fed.given["hit_ratio"] == 0.5


@pytest.mark.parametrize(("size", "state_size"), [(1001, 501), (1, 1), (0.5, None), (None, None)])
def test_the_state_of_a_subtask_is_its_part_of_a_full_checkpoint(size: float | None, state_size: int | None) -> None:
    full = [] if size is None else [own("lastCheckpointFullSize", size)]
    found = [rocksdb("block-cache-usage", 1), of("numRecordsIn", 1, 2, task="window"), *full]
    for settings, doubts in (({}, 1), ({"x": "1"}, 0)):
        fed = only(jobs.rocksdb(job_of(*found), around(settings)))  # type: ignore[arg-type]
        assert fed.given.get("state_size") == state_size
        assert ("state_size" in fed.figures) == (state_size is not None)
        assert fed.doubts == doubts


# -- Kinesis

BEHIND = "millisBehindLatest"


@pytest.mark.parametrize(
    ("read", "size"),
    [
        ([("numBytesInPerSecond", 5000.0), ("numRecordsInPerSecond", 10.0)], 500),
        ([("numBytesIn", 5000.0), ("numRecordsIn", 20.0)], 250),
        ([("numBytesInPerSecond", 5), ("numRecordsInPerSecond", 10.0), ("numBytesIn", 5e3), ("numRecordsIn", 20)], 250),
        ([("numBytesInPerSecond", 10.0), ("numRecordsInPerSecond", 10.0)], 1),
        ([("numBytesInPerSecond", 5000.0), ("numRecordsInPerSecond", 0.0)], None),
        ([("numBytesInPerSecond", 0.0), ("numRecordsInPerSecond", 0.0)], None),
        ([("numBytesInPerSecond", 5000.0)], None),
        ([("numRecordsInPerSecond", 5000.0)], None),
        ([], None),
    ],
)  # fmt: skip
def test_the_new_reader_of_kinesis_shows_the_size_of_records_by_its_bytes(
    read: list[tuple[str, float]], size: int | None
) -> None:
    job = job_of(reader(BEHIND, 2000, 4), *(reader(*one) for one in read))
    if size is None:
        assert "averageRecordSizeBytes" in lacking(jobs.kinesis(job, around()))
        return
    fed = only(jobs.kinesis(job, around()))
    assert (fed.given["record_size"], fed.given["connector"], fed.given["shards"]) == (size, "source", 4)
    assert [one.key for one in fed.wanted] == ["source.shard.get-records.max-record-count"]
    assert fed.main.value == pytest.approx(2, rel=0.006)
    assert set(fed.figures) == {"record_size", "behind", "shards"}


def test_the_old_reader_has_an_interval_too() -> None:
    fed = only(jobs.kinesis(job_of(reader(BEHIND, 2000), reader("averageRecordSizeBytes", 700)), around()))
    assert fed.given["connector"] == "consumer"
    assert [one.key for one in fed.wanted] == [
        "flink.shard.getrecords.maxrecordcount", "flink.shard.getrecords.intervalmillis"
    ]  # fmt: skip


@pytest.mark.parametrize(("rate", "is_fed"), [(50, True), (0, False), (None, False)])
def test_the_rate_of_a_kinesis_stream_is_that_of_its_task(rate: float | None, is_fed: bool) -> None:
    read = reader(BEHIND, 2000), reader("averageRecordSizeBytes", 700), reader("numRecordsInPerSecond", 7)
    task = [] if rate is None else [of("numRecordsOutPerSecond.vertex.steady", rate, task="source")]
    fed = only(jobs.kinesis(job_of(*read, *task), around()))
    assert ("rate" in fed.figures) == is_fed
    assert fed.given.get("rate") == (pytest.approx(50, rel=0.006) if is_fed else None)
    assert run_calculator(fed).answer.value("max_records") > 0


def test_a_kinesis_reader_of_few_samples_is_missing_and_other_operators_are_none() -> None:
    few = reader(BEHIND, 2000, count=59)
    assert "59 samples" in lacking(jobs.kinesis(job_of(few, records(1)), around()))
    assert list(jobs.kinesis(job_of(records(1)), around())) == []
    several = job_of(few, of(BEHIND, 2000, scope=OPERATOR, task="b", operator="b"),
                     of("averageRecordSizeBytes", 9, scope=OPERATOR, task="b", operator="b"))  # fmt: skip
    assert {type(one) for one in jobs.kinesis(several, around())} == {Fed, Lacking}
