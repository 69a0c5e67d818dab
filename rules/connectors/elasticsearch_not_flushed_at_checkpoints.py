"""Elasticsearch may miss rows after a failure.

## What it does
Reports tables of Elasticsearch or OpenSearch in a SQL script with `sink.flush-on-checkpoint` = `false`, or with
`sink.delivery-guarantee` = `none` where the connector has that. In a program, reports `disableFlushOnCheckpoint()` of
`ElasticsearchSink` and `DeliveryGuarantee.NONE` of the builders for Elasticsearch and OpenSearch.

## Why it matters
A checkpoint then completes while requests are still on their way. When the job fails, it goes on behind them: what was
not acknowledged is lost, and nothing tells which documents.

## What to do
Leave the default, which waits for the acknowledgements.

## Not when
Losing documents is accepted: then silence the rule. The job takes no checkpoints, after which there is nothing to go
on from; where the script and its deployment do not show whether it takes any, it is a warning.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/elasticsearch/#connector-options>: without
  it there is no at-least-once
- <https://github.com/apache/flink-connector-elasticsearch>: the options of each version
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import takes_checkpoints
from flink_flint.rules.connectors._cases import elasticsearch_claim, program
from flink_flint.rules.sql._queries import tables

_CONNECTORS = ("elasticsearch-6", "elasticsearch-7", "elasticsearch-8", "opensearch", "opensearch-2")
_SINKS = ("ElasticsearchSink", "Elasticsearch6SinkBuilder", "Elasticsearch7SinkBuilder", "OpensearchSinkBuilder")
_FLUSH = "with.sink.flush-on-checkpoint"
_GUARANTEE = "with.sink.delivery-guarantee"


@rule(
    code="FLK855",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table", "element:sink"],
    flink=">=1.3",
    since="0.1",
)
def elasticsearch_not_flushed_at_checkpoints(config: View) -> Iterator[Finding]:
    """Elasticsearch may miss rows after a failure"""
    taken = takes_checkpoints(config)
    for table in tables(config, *_CONNECTORS) if taken is not False else ():
        for name, safe in ((_FLUSH, "true"), (_GUARANTEE, "at-least-once")):
            if table.flag(name) is False or (table.text(name) or "").lower() == "none":
                yield table.finding(
                    f"checkpoints do not wait for the requests to {table.name}: rows on their way when the job fails"
                    " are lost",
                    of=name,
                    help=f"write {safe}, the default",
                    fix=table.replace(name, safe),
                    severity=None if taken else Severity.WARNING,
                )
    for sink in config.elements("sink") if taken is not False else ():
        if not sink.name.startswith(_SINKS):
            continue
        for name, unsafe, remedy in (
            ("disable-flush-on-checkpoint", True, "remove disableFlushOnCheckpoint()"),
            ("delivery-guarantee", "NONE", "use DeliveryGuarantee.AT_LEAST_ONCE"),
        ):
            if sink.value(name) == unsafe:
                yield sink.finding(
                    f"checkpoints do not wait for the requests of {sink.name}: documents on their way when the job"
                    " fails are lost",
                    of=name,
                    help=remedy,
                    severity=Severity.WARNING,
                )


_TABLE = "CREATE TABLE d (id INT) WITH ('connector' = '%s', 'hosts' = 'http://es:9200', 'index' = 'i'%s);\n"


_LEGACY = (
    "ElasticsearchSink.Builder<String> builder = new ElasticsearchSink.Builder<>(hosts, function);",
    "ElasticsearchSink<String> sink = builder.build();",
    "%s",
    "env.addSource(words).addSink(sink);",
)
_BUILT = "env.addSource(words).sinkTo(new Elasticsearch7SinkBuilder<String>().setEmitter(emitter)%s.build());"
_TAKEN = "env.enableCheckpointing(60000);"


def _legacy(call: str) -> str:
    return program(_TAKEN, *(line.replace("%s", call) for line in _LEGACY))


def cases() -> list[Case]:
    unsafe = ".setDeliveryGuarantee(DeliveryGuarantee.NONE)"
    return [
        bad(_legacy("sink.disableFlushOnCheckpoint();"), file="Positions.java", at="disableFlushOnCheckpoint",
            severity=Severity.WARNING, says="requests of ElasticsearchSink"),
        bad(program(_TAKEN, _BUILT % unsafe), file="Positions.java", severity=Severity.WARNING,
            at="DeliveryGuarantee.NONE"),
        bad(program(_BUILT % unsafe), file="Positions.java", severity=Severity.WARNING),
        good(_legacy("builder.setBulkFlushInterval(1000);"), file="Positions.java"),
        good(program(_TAKEN, _BUILT % unsafe.replace("NONE", "AT_LEAST_ONCE")), file="Positions.java"),
        bad(_TABLE % ("elasticsearch-7", ", 'sink.flush-on-checkpoint' = 'false'"), file="job.sql", at="'false'",
            flink="1.16", severity=Severity.WARNING, says="rows on their way when the job fails are lost",
            fixed=_TABLE % ("elasticsearch-7", ", 'sink.flush-on-checkpoint' = 'true'")),
        bad("SET 'execution.checkpointing.interval' = '1 min';\n"
            + _TABLE % ("elasticsearch-7", ", 'sink.flush-on-checkpoint' = 'false'"), file="job.sql", flink="1.16",
            severity=Severity.ERROR),
        good("SET 'execution.checkpointing.interval' = '0';\n"
             + _TABLE % ("elasticsearch-7", ", 'sink.flush-on-checkpoint' = 'false'"), file="job.sql", flink="1.16"),
        bad(_TABLE % ("elasticsearch-8", ", 'sink.delivery-guarantee' = 'NONE'"), file="job.sql", at="'NONE'",
            flink="1.20"),
        good(_TABLE % ("elasticsearch-7", ""), file="job.sql", flink="1.18"),
        good(_TABLE % ("elasticsearch-6", ", 'sink.flush-on-checkpoint' = 'true'"), file="job.sql", flink="1.14"),
        good(_TABLE % ("elasticsearch-7", ", 'sink.flush-on-checkpoint' = '${FLUSH}'"), file="job.sql", flink="1.18"),
        good(_TABLE % ("my-sink", ", 'sink.flush-on-checkpoint' = 'false'"), file="job.sql", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [elasticsearch_claim("'sink.flush-on-checkpoint' = 'false'", "flushOnCheckpoint=false")]
