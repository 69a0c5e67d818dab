"""Inputs of the async I/O calculator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.async_calls import longest_call, pauses_of, pool_of_subtask
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    YES_NO,
    choice,
    counted,
    spell_duration,
)

_MOST = 2147483647
"""The largest Java int, the type of threads and capacity."""


def _blocking(inputs: Service) -> bool:
    return inputs.client == "pool"


def _unsized(inputs: AsyncIo) -> bool:
    """Return whether the rate is required because capacity or pool is not given."""
    return inputs.capacity is None or (_blocking(inputs) and inputs.pool is None)


def _has_connect_timeout(inputs: Service) -> bool:
    return bool(inputs.connect_timeout)


def _retries(inputs: Service) -> bool:
    return bool(inputs.retries)


def _pauses_a_thread(inputs: Service) -> bool:
    return _blocking(inputs) and bool(inputs.pause)


def _has_rate(inputs: AsyncIo) -> bool:
    return bool(inputs.rate)


def _is_sized(inputs: Service) -> bool:
    """Return whether the latency is required because a rate is given."""
    return isinstance(inputs, AsyncIo) and _has_rate(inputs)


def _has_latency(inputs: Service) -> bool:
    return bool(inputs.latency or inputs.mean_latency)


@dataclass(frozen=True, kw_only=True)
class Service(Inputs):
    """Inputs shared by `AsyncIo` and `CurrentAsyncIo`: the service, its client and the operator."""

    client: str = ask(
        choice("pool", "async"),
        "how calls are made: blocking, on a pool of threads, or by an asynchronous client",
        default="pool",
        assumed="calls block a thread of a pool",
    )
    read_timeout: float = ask(SECONDS, "the client's read timeout: the longest a response may take", above=0)
    connect_timeout: float = ask(
        SECONDS, "the client's connect timeout", default=0.0, assumed="the read timeout covers connecting", least=0
    )
    pooled: bool = ask(
        YES_NO,
        "whether connections are kept open, so that calls reuse them",
        default=True,
        assumed="most clients keep connections open",
        when=_has_connect_timeout,
    )
    retries: int = ask(
        COUNT, "attempts after the first, by the client or an AsyncRetryStrategy", default=0, assumed="none", least=0
    )
    pause: float = ask(SECONDS, "the pause before each retry", default=0.0, assumed="none", least=0, when=_retries)
    retried_by: str = ask(
        choice("client", "flink"),
        "who retries: the client, whose pauses occupy a thread, or an AsyncRetryStrategy of Flink",
        default="client",
        assumed="pauses occupy a thread",
        when=_pauses_a_thread,
    )
    latency: float | None = ask(
        SECONDS,
        "how long a call takes while the service is healthy, at its 99th percentile",
        default=None,
        above=0,
        needed=_is_sized,
    )
    mean_latency: float | None = ask(
        SECONDS,
        "how long a call takes on average, for the throughput of a pool (default: the 99th percentile)",
        default=None,
        above=0,
        when=_blocking,
    )
    parallelism: int = ask(
        COUNT, "subtasks of the async operator", default=1, assumed="one subtask", least=1, option="parallelism.default"
    )
    shared_by: int = ask(
        COUNT,
        "subtasks in one TaskManager that share a static pool (its slots)",
        default=1,
        assumed="each subtask has a pool of its own",
        least=1,
        when=_blocking,
    )
    utilization: float = ask(
        FRACTION,
        "the share of time in which threads or the client may be busy",
        default=0.7,
        assumed="the rest is room for uneven load",
        above=0,
        most=1,
        when=_blocking,
    )
    catch_up: float = ask(
        NUMBER,
        "the rate while a backlog is read, as a multiple of the usual rate",
        default=2.0,
        assumed="a backlog is read at twice the usual rate",
        least=1,
        when=_has_latency,
    )
    margin: float | None = ask(
        SECONDS,
        "the margin above the longest wait (default: one call, or 20 % of one with an async client)",
        default=None,
        least=0,
    )

    @property
    def pauses(self) -> float:
        """The seconds that a record waits for its retries without occupying a thread."""
        return pauses_of(self.retries, self.pause) if self.client == "pool" and self.retried_by == "flink" else 0.0

    @property
    def call(self) -> float:
        """The maximum seconds of a record's call, retries included; with a thread pool, only the time on a thread."""
        pause = 0.0 if self.pauses else self.pause
        return longest_call(
            self.read_timeout, self.connect_timeout, pooled=self.pooled, retries=self.retries, pause=pause
        )

    @property
    def service_time(self) -> float | None:
        """The usual duration in seconds of a call while the service is healthy; None if unknown."""
        return self.mean_latency or self.latency

    def threads_of(self, pool: int | None) -> int | None:
        """Return how many of a pool's threads one subtask gets; None if unknown or if the client is asynchronous."""
        return None if pool is None or self.client == "async" else pool_of_subtask(pool, self.shared_by)

    def contradictions(self) -> Iterator[BadInput]:
        if self.latency is not None and self.latency > self.read_timeout:
            yield BadInput(
                "latency",
                f"{spell_duration(self.latency)} is above the read timeout of {spell_duration(self.read_timeout)}, "
                "at which the client gives up",
            )
        if self.mean_latency is not None and self.latency is not None and self.mean_latency > self.latency:
            yield BadInput(
                "mean_latency",
                f"{spell_duration(self.mean_latency)} is above the 99th percentile of {spell_duration(self.latency)}",
            )


@dataclass(frozen=True, kw_only=True)
class AsyncIo(Service):
    """Inputs for sizing the capacity, timeout and thread pool of an async operator."""

    rate: float | None = ask(
        PER_SECOND,
        "records per second that reach the operator, over all subtasks",
        default=None,
        above=0,
        metric="numRecordsInPerSecond",
        statistic="p95",
        needed=_unsized,
    )
    limit: int | None = ask(
        COUNT, "calls the service accepts at once, from all subtasks", default=None, least=1, when=_has_rate
    )
    ordered: bool = ask(YES_NO, "whether results keep the order of the records", default=False, assumed="unorderedWait")
    pool: int | None = ask(COUNT, "current threads", default=None, least=1, most=_MOST, when=_blocking)
    capacity: int | None = ask(COUNT, "current capacity", default=None, least=1, most=_MOST)
    timeout: float | None = ask(SECONDS, "current timeout", default=None, above=0)
    record_size: int | None = ask(
        BYTES,
        "the size of a record, for the state that records in flight take in a checkpoint",
        default=None,
        least=1,
        example="2kb",
    )

    def contradictions(self) -> Iterator[BadInput]:
        yield from super().contradictions()
        if self.limit is not None and self.limit < self.parallelism:
            yield BadInput(
                "limit",
                f"{counted(self.limit, 'call')} {'is' if self.limit == 1 else 'are'} fewer than the "
                f"{counted(self.parallelism, 'subtask')}, "
                "each of which makes at least one",
            )


@dataclass(frozen=True, kw_only=True)
class CurrentAsyncIo(Service):
    """Inputs for computing the load that the current capacity, timeout and thread pool sustain."""

    pool: int | None = ask(
        COUNT, "current threads", default=None, least=1, most=_MOST, when=_blocking, needed=_blocking
    )
    capacity: int = ask(COUNT, "current capacity", least=1, most=_MOST)
    timeout: float = ask(SECONDS, "current timeout", above=0)
