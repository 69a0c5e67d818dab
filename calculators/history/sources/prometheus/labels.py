"""Identification of series by their Prometheus labels, and a builder that collects their samples in batches.

Flink's Prometheus reporter writes the subject of a metric as labels (``job_id``, ``task_name``, ``subtask_index`` …)
and the metric as the name. A scraper adds its own labels (``job``, ``instance``, ``pod`` …), which do not identify the
series; if one of them has the same name as one of Flink's, Prometheus keeps Flink's as ``exported_…``
(https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config, ``honor_labels``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from flink_flint.calculators.history.metrics.vocabulary import of_series
from flink_flint.calculators.history.samples import Batch, Gathering, SeriesKey
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.sources.rejection_reasons import EARLIEST, LATEST, OUT_OF_RANGE

_SCRAPER = frozenset(("__name__", "job", "instance"))


def key_of(labels: Mapping[str, str], options: Options) -> SeriesKey | None:
    """Return the key of the series with `labels` (including ``__name__``); None if it is not a Flink metric."""
    entries = {label: value for label, value in labels.items() if label not in _SCRAPER}
    name = of_series(labels.get("__name__", ""), entries)
    if name is None:
        return None

    def own(label: str) -> str:
        return labels.get(f"exported_{label}") or labels.get(label, "")

    return SeriesKey(
        metric=name.metric,
        scope=name.scope,
        cluster=options.cluster or (labels.get(options.cluster_label, "") if options.cluster_label else ""),
        job=own("job_name"),
        job_id=own("job_id"),
        task=own("task_name"),
        task_id=own("task_id"),
        operator=own("operator_name"),
        operator_id=own("operator_id"),
        subtask=_whole(own("operator_subtask_index" if name.metric.startswith("latency") else "subtask_index")),
        attempt=_whole(own("task_attempt_num")),
        tm=own("tm_id"),
        part=name.part,
        counter=name.counter,
    )


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


class Collecting:
    """A builder of batches from labeled series; a metric that is not one of Flink's is rejected only once."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._gathering = Gathering()
        self._foreign: set[str] = set()

    def add(
        self, where: str, labels: Mapping[str, str], times: NDArray[np.float64], values: NDArray[np.float64]
    ) -> int:
        """Add samples of one series, with times in milliseconds since the epoch; return the number of samples kept."""
        key = self.key(where, labels)
        if key is None:
            return 0
        right = (times >= EARLIEST) & (times < LATEST)
        if not right.all():
            for time, value in zip(times[~right].tolist(), values[~right].tolist(), strict=True):
                self.reject(where, OUT_OF_RANGE, f"{key.metric} {value} {time / 1000}")
            times, values = times[right], values[right]
        self._gathering.extend(self._gathering.series(key), np.rint(times).astype(np.int64), values)
        return len(times)

    def key(self, where: str, labels: Mapping[str, str]) -> SeriesKey | None:
        """Return the key of the series with `labels`; if it is not a Flink metric, reject it once and return None."""
        key = key_of(labels, self._options)
        if key is None:
            name = labels.get("__name__", "")
            if not name:
                self.reject(where, "series has no metric name", str(dict(labels)))
            elif name not in self._foreign:
                self._foreign.add(name)
                self.reject(where, "metric is not one of Flink's", name)
        return key

    def place(self, key: SeriesKey) -> int:
        """Return the number of a series, which `sample` takes as an argument; it is valid until the next `take`."""
        return self._gathering.series(key)

    def sample(self, place: int, time: int, value: float) -> None:
        """Add one sample, whose time in milliseconds since the epoch must be in the valid range."""
        self._gathering.add(place, time, value)

    def reject(self, where: str, reason: str, text: str) -> None:
        """Record an unusable row and the reason why it is rejected."""
        self._gathering.reject(where, reason, text)

    @property
    def full(self) -> bool:
        """Whether the batch is large enough to emit."""
        return self._gathering.full

    def take(self) -> Batch:
        """Return the batch and start a new one."""
        return self._gathering.take()
