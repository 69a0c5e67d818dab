"""Short names of the vectors on disks; decimal GB and MB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.formulas.quantity import DAY
from flink_flint.calculators.inputs.storage import Storage
from flink_flint.calculators.storage import size_storage
from flink_flint.linter.flink.releases import NEWEST, release_at

_RELEASE = release_at(NEWEST)


def _slf4j(inputs: dict[str, Any]) -> dict[str, Any]:
    answer = size_storage(
        Storage(
            store="logs",
            report_every=float(inputs["interval_s"]),
            reported_subtasks=int(inputs["subtasks"]),
            processes=int(inputs.get("taskmanagers") or 1),
        ),
        _RELEASE,
    )
    a_day = answer.value("metrics") * DAY
    return {"mb_per_day": a_day / 1e6, "gb_per_day": a_day / 1e9, "bytes_per_day": a_day}


def _checkpoints(inputs: dict[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {"state": round(inputs["full_gb"] * 1e9)}
    for short, name in (("retained", "retained"), ("replication", "replication"), ("concurrent", "concurrent")):
        if inputs.get(short) is not None:
            given[name] = int(inputs[short])
    if inputs.get("incremental"):
        given["incremental"] = True
    if (count := inputs.get("savepoints")) is not None:
        given |= {"savepoint_every": DAY, "savepoints": int(count), "ahead": DAY * max(1, count)}
    answer = size_storage(Storage(**given), _RELEASE)
    return {
        "gb": answer.value("size") / 1e9,
        "tb": answer.value("size") / 1e12,
        "savepoints_gb": answer.value("savepoints") / 1e9,
    }


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"disk_slf4j": _slf4j, "disk_ckpt": _checkpoints}
