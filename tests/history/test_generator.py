"""The generated histories are what they claim to be."""

from __future__ import annotations

import numpy as np
import pytest

from flink_flint.calculators.history.samples import JOB, OPERATOR, TASK
from tests.history.generator import DAY, ENRICH, SOURCE, START, WINDOW, generate, jobs_of, truth


def test_the_same_seed_gives_the_same_history() -> None:
    first, again = (list(generate(3, 3, 5, 300)) for _ in range(2))
    assert len(first) == 9
    for one, other in zip(first, again, strict=True):
        assert one.keys == other.keys
        assert np.array_equal(one.values, other.values, equal_nan=True)
        assert np.array_equal(one.times, other.times)
    other_seed = next(generate(3, 3, 6, 300))
    assert not np.array_equal(first[0].values[:200], other_seed.values[:200])


def test_counters_grow_until_an_attempt_ends() -> None:
    attempts: dict[int, list[float]] = {}
    (job,) = jobs_of(1, 8, 2, step=300)
    for batch in generate(1, 8, 2, 300):
        for place, key in enumerate(batch.keys):
            if (key.metric, key.task, key.scope, key.subtask) == ("numRecordsOut", SOURCE, TASK, 0):
                attempts.setdefault(key.attempt, []).extend(batch.values[batch.index == place])
    assert len(attempts) == 1 + sum(outage.end < 8 * DAY for outage in job.outages) > 1
    for grown in attempts.values():
        assert (np.diff(grown) >= 0).all()
    assert attempts[1][0] < attempts[0][-1]


def test_nothing_is_reported_while_the_job_is_down() -> None:
    (job,) = jobs_of(1, 8, 2, step=300)
    outage = job.outages[0]
    for batch in generate(1, 8, 2, 300):
        tasks = np.array([key.scope in (TASK, OPERATOR) for key in batch.keys])[batch.index]
        seconds = (batch.times[tasks] - START) // 1000
        assert not ((seconds >= outage.start) & (seconds < outage.end)).any()


def test_a_backlog_is_drained_at_the_known_rate() -> None:
    jobs = jobs_of(6, 6, 1, step=300)
    rates: dict[str, list[float]] = {job.name: [] for job in jobs}
    for batch in generate(6, 6, 1, 300):
        rate: dict[int, float] = {}
        waits: dict[int, float] = {}
        for place, key in enumerate(batch.keys):
            at = batch.index == place
            into = {"numRecordsOutPerSecond": rate, "pendingRecords": waits}.get(key.metric)
            if into is not None and key.task == SOURCE and key.subtask == 0:
                into.update(zip(batch.times[at].tolist(), batch.values[at].tolist(), strict=True))
        name = batch.keys[0].cluster if batch.keys else ""
        rates[name or jobs[0].name] += [rate[time] for time, waiting in waits.items() if waiting > 0]
    for job in jobs:
        if rates[job.name]:
            assert np.median(rates[job.name]) * job.parallelism == pytest.approx(job.reading_rate, rel=0.001)
    assert sum(map(bool, rates.values())) > 2


@pytest.mark.slow
def test_histories_hold_what_real_ones_do() -> None:
    jobs = jobs_of(40, 30, 1, step=300)
    batches = list(generate(40, 30, 1, 300))
    keys = {key for batch in batches for key in batch.keys}
    assert len(batches) == 40 * 30
    assert any(len(batch.values) == 0 for batch in batches)
    assert any(max(job.weights) > 1.2 for job in jobs)
    assert any(job.growth for job in jobs)
    assert any(job.launch_factor > 1 for job in jobs)
    assert any(key.attempt > 0 for key in keys)
    busy = np.concatenate([batch.values for batch in batches])
    assert np.isnan(busy).any()
    firsts = [batch.values[batch.index == place][0] for batch in batches[:40] for place, key in enumerate(batch.keys)
              if key.metric == "lastCheckpointDuration"]  # fmt: skip
    assert -1.0 in firsts
    assert {key.scope for key in keys} >= {TASK, OPERATOR, JOB}
    lengths = [
        int((batch.index == place).sum())
        for batch in batches
        for place, key in enumerate(batch.keys)
        if key.metric == "busyTimeMsPerSecond" and key.task == WINDOW
    ]
    assert max(lengths) == DAY // 300
    assert any(200 < length < DAY // 300 - 2 for length in lengths)


def test_the_truth_fits_the_job() -> None:
    for job in jobs_of(12, 10, 4, step=300):
        known = truth(job)
        assert 0 < known.demand_p95 <= known.demand_peak < known.reading_rate * 1.3
        assert known.needed_parallelism >= known.demand_p95 * known.skew / known.true_rate
        assert known.reading_rate == min(known.service_rate, known.vertex_rate)
        assert known.capacity >= known.service_rate / job.parallelism * known.latency
        assert all(start < end for start, end in known.caught_up)


def test_an_enrichment_that_is_full_has_its_capacity_in_flight() -> None:
    job = next(job for job in jobs_of(6, 6, 1, step=300) if job.service_rate < job.vertex_rate)
    most = 0.0
    for batch in generate(6, 6, 1, 300):
        sides = {
            key.metric: batch.values[batch.index == place]
            for place, key in enumerate(batch.keys)
            if key.scope == OPERATOR and key.operator == ENRICH and key.subtask == 0 and key.cluster == job.name
        }
        if sides:
            most = max(most, float((sides["numRecordsIn"] - sides["numRecordsOut"]).max()))
    assert most == pytest.approx(job.capacity, abs=2)
