"""The history server does not look where jobs are archived.

## What it does
Where both are set, compares `jobmanager.archive.fs.dir`, to which the JobManager writes finished jobs, with the list
`historyserver.archive.fs.dir`.

## Why it matters
Jobs that are archived elsewhere never appear in the history server, and nobody misses them before a job has failed.

## What to do
Write the same URI to both, with the same scheme.

## Not when
Only one of them is set (the other process has a file of its own), or one is a template. A slash at the end makes no
difference.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/historyserver/>: both directories
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_WRITTEN, _READ = "jobmanager.archive.fs.dir", "historyserver.archive.fs.dir"


@rule(
    code="FLK938",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_READ],
    since="0.1",
)
def history_server_directories(config: View) -> Iterator[Finding]:
    """the history server does not look where jobs are archived"""
    written, read = config.get(_WRITTEN), config.get(_READ)
    if not (written.is_set and read.is_set and written.is_known and read.is_known):
        return
    folders = [_plain(folder) for folder in read.text.split(",") if folder.strip()]
    if _plain(written.text) not in folders:
        yield read.finding(
            f"the history server looks into {read.text}, and jobs are archived to {written.text}: they never appear",
            help=f"add {written.text} to {_READ}",
            related=[written],
            fix=read.replace(written.text if len(folders) < 2 else f"{read.text},{written.text}"),
        )


def _plain(folder: str) -> str:
    text = folder.strip().rstrip("/")
    return text.replace("file:///", "file:/").removeprefix("file:")


def cases() -> list[Case]:
    return [
        bad(
            f"{_WRITTEN}: s3://jobs/done\n{_READ}: hdfs:///done\n",
            at=_READ,
            fixed=f"{_WRITTEN}: s3://jobs/done\n{_READ}: s3://jobs/done\n",
            flink="1.18",
        ),
        good(f"{_WRITTEN}: s3://jobs/done\n{_READ}: s3://jobs/old, s3://jobs/done/\n"),
        good(f"{_WRITTEN}: file:///var/done\n{_READ}: file:/var/done\n"),
        good(f"{_READ}: hdfs:///done\n"),
        good(f"{_WRITTEN}: ${{DIR}}\n{_READ}: hdfs:///done\n", flink="1.18"),
        bad(
            f"{_WRITTEN}: s3://new\n{_READ}: s3://a,s3://b\n",
            at=_READ,
            fixed=f"{_WRITTEN}: s3://new\n{_READ}: s3://a,s3://b,s3://new\n",
            flink="1.18",
        ),
        bad(
            f"{_WRITTEN}: s3://new\n{_READ}: s3://a,\n",
            fixed=f"{_WRITTEN}: s3://new\n{_READ}: s3://new\n",
            flink="1.18",
        ),
        good(f"{_WRITTEN}: s3://jobs/done\n", flink="1.18"),
        good(f"{_WRITTEN}: s3://jobs/done\n{_READ}: ${{DIR}}\n", flink="1.18"),
        good(f"{_WRITTEN}: file:/var/done\n{_READ}: /var/done\n", flink="1.18"),
    ]
