"""A file source that never ends keeps the path of every file it has read.

## What it does
Reports, as advice, a table of the `filesystem` connector with `source.monitor-interval`.

## Why it matters
To tell new files from old ones the source keeps the paths of all that it has seen, for good. They lie on the
JobManager's heap, and as state of a coordinator they are written into the file `_metadata` of each checkpoint whatever
the inline threshold is. A thousand files a day of 100 bytes of path each are 36 MB after a year, in every checkpoint;
checkpoints grow slowly, until they time out or the JobManager runs out of heap.

## What to do
Let a job read a directory of limited life (a day, a month) and begin anew with the next, or read messages that tell of
new files instead.

## Not when
Few files come. Without `source.monitor-interval` the source is bounded: it reads what is there and ends.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/filesystem/#current-limitations>: the
  paths in state
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/filesystem/#directory-watching>: the
  option
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_INTERVAL = "with.source.monitor-interval"


@rule(
    code="FLK390",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:table"],
    flink=">=1.15",
    since="0.1",
)
def monitored_files(config: View) -> Iterator[Finding]:
    """a file source that never ends keeps the path of every file it has read"""
    for table in config.elements("table"):
        if table.text("connector") == "filesystem" and table.has(_INTERVAL):
            yield table.finding(
                f"the source of {table.name} keeps the path of every file it has ever seen, on the JobManager's heap"
                " and in the metadata of each checkpoint",
                of=_INTERVAL,
                help="let the job read a directory of limited life, and begin anew with the next",
            )


_FILES = "CREATE TABLE t (id INT) WITH ('connector' = '%s', 'path' = 's3://in/', 'format' = 'json'%s);\n"
_READS = "INSERT INTO sink SELECT * FROM t;\n"
_WATCHED = ", 'source.monitor-interval' = '10 s'"


def cases() -> list[Case]:
    return [
        bad(
            _FILES % ("filesystem", _WATCHED) + _READS,
            file="job.sql",
            at="'10 s'",
            severity=Severity.INFO,
            says="the source of t keeps",
            flink="1.18",
        ),
        bad(_FILES % ("filesystem", ", 'source.monitor-interval' = '${every}'"), file="job.sql", flink="1.15"),
        good(_FILES % ("filesystem", "") + _READS, file="job.sql", flink="1.18"),
        good(_FILES % ("filesystem", _WATCHED), file="job.sql", flink="1.14"),
        good(_FILES % ("kafka", _WATCHED), file="job.sql", flink="1.18"),
    ]
