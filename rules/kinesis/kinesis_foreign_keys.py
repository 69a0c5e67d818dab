"""Properties of one Kinesis connector given to the other do nothing.

## What it does
Reports keys of `FlinkKinesisConsumer` (`flink.…`) in the configuration of a `KinesisStreamsSource`, keys of the latter
(`source.…`) in the properties of the former, and in SQL `scan.…` options of a table that names its stream by
`stream.arn`, as connector 5.0 does.

## Why it matters
Neither connector complains about keys it does not know: after a migration the job starts at `LATEST`, without limits
and without fan-out, although its configuration says otherwise. SQL does complain, and refuses the table.

## What to do
Write what the connector reads; the help names it where there is one. The retries of the older connector are left to
the AWS SDK by the newer one.

## Not when
The connector in SQL is `kinesis-legacy`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kinesis/>: the newer source
- <https://github.com/apache/flink-connector-aws/blob/main/flink-connector-aws/flink-connector-aws-kinesis-streams/src/main/java/org/apache/flink/connector/kinesis/source/config/KinesisSourceConfigOptions.java>:
  its options
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kinesis/>: SQL's options
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kinesis._cases import ARN, IN_INDEX, READ, STREAM, consumer, program, reading_job, source, table
from flink_flint.rules.kinesis._reader import (
    CONSUMER,
    CONSUMER_NAME,
    INTERVAL,
    MAX_RECORDS,
    POSITION,
    PUBLISHER,
    REGISTRATION,
    SOURCE,
    SOURCE_CONSUMER_NAME,
    SOURCE_INTERVAL,
    SOURCE_LIFECYCLE,
    SOURCE_MAX_RECORDS,
    SOURCE_POSITION,
    SOURCE_READER,
    SOURCE_TIMESTAMP,
    TIMESTAMP,
    api,
    connector,
    readers,
)

_SUCCESSORS = {
    POSITION: SOURCE_POSITION,
    TIMESTAMP: SOURCE_TIMESTAMP,
    f"{TIMESTAMP}.format": f"{SOURCE_TIMESTAMP}.format",
    MAX_RECORDS: SOURCE_MAX_RECORDS,
    INTERVAL: f"{SOURCE_INTERVAL} (only in the newest releases of the connector)",
    PUBLISHER: SOURCE_READER,
    CONSUMER_NAME: SOURCE_CONSUMER_NAME,
    REGISTRATION: SOURCE_LIFECYCLE,
    "flink.shard.discovery.intervalmillis": "source.shard.discovery.interval",
}
_PREDECESSORS = {successor: key for key, successor in _SUCCESSORS.items()}


@rule(
    code="FLK837",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kinesis-source"],
    flink=">=1.15",
    since="0.1",
)
def kinesis_foreign_keys(config: View) -> Iterator[Finding]:
    """properties of one Kinesis connector given to the other do nothing"""
    for reader in readers(config):
        name = api(reader)
        if name == "sql" and connector(reader) == SOURCE:
            yield from _refused(reader)
        if name == SOURCE:
            yield from _ignored(reader, ("flink.stream.", "flink.shard.", "flink.list."), _SUCCESSORS)
        elif name == CONSUMER:
            yield from _ignored(
                reader, ("source.init.", "source.shard.", "source.reader.", "source.efo."), _PREDECESSORS
            )


def _ignored(reader: ElementView, prefixes: tuple[str, ...], others: dict[str, str]) -> Iterator[Finding]:
    for key, _ in reader.under("properties"):
        if key.startswith(prefixes):
            other = others.get(key)
            yield reader.finding(
                f"{api(reader)} does not read {key}: it has no effect",
                of=f"properties.{key}",
                at="key",
                help=f"write {other}" if other else "delete it; there is nothing in its place",
            )


def _refused(reader: ElementView) -> Iterator[Finding]:
    for key, _ in reader.under("with"):
        if key.startswith("scan."):
            other = _SUCCESSORS.get(f"flink.{key.removeprefix('scan.')}")
            yield reader.finding(
                f"a table that names its stream by stream.arn is one of connector 5.0, which has no option {key} and"
                " refuses it",
                of=f"with.{key}",
                at="key",
                help=f"write {other}" if other else "delete it, or use 'connector' = 'kinesis-legacy' with 'stream'",
            )


def cases() -> list[Case]:
    return [
        bad(program(source((POSITION, "TRIM_HORIZON"))), file="Positions.java", severity=Severity.ERROR, flink="1.20",
            says="does not read flink.stream.initpos"),
        bad(program(consumer((SOURCE_POSITION, "TRIM_HORIZON"))), file="Positions.java", flink="1.20"),
        bad(program(source((MAX_RECORDS, "500"), ("flink.shard.getrecords.maxretries", "10"))), file="Positions.java",
            times=2),
        bad(table("t", ARN, "'scan.stream.initpos' = 'LATEST'") + READ, file="positions.sql", flink="1.20",
            says="has no option scan.stream.initpos"),
        good(program(source((SOURCE_POSITION, "TRIM_HORIZON"))), file="Positions.java"),
        good(program(consumer((POSITION, "TRIM_HORIZON"))), file="Positions.java"),
        good(table("t", ARN, "'source.init.position' = 'LATEST'") + READ, file="positions.sql"),
        good(table("t", STREAM, "'scan.stream.initpos' = 'LATEST'", connector="kinesis-legacy") + READ,
             file="positions.sql"),
        bad(program(source(("flink.list.shards.backoff.base", "100"))), file="Positions.java", flink="1.15"),
        good(program(source((POSITION, "TRIM_HORIZON"))), file="Positions.java", flink="1.14"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "program",
            reading_job(("source.init.position", "NONSENSE")),
            good=reading_job(("aws.endpoint", "http://localhost:4566")),
            releases=IN_INDEX,
        ),
    ]
