"""The limits of a Kinesis Data Streams shard, and the rate of a polling reader.

AWS counts decimally: 2 MB/s are 2 000 000 bytes per second. Sizes are bytes, rates are per second, times are seconds;
rates and shares are those of one shard. Sources:
<https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>,
<https://docs.aws.amazon.com/streams/latest/dev/enhanced-consumers.html>.
"""

from __future__ import annotations

import math

from flink_flint.linter.text.named_tuple import NamedTuple

READ_BYTES = 2_000_000
"""Bytes per second that all polling readers of a shard share; with enhanced fan-out each consumer has as much."""
READ_CALLS = 5
"""GetRecords calls per second that all polling readers of a shard share."""
CALL_BYTES = 10_000_000
"""The most one call returns; a call that does is followed by five seconds of refusals."""
CALL_RECORDS = 10_000
"""The most records one call returns; also both connectors' default."""
WRITE_BYTES = 1_000_000
WRITE_RECORDS = 1000
FAN_OUT_CONSUMERS = 20
"""Consumers a stream registers for enhanced fan-out (50 in the on-demand advantage mode)."""
LONGEST_INTERVAL = 300.0
"""Seconds after which a shard iterator expires; FlinkKinesisConsumer refuses a longer interval."""


def fetch_interval(consumers: int) -> float:
    """Return the shortest seconds between two calls at which `consumers` readers stay within the calls of a shard."""
    return consumers / READ_CALLS


def reader_share(consumers: int) -> float:
    """Return the bytes per second of a shard for each of `consumers` polling readers."""
    return READ_BYTES / consumers


class Bound(NamedTuple):
    """One limit on what a reader reads from a shard."""

    rate: float
    """Records per second."""
    what: str
    shard: bool
    """Whether it is Kinesis that bounds, and not what is behind the job."""


def bounds(
    record_size: float,
    *,
    consumers: int = 1,
    utilization: float = 0.8,
    shards: int = 1,
    sink_records: float | None = None,
    sink_bytes: float | None = None,
) -> tuple[Bound, ...]:
    """Return the limits on the records per second that one reader reads from each shard, the tightest first.

    `record_size` as stored, bytes above 0; `sink_records` and `sink_bytes` per second are what the job may pass on
    from all `shards` together. `utilization` (0 to 1) of each bound is used.
    """
    found = [Bound(utilization * reader_share(consumers) / record_size, "2 MB/s of a shard", True)]
    if sink_records is not None:
        found.append(Bound(utilization * sink_records / shards, "records the sink takes", False))
    if sink_bytes is not None:
        found.append(Bound(utilization * sink_bytes / shards / record_size, "bytes the sink takes", False))
    return tuple(sorted(found, key=lambda bound: bound.rate))


def record_limit(rate: float, interval: float) -> int:
    """Return the most records per call for calls every `interval` seconds to read at most `rate`; 0 to 10 000."""
    return math.floor(round(min(float(CALL_RECORDS), rate * interval), 6))


class Polling(NamedTuple):
    """The calls and rates of a reader with a backlog, on one shard."""

    asked: float
    """Records per second it requests."""
    read: float
    """Records per second it gets: not more than its share of what a shard gives."""
    calls_share: float
    """Of the calls a shard takes, by all readers alike."""
    bytes_share: float
    """Of the bytes a shard gives, requested by all readers alike."""
    call_bytes: float
    """Bytes of one call, with a backlog."""


def polling(interval: float, max_records: int, record_size: float, consumers: int = 1) -> Polling:
    """Return the rates of one of `consumers` readers that requests `max_records` every `interval` seconds."""
    call_bytes = min(max_records * record_size, float(CALL_BYTES))
    asked = call_bytes / record_size / interval
    return Polling(
        asked=asked,
        read=min(asked, reader_share(consumers) / record_size),
        calls_share=fetch_interval(consumers) / interval,
        bytes_share=consumers * call_bytes / interval / READ_BYTES,
        call_bytes=call_bytes,
    )


def shards_for(rate: float, record_size: float, *, consumers: int = 1, utilization: float = 0.8) -> int:
    """Return the fewest shards from which one of `consumers` readers reads `rate` records per second in total."""
    return math.ceil(round(rate / bounds(record_size, consumers=consumers, utilization=utilization)[0].rate, 9))
