"""Short names of the vectors on network buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.formulas.buffer_pools import FLOATING, PER_CHANNEL, buffers_in_flight, max_buffers
from flink_flint.calculators.formulas.exchanges import KINDS, Exchange, channels, parse_exchanges
from flink_flint.calculators.inputs.network_buffers import CurrentNetwork, NetworkNeeds
from flink_flint.calculators.network_buffers import load_of_network, size_network_buffers
from flink_flint.linter.flink.releases import parse_release
from tests.calculators.table import level

_KIB, _MIB = 1 << 10, 1 << 20
_OPTIONS = {
    "slots": "slots", "slots_per_tm": "slots", "segment": "segment_size", "segment_size": "segment_size",
    "per_channel": "buffers_per_channel", "floating": "floating_buffers", "throughput": "throughput",
    "rtt_s": "round_trip", "required_per_gate": "required_per_gate", "process": "process_size",
    "flink": "flink_size", "mode": "mode", "debloat": "debloating", "debloating": "debloating",
}  # fmt: skip


def _kind(ship: Any) -> str:
    """A ship strategy as Flink's REST interface has it; an unknown one connects all with all."""
    kind = str(ship or "hash").lower()
    return kind if kind in KINDS else "hash"


def _network_segments(inputs: dict[str, Any]) -> dict[str, Any]:
    per_channel, floating = inputs.get("per_channel", PER_CHANNEL), inputs.get("floating", FLOATING)
    count = channels(inputs["p"], inputs["q"], _kind(inputs.get("ship")))
    segments = max_buffers(count, per_channel, floating)
    return {"segments": segments, "channels": count, "bytes": segments * inputs.get("segment", 32 * _KIB)}


def _exchange(inputs: dict[str, Any]) -> Exchange:
    kind = _kind(inputs.get("ship") or inputs.get("kind"))
    first = inputs.get("p", inputs.get("upstream", 1))
    second = inputs.get("q", inputs.get("downstream", first))
    return Exchange(first, second, "rescale" if kind == "forward" and first != second else kind)


def _exchanges(inputs: dict[str, Any]) -> tuple[Exchange, ...]:
    given = inputs.get("exchanges", 1)
    if isinstance(given, str):
        return parse_exchanges(given)
    if isinstance(given, list):
        return tuple(one for item in given for one in (_exchanges({"exchanges": item}) if isinstance(item, str)
                     else (_exchange(item)._replace(times=item.get("count", 1)),)))  # fmt: skip
    return (_exchange(inputs)._replace(times=given),)


def _network(inputs: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    segment = inputs.get("segment", 32 * _KIB)
    if "throughput" in inputs and "rtt_s" in inputs:
        found["buffers"] = buffers_in_flight(inputs["throughput"], inputs["rtt_s"], segment)
    release = parse_release(str(inputs.get("version", "1.20")))
    network = _bytes(inputs, "network", "memory")
    given = {_OPTIONS[name]: value for name, value in inputs.items() if name in _OPTIONS and value is not None}
    if "p" in inputs or "upstream" in inputs or not isinstance(inputs.get("exchanges", 1), int):
        answer = size_network_buffers(NetworkNeeds(exchanges=_exchanges(inputs), network=network, **given), release)
        target, least = answer.value("buffers"), answer.value("buffers_to_start")
        exclusive = least - sum(
            one.times * (min(one.downstream, given.get("slots", 1)) + min(one.upstream, given.get("slots", 1)))
            for one in _exchanges(inputs)
        )
        found |= {
            "max_buffers": target, "min_buffers": least, "segments": target, "memory_bytes": target * segment,
            "memory_kb": target * segment / _KIB, "memory_mib": target * segment / _MIB,
            "max_mib": target * segment / _MIB, "min_mib": least * segment / _MIB,
            "exclusive_mib": exclusive * segment / _MIB, "level": level(answer),
        }  # fmt: skip
    elif network is not None:
        shuffles = inputs.get("exchanges", 1)
        back = load_of_network(CurrentNetwork(network=network, shuffles=shuffles, slots=given.get("slots", 1)), release)
        found |= {"parallelism": back.value("parallelism"), "starts": back.value("parallelism_that_starts"),
                  "level": level(back)}  # fmt: skip
    return found


def _bytes(inputs: dict[str, Any], *names: str) -> int | None:
    """A size in bytes, or with its unit in its name."""
    for name in names:
        for suffix, size in (("", 1), ("_bytes", 1), ("_kb", _KIB), ("_mb", _MIB), ("_mib", _MIB), ("_gib", 1 << 30)):
            if inputs.get(name + suffix) is not None:
                return round(inputs[name + suffix] * size)
    return None


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "network_segments": _network_segments,
    "network": _network,
}
