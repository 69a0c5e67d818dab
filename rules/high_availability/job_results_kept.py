"""The results of jobs that ended stay in the storage of high availability, and nobody deletes them.

## What it does
Reports, as advice, `job-result-store.delete-on-commit: false` where `high-availability.type` is on.

## Why it matters
With high availability Flink writes a small file for each job that ends (the *job result store*), so that a JobManager
that takes over does not run the job again. Once all else of the job is cleaned up the file goes, too. With `false` it
is renamed instead, and belongs to you from then on: a session cluster that runs batches gathers a file for each, and
every JobManager that starts lists them all. An application that is deployed again under the same cluster id and job id
finds its own old result and ends at once without having run.

## What to do
Delete the line, for true is the default; or let something delete old files of the directory
(`job-result-store.storage-path`, or `job-result-store` in `high-availability.storageDir`).

## Not when
The operator sets the option itself and looks after the files. Without high availability the store is in memory.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/overview/#jobresultstore>: what it is for
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#job-result-store-delete-on-commit>: who
  owns the files
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode

_DELETE = "job-result-store.delete-on-commit"


@rule(
    code="FLK419",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[_DELETE],
    flink=">=1.15",
    of_scale=True,
    since="0.1",
)
def job_results_kept(config: View) -> Iterator[Finding]:
    """the results of jobs that ended are kept, and nobody deletes them"""
    if config.boolean(_DELETE) is not False or config.platform == "operator" or mode(config) in (NONE, UNKNOWN):
        return
    setting = config.get(_DELETE)
    yield setting.finding(
        "Flink leaves a file for every job that ends in the storage of high availability, and deletes none of them",
        help=f"delete {setting.written}, or let something delete old files of the job result store",
        fix=setting.remove(),
    )


_HA = "high-availability.type: zookeeper\n"


def cases() -> list[Case]:
    return [
        bad(f"{_HA}{_DELETE}: false\n", at=_DELETE, severity=Severity.INFO, says="every job that ends", fixed=_HA),
        bad(f"high-availability: kubernetes\n{_DELETE}: false\n", at=_DELETE, flink="1.16"),
        good(f"{_HA}{_DELETE}: true\n"),
        good(f"{_DELETE}: false\n"),
        good(f"high-availability.type: NONE\n{_DELETE}: false\n"),
        good(f"high-availability.type: ${{HA}}\n{_DELETE}: false\n"),
        good(f"{_HA}{_DELETE}: ${{DELETE}}\n"),
        good(f"{_HA}{_DELETE}: false\n", platform="operator"),
        good(f"high-availability: zookeeper\n{_DELETE}: false\n", flink="1.14"),
    ]
