"""Nobody is told when a partition of files is complete.

## What it does
Reports, in a SQL script, a streaming INSERT into a `filesystem` table with PARTITIONED BY that has no
`sink.partition-commit.policy.kind`, as advice. With the kind `metastore` it is an error: that is for Hive tables.

## Why it matters
Flink writes into a partition for as long as rows of it come. Without a policy it leaves no mark when it is done, so a
reader that starts at midnight reads half of a day. A `metastore` policy on a table of files is refused.

## What to do
Set `sink.partition-commit.policy.kind` to `success-file`, and `sink.partition-commit.trigger` and `.delay` to when a
partition is complete.

## Not when
Readers list files and do not wait for complete partitions.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/filesystem/#partition-commit>:
  triggers and policies
- <https://github.com/apache/flink/blob/master/flink-connectors/flink-connector-files/src/main/java/org/apache/flink/connector/file/table/PartitionCommitPolicyFactory.java>:
  which policy is refused
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, sinks

_KIND = "sink.partition-commit.policy.kind"


@rule(
    code="FLK860",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def partitions_never_committed(config: View) -> Iterator[Finding]:
    """nobody is told when a partition of files is complete"""
    told = set()
    for query, sink, table in sinks(config):
        if sink.connector != "filesystem" or not table.has("partitioned-by"):
            continue
        if table.span() in told or not is_streaming(config, query):
            continue
        kind = sink.option(_KIND)
        if kind is not None and "metastore" in [one.strip().lower() for one in kind.split(",")]:
            told.add(table.span())
            yield table.finding(
                f"Flink refuses a metastore policy for {sink.name}: it is a table of files, not of Hive",
                of=f"with.{_KIND}",
                help="write success-file",
                severity=Severity.ERROR,
                confidence=Confidence.HIGH,
                fix=table.replace(f"with.{_KIND}", "success-file"),
            )
        elif not sink.has(_KIND):
            told.add(table.span())
            yield table.finding(
                f"{sink.name} is partitioned by {table.text('partitioned-by')} and has no commit policy: readers cannot"
                " tell when a partition is complete",
                of="partitioned-by",
                help=f"set '{_KIND}' = 'success-file'",
            )


_SINK = (
    "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = 's3://b/d',\n"
    "  'format' = 'parquet'%s);\nINSERT INTO d SELECT id, dt FROM s;\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _SINK % "",
            file="job.sql",
            at="dt",
            flink="1.18",
            severity=Severity.INFO,
            says="d is partitioned by dt and has no commit policy",
        ),
        bad(
            _SINK % ", 'sink.partition-commit.policy.kind' = 'metastore,success-file'",
            file="job.sql",
            at="'metastore,success-file'",
            flink="1.18",
            severity=Severity.ERROR,
            fixed=_SINK % ", 'sink.partition-commit.policy.kind' = 'success-file'",
        ),
        good(_SINK % ", 'sink.partition-commit.policy.kind' = 'success-file'", file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _SINK % "", file="job.sql", flink="1.18"),
        good(
            "CREATE TABLE d (id INT, dt STRING) WITH ('connector' = 'filesystem', 'path' = 's3://b/d',\n"
            "  'format' = 'parquet');\n"
            "INSERT INTO d SELECT id, dt FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'iceberg', "
            "'path' = 's3://b/d',\n"
            "  'format' = 'parquet');\n"
            "INSERT INTO d SELECT id, dt FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', "
            "'path' = 's3://b/d',\n"
            "  'format' = 'parquet');\n"
            "INSERT INTO d /*+ OPTIONS('sink.partition-commit.policy.kind' = 'success-file') */ SELECT "
            "id, dt FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        bad(
            _SINK % ", 'sink.partition-commit.policy.kind' = 'metastore'" + "INSERT INTO d SELECT id, dt FROM s;\n",
            file="job.sql",
            flink="1.18",
            times=1,
        ),
        good(
            "CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', "
            "'path' = 's3://b/d',\n"
            "  'format' = 'parquet') LIKE committed;\n"
            "INSERT INTO d SELECT id, dt FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        *cases_in_folders(__file__),
    ]
