"""A resource names a kubeconfig that lies on the machine of whoever wrote it.

## What it does
Looks for `kubernetes.config.file` in the `flinkConfiguration` of the operator's resources.

## Why it matters
The option is for the client that starts a cluster from a laptop or a CI job. Of a resource, the operator is that
client: it reads the file in its own pod, does not find it, and fails with `ReconciliationException: Load kubernetes
config failed` and a `NoSuchFileException`. The deployment never comes up.

## What to do
Delete the line: the operator uses its service account. Name a context or a cluster by where the resource is applied.

## Not when
The file is mounted into the operator's pod, as for an operator that deploys into another cluster.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#kubernetes-config-file>: it configures
  the client that talks to Kubernetes
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import is_operators, written

_FILE = "kubernetes.config.file"


@rule(
    code="FLK281",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    since="0.1",
)
def kubeconfig_in_resource(config: View) -> Iterator[Finding]:
    """a resource names a kubeconfig, which the operator looks for in its own pod"""
    if not is_operators(config):
        return
    for entry in written(config):
        if entry.key == _FILE and entry.text:
            yield config.finding(
                f"the operator looks for {entry.text} in its own pod, where it is not: no cluster is deployed, with"
                " 'Load kubernetes config failed'",
                span=entry.key_span,
                key=_FILE,
                help="delete the line: the operator uses its service account",
                fix=config.document.remove(entry, f"delete {_FILE}"),
            )


def cases() -> list[Case]:
    return [
        bad(
            deployment(configuration=f"{_FILE}: /home/me/.kube/config"), file="deployment.yaml", at=_FILE,
            severity=Severity.WARNING, says="in its own pod",
        ),
        bad(deployment(configuration=f"{_FILE}: /etc/kube/config", job="-"), file="deployment.yaml"),
        good(deployment(), file="deployment.yaml"),
        good(f"{_FILE}: /home/me/.kube/config\n", file="flink-conf.yaml", platform="kubernetes"),
    ]  # fmt: skip
