"""Signals of a JobManager or TaskManager: the live set of its heap and its share of time in garbage collection."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flink_flint.calculators.history.signals.time_steps import Instants, Line, sum_of

HEAP_WINDOW = 600_000
"""The length, in milliseconds, of a time window in which at least one young-generation collection is expected."""
_HEAP = "Status.JVM.Memory.Heap.Used"
_COLLECTORS = "Status.JVM.GarbageCollector."


def of_process(lines: list[Line]) -> Iterator[Line]:
    """Yield a process's live set and its share of time in garbage collection."""
    for line in lines:
        if line.key.metric == _HEAP:
            yield from _live_set(line)
    yield from _gc_share([line for line in lines if line.key.metric.startswith(_COLLECTORS)])


def _live_set(heap: Line) -> Iterator[Line]:
    """Yield ``heapLiveSet`` (bytes): the minimum heap in each ten minutes, at the time of their last sample.

    Right after a collection the heap contains little but live objects, and a collection of the young generation runs
    far more often than every ten minutes; the maximum of these minimums is what the heap must hold. Windows with fewer
    than three samples are omitted, as all may precede a collection; if scrapes are rare, a window is four of their
    steps.
    """
    step = int(np.median(np.diff(heap.times))) if len(heap.times) > 1 else 0
    windows = heap.times // max(HEAP_WINDOW, 4 * step)
    starts = np.flatnonzero(np.concatenate(([True], np.diff(windows) > 0)))
    ends = np.concatenate((starts[1:], [len(windows)]))
    lows = np.minimum.reduceat(heap.values, starts)
    kept = (ends - starts >= 3) & np.isfinite(lows)
    if kept.any():
        yield Line(heap.key._replace(metric="heapLiveSet", counter=False), heap.times[ends[kept] - 1], lows[kept])


def _gc_share(lines: list[Line]) -> Iterator[Line]:
    """Yield ``gcTimeShare`` (0 to 1): the share of time spent in garbage collection.

    It is computed from the first of these metrics that the release has: ``All.TimeMsPerSecond``; the sum of each
    collector's ``TimeMsPerSecond``; the growth of ``All.Time``, or of the sum of each collector's ``Time`` (ms since
    the start).
    """
    rates, totals = ([line for line in lines if line.key.metric.endswith(end)] for end in (".TimeMsPerSecond", ".Time"))
    chosen = rates or totals
    together = [line for line in chosen if line.key.metric.startswith(_COLLECTORS + "All.")]
    chosen = together or chosen
    if not chosen:
        return
    instants = Instants(chosen)
    share = sum_of(instants, chosen, growth=not rates) / 1000.0
    key = chosen[0].key._replace(metric="gcTimeShare", counter=False)
    yield from instants.line(key, np.clip(share, 0.0, 1.0))
