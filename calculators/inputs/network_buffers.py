"""Inputs of the network buffers calculator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.buffer_pools import FLOATING, PER_CHANNEL, Buffers
from flink_flint.calculators.formulas.exchanges import EXCHANGES, Exchange
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    SECONDS,
    YES_NO,
    BadQuantity,
    Unit,
    choice,
    parse_number,
    significant,
    spell_size,
)
from flink_flint.calculators.inputs.current_memory import CurrentTotal, knows_total
from flink_flint.calculators.inputs.shared_memory_sizing import LIMIT, in_order, option, share_option, size
from flink_flint.linter.flink.values import MAX_LONG

NETWORK = "taskmanager.memory.network"
MIN_NETWORK = 64 << 20
"""Flink's default minimum of network memory, in bytes."""
FLOATING_KEY = "taskmanager.network.memory.floating-buffers-per-gate"
LARGEST_SEGMENT = 1 << 30


def _parse_percent(text: str) -> float:
    number, sign, rest = text.strip().partition("%")
    if not sign and number.strip() != "0":
        raise BadQuantity(f"{text!r} has no %; write it like 85 %")
    if rest:
        raise BadQuantity(f"{text!r} has text after the %; write it like 85 %")
    return parse_number(number.strip())


def _spell_percent(percent: float) -> str:
    """Format a percentage exactly, with its sign, so that it can be parsed again."""
    short = significant(percent).replace(" ", "")
    return f"{short if float(short) == percent else repr(percent)} %"


PERCENT = Unit("percent", _parse_percent, _spell_percent, "85 %")
"""The unit of percentages, in which 100 (not 1) is the whole, as in Flink's metrics.

The sign is required, since a bare 0.85 could be a fraction.
"""


def _is_batch(inputs: NetworkOptions) -> bool:
    return inputs.mode == "batch"


def _total_counts(inputs: NetworkNeeds | CurrentNetwork) -> bool:
    return inputs.network is None and knows_total(inputs)


def _bounds_count(inputs: NetworkNeeds | CurrentNetwork) -> bool:
    return inputs.network is None


def _has_throughput(inputs: NetworkNeeds) -> bool:
    return inputs.throughput is not None


def _debloats(inputs: NetworkNeeds) -> bool:
    return bool(inputs.debloating and inputs.throughput)


def _lacks_total(inputs: CurrentNetwork) -> bool:
    return not knows_total(inputs)


