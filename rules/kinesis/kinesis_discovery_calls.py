"""The subtasks of a Kinesis reader ask for the shards more often than the stream answers.

## What it does
Multiplies the parallelism of a `FlinkKinesisConsumer` with how often each subtask looks for new shards
(`flink.shard.discovery.intervalmillis`, 10 000 by default), and reports more than 100 calls a second (the threshold
`calls`).

## Why it matters
Every subtask asks for the whole list of shards by itself. ListShards has a limit for each stream, of all who call it;
beyond it calls end with `LimitExceededException`, are tried again with growing pauses, and the reader learns late of
shards that were split. It was 100 a second for years, and AWS may grant you more.

## What to do
Raise the interval: 60 000 ms is soon enough to follow a stream that is split by hand or by a schedule.
`KinesisStreamsSource` asks once for all of its subtasks.

## Not when
The parallelism or the interval are unknown, or the reader is a `KinesisStreamsSource`. A program may set the
parallelism of the source itself: low confidence, therefore, where it is a program.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/connectors/datastream/kinesis/#internally-used-kinesis-apis>:
  each subtask calls ListShards, every 10 s by default
- <https://docs.aws.amazon.com/kinesis/latest/APIReference/API_ListShards.html>: the limit for each stream
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from flink_flint.linter.model.rule import (
    Case,
    Confidence,
    Finding,
    Severity,
    Threshold,
    bad,
    cases_in_folders,
    good,
    rule,
)
from flink_flint.linter.model.view import View
from flink_flint.rules.kinesis._cases import ARN, READ, STREAM, consumer, program, source, table
from flink_flint.rules.kinesis._reader import CONSUMER, api, attribute, connector, number, readers
from flink_flint.rules.sql._queries import parallelism

_INTERVAL = "flink.shard.discovery.intervalmillis"
_DEFAULT = 10_000
_RARELY = 60_000


@rule(
    code="FLK845",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:kinesis-source"],
    thresholds={"calls": Threshold(100, "calls of ListShards a second, of all subtasks, that a stream answers")},
    of_scale=True,
    since="0.1",
)
def kinesis_discovery_calls(config: View) -> Iterator[Finding]:
    """subtasks of a Kinesis reader ask for shards more often than a stream answers"""
    for reader in readers(config):
        subtasks = parallelism(config)[0]
        name = attribute(reader, _INTERVAL)
        interval = number(reader, _INTERVAL) if name else float(_DEFAULT)
        if connector(reader) != CONSUMER or subtasks is None or interval is None or interval <= 0:
            continue
        calls = subtasks * 1000 / interval
        most = config.threshold("calls")
        if calls <= most:
            continue
        rarely = max(_RARELY, math.ceil(subtasks * 1000 / max(most, 1e-9)))
        yield reader.finding(
            f"{subtasks} subtasks ask for the shards every {interval:.10g} ms, {calls:.5g} times a second in all: more"
            f" than the {most:.10g} that the stream answers",
            of=name,
            help=f"set {_INTERVAL} to {rarely}",
            fix=reader.replace(name, str(rarely)) if name and interval < rarely else None,
            confidence=None if api(reader) == "sql" else Confidence.LOW,
            evidence={"subtasks": subtasks, "calls_per_second": calls},
            measure=calls,
        )


def _job(interval: str, subtasks: str = "env.setParallelism(101);") -> str:
    return program(subtasks, consumer((_INTERVAL, interval)))


_TWO, _SIX = "env.setParallelism(2000);", "env.setParallelism(6001);"
_MANY = "SET 'parallelism.default' = '128';\n"


def cases() -> list[Case]:
    return [
        bad(
            _job("1000"),
            file="Positions.java",
            at='"1000"',
            severity=Severity.INFO,
            says="101 subtasks ask for the shards every 1000 ms, 101 times a second",
            fixed=_job("60000"),
        ),
        bad(
            _MANY + table("t", STREAM, "'scan.shard.discovery.intervalmillis' = '500'") + READ,
            file="positions.sql",
            says="256 times a second",
        ),
        bad(program("env.setParallelism(1001);", consumer()), file="Positions.java", says="every 10000 ms"),
        bad(_job("1"), file="Positions.java", says="every 1 ms"),
        bad(_job("60000", _SIX), file="Positions.java", says="100.02 times", fixed=_job("60010", _SIX)),
        bad(
            "SET 'table.exec.resource.default-parallelism' = '1001';\n" + table("t", STREAM) + READ,
            file="positions.sql",
        ),
        bad(program(_TWO, source(), consumer()), file="Positions.java", says="2000 subtasks"),
        good(_job("1000", "env.setParallelism(100);"), file="Positions.java"),
        good(program(_TWO, source()), file="Positions.java"),
        good(
            _MANY + table("t", STREAM, "'scan.shard.discovery.intervalmillis' = '${INTERVAL}'") + READ,
            file="positions.sql",
        ),
        good(_job("10000"), file="Positions.java"),
        good(_job("0"), file="Positions.java"),
        good(_job("1000", ""), file="Positions.java"),
        good(_job("1000", "env.setParallelism(Integer.parseInt(args[0]));"), file="Positions.java"),
        good(
            program("env.setParallelism(101);", source(("source.shard.discovery.interval", "1 s"))),
            file="Positions.java",
        ),
        good(_MANY + table("t", ARN, "'source.shard.discovery.interval' = '1 s'") + READ, file="positions.sql"),
        *cases_in_folders(__file__),
    ]
