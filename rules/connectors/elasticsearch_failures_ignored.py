"""Documents that Elasticsearch refuses are dropped.

## What it does
Reports tables of Elasticsearch or OpenSearch in a SQL script with `failure-handler` = `ignore`.

## Why it matters
Every document that is refused is dropped with a log line at most: one of another type than the mapping has, and every
one of a burst that the cluster answered with 429, too many requests. The index lacks them, and no metric says so.

## What to do
Use `retry-rejected`, which sends those again that were only too many, with a `sink.bulk-flush.backoff.strategy` of
EXPONENTIAL, or leave `fail`.

## Not when
Elasticsearch 8 has no such handler: its sink sends again what may be sent again.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/elasticsearch/#failure-handler>: the
  handlers
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cases import elasticsearch_claim
from flink_flint.rules.sql._queries import tables

_HANDLER = "with.failure-handler"


@rule(
    code="FLK856",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.11",
    since="0.1",
)
def elasticsearch_failures_ignored(config: View) -> Iterator[Finding]:
    """documents that Elasticsearch refuses are dropped"""
    for table in tables(config, "elasticsearch-6", "elasticsearch-7", "opensearch"):
        if (table.text(_HANDLER) or "").lower() == "ignore":
            yield table.finding(
                f"a document that {table.name} refuses, also for too many requests, is dropped and not counted",
                of=_HANDLER,
                help="write retry-rejected, with sink.bulk-flush.backoff.strategy EXPONENTIAL, or fail",
                fix=table.replace(_HANDLER, "retry-rejected"),
            )


_TABLE = "CREATE TABLE d (id INT) WITH ('connector' = '%s', 'hosts' = 'http://es:9200', 'failure-handler' = '%s');\n"


def cases() -> list[Case]:
    return [
        bad(_TABLE % ("elasticsearch-7", "ignore"), file="job.sql", at="'ignore'", flink="1.15",
            severity=Severity.WARNING, says="is dropped and not counted",
            fixed=_TABLE % ("elasticsearch-7", "retry-rejected")),
        bad(_TABLE % ("elasticsearch-6", "IGNORE"), file="job.sql", at="'IGNORE'", flink="1.12"),
        good(_TABLE % ("elasticsearch-7", "retry-rejected"), file="job.sql", flink="1.15"),
        good(_TABLE % ("elasticsearch-7", "com.example.Ignoring"), file="job.sql", flink="1.15"),
        good(_TABLE % ("elasticsearch-7", "${HANDLER}"), file="job.sql", flink="1.15"),
        bad(_TABLE % ("opensearch", "ignore"), file="job.sql", flink="1.16"),
        good(_TABLE % ("elasticsearch-7", "ignore"), file="job.sql", flink="1.10"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [elasticsearch_claim("'failure-handler' = 'ignore'", "IgnoringFailureHandler.")]
