"""Short names of the vectors on RPC sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.calculators.inputs.rpc_size import RpcSize
from flink_flint.calculators.rpc_size import size_rpc
from flink_flint.linter.flink.releases import NEWEST, release_at
from tests.calculators.table import level

_NAMES = {
    "list_elements": "list_elements", "elements": "list_elements", "total_elements": "sequence", "sequence": "sequence",
    "observed_bytes": "observed", "bytes_per_subtask": "observed", "subtasks": "parallelism", "operators": "operators",
    "handles": "handles", "inlined_handles": "handles", "handle_bytes": "handle_size", "files": "files",
    "frame_bytes": "frame", "threshold": "threshold", "retained": "retained", "concurrent": "concurrent",
    "heap_bytes": "heap", "sources": "tasks",
}  # fmt: skip


def _rpc(inputs: dict[str, Any]) -> dict[str, Any]:
    given = {_NAMES[name]: value for name, value in inputs.items() if name in _NAMES and value is not None}
    given = {name: int(value) for name, value in given.items()}
    if inputs.get("frame_mib") is not None:
        given["frame"] = int(inputs["frame_mib"]) << 20
    answer = size_rpc(RpcSize(**given), release_at(NEWEST))
    message = answer.value("message")
    return {
        "ack_bytes": message,
        "fits_default_frame": message <= ack.DEFAULT_FRAME,
        "fits_frame": message <= given.get("frame", ack.DEFAULT_FRAME),
        "est_list_elements": ack.elements_of(message),
        "frame_mib": ack.frame_for(message) >> 20,
        "metadata_bytes": answer.value("metadata"),
        "max_inlined_bytes": answer.value("inlined"),
        "jm_heap_bytes": answer.value("heap"),
        "level": level(answer),
    }


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"rpc": _rpc}
