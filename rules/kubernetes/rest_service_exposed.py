"""The REST endpoint is open to all who reach it.

## What it does
Reports `kubernetes.rest-service.exposed.type: LoadBalancer` and `NodePort`, native Kubernetes deployments of Flink
before 1.15 that leave the type at its default, which was `LoadBalancer` then, and an ingress of the operator without
any annotation that restricts who comes in.

## Why it matters
Flink's REST endpoint asks nobody who they are. Who reaches it uploads a jar and runs it, with the rights of the
cluster: reads its credentials, its sources and its state. A load balancer of a cloud is open to the Internet unless
it is told to be internal.

## What to do
Use `ClusterIP`, the default from 1.15 on and the operator's, and reach the endpoint by `kubectl port-forward` or
through a proxy that asks for a login.

## Not when
- The file is of a cluster that was set up by hand (a ConfigMap, or `jobmanager.rpc.address` is set), where
  `kubernetes.cluster-id` is for high availability alone and the service is written by hand.
- The service is told to be internal (`kubernetes.rest-service.annotations`): then it is a hint.
- Client certificates are demanded (`security.ssl.rest.authentication-enabled`).
- The ingress has an annotation that asks for a login or restricts addresses.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/#accessing-flinks-web-ui>:
  the warning
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/security/security-ssl/>: the REST endpoint
- <https://nightlies.apache.org/flink/flink-docs-master/release-notes/flink-1.15/>: the new default
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources

TYPE = "kubernetes.rest-service.exposed.type"
ANNOTATIONS = "kubernetes.rest-service.annotations"
CLIENTS = "security.ssl.rest.authentication-enabled"
GUARDS = ("auth", "whitelist", "allow", "source-range", "internal", "scheme", "middleware", "tailscale", "oauth")
"""Parts of annotations that restrict who comes in."""


@rule(
    code="FLK723",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[TYPE, "kubernetes.cluster-id"],
    when=["element:kubernetes-object"],
    flink=">=1.10",
    since="0.1",
)
def rest_service_exposed(config: View) -> Iterator[Finding]:
    """the REST endpoint, which runs any jar, is reachable from outside the cluster"""
    if config.boolean(CLIENTS):
        return
    setting = config.get(TYPE)
    kind = (config.string(TYPE) or "").lower()
    if setting.is_set and setting.is_known and kind in ("loadbalancer", "nodeport"):
        internal = any(word in config.get(ANNOTATIONS).text.lower() for word in ("internal", "private"))
        where = "on a port of every node" if kind == "nodeport" else "behind a load balancer"
        yield setting.finding(
            f"the REST endpoint stands {where}, and whoever reaches it may upload a jar and run it",
            help="set it to ClusterIP, and let people in through a proxy that asks for a login",
            severity=Severity.INFO if internal else None,
            fix=setting.replace("ClusterIP"),
        )
    elif (
        not setting.is_set
        and config.document.whole
        and config.platform == "kubernetes"
        and config.document.kind != "configmap"
        and config.is_set("kubernetes.cluster-id")
        and not config.is_set("jobmanager.rpc.address")
        and not config.since("1.15")
    ):
        yield config.get("kubernetes.cluster-id").finding(
            f"before 1.15 {TYPE} is LoadBalancer by default, and whoever reaches the REST endpoint may upload a jar and"
            " run it",
            help=f"set {TYPE}: ClusterIP",
        )
    yield from _ingress(config)


def _ingress(config: View) -> Iterator[Finding]:
    for resource in resources(config, *CLUSTERS):
        path = resource.path("ingress.template")
        if resource.part.text(path) is None or not resource.is_whole:
            continue
        annotations = list(resource.part.under(resource.path("ingress.annotations")))
        if any(attribute.value is None for _, attribute in annotations):
            continue  # a template decides
        notes = [f"{name} {attribute.value}".lower() for name, attribute in annotations]
        if any(guard in note for note in notes for guard in GUARDS):
            continue
        yield resource.part.finding(
            "the ingress leads to the REST endpoint without asking who comes, and they may upload a jar and run it",
            of=path,
            help="let the ingress ask for a login (an annotation of its controller), or set web.submit.enable: false",
            severity=Severity.INFO,
            confidence=Confidence.MEDIUM,
        )


def cases() -> list[Case]:
    return [
        bad(
            f"{TYPE}: LoadBalancer\n", flink="1.18", severity=Severity.WARNING, says="load balancer",
            fixed=f"{TYPE}: ClusterIP\n",
        ),
        bad(deployment(f"{TYPE}: NodePort"), file="deployment.yaml", at=TYPE, says="every node"),
        bad(
            f"{TYPE}: LoadBalancer\n{ANNOTATIONS}: service.beta.kubernetes.io/aws-load-balancer-internal:true\n",
            flink="1.18", severity=Severity.INFO,
        ),
        bad("kubernetes.cluster-id: orders\n", flink="1.14", says="before 1.15"),
        bad(
            deployment(spec="ingress:\n  template: flink.example.com\n  className: nginx"), file="deployment.yaml",
            severity=Severity.INFO, at="flink.example.com",
        ),
        good("kubernetes.cluster-id: orders\n", flink="1.15"),
        good("kubernetes.cluster-id: orders\njobmanager.rpc.address: flink-jobmanager\n", flink="1.14"),
        good(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-config\ndata:\n  flink-conf.yaml: |\n"
            "    kubernetes.cluster-id: orders\n    high-availability.storageDir: s3://flink/ha\n",
            file="configmap.yaml", flink="1.13",
        ),
        good(deployment(), file="deployment.yaml"),
        good(deployment(version="v1_14", image="flink:1.14"), file="deployment.yaml"),
        good(f"{TYPE}: LoadBalancer\n{CLIENTS}: true\n", flink="1.18"),
        good(
            deployment(
                spec="ingress:\n  template: flink.example.com\n  annotations:\n"
                "    nginx.ingress.kubernetes.io/auth-type: basic"
            ),
            file="deployment.yaml",
        ),
        good("taskmanager.numberOfTaskSlots: 2\n", flink="1.14"),
        good(f"{TYPE}: ${{TYPE}}\nkubernetes.cluster-id: orders\n", flink="1.14"),
        bad(
            f"{TYPE}: LoadBalancer\n{ANNOTATIONS}: networking.gke.io/load-balancer-type:Private\n",
            flink="1.18", severity=Severity.INFO,
        ),
        good(f"{TYPE}: ClusterIP\nkubernetes.cluster-id: orders\n", flink="1.14"),
        good("kubernetes.cluster-id: orders\n", flink="1.14", platform="yarn"),
        bad("kubernetes.cluster-id: orders\n", flink="1.14", at="kubernetes.cluster-id"),
        good(
            deployment(
                spec="ingress:\n  template: flink.example.com\n  annotations:\n    a.b/access: '{{ .Values.access }}'"
            ),
            file="deployment.yaml",
        ),
        bad(
            deployment(
                spec="ingress:\n  template: flink.example.com\n  annotations:\n    cert-manager.io/issuer: main"
            ),
            file="deployment.yaml", severity=Severity.INFO,
        ),
        good(f"{TYPE}: LoadBalancer\n", flink="1.9"),
    ]  # fmt: skip
