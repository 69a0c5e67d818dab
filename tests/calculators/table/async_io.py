"""Short names of the vectors on async I/O."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.async_io import size_async_io
from flink_flint.calculators.inputs.async_io import AsyncIo
from flink_flint.linter.flink.releases import NEWEST, release_at
from tests.calculators.table import level

_NAMES = {
    "pool": "pool", "capacity": "capacity", "read_timeout_s": "read_timeout", "max_call_s": "read_timeout",
    "connect_timeout_s": "connect_timeout", "pooled": "pooled", "retries": "retries", "backoff_s": "pause",
    "timeout_s": "timeout", "margin_s": "margin", "rate_per_s": "rate", "parallelism": "parallelism",
    "p99_s": "latency", "mean_s": "mean_latency", "ordered": "ordered", "slots": "shared_by",
}  # fmt: skip


def _async_io(inputs: dict[str, Any]) -> dict[str, Any]:
    given = {_NAMES[name]: value for name, value in inputs.items() if value is not None}
    if given.get("pool") is None:
        given["client"] = "async"
    if "rate" in given:
        given["catch_up"] = 1.0
    answer = size_async_io(AsyncIo(**given), release_at(NEWEST))
    found = {value.name: value.value for value in answer.values}
    return {
        "capacity": found["capacity"],
        "pool": found.get("pool"),
        "per_thread": found.get("calls_in_line"),
        "drain_s": found.get("drain"),
        "required_timeout_s": found["timeout"],
        "budget_per_call_ms": found["budget_per_call"] * 1000 if "budget_per_call" in found else None,
        "level": level(answer),
    }


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"async_io": _async_io}
