"""Where a Kinesis reader starts is misspelt, incomplete or left to the default.

## What it does
Reports an initial position that is none of `LATEST`, `TRIM_HORIZON` and `AT_TIMESTAMP`, `AT_TIMESTAMP` without a
timestamp, and, as advice, that nothing sets the position.

## Why it matters
The connector refuses the first two. Where nothing is set it starts at `LATEST`, unlike Kafka's source, which starts at
the earliest record: each start without state, after a redeploy without a savepoint or a changed `uid`, skips what came
while the job was away.

## What to do
Set `flink.stream.initpos` (`source.init.position` with `KinesisStreamsSource`, `scan.stream.initpos` in SQL of the
older connector) to what is meant. `AT_TIMESTAMP` wants `flink.stream.initpos.timestamp` (`source.init.timestamp`).

## Not when
Properties come from elsewhere. A written `LATEST` is a decision.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kinesis/#configuring-starting-position>:
  the positions and the default
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kinesis._cases import (
    ARN,
    READ,
    STREAM,
    consumer,
    given_more,
    group,
    program,
    source,
    table,
    unknown,
)
from flink_flint.rules.kinesis._reader import (
    POSITION,
    SOURCE,
    SOURCE_POSITION,
    SOURCE_TIMESTAMP,
    TIMESTAMP,
    attribute,
    connector,
    more_properties,
    readers,
    text,
    written,
)

_POSITIONS = ("LATEST", "TRIM_HORIZON", "AT_TIMESTAMP")


@rule(
    code="FLK834",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kinesis-source"],
    flink=">=1.3",
    since="0.1",
)
def kinesis_initial_position(config: View) -> Iterator[Finding]:
    """where a Kinesis reader starts is misspelt, incomplete or left to the default"""
    for reader in readers(config):
        if attribute(reader, POSITION) is not None or connector(reader) != SOURCE:
            yield from _judge(reader, POSITION, TIMESTAMP)
        if attribute(reader, SOURCE_POSITION) is not None or connector(reader) == SOURCE:
            yield from _judge(reader, SOURCE_POSITION, SOURCE_TIMESTAMP)


def _judge(reader: ElementView, position: str, timestamp: str) -> Iterator[Finding]:
    name = attribute(reader, position)
    if name is None:
        if connector(reader) is not None and not more_properties(reader):
            yield reader.finding(
                "nothing says where this reader starts, so it starts at LATEST: a start without state skips what came"
                " while the job was away",
                help=f"set {position} to TRIM_HORIZON, AT_TIMESTAMP or LATEST",
                severity=Severity.INFO,
            )
        return
    value = text(reader, position)
    if value is None:
        return
    # The newer source reads an enum, in any case; the older one a name to the letter.
    spelt = value.upper() if position == SOURCE_POSITION else value
    if spelt not in _POSITIONS:
        meant = value.upper().replace("-", "_")
        yield reader.finding(
            f"{written(reader, name)} is {value}, which is none of {', '.join(_POSITIONS)}: the source is refused",
            of=name,
            help=f"write {meant}" if meant in _POSITIONS else f"write one of {', '.join(_POSITIONS)}",
            fix=reader.replace(name, meant) if meant in _POSITIONS else None,
        )
    elif spelt == "AT_TIMESTAMP" and attribute(reader, timestamp) is None and not more_properties(reader):
        yield reader.finding(
            f"{written(reader, name)} is AT_TIMESTAMP and no timestamp is set: the source is refused",
            of=name,
            help=f"set {written(reader, name).replace(position.rpartition('.')[2], timestamp.rpartition('.')[2])}"
            if position == SOURCE_POSITION
            else f"set {written(reader, name)}.timestamp",
        )


def cases() -> list[Case]:
    return [
        bad(program(consumer((POSITION, "trim-horizon"))), file="Positions.java", severity=Severity.ERROR,
            fixed=program(consumer((POSITION, "TRIM_HORIZON")))),
        bad(group((POSITION, "latest")), file="main.tf", fixed=group((POSITION, "LATEST"))),
        bad(program(consumer((POSITION, "EARLIEST"))), file="Positions.java", says="none of LATEST"),
        bad(program(source((SOURCE_POSITION, "AT_TIMESTAMP"))), file="Positions.java", says="no timestamp is set"),
        bad(table("t", STREAM, "'scan.stream.initpos' = 'AT_TIMESTAMP'") + READ, file="positions.sql",
            severity=Severity.ERROR),
        bad(program(consumer()), file="Positions.java", severity=Severity.INFO),
        bad(table("t", ARN) + READ, file="positions.sql", severity=Severity.INFO),
        good(group((POSITION, "AT_TIMESTAMP")), file="main.tf"),
        good(program(consumer((POSITION, "LATEST"))), file="Positions.java"),
        good(program(source((SOURCE_POSITION, "trim_horizon"))), file="Positions.java"),
        good(program(source((SOURCE_POSITION, "AT_TIMESTAMP"), (SOURCE_TIMESTAMP, "1459799926.480"))),
             file="Positions.java"),
        good(table("t", STREAM, "'scan.stream.initpos' = 'TRIM_HORIZON'") + READ, file="positions.sql"),
        bad(program(source()), file="Positions.java", says="starts at LATEST"),
        bad(program(consumer((POSITION, "AT_TIMESTAMP"))), file="Positions.java", flink="1.5"),
        good(given_more(program(consumer())), file="Positions.java"),
        good(unknown(program(consumer((POSITION, "LATEST"))), "LATEST"), file="Positions.java"),
        good(program(consumer((POSITION, "AT_TIMESTAMP"), (TIMESTAMP, "1459799926.480"))), file="Positions.java"),
        good(table("t") + READ, file="positions.sql"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            table("t", STREAM, "'scan.stream.initpos' = 'AT_TIMESTAMP'") + READ,
            good=table("t", STREAM, "'scan.stream.initpos' = 'LATEST'") + READ,
            releases=">=1.13,<1.19",
        ),
    ]
