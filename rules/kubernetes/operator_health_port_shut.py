"""A network policy of the operator does not let its probes in.

## What it does
Looks for a `NetworkPolicy` for the pod of the Flink Kubernetes Operator that lists ports without that of
`operatorHealth.port` in the values of the same chart, which the liveness and startup probes ask.

## Why it matters
Where the network plugin applies policies to the kubelet as well (host policies of Calico and Cilium, some clouds), the
probes fail: `Startup probe failed: Get "http://...:8085/": context deadline exceeded`, and the kubelet restarts the
operator again and again. A policy that lists the metrics port only was written before the probe.

## What to do
List the port of `operatorHealth.port` in the policy as well.

## Not when
A rule lists the port, a range or all ports, or the rules are not written out here; the values have no probes.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/health/>: the probes
- <https://kubernetes.io/docs/concepts/services-networking/network-policies/>: what a policy shuts out
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import OPERATOR_NAME
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._network_policies import POLICIES, Policy, belongs_to, let_in_all, policies

_VALUES = ["element:operator-values"]
_PORT = "operatorHealth.port"
_HEALTH = regex(r"(?i)health|probe")


@rule(
    code="FLK289",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=POLICIES,
    scope="project",
    compares=[(POLICIES, _VALUES)],
    since="0.1",
)
def operator_health_port_shut(project: Project) -> Iterator[Finding]:
    """a network policy of the operator does not let its probes in"""
    values = [part for view in project.views for part in view.elements("operator-values") if _has_probes(part)]
    if not values:
        return
    found = policies(project.views)
    for policy in found:
        path = policy.part.document.path
        own = next((one for one in values if belongs_to(one.document.path, path)), None)
        if own is None or not policy.restricts_ingress or not _is_of_operator(policy) or let_in_all(policy, found):
            continue
        near = [one for one in found if belongs_to(one.part.document.path, path)]
        rules = [rule for one in near for rule in one.rules()]
        ports = [port for rule in rules for port in rule.ports or ()]
        number = own.number(_PORT)
        is_listed = any(_HEALTH.search(port.text) is not None or port.number == number for port in ports)
        if is_listed or not ports or not all(rule.is_known for rule in rules):
            continue
        rule = next(rule for rule in rules if rule.ports)
        yield rule.part.finding(
            f"the policy of the operator lets in the ports listed here only, without {own.value(_PORT)} of"
            " operatorHealth.port: where it holds for the kubelet, the probes fail and the pod is restarted",
            of=(rule.ports or ())[0].attribute,
            key=f"{rule.path}.ports",
            help="list {{ .Values.operatorHealth.port }} in the policy as well",
            related=[own.place(_PORT, "the probes ask this port")],
        )


def _has_probes(values: ElementView) -> bool:
    has_probe = values.has("operatorHealth.livenessProbe") or values.has("operatorHealth.startupProbe")
    return has_probe and values.number(_PORT) is not None


def _is_of_operator(policy: Policy) -> bool:
    words = [policy.name, *(attribute.raw for _, attribute in policy.part.under("spec.podSelector"))]
    return any(OPERATOR_NAME.search(word) is not None for word in words)


_POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "flink-operator.name" . }}-metrics
spec:
  podSelector:
    matchLabels:
      {{- include "flink-operator.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    - ports:
        - port: {{ .Values.metrics.port }}
"""
_HEALTH_VALUES = "metrics: {port: 9999}\noperatorHealth:\n  port: 8085\n  livenessProbe: {periodSeconds: 10}\n"


def cases() -> list[Case]:
    beside = {"values.yaml": _HEALTH_VALUES}
    return [
        bad(
            _POLICY.replace("{{ .Values.metrics.port }}", "9999"),
            file="templates/policy.yaml",
            beside=beside,
            at="9999",
        ),
        bad(_POLICY, file="templates/policy.yaml", beside=beside, at="{{ .Values.metrics.port }}", says="8085"),
        good(
            _POLICY + "        - port: {{ .Values.operatorHealth.port }}\n", file="templates/policy.yaml", beside=beside
        ),
        good(_POLICY + "        - port: 8085\n", file="templates/policy.yaml", beside=beside),
        good(_POLICY + "    - from: [{namespaceSelector: {}}]\n", file="templates/policy.yaml", beside=beside),
        good(_POLICY, file="templates/policy.yaml", beside={"values.yaml": "operatorHealth: {port: 8085}\n"}),
        good(_POLICY.replace("[Ingress]", "[Egress]"), file="templates/policy.yaml", beside=beside),
        good(_POLICY.replace("flink-operator", "flink-ui"), file="templates/policy.yaml", beside=beside),
    ]
