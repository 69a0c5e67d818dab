"""Signals of several metrics at one instant: known answers, a real cluster's counters, and invariants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.calculators.history.samples import JOB, OPERATOR, TASK, TASKMANAGER, SeriesKey
from flink_flint.calculators.history.signals.day_signals import signals
from flink_flint.calculators.history.signals.time_steps import Line
from tests.history.generator import ENRICH, SOURCE, WINDOW, generate, jobs_of, lines_of, truth

DAY = 20_000 * 86_400_000

# Counters of a real job, scraped every 5 s: 200 records a second, the source held up for 90 s, then read at once into
# an asynchronous operator. In the first it allows 1000 in flight, in the second 10000 (and fails), in the third 5000.
BOUNDED_CAME = [
    22642, 23632, 24657, 25646, 26636, 27635, 28643, 29647, *[29999] * 18, 32965, 36076, 39154, 42242, 45273, 48348,
    51423, 54394, 56630, 57647, 58630, 59632, 60647, 61633, 62638, 63640, 64628, 65634,
]  # fmt: skip
BOUNDED_HELD = [
    0, 0, 40, 15, 10, 9, *[0] * 20, 1002, 1003, 1001, 1001, 1005, 1013, 1004, 1002, 376, 19, 0, 0, 20, 0, 6, 20, 2, 0,
]  # fmt: skip
BOUNDED_READ = [
    22659, 23658, 24658, 25655, 26659, 27659, 28658, 29662, *[29999] * 18, 46499, 49659, 50659, 51662, 52659, 53659,
    54658, 55660, 56658, 57661, 58658, 59658, 60658, 61658, 62658, 63658, 64660, 65659,
]  # fmt: skip
BOUNDED_PENDING = [
    1, 1, 0, 4, 0, 0, 1, 0, 659, 1659, 2660, 3661, 4659, 5659, 6659, 7659, 8660, 9659, 10659, 11662, 12663, 13662,
    14659, 15659, 16667, 17659, 2159, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 1, 0, 1, 1, 1, 0,
]  # fmt: skip
FULL_CAME = [
    12669, 13669, 14670, 15692, 16675, 17677, 18682, 19664, 20753, 21674, 22659, 23664, 24664, 25680, 26665, 27653,
    28659, 29663, *[29999] * 18, 41860,
]  # fmt: skip
FULL_HELD = [1, 16, 1, 20, 0, 0, 0, 0, 80, 0, 0, 0, 0, 32, 0, 0, 11, 1, *[0] * 18, 10005]
FULL_ATTEMPTS = [(190, 11535, 1527), (200, 11360, 1358), (210, 11654, 1653)]
AMPLE_CAME = [
    23025, 23862, 24996, 25907, 26941, 27935, 28928, 29931, *[29999] * 18, 48922, 49930, 50913, 51917, 52911, 53918,
    54927, 55923, 56916, 57888, 58925, 59976, 60919, 61924,
]  # fmt: skip
AMPLE_HELD = [
    216, 2, 20, 0, 6, 44, 22, 14, *[0] * 18, 4, 11, 0, 0, 20, 6, 19, 0, 3, 24, 19, 105, 0, 0,
]  # fmt: skip
# A map between others, in which the reading of two counters fell apart three times, and a window.
MAP_CAME = [
    148001, 161501, 172000, 182000, 192000, 202000, 213523, 222000, 232000, 242000, 252000, 262000, 268001, 280957,
    292000, 302000, 312000, 322000, 331911, 342000, 352000, 362000, 372000, 382000, 388001, 393547, 398724, 413413,
    424041, 434552, 438535, 450496, 464133, 482000, 492000, 502000,
]  # fmt: skip
MAP_HELD = [*[0] * 6, 1523, *[0] * 6, 459, *[0] * 18, 1511, 0, 0, 0]
WINDOW_CAME = [
    98001, 104456, 116964, 116964, 129392, 139067, 145569, 145569, 157938, 157938, 170384, 180076, 180076, 186527,
    199047, 199047, 211518, 221219, 221219, 227599, 240087, 240087, 252603, 262302,
]  # fmt: skip
WINDOW_HELD = [
    80837, 78514, 91022, 91022, 103450, 113125, 109793, 109793, 122162, 122162, 134608, 144300, 143203, 140911, 153431,
    153431, 165902, 175603, 175113, 172151, 184639, 184639, 197155, 206854,
]  # fmt: skip


def key(metric: str, scope: str = TASK, **more: object) -> SeriesKey:
    named = {"cluster": "c", "job": "orders", "job_id": "a1", "task": "count", "subtask": 0, "attempt": 0, **more}
    return SeriesKey(metric, scope, **named)  # type: ignore[arg-type]


def line(key: SeriesKey, values: Sequence[float], *, step: int = 60, start: int = 3_600) -> Line:
    """Samples `step` seconds apart, the first `start` seconds after midnight."""
    times = DAY + start * 1000 + np.arange(len(values), dtype=np.int64) * step * 1000
    return Line(key, times, np.array(values, np.float64))


def found(lines: Sequence[Line], metric: str, subtask: int | None = None) -> list[Line]:
    return [
        one for one in signals(lines) if one.key.metric == metric and (subtask is None or one.key.subtask == subtask)
    ]


def values(lines: Sequence[Line], metric: str, subtask: int = -1) -> list[float]:
    (one,) = found(lines, metric, subtask)
    return [float(value) for value in one.values]


def operator(name: str, came: Sequence[float], held: Sequence[float], *, step: int = 5) -> list[Line]:
    at = {"operator": name, "task": name, "counter": True}
    gone = np.array(came) - np.array(held)
    return [line(key("numRecordsIn", OPERATOR, **at), came, step=step, start=0),
            line(key("numRecordsOut", OPERATOR, **at), gone.tolist(), step=step, start=0)]  # fmt: skip


def source(read: Sequence[float], pending: Sequence[float] | None = None, *, step: int = 60) -> list[Line]:
    at = {"task": "Source: events", "counter": True}
    lines = [line(key("numRecordsIn", **at), [0.0] * len(read), step=step, start=0),
             line(key("numRecordsOut", **at), read, step=step, start=0)]  # fmt: skip
    if pending is not None:
        at = {"task": "Source: events", "operator": "Source: events"}
        lines.append(line(key("pendingRecords", OPERATOR, **at), pending, step=step, start=0))
    return lines


def test_the_true_rate_is_the_rate_over_the_busy_share() -> None:
    lines = [line(key("numRecordsInPerSecond"), [50, 100, 50, 50, 2]),
             line(key("busyTimeMsPerSecond"), [1000, 500, 250, 100, 10])]  # fmt: skip
    # The first minute is left out, in which the meter still rises; at 1 % busy nothing can be said.
    assert values(lines, "trueProcessingRate", 0) == [200, 200, 500]


def test_a_job_that_ran_before_midnight_needs_no_first_minute() -> None:
    lines = [line(key("numRecordsInPerSecond"), [50, 100], start=5),
             line(key("busyTimeMsPerSecond"), [500, 500], start=5)]  # fmt: skip
    assert values(lines, "trueProcessingRate", 0) == [100, 200]


def test_the_busiest_subtask_limits_the_vertex() -> None:
    lines = []
    for subtask, (rate, busy) in enumerate([(100.0, 800.0), (50.0, 400.0)]):
        lines.append(line(key("numRecordsInPerSecond", subtask=subtask), [rate] * 3))
        lines.append(line(key("busyTimeMsPerSecond", subtask=subtask), [busy] * 3))
    assert values(lines, "trueProcessingRate.vertex") == pytest.approx([150 / 0.8] * 2)
    assert values(lines, "busySkew") == pytest.approx([800 / 600] * 2)
    assert values(lines, "recordsSkew") == pytest.approx([100 / 75] * 2)


def test_half_of_the_subtasks_is_no_sum() -> None:
    lines = [line(key("numRecordsInPerSecond", subtask=0), [10.0] * 6, start=0),
             line(key("numRecordsInPerSecond", subtask=1), [30.0] * 6, start=0)]  # fmt: skip
    missing = np.array([True, True, False, True, True, True])
    lines[1] = Line(lines[1].key, lines[1].times[missing], lines[1].values[missing])
    (skew,) = found(lines, "recordsSkew")
    assert len(skew.times) == 5
    assert lines[0].times[2] not in skew.times


def test_a_subtask_that_is_gone_for_good_is_not_waited_for() -> None:
    lines = [line(key("numRecordsInPerSecond", subtask=subtask), [10.0] * length, start=0)
             for subtask, length in enumerate((8, 8, 4))]  # fmt: skip
    assert len(values(lines, "recordsSkew")) == 8


def test_task_managers_scraped_seconds_apart_are_of_one_instant() -> None:
    lines = [line(key("numRecordsInPerSecond", subtask=0), [10.0] * 5, start=7200),
             line(key("numRecordsInPerSecond", subtask=1), [30.0] * 5, start=7225)]  # fmt: skip
    assert values(lines, "recordsSkew") == [1.5] * 4


def test_a_legacy_source_without_busy_time_has_no_true_rate() -> None:
    assert not found(source(np.arange(0, 6000, 60).tolist()), "trueProcessingRate")


def test_in_flight_stands_at_the_capacity_while_a_backlog_is_worked_off() -> None:
    lines = operator("enrich(rest)", BOUNDED_CAME, BOUNDED_HELD)
    held = values(lines, "inFlight", 0)
    assert held == BOUNDED_HELD
    assert sorted(held)[-8:-2] == pytest.approx([1000] * 6, rel=0.01)
    # 25 threads with calls of 40 ms give 625 records a second.
    assert values(lines, "serviceRate", 0) == pytest.approx([625] * 7, rel=0.05)


def test_time_in_flight_follows_from_littles_law() -> None:
    lines = operator("enrich(rest)", BOUNDED_CAME, BOUNDED_HELD)
    # 1000 in flight at 615 a second, in the minute that holds most of the plateau.
    assert max(values(lines, "inFlightTime", 0)) == pytest.approx(1400, rel=0.1)


def test_attempts_that_fail_at_once_still_show_the_capacity() -> None:
    lines = operator("async_enrich", FULL_CAME, FULL_HELD)
    for attempt, (second, came, gone) in enumerate(FULL_ATTEMPTS, start=1):
        for one, value in zip(lines[:2], (came, gone), strict=True):
            lines.append(line(one.key._replace(attempt=attempt), [value], start=second))
    held = values(lines, "inFlight", 0)
    assert held[-4:] == pytest.approx([10_000] * 4, rel=0.002)
    assert not found(lines, "serviceRate")


def test_an_operator_that_never_fills_has_no_service_rate() -> None:
    lines = operator("async_enrich", AMPLE_CAME, AMPLE_HELD)
    assert max(values(lines, "inFlight", 0)) == 216
    assert not found(lines, "serviceRate")


@pytest.mark.parametrize(
    ("came", "held"),
    [
        (MAP_CAME, MAP_HELD),
        (WINDOW_CAME, WINDOW_HELD),
        (np.arange(100) * 1000.0, np.arange(100) * 100.0),
        (np.arange(100) * 1000.0, np.arange(100) * -500.0),
        (np.arange(400) * 1000.0, np.arange(400) // 50 + 0.0),
        (np.arange(100) * 1000.0, np.full(100, 5.0)),
        (np.arange(100) * 1000.0, np.arange(100) * 1000.0),
    ],
    ids=["map", "window", "filter", "flat map", "rare filter", "dropped five once", "sink"],
)
def test_operators_that_do_not_hold_records_back_have_nothing_in_flight(
    came: Sequence[float], held: Sequence[float]
) -> None:
    assert not found(operator("step", came, held), "inFlight")


def test_records_that_a_checkpoint_brought_back_do_not_turn_in_flight_negative() -> None:
    chance = np.random.default_rng(5)
    came = np.arange(200) * 1000.0
    held = chance.poisson(40, 200) - 3000.0
    found_held = values(operator("async", came, held.tolist()), "inFlight", 0)
    assert min(found_held) == 0
    assert np.median(found_held) == pytest.approx(12, abs=8)


def test_a_counter_that_starts_anew_does_not_break_what_is_in_flight() -> None:
    chance = np.random.default_rng(5)
    came = np.concatenate((np.arange(100), np.arange(100))) * 1000.0 + 1000
    held = chance.poisson(40, 200).astype(float)
    assert values(operator("enrich", came.tolist(), held.tolist()), "inFlight", 0) == held.tolist()


def test_a_load_that_peaks_is_no_plateau() -> None:
    chance = np.random.default_rng(3)
    load = 200 * (1 + 0.6 * np.sin(np.arange(1440) / 1440 * 2 * np.pi))
    lines = operator("async", np.cumsum(load * 60).tolist(), chance.poisson(load).astype(float).tolist(), step=60)
    assert found(lines, "inFlight")
    assert not found(lines, "serviceRate")


def test_the_source_catches_up_from_the_outage_until_the_operator_behind_it_is_through() -> None:
    lines = source(BOUNDED_READ, BOUNDED_PENDING, step=5) + operator("enrich(rest)", BOUNDED_CAME, BOUNDED_HELD)
    assert values(lines, "catchingUp") == [0] * 25 + [1] * 8 + [0] * 10
    steady = [one for one in found(lines, "numRecordsInPerSecond.steady") if one.key.scope == OPERATOR]
    caught = [one for one in found(lines, "numRecordsInPerSecond.catchup") if one.key.scope == OPERATOR]
    assert steady[0].values == pytest.approx(200, rel=0.05)
    assert caught[0].values == pytest.approx(615, rel=0.05)


def test_a_drained_backlog_without_any_other_sign_is_a_catch_up() -> None:
    rates = [100.0] * 60 + [10.0] * 30 + [400.0] * 9 + [100.0] * 60
    pending = [0.0] * 60 + [5400.0 * n for n in range(1, 31)] + [162_000 - 18_000.0 * n for n in range(1, 10)]
    lines = source(np.cumsum(np.array(rates) * 60).tolist(), pending + [0.0] * 60)
    flags = values(lines, "catchingUp")
    assert flags == [0] * 89 + [1] * 9 + [0] * 60
    assert set(values(lines, "numRecordsOutPerSecond.vertex.catchup")) == {400}
    assert set(values(lines, "numRecordsOutPerSecond.vertex.steady")) == {100}
    # What arrived stays the same throughout.
    assert values(lines, "arrivalRate") == pytest.approx([100] * len(values(lines, "arrivalRate")))


def test_a_restart_is_made_up_for_even_where_no_backlog_is_told() -> None:
    before = np.arange(60) * 6000.0
    after = np.concatenate((np.cumsum([18_000.0] * 15), 15 * 18_000 + np.cumsum([6000.0] * 60)))
    lines = source(before.tolist())
    lines += [one._replace(key=one.key._replace(attempt=1), times=one.times + 90 * 60_000)
              for one in source(after.tolist())]  # fmt: skip
    flags = values(lines, "catchingUp")
    assert sum(flags) == pytest.approx(14, abs=1)
    assert flags[-60:] == [0] * 60


def test_a_load_that_grows_for_good_after_a_restart_is_no_endless_catch_up() -> None:
    lines = source((np.arange(60) * 6000.0).tolist())
    lines += [one._replace(key=one.key._replace(attempt=1), times=one.times + 62 * 60_000)
              for one in source((np.arange(600) * 12_000.0).tolist())]  # fmt: skip
    assert sum(values(lines, "catchingUp")) < 15


def test_a_quiet_night_is_no_outage() -> None:
    rates = 100 * (1 + 0.97 * np.sin(np.arange(1440) / 1440 * 2 * np.pi))
    assert sum(values(source(np.cumsum(rates * 60).tolist()), "catchingUp")) == 0


def test_a_growing_backlog_is_neither_steady_nor_a_catch_up() -> None:
    rates = [100.0] * 200 + [60.0] * 100
    pending = [0.0] * 200 + [2400.0 * n for n in range(1, 101)]
    lines = source(np.cumsum(np.array(rates) * 60).tolist(), pending)
    assert sum(values(lines, "catchingUp")) == 0
    assert values(lines, "numRecordsOutPerSecond.vertex.steady") == [100] * len(
        values(lines, "numRecordsOutPerSecond.vertex.steady")
    )
    assert values(lines, "arrivalRate") == pytest.approx([100] * 59, rel=0.01)


def test_a_source_with_all_operators_chained_to_it_is_read_by_its_operator() -> None:
    read = (np.arange(50) * 600.0).tolist()
    zero = [0.0] * 50
    task = {"task": "Source: events -> Sink: store", "counter": True}
    lines = [line(key("numRecordsIn", **task), zero), line(key("numRecordsOut", **task), zero),
             line(key("numRecordsOut", OPERATOR, operator="Source: events", **task), read)]  # fmt: skip
    assert set(values(lines, "numRecordsOutPerSecond.vertex.steady")) == {10}


def test_a_source_that_counts_what_it_reads_is_a_source_all_the_same() -> None:
    at = {"task": "Source: events", "counter": True}
    lines = [line(key("numRecordsIn", **at), (np.arange(50) * 600.0).tolist()),
             line(key("numRecordsOut", **at), (np.arange(50) * 60.0).tolist())]  # fmt: skip
    assert values(lines, "catchingUp") == [0] * 49
    assert set(values(lines, "numRecordsInPerSecond.vertex.steady")) == {10}


def test_what_arrives_is_told_before_a_filter_that_is_chained_to_the_source() -> None:
    pending = (np.arange(50) * 300.0).tolist()
    lines = source((np.arange(50) * 60.0).tolist(), pending)
    at = {"task": "Source: events", "operator": "Source: events", "counter": True}
    lines.append(line(key("numRecordsOut", OPERATOR, **at), (np.arange(50) * 600.0).tolist(), start=0))
    assert set(values(lines, "numRecordsOutPerSecond.vertex.steady")) == {1}
    assert values(lines, "arrivalRate") == pytest.approx([15] * 9)


@pytest.mark.slow
def test_samples_a_millisecond_apart_cost_no_more_than_others() -> None:
    at = key("numRecordsInPerSecond")
    times = DAY + np.array([0, 1, 2, 86_399_999], np.int64)
    lines = [Line(at._replace(subtask=subtask), times, np.full(4, 10.0)) for subtask in range(200)]
    assert values(lines, "recordsSkew") == [1.0] * 2


def test_the_live_set_is_the_low_of_ten_minutes() -> None:
    heap = [900, 300, 500, 700, 900, 310, 500, 700, 800, 900, 305, 600]
    at = SeriesKey("Status.JVM.Memory.Heap.Used", TASKMANAGER, cluster="c", tm="t")
    (live,) = found([line(at, heap)], "heapLiveSet")
    # The last two samples are too few to hold a collection.
    assert live.values.tolist() == [300]
    assert live.times.tolist() == [DAY + 3_600_000 + 9 * 60_000]
    assert live.key.scope == TASKMANAGER


def test_the_live_set_has_wider_windows_where_scrapes_are_rare() -> None:
    at = SeriesKey("Status.JVM.Memory.Heap.Used", TASKMANAGER, tm="t")
    assert values([line(at, [9, 3, 5, 7, 8, 9, 4, 8], step=300, start=0)], "heapLiveSet") == [3, 4]


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ({"All.TimeMsPerSecond": [20, 40, 60], "G1_Old.TimeMsPerSecond": [5, 5, 5]}, [0.02, 0.04, 0.06]),
        ({"Scavenge.TimeMsPerSecond": [20, 40, 60], "MarkSweep.TimeMsPerSecond": [5, 5, 5]}, [0.025, 0.045, 0.065]),
        ({"Copy.Time": [0, 600, 1800], "Old.Time": [0, 0, 1200]}, [0.01, 0.04]),
        ({"All.TimeMsPerSecond": [1500]}, [1.0]),
    ],
    ids=["all", "collectors", "counters of older releases", "never above 1"],
)
def test_the_share_of_collections_comes_from_what_the_release_has(
    metrics: dict[str, list[float]], expected: list[float]
) -> None:
    at = SeriesKey("", TASKMANAGER, tm="t")
    lines = [
        line(at._replace(metric=f"Status.JVM.GarbageCollector.{name}", counter=name.endswith(".Time")), told)
        for name, told in metrics.items()
    ]
    assert values(lines, "gcTimeShare") == pytest.approx(expected)


def test_the_checkpoint_share_is_the_duration_over_the_time_between_checkpoints() -> None:
    at = {"task": "", "subtask": -1, "attempt": -1}
    done = [n * 2 // 3 for n in range(30)]
    lines = [
        line(key("lastCheckpointDuration", JOB, **at), [45_000] * 30),
        line(key("numberOfCompletedCheckpoints", JOB, counter=True, **at), done),
    ]
    # Two in three minutes: one each 90 s.
    assert values(lines, "checkpointShare")[-10:] == pytest.approx([0.5] * 10, rel=0.12)


def test_jobs_of_one_name_that_ran_at_once_are_kept_apart() -> None:
    lines = [
        line(key("numRecordsInPerSecond", job_id=job, subtask=subtask), [rate] * 5, start=0)
        for job, rates in (("a1", (10.0, 30.0)), ("b2", (50.0, 50.0)))
        for subtask, rate in enumerate(rates)
    ]
    assert {one.key.job_id: float(one.values[0]) for one in found(lines, "recordsSkew")} == {"a1": 1.5, "b2": 1.0}


def test_a_job_started_anew_the_same_day_goes_on() -> None:
    lines = [line(key("numRecordsInPerSecond", subtask=subtask, job_id=job), [10.0] * 5, start=start)
             for job, start in (("a1", 0), ("b2", 3600)) for subtask in (0, 1)]  # fmt: skip
    (skew,) = found(lines, "recordsSkew")
    assert len(skew.times) == 9


@pytest.mark.parametrize("step", [60, 300])
def test_the_truth_of_generated_jobs_is_found_again(step: int) -> None:
    days = 5 if step == 60 else 12
    jobs = {job.name: job for job in jobs_of(4, days, 1, step=step)}
    gathered: dict[tuple[str, str, str], list[np.ndarray]] = {}
    right = wrong = missed = 0
    known = {name: truth(job) for name, job in jobs.items()}
    for batch in generate(4, days, 1, step):
        for one in signals(lines_of(batch)):
            name = one.key.cluster
            gathered.setdefault((name, one.key.metric, one.key.operator or one.key.task), []).append(one.values)
            if one.key.metric == "catchingUp":
                drained = np.zeros(len(one.times), bool)
                for start, end in known[name].caught_up:
                    drained |= (one.times >= start) & (one.times <= end)
                told = one.values > 0
                right += int((told & drained).sum())
                wrong += int((told & ~drained).sum())
                missed += int((~told & drained).sum())
    outages = sum(outage.start < days * 86_400 for job in jobs.values() for outage in job.outages)
    assert right > 10 * wrong
    assert missed <= 2 * outages
    for name, job in jobs.items():
        known_of = known[name]

        def usual(metric: str, where: str, share: float = 0.5, name: str = name) -> float:
            return float(np.quantile(np.concatenate(gathered[name, metric, where]), share))

        assert usual("trueProcessingRate", WINDOW) == pytest.approx(known_of.true_rate, rel=0.01)
        assert usual("trueProcessingRate.vertex", WINDOW) == pytest.approx(known_of.vertex_rate, rel=0.01)
        assert usual("numRecordsOutPerSecond.vertex.catchup", SOURCE) == pytest.approx(known_of.reading_rate, rel=0.02)
        assert usual("numRecordsOutPerSecond.vertex.steady", SOURCE, 0.95) == pytest.approx(
            known_of.demand_p95, rel=0.05
        )
        assert usual("arrivalRate", SOURCE, 0.95) == pytest.approx(known_of.demand_p95, rel=0.05)
        assert usual("inFlightTime", ENRICH) == pytest.approx(known_of.latency * 1000, rel=0.05)
        if known_of.service_rate < known_of.vertex_rate:
            assert usual("inFlight", ENRICH, 1.0) == pytest.approx(job.capacity, abs=2)
            assert usual("serviceRate.vertex", ENRICH) == pytest.approx(known_of.service_rate, rel=0.02)
        else:
            assert (name, "serviceRate", ENRICH) not in gathered


METRICS = (
    ("numRecordsIn", TASK, "", True), ("numRecordsOut", TASK, "", True), ("numRecordsInPerSecond", TASK, "", False),
    ("busyTimeMsPerSecond", TASK, "", False), ("numRecordsIn", OPERATOR, "async", True),
    ("numRecordsOut", OPERATOR, "async", True), ("pendingRecords", OPERATOR, "Source", False),
    ("millisBehindLatest", OPERATOR, "Source", False), ("lastCheckpointDuration", JOB, "", False),
    ("numberOfCompletedCheckpoints", JOB, "", True), ("Status.JVM.Memory.Heap.Used", TASKMANAGER, "", False),
    ("Status.JVM.GarbageCollector.All.Time", TASKMANAGER, "", True),
)  # fmt: skip

any_lines = st.lists(
    st.tuples(
        st.sampled_from(METRICS),
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from(["Source: a", "count"]),
        st.lists(st.integers(0, 86_399_999), min_size=1, max_size=40, unique=True),
        st.integers(0, 2**32),
        st.sampled_from([0.0, 1.0, 1000.0, 1e12]),
    ),
    max_size=14,
    unique_by=lambda one: one[:4],
)


def built(drawn: list[tuple], factor: float = 1.0) -> list[Line]:  # type: ignore[type-arg]
    lines = []
    for (metric, scope, name, counter), subtask, attempt, task, times, number, size in drawn:
        told = np.random.default_rng(number).uniform(0, size, len(times)).round()
        told = np.cumsum(told) if counter else told
        if metric.startswith(("numRecords", "pending")):
            told = told * factor
        process = scope == TASKMANAGER
        who = SeriesKey(
            metric, scope, "c", "" if process else "j", "", "" if scope == JOB or process else task, "", name, "",
            -1 if process or scope == JOB else subtask, attempt, f"tm{subtask}", "", counter,
        )  # fmt: skip
        lines.append(Line(who, DAY + np.sort(np.array(times, np.int64)), told))
    return lines


@pytest.mark.filterwarnings("error")
@settings(max_examples=150, deadline=None)
@given(any_lines)
@pytest.mark.slow
def test_values_are_finite_and_times_ascend_whatever_comes_in(drawn: list[tuple]) -> None:  # type: ignore[type-arg]
    lines = built(drawn)
    for one in signals(lines):
        assert len(one.times) == len(one.values) > 0
        assert np.isfinite(one.values).all()
        assert (np.diff(one.times) > 0).all()
        assert one.times[0] >= DAY
        assert one.times[-1] < DAY + 86_400_000
        assert not one.key.counter


@settings(max_examples=60, deadline=None)
@given(any_lines.filter(lambda drawn: not any(one[0][2] == "async" for one in drawn)))
@pytest.mark.slow
def test_true_rates_scale_with_the_records(drawn: list[tuple]) -> None:  # type: ignore[type-arg]
    def rates(factor: float) -> dict[tuple[SeriesKey, int], float]:
        return {
            (one.key, int(time)): float(value)
            for one in signals(built(drawn, factor))
            if one.key.metric.startswith("trueProcessingRate")
            for time, value in zip(one.times, one.values, strict=True)
        }

    once, fourfold = rates(1.0), rates(4.0)
    assert once.keys() == fourfold.keys()
    for where, value in once.items():
        assert fourfold[where] == pytest.approx(4 * value)


def test_the_order_of_the_lines_does_not_matter() -> None:
    (batch,) = (batch for place, batch in enumerate(generate(1, 2, 3, 300)) if place == 1)
    lines = lines_of(batch)
    forth = {one.key: one.values.tolist() for one in signals(lines)}
    back = {one.key: one.values.tolist() for one in signals(lines[::-1])}
    assert forth == back
