"""A job of a FlinkCluster stays down when it fails, although savepoints are kept for it.

## What it does
Reports a `FlinkCluster` (Google's and Spotify's operators) whose job has `savepointsDir` or `autoSavepointSeconds`,
and no `restartPolicy`, or `Never`.

## Why it matters
The operator submits the job once. Flink's own restart strategy handles failures of tasks; when it gives up, or when
the JobManager's pod is replaced and there is no high availability, the job is gone. With `Never`, the default, the
resource then shows the state `Failed` or `Lost` and nothing happens until somebody deletes and creates it. The
savepoints that the directory shows are not used.

## What to do
Set `restartPolicy: FromSavepointOnFailure` with `savepointsDir` and `autoSavepointSeconds: 300`: the operator
restarts a failed job from its last savepoint, of which it needs one.

## Not when
The job has neither of these fields: it may be one that ends.

## Sources
- <https://github.com/GoogleCloudPlatform/flink-on-k8s-operator/blob/master/docs/crd.md>: the fields and defaults of
  `JobSpec`
- <https://github.com/spotify/flink-on-k8s-operator/blob/master/docs/crd.md>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_POLICY = "spec.job.restartPolicy"
_OF_STATE = ("spec.job.savepointsDir", "spec.job.autoSavepointSeconds")


@rule(
    code="FLK745",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kubernetes-object/FlinkCluster"],
    since="0.1",
)
def cluster_job_not_restarted(config: View) -> Iterator[Finding]:
    """a job of a FlinkCluster stays down when it fails, although it has savepoints"""
    for part in config.elements("kubernetes-object"):
        if part.name != "FlinkCluster" or not (part.text("apiVersion") or "").startswith("flinkoperator."):
            continue
        kept = next((name for name in _OF_STATE if part.has(name)), None)
        if kept is None or (part.has(_POLICY) and part.text(_POLICY) != "Never"):
            continue
        default = "" if part.has(_POLICY) else ", the default"
        yield part.finding(
            f"restartPolicy is Never{default}: a job that fails, or whose JobManager is lost, stays down, and its"
            " savepoints are not used",
            of=_POLICY if part.has(_POLICY) else kept,
            key="restartPolicy",
            help="set restartPolicy: FromSavepointOnFailure, with savepointsDir and autoSavepointSeconds",
        )


_CLUSTER = """apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: orders}
spec:
  image: {name: "flink:1.14.6"}
  jobManager: {resources: {limits: {memory: 2Gi, cpu: 1}}}
  taskManager: {replicas: 2, resources: {limits: {memory: 2Gi, cpu: 1}}}
  job:
    jarFile: /opt/flink/usrlib/orders.jar
    parallelism: 2
"""


def cases() -> list[Case]:
    kept = _CLUSTER + "    savepointsDir: gs://orders/savepoints\n"
    return [
        bad(kept, file="orders.yaml", at="gs://orders/savepoints", says="is Never, the default"),
        bad(kept + "    restartPolicy: Never\n", file="orders.yaml", at="Never", says="is Never: a job"),
        bad(_CLUSTER + "    autoSavepointSeconds: 300\n", file="orders.yaml"),
        good(kept + "    restartPolicy: FromSavepointOnFailure\n", file="orders.yaml"),
        good(kept + "    restartPolicy: {{ .Values.policy }}\n", file="templates/orders.yaml"),
        good(_CLUSTER, file="orders.yaml"),
        good(_CLUSTER + "    restartPolicy: Never\n", file="orders.yaml"),
    ]
