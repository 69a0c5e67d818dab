"""A limit for reading Kinesis that the connector or the service refuses.

## What it does
Reports a number of records for each call (`flink.shard.getrecords.maxrecordcount`,
`source.shard.get-records.max-record-count`) outside 1 to 10 000, an interval between calls of 300 000 ms or more, and
negative retries, back-offs and intervals of `FlinkKinesisConsumer`.

## Why it matters
The consumer checks its properties and the job is not built, with one exception: it takes more than 10 000 records,
or 0, and so does `KinesisStreamsSource`. Then the service refuses every call with `InvalidArgumentException`, and the
job fails as soon as it reads. An iterator is good for five minutes, hence the limit of the interval.

## What to do
Stay within 1 to 10 000 records and below 300 000 ms.

## Not when
The value is unknown. With adaptive reads the number of records is the connector's own affair.

## Sources
- <https://docs.aws.amazon.com/kinesis/latest/APIReference/API_GetRecords.html>: 1 to 10 000 records; iterators last
  five minutes
- <https://github.com/apache/flink-connector-aws/blob/v4.3/flink-connector-aws/flink-connector-kinesis/src/main/java/org/apache/flink/streaming/connectors/kinesis/util/KinesisConfigUtil.java>:
  the checks of the consumer
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kinesis._cases import (
    ARN,
    IN_INDEX,
    READ,
    STREAM,
    again,
    consumer,
    group,
    program,
    reading_job,
    source,
    table,
)
from flink_flint.rules.kinesis._reader import (
    ADAPTIVE,
    INTERVAL,
    MAX_RECORDS,
    SOURCE_MAX_RECORDS,
    attribute,
    number,
    readers,
    text,
    written,
)

_COUNTED = r"(?:flink|scan)\.(?:shard|list|stream)\.[\w.-]+\.(?:maxretries|timeout|intervalmillis|backoff\.\w+)"


@rule(
    code="FLK832",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kinesis-source"],
    flink=">=1.3",
    since="0.1",
)
def kinesis_limit_refused(config: View) -> Iterator[Finding]:
    """a limit for reading Kinesis that the connector or the service refuses"""
    from flink_flint.calculators.formulas.kinesis_limits import CALL_RECORDS, LONGEST_INTERVAL

    longest = round(LONGEST_INTERVAL * 1000)
    for reader in readers(config):
        for key in (MAX_RECORDS, SOURCE_MAX_RECORDS):
            records = number(reader, key)
            if records is None or 1 <= records <= CALL_RECORDS or (text(reader, ADAPTIVE) or "false") != "false":
                continue
            name = attribute(reader, key)
            assert name is not None
            yield reader.finding(
                f"a call cannot ask for {records:.0f} records: Kinesis gives 1 to {CALL_RECORDS} and refuses the rest,"
                " so the job fails as soon as it reads",
                of=name,
                help=f"set {written(reader, name)} to {CALL_RECORDS} or less",
                fix=reader.replace(name, str(CALL_RECORDS)) if records > CALL_RECORDS else None,
            )
        for name, value in _numbers(reader):
            key = written(reader, name)
            if value < 0:
                yield reader.finding(
                    f"{key} is {value:.10g}: the consumer takes nothing below 0 and the job is not built",
                    of=name,
                    help=f"set {key} to 0 or more",
                )
            elif key.endswith(INTERVAL.removeprefix("flink.")) and value >= longest:
                yield reader.finding(
                    f"{key} is {value:.0f}, and shard iterators last {longest} ms: the consumer refuses it and the job"
                    " is not built",
                    of=name,
                    help=f"set it below {longest}",
                )


def _numbers(reader: ElementView) -> Iterator[tuple[str, float]]:
    """The attributes that FlinkKinesisConsumer takes for numbers, once each."""
    seen = set()
    for name, found in reader.element.attributes.items():
        value = reader.number(name)
        if value is not None and found.span not in seen and re.fullmatch(rf"(?:properties|with)\.{_COUNTED}", name):
            seen.add(found.span)
            yield name, value


def _put(key: str, value: str) -> str:
    return program(consumer((f"flink.shard.getrecords.{key}", value)))


def cases() -> list[Case]:
    return [
        bad(
            _put("maxrecordcount", "20000"),
            file="Positions.java",
            says="20000 records",
            fixed=_put("maxrecordcount", "10000"),
        ),
        bad(_put("intervalmillis", "600000"), file="Positions.java", says="iterators last 300000 ms"),
        bad(_put("backoff.base", "-1"), file="Positions.java", says="nothing below 0"),
        bad(
            group(("flink.shard.getrecords.maxrecordcount", "20000")),
            file="main.tf",
            fixed=group(("flink.shard.getrecords.maxrecordcount", "10000")),
        ),
        bad(
            program(source(("source.shard.get-records.max-record-count", "0"))), file="Positions.java", says="0 records"
        ),
        bad(table("t", ARN, "'source.shard.get-records.max-record-count' = '50000'") + READ, file="positions.sql"),
        bad(table("t", STREAM, "'scan.shard.getrecords.intervalmillis' = '300000'") + READ, file="positions.sql"),
        good(_put("maxrecordcount", "10000"), file="Positions.java"),
        good(_put("intervalmillis", "299999"), file="Positions.java"),
        good(program(consumer(("flink.shard.idle.interval", "-1"))), file="Positions.java"),
        good(table("t", ARN, "'source.shard.get-records.max-record-count' = '500'") + READ, file="positions.sql"),
        bad(_put("maxrecordcount", "0"), file="Positions.java", flink="1.5", fixed=_put("maxrecordcount", "0")),
        bad(
            _put("backoff.base", "300000") + again(program(consumer(("flink.shard.getrecords.maxretries", "-1")))),
            file="Positions.java",
            says="maxretries",
        ),
        good(_put("maxrecordcount", "1"), file="Positions.java"),
        good(_put("backoff.base", "0"), file="Positions.java"),
        good(
            program(
                consumer(("flink.shard.adaptivereads", "true"), ("flink.shard.getrecords.maxrecordcount", "20000"))
            ),
            file="Positions.java",
        ),
        good(_put("backoff.max", "600000"), file="Positions.java"),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "program",
            reading_job((f"flink.shard.getrecords.{key}", wrong)),
            good=reading_job((f"flink.shard.getrecords.{key}", right)),
            releases=IN_INDEX,
        )
        for key, wrong, right in (("intervalmillis", "300000", "299999"), ("maxretries", "-1", "0"))
    ]
