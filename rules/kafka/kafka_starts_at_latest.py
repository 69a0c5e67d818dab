"""A job that promises delivery skips what came while it was away.

## What it does
Reports a Kafka source that starts at the latest offsets in a program or script whose sinks are at-least-once or
exactly-once by a written setting.

## Why it matters
The start position counts whenever the job starts without state: after a redeploy without a savepoint, after a lost
checkpoint, after the source's `uid` changed. Whatever was written to the topic in between is skipped without a word,
while the guarantee of the sink suggests that nothing is.

## What to do
Start from the committed offsets, with earliest for a new group:
`OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST)`; in SQL `'scan.startup.mode' = 'group-offsets'`
with `'properties.auto.offset.reset' = 'earliest'`.

## Not when
Only what is new matters (dashboards, alerts); then ignore the rule with that reason. Without a written guarantee
nothing is reported.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#starting-offset>:
  the start positions
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#start-reading-position>: in SQL
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import (
    AT_LEAST_ONCE,
    EXACTLY_ONCE,
    GROUP,
    PREFIX,
    READ,
    TOPIC,
    program,
    sink,
    source,
    table,
)
from flink_flint.rules.kafka._clients import (
    guarantee,
    guarantee_attribute,
    is_bounded,
    is_sql,
    named,
    offsets_initializer,
    starting_offsets,
)

_PROMISES = ("exactly-once", "at-least-once")


@rule(
    code="FLK813",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:kafka-source"],
    flink=">=1.12",
    of_scale=True,
    since="0.1",
)
def kafka_starts_at_latest(config: View) -> Iterator[Finding]:
    """a job that promises delivery skips what came while it was away"""
    promising = next(
        (one for one in config.elements("kafka-sink") if guarantee_attribute(one) and guarantee(one) in _PROMISES),
        None,
    )
    if promising is None:
        return
    for reader in config.elements("kafka-source"):
        if starting_offsets(reader) == "latest" and not is_bounded(reader):
            yield reader.finding(
                f"the sink is {guarantee(promising)}, yet each start without state begins at the latest offsets: what"
                " came in between is skipped",
                of=named(reader, "starting-offsets"),
                help="start from 'group-offsets' with 'properties.auto.offset.reset' = 'earliest'"
                if is_sql(reader)
                else f"start from {offsets_initializer(reader, 'EARLIEST')}",
                related=[promising.place(guarantee_attribute(promising))],
            )


_LATEST = "setStartingOffsets(OffsetsInitializer.latest())"


def cases() -> list[Case]:
    return [
        bad(program(source(GROUP, _LATEST), sink(AT_LEAST_ONCE)), file="Orders.java", says="the sink is at-least-once"),
        bad(program(source(GROUP, _LATEST), sink(EXACTLY_ONCE, PREFIX)), file="Orders.java", flink="1.18"),
        good(program(source(GROUP, _LATEST)), file="Orders.java"),
        good(program(source(GROUP, _LATEST), sink("setDeliveryGuarantee(DeliveryGuarantee.NONE)")), file="Orders.java"),
        good(program(source(GROUP), sink(AT_LEAST_ONCE)), file="Orders.java"),
        good(program(source(GROUP, _LATEST, "setBounded(OffsetsInitializer.latest())"), sink(AT_LEAST_ONCE)),
             file="Orders.java"),
        good(table("t", TOPIC, "'scan.startup.mode' = 'latest-offset'") + READ, file="orders.sql"),
        bad(table("t", TOPIC, "'scan.startup.mode' = 'latest-offset'")
            + table("u", TOPIC, "'sink.delivery-guarantee' = 'at-least-once'") + "INSERT INTO u SELECT * FROM t;\n",
            file="orders.sql", at="'latest-offset'", flink="1.12"),
        good(table("t", TOPIC, "'scan.startup.mode' = 'latest-offset'") + table("u", TOPIC)
             + "INSERT INTO u SELECT * FROM t;\n", file="orders.sql"),
    ]  # fmt: skip
