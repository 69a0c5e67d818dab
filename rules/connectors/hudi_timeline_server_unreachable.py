"""Hudi's timeline server runs where TaskManagers cannot reach it.

## What it does
Looks for Hudi tables that are written on Amazon Managed Service for Apache Flink, in an application or in a notebook of
Studio (a script with `%flink.ssql` that reads Kinesis), without `'hoodie.embed.timeline.server' = 'false'`.

## Why it matters
Writers fail with `HoodieRemoteException: ... connect timed out`. Hudi starts a server in the JobManager, on any free
port, that writers ask for the state of the table. The service lets its TaskManagers reach the JobManager on Flink's
own ports only.

## What to do
Set `'hoodie.embed.timeline.server' = 'false'` in the table's options. Then the writers list the files themselves. In
a notebook also set `execution.checkpointing.interval`: Hudi commits with checkpoints, and a notebook takes none of
itself.

## Not when
The option is set, or nothing writes the table there.

## Sources
- <https://hudi.apache.org/docs/configurations/#hoodieembedtimelineserver>: the option
- <https://github.com/apache/hudi/issues/7591>: the timeout
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import readings, sinks

_SERVER = "hoodie.embed.timeline.server"
_NOTE = "%flink.ssql"


@rule(
    code="FLK570",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    since="0.1",
)
def hudi_timeline_server_unreachable(config: View) -> Iterator[Finding]:
    """Hudi's timeline server runs where TaskManagers cannot reach it"""
    told = set()
    is_note = _NOTE in config.document.text
    for query, sink, table in sinks(config):
        if sink.connector != "hudi" or sink.has(_SERVER) or not table.is_known("with") or table.span() in told:
            continue
        reads_kinesis = any(one.connector.startswith("kinesis") for one in readings(config, query))
        if config.platform != "msf" and not (is_note and reads_kinesis):
            continue
        told.add(table.span())
        yield table.finding(
            f"{_SERVER} is not off for {table.name}: writers ask a server in the JobManager that the managed"
            " service does not let"
            " them reach, and time out",
            of="connector",
            key=_SERVER,
            help=f"add '{_SERVER}' = 'false'" + (", and set execution.checkpointing.interval" if is_note else ""),
        )


_JOB = (
    "CREATE TABLE s (id INT) WITH ('connector' = '%s', 'stream' = 's', 'aws.region' = 'us-west-2', 'format' ="
    " 'json');\n"
    "CREATE TABLE d (id INT) WITH ('connector' = 'hudi', 'path' = 's3a://lake/d'%s);\nINSERT INTO d SELECT id FROM s;\n"
)
_STUDIO = "%flink.ssql(type=update)\nDROP TABLE IF EXISTS d;\n"


def cases() -> list[Case]:
    off = f", '{_SERVER}' = 'false'"
    return [
        bad(
            _STUDIO + _JOB % ("kinesis", ""),
            file="notebook.sql",
            at="'hudi'",
            flink="1.13",
            severity=Severity.WARNING,
            says="hoodie.embed.timeline.server is not off for d",
        ),
        bad(_JOB % ("kinesis", ""), file="job.sql", platform="msf", flink="1.15"),
        good(_STUDIO + _JOB % ("kinesis", off), file="notebook.sql", flink="1.13"),
        good(_JOB % ("kinesis", ""), file="job.sql", flink="1.13"),
        good(_STUDIO + _JOB % ("kafka", ""), file="notebook.sql", flink="1.13"),
    ]
