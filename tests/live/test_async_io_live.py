"""Async I/O on a real cluster: the timeout that is needed, where guesses fail and where the calculator's do not.

The job reads a backlog that is there at once. A call takes 30 to 50 ms, 40 on average.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from flink_flint.calculators.async_io import load_of_async_io, size_async_io
from flink_flint.calculators.inputs.async_io import AsyncIo, CurrentAsyncIo
from flink_flint.linter.flink.releases import parse_release
from tests.live.cluster import Cluster
from tests.live.distribution import VERSION

pytestmark = pytest.mark.live

RELEASE = parse_release(VERSION)
SLOWEST_CALL = 0.05
CALLS = {"call_ms": 40, "spread_ms": 10}
TIMED_OUT = "Caused by: java.util.concurrent.TimeoutException: Async function call has timed out."


def recommended_ms(pool: int, capacity: int, *, read_timeout: float, retries: int = 0, pause: float = 0.0) -> int:
    """The timeout in milliseconds that the calculator advises; times in seconds."""
    inputs = AsyncIo(pool=pool, capacity=capacity, read_timeout=read_timeout, retries=retries, pause=pause)
    (timeout,) = (value.value for value in size_async_io(inputs, RELEASE).values if value.name == "timeout")
    return math.ceil(float(timeout) * 1000)


def complaints(pool: int, capacity: int, timeout: float) -> tuple[str, ...]:
    """Return the problems that the calculator finds in settings, in seconds."""
    inputs = CurrentAsyncIo(pool=pool, capacity=capacity, timeout=timeout, read_timeout=SLOWEST_CALL)
    return load_of_async_io(inputs, RELEASE).errors


@pytest.mark.parametrize("timeout_ms", [500, 700])
def test_a_timeout_that_forgets_the_line_in_the_pool_fails_the_job(
    cluster: Cluster, jobs: Path, timeout_ms: int
) -> None:
    job = cluster.submit(jobs, "AsyncJob", records=2000, pool=10, capacity=250, timeout_ms=timeout_ms, **CALLS)
    assert cluster.ended(job) == "FAILED"
    assert TIMED_OUT in cluster.failure(job)
    assert complaints(10, 250, timeout_ms / 1000)


@pytest.mark.parametrize("ordered", ["false", "true"])
def test_the_same_job_finishes_with_the_timeout_that_flint_recommends(
    cluster: Cluster, jobs: Path, ordered: str
) -> None:
    timeout_ms = recommended_ms(10, 250, read_timeout=SLOWEST_CALL)
    arguments = {"records": 1000, "pool": 10, "capacity": 250, "timeout_ms": timeout_ms, "ordered": ordered}
    job = cluster.submit(jobs, "AsyncJob", **arguments, **CALLS)
    assert cluster.ended(job) == "FINISHED"
    assert cluster.accumulator(job, "answers") == 1000
    assert not complaints(10, 250, timeout_ms / 1000)


def test_swallowed_timeouts_cost_most_of_the_answers(cluster: Cluster, jobs: Path) -> None:
    """A call that has timed out stays in the pool's line, so that those behind it wait the longer."""
    arguments = {"records": 1000, "pool": 10, "capacity": 250, "skip_timeouts": "true", **CALLS}
    lost = {}
    for timeout_ms in (700, recommended_ms(10, 250, read_timeout=SLOWEST_CALL)):
        job = cluster.submit(jobs, "AsyncJob", timeout_ms=timeout_ms, **arguments)
        assert cluster.ended(job) == "FINISHED"
        lost[timeout_ms] = cluster.accumulator(job, "timeouts")
    short, enough = lost.values()
    assert short > 500
    assert enough == 0


@pytest.mark.parametrize(("capacity", "state"), [(1000, "FINISHED"), (10_000, "FAILED")])
def test_the_same_pool_and_timeout_bear_one_capacity_and_not_ten_times_of_it(
    cluster: Cluster, jobs: Path, capacity: int, state: str
) -> None:
    job = cluster.submit(
        jobs, "AsyncJob", records=capacity * 5 // 2, pool=25, capacity=capacity, timeout_ms=4000, **CALLS
    )
    assert cluster.ended(job) == state
    if state == "FAILED":
        assert TIMED_OUT in cluster.failure(job)
    assert bool(complaints(25, capacity, 4.0)) == (state == "FAILED")


def test_the_timeout_does_not_cover_the_wait_for_a_place_in_the_queue(cluster: Cluster, jobs: Path) -> None:
    """Thirty calls one after the other take 3 s, and none of them times out after 1 s."""
    job = cluster.submit(jobs, "AsyncJob", records=30, pool=1, capacity=1, timeout_ms=1000, call_ms=100)
    assert cluster.ended(job) == "FINISHED"
    assert cluster.accumulator(job, "answers") == 30


def test_the_timeout_covers_all_attempts_and_the_pauses_between_them(cluster: Cluster, jobs: Path) -> None:
    """Four calls of 100 ms and three pauses of 100 ms are 700 ms."""
    arguments = {"records": 20, "pool": 20, "capacity": 20, "call_ms": 100, "attempts": 4, "retry_delay_ms": 100}
    forgetful = recommended_ms(20, 20, read_timeout=0.1)
    job = cluster.submit(jobs, "AsyncJob", timeout_ms=forgetful, **arguments)
    assert cluster.ended(job) == "FAILED"
    assert TIMED_OUT in cluster.failure(job)
    enough = recommended_ms(20, 20, read_timeout=0.1, retries=3, pause=0.1)
    job = cluster.submit(jobs, "AsyncJob", timeout_ms=enough, **arguments)
    assert cluster.ended(job) == "FINISHED"
    assert cluster.accumulator(job, "answers") == 20


def test_a_strategy_that_retries_every_exception_retries_timeouts_too(cluster: Cluster, jobs: Path) -> None:
    """Then the timeout bounds nothing: each call takes five times as long."""
    arguments = {"records": 20, "pool": 20, "capacity": 20, "call_ms": 1000, "attempts": 2, "timeout_ms": 200}
    states = {}
    for retried in ("true", "false"):
        job = cluster.submit(jobs, "AsyncJob", retry_timeouts=retried, **arguments)
        states[retried] = cluster.ended(job)
    assert states == {"true": "FINISHED", "false": "FAILED"}
    assert TIMED_OUT in cluster.failure(job)
