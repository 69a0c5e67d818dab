"""What is known of a job, and when it is too little."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.recommend.evidence import gathered, widened
from flink_flint.calculators.history.samples import JOB, JOBMANAGER, OPERATOR, TASKMANAGER
from tests.history.observations import START, evidence, seen

HOUR = 60
DAY = 24 * HOUR


def test_a_percentile_names_what_it_stands_on() -> None:
    found = evidence(seen("numRecordsInPerSecond", np.arange(10 * DAY) % 100 + 1)).percentile(
        "numRecordsInPerSecond", 0.95
    )
    assert found is not None
    assert found.value == pytest.approx(95, rel=0.02)
    assert (found.peak, found.samples, found.days) == (100, 10 * DAY, 10)
    assert found.first == START * 1000
    assert found.statistic == "p95"


def test_less_than_sixty_samples_say_nothing_and_are_told() -> None:
    few = evidence(seen("busyTimeMsPerSecond", np.ones(59)))
    assert few.percentile("busyTimeMsPerSecond", 0.5) is None
    assert "59 samples" in few.lacks("busyTimeMsPerSecond")
    enough = evidence(seen("busyTimeMsPerSecond", np.ones(60)))
    assert enough.lacks("busyTimeMsPerSecond") == ""


def test_less_than_ten_minutes_say_nothing_however_many_samples_they_hold() -> None:
    brief = evidence(seen("busyTimeMsPerSecond", np.ones(250), step=1))
    assert brief.peak("busyTimeMsPerSecond") is None
    assert "4 minutes" in brief.lacks("busyTimeMsPerSecond")


def test_a_metric_that_nobody_reported_is_named() -> None:
    assert evidence(seen("a", np.ones(60))).lacks("numRecordsIn") == "no numRecordsIn"


def test_a_percentile_of_one_day_is_the_peak_and_of_a_week_the_percentile() -> None:
    values = np.tile(np.concatenate([np.full(DAY - 5, 10.0), np.full(5, 100.0)]), 14)
    metric = "lastCheckpointDuration"
    one, half, all_of_it = (evidence(seen(metric, values[: days * DAY])).percentile(metric, 0.9) for days in (1, 2, 14))
    assert one is not None
    assert half is not None
    assert all_of_it is not None
    assert one.value == pytest.approx(100)
    assert half.value == pytest.approx(55, rel=0.02)
    assert all_of_it.value == pytest.approx(10, rel=0.02)


def test_recent_days_weigh_more_for_throughput_and_all_alike_for_durations() -> None:
    fell = np.concatenate([np.full(10 * DAY, 1000.0), np.full(4 * DAY, 100.0)])
    for metric, least, most in (("numRecordsInPerSecond", 90, 110), ("lastCheckpointDuration", 990, 1010)):
        found = evidence(seen(metric, fell)).percentile(metric, 0.7)
        assert found is not None
        assert least < found.value < most


def test_the_live_set_is_the_highest_low_and_needs_the_heap_itself() -> None:
    heap = seen("Status.JVM.Memory.Heap.Used", np.tile([300.0, 900.0], 300), scope=TASKMANAGER)
    lows = seen("heapLiveSet", [300.0, 320.0, 310.0], scope=TASKMANAGER, step=600)
    found = evidence(heap, lows).live_set()
    assert found is not None
    assert (found.value, found.samples) == (320, 600)
    assert evidence(lows).live_set() is None


def test_demand_is_the_sum_of_subtasks_for_rates_and_the_largest_sample_for_memory() -> None:
    rates = evidence(seen("numRecordsInPerSecond", [np.full(60, 10.0), np.full(60, 30.0)]))
    total, most = rates.demand("numRecordsInPerSecond"), rates.demand("numRecordsInPerSecond", "max")
    assert total is not None
    assert most is not None
    assert total.values.tolist() == [40.0] * 12
    assert most.values.tolist() == [30.0] * 12
    assert total.times[0] == START


def test_a_phase_counts_where_its_metric_is_known_and_it_lasted() -> None:
    base, steady = seen("rate", np.ones(120)), seen("rate.steady", np.ones(30))
    assert evidence(base, steady).phase("rate", "steady") is steady
    assert evidence(base, seen("rate.steady", np.ones(29))).phase("rate", "steady") is None
    assert evidence(seen("rate", np.ones(20)), steady).phase("rate", "steady") is None


@given(st.floats(1, 10), st.floats(0.01, 400))
def test_a_margin_is_widened_by_at_most_twice_and_not_after_a_week(margin: float, days: float) -> None:
    found = widened(margin, days)
    assert margin <= found <= 1 + 2 * (margin - 1) + 1e-9
    if days >= 7:
        assert found == margin


def test_observations_are_gathered_by_job_task_and_operator() -> None:
    found = gathered(
        [
            seen("lastCheckpointDuration", np.ones(60), scope=JOB, name="Orders!"),
            seen("numRecordsIn", np.ones(60)),
            seen("inFlight", np.ones(60), scope=OPERATOR, operator="enrich"),
            seen("numRunningJobs", np.ones(60), scope=JOBMANAGER),
            seen("numRecordsIn", np.ones(60), job="other"),
        ]
    )
    orders, other = found.jobs
    assert (orders.name, list(orders.tasks), list(orders.operators)) == ("Orders!", ["map"], [("map", "enrich")])
    assert orders.own.seen("lastCheckpointDuration") is not None
    assert other.name == "other"
    assert found.processes[0].jobmanager.seen("numRunningJobs") is not None
