"""A reader of PostgreSQL uses a decoder that PostgreSQL does not have.

## What it does
Looks for readers of PostgreSQL by Flink CDC in SQL, in programs and in Paimon's actions that do not set
`decoding.plugin.name`. It is a warning where a Compose file in the same folder or above it runs the official image
`postgres`, and advice where the repository does not show the database.

## Why it matters
The job fails as it starts: `could not access file "decoderbufs": No such file or directory`. The connector asks for
`decoderbufs` by default, which PostgreSQL does not have: neither the official image nor Amazon RDS and Aurora. Images
such as those by Debezium add it. From PostgreSQL 10 on, `pgoutput` is always there.

## What to do
Set `'decoding.plugin.name' = 'pgoutput'`.

## Not when
A decoder is set, such a Compose file runs an image by Debezium, or options come from elsewhere. Pipelines of Flink CDC
have `pgoutput` by default.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/postgres-cdc/>:
  `decoding.plugin.name`, whose default is the same in 2.4.2 and 3.2.1
- <https://debezium.io/documentation/reference/stable/postgres-plugins.html>: decoders, and where they are installed
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.release_evidence.image_evidence import compose_files_name
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import WHEN, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_PLUGIN = "decoding.plugin.name"


@rule(
    code="FLK584",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=WHEN,
    since="0.1",
)
def postgres_decoder_not_set(config: View) -> Iterator[Finding]:
    """a reader of PostgreSQL uses a decoder that PostgreSQL does not have"""
    for reader in readers(config, "postgres-cdc"):
        if reader.has(_PLUGIN) or reader.has("debezium.plugin.name") or not reader.is_whole:
            continue
        folder = config.document.directory
        if compose_files_name(folder, "debezium/"):
            continue
        yield reader.finding(
            f"{reader.what} asks for the decoder decoderbufs by default, which PostgreSQL lacks: could not access file"
            ' "decoderbufs"',
            None,
            f"set {reader.spelled(_PLUGIN, 'pgoutput')}, from PostgreSQL 10 on",
            None if compose_files_name(folder, "postgres:") else Severity.INFO,
            lacks=_PLUGIN,
        )


_TABLE = (
    "CREATE TABLE o (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'postgres-cdc', 'hostname' = 'db',"
    " 'slot.name' = 'a'%s);\n"
)
_COMPOSE = "services:\n  db:\n    image: %s\n"


def _job(calls: str) -> str:
    package = "com.ververica.cdc.connectors.postgres.PostgreSQLSource"
    return PROGRAM.format(package=package, source="PostgreSQLSource", put="", calls=calls)


def cases() -> list[Case]:
    return [
        bad(_TABLE % "", file="job.sql", at="'postgres-cdc'", flink="1.17", severity=Severity.INFO,
            says="could not access file"),
        bad(_job('.slotName("a")'), file="Job.java", says="this postgres-cdc source"),
        bad(_TABLE % "", file="job.sql", flink="1.17", beside={"docker-compose.yml": _COMPOSE % "postgres:13"},
            severity=Severity.WARNING),
        bad(_TABLE % "", file="job.sql", flink="1.17", beside={"compose.yaml": _COMPOSE % "mypostgres:13"},
            severity=Severity.INFO),
        good(_TABLE % ", 'decoding.plugin.name' = 'pgoutput'", file="job.sql", flink="1.17"),
        good(_TABLE % ", 'debezium.plugin.name' = 'pgoutput'", file="job.sql", flink="1.17"),
        good(_TABLE % ", 'decoding.plugin.name' = '${PLUGIN}'", file="job.sql", flink="1.17"),
        good(_job('.decodingPluginName("wal2json")'), file="Job.java"),
        good(_job('.debeziumProperties(load(args))'), file="Job.java"),
        good(_TABLE % "", file="job.sql", flink="1.17",
             beside={"docker-compose.yml": _COMPOSE % "quay.io/debezium/postgres:16"}),
        good(_TABLE.replace("postgres", "mysql") % "", file="job.sql", flink="1.17"),
    ]  # fmt: skip
