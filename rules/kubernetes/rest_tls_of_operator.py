"""REST speaks TLS, and what calls it on Kubernetes does not.

## What it does
Reports `security.ssl.rest.enabled: true` of a custom resource where

- a probe of the pod template asks the REST port by `httpGet` without `scheme: HTTPS`;
- the resource is a `FlinkCluster` of flink-on-k8s-operator, which calls REST by `http://` alone;
- the values of the Apache operator's chart in the project neither set `tls.create` nor mount volumes into the operator:
  it opens the truststore in its own pod. Where the project has no such values, this is advice.

## Why it matters
The operator is a client of REST. It takes `security.ssl.rest.truststore` from the deployment's configuration, a path
that `kubernetes.secrets` or the pod template mounts into the pods of Flink, and not into the operator's: `Failed to
initialize SSLContext for the REST client` or `java.io.FileNotFoundException: … truststore.jks (No such file or
directory)`. The JobManager runs, and the deployment stays in `DEPLOYING`. A probe in plain HTTP gets no answer from a
port that speaks TLS, so the kubelet restarts the JobManager again and again.

## What to do
Set `tls.create: true` with the secret in the operator's values (from operator 1.8 on), or mount the certificates into
the operator at the same path (`operatorVolumes`, `operatorVolumeMounts`); give probes `scheme: HTTPS`. Behind a proxy
that speaks TLS, REST may stay without it; `security.ssl.internal.enabled` is independent of both.

## Not when
`security.ssl.internal.enabled` alone; a template decides; the operator's values mount volumes of their own.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/tree/main/examples/flink-tls-example>: TLS with the operator
- <https://github.com/apache/flink-kubernetes-operator/blob/release-1.15/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/service/AbstractFlinkService.java>:
  `getOperatorRestConfig`
- <https://github.com/spotify/flink-on-k8s-operator/blob/master/controllers/flinkcluster/flinkcluster_util.go>:
  `getFlinkAPIBaseURL`
- <https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#http-probes>:
  the scheme
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._other_operators import other_resources
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS, resources

_ENABLED = "security.ssl.rest.enabled"
_TRUSTSTORE = "security.ssl.rest.truststore"
_VALUES = ["element:operator-values"]
_PROBE_PORT = regex(r"(?P<probe>.*(?:liveness|readiness|startup)Probe\.httpGet)\.port")
_REST_PORTS = ("8081", "rest", "ui", "webui")


@rule(
    code="FLK792",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_ENABLED],
    only=["element:kubernetes-object"],
    scope="project",
    compares=[([_ENABLED], _VALUES)],
    since="0.1",
)
def rest_tls_of_operator(project: Project) -> Iterator[Finding]:
    """REST speaks TLS, and what calls it on Kubernetes does not"""
    values = [part for view in project.views for part in view.elements("operator-values")]
    for view in project.views:
        enabled = view.get(_ENABLED)
        if enabled.value is not True:
            continue
        for resource in resources(view, *APACHE_CLUSTERS):
            yield from _plain_probes(view, resource.part, enabled)
            if not any(map(_gives_certificates, values)):
                yield _operator_without(view, enabled, is_seen=bool(values))
        for other in other_resources(view):
            if other.part.name == "FlinkCluster":
                yield enabled.finding(
                    f"the operator of {other.part.name} calls REST by http:// alone, and {enabled.written} makes the"
                    " JobManager refuse that: the job is never submitted",
                    help=f"delete {enabled.written}; put a proxy with TLS before the Service, and set"
                    " security.ssl.internal.enabled for what runs inside",
                )


def _gives_certificates(part: ElementView) -> bool:
    """Return whether the operator's pod gets certificates, or may get them by what a template makes."""
    switches = [part.value(name) for name in ("tls.create", "operatorVolumeMounts.create", "operatorVolumes.create")]
    is_known = all(part.is_known(name) for name in ("tls.create", "operatorVolumeMounts.create") if part.has(name))
    return not is_known or any(str(value).lower() == "true" for value in switches)


def _operator_without(view: View, enabled: Setting, *, is_seen: bool) -> Finding:
    truststore = view.get(_TRUSTSTORE)
    path = truststore.text if truststore.is_set and truststore.is_known else "the truststore"
    where = "its chart's values mount none" if is_seen else "it is only if its chart mounts it"
    return enabled.finding(
        f"the operator calls REST by TLS and opens {path} in its own pod, where {where}: each"
        " reconciliation fails, though the JobManager runs",
        help="set tls.create: true in the values of the operator's chart (from 1.8 on), or leave REST without TLS"
        " behind a proxy",
        severity=None if is_seen else Severity.INFO,
        related=[truststore] if truststore.is_set else (),
    )


def _plain_probes(view: View, part: ElementView, enabled: Setting) -> Iterator[Finding]:
    ports = {*_REST_PORTS, view.get("rest.port").text}
    for name, attribute in part.element.attributes.items():
        match = _PROBE_PORT.fullmatch(name)
        if match is None or str(attribute.value) not in ports or part.has(f"{match['probe']}.scheme"):
            continue
        yield part.finding(
            f"the probe asks REST in plain HTTP, and {enabled.written} makes it speak TLS: the kubelet restarts the"
            " JobManager again and again",
            of=name,
            help="add scheme: HTTPS to httpGet",
            related=[enabled],
        )


_TLS = (
    "security.ssl.rest.enabled: 'true'\nsecurity.ssl.rest.truststore: /flink-cert/truststore.jks\n"
    "security.ssl.rest.keystore: /flink-cert/keystore.jks"
)
_POD = """podTemplate:
  spec:
    containers:
    - name: flink-main-container
      livenessProbe:
        httpGet: {path: /overview, port: 8081%s}"""
_CLUSTER = """apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: orders}
spec:
  image: {name: "flink:1.14.6"}
  jobManager: {replicas: 1}
  taskManager: {replicas: 2}
  flinkProperties:
    security.ssl.%s.enabled: "true"
"""
_OPERATOR = "image: {repository: apache/flink-kubernetes-operator}\nwatchNamespaces: [flink]\n"


def cases() -> list[Case]:
    return [
        bad(
            deployment(_TLS),
            file="orders.yaml",
            beside={"values.yaml": _OPERATOR},
            at="security.ssl.rest.enabled",
            says="opens /flink-cert/truststore.jks in its own pod",
        ),
        bad(deployment(_TLS, spec=_POD % ""), file="orders.yaml", times=2, says="in plain HTTP", beside={
            "values.yaml": _OPERATOR}),
        bad(_CLUSTER % "rest", file="cluster.yaml", at="security.ssl.rest.enabled", says="http:// alone"),
        bad(deployment(_TLS), file="orders.yaml", severity=Severity.INFO),
        good(_CLUSTER % "internal", file="cluster.yaml"),
        good(deployment(_TLS), file="orders.yaml", beside={"values.yaml": _OPERATOR + "tls: {create: true}\n"}),
        good(
            deployment(_TLS, spec=_POD % ", scheme: HTTPS"),
            file="orders.yaml",
            beside={"values.yaml": _OPERATOR + "operatorVolumeMounts: {create: true, data: []}\n"},
        ),
        good(deployment(_TLS.replace("rest", "internal")), file="orders.yaml", beside={"values.yaml": _OPERATOR}),
        good(deployment(_TLS.replace("'true'", "'false'"), spec=_POD % ""), file="orders.yaml"),
    ]  # fmt: skip
