"""A copy of Kafka into Paimon starts from offsets that its group does not have.

## What it does
Looks at the actions of Paimon that copy topics (`kafka_sync_table`, `kafka_sync_database`): neither
`scan.startup.mode` nor `properties.auto.offset.reset` among their `--kafka_conf`, or the mode `group-offsets` without
the latter.

## Why it matters
The first start fails in the source's fetcher: `NoOffsetForPartitionException: Undefined offset with no reset policy
for partitions`. Without a mode the action begins at the committed offsets of its group. A new group has none, and
nothing says where to begin then.

## What to do
Add `--kafka_conf scan.startup.mode=earliest-offset`, or `--kafka_conf properties.auto.offset.reset=earliest`, which
counts where the group has no offset only.

## Not when
Either is set, or the offsets of the group are committed beforehand by design: then set
`properties.auto.offset.reset=none`.

## Sources
- <https://paimon.apache.org/docs/master/cdc-ingestion/kafka-cdc/>: the options are those of Flink's Kafka table
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#start-reading-position>: begins at
  committed offsets by default
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_CONF = "program.kafka_conf"
_MODE, _RESET, _GROUP = "scan.startup.mode", "properties.auto.offset.reset", "properties.group.id"


@rule(
    code="FLK560",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:command"],
    since="0.1",
)
def sync_starts_without_offsets(config: View) -> Iterator[Finding]:
    """a copy of Kafka into Paimon starts from offsets that its group does not have"""
    for command in config.elements("command"):
        action = command.text("program") or ""
        if not action.startswith("kafka_sync") or not command.has(_CONF) or command.has(f"{_CONF}.{_RESET}"):
            continue
        mode = command.text(f"{_CONF}.{_MODE}")
        if command.has(f"{_CONF}.{_MODE}") and mode != "group-offsets":
            continue
        at = next((f"{_CONF}.{key}" for key in (_MODE, _GROUP) if command.has(f"{_CONF}.{key}")), "program")
        yield command.finding(
            f"{action} begins at the offsets of its group, and nothing says where if it has none: its first start"
            " fails with"
            " NoOffsetForPartitionException",
            of=at,
            key=_MODE,
            help=f"add --kafka_conf {_MODE}=earliest-offset or --kafka_conf {_RESET}=earliest",
        )


_RUN = (
    "flink run /opt/flink/lib/paimon-flink-action-1.0.jar %s --warehouse s3://lake --database d --table t \\\n"
    "  --kafka_conf properties.bootstrap.servers=kafka:9092 --kafka_conf topic=orders \\\n"
    "  --kafka_conf properties.group.id=copy%s --table_conf bucket=4\n"
)


def cases() -> list[Case]:
    more = " --kafka_conf %s"
    return [
        bad(
            _RUN % ("kafka_sync_table", ""),
            file="sync.sh",
            at="properties.group.id=copy",
            severity=Severity.WARNING,
            says="kafka_sync_table begins at the offsets of its group",
        ),
        bad(
            _RUN % ("kafka_sync_database", more % "scan.startup.mode=group-offsets"),
            file="sync.sh",
            says="its first start fails",
        ),
        good(_RUN % ("kafka_sync_table", more % "scan.startup.mode=earliest-offset"), file="sync.sh"),
        good(_RUN % ("kafka_sync_table", more % "properties.auto.offset.reset=latest"), file="sync.sh"),
        good(_RUN % ("kafka_sync_table", more % '"scan.startup.mode=$MODE"'), file="sync.sh"),
        good(_RUN % ("compact", ""), file="sync.sh"),
    ]