@dataclass(frozen=True, kw_only=True)
class NetworkOptions(Inputs):
    """Inputs shared by `NetworkNeeds` and `CurrentNetwork`, most of them current option values."""

    slots: int = ask(
        COUNT,
        "slots of a TaskManager",
        default=1,
        assumed="Flink's default",
        least=1,
        most=10_000,
        option="taskmanager.numberOfTaskSlots",
    )
    mode: str = ask(
        choice("streaming", "batch", "automatic"),
        "the execution mode (automatic counts as streaming, where all exchanges run at once)",
        default="streaming",
        assumed="Flink's default",
        option="execution.runtime-mode",
    )
    inputs_of_a_task: int = ask(
        COUNT,
        "inputs of one batch task over the network, at most",
        default=2,
        assumed="a join has two",
        least=1,
        most=100,
        when=_is_batch,
    )
    segment_size: int = ask(
        BYTES,
        "the size of a buffer",
        default=32 << 10,
        assumed="Flink's default",
        least=4096,
        most=LARGEST_SEGMENT,
        option="taskmanager.memory.segment-size",
    )
    buffers_per_channel: int = ask(
        COUNT,
        "exclusive buffers of an input channel (a constant from 2.0 on)",
        default=PER_CHANNEL,
        assumed="Flink's default, and its constant from 2.0 on",
        least=0,
        most=1_000,
        option="taskmanager.network.memory.buffers-per-channel",
    )
    floating_buffers: int = ask(
        COUNT,
        "floating buffers of a gate (a constant from 2.0 on)",
        default=FLOATING,
        assumed="Flink's default, and its constant from 2.0 on",
        least=1,
        most=1_000_000,
        option=FLOATING_KEY,
    )
    required_per_gate: int | None = ask(
        COUNT,
        "the maximum buffers a gate needs to start, from 1.17 on (default: no limit for streaming, 1000 for batch)",
        default=None,
        least=1,
        option="taskmanager.network.memory.read-buffer.required-per-gate.max",
    )
    sort_buffers: int = ask(
        COUNT,
        "buffers that a batch job's partition needs to start, from 1.15 on",
        default=512,
        assumed="Flink's default",
        least=1,
        most=1_000_000,
        option="taskmanager.network.sort-shuffle.min-buffers",
        when=_is_batch,
    )
    network_fraction: float = share_option(
        f"{NETWORK}.fraction", 0.1, "current network memory as a part of Flink's memory", when=_total_counts
    )
    network_min: int = option(
        f"{NETWORK}.min", MIN_NETWORK, "the current minimum of network memory", when=_bounds_count
    )
    network_max: int = option(
        f"{NETWORK}.max",
        MAX_LONG,
        "the current maximum of network memory (1 GiB by default up to Flink 1.16)",
        LIMIT,
        most=MAX_LONG,
        when=_bounds_count,
    )

    @property
    def buffers(self) -> Buffers:
        """The options that determine the size of buffer pools, in the form that the formulas use."""
        return Buffers(self.buffers_per_channel, self.floating_buffers, self.required_per_gate, self.sort_buffers)

    @property
    def batch_inputs(self) -> int | None:
        """The number of inputs of a batch task; None for a streaming job."""
        return self.inputs_of_a_task if self.mode == "batch" else None

    def contradictions(self) -> Iterator[BadInput]:
        yield from super().contradictions()
        if self.segment_size & (self.segment_size - 1):
            yield BadInput(
                "segment_size", f"{spell_size(self.segment_size)} is not a power of 2; allowed: 4 KiB, 8 KiB, 16 KiB, …"
            )
        if isinstance(self, (NetworkNeeds, CurrentNetwork)) and self.network is None:
            yield from in_order(self, "network")


@dataclass(frozen=True, kw_only=True)
class _Job(Inputs):
    """The inputs that are listed first."""

    exchanges: tuple[Exchange, ...] = ask(
        EXCHANGES,
        "exchanges over the network, each as senders x receivers, its kind (forward, rescale, rebalance, hash, "
        "broadcast, …) and how many there are",
    )


@dataclass(frozen=True, kw_only=True)
class NetworkNeeds(CurrentTotal, NetworkOptions, _Job):
    """Inputs for sizing the network memory that a TaskManager's exchanges need."""

    throughput: float | None = ask(
        BYTES_PER_SECOND,
        "bytes that one subtask receives over one exchange, at most",
        default=None,
        above=0,
        metric="numBytesInPerSecond",
        statistic="p99",
    )
    round_trip: float = ask(
        SECONDS,
        "the round trip between two TaskManagers",
        default=0.001,
        assumed="one data center",
        above=0,
        most=60,
        when=_has_throughput,
    )
    debloating: bool = ask(
        YES_NO,
        "whether buffer debloating is on",
        default=False,
        assumed="Flink's default",
        option="taskmanager.network.memory.buffer-debloat.enabled",
    )
    debloating_target: float = ask(
        SECONDS,
        "debloating's target time for data in flight",
        default=1.0,
        assumed="Flink's default",
        above=0,
        option="taskmanager.network.memory.buffer-debloat.target",
        when=_debloats,
    )
    network: int | None = size(
        "current network memory (default: derived from the current total)",
        metric="Status.Shuffle.Netty.TotalMemory",
        statistic="max",
    )
    usage: float | None = ask(
        PERCENT,
        "network memory that pools request, in percent of the available memory",
        default=None,
        least=0,
        most=100_000,
        metric="Status.Shuffle.Netty.RequestedMemoryUsage",
        statistic="p99",
    )


@dataclass(frozen=True, kw_only=True)
class CurrentNetwork(CurrentTotal, NetworkOptions):
    """Inputs for computing the parallelism that the current network memory supports."""

    network: int | None = size(
        "current network memory (default: derived from the current total)",
        metric="Status.Shuffle.Netty.TotalMemory",
        statistic="max",
        needed=_lacks_total,
    )
    shuffles: int = ask(
        COUNT, "hash exchanges of the job, all of the same parallelism", default=1, assumed="one", least=1, most=10_000
    )
