"""Values as reporters write them: a meter's count and rate, a histogram's percentiles, numbers and booleans."""

from __future__ import annotations

from flink_flint.calculators.history.metrics.vocabulary import Name, is_histogram

_RATES = ("rate", "m1_rate")
"""Flink's own rate, and Graphite's name for it, because Flink passes its rate as the one-minute rate."""
_CONSTANT = ("m5_rate", "m15_rate", "mean_rate")
"""Values of a meter that Graphite's library requests and Flink always reports as 0."""
RATES = (*_RATES, *_CONSTANT)
"""The names of a meter's fields, such as ``m1_rate``, except its count."""
_METERS = ("PerSecond", "Rate")
_TRUTH = {"t": 1.0, "true": 1.0, "f": 0.0, "false": 0.0}


def number_of(text: str) -> float | None:
    """Return `text` as a number, possibly NaN or infinite; 1 or 0 for booleans; None for any other text."""
    try:
        return float(text)
    except ValueError:
        return _TRUTH.get(text.lower())


def field_name(name: Name, field: str, several: bool = False) -> Name | None:
    """Return the metric name for a field of a metric, or None if the field repeats another metric.

    `several`: the metric has other fields as well, so its count is not its only value.

    A meter's rate is the metric itself. The count of a meter of Flink's own is omitted, because each has a counter of
    its own for it (``numRecordsIn`` for ``numRecordsInPerSecond``). A histogram's numbers are appended to the metric:
    ``mailboxLatencyMs.p99``.
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
