"""A value of the operator's chart stands where the chart does not read it.

## What it does
Reports keys at the top of the values of the Flink Kubernetes Operator's chart that belong under `operatorPod` or have
another name there: `resources`, `nodeSelector`, `tolerations`, `affinity`, `env`, `podAnnotations`, `replicaCount`, …

## Why it matters
Helm takes any key and drops what no template reads, so the operator runs without what was meant for it: without its
memory limit, on any node, with one replica. `kubectl describe pod` shows the pod without it.

## What to do
Move the block under the path that the chart reads, such as `operatorPod.resources`.

## Not when
The values are not those of this chart; no release of it reads the keys reported.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/helm/>: the chart
- <https://github.com/apache/flink-kubernetes-operator/blob/main/helm/flink-kubernetes-operator/values.yaml>: their
  places
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._resource import key_span

_IN_POD = (
    "resources", "nodeSelector", "tolerations", "affinity", "topologySpreadConstraints", "priorityClassName", "env",
    "envFrom", "dnsPolicy", "dnsConfig", "initContainers", "sidecarContainers",
)  # fmt: skip
_BELONGS = {
    **{key: f"operatorPod.{key}" for key in _IN_POD},
    "podAnnotations": "operatorPod.annotations",
    "podLabels": "operatorPod.labels",
    "replicaCount": "replicas",
    "securityContext": "operatorSecurityContext",
    "operatorPod.replicas": "replicas",
    "operatorPod.securityContext": "operatorSecurityContext",
    "operatorPod.livenessProbe": "operatorHealth.livenessProbe",
    "operatorPod.startupProbe": "operatorHealth.startupProbe",
    "metrics.enabled": "metrics.port",
}
"""Where keys belong that no release of the chart, from 0.1 to 1.15, reads where they are."""


@rule(
    code="FLK290",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:operator-values"],
    since="0.1",
)
def operator_values_misplaced(config: View) -> Iterator[Finding]:
    """a value stands where the operator's chart does not read it"""
    for part in config.elements("operator-values"):
        for path, belongs in _BELONGS.items():
            # An empty value is what many files have that were made by `helm create`.
            if not any(True for _ in part.under(path)) and not part.items(path) and part.value(path) is None:
                continue
            yield config.finding(
                f"the operator's chart does not read {path}, so that it has no effect: the chart reads {belongs}",
                span=key_span(config, part, path),
                key=path,
                help=f"move it to {belongs}",
            )


_OPERATOR = "image: {repository: apache/flink-kubernetes-operator}\nwatchNamespaces: [flink]\n"
_RESOURCES = "resources:\n  limits:\n    memory: 1Gi\n"


def cases() -> list[Case]:
    nested = "".join(f"  {line}\n" for line in (_OPERATOR + _RESOURCES).splitlines())
    return [
        bad(_OPERATOR + _RESOURCES, file="values.yaml", at="resources", says="operatorPod.resources"),
        bad(_OPERATOR + "tolerations:\n- key: flink\n", file="values.yaml", says="operatorPod.tolerations"),
        bad(_OPERATOR + "replicaCount: 2\n", file="values.yaml", says="the chart reads replicas"),
        bad(f"flink-kubernetes-operator:\n{nested}", file="values.yaml", at="resources"),
        good(_OPERATOR + "operatorPod:\n  resources:\n    limits:\n      memory: 1Gi\n", file="values.yaml"),
        good(_OPERATOR + "resources: {}\n", file="values.yaml"),
        good("image: {repository: flink}\n" + _RESOURCES + "taskmanager: {replicas: 2}\n", file="values.yaml"),
        good("flink: {}\nwatchNamespaces: [a]\n" + _RESOURCES, file="values.yaml"),
    ]
