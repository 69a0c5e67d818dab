"""A reader of Pulsar never looks for new partitions.

## What it does
Looks for the source of the older Pulsar connector (`FlinkPulsarSource`) without `partition.discovery.interval-millis`,
and for a `PulsarSource` or a SQL table whose discovery is switched off.

## Why it matters
A topic gets more partitions, producers spread messages over them, and the job reads the old ones only: what is
written to the new partitions is never read until the job is started anew, and no log says so. The older connector has
the discovery off by default, the newer one looks every 30 s or 5 min.

## What to do
Set `partition.discovery.interval-millis`, such as `60000`; with `PulsarSource`
`pulsar.source.partitionDiscoveryIntervalMs`.

## Not when
The source is bounded, it names partitions (`...-partition-0`), or its properties come from elsewhere.

## Sources
- <https://github.com/streamnative/pulsar-flink>: the option of the older connector, off by default
-
  <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/pulsar/#dynamic-partition-discovery>:
  that of the newer one"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.connectors._cases import program
from flink_flint.rules.sql._queries import tables

_OLD = "partition.discovery.interval-millis"
_NEW = "pulsar.source.partitionDiscoveryIntervalMs"
_OF_SQL = ("partition.discovery.interval-millis", "source.partition-discovery-interval", _NEW)


@rule(
    code="FLK563",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:pulsar-source", "element:table"],
    since="0.1",
)
def pulsar_partition_discovery_off(config: View) -> Iterator[Finding]:
    """a reader of Pulsar never looks for new partitions"""
    for part, key, name in _readers(config):
        if "-partition-" in part.name:
            continue
        how = f"{key} is {part.value(name)}" if name is not None else f"{key} is not set"
        yield part.finding(
            f"{how}, so the source never looks for new partitions: messages in those that are added later are not read",
            of=name,
            key=key,
            help=f"set {key} to 60000",
        )


def _readers(config: View) -> Iterator[tuple[ElementView, str, str | None]]:
    for source in config.elements("pulsar-source"):
        is_old = source.text("api") != "PulsarSource"
        key = _OLD if is_old else _NEW
        name = f"properties.{key}"
        if name in source.element.attributes:
            if (number := source.number(name)) is not None and number <= 0:
                yield source, key, name
        elif is_old and not {"properties", "calls"} & source.element.attributes.keys() and source.name:
            yield source, key, None
    for table in tables(config, "pulsar"):
        for key in _OF_SQL:
            if (number := table.number(f"with.{key}")) is not None and number <= 0:
                yield table, key, f"with.{key}"


_TOPIC = 'props.setProperty("topic", "persistent://public/default/%s");'
_OLD_SOURCE = (
    "Properties props = new Properties();",
    _TOPIC % "events",
    'env.addSource(new FlinkPulsarSource<>("pulsar://mq:6650", "http://mq:8080", schema, props)).print();',
)


def cases() -> list[Case]:
    java = "Positions.java"
    interval = 'props.setProperty("partition.discovery.interval-millis", "%s");'
    return [
        bad(program(*_OLD_SOURCE), file=java, flink="1.12", severity=Severity.WARNING, says="is not set"),
        bad(program(*_OLD_SOURCE[:2], interval % -1, _OLD_SOURCE[2]), file=java, at='"-1"', flink="1.12"),
        bad(
            "CREATE TABLE t (id INT) WITH ('connector' = 'pulsar', 'topics' = 't',"
            " 'partition.discovery.interval-millis'"
            " = '-1');\n",
            file="job.sql",
            at="'-1'",
            flink="1.12",
        ),
        good(program(*_OLD_SOURCE[:2], interval % 5000, _OLD_SOURCE[2]), file=java, flink="1.12"),
        good(program(_OLD_SOURCE[0], _TOPIC % "events-partition-0", _OLD_SOURCE[2]), file=java, flink="1.12"),
        good(program("Properties props = load(args);", *_OLD_SOURCE[1:]), file=java, flink="1.12"),
        good(
            program('env.fromSource(PulsarSource.builder().setTopics("events").build(), marks, "in").print();'),
            file=java,
            flink="1.18",
        ),
        bad(
            program(
                'env.fromSource(PulsarSource.builder().setTopics("events")'
                '.setConfig("pulsar.source.partitionDiscoveryIntervalMs", -1L).build(), marks, "in").print();'
            ),
            file=java,
            flink="1.18",
        ),
        good("CREATE TABLE t (id INT) WITH ('connector' = 'pulsar', 'topics' = 't');\n", file="job.sql", flink="1.16"),
    ]
