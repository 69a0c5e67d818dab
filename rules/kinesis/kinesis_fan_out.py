"""Enhanced fan-out without a consumer to fan out to.

## What it does
Reports a reader of enhanced fan-out (`flink.stream.recordpublisher` or `source.reader.type` is `EFO`) without the
name of its consumer (or, with registration `NONE`, without the consumer's ARN), a name that is set although the reader
polls, a record publisher that is neither `EFO` nor `POLLING`, and, over all files of the run, two readers of one stream
with the same name.

## Why it matters
Without a name the source is refused. A name alone does not turn fan-out on: the job polls and shares the shards'
throughput, while its author counts on his own. And a consumer has one subscription to a shard: two jobs with the same
name end each other's subscriptions, again and again.

## What to do
Set `flink.stream.efo.consumername` (`source.efo.consumer.name`) to a name of the job's own, and the publisher or reader
type to `EFO`.

## Not when
Properties come from elsewhere.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kinesis/#using-enhanced-fan-out>:
  both settings; names must be unique for each stream
- <https://github.com/apache/flink-connector-aws/blob/v4.3/flink-connector-aws/flink-connector-kinesis/src/main/java/org/apache/flink/streaming/connectors/kinesis/util/KinesisConfigUtil.java>:
  the checks of the consumer
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.rules.kinesis._cases import (
    ARN,
    IN_INDEX,
    READ,
    STREAM,
    again,
    consumer,
    given_more,
    program,
    reading_job,
    source,
    table,
    unknown,
)
from flink_flint.rules.kinesis._reader import (
    CONSUMER_ARN,
    CONSUMER_NAME,
    PUBLISHER,
    REGISTRATION,
    SOURCE_CONSUMER_NAME,
    SOURCE_READER,
    attribute,
    fans_out,
    more_properties,
    readers,
    stream,
    text,
    written,
)

_KINDS = ((PUBLISHER, CONSUMER_NAME), (SOURCE_READER, SOURCE_CONSUMER_NAME))


@rule(
    code="FLK836",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kinesis-source"],
    scope="project",
    compares=[(["element:kinesis-source"], ["element:kinesis-source"])],
    flink=">=1.11",
    since="0.1",
)
def kinesis_fan_out(project: Project) -> Iterator[Finding]:
    """enhanced fan-out without a consumer to fan out to"""
    first: dict[tuple[str, str], tuple[int, ElementView]] = {}
    for number, config in enumerate(project.views):
        for reader in readers(config):
            for kind, name in _KINDS:
                yield from _judge(reader, kind, name)
            yield from _twice(number, reader, first)


def _judge(reader: ElementView, kind: str, name: str) -> Iterator[Finding]:
    of, named = attribute(reader, kind), attribute(reader, name)
    value = text(reader, kind)
    if value is not None and (value.upper() if kind == SOURCE_READER else value) not in ("EFO", "POLLING"):
        yield reader.finding(
            f"{value} is neither EFO nor POLLING: the source is refused",
            of=of,
            help="write EFO or POLLING",
        )
    elif value is not None and value.upper() == "EFO" and not more_properties(reader):
        if kind == PUBLISHER and text(reader, REGISTRATION) == "NONE":
            if not any(CONSUMER_ARN.removeprefix("flink.") in key for key in reader.element.attributes):
                yield reader.finding(
                    f"with registration NONE the source needs the consumer's ARN and is refused without {CONSUMER_ARN}",
                    of=attribute(reader, REGISTRATION),
                    help=f"set {CONSUMER_ARN}.<stream>",
                )
        elif named is None and (kind == SOURCE_READER or attribute(reader, REGISTRATION) in (None, *_known(reader))):
            yield reader.finding(
                f"this reader fans out and has no {name}: the source is refused",
                of=of,
                help=f"set {name} to a name of the job's own",
            )
    elif named is not None and fans_out(reader) is False:
        yield reader.finding(
            f"{written(reader, named)} is set, but the reader polls: it has no throughput of its own",
            of=named,
            help=f"set {kind} to EFO",
            severity=Severity.WARNING,
        )


def _known(reader: ElementView) -> tuple[str, ...]:
    """The attribute of the registration, if its value is known."""
    name = attribute(reader, REGISTRATION)
    return () if name is None or reader.value(name) is None else (name,)


def _twice(
    number: int, reader: ElementView, first: dict[tuple[str, str], tuple[int, ElementView]]
) -> Iterator[Finding]:
    """Another reader of the same stream with the same name, in another program."""
    name = next((found for _, key in _KINDS if (found := attribute(reader, key))), None)
    consumer_name = None if name is None else reader.text(name)
    if not consumer_name or not stream(reader) or fans_out(reader) is False:
        return
    owner, other = first.setdefault((stream(reader), consumer_name), (number, reader))
    if owner != number:
        yield reader.finding(
            f"two readers of stream {stream(reader)} are both the consumer {consumer_name}: they end each other's"
            " subscriptions",
            of=name,
            help="give each job a consumer of its own",
            severity=Severity.WARNING,  # a name is a stream only within an account and a region
            confidence=Confidence.MEDIUM,
            related=[other.place(next((key for _, k in _KINDS if (key := attribute(other, k))), None))],
        )


_EFO = (PUBLISHER, "EFO")
_NAMED = (CONSUMER_NAME, "positions-job")


def cases() -> list[Case]:
    return [
        bad(program(consumer(_EFO)), file="Positions.java", flink="1.18", severity=Severity.ERROR, says="is refused"),
        bad(program(source((SOURCE_READER, "EFO"))), file="Positions.java", flink="1.20", says=SOURCE_CONSUMER_NAME),
        bad(program(consumer(_NAMED)), file="Positions.java", severity=Severity.WARNING, says="but the reader polls"),
        bad(program(consumer((PUBLISHER, "efo"), _NAMED)), file="Positions.java", says="neither EFO nor POLLING"),
        bad(program(consumer(_EFO, (REGISTRATION, "NONE"))), file="Positions.java", says="the consumer's ARN"),
        bad(table("t", ARN, "'source.reader.type' = 'EFO'") + READ, file="positions.sql"),
        good(program(consumer(_EFO, _NAMED)), file="Positions.java"),
        good(program(consumer(_EFO, (REGISTRATION, "NONE"), (f"{CONSUMER_ARN}.positions", "arn:aws:kinesis:c"))),
             file="Positions.java"),
        good(program(source((SOURCE_READER, "efo"), (SOURCE_CONSUMER_NAME, "p"))), file="Positions.java"),
        good(table("t", STREAM, "'scan.stream.recordpublisher' = 'EFO'", "'scan.stream.efo.consumername' = 'p'") + READ,
             file="positions.sql"),
        bad(program(source((SOURCE_READER, "EFO"), (REGISTRATION, "NONE"))), file="Positions.java",
            says=SOURCE_CONSUMER_NAME),
        bad(program(consumer(_EFO, (REGISTRATION, "LAZY"))), file="Positions.java", says=CONSUMER_NAME, flink="1.11"),
        good(program(consumer(_EFO, _NAMED), again(consumer(_EFO, _NAMED))), file="Positions.java"),
        good(program(consumer((PUBLISHER, "POLLING"))), file="Positions.java"),
        good(given_more(program(consumer(_EFO))), file="Positions.java"),
        good(given_more(program(consumer(_NAMED))), file="Positions.java"),
        good(unknown(program(consumer(_NAMED, (PUBLISHER, "EFO"))), "EFO"), file="Positions.java"),
        good(unknown(program(consumer(_EFO, (REGISTRATION, "LAZY"))), "LAZY"), file="Positions.java"),
        good(program(consumer((PUBLISHER, "efo"), _NAMED)), file="Positions.java", flink="1.10"),
        *cases_in_folders(__file__),
    ]  # fmt: skip


def claims() -> list[Claim]:
    arn = (f"{CONSUMER_ARN}.positions", "arn:aws:kinesis:c")
    return [
        flink_refuses("program", reading_job(*wrong), good=reading_job(*right), releases=IN_INDEX)
        for wrong, right in (
            ((_EFO,), (_EFO, _NAMED)),
            (((PUBLISHER, "efo"), _NAMED), (_EFO, _NAMED)),
            ((_EFO, (REGISTRATION, "NONE")), (_EFO, (REGISTRATION, "NONE"), arn)),
        )
    ]
