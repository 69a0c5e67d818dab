"""The limits of a Kinesis Data Streams shard, and the rate of a polling reader.

AWS uses decimal units: 2 MB/s are 2 000 000 bytes per second. Sizes are bytes, rates are per second, times are
seconds; rates and shares are those of one shard. Sources:
<https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>,
<https://docs.aws.amazon.com/streams/latest/dev/enhanced-consumers.html>.
"""

from __future__ import annotations

import math

from flink_flint.linter.text.named_tuple import NamedTuple

READ_BYTES = 2_000_000
"""The maximum bytes per second that all polling readers of a shard share; an enhanced fan-out consumer gets as much."""
READ_CALLS = 5
"""The maximum GetRecords calls per second that all polling readers of a shard share."""
CALL_BYTES = 10_000_000
"""The maximum bytes that one GetRecords call returns; after such a call, the shard refuses calls for five seconds."""
CALL_RECORDS = 10_000
"""The maximum number of records that one GetRecords call returns, which both Flink connectors request by default."""
WRITE_BYTES = 1_000_000
WRITE_RECORDS = 1000
FAN_OUT_CONSUMERS = 20
"""The maximum number of enhanced fan-out consumers of a stream (50 in the on-demand advantage mode)."""
LONGEST_INTERVAL = 300.0
"""The seconds after which a Kinesis shard iterator expires; FlinkKinesisConsumer refuses a longer interval."""


def fetch_interval(consumers: int) -> float:
    """Return the shortest fetch interval in seconds at which `consumers` readers stay within a shard's call limit."""
    return consumers / READ_CALLS


def reader_share(consumers: int) -> float:
    """Return the bytes per second that each polling reader gets from a shard with `consumers` readers."""
    return READ_BYTES / consumers


class Bound(NamedTuple):
    """A limit on the records per second that a reader reads from a shard."""

    rate: float
    """The limit in records per second."""
    what: str
    shard: bool
    """Whether the limit is that of the Kinesis shard rather than of a downstream system."""


def bounds(
    record_size: float,
    *,
    consumers: int = 1,
    utilization: float = 0.8,
    shards: int = 1,
    sink_records: float | None = None,
    sink_bytes: float | None = None,
) -> tuple[Bound, ...]:
    """Return the limits on the records per second that one reader reads from each shard, the lowest limit first.

    `record_size` is the stored size in bytes, above 0; `sink_records` and `sink_bytes` per second are the limits of the
    sinks for all `shards` together. `utilization` (0 to 1) of each limit is used.
    """
    found = [Bound(utilization * reader_share(consumers) / record_size, "2 MB/s per shard", True)]
    if sink_records is not None:
        found.append(Bound(utilization * sink_records / shards, "records the sink accepts", False))
    if sink_bytes is not None:
        found.append(Bound(utilization * sink_bytes / shards / record_size, "bytes the sink accepts", False))
    return tuple(sorted(found, key=lambda bound: bound.rate))


def record_limit(rate: float, interval: float) -> int:
    """Return the records per call, at most 10 000, at which a call every `interval` seconds reads `rate` records/s."""
    return math.floor(round(min(float(CALL_RECORDS), rate * interval), 6))


class Polling(NamedTuple):
    """The calls and rates of a reader with a backlog, on one shard."""

    asked: float
    """The records per second that the reader's calls request, which may exceed its share of the shard's limit."""
    read: float
    """The records per second that the reader receives, at most its share of the shard's limit."""
    calls_share: float
    """The share of the shard's call limit that all readers together use; above 1 if Kinesis refuses calls."""
    bytes_share: float
    """The share of the shard's byte limit that all readers together request; above 1 if they receive less."""
    call_bytes: float
    """The bytes that one GetRecords call returns while there is a backlog."""


def polling(interval: float, max_records: int, record_size: float, consumers: int = 1) -> Polling:
    """Return the rates of `consumers` equal readers of a shard, each reading `max_records` every `interval` seconds."""
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
    """Return the minimum number of shards for one of `consumers` readers to read `rate` records per second."""
    return math.ceil(round(rate / bounds(record_size, consumers=consumers, utilization=utilization)[0].rate, 9))
