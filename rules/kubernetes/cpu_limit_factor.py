"""The CPU of a Flink pod is limited to too little.

## What it does
Reports where the CPU of native Kubernetes and its limit factor (`kubernetes.jobmanager.cpu.limit-factor`, ...) leave
the limit at less than one CPU; also the limits in resources of the operators of Google, Spotify and Lyft.

## Why it matters
With the default factor of 1 the request is the limit: a JobManager with half a CPU is throttled while its JVM starts,
while it schedules and while it reads checkpoints, in slices of 100 ms in which nothing runs. Heartbeats and leases are
late then, and the TaskManagers it loses make the work more.

## What to do
Give each process a CPU, or let it have more than it asks for: `kubernetes.jobmanager.cpu.limit-factor: 2`.

## Not when
The CPU is not set: Flink asks for one for the JobManager and for one a slot for TaskManagers.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#kubernetes-jobmanager-cpu-limit-factor>:
  the factor
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment

PROCESSES = ("jobmanager", "taskmanager")
FACTORS = tuple(f"kubernetes.{process}.cpu.limit-factor" for process in PROCESSES)
AMOUNTS = tuple(f"kubernetes.{process}.cpu.amount" for process in PROCESSES)
LITTLE = 0.5
"""CPUs; below, a JVM's start takes minutes."""


@rule(
    code="FLK714",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[*FACTORS, *AMOUNTS],
    when=["element:container"],
    flink=">=1.15",
    since="0.1",
)
def cpu_limit_factor(config: View) -> Iterator[Finding]:
    """less than one CPU as the limit"""
    for process, key in zip(PROCESSES, AMOUNTS, strict=True):
        amount = config.number(key)
        factor = config.number(f"kubernetes.{process}.cpu.limit-factor")
        if amount is None or factor is None or amount <= 0 or factor < 1:
            continue
        limit = amount * factor
        if limit < 1:
            yield config.get(key).finding(
                _throttled(process, limit),
                help=f"give it one CPU, or set kubernetes.{process}.cpu.limit-factor to {_factor(amount)}",
                severity=None if limit < LITTLE else Severity.INFO,
                evidence={"limit": limit},
                measure=-limit,
            )
    yield from _of_other_operators(config)


def _of_other_operators(config: View) -> Iterator[Finding]:
    """Containers that an operator declares with limits of a resource of its own."""
    for container in config.elements("container"):
        process, limit = container.text("role"), container.value("cpu")
        if process in PROCESSES and isinstance(limit, float) and 0 < limit < 1:
            yield container.finding(
                _throttled(process, limit),
                of="cpu",
                key=f"{process}.cpu",
                help="limit it to one CPU or more; the request may be less",
                severity=None if limit < LITTLE else Severity.INFO,
                evidence={"limit": limit},
                measure=-limit,
            )


def _throttled(process: str, limit: float) -> str:
    name = "JobManager" if process == "jobmanager" else "TaskManager"
    return (
        f"a {name} that is limited to {limit:g} CPU is throttled whenever its JVM has work to do, and its heartbeats"
        " are late"
    )


def _factor(amount: float) -> str:
    return f"{max(1 / amount, 1):.1f}".removesuffix(".0")


def _cpu(amount: str, configuration: str = "") -> str:
    return deployment(configuration, spec=f"jobManager:\n  resource:\n    memory: 1600m\n    cpu: {amount}")


_CLUSTER = """apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: orders}
spec:
  flinkVersion: "1.18"
  image: {name: "flink:1.18.1"}
  taskManager:
    resources:
      limits: {cpu: 250m, memory: 4Gi}
"""


def claims() -> list[Claim]:
    return [
        flink_uses(
            "Kubernetes limits",
            "kubernetes.jobmanager.cpu.limit-factor: 1.0\n",
            "at most 0.3 CPU",
            good="kubernetes.jobmanager.cpu.limit-factor: 4.0\n",
            both="kubernetes.cluster-id: orders\nkubernetes.jobmanager.cpu.amount: 0.3\n"
            "blob.server.port: 6124\ntaskmanager.rpc.port: 6122\n",
            releases=">=1.16",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(_cpu("0.25"), file="deployment.yaml", at="0.25", severity=Severity.WARNING, says="0.25 CPU"),
        bad(_cpu("500m"), file="deployment.yaml", severity=Severity.INFO),
        bad("kubernetes.taskmanager.cpu: 0.3\n", flink="1.16", says="0.3 CPU"),
        bad(_CLUSTER, file="cluster.yaml", at="250m", severity=Severity.WARNING, says="TaskManager"),
        good(_CLUSTER.replace("250m", '"1"'), file="cluster.yaml"),
        good(_cpu("1"), file="deployment.yaml"),
        good(_cpu("0.5", 'kubernetes.jobmanager.cpu.limit-factor: "2"'), file="deployment.yaml"),
        good("kubernetes.taskmanager.cpu.amount: -1\n", flink="1.20"),
        good("kubernetes.taskmanager.cpu.limit-factor: 1.0\nkubernetes.taskmanager.cpu.amount: 2\n", flink="1.20"),
        good(_cpu("{{ .Values.cpu }}"), file="deployment.yaml"),
        good(
            "kubernetes.taskmanager.cpu.limit-factor: ${FACTOR}\nkubernetes.taskmanager.cpu.amount: 2\n", flink="1.18"
        ),
    ]
