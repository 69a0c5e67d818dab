"""Calls of AsyncDataStream in a program, with all times in seconds."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple


def program(call: str, before: str = "") -> str:
    """Return a Java program for a test case: a job that makes one call of AsyncDataStream."""
    return f"{_IMPORT}class Job {{ void run(int n) {{ {before}AsyncDataStream.{call}; }} }}\n"


_IMPORT = "import org.apache.flink.streaming.api.datastream.AsyncDataStream;\n\n"


MANY = 10_000
"""The number of calls in flight in one subtask from which on they slow down its checkpoints."""


class AsyncCall(NamedTuple):
    """A call of AsyncDataStream, with times in seconds; attributes are None if the source does not show them."""

    part: ElementView
    function: ElementView
    """The element with the attributes of the async function: the call itself, or the class in another file."""
    timeout: float | None
    """The timeout of the call in seconds; None also for 0, for which Flink sets no timer."""
    capacity: int | None
    threads: int | None
    """The number of the pool's threads that one subtask can use; None also without a pool."""
    has_pool: bool
    request: float | None
    """The seconds that the client waits for one response."""
    retries: int | None
    """The number of retries of Flink's own retry strategy; 0 without a strategy."""
    pause: float | None
    """The seconds before each retry of Flink's own retry strategy."""
    handles_timeout: bool | None
    """Whether the function overrides `timeout` to decide what happens to records that time out."""


def calls(config: View) -> Iterator[AsyncCall]:
    """Yield the calls of AsyncDataStream in a program."""
    elsewhere = {function.name: function for function in config.elements_beside("async-function")}
    for part in config.elements("async-call"):
        function = part if part.has("timeout-handled") else elsewhere.get(part.text("function") or "", part)
        threads = _whole(function, "threads")
        if threads is not None and function.flag("threads-shared"):
            threads = _share(config, threads)
        retried = part.has("retries")
        retries, pause = _whole(part, "retries"), part.number("retry-delay")
        yield AsyncCall(
            part,
            function,
            _seconds(part.number("timeout")) or None,
            _whole(part, "capacity"),
            threads,
            function.has("threads"),
            _seconds(function.number("request-timeout")),
            retries if retried else 0,
            _seconds(pause) if retried else 0.0,
            function.flag("timeout-handled"),
        )


def _share(config: View, threads: int) -> int:
    """The threads each subtask has of a pool that its process has once, where the slots are known."""
    from flink_flint.calculators.formulas.async_calls import pool_of_subtask

    slots = config.integer("taskmanager.numberOfTaskSlots")
    return pool_of_subtask(threads, slots) if slots else threads


def _whole(part: ElementView, name: str) -> int | None:
    value = part.number(name)
    return int(value) if value is not None and value >= 0 else None


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None or milliseconds < 0 else milliseconds / 1000


def seconds(value: float) -> str:
    """Format a duration in seconds as programs state it: ``802 s``, ``250 ms``."""
    if value < 1:
        return f"{value * 1000:.3g} ms"
    return f"{value:.10g} s" if value == int(value) else f"{value:.1f} s"


def counted(number: int) -> str:
    """Format a number with spaces as thousands separators: ``10 000``."""
    return f"{number:,}".replace(",", " ")


def of_threads(number: int) -> str:
    """Format a number of threads: ``25 threads``, ``1 thread``."""
    return f"{counted(number)} thread{'' if number == 1 else 's'}"
