"""A change replaces a source and keeps the ID of its operator.

## What it does
Compares a program with its older revision: `FlinkKafkaConsumer`, `FlinkPulsarSource` or `FlinkKinesisConsumer` becomes
the source that replaces it, and the `uid` stays.

## Why it matters
The savepoint is restored without an error, and the new source does not read the old one's state, a union list of all
positions. It stays in the metadata of each checkpoint and grows with each restore, until `The rpc invocation size
exceeds the maximum akka framesize`, or the JobManager has no memory left. The new source starts from where its
offsets initializer says.

## What to do
Give the new source another `uid`, take a savepoint with the old program, so that its positions are committed, and
restore once with `--allowNonRestoredState`.

## Not when
The check compares with no revision (`--diff-base`), or the ID changes too.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#kafka-sourcefunction>: how
  to move from the old consumer
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._sources import HELP, message, replaced
from flink_flint.rules.dataflow.uid_of_replaced_source import NEW, OLD


@rule(
    code="FLK453",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:operator"],
    scope="change",
    flink=">=1.0",
    since="0.1",
)
def uid_kept_by_new_source(before: View, after: View) -> Iterator[Finding]:
    """a change replaces a source and keeps the ID of its operator"""
    for old, new in replaced(before, after):
        yield new.finding(message(old, new), of="uid", help=HELP)


def cases() -> list[Case]:
    return [
        bad(NEW % "orders", before=OLD, file="Job.java", at='"orders"', severity=Severity.WARNING),
        bad(NEW % "orders", before=OLD.replace("FlinkKafkaConsumer<>", "FlinkKafkaConsumer011<>"), file="Job.java"),
        good(NEW % "orders-source", before=OLD, file="Job.java"),
        good(NEW % "orders", before=NEW % "orders", file="Job.java"),
    ]
