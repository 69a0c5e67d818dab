"""Errors and warnings about network memory, its buffers and buffer debloating."""

from __future__ import annotations

from flink_flint.calculators.formulas.buffer_pools import Buffers, Pool, are_constants, buffers_in_flight
from flink_flint.calculators.formulas.quantity import spell_count, spell_fraction, spell_size
from flink_flint.calculators.inputs.network_buffers import LARGEST_SEGMENT, NetworkNeeds
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index

_LITTLE_USED = 30
"""The requested percentage of network memory below which most of it is considered unused."""
_MANY_CHANNELS = 200
"""The number of channels above which debloating needs a floating buffer for each channel."""
_FIRST_DEBLOATING = MINORS.index("1.14")
_FIRST_GATE_LIMIT = MINORS.index("1.17")


def judged_network(
    inputs: NetworkNeeds, buffers: Buffers, least: Pool, pools: Pool, network: int | None, release: Release
) -> tuple[list[str], list[str]]:
    """Return errors and warnings about the current network memory of `network` bytes (None if unknown) and its usage.

    `least`: the buffers of the pools with the best placement of subtasks; `pools`: with any placement.
    """
    errors: list[str] = []
    warnings: list[str] = []
    if network is not None:
        there = network // inputs.segment_size
        have = f"{spell_size(network)} of network memory holds {spell_count(there)} buffers"
        if there < least.minimum:
            errors.append(
                f"{have}, but the tasks need {spell_count(least.minimum)} to start: they fail with Insufficient "
                "number of network buffers"
            )
        elif there < pools.minimum:
            warnings.append(
                f"{have}; if subtasks run on other TaskManagers than their senders, the tasks need "
                f"{spell_count(pools.minimum)} to start and fail with Insufficient number of network buffers"
            )
        elif there < pools.target:
            warnings.append(
                f"{have}, enough to start, but pools would take {spell_count(pools.target)}: throughput suffers "
                "when all are busy"
            )
    if inputs.usage is not None and inputs.usage > 100:
        warnings.append(f"pools request {spell_fraction(inputs.usage / 100)} of the network memory: some get less")
    elif inputs.usage is not None and inputs.usage <= _LITTLE_USED:
        warnings.append(
            f"pools request {spell_fraction(inputs.usage / 100)} of the network memory: the rest is more useful as heap"
        )
    if inputs.throughput is not None and are_constants(release):
        warnings += _segment_warning(inputs, inputs.throughput, buffers, release)
    if inputs.debloating:
        warnings += _debloating_warnings(inputs, buffers, release)
    if inputs.required_per_gate is not None and nearest_index(release) < _FIRST_GATE_LIMIT:
        warnings.append(f"Flink {release} has no limit on the buffers a gate requires, which is available since 1.17")
    return errors, warnings


def _segment_warning(inputs: NetworkNeeds, throughput: float, buffers: Buffers, release: Release) -> list[str]:
    flying = buffers_in_flight(throughput, inputs.round_trip, inputs.segment_size)
    has_buffers = min(one.channels for one in inputs.exchanges) * buffers.per_channel + buffers.floating
    if flying <= has_buffers:
        return []
    segment = inputs.segment_size
    while buffers_in_flight(throughput, inputs.round_trip, segment) > has_buffers and segment < LARGEST_SEGMENT:
        segment *= 2
    return [
        (
            f"a gate has {spell_count(has_buffers)} buffers where {spell_count(flying)} keep the connection busy, and "
            f"Flink {release} allows no more; taskmanager.memory.segment-size of {spell_size(segment)} would sustain "
            f"{spell_size(throughput)}/s"
        )
    ]


def _debloating_warnings(inputs: NetworkNeeds, buffers: Buffers, release: Release) -> list[str]:
    if nearest_index(release) < _FIRST_DEBLOATING:
        return [f"Flink {release} has no buffer debloating, which is available since 1.14"]
    warnings = ["buffer debloating reduces the data in flight, but needs as many buffers: it saves no network memory"]
    most = max(one.channels for one in inputs.exchanges)
    if most > max(_MANY_CHANNELS, buffers.floating) and not are_constants(release):
        warnings.append(
            f"with {spell_count(most)} channels debloating needs as many floating buffers, but a gate has "
            f"{spell_count(buffers.floating)}: throughput may suffer"
        )
    return warnings
