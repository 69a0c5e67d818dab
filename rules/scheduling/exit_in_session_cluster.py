"""One `System.exit` in a program ends the session cluster with all its jobs.

## What it does
Looks at session clusters of the operator whose `cluster.intercept-user-system-exit` is not `THROW`. The rule is opt-in:
most clusters run programs that never exit.

## Why it matters
The operator has a session cluster run the `main` of a FlinkSessionJob in the JobManager. A program that calls
`System.exit` (argument parsers do so for `--help` and for what they do not understand) ends that process: every job of
the cluster stops, and without high availability none comes back.

## What to do
Set `cluster.intercept-user-system-exit: THROW`: the call becomes an exception of that program alone. `LOG` only tells
who it was.

## Not when
- The cluster is for one job, which may end it.
- Java is newer than 17 and does not allow a security manager (`-Djava.security.manager=allow`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#cluster-intercept-user-system-exit>:
  the option
- <https://github.com/apache/flink/pull/14499>: FLINK-15156, why there is one
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import resources

_EXIT = "cluster.intercept-user-system-exit"


@rule(
    code="FLK639",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object/FlinkDeployment"],
    flink=">=1.13",
    pedantic=True,
    since="0.1",
)
def exit_in_session_cluster(config: View) -> Iterator[Finding]:
    """one System.exit in a program ends the session cluster with all its jobs"""
    setting = config.get(_EXIT)
    mode = config.string(_EXIT)
    if mode is None or mode.upper() == "THROW":
        return
    for resource in resources(config, "FlinkDeployment"):
        if not resource.is_whole or resource.is_application:
            continue
        message = "a program that calls System.exit ends this session cluster, and all jobs with it"
        advice = f"set {_EXIT}: THROW"
        if setting.is_set:
            yield setting.finding(message, help=advice, fix=setting.replace("THROW"))
        else:
            yield config.finding(message, span=resource.part.span("metadata.name"), key=_EXIT, help=advice)


_FILE = {"file": "cluster.yaml"}


def cases() -> list[Case]:
    return [
        bad(deployment(job="-"), **_FILE, severity=Severity.INFO, at="orders"),
        bad(deployment(f"{_EXIT}: LOG", job="-"), **_FILE, at=_EXIT, fixed=deployment(f"{_EXIT}: THROW", job="-")),
        bad(deployment(f"{_EXIT}: disabled", job="-"), **_FILE, at=_EXIT),
        good(deployment(f"{_EXIT}: throw", job="-"), **_FILE),
        good(deployment(f"{_EXIT}: ${{MODE}}", job="-"), **_FILE),
        good(deployment(), **_FILE),
        good(session_job("jarURI: s3://a/b.jar"), file="job.yaml"),
        good(deployment(job="-", version="v1_12", image="flink:1.12"), **_FILE),
    ]  # fmt: skip
