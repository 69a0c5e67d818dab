"""Errors and warnings about network memory, its buffers and buffer debloating."""

from __future__ import annotations

from flink_flint.calculators.formulas.buffer_pools import Buffers, Pool, are_constants, buffers_in_flight
from flink_flint.calculators.formulas.quantity import spell_count, spell_fraction, spell_size
from flink_flint.calculators.inputs.network_buffers import LARGEST_SEGMENT, NetworkNeeds
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index

_LITTLE_USED = 30
"""Percent of network memory requested below which most of it lies idle."""
_MANY_CHANNELS = 200
"""Above so many channels debloating needs a floating buffer for each."""
_FIRST_DEBLOATING = MINORS.index("1.14")
_FIRST_GATE_LIMIT = MINORS.index("1.17")


def judged_network(
    inputs: NetworkNeeds, buffers: Buffers, least: Pool, pools: Pool, network: int | None, release: Release
) -> tuple[list[str], list[str]]:
    """Return errors and warnings about `network` bytes, the current size (None: unknown), and about observations.

    `least`: what the pools take with subtasks placed as favorably as can be; `pools`: wherever they land.
    """
    errors: list[str] = []
    warnings: list[str] = []
    if network is not None:
        there = network // inputs.segment_size
        have = f"{spell_size(network)} of network memory holds {spell_count(there)} buffers"
        if there < least.minimum:
            errors.append(
                f"{have}, and the tasks need {spell_count(least.minimum)} to start: they fail with Insufficient "
                "number of network buffers"
            )
        elif there < pools.minimum:
            warnings.append(
                f"{have}; where subtasks land far from those they receive from, the tasks need "
                f"{spell_count(pools.minimum)} to start and fail with Insufficient number of network buffers"
            )
        elif there < pools.target:
            warnings.append(
                f"{have}, enough to start, but pools would take {spell_count(pools.target)}: throughput suffers "
                "when all are busy"
            )
    if inputs.usage is not None and inputs.usage > 100:
        warnings.append(f"pools ask for {spell_fraction(inputs.usage / 100)} of the network memory: some go short")
    elif inputs.usage is not None and inputs.usage <= _LITTLE_USED:
        warnings.append(
            f"pools ask for {spell_fraction(inputs.usage / 100)} of the network memory: the rest would serve better as "
            "heap"
        )
    if inputs.throughput is not None and are_constants(release):
        warnings += _segment_warning(inputs, inputs.throughput, buffers, release)
    if inputs.debloating:
        warnings += _debloating_warnings(inputs, buffers, release)
    if inputs.required_per_gate is not None and nearest_index(release) < _FIRST_GATE_LIMIT:
        warnings.append(f"Flink {release} reads no limit of what a gate needs; 1.17 brought it")
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
            f"Flink {release} takes no more; taskmanager.memory.segment-size of {spell_size(segment)} would carry "
            f"{spell_size(throughput)}/s"
        )
    ]


def _debloating_warnings(inputs: NetworkNeeds, buffers: Buffers, release: Release) -> list[str]:
    if nearest_index(release) < _FIRST_DEBLOATING:
        return [f"Flink {release} has no buffer debloating; 1.14 brought it"]
    warnings = ["buffer debloating shortens what is in flight, but takes as many buffers: it saves no network memory"]
    most = max(one.channels for one in inputs.exchanges)
    if most > max(_MANY_CHANNELS, buffers.floating) and not are_constants(release):
        warnings.append(
            f"with {spell_count(most)} channels debloating wants as many floating buffers, and a gate has "
            f"{spell_count(buffers.floating)}: throughput may suffer"
        )
    return warnings
