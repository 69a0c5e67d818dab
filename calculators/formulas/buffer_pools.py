"""Sizes of Flink's network buffer pools, for input gates and result partitions.

A pool's minimum must be available when a task starts, or the task fails with "Insufficient number of network buffers";
the pools share the remaining buffers up to their target.
"""

from __future__ import annotations

import math

from flink_flint.calculators.formulas.exchanges import Exchange, Exchanges, largest_parallelism
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index
from flink_flint.linter.text.named_tuple import NamedTuple

PER_CHANNEL = 2
"""The number of exclusive buffers per input channel: the default up to Flink 1.20, and fixed from 2.0 on."""
FLOATING = 8
"""The number of floating buffers per input gate: the default up to Flink 1.20, and fixed from 2.0 on."""
BATCH_GATE = 1000
"""The default limit on the buffers that an input gate of a batch job requires to start, from Flink 1.17 on."""

_FIRST_FLOATING_NEEDED = MINORS.index("1.11")
_FIRST_SORT_SHUFFLE = MINORS.index("1.15")
_FIRST_GATE_LIMIT = MINORS.index("1.17")
_FIRST_CONSTANT = MINORS.index("2.0")
_OF_A_SUBPARTITION_AT_MOST = 4


class Buffers(NamedTuple):
    """The options that determine the size of buffer pools."""

    per_channel: int = PER_CHANNEL
    floating: int = FLOATING
    required_per_gate: int | None = None
    """The value of `taskmanager.network.memory.read-buffer.required-per-gate.max`; None if it is not set."""
    sort_buffers: int = 512
    """The value of `taskmanager.network.sort-shuffle.min-buffers`."""


class Pool(NamedTuple):
    """The minimum and target number of buffers of one or several buffer pools."""

    minimum: int
    """The number of buffers that the pools require to start."""
    target: int
    """The number of buffers that the pools use if enough are available."""

    def plus(self, other: Pool) -> Pool:
        """Return the sum of this pool and `other`."""
        return Pool(self.minimum + other.minimum, self.target + other.target)

    def times(self, count: int) -> Pool:
        """Return the total of `count` pools like this one."""
        return Pool(self.minimum * count, self.target * count)


def are_constants(release: Release) -> bool:
    """Return whether a release (2.0 or later) has constants, not options, for buffers per channel and per gate."""
    return nearest_index(release) >= _FIRST_CONSTANT


def max_buffers(channels: int, per_channel: int = PER_CHANNEL, floating: int = FLOATING) -> int:
    """Return the maximum number of buffers of a gate or partition with `channels` channels or subpartitions."""
    return channels * per_channel + floating


def gate(channels: int, buffers: Buffers, release: Release, *, local: int = 0, batch: bool = False) -> Pool:
    """Return the pool of an input gate; `local` is the number of channels whose senders are in its TaskManager.

    Local channels have no exclusive buffers. From 1.17 on the buffers a gate needs to start may be limited: exclusive
    buffers are then replaced by floating ones.
    """
    index = nearest_index(release)
    exclusive, needed = buffers.per_channel, int(index >= _FIRST_FLOATING_NEEDED)
    if index >= _FIRST_GATE_LIMIT:
        limit = buffers.required_per_gate or (BATCH_GATE if batch else math.inf)
        required = int(min(limit, channels * buffers.per_channel + 1))
        exclusive = min(buffers.per_channel, (required - 1) // channels)
        needed = required - exclusive * channels
    target = max_buffers(channels, buffers.per_channel, buffers.floating)
    taken = exclusive * min(local, channels)
    return Pool(exclusive * channels + needed - taken, target - taken)


def partition(subpartitions: int, buffers: Buffers, release: Release, *, batch: bool = False) -> Pool:
    """Return the pool of the result partition of one subtask.

    A batch job's partitions are sorted from 1.15 on, with their own number of buffers; before, a partition uses all
    remaining buffers, and only the minimum counts.
    """
    minimum = subpartitions + 1
    if not batch:
        return Pool(minimum, max(minimum, max_buffers(subpartitions, buffers.per_channel, buffers.floating)))
    if nearest_index(release) < _FIRST_SORT_SHUFFLE:
        return Pool(minimum, minimum)
    return Pool(buffers.sort_buffers, max(buffers.sort_buffers, _OF_A_SUBPARTITION_AT_MOST * subpartitions))


def of_an_exchange(
    exchange: Exchange, slots: int, buffers: Buffers, release: Release, *, together: bool = False
) -> Pool:
    """Return the total of all pools that a streaming exchange needs in a TaskManager whose slots are all in use.

    `together`: as many sending subtasks as possible are in the same TaskManager; otherwise all are in other ones.
    """
    receivers, senders = min(slots, exchange.downstream), min(slots, exchange.upstream)
    gates = gate(exchange.channels, buffers, release, local=senders if together else 0).times(receivers)
    return gates.plus(partition(exchange.subpartitions, buffers, release).times(senders)).times(exchange.times)


def of_a_batch_task(
    exchanges: Exchanges, slots: int, inputs: int, buffers: Buffers, release: Release, *, together: bool = False
) -> Pool:
    """Return the total of a batch task's pools: `inputs` gates and one partition, each of the largest size in the job.

    Blocking exchanges divide a job into stages, and a slot runs one task of one stage at a time.
    """
    gates = [
        gate(one.channels, buffers, release, local=min(slots, one.upstream) if together else 0, batch=True)
        for one in exchanges
    ]
    partitions = [partition(one.subpartitions, buffers, release, batch=True) for one in exchanges]
    return _largest(gates).times(inputs).plus(_largest(partitions))


def _largest(pools: list[Pool]) -> Pool:
    return Pool(max(pool.minimum for pool in pools), max(pool.target for pool in pools))


def of_a_taskmanager(
    exchanges: Exchanges,
    slots: int,
    buffers: Buffers,
    release: Release,
    *,
    batch_inputs: int | None = None,
    together: bool = False,
) -> Pool:
    """Return the total of all pools in a TaskManager whose slots each contain a subtask of every vertex.

    `batch_inputs`: the inputs of a batch job's task; None for a streaming job. `together` as in `of_an_exchange`.
    """
    if batch_inputs is not None:
        task = of_a_batch_task(exchanges, slots, batch_inputs, buffers, release, together=together)
        return task.times(min(slots, largest_parallelism(exchanges)))
    total = Pool(0, 0)
    for exchange in exchanges:
        total = total.plus(of_an_exchange(exchange, slots, buffers, release, together=together))
    return total


def buffers_in_flight(throughput: float, round_trip: float, segment: int) -> int:
    """Return the number of buffers of `segment` bytes that keep a connection busy.

    The bandwidth-delay product: the data in flight before the receiver's credit can return. `throughput` is in bytes
    per second, `round_trip` in seconds.
    """
    return math.ceil(round(throughput * round_trip / segment, 9))
