"""Async I/O: the configurations of a field report and of an experiment come out as they did in reality."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculators.async_io import (
    AsyncIo,
    AsyncIoInForce,
    carried_by_async_io,
    size_async_io,
)
from calculators.declaration import BadInput
from calculators.formulas.async_calls import capacity_of_client, longest_call, required_timeout
from linter.flink.releases import NEWEST, parse_release, release_at

RELEASE = release_at(NEWEST)


def test_the_configuration_that_failed_in_production_is_an_error() -> None:
    answer = size_async_io(AsyncIo(pool=25, capacity=10_000, read_timeout=2, timeout=4, margin=2), RELEASE)
    assert answer.value("calls_in_line") == 400
    assert answer.value("timeout") == 802
    assert answer.value("budget_per_call") == pytest.approx(0.010)
    assert answer.errors == (
        (
            "400 calls in line for a thread, 2 s each, take 13 min 20 s, more than the timeout of 4 s: when capacity "
            "fills up, records time out and the job fails"
        ),
    )


def test_the_configuration_that_cured_it_stands() -> None:
    answer = size_async_io(AsyncIo(pool=200, capacity=5000, read_timeout=2, timeout=52, margin=2), RELEASE)
    assert answer.value("timeout") == 52
    assert answer.errors == ()


def test_it_falls_short_where_every_call_connects_anew() -> None:
    answer = size_async_io(
        AsyncIo(pool=200, capacity=5000, read_timeout=2, connect_timeout=0.35, pooled=False, timeout=52), RELEASE
    )
    assert answer.value("timeout") == pytest.approx(61.1)
    assert len(answer.errors) == 1


@pytest.mark.parametrize(("capacity", "fails"), [(10_000, True), (1_000, False)])
def test_the_measured_runs_come_out_as_they_did(capacity: int, fails: bool) -> None:
    # 25 threads, calls of 20 to 60 ms, a backlog of 18 000 records and a timeout of 4 s: 10 000 failed, 1 000 finished.
    answer = size_async_io(
        AsyncIo(pool=25, capacity=capacity, read_timeout=2, timeout=4, latency=0.06, mean_latency=0.04), RELEASE
    )
    assert bool(answer.errors) is fails
    assert answer.warnings or fails  # what finishes still hangs on the service staying well


@pytest.mark.parametrize(("capacity", "timeout", "fails"), [(250, 0.7, True), (250, 1.3, False), (10, 0.2, False)])
def test_timeouts_counted_on_a_real_operator(capacity: int, timeout: float, fails: bool) -> None:
    # 10 threads, blocking calls of 40 ms: 1 346 of 1 500 records timed out at 0.7 s, three at 1.3 s, none at 200 ms.
    answer = size_async_io(
        AsyncIo(pool=10, capacity=capacity, read_timeout=0.1, timeout=timeout, latency=0.04), RELEASE
    )
    assert bool(answer.errors) is fails


def test_an_asynchronous_client_is_sized_by_what_is_in_flight() -> None:
    answer = size_async_io(
        AsyncIo(client="async", rate=3000, parallelism=4, latency=0.05, read_timeout=2.35, catch_up=1), RELEASE
    )
    assert answer.value("capacity") == 46
    assert answer.value("timeout") == pytest.approx(2.82)
    assert "TimeUnit.MILLISECONDS, 46" in answer.elsewhere[0].text


def test_retries_and_their_pauses_count_into_the_timeout() -> None:
    assert longest_call(2, retries=3, pause=0.5) == 9.5
    answer = size_async_io(AsyncIo(pool=10, capacity=10, read_timeout=2, retries=3, pause=0.5, margin=0), RELEASE)
    assert answer.value("timeout") == 9.5


def test_a_shared_pool_serves_each_slot_with_its_part() -> None:
    alone = size_async_io(AsyncIo(pool=40, capacity=400, read_timeout=1, margin=0), RELEASE)
    shared = size_async_io(AsyncIo(pool=40, capacity=400, read_timeout=1, margin=0, shared_by=4), RELEASE)
    assert alone.value("timeout") == 10
    assert shared.value("timeout") == 40


def test_the_service_s_limit_binds_before_the_rate() -> None:
    answer = size_async_io(AsyncIo(rate=10_000, parallelism=4, latency=0.1, read_timeout=2, limit=100), RELEASE)
    assert answer.value("pool") == 25
    assert answer.binding == "the service bears 100 calls at once"
    assert "holds the source back" in answer.warnings[0]


def test_fewer_records_than_threads_leave_threads_idle() -> None:
    answer = size_async_io(AsyncIo(pool=100, capacity=20, read_timeout=1, timeout=5), RELEASE)
    assert "leaves 80 of 100 threads without work" in answer.warnings[0]


def test_a_timeout_below_one_healthy_call_fails_the_job() -> None:
    answer = size_async_io(AsyncIo(pool=10, capacity=10, read_timeout=2, latency=1, timeout=0.5), RELEASE)
    assert any("fails the job" in error for error in answer.errors)


def test_records_in_flight_are_state() -> None:
    answer = size_async_io(AsyncIo(pool=10, capacity=1000, read_timeout=1, record_size=2048, parallelism=8), RELEASE)
    assert answer.value("state_in_flight") == 1000 * 2048 * 8


def test_a_limit_below_one_call_a_subtask_contradicts() -> None:
    with pytest.raises(BadInput, match="--limit: 3 calls are fewer than the 4 subtasks"):
        AsyncIo(rate=10, parallelism=4, latency=0.1, read_timeout=2, limit=3)


@given(st.integers(1, 10_000), st.integers(1, 500), st.floats(0.001, 60))
def test_more_capacity_never_wants_less_time_and_more_threads_never_more(capacity: int, pool: int, call: float) -> None:
    needed = required_timeout(capacity, pool, call)
    assert required_timeout(capacity + 1, pool, call) >= needed
    assert required_timeout(capacity, pool + 1, call) <= needed


@given(st.floats(0.1, 1e5), st.floats(0.001, 10))
def test_a_client_s_capacity_grows_with_rate_and_latency(rate: float, latency: float) -> None:
    capacity = capacity_of_client(rate, latency)
    assert capacity >= rate * latency
    assert capacity_of_client(rate * 2, latency) >= capacity
    assert capacity_of_client(rate, latency * 2) >= capacity


@given(st.integers(1, 400), st.integers(1, 5000), st.floats(0.01, 5))
def test_what_is_recommended_is_found_safe_the_other_way_round(pool: int, capacity: int, call: float) -> None:
    timeout = size_async_io(AsyncIo(pool=pool, capacity=capacity, read_timeout=call), RELEASE).value("timeout")
    back = carried_by_async_io(
        AsyncIoInForce(pool=pool, capacity=capacity, timeout=timeout, read_timeout=call), RELEASE
    )
    assert back.value("safe_capacity") >= capacity
    assert back.errors == ()


@given(st.floats(1, 1e5), st.floats(0.001, 1), st.integers(1, 200))
def test_the_recommendation_carries_the_rate_of_a_catch_up(rate: float, latency: float, parallelism: int) -> None:
    answer = size_async_io(
        AsyncIo(rate=rate, latency=latency, read_timeout=2, parallelism=parallelism, catch_up=1.5), RELEASE
    )
    assert answer.value("carried_rate") >= rate * 1.5 * (1 - 1e-9)


def test_flink_s_own_retries_pause_without_a_thread() -> None:
    # Measured: 10 threads, 250 in flight, calls of 40 ms tried twice, 10 ms apart: 1 900 ms lost half, 2 100 ms none.
    def timeout(by: str) -> float:
        inputs = AsyncIo(
            pool=10, capacity=250, read_timeout=0.04, retries=1, pause=0.01, margin=0, retried_by=by
        )  # fmt: skip
        found = size_async_io(inputs, RELEASE).value("timeout")
        assert isinstance(found, float)
        return found

    assert timeout("flink") == pytest.approx(25 * 2 * 0.04 + 0.01)
    assert timeout("client") == pytest.approx(25 * (2 * 0.04 + 0.01))


@pytest.mark.parametrize(("version", "says"), [("1.15", "no AsyncRetryStrategy"), ("1.20", "HAS_EXCEPTION_PREDICATE")])
def test_what_flink_s_own_retries_do_to_timeouts_is_told(version: str, says: str) -> None:
    inputs = AsyncIo(pool=10, capacity=10, read_timeout=1, retries=1, pause=0.1, retried_by="flink")
    assert says in size_async_io(inputs, parse_release(version)).warnings[0]
    assert size_async_io(inputs, parse_release("2.0")).warnings == ()
