"""Short names of the vectors on parallelism and on Flink's default max parallelism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.formulas.autoscaling import SCALE_DOWN_LIMIT, SCALE_UP_LIMIT, required_capacity
from flink_flint.calculators.formulas.key_groups import default_max_parallelism
from flink_flint.calculators.inputs.parallelism import Parallelism
from flink_flint.calculators.parallelism import size_parallelism
from flink_flint.linter.flink.releases import NEWEST, release_at
from tests.calculators.table import level

_CAPACITY = {"util": "utilization", "lag": "lag", "catchup_s": "catch_up", "restart_s": "restart"}
_NAMES = {
    **_CAPACITY, "current": "parallelism", "target": "rate", "tpr": "true_rate", "key_groups": "max_parallelism",
    "max_parallelism": "max_parallelism", "partitions": "partitions", "down": "scale_down_limit",
    "up": "scale_up_limit", "scale_down": "scale_down_limit", "scale_up": "scale_up_limit", "min": "least",
    "max": "most", "lower": "least", "upper": "most", "mode": "alignment", "slots": "slots",
}  # fmt: skip


def _parallelism(inputs: dict[str, Any]) -> dict[str, Any]:
    given = {_NAMES[name]: value for name, value in inputs.items() if value is not None}
    if "true_rate" not in given:
        known = {name: given[name] for name in _CAPACITY.values() if name in given}
        utilization = {"utilization": known.pop("utilization")} if "utilization" in known else {}
        return {"capacity": required_capacity(given["rate"], **utilization, **known)}
    given["keyed"] = "key_groups" in inputs
    # The vectors are the autoscaler's own, which limits each step.
    given.setdefault("scale_down_limit", SCALE_DOWN_LIMIT)
    given.setdefault("scale_up_limit", SCALE_UP_LIMIT)
    answer = size_parallelism(Parallelism(**given), release_at(NEWEST))
    return {
        "parallelism": answer.value("parallelism"),
        "raw": answer.value("needed"),
        "capacity": answer.value("capacity"),
        "slots": answer.value("slots"),
        "taskmanagers": answer.value("taskmanagers"),
        "skew": answer.value("skew"),
        "level": level(answer),
    }


def _max_parallelism(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"max": default_max_parallelism(inputs["p"])}


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "parallelism": _parallelism,
    "max_parallelism_default": _max_parallelism,
}
