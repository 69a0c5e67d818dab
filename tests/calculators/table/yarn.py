"""Short names of the vectors on YARN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.formulas.quantity import DAY
from flink_flint.calculators.yarn import Yarn, size_yarn
from flink_flint.linter.flink.releases import parse_release


def _yarn_failed(inputs: dict[str, Any]) -> dict[str, Any]:
    if "mean_losses" in inputs:
        asked = Yarn(containers=1, losses=inputs["mean_losses"] / DAY, lifetime=DAY, certainty=inputs["q"])
    else:
        asked = Yarn(
            containers=inputs.get("containers", 1),
            losses=inputs["per_day"] / DAY,
            lifetime=inputs["days"] * DAY,
            certainty=inputs["q"],
        )
    return {"budget": size_yarn(asked, parse_release("1.4")).value("budget")}


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"yarn_failed": _yarn_failed}
