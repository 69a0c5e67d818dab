"""What is to happen at the end of an application is the operator's business.

## What it does
In a resource of the operator that runs a job of its own, it reports

- `execution.shutdown-on-application-finish: true` (advice);
- `execution.submit-failed-job-on-application-error: false` (warning).

## Why it matters
The operator keeps a cluster after its job has ended, to read what became of it, and always sets the first to false,
from Flink 1.15 on: the line has no effect, and the JobManager stays.

The second is true by default under the operator, so that a program that fails before its job begins leaves a failed job
behind, with its exception. With false the JobManager ends instead. Kubernetes starts it anew, the program fails again,
and the operator sees pods that come and go, and no job to report about.

## What to do
Leave both lines out. A cluster that is no longer wanted goes with its resource, or from operator 1.4 on after
`kubernetes.operator.jm-deployment.shutdown-ttl`.

## Not when
The resource is a session cluster, or the operator does not run the job.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/config/FlinkConfigBuilder.java>:
  what the operator sets
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-submit-failed-job-on-application-error>:
  the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Span
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, entry_of, resources

_SHUTDOWN = "execution.shutdown-on-application-finish"
_FAILED_JOB = "execution.submit-failed-job-on-application-error"


@rule(
    code="FLK640",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_SHUTDOWN, _FAILED_JOB],
    only=["element:kubernetes-object"],
    flink=">=1.15",
    since="0.1",
)
def application_end_under_operator(config: View) -> Iterator[Finding]:
    """the operator decides what happens at the end of an application"""
    if not any(resource.is_application for resource in resources(config, *CLUSTERS)):
        return
    shutdown, failed = entry_of(config, _SHUTDOWN), config.get(_FAILED_JOB)
    if shutdown is not None and shutdown.text.lower() == "true":
        yield config.finding(
            "the operator keeps the cluster after its job has ended, and sets this to false: the line has no effect",
            span=Span(shutdown.key_span.start, shutdown.value_span.end),
            key=_SHUTDOWN,
            help="delete the line",
            severity=Severity.INFO,
            fix=config.document.remove(shutdown, f"delete {_SHUTDOWN}", safe=True),
        )
    if failed.is_set and config.boolean(_FAILED_JOB) is False:
        yield failed.finding(
            "a program that fails before its job begins ends the JobManager, and Kubernetes starts it again and again:"
            " the operator has no failed job to report",
            help="delete the line; true is the operator's default",
            fix=failed.remove(),
        )


_FILE = {"file": "deployment.yaml"}
_OTHER = "rest.port: '8081'"


def cases() -> list[Case]:
    return [
        bad(deployment(f"{_OTHER}\n{_SHUTDOWN}: 'true'"), **_FILE, at=_SHUTDOWN, severity=Severity.INFO,
            says="has no effect", fixed=deployment(_OTHER)),
        bad(deployment(f"{_OTHER}\n{_FAILED_JOB}: 'false'"), **_FILE, at=_FAILED_JOB, severity=Severity.WARNING,
            says="again and again", fixed=deployment(_OTHER)),
        bad(deployment(f"{_SHUTDOWN}: 'true'\n{_FAILED_JOB}: 'false'", version="v1_15", image="flink:1.15"), **_FILE,
            times=2),
        good(deployment(f"{_SHUTDOWN}: 'false'\n{_FAILED_JOB}: 'true'"), **_FILE),
        good(deployment(f"{_SHUTDOWN}: ${{SHUT_DOWN}}\n{_FAILED_JOB}: ${{SUBMIT}}"), **_FILE),
        good(deployment(f"{_SHUTDOWN}: 'true'\n{_FAILED_JOB}: 'false'", job="-"), **_FILE),
        good(deployment(f"{_SHUTDOWN}: 'true'", version="v1_14", image="flink:1.14"), **_FILE),
        good(f"{_SHUTDOWN}: true\n{_FAILED_JOB}: false\n"),
        good(deployment(_OTHER), **_FILE),
    ]  # fmt: skip
