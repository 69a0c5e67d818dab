"""A custom resource sets a key that the operator sets itself.

## What it does
Reports `kubernetes.namespace`, `kubernetes.cluster-id` and `high-availability.cluster-id` in the `flinkConfiguration`
of a FlinkDeployment or FlinkBlueGreenDeployment, or in the values of a chart for one.

## Why it matters
The operator takes all three from the resource: namespace and name are those of its metadata, and the id under which
high availability keeps its data is the name again. It refuses a resource that sets one of them (`Forbidden Flink
config key: high-availability.cluster-id`). The webhook says so on `kubectl apply`; without it the error stands in the
resource's status, and nothing is deployed or upgraded.

## What to do
Delete the key. To tell the data of several clusters in one ZooKeeper apart set
`high-availability.zookeeper.path.root`.

## Not when
- A FlinkSessionJob: the operator does not look there.
- Flink without the operator needs `kubernetes.cluster-id`.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  the list
- <https://phabricator.wikimedia.org/T344614>: deployments that failed on `high-availability.cluster-id`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import FORBIDDEN
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import is_operators, written

INSTEAD = {
    "kubernetes.namespace": "metadata.namespace",
    "kubernetes.cluster-id": "metadata.name",
    "high-availability.cluster-id": "metadata.name",
}
"""Where the operator takes each from."""


@rule(code="FLK701", severity=Severity.ERROR, confidence=Confidence.HIGH, reads=FORBIDDEN, since="0.1")
def operator_forbidden_key(config: View) -> Iterator[Finding]:
    """the operator refuses a key that it sets itself"""
    if not is_operators(config) or config.document.kind == "flinksessionjob":
        return
    for entry in written(config):
        if entry.key not in FORBIDDEN:
            continue
        yield config.finding(
            f"the operator refuses a resource that sets {entry.key}: it takes the value from {INSTEAD[entry.key]}",
            span=entry.key_span,
            key=entry.key,
            help="delete the line",
            fix=config.document.remove(entry, f"delete {entry.key}", safe=True),
        )


_BODY = 'state.checkpoints.dir: s3://flink/checkpoints\ntaskmanager.numberOfTaskSlots: "2"'


def cases() -> list[Case]:
    return [
        bad(
            deployment(f"{_BODY}\nhigh-availability.cluster-id: /orders"), file="deployment.yaml",
            at="high-availability.cluster-id", says="refuses", fixed=deployment(_BODY),
        ),
        bad(deployment(f"{_BODY}\nkubernetes.cluster-id: orders"), file="deployment.yaml", fixed=deployment(_BODY)),
        bad(
            deployment("kubernetes.namespace: a", kind="FlinkBlueGreenDeployment"), file="deployment.yaml",
            at="kubernetes.namespace",
        ),
        bad(
            "app:\n  job:\n    upgradeMode: savepoint\n  flinkConfiguration:\n    high-availability.cluster-id: /dse\n"
            "    high-availability.type: ZOOKEEPER\n",
            file="values-eqiad.yaml", at="high-availability.cluster-id",
        ),
        good(deployment(_BODY), file="deployment.yaml"),
        good(session_job("upgradeMode: stateless", "kubernetes.cluster-id: a"), file="deployment.yaml"),
        good("kubernetes.cluster-id: orders\nhigh-availability.cluster-id: /orders\n", flink="1.20"),
    ]  # fmt: skip
