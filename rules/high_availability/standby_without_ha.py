"""Several JobManagers without high availability do not know of each other.

## What it does
Reports `kubernetes.jobmanager.replicas` above 1 (a custom resource calls it `spec.jobManager.replicas`) where
high availability is off.

## Why it matters
Only high availability elects a leader and hands jobs over. Native Kubernetes and the operator therefore refuse
such a cluster: "High availability should be enabled when starting standby JobManagers".

## What to do
Turn high availability on (`high-availability.type: kubernetes` with a storage directory), or run one JobManager.

## Not when
A template decides on either.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#kubernetes-jobmanager-replicas>:
  the option
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/overview/>: what high availability does
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import NONE, mode

_REPLICAS = "kubernetes.jobmanager.replicas"


@rule(
    code="FLK415",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_REPLICAS],
    flink=">=1.14",
    since="0.1",
)
def standby_without_ha(config: View) -> Iterator[Finding]:
    """several JobManagers without high availability do not know of each other"""
    setting = config.get(_REPLICAS)
    replicas = config.integer(_REPLICAS)
    if replicas is None or replicas < 2:
        return
    if mode(config) != NONE or not config.document.whole:
        return
    yield setting.finding(
        f"{replicas} JobManagers need high availability, which is off: the cluster is refused",
        help="set high-availability.type: kubernetes and high-availability.storageDir, or 1 replica",
    )


def cases() -> list[Case]:
    return [
        bad(f"{_REPLICAS}: 2\nkubernetes.cluster-id: a\n", at=_REPLICAS, flink="1.18", says="2 JobManagers"),
        bad(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  flinkVersion: v1_18\n  jobManager:\n    replicas: 3\n    resource: {memory: 2g, cpu: 1}\n"
            "  flinkConfiguration:\n    high-availability.type: NONE\n",
            file="deployment.yaml", says="3 JobManagers",
        ),
        good(f"{_REPLICAS}: 2\nhigh-availability: kubernetes\n", flink="1.16"),
        good(f"{_REPLICAS}: 1\n", flink="1.18"),
        good(f"{_REPLICAS}: 2\nhigh-availability.type: ${{HA}}\n", flink="1.18"),
        good(f"{_REPLICAS}: 2\n", flink="1.13"),
        good(f"{_REPLICAS}: ${{REPLICAS}}\n", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "Kubernetes JobManager",
            "kubernetes.jobmanager.replicas: 2\n",
            good="kubernetes.jobmanager.replicas: 1\n",
            both="kubernetes.cluster-id: a\n",
        ),
    ]
