"""The share of time that a job spends in checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from flink_flint.calculators.history.signals.time_steps import Instants, Line


def checkpoint_share(of_job: dict[str, list[Line]]) -> Iterator[Line]:
    """Yield ``checkpointShare``: the last checkpoint's duration divided by the time between completed checkpoints.

    The time between checkpoints is computed over the last five increases of the counter of completed ones: scrapes fall
    anywhere between two checkpoints, so a single increase is off by up to a scrape interval.
    """
    durations = _joined(of_job.get("lastCheckpointDuration", ()))
    completed = _joined(of_job.get("numberOfCompletedCheckpoints", ()))
    if durations is None or completed is None or len(completed.times) < 3:
        return
    instants = Instants([durations, completed])
    held = np.full(instants.count, np.nan)
    held[instants.of(durations.times)] = durations.values
    falls = np.flatnonzero(np.diff(completed.values) < 0) + 1
    shares = np.full(instants.count, np.nan)
    for start, end in pairwise((0, *falls.tolist(), len(completed.times))):
        times, numbers = completed.times[start:end], completed.values[start:end]
        ups = np.flatnonzero(np.diff(numbers) > 0) + 1
        if len(ups) < 2:
            continue
        later = np.arange(1, len(ups))
        earlier = np.maximum(later - 5, 0)
        each = (times[ups[later]] - times[ups[earlier]]) / (numbers[ups[later]] - numbers[ups[earlier]])
        places = instants.of(completed.times)[start:end][ups[later]]
        shares[places] = np.where(held[places] >= 0, held[places] / each, np.nan)
    key = durations.key._replace(metric="checkpointShare", counter=False)
    yield from instants.line(key, shares)


def _joined(lines: Iterable[Line]) -> Line | None:
    """Return the series of a day as one, ignoring the ids of the job's runs."""
    ordered = sorted(lines, key=lambda line: int(line.times[0]))
    if not ordered:
        return None
    times = np.concatenate([line.times for line in ordered])
    values = np.concatenate([line.values for line in ordered])
    kept = times > np.maximum.accumulate(np.concatenate(([-1], times[:-1])))
    return Line(ordered[-1].key, times[kept], values[kept])
