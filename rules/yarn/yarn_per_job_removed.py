"""The per-job mode of YARN is deprecated, and gone from 2.0 on.

## What it does
Reports `execution.target: yarn-per-job`, and `flink run -t yarn-per-job` in a script: an error from Flink 2.0 on, a
warning from 1.15 on.

## Why it matters
2.0 has no such target any more: the client finds no executor of that name and stops. Before, each cluster of the mode
still works, but its `main()` runs on the client, which needs the job's jars and the way to all its connectors.

## What to do
Use `yarn-application`: `flink run-application -t yarn-application`, from 2.0 on `flink run -t yarn-application`. The
program then runs on the JobManager.

## Not when
Releases before 1.15.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.15/docs/deployment/resource-providers/yarn/#per-job-mode-deprecated>:
  deprecated in 1.15
- <https://issues.apache.org/jira/browse/FLINK-26000>: the deprecation
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: removed in 2.0
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_PER_JOB = "yarn-per-job"


@rule(
    code="FLK753",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["execution.target"],
    flink=">=1.15",
    since="0.1",
)
def yarn_per_job_removed(config: View) -> Iterator[Finding]:
    """the per-job mode of YARN is deprecated or gone"""
    target = config.get("execution.target")
    if target.text.lower() == _PER_JOB:
        message, remedy, severity = _told(config)
        yield target.finding(message, help=remedy, severity=severity)


def _told(config: View) -> tuple[str, str, Severity]:
    """What is wrong, what to do, and how bad it is in this release."""
    if config.since("2.0"):
        return (
            "yarn-per-job is gone since Flink 2.0: the client finds no executor for it and submits nothing",
            "use yarn-application: flink run -t yarn-application",
            Severity.ERROR,
        )
    return (
        "yarn-per-job is deprecated since 1.15 and gone in 2.0",
        "use yarn-application: flink run-application -t yarn-application",
        Severity.WARNING,
    )


def cases() -> list[Case]:
    return [
        bad("execution.target: yarn-per-job\n", at="execution.target", flink="2.0", severity=Severity.ERROR),
        bad("execution.target: yarn-per-job\n", flink="1.18", severity=Severity.WARNING, says="deprecated"),
        bad(
            "#!/bin/sh\nflink run -d -t yarn-per-job job.jar\n", file="submit.sh", flink="1.17", at="yarn-per-job",
            severity=Severity.WARNING,
        ),
        good("#!/bin/sh\nflink run-application -t yarn-application job.jar\n", file="submit.sh", flink="1.17"),
        good("execution.target: yarn-per-job\n", flink="1.14"),
        good("execution.target: yarn-application\n", flink="2.0"),
        good("execution.target: ${TARGET}\n", flink="2.0"),
        bad("#!/bin/sh\nflink run -t remote a.jar\nflink run -t yarn-per-job b.jar\nflink run -t yarn-per-job c.jar\n",
            file="submit.sh", flink="1.17", times=2),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses("executor", "execution.target: yarn-per-job\n", good="execution.target: remote\n"),
    ]
