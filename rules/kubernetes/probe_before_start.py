"""A liveness probe kills the JobManager before it can answer.

The pod restarts over and over: `Liveness probe failed: ... connection refused`, `Container jobmanager failed liveness
probe, will be restarted`, and the log ends in the middle of the start.

## What it does
Computes from `initialDelaySeconds`, `periodSeconds` and `failureThreshold` when the kubelet gives up a JobManager
that never answered, and reports 15 seconds or less; with a limit below one CPU, 15 seconds divided by it.

## Why it matters
A JobManager of Flink 1.20 takes 7 seconds of CPU time until its REST endpoint answers, the most of it for loading and
compiling classes. Alone on a CPU these are 7 seconds. On a node on which other pods start at the same time, with a
limit of half a CPU, behind the sidecar of a service mesh or with a slow ZooKeeper or object store it is a multiple.
The kubelet kills what has not answered by then, and the next start has no more time. It goes well on an idle test
cluster and fails when a node is drained, and all its pods start elsewhere at once.

## What to do
Add a `startupProbe` with the same check, `periodSeconds: 10` and `failureThreshold: 30`: the liveness probe begins
when it has succeeded. Or set `initialDelaySeconds: 60` of the liveness probe.

## Not when
There is a `startupProbe`, or a template gives one of the numbers.

## Sources
- <https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/>: the
  fields and their defaults
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/kubernetes/#common-cluster-resource-definitions>:
  Flink's own probes begin after 30 seconds and give up after 150
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import quantity
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._pods import COMMON, containers, resources

_WORKLOADS = ("Deployment", "StatefulSet")
_ROLES = ("jobmanager", "cluster")
_TEMPLATES = (COMMON, "jobManager.podTemplate")
_DEFAULTS = {"initialDelaySeconds": 0, "periodSeconds": 10, "failureThreshold": 3}
"""The fields of a probe that determine when the kubelet gives up, with what Kubernetes takes where they are missing."""


@rule(
    code="FLK741",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"element:kubernetes-object/{kind}" for kind in (*_WORKLOADS, "FlinkDeployment")],
    since="0.1",
    thresholds={"start": Threshold("15 s", "time that a JobManager with a CPU of its own needs at most to answer")},
)
def probe_before_start(config: View) -> Iterator[Finding]:
    """a liveness probe kills the JobManager before it can answer"""
    needed = config.threshold("start") / 1e9
    names = {one.name for one in config.elements("container") if one.text("role") in _ROLES}
    for part in config.elements("kubernetes-object") if names else ():
        if part.name in _WORKLOADS:
            path = "spec.template.spec.containers"
            for container in part.items(path):
                if container.text("name") in names:
                    yield from _early(container, container.value("resources.limits.cpu"), needed)
    for resource in resources(config, "FlinkDeployment"):
        for template in _TEMPLATES:
            for one in containers(resource, template):
                if one.is_main:
                    yield from _early(one.part, resource.part.value(resource.path("jobManager.resource.cpu")), needed)


def _early(container: ElementView, limit: object, needed: float) -> Iterator[Finding]:
    """Yield a finding on a container whose liveness probe gives up too early."""
    if not container.has("livenessProbe") or container.has("startupProbe"):
        return
    numbers = {}
    for field, default in _DEFAULTS.items():
        name = f"livenessProbe.{field}"
        found = container.number(name) if container.has(name) else default
        if found is None:
            return
        numbers[field] = found
    delay, period, failures = numbers.values()
    given_up = delay + (max(failures, 1) - 1) * max(period, 1)
    cpus = float(quantity(str(limit)) or 1)
    share = min(1.0, cpus) if cpus > 0 else 1.0
    if given_up > needed / share:
        return
    of = next((name for field in _DEFAULTS if container.has(name := f"livenessProbe.{field}")), None)
    own = "" if share == 1 else f" with {limit} CPU"
    yield container.finding(
        f"the kubelet kills the JobManager {given_up:g} s after its start unless it answers by then, and it may need"
        f" {needed / share:.0f} s{own} on a busy node: it restarts over and over",
        of=of or next(f"livenessProbe.{name}" for name, _ in container.under("livenessProbe")),
        key="livenessProbe",
        help="add a startupProbe with periodSeconds: 10 and failureThreshold: 30, or set initialDelaySeconds: 60",
        measure=-given_up,
    )


_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-jobmanager}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.20
          args: [%s]
          resources: {limits: {cpu: %s}}
          livenessProbe:
            httpGet: {path: /overview, port: 8081}
            %s
"""
_FIVE = "initialDelaySeconds: 5\n            periodSeconds: 5\n            failureThreshold: 3"


def cases() -> list[Case]:
    pod = "  podTemplate:\n    spec:\n      containers:\n      - name: flink-main-container\n        livenessProbe:\n"
    pod += "          tcpSocket: {port: 8081}\n          initialDelaySeconds: 10\n          failureThreshold: %s\n"
    return [
        bad(_POD % ("jobmanager", 2, _FIVE), file="jobmanager.yaml", says="15 s after its start", at="5"),
        bad(_POD % ("jobmanager", "500m", "periodSeconds: 10"), file="jobmanager.yaml", says="30 s with 500m CPU"),
        bad(deployment() + pod % 1, file="orders.yaml", says="10 s after"),
        bad(_POD % ("standalone-job", 1, "timeoutSeconds: 5\n            periodSeconds: 5"), file="jobmanager.yaml"),
        bad(_POD % ("jobmanager", 1, "failureThreshold: 2"), file="jobmanager.yaml", at="2", says="10 s after"),
        good(_POD % ("jobmanager", 2, "periodSeconds: 10"), file="jobmanager.yaml"),
        good(_POD % ("jobmanager", 2, _FIVE.replace(": 5", ": 6", 1)), file="jobmanager.yaml"),
        good(_POD % ("jobmanager", "500m", _FIVE.replace(": 5", ": 30", 1)), file="jobmanager.yaml"),
        good(_POD % ("taskmanager", 2, _FIVE), file="jobmanager.yaml"),
        good(
            _POD % ("jobmanager", 2, _FIVE + "\n          startupProbe: {tcpSocket: {port: 8081}}"),
            file="jobmanager.yaml",
        ),
        good(
            _POD % ("jobmanager", 2, _FIVE.replace(": 5", ": {{ .Values.d }}", 1)), file="templates/jobmanager.yaml"
        ),
        good((_POD % ("jobmanager", 2, _FIVE)).replace("livenessProbe", "readinessProbe"), file="jobmanager.yaml"),
        good(deployment() + pod % 9, file="orders.yaml"),
    ]  # fmt: skip
