"""The arithmetic of Kafka transactions: how long one stays open, and the outage a timeout survives."""

from __future__ import annotations

SINK_DEFAULT = 3600.0
"""Seconds that KafkaSink and FlinkKafkaProducer request unless configured otherwise."""
BROKER_DEFAULT = 900.0
"""Seconds that a broker allows unless its `transaction.max.timeout.ms` says otherwise."""
MARGIN = 1.2


def longest_open(interval: float, checkpoint_timeout: float, tolerable: int, outage: float) -> float:
    """Return the seconds a transaction stays open in the worst case.

    `interval`: seconds between the starts of two checkpoints (the pause, where that is longer); `tolerable`:
    checkpoints in a row that may fail; `outage`: seconds the job may be down, its restart included.
    """
    return (interval + checkpoint_timeout) * (1 + tolerable) + outage


def transaction_timeout(
    interval: float, checkpoint_timeout: float, tolerable: int, outage: float, margin: float = MARGIN
) -> float:
    """Return the smallest transaction timeout in seconds that loses no data; `margin` is a factor, at least 1."""
    return margin * longest_open(interval, checkpoint_timeout, tolerable, outage)


def _open_at_most(timeout: float, tolerable: int, outage: float, margin: float) -> float:
    """Return the sum of interval and checkpoint timeout in seconds at which `transaction_timeout` is `timeout`."""
    return (timeout / margin - outage) / (1 + tolerable)


def longest_checkpoint_timeout(
    timeout: float, interval: float, tolerable: int, outage: float, margin: float = MARGIN
) -> float:
    """Return the longest checkpoint timeout in seconds for a transaction timeout; not positive if there is none.

    Like `longest_interval` an inverse of `transaction_timeout`.
    """
    return _open_at_most(timeout, tolerable, outage, margin) - interval


def longest_interval(
    timeout: float, checkpoint_timeout: float, tolerable: int, outage: float, margin: float = MARGIN
) -> float:
    """Return the longest interval in seconds for a transaction timeout; not positive if there is none."""
    return _open_at_most(timeout, tolerable, outage, margin) - checkpoint_timeout


def survived_outage(
    timeout: float, interval: float, checkpoint_timeout: float, tolerable: int, margin: float = MARGIN
) -> float:
    """Return the longest outage in seconds that a transaction timeout survives; negative if none."""
    return timeout / margin - longest_open(interval, checkpoint_timeout, tolerable, 0.0)
