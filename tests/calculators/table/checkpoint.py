"""The vectors of checkpoints: interval, timeout and optimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.checkpoint import size_checkpoint
from flink_flint.calculators.formulas import checkpoint_timing as timing
from flink_flint.calculators.inputs.checkpoint import Checkpoint
from flink_flint.linter.flink.releases import parse_release

_NAMES = {
    "e2e_s": "duration", "finalise_s": "finalize", "interval_s": "interval", "timeout_s": "timeout",
    "min_pause_s": "min_pause", "mtbf_s": "mtbf", "cost_s": "cost",
}  # fmt: skip


def _checkpoint(inputs: dict[str, Any]) -> dict[str, Any]:
    results: dict[str, Any] = {}
    cost, mtbf = inputs.get("cost_s"), inputs.get("mtbf_s")
    if cost is not None and mtbf is not None:
        results |= {"young_s": timing.young(cost, mtbf), "exact_s": timing.optimum(cost, mtbf)}
    if "e2e_s" in inputs:
        given = {_NAMES[name]: value for name, value in inputs.items() if name in _NAMES}
        if cost is None or cost > inputs["e2e_s"]:
            given.pop("cost", None)
            given.pop("mtbf", None)
        answer = size_checkpoint(Checkpoint(**given), parse_release("1.20"))
        least = answer.value("least_interval")
        results |= {
            "level": "error" if answer.errors else "warning" if answer.warnings else "ok",
            "min_interval_s": least,
            "min_timeout_s": answer.value("least_timeout"),
            "min_pause_s": timing.pause_of(least),
        }
    return results


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"checkpoint": _checkpoint}
