"""Short names of the vectors on RocksDB's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.formulas.rocksdb_memory import (
    arena_block,
    cache_capacity,
    flushes_always,
    mutable_limit,
    parse_weights,
    read_cache,
    states_within,
    write_buffer_capacity,
)
from flink_flint.calculators.inputs.rocksdb import RocksDbNeeds
from flink_flint.calculators.rocksdb import size_rocksdb
from flink_flint.linter.flink.releases import parse_release
from tests.calculators.table import level

_MIB = 1 << 20
_OPTIONS = {
    "slots": "slots", "states": "states", "ratio": "write_buffer_ratio", "w": "write_buffer_ratio",
    "write_buffer_ratio": "write_buffer_ratio", "write_buffer": "write_buffer", "write_buffer_size": "write_buffer",
    "write_buffers": "write_buffers", "python": "python", "operators": "operators", "operator": "operators",
    "sql": "operators", "working_set": "working_set", "hit_ratio": "hit_ratio", "write_rate": "write_rate",
    "state_size": "state_size", "process": "process_size", "flink": "flink_size",
}  # fmt: skip
_SUFFIXES = (("_bytes", 1), ("_mib", _MIB), ("_mb", _MIB), ("_gib", 1 << 30))


def _in_bytes(inputs: dict[str, Any]) -> dict[str, Any]:
    """The inputs with sizes in bytes under names without their unit."""
    found: dict[str, Any] = {}
    for name, value in inputs.items():
        for suffix, size in _SUFFIXES:
            if name.endswith(suffix):
                found[name.removesuffix(suffix)] = round(value * size)
                break
        else:
            found[name] = value
    return {name: value for name, value in found.items() if value is not None}


def _rocksdb(inputs: dict[str, Any]) -> dict[str, Any]:
    known = _in_bytes(inputs)
    given = {_OPTIONS[name]: value for name, value in known.items() if name in _OPTIONS}
    if "weights" in known:
        given["weights"] = parse_weights(known["weights"])
    managed = next((known[name] for name in ("managed", "managed_size") if name in known), None)
    slot = next((known[name] for name in ("per_slot", "managed_per_slot", "M", "m") if name in known), None)
    if managed is None and slot is not None:
        managed = round(slot * given.get("slots", 1))
    asked = RocksDbNeeds(**{"states": 1, **given}, managed=managed)
    answer = size_rocksdb(asked, parse_release(str(inputs.get("version", "1.20"))))
    now = {value.name: value.present for value in answer.values}
    per_slot, ratio = now["per_slot"], asked.write_buffer_ratio
    found = {
        "min_managed_per_slot_mib": answer.value("least_per_slot") / _MIB,
        "min_managed_mib": answer.value("least_per_slot") * asked.slots / asked.share / _MIB,
        "wanted_per_slot_mib": answer.value("per_slot") / _MIB,
        "managed_mib": answer.value("managed_memory") / _MIB,
        "arena_mib": arena_block(asked.write_buffer) / _MIB,
        "unmanaged_gb": answer.value("unmanaged_bound") / 1e9,
        "share": asked.share,
        "level": level(answer),
    }
    if per_slot is not None:
        found |= {
            "per_slot_mib": per_slot / _MIB,
            "cache_mib": cache_capacity(per_slot, ratio) / _MIB,
            "wbm_mib": write_buffer_capacity(per_slot, ratio) / _MIB,
            "read_cache_mib": read_cache(per_slot, ratio) / _MIB,
            "mutable_limit_mib": mutable_limit(per_slot, ratio) / _MIB,
            "flush_storm": flushes_always(per_slot, ratio, asked.write_buffer),
            "states": states_within(per_slot, ratio),
        }
    return found


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"rocksdb": _rocksdb}
