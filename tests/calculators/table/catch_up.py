"""Short names of the vectors on catching up."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flink_flint.calculators.catch_up import size_catch_up
from flink_flint.calculators.inputs.catch_up import CatchUp
from flink_flint.linter.flink.releases import NEWEST, release_at
from tests.calculators.table import level

_NAMES = {
    "rate": "rate", "capacity": "capacity", "lag": "lag", "down_s": "downtime", "throttle": "throttle",
    "retention_s": "retention", "deadline_s": "deadline", "behind_s": "behind", "sink_limit": "sink_limit",
    "fan_out": "fan_out",
}  # fmt: skip


def _catch_up(inputs: dict[str, Any]) -> dict[str, Any]:
    answer = size_catch_up(
        CatchUp(**{_NAMES[name]: value for name, value in inputs.items() if value is not None}), release_at(NEWEST)
    )
    seconds = answer.value("catch_up_time")
    return {
        "seconds": "inf" if math.isinf(seconds) else seconds,
        "backlog": answer.value("backlog"),
        "level": level(answer),
    }


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"catch_up": _catch_up}
