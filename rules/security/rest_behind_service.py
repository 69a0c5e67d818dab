"""A Service leads from outside of the cluster to the REST endpoint of the JobManager.

## What it does
Reports Services of the type `NodePort` or `LoadBalancer` that select a JobManager and serve the port of its REST
endpoint, while that does not ask its clients for a certificate. The configuration is that of the JobManager with the
selected labels: of a FlinkDeployment, of another operator's resource, or of a Deployment, StatefulSet or Job.

The finding is advice where fewer people reach the endpoint, or where it is not known who does: see below.

## Why it matters
Whoever reaches the endpoint can upload a program and run it on the cluster, with the secrets, the state and the network
that it has. Nothing asks them who they are. A `NodePort` is open on every node of the cluster, a `LoadBalancer` has an
address of its own, which is public unless an annotation says otherwise. Scanners find such addresses within hours.

## What to do
Let the Service be of the type `ClusterIP` and use `kubectl port-forward`, or put a proxy that asks for a login before
it. With `web.submit.enable: false` the web interface takes no jobs, but everybody still reads the configuration and
cancels jobs.

## Not when
- `security.ssl.rest.enabled` and `security.ssl.rest.authentication-enabled` are on.
- `rest.bind-address` is an address of the pod itself (`localhost`): the Service reaches nothing.
- The JobManager that the Service selects is in no file, or a file, an image or variables that are not in the repository
  may configure it: then it is advice, as its configuration is not known. So it is where an annotation makes the load
  balancer an internal one, where the Service names the addresses that it serves (`loadBalancerSourceRanges`), or where
  jobs cannot be submitted.

## Sources
- <https://flink.apache.org/what-is-flink/security/>: Flink executes arbitrary code of whoever may access it, by design
- <https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types>: the types
- <https://github.com/apache/flink/blob/master/flink-kubernetes/src/main/java/org/apache/flink/kubernetes/utils/Constants.java>:
  the labels of native Kubernetes, `app` and `component`
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.model.processes.process import JOBMANAGER
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.security._exposure import authenticates

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView

_OPEN = {"NodePort": "on a port of every node", "LoadBalancer": "behind a load balancer"}
_NAMES = ("rest", "ui", "webui", "web", "rest-port")
_JOBMANAGER = regex(r"(?i)job-?manager")
_LOCAL = (*LOCAL_HOSTS, "[::1]")
_ALL = frozenset(("0.0.0.0/0", "::/0"))
_CUSTOM = ("FlinkDeployment", "FlinkApplication", "FlinkCluster")


@rule(
    code="FLK955",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kubernetes-object/Service"],
    of_scale=True,
    scope="project",
    compares=[
        (
            ["element:kubernetes-object/Service"],
            ["element:container", *(f"element:kubernetes-object/{kind}" for kind in _CUSTOM)],
        )
    ],
    since="0.1",
)
def rest_behind_service(project: Project) -> Iterator[Finding]:
    """a Service leads from outside of the cluster to the REST endpoint"""
    services = [
        (config, part)
        for config in project.views
        for part in config.elements("kubernetes-object")
        if part.name == "Service" and part.text("spec.type") in _OPEN
    ]
    for config, service in services:
        owners = [owner for view in project.views if view is not config for owner in _selected(view, config)]
        if any(_is_closed(view) for view, _ in owners) or not (owners or _names_a_jobmanager(service)):
            continue
        port = _rest_port(service, owners)
        if port is not None:
            yield _finding(service, port, owners)


_Owner = tuple[View, "ProcessView"]
"""A JobManager that a Service selects, with the view of the document that starts it."""


def _finding(service: ElementView, port: str, owners: list[_Owner]) -> Finding:
    takes_no_jobs = any(view.boolean("web.submit.enable") is False for view, _ in owners)
    is_known = bool(owners) and not any(process.is_configured_elsewhere for _, process in owners)
    where = "a part of which is not in these files" if owners else "which is not in these files"
    unless = "" if is_known else f", unless its configuration, {where}, asks for certificates"
    what = "cancels its jobs and reads its configuration" if takes_no_jobs else "runs programs of their own on it"
    return service.finding(
        f"the REST endpoint of the JobManager is {_OPEN[str(service.text('spec.type'))]} and asks nobody who they are:"
        f" whoever reaches it {what}{unless}",
        of="spec.type",
        help="set type: ClusterIP, and let people in through a proxy that asks for a login",
        severity=Severity.INFO if _is_bounded(service) or takes_no_jobs or not is_known else None,
        related=[service.place(port, "the REST endpoint")],
    )


def _is_bounded(service: ElementView) -> bool:
    """Whether only some networks reach the Service from outside of the cluster."""
    annotations = " ".join(
        f"{name} {attribute.value}".lower() for name, attribute in service.under("metadata.annotations")
    )
    ranges = [str(one.value) for one in service.element.listed("spec.loadBalancerSourceRanges")]
    return "internal" in annotations or "private" in annotations or bool(ranges and not _ALL.intersection(ranges))


def _is_closed(config: View) -> bool:
    """Whether clients need a certificate, or none can reach the endpoint from outside of the pod."""
    return authenticates(config) or (config.string("rest.bind-address") or "").strip().lower() in _LOCAL


def _rest_port(service: ElementView, owners: list[_Owner]) -> str | None:
    """The attribute of the port of the REST endpoint; None where the Service has none."""
    ports = {"8081", *(str(view.integer("rest.port")) for view, _ in owners)}
    for member in service.items("spec.ports"):
        target = member.value("targetPort") if member.has("targetPort") else member.value("port")
        named = target is None or str(target) in ports or str(target) in _NAMES
        if str(target) in ports or (named and member.text("name") in _NAMES):
            path = f"spec.ports[{member.name}]"
            return next(f"{path}.{field}" for field in ("targetPort", "port", "name") if member.has(field))
    return None


def _selected(owner: View, service: View) -> Iterator[_Owner]:
    """Yield the JobManagers of a document that a Service selects."""
    if not any(other is service.document for other in owner.relation.services):
        return
    for process in owner.processes:
        if process.role == JOBMANAGER and any(
            one.origin.document is service.document for one in process.process.services
        ):
            yield owner, process


def _names_a_jobmanager(service: ElementView) -> bool:
    """Whether the labels that a Service selects are those of a JobManager."""
    return any(_JOBMANAGER.search(attribute.raw) for _, attribute in service.under("spec.selector"))


_SERVICE = """apiVersion: v1
kind: Service
metadata: {name: flink-rest}
spec:
  type: NodePort
  ports:
    - {name: rest, port: 8081, targetPort: 8081, nodePort: 30081}
  selector: {app: orders, component: jobmanager}
