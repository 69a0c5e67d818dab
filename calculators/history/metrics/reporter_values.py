"""Values as reporters write them: a meter's count and rate, a histogram's percentiles, numbers and booleans."""

from __future__ import annotations

from flink_flint.calculators.history.metrics.vocabulary import Name, is_histogram

_RATES = ("rate", "m1_rate")
"""Flink's own rate; Graphite's name for it, as Flink hands its rate over as the one of a minute."""
_CONSTANT = ("m5_rate", "m15_rate", "mean_rate")
"""What Graphite's library asks of a meter and Flink answers with 0."""
RATES = (*_RATES, *_CONSTANT)
"""The fields of a meter besides its count."""
_METERS = ("PerSecond", "Rate")
_TRUTH = {"t": 1.0, "true": 1.0, "f": 0.0, "false": 0.0}


def number_of(text: str) -> float | None:
    """Return the number that a text represents, with NaN and infinities; booleans are 1 or 0; None for other texts."""
    try:
        return float(text)
    except ValueError:
        return _TRUTH.get(text.lower())


def field_name(name: Name, field: str, several: bool = False) -> Name | None:
    """Return the metric name of a metric's field, or None if it repeats another one.

    `several`: the metric has other fields besides this one, so that a count is not all there is of it.

    A meter's rate is the metric itself. Its count is left out where the metric is one of Flink's, which all have the
    count as a counter of their own (``numRecordsIn`` for ``numRecordsInPerSecond``). A histogram's numbers follow
    the metric: ``mailboxLatencyMs.p99``.
    """
    if field == "value":
        return name
    if field in _RATES:
        return name._replace(counter=False)
    if field in _CONSTANT:
        return None
    if field == "count" and not is_histogram(name.metric):
        if several or name.metric.endswith(_METERS):
            return None if name.known else name._replace(metric=f"{name.metric}.count", counter=True)
        return name if name.known else name._replace(counter=True)
    return name._replace(metric=f"{name.metric}.{field}", counter=field == "count")
