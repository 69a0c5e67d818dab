"""The Kinesis consumer gives up before a shard answers again.

## What it does
Adds up the pauses between the retries of `FlinkKinesisConsumer` where the properties set them
(`flink.shard.getrecords.maxretries`, `.backoff.base`, `.backoff.max`, `.backoff.expconst`), and reports when even the
longest of them come to less than five seconds. Fewer retries than the default of 3 are a warning, else it is advice.

## Why it matters
A call that returns 10 MB, as calls do while a job catches up, is followed by five seconds in which the shard refuses
reads. Other readers of the shard lengthen that. When its retries are used up the consumer throws, the job restarts,
and has more to catch up with.

## What to do
`flink.shard.getrecords.maxretries` 10, with `backoff.base` 300 and `backoff.max` 1000, waits up to eight seconds.

## Not when
Nothing sets the retries, or a value is unknown. Consumers of enhanced fan-out do not make these calls, and
`KinesisStreamsSource` leaves retries to the AWS SDK.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: 10 MB, then five seconds of refusals
- <https://github.com/apache/flink-connector-aws/blob/v4.3/flink-connector-aws/flink-connector-kinesis/src/main/java/org/apache/flink/streaming/connectors/kinesis/proxy/KinesisProxy.java>:
  the retries
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kinesis._cases import READ, STREAM, again, consumer, given_more, program, source, table, unknown
from flink_flint.rules.kinesis._reader import CONSUMER, attribute, connector, fans_out, more_properties, number, readers

_DEFAULTS = {
    "flink.shard.getrecords.maxretries": 3.0,
    "flink.shard.getrecords.backoff.base": 300.0,
    "flink.shard.getrecords.backoff.max": 1000.0,
    "flink.shard.getrecords.backoff.expconst": 1.5,
}
_RETRIES = "flink.shard.getrecords.maxretries"
_REFUSED = 5000.0
"""Milliseconds for which a shard refuses reads after a call that returned 10 MB."""


@rule(
    code="FLK833",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kinesis-source"],
    flink=">=1.3",
    of_scale=True,
    since="0.1",
)
def kinesis_gives_up(config: View) -> Iterator[Finding]:
    """the Kinesis consumer gives up before a shard answers again"""
    from flink_flint.calculators.formulas.quantity import spell_duration

    for reader in readers(config):
        if connector(reader) != CONSUMER or fans_out(reader) is not False or more_properties(reader):
            continue
        names = {key: name for key in _DEFAULTS if (name := attribute(reader, key))}
        values = {key: number(reader, key) if key in names else usual for key, usual in _DEFAULTS.items()}
        known = [value for value in values.values() if value is not None]
        if not names or len(known) < len(values):
            continue
        retries, base, most, power = known
        if not 0 <= retries < 100:
            continue
        waits = sum(min(most, base * power**attempt) for attempt in range(1, int(retries) + 1))
        if waits >= _REFUSED:
            continue
        yield reader.finding(
            f"{retries:.0f} retries wait {spell_duration(waits / 1000)} at most, and a shard that has returned 10 MB"
            f" refuses reads for {spell_duration(_REFUSED / 1000)}: the consumer gives up and the job restarts",
            of=next(iter(names.values())),
            help=f"set {_RETRIES} to 10",
            severity=None if retries < _DEFAULTS[_RETRIES] else Severity.INFO,
        )


def _retries(count: str, **more: str) -> str:
    backoff = [(f"flink.shard.getrecords.backoff.{key}", value) for key, value in more.items()]
    return program(consumer((_RETRIES, count), *backoff))


_EXPONENT, _MOST = "flink.shard.getrecords.backoff.expconst", "flink.shard.getrecords.backoff.max"


def cases() -> list[Case]:
    return [
        bad(_retries("1"), file="Positions.java", severity=Severity.WARNING, says="retries wait 450 ms"),
        bad(_retries("4"), file="Positions.java", severity=Severity.INFO),
        bad(
            table("t", STREAM, "'scan.shard.getrecords.maxretries' = '0'") + READ,
            file="positions.sql",
            severity=Severity.WARNING,
        ),
        good(_retries("10"), file="Positions.java"),
        good(_retries("4", base="2000", max="5000"), file="Positions.java"),
        good(program(consumer()), file="Positions.java"),
        bad(_retries("1"), file="Positions.java", profile="development", severity=Severity.INFO),
        bad(
            program(consumer(("flink.shard.getrecords.backoff.max", "1500"))),
            file="Positions.java",
            flink="1.5",
            severity=Severity.INFO,
        ),
        bad(
            program(consumer((_RETRIES, "10")), again(consumer((_RETRIES, "1"), (_EXPONENT, "2")))),
            file="Positions.java",
        ),
        bad(
            program(consumer((_RETRIES, "110")), again(consumer((_RETRIES, "99"), (_MOST, "10")))),
            file="Positions.java",
            says="99 retries",
        ),
        good(_retries("100", max="10"), file="Positions.java"),
        good(_retries("3", base="130", max="9000", expconst="3"), file="Positions.java"),
        good(_retries("5", base="2000", max="1000"), file="Positions.java"),
        good(program(consumer(("flink.stream.recordpublisher", "EFO"), (_RETRIES, "0"))), file="Positions.java"),
        good(
            given_more(program(consumer(("flink.stream.recordpublisher", "POLLING"), (_RETRIES, "0")))),
            file="Positions.java",
        ),
        good(program(source((_RETRIES, "0"))), file="Positions.java"),
        *(
            good(unknown(_retries("0", base="1", max="2", expconst="3"), value), file="Positions.java")
            for value in "0123"
        ),
        *cases_in_folders(__file__),
    ]
