"""A ConfigMap with Flink's configuration that no workload mounts.

## What it does
Reports a ConfigMap with `flink-conf.yaml` or `config.yaml` in a folder whose JobManagers and TaskManagers are there
too, in the same namespace, where neither they nor anything else names the ConfigMap.

## Why it matters
The processes run with what their image, their variables and their arguments say. Memory, checkpoints and high
availability of the ConfigMap are not in effect, and whoever changes them there sees no difference. The web interface
shows other values at *Job Manager → Configuration*.

## What to do
Mount it at `/opt/flink/conf` in every container of the cluster and take the same settings out of `FLINK_PROPERTIES`,
which a read-only mount keeps from the file; or delete the ConfigMap.

## Not when
- The name of the ConfigMap is anywhere else in the folder or in the files that are checked.
- The folder has a `kustomization.yaml`, whose overlays may mount it, or the files are templates of a Helm chart.
- The ConfigMap has keys of Apache's operator (`kubernetes.operator.*`).

All other findings in such a ConfigMap are information, since no process is known to read it. So are those in a
ConfigMap that nothing names in a folder with resources of an operator, which writes the configuration itself, or that
has only files of Log4j or Logback.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/kubernetes/>: the
  ConfigMap of a cluster, and how its containers mount it
- <https://kubernetes.io/docs/concepts/configuration/configmap/>: a Pod has the data of a ConfigMap only if its
  specification refers to it
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK048",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    since="0.1",
)
def config_map_not_mounted(config: View) -> Iterator[Finding]:
    """a ConfigMap with Flink's configuration that nothing mounts"""
    workloads = config.relation.without_it
    if workloads:
        yield config.finding(
            "nothing here mounts this ConfigMap: the Flink processes beside it run without its settings",
            help="mount it at /opt/flink/conf in each of their containers, or delete it",
            related=[Place(one.path, one.head, "runs without it") for one in workloads],
        )


_MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: flink-config}
data:
  flink-conf.yaml: |
    taskmanager.memory.process.size: 4g
"""
_POD = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: taskmanager}
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.18.1
          args: [taskmanager]
"""
_MOUNTED = """          volumeMounts: [{name: conf, mountPath: %s}]
      volumes: [{name: conf, configMap: {name: flink-config}}]
"""


def cases() -> list[Case]:
    return [
        bad(_MAP + _POD, file="flink.yaml", at="flink-conf.yaml", severity=Severity.INFO),
        bad(_MAP, file="map.yaml", beside={"pod.yaml": _POD}),
        good(_MAP + _POD + _MOUNTED % "/opt/flink/conf", file="flink.yaml"),
        good(_MAP + _POD + _MOUNTED % "/config", file="flink.yaml"),
        good(_MAP, file="map.yaml"),
        good(_MAP, file="map.yaml", beside={"pod.yaml": _POD, "kustomization.yaml": "resources: [map.yaml]\n"}),
        good(_MAP, file="map.yaml", beside={"pod.yaml": _POD, "client.yaml": "configMap: {name: flink-config}\n"}),
        good(_MAP.replace("}", ", namespace: other}", 1) + _POD, file="flink.yaml"),
        good(_MAP + "    kubernetes.operator.reconcile.interval: 30 s\n" + _POD, file="flink.yaml"),
    ]
