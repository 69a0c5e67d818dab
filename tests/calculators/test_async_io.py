"""Async I/O: the configurations of a field report and of an experiment come out as they did in reality."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.async_io import AsyncIo, CurrentAsyncIo, load_of_async_io, size_async_io
from flink_flint.calculators.formulas.async_calls import capacity_of_client, longest_call, required_timeout
from flink_flint.linter.flink.releases import NEWEST, parse_release, release_at

RELEASE = release_at(NEWEST)


def test_the_configuration_that_failed_in_production_is_an_error() -> None:
    answer = size_async_io(AsyncIo(pool=25, capacity=10_000, read_timeout=2, timeout=4, margin=2), RELEASE)
    assert answer.value("calls_in_line") == 400
    assert answer.value("timeout") == 802
    assert answer.value("budget_per_call") == pytest.approx(0.010)
    assert answer.errors == (
        (
            "400 calls queued for a thread, 2 s each, take 13 min 20 s, more than the timeout of 4 s: when capacity "
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
    answer = size_async_io(AsyncIo(rate=800, parallelism=4, latency=0.1, read_timeout=2, limit=100), RELEASE)
    assert answer.value("pool") == 25
    assert answer.binding.endswith("with a margin of 2 s; the service accepts 100 calls at once")
    assert "holds the source back" in answer.warnings[0]


def test_a_pool_too_small_for_a_catch_up_is_told() -> None:
    answer = size_async_io(AsyncIo(rate=3500, latency=0.04, read_timeout=2, pool=200), RELEASE)
    assert answer.value("pool") == 400
    assert answer.warnings == (
        (
            "200 calls at once of 40 ms answer 5 000/s at most, less than the 7 000/s of a catch-up at 2 times the "
            "usual rate: the operator holds the source back, and a backlog takes longer"
        ),
    )
    busy = size_async_io(AsyncIo(rate=3500, latency=0.04, read_timeout=2, pool=300), RELEASE)
    assert "the 7 000/s of a catch-up take 93.33 % of that, more than the 70 %" in busy.warnings[0]
    assert not size_async_io(AsyncIo(rate=3500, latency=0.04, read_timeout=2, pool=400), RELEASE).warnings
    assert size_async_io(AsyncIo(rate=6000, latency=0.04, read_timeout=2, pool=200), RELEASE).errors


def test_a_client_whose_capacity_is_too_small_for_a_catch_up_is_told() -> None:
    known = {"client": "async", "rate": 1000.0, "latency": 0.1, "read_timeout": 2.0}
    assert "less than the 2 000/s of a catch-up" in size_async_io(AsyncIo(capacity=150, **known), RELEASE).warnings[0]
    assert size_async_io(AsyncIo(capacity=240, **known), RELEASE).warnings == ()


def test_threads_that_no_program_has_are_an_error_without_a_line_to_copy() -> None:
    answer = size_async_io(AsyncIo(rate=1e10, latency=1, read_timeout=2), RELEASE)
    assert "more than any pool has, 2 147 483 647" in answer.errors[0]
    assert answer.elsewhere == ()
    with pytest.raises(BadInput, match="--pool"):
        AsyncIo(pool=1 << 31, capacity=10, read_timeout=1)


def test_a_pool_of_very_many_threads_is_advised_against() -> None:
    answer = size_async_io(AsyncIo(rate=10_000, latency=0.1, read_timeout=2, catch_up=1), RELEASE)
    assert "1 429 threads in one subtask" in answer.warnings[0]
    assert "--client async" in answer.warnings[0]


def test_the_reason_explains_the_timeout_which_is_the_answer() -> None:
    answer = size_async_io(AsyncIo(rate=3000, latency=0.04, read_timeout=2), RELEASE)
    assert answer.values[0].name == "timeout"
    assert answer.binding == ("2 calls are queued for each of 343 threads, and each may take 2 s, with a margin of 2 s")
    assert "The longest a call can take: 2 s, the client's read timeout." in answer.steps


def test_what_may_usually_arrive_leaves_room_for_a_catch_up_both_ways() -> None:
    answer = size_async_io(AsyncIo(rate=3500, latency=0.04, read_timeout=2, catch_up=2), RELEASE)
    back = load_of_async_io(
        CurrentAsyncIo(
            pool=answer.value("pool"), capacity=answer.value("capacity"), timeout=answer.value("timeout"),
            read_timeout=2, latency=0.04,
        ),
        RELEASE,
    )  # fmt: skip
    assert back.value("safe_rate") == pytest.approx(3500)
    assert back.value("carried_rate") == pytest.approx(7000)
    assert answer.value("safe_rate") == pytest.approx(back.value("safe_rate"))


def test_one_call_is_not_one_calls() -> None:
    answer = size_async_io(AsyncIo(pool=10, capacity=10, read_timeout=2, margin=0), RELEASE)
    assert answer.binding == "1 call is queued for each of 10 threads and may take 2 s"
    assert "= 1 call;" in answer.steps[1]


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
    back = load_of_async_io(CurrentAsyncIo(pool=pool, capacity=capacity, timeout=timeout, read_timeout=call), RELEASE)
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


def test_a_limit_below_the_usual_rate_is_an_error() -> None:
    answer = size_async_io(AsyncIo(rate=1000, latency=10, read_timeout=20, parallelism=10, limit=10), RELEASE)
    assert answer.errors[0].startswith("within the service's limit the job answers 1/s at most, and 1 000/s arrive")