"""
_CLUSTER = """---
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: flink:1.20.4
  flinkVersion: v1_20
  serviceAccount: flink
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
  jobManager: {resource: {memory: 2g, cpu: 1}}
  taskManager: {resource: {memory: 4g, cpu: 1}}
"""
_PODS = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: jobmanager}
spec:
  template:
    metadata: {labels: {app: orders, component: jobmanager, tier: streaming}}
    spec:
      containers:
        - name: jobmanager
          image: flink:1.20.4
          args: [jobmanager]
          env:
            - name: FLINK_PROPERTIES
              value: |
                jobmanager.rpc.address: jobmanager
                rest.port: 8081
"""
_TLS = """                security.ssl.rest.enabled: true
                security.ssl.rest.authentication-enabled: true
"""
_LOCAL_ONLY = """                rest.bind-address: localhost
"""
_RANGES = "  type: LoadBalancer\n  loadBalancerSourceRanges: [{}]\n"
_MOUNTED = """          volumeMounts:
            - {name: config, mountPath: /opt/flink/conf}
      volumes:
        - name: config
          configMap: {name: made-elsewhere}
"""
_FILE = {"file": "all.yaml"}


def cases() -> list[Case]:
    return [
        bad(_SERVICE + _CLUSTER, **_FILE, at="NodePort", severity=Severity.WARNING, says="on a port of every node"),
        bad(_SERVICE.replace("NodePort", "LoadBalancer") + _PODS, **_FILE, severity=Severity.WARNING, says="balancer"),
        bad(_SERVICE + "# for Flink\n", **_FILE, severity=Severity.INFO, says="which is not in these files"),
        bad(_SERVICE.replace("app: orders", "app: shop") + _CLUSTER, **_FILE, severity=Severity.INFO),
        bad(
            _SERVICE.replace("name: flink-rest", "name: a, annotations: {gke/load-balancer-type: Internal}")
            + _CLUSTER,
            **_FILE, severity=Severity.INFO,
        ),
        bad(
            _SERVICE + _CLUSTER.replace("  jobManager", '    web.submit.enable: "false"\n  jobManager', 1),
            **_FILE, severity=Severity.INFO, says="cancels its jobs",
        ),
        bad(
            _SERVICE.replace("8081", "9999") + _PODS.replace("8081", "9999"), **_FILE, severity=Severity.WARNING,
        ),
        bad(_SERVICE.replace("targetPort: 8081", "targetPort: rest") + _CLUSTER, **_FILE, severity=Severity.WARNING),
        good(_SERVICE.replace("NodePort", "ClusterIP") + _CLUSTER, **_FILE),
        bad(
            _SERVICE.replace("  type: NodePort\n", _RANGES.format("10.0.0.0/8")) + _PODS, **_FILE,
            severity=Severity.INFO,
        ),
        bad(
            _SERVICE.replace("  type: NodePort\n", _RANGES.format("0.0.0.0/0")) + _PODS, **_FILE,
            severity=Severity.WARNING,
        ),
        bad(_SERVICE + _PODS + _MOUNTED, **_FILE, severity=Severity.INFO, says="a part of which is not in these files"),
        good(_SERVICE + _PODS + _LOCAL_ONLY, **_FILE),
        good(_SERVICE + _PODS + _TLS, **_FILE),
        good(_SERVICE.replace("8081", "6123").replace("rest,", "rpc,") + _CLUSTER, **_FILE),
        good(_SERVICE.replace("component: jobmanager", "component: taskmanager") + _CLUSTER, **_FILE),
        bad(
            _SERVICE.replace("component: jobmanager", "tier: streaming") + _PODS, **_FILE, severity=Severity.WARNING,
        ),
        good(_SERVICE.replace("app: orders, component: jobmanager", "app: shop") + _CLUSTER, **_FILE),
        good(_SERVICE.replace("type: NodePort", "type: {{ .Values.type }}") + _CLUSTER, **_FILE),
    ]  # fmt: skip
