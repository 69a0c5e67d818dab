"""A table of files gets very many small ones.

## What it does
Multiplies, for streaming INSERTs of a SQL script into `filesystem` tables of Parquet, ORC or Avro, the checkpoints of
a day by the sink's parallelism, and reports more than 100,000 files a day. The interval and the parallelism are those
in force for the script.

## Why it matters
These formats close their files at every checkpoint, one for each subtask and partition. Every reader then opens, and
every listing names, 100,000 files where a few hundred would do; NameNodes and object stores are billed or slowed for
each.

## What to do
Take checkpoints less often, write with fewer subtasks (`sink.parallelism`), or switch on `auto-compaction`, which
joins the files of a checkpoint.

## Not when
`auto-compaction` is on, or the rows are shuffled by partition (`sink.shuffle-by-partition.enable`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/filesystem/#rolling-policy>: bulk formats
  roll with every checkpoint
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/filesystem/#file-compaction>: compaction
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import duration_in_force, is_streaming, number, parallelism, sinks

_INTERVAL = "execution.checkpointing.interval"
_BULK = ("parquet", "orc", "avro")
_DAY = 86_400


@rule(
    code="FLK859",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
    thresholds={"files-a-day": Threshold(100_000, "files a day above which a table has very many")},
)
def small_files(config: View) -> Iterator[Finding]:
    """a table of files gets very many small ones"""
    told = set()
    most = config.threshold("files-a-day")
    for query, sink, table in sinks(config):
        if sink.connector != "filesystem" or sink.option("format") not in _BULK:
            continue
        if table.span() in told or not is_streaming(config, query):
            continue
        if any(sink.has(key) for key in ("auto-compaction", "sink.shuffle-by-partition.enable")):
            continue
        interval = duration_in_force(config, query, _INTERVAL)
        subtasks = (
            number(sink.option("sink.parallelism")) if sink.has("sink.parallelism") else parallelism(config, query)[0]
        )
        if not interval or subtasks is None or subtasks < 1:
            continue
        files = int(_DAY / interval.seconds * subtasks)
        if files > most:
            told.add(table.span())
            wanted = -(-_DAY * subtasks // max(most, 1))
            yield table.finding(
                f"{sink.name} gets {files:,} files a day: {subtasks} subtasks close one with every checkpoint, which"
                f" comes every {interval}",
                of="with.format",
                help=f"take checkpoints every {wanted} s or less often, or set 'auto-compaction' = 'true'",
                related=[config.get(_INTERVAL)],
            )


_SINK = "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', 'format' = '%s'%s);\n"
_INSERT = "INSERT INTO d SELECT id FROM s;\n"
_SET = "SET 'execution.checkpointing.interval' = '%s';\nSET 'parallelism.default' = '16';\n"
_OTHERS = (
    "CREATE TABLE e (id INT) WITH ('connector' = 'blackhole');\nINSERT INTO e SELECT id FROM s;\n"
    "CREATE TABLE c (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/c', 'format' = 'orc',"
    " 'auto-compaction' = 'true');\nINSERT INTO c SELECT id FROM s;\n"
    "SET 'execution.runtime-mode' = 'batch';\n"
    "CREATE TABLE f (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/f', 'format' = 'orc');\n"
    "INSERT INTO f SELECT id FROM s;\nRESET 'execution.runtime-mode';\n"
    "CREATE TABLE g (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/g', 'format' = 'orc',"
    " 'sink.parallelism' = '${WRITERS}');\nINSERT INTO g SELECT id FROM s;\n"
    "INSERT INTO elsewhere SELECT id FROM s;\nSELECT id FROM s;\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _SET % "10 s" + _SINK % ("parquet", "") + _INSERT,
            file="job.sql",
            at="'parquet'",
            flink="1.18",
            severity=Severity.WARNING,
            says="d gets 138,240 files a day: 16 subtasks close one with every checkpoint",
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '1 s';\n"
            + _SINK % ("orc", ", 'sink.parallelism' = '2'")
            + _INSERT,
            file="job.sql",
            at="'orc'",
            flink="1.15",
        ),
        good(_SET % "1 min" + _SINK % ("parquet", "") + _INSERT, file="job.sql", flink="1.18"),
        good(
            _SET % "10 s" + _SINK % ("parquet", ", 'auto-compaction' = 'true'") + _INSERT, file="job.sql", flink="1.18"
        ),
        good(_SET % "10 s" + _SINK % ("json", "") + _INSERT, file="job.sql", flink="1.18"),
        good(_SINK % ("parquet", "") + _INSERT, file="job.sql", flink="1.18"),
        good(
            "SET 'execution.runtime-mode' = 'batch';\n" + _SET % "10 s" + _SINK % ("parquet", "") + _INSERT,
            file="job.sql",
            flink="1.18",
        ),
        bad(
            _SET % "10 s" + _OTHERS + _SINK % ("avro", "") + _INSERT + _INSERT,
            file="job.sql",
            at="'avro'",
            flink="1.18",
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '1728 ms';\n"
            + _SINK % ("orc", ", 'sink.parallelism' = '3'")
            + _INSERT,
            file="job.sql",
            flink="1.12",
            says="150,000 files a day",
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '500 ms';\n"
            + _SINK % ("orc", ", 'sink.parallelism' = '1'")
            + _INSERT,
            file="job.sql",
            flink="1.12",
            says="172,800 files a day",
        ),
        good(
            "SET 'execution.checkpointing.interval' = '1728 ms';\n"
            + _SINK % ("orc", ", 'sink.parallelism' = '2'")
            + _INSERT,
            file="job.sql",
            flink="1.18",
        ),
        good(_SET % "10 s" + _SINK % ("parquet", "") + _INSERT, file="job.sql", flink="1.10"),
        good(_SET % "10 s" + _SINK % ("parquet", ", 'sink.parallelism' = '0'") + _INSERT, file="job.sql", flink="1.18"),
        good(
            _SET % "10 s" + _SINK % ("parquet", ", 'sink.parallelism' = '${WRITERS}'") + _INSERT,
            file="job.sql",
            flink="1.18",
        ),
        good(
            _SET % "10 s" + _SINK % ("parquet", ", 'sink.shuffle-by-partition.enable' = 'true'") + _INSERT,
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            "SET 'parallelism.default' = '16';\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'iceberg', 'path' = 's3://b/d', 'format' = "
            "'parquet');\n"
            "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            "SET 'parallelism.default' = '16';\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', 'format' = "
            "'parquet') LIKE e;\n"
            "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(_SET.splitlines()[1] + "\n" + _SINK % ("parquet", "") + _INSERT, file="job.sql", flink="1.18"),
        bad(
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            "SET 'parallelism.default' = '16';\n"
            "CREATE TABLE lake.raw.d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', "
            "'format' = 'parquet');\n"
            "SET 'parallelism.default' = '1';\n"
            "SET 'execution.checkpointing.interval' = '1 s';\n"
            "SELECT id FROM s;\n"
            "SET 'parallelism.default' = '16';\n"
            "INSERT INTO raw.d SELECT id FROM s;\n"
            "SET 'parallelism.default' = '1';\n"
            "SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
            says="1,382,400 files a day",
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '500';\n"
            + _SINK % ("orc", ", 'sink.parallelism' = '2'")
            + _INSERT
            + "SET 'execution.checkpointing.interval' = '1 h';\n"
            + _INSERT,
            file="job.sql",
            flink="1.18",
            says="345,600 files a day",
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            "SET 'parallelism.default' = '16';\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', 'format' = "
            "'parquet');\n"
            "INSERT INTO d /*+ OPTIONS('format' = 'orc') */ SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            "SET 'parallelism.default' = '16';\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', 'format' = "
            "'parquet');\n"
            "INSERT INTO d /*+ OPTIONS('format' = 'csv') */ SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            _SET % "${EVERY}"
            + _SINK % ("parquet", "")
            + _INSERT
            + "SET 'execution.checkpointing.interval' = '1 s';\n"
            + "SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            "SET 'parallelism.default' = '${SLOTS}';\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', 'format' = "
            "'parquet');\n"
            "INSERT INTO d SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            "SET 'parallelism.default' = '-1';\n"
            "CREATE TABLE d (id INT) WITH ('connector' = 'filesystem', 'path' = 's3://b/d', 'format' = "
            "'parquet');\n"
            "INSERT INTO d SELECT id FROM s;\n"
            "SET 'parallelism.default' = '16';\n"
            "SELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            _SET % "10 s" + _SINK % ("parquet", ", 'sink.parallelism' = 'many'") + _INSERT, file="job.sql", flink="1.18"
        ),
        good(
            _SET % "10 s" + _SINK % ("parquet", ", 'sink.parallelism' = '--2'") + _INSERT, file="job.sql", flink="1.18"
        ),
        good(
            "SET 'table.exec.resource.default-parallelism' = '-1';\n"
            + _SET % "1 min"
            + _SINK % ("orc", "")
            + _INSERT
            + "SET 'table.exec.resource.default-parallelism' = '64';\nSELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
        ),
        bad(
            "SET 'table.exec.resource.default-parallelism' = '-1';\n"
            + _SET % "10 s"
            + _SINK % ("orc", "")
            + _INSERT
            + "SET 'table.exec.resource.default-parallelism' = '1';\nSELECT id FROM s;\n",
            file="job.sql",
            flink="1.18",
            says="16 subtasks close one",
        ),
    ]
