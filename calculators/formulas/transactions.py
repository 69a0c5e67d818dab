"""Formulas for Kafka transactions: how long they stay open, and the longest outage that their timeout survives."""

from __future__ import annotations

SINK_DEFAULT = 3600.0
"""The transaction timeout in seconds that KafkaSink and FlinkKafkaProducer request by default."""
BROKER_DEFAULT = 900.0
"""The transaction timeout in seconds that a broker allows by default (`transaction.max.timeout.ms`)."""
MARGIN = 1.2


def longest_open(interval: float, checkpoint_timeout: float, tolerable: int, outage: float) -> float:
    """Return the seconds that a transaction stays open in the worst case.

    `interval`: seconds between the starts of two checkpoints (the pause, if that is longer); `tolerable`: consecutive
    checkpoints that may fail; `outage`: seconds the job may be down, including its restart.
    """
    return (interval + checkpoint_timeout) * (1 + tolerable) + outage


def transaction_timeout(
    interval: float, checkpoint_timeout: float, tolerable: int, outage: float, margin: float = MARGIN
) -> float:
    """Return the smallest transaction timeout in seconds that avoids data loss; `margin` is a factor of at least 1."""
    return margin * longest_open(interval, checkpoint_timeout, tolerable, outage)


def _open_at_most(timeout: float, tolerable: int, outage: float, margin: float) -> float:
    """Return the sum of interval and checkpoint timeout in seconds at which `transaction_timeout` is `timeout`."""
    return (timeout / margin - outage) / (1 + tolerable)


def longest_checkpoint_timeout(
    timeout: float, interval: float, tolerable: int, outage: float, margin: float = MARGIN
) -> float:
    """Return the longest checkpoint timeout in seconds that a transaction timeout allows; 0 or less if none.

    This and `longest_interval` are inverses of `transaction_timeout`.
    """
    return _open_at_most(timeout, tolerable, outage, margin) - interval


def longest_interval(
    timeout: float, checkpoint_timeout: float, tolerable: int, outage: float, margin: float = MARGIN
) -> float:
    """Return the longest checkpoint interval in seconds that a transaction timeout allows; 0 or less if none."""
    return _open_at_most(timeout, tolerable, outage, margin) - checkpoint_timeout


def survived_outage(
    timeout: float, interval: float, checkpoint_timeout: float, tolerable: int, margin: float = MARGIN
) -> float:
    """Return the longest outage in seconds that a transaction timeout survives; negative if there is none."""
    return timeout / margin - longest_open(interval, checkpoint_timeout, tolerable, 0.0)
