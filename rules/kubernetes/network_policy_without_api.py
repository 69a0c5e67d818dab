"""A network policy keeps the JobManager from the Kubernetes API.

## What it does
Looks for a `NetworkPolicy` for Flink's pods that restricts what they connect to, and whose rules let neither port 443
nor 6443 out, beside a native `FlinkDeployment` or one with high availability by Kubernetes.

## Why it matters
The JobManager asks the API server for its TaskManagers and keeps its leader there. If the policy drops the connection,
it logs `io.fabric8.kubernetes.client.KubernetesClientException: An error has occurred` with `connect timed out` for
`https://10.96.0.1/api/v1/namespaces/…/pods`, no TaskManager starts, and the job waits for slots until it fails.

## What to do
Add a rule under `egress` for the API server: its addresses as `ipBlock`, with port 443 and 6443.

## Not when
A rule lets the pods connect to any port or to a range, a template writes rules or ports, or another policy for the same
pods lets them out to the API server.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/>: what the
  JobManager asks the API server for
- <https://kubernetes.io/docs/concepts/services-networking/network-policies/>: what a policy shuts out
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._network_policies import (
    POLICIES,
    Policy,
    belongs_to,
    excludes,
    labels,
    policies,
    written,
    written_value,
)
from flink_flint.rules.kubernetes._resource import key_span, resources

_CLUSTERS = ["element:kubernetes-object/FlinkDeployment"]
_API = (443, 6443, 8443, 16443)
"""The ports on which API servers listen: of the Service, and of those of kubeadm, minikube and microk8s."""
_HA = regex(r"(?i)kubernetes")


@rule(
    code="FLK297",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=POLICIES,
    scope="project",
    compares=[(POLICIES, [*POLICIES, *_CLUSTERS])],
    since="0.1",
)
def network_policy_without_api(project: Project) -> Iterator[Finding]:
    """a network policy keeps the JobManager from the Kubernetes API"""
    found = policies(project.views)
    users = [
        resource.part
        for view in project.views
        for resource in resources(view, "FlinkDeployment")
        if (resource.is_whole and (resource.text("mode") or "native") == "native") or _has_leader(view)
    ]
    for policy in found if users else ():
        own = labels(policy.part, "spec.podSelector")
        if policy.role == "taskmanager" or not any(_selects(policy, own, user) for user in users):
            continue
        others = [one for one in found if one is policy or not excludes(one.part, "spec", own)]
        if not _restricts(policy) or any(_may_reach_api(one) for one in others):
            continue
        if policy.part.items("spec.egress"):
            span = key_span(policy.view, policy.part, "spec.egress")
        else:
            types = [name for name, _ in policy.part.under("spec") if name.startswith("policyTypes")]
            span = policy.part.span(f"spec.{types[-1]}")
        yield policy.view.finding(
            "the NetworkPolicy lets Flink's pods connect to the ports of its egress rules only, without the Kubernetes"
            " API (443, 6443): the JobManager gets no TaskManagers (connect timed out)",
            span=span,
            key="spec.egress",
            help="add an egress rule for the addresses of the API server, with ports 443 and 6443",
        )


def _has_leader(view: View) -> bool:
    mode = view.get("high-availability.type")
    return mode.is_set and _HA.search(mode.text) is not None


def _restricts(policy: Policy) -> bool:
    return "Egress" in {written_value(item) for item in policy.part.items("spec.policyTypes")}


def _selects(policy: Policy, own: dict[str, str], user: ElementView) -> bool:
    """Return whether a policy certainly selects the JobManager of a deployment, by the labels that Flink sets."""
    set_by_flink = {
        "app": written(user, "metadata.name"),
        "type": "flink-native-kubernetes",
        "component": "jobmanager",
    }
    one, other = policy.part.text("metadata.namespace"), user.text("metadata.namespace")
    if (one and other and one != other) or policy.part.items("spec.podSelector.matchExpressions"):
        return False
    near = belongs_to(user.document.path, policy.part.document.path) or "app" in own
    return bool(own) and near and all(set_by_flink.get(name) == value for name, value in own.items())


def _may_reach_api(policy: Policy) -> bool:
    """Return whether rules may let pods connect to the API server, or are not known."""
    part = policy.part
    if part.has("spec.egress") and not part.items("spec.egress"):
        return True
    for number, egress in enumerate(part.items("spec.egress")):
        if not part.is_known(f"spec.egress[{number}]") or not egress.has("ports"):
            is_of_pods = egress.has("to") and all(
                to.has("podSelector") and not to.has("namespaceSelector") for to in egress.items("to")
            )
            if is_of_pods and part.is_known(f"spec.egress[{number}]"):
                continue  # pods of the same namespace, of which the API server is none
            return True
        for port in egress.items("ports"):
            value = port.number("port")
            if value is None or port.has("endPort") or int(value) in _API:
                return True
    return False


_POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: flink-app}
spec:
  podSelector:
    matchLabels: {app: orders}
  policyTypes: [Egress]
  egress:
    - to: [{podSelector: {matchLabels: {app: kafka}}}]
      ports: [{port: 9092}]
    - to: [{namespaceSelector: {}}]
      ports: [{port: 53, protocol: UDP}]
"""


def cases() -> list[Case]:
    beside = {"orders.yaml": deployment()}
    native = _POLICY.replace("app: orders", "type: flink-native-kubernetes")
    return [
        bad(_POLICY, file="policy.yaml", beside=beside, at="egress", says="connect timed out"),
        bad(native, file="policy.yaml", beside=beside, at="egress"),
        bad(_POLICY[: _POLICY.index("  egress")], file="policy.yaml", beside=beside, at="Egress"),
        good(_POLICY + "    - ports: [{port: 6443}]\n", file="policy.yaml", beside=beside),
        good(_POLICY + "    - to: [{ipBlock: {cidr: 10.0.0.0/8}}]\n", file="policy.yaml", beside=beside),
        good(_POLICY + '    - {{ include "api" . }}\n', file="policy.yaml", beside=beside),
        good(_POLICY.replace("9092", "'{{ .Values.port }}'"), file="policy.yaml", beside=beside),
        good(_POLICY.replace("[Egress]", "[Ingress]"), file="policy.yaml", beside=beside),
        good(_POLICY.replace("app: orders", "app: web"), file="policy.yaml", beside=beside),
        good(_POLICY, file="policy.yaml", beside={"orders.yaml": deployment(spec="mode: standalone")}),
        good(
            _POLICY,
            file="policy.yaml",
            beside={**beside, "more.yaml": "# flink\n" + _POLICY.replace("app: orders}", "}").replace("9092", "443")},
        ),
    ]
