"""The vectors of restarts: how many fall into an outage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.formulas.restart_delays import Curve, restarts_within


def _restart_exp(inputs: dict[str, Any]) -> dict[str, Any]:
    curve = Curve(inputs.get("init", 1), inputs.get("mult", 1.5), inputs.get("max", 60))
    return {"restarts": restarts_within(inputs["outage"], curve, inputs.get("restart_cost", 0))}


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"restart_exp": _restart_exp}
