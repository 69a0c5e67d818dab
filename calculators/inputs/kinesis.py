"""Inputs of the Kinesis calculator: the stream, its readers, and the sinks of the job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.kinesis_limits import (
    CALL_RECORDS,
    FAN_OUT_CONSUMERS,
    LONGEST_INTERVAL,
    READ_CALLS,
    fetch_interval,
)
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    YES_NO,
    Unit,
    choice,
    parse_byte_rate,
    parse_size,
    spell_count,
)

MEGABYTES = Unit("bytes/s", parse_byte_rate, lambda rate: f"{spell_count(round(rate))} bytes/s", "1000000 bytes/s")
"""The unit of AWS byte rates, formatted in bytes/s because AWS's megabytes are decimal and Flink's are binary."""


def _legacy(inputs: Stream) -> bool:
    return inputs.connector == "consumer"


def _is_source(inputs: Stream) -> bool:
    return inputs.connector == "source"


def _has_interval(inputs: Stream) -> bool:
    return _legacy(inputs) or bool(inputs.paced)


def _unpaced(inputs: Stream) -> bool:
    return not _has_interval(inputs)


def _has_rate(inputs: Stream) -> bool:
    return inputs.rate is not None


@dataclass(frozen=True, kw_only=True)
class Stream(Inputs):
    """Inputs shared by `Kinesis` and `CurrentKinesis`: the stream, its readers and the job's sinks."""

    connector: str = ask(
        choice("source", "consumer"),
        "which connector reads: KinesisStreamsSource, or the old FlinkKinesisConsumer",
        default="source",
        assumed="KinesisStreamsSource, the only one from Flink 2.0 on",
    )
    paced: bool = ask(
        YES_NO,
        "whether the connector supports source.reader.nonempty-records-fetch-interval (FLINK-39137, later than 6.0)",
        default=False,
        assumed="released connectors do not",
        when=_is_source,
    )
    shards: int = ask(COUNT, "shards of the stream", least=1)
    record_size: int = ask(
        BYTES,
        "the size of a record as stored in the stream (an aggregate of the producer library counts as one)",
        least=1,
        most=parse_size("10mb"),
        metric="averageRecordSizeBytes",
        statistic="mean",
    )
    consumers: int = ask(
        COUNT,
        "applications that poll the stream, this job included",
        default=1,
        assumed="this job alone",
        least=1,
    )
    call_rate: float = ask(
        PER_SECOND,
        "GetRecords calls per second that the source makes to a shard, as measured: it has no interval to set",
        default=float(READ_CALLS),
        assumed="as many as a shard accepts",
        above=0,
        most=float(READ_CALLS),
        when=_unpaced,
    )
    rate: float | None = ask(
        PER_SECOND,
        "records per second written to the stream, all shards together",
        default=None,
        above=0,
        metric="numRecordsInPerSecond",
        statistic="p95",
    )
    sink_records: float | None = ask(
        PER_SECOND,
        "records per second that downstream systems accept, for all shards together",
        default=None,
        above=0,
    )
    sink_bytes: float | None = ask(
        MEGABYTES,
        "bytes per second that downstream systems accept, for all shards (mb is binary; 1 MB/s of AWS is 1000000 "
        "bytes/s)",
        default=None,
        above=0,
    )
    behind: float | None = ask(
        SECONDS,
        "how far the job is behind",
        default=None,
        least=0,
        metric="millisBehindLatest",
        statistic="max",
        when=_has_rate,
    )


@dataclass(frozen=True, kw_only=True)
class Kinesis(Stream):
    """Inputs for sizing the fetch interval and the record limit of a call."""

    utilization: float = ask(
        FRACTION,
        "the part of each limit that is used",
        default=0.8,
        assumed="the rest is room for uneven shards and retries",
        above=0,
        most=1,
    )
    catch_up: float = ask(
        NUMBER,
        "the rate of reading a backlog, as a multiple of the rate of writing",
        default=1.5,
        assumed="a full shard can be read twice as fast as it is written",
        above=1,
        when=_has_rate,
    )
    fan_out_consumers: int = ask(
        COUNT,
        "consumers registered with the stream for enhanced fan-out",
        default=0,
        assumed="none",
        least=0,
        most=FAN_OUT_CONSUMERS,
        when=_has_rate,
    )
    interval: float | None = ask(
        SECONDS, "current fetch interval", default=None, above=0, most=LONGEST_INTERVAL, when=_has_interval
    )
    max_records: int | None = ask(COUNT, "current record limit", default=None, least=1, most=CALL_RECORDS)

    def contradictions(self) -> Iterator[BadInput]:
        if _has_interval(self) and fetch_interval(self.consumers) > LONGEST_INTERVAL:
            yield BadInput(
                "consumers",
                f"{spell_count(self.consumers)} polling applications get less than one call in 5 min each, after "
                f"which a shard iterator expires; allowed: at most {spell_count(LONGEST_INTERVAL * READ_CALLS)}",
            )


@dataclass(frozen=True, kw_only=True)
class CurrentKinesis(Stream):
    """Inputs for computing the rates that the current fetch interval and record limit allow."""

    interval: float = ask(
        SECONDS,
        "current fetch interval",
        default=0.2,
        assumed="the default of FlinkKinesisConsumer",
        above=0,
        most=LONGEST_INTERVAL,
        when=_has_interval,
    )
    max_records: int = ask(
        COUNT,
        "current record limit",
        default=CALL_RECORDS,
        assumed="the default of both connectors",
        least=1,
        most=CALL_RECORDS,
    )

    @property
    def pause(self) -> float:
        """The seconds between two calls to a shard."""
        return self.interval if _has_interval(self) else 1 / self.call_rate
