"""A file with a pod template is named where the operator looks for none.

## What it does
Reports `kubernetes.pod-template-file.*` in the `flinkConfiguration` of a FlinkDeployment.

## Why it matters
The option names a file of the machine that submits the cluster, which is the operator's own pod. Where the resource
has a `podTemplate` (and from 1.6 on always, for the JobManager) the operator writes a file of its own and sets the
option to it; otherwise the deployment fails on a file that is not there.

## What to do
Put the template into `spec.podTemplate`, `spec.jobManager.podTemplate` or `spec.taskManager.podTemplate`.

## Not when
Flink is deployed without the operator, by `flink run-application`.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/config/FlinkConfigBuilder.java>:
  `applyPodTemplate`
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#kubernetes-pod-template-file-default>:
  the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import is_operators, written

PREFIX = "kubernetes.pod-template-file"


@rule(
    code="FLK731",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[
        "kubernetes.pod-template-file.default",
        "kubernetes.pod-template-file.jobmanager",
        "kubernetes.pod-template-file.taskmanager",
    ],
    flink=">=1.13",
    since="0.1",
)
def pod_template_file_in_resource(config: View) -> Iterator[Finding]:
    """a file with a pod template that would have to lie in the operator's pod"""
    if not is_operators(config):
        return
    for entry in written(config):
        if entry.key == PREFIX or entry.key.startswith(f"{PREFIX}."):
            own = {"jobmanager": "jobManager.", "taskmanager": "taskManager."}.get(entry.key.rpartition(".")[2], "")
            yield config.finding(
                f"{entry.key} names a file of the operator's pod; the operator takes templates from the resource",
                span=entry.key_span,
                key=entry.key,
                help=f"put the template into spec.{own}podTemplate",
            )


def cases() -> list[Case]:
    return [
        bad(
            deployment("kubernetes.pod-template-file.taskmanager: /opt/pod.yaml"), file="deployment.yaml",
            at="kubernetes.pod-template-file.taskmanager", says="operator's pod",
        ),
        bad(deployment("kubernetes.pod-template-file: /opt/pod.yaml", version="v1_16"), file="deployment.yaml"),
        good(deployment(spec="podTemplate:\n  spec:\n    nodeSelector: {a: b}"), file="deployment.yaml"),
        good("kubernetes.pod-template-file.default: /opt/pod.yaml\n", flink="1.20"),
        good(deployment("kubernetes.container.image.pull-policy: Always"), file="deployment.yaml"),
        bad(
            deployment('kubernetes.pod-template-file.jobmanager: /a.yaml\nrest.port: "8081"'), file="deployment.yaml",
            at="kubernetes.pod-template-file.jobmanager",
        ),
        good(deployment("kubernetes.pod-template-file.default: /a.yaml"), file="deployment.yaml", flink="1.12"),
    ]  # fmt: skip
