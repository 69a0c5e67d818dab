"""A sink of files writes to a file system in which Flink cannot resume a file.

## What it does
Looks at the folder of a `FileSink`, a `StreamingFileSink` and a SQL table of the `filesystem` connector that a
streaming query writes, and reports schemes whose file systems have no recoverable writer in the release: Hadoop's
other than `hdfs` and `viewfs` (`jfs`, `wasb`, `adl`, `cosn`, `obs`, `alluxio`, `juicefs`, ...), `s3p`, `abfs` before
1.17, `oss` before 1.16 and `gs` before 1.15.

## Why it matters
The job fails when the sink starts: `UnsupportedOperationException: Recoverable writers on Hadoop are only supported for
HDFS`, or `This s3 file system implementation does not support recoverable writers`. The sink cuts its files back to the
last checkpoint after a failure, and Flink knows how to do so for its own file systems and for HDFS alone. Checkpoints
and reading work with the same path, so that the scheme looks sound until this operator runs.

## What to do
Write by a file system with a recoverable writer: `s3://` with the plugin `flink-s3-fs-hadoop`, `gs://`, `oss://`,
`abfs://` of a release that has it, or `hdfs://`. JuiceFS and others have a gateway for S3.

## Not when
The path is not known, the job runs in batch mode, or a plugin of one's own serves the scheme.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/filesystem/#important-considerations>:
  which file systems the sink supports
- <https://github.com/apache/flink/blob/master/flink-filesystems/flink-hadoop-fs/src/main/java/org/apache/flink/runtime/fs/hdfs/HadoopRecoverableWriter.java>:
  the check of the scheme
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.connectors._cases import program
from flink_flint.rules.sql._queries import is_streaming, sinks

_NEVER = (
    *(
        "jfs",
        "juicefs",
        "wasb",
        "wasbs",
        "adl",
        "cosn",
        "cos",
        "obs",
        "alluxio",
        "tachyon",
        "s3p",
        "s3n",
        "ofs",
        "o3fs",
    ),
    *("swift", "webhdfs", "har", "tos", "bos", "ks3"),
)
_SINCE: Mapping[str, str] = {"gs": "1.15", "oss": "1.16", "abfs": "1.17", "abfss": "1.17"}
_SINKS = ("FileSink", "StreamingFileSink")


@rule(
    code="FLK559",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:sink", "element:query"],
    since="0.1",
)
def files_on_unrecoverable_store(config: View) -> Iterator[Finding]:
    """a sink of files writes where Flink cannot resume a file"""
    for part, attribute in _folders(config):
        path = part.text(attribute)
        scheme = None if path is None else locate(path).scheme
        if scheme is None or not _refuses(config, scheme):
            continue
        instead = "write to s3:// with the plugin flink-s3-fs-hadoop, or to hdfs://"
        if scheme in _SINCE:
            instead = f"upgrade to Flink {_SINCE[scheme]}, or write to hdfs://"
        yield part.finding(
            f"the file system of {scheme}:// has no recoverable writer in {config.releases_text}: the sink fails at its"
            " start with UnsupportedOperationException",
            of=attribute,
            help=instead,
        )


def _folders(config: View) -> Iterator[tuple[ElementView, str]]:
    if not config.is_bounded:
        for sink in config.elements("sink"):
            if sink.name in _SINKS:
                yield sink, "path"
    seen = set()
    for query, written, table in sinks(config):
        if written.connector == "filesystem" and is_streaming(config, query) and table.span() not in seen:
            seen.add(table.span())
            yield table, "with.path"


def _refuses(config: View, scheme: str) -> bool:
    return scheme in _NEVER or (scheme in _SINCE and not config.since(_SINCE[scheme]))


_SINK = "FileSink<String> sink = FileSink.forRowFormat(new Path(%s), new SimpleStringEncoder<String>()).build();"
_ON = "env.enableCheckpointing(30000);"
_TABLE = (
    "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = 'json');\n"
    "INSERT INTO d SELECT id FROM s;\n"
)


def cases() -> list[Case]:
    java = "Positions.java"
    return [
        bad(
            program(_ON, 'String path = "jfs://lake/positions";', _SINK % "path"),
            file=java,
            flink="1.18",
            severity=Severity.WARNING,
            says="the file system of jfs:// has no recoverable writer",
        ),
        bad(_TABLE % "wasbs://c@a.blob.core.windows.net/d", file="job.sql", flink="1.20", says="wasbs://"),
        bad(_TABLE % "abfss://c@a.dfs.core.windows.net/d", file="job.sql", flink="1.16", says="abfss://"),
        bad(program(_ON, _SINK % '"s3p://lake/positions"'), file=java, flink="1.20"),
        good(_TABLE % "abfss://c@a.dfs.core.windows.net/d", file="job.sql", flink="1.17"),
        good(program(_ON, _SINK % '"s3://lake/positions"'), file=java, flink="1.18"),
        good(program(_ON, _SINK % '"hdfs:///lake/positions"'), file=java, flink="1.18"),
        good(program(_ON, _SINK % "args[0]"), file=java, flink="1.18"),
        good(
            "SET 'execution.runtime-mode' = 'batch';\n" + _TABLE % "wasb://c@a.blob.core.windows.net/d",
            file="job.sql",
            flink="1.20",
        ),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'filesystem', 'path' = 'wasb://c@a/d', 'format' = 'json');\n"
            "SELECT * FROM s;\n",
            file="job.sql",
            flink="1.20",
        ),
    ]
