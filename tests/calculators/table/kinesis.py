"""Short names of the vectors on Kinesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.inputs.kinesis import Kinesis
from flink_flint.calculators.kinesis import size_kinesis
from flink_flint.linter.flink.releases import parse_release
from tests.calculators.table import level

_NAMES = {
    "consumers": "consumers", "utilization": "utilization", "avg": "record_size", "sink_rec_s": "sink_records",
    "sink_bytes_s": "sink_bytes", "shards": "shards", "rate": "rate",
}  # fmt: skip


def _kinesis(inputs: dict[str, Any]) -> dict[str, Any]:
    given = {_NAMES[name]: value for name, value in inputs.items() if value is not None}
    answer = size_kinesis(Kinesis(**{"shards": 1, "connector": "consumer", **given}), parse_release("1.20"))
    return {
        "interval_ms": answer.value("interval") * 1000,
        "max_records": answer.value("max_records"),
        "read_rec_s": answer.value("read_rate"),
        "read_bytes_s": answer.value("read_bytes"),
        "level": level(answer),
    }


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"kinesis": _kinesis}
