"""A network policy lets the JobManager reach TaskManagers, but not TaskManagers one another.

## What it does
Looks for a `NetworkPolicy` that selects the TaskManagers and whose rules for Flink's ports let in pods with other
labels only, those of the JobManager.

## Why it matters
TaskManagers exchange the records of a shuffle among themselves, on `taskmanager.data.port`. If only the JobManager may
connect to them, a job with one TaskManager runs, and with a second one it fails after minutes: `Connecting to remote
task manager '...' has failed. This might indicate that the remote task manager has been lost`.

## What to do
Let in the pods of the TaskManagers as well: a second `podSelector` with their labels under `from`.

## Not when
Some rule, of this or another policy here, may let the TaskManagers in on all ports or on these; a part of the rules is
not written out here.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#hosts-and-ports>: the data port
- <https://kubernetes.io/docs/concepts/services-networking/network-policies/>: what a policy shuts out
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._network_policies import (
    POLICIES,
    Ingress,
    Policy,
    belongs_to,
    excludes,
    labels,
    let_in_all,
    policies,
)
from flink_flint.rules.kubernetes._resource import key_span

_NAMED = regex(r"(?i)data[-_]?port|(?:task-?_?manager|tm)\W?(?:rpc|data)|\btm-?(?:rpc|data)\b|rpc[-_]?port")
_NUMBERS = (6121, 6122)
"""The ports that Flink's documentation gives to the TaskManager."""


@rule(
    code="FLK286",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=POLICIES,
    scope="project",
    compares=[(POLICIES, POLICIES)],
    since="0.1",
)
def network_policy_without_peers(project: Project) -> Iterator[Finding]:
    """a network policy keeps TaskManagers from connecting to one another"""
    found = policies(project.views)
    for policy in found:
        if policy.role != "taskmanager" or not policy.restricts_ingress or let_in_all(policy, found):
            continue
        own = labels(policy.part, "spec.podSelector")
        others = [one for one in found if one is policy or _may_concern(one, policy)]
        if any(_lets_peers_in(rule, own) for one in others for rule in one.rules()):
            continue
        rule = next((one for one in policy.rules() if _is_for_flink(one)), None)
        if rule is None:
            continue
        span = key_span(policy.view, policy.part, f"{rule.path}.from[0].podSelector")
        yield policy.view.finding(
            "the policy of the TaskManagers lets in pods with other labels only, so that TaskManagers cannot connect"
            " to one another: a shuffle between two of them fails",
            span=span,
            key=f"{rule.path}.from",
            help="add a podSelector with the labels of the TaskManagers to `from`, for the data port",
            related=[policy.part.place(_first(policy), "the pods that the policy selects")],
        )


def _first(policy: Policy) -> str:
    return next((f"spec.podSelector.{name}" for name, _ in policy.part.under("spec.podSelector")), "kind")


def _may_concern(one: Policy, policy: Policy) -> bool:
    path = policy.part.document.path
    own = labels(policy.part, "spec.podSelector")
    return belongs_to(one.part.document.path, path) and not excludes(one.part, "spec", own)


def _is_for_flink(rule: Ingress) -> bool:
    """Return whether a rule is for the JobManager's connections: it has ports of TaskManagers, and a selector."""
    has_selector = any(one.has("podSelector") for one in rule.part.items("from"))
    return has_selector and any(
        _NAMED.search(port.text) is not None or port.number in _NUMBERS for port in rule.ports or ()
    )


def _lets_peers_in(rule: Ingress, own: dict[str, str]) -> bool:
    """Return whether a rule may let pods with the labels of the selected ones in on the ports of TaskManagers."""
    if rule.anyone:
        return any(_NAMED.search(port.text) is not None or port.number in _NUMBERS for port in rule.ports or ())
    peers = range(len(rule.part.items("from")))
    return not peers or any(not excludes(rule.part, f"from[{peer}]", own) for peer in peers)


_POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: flink-taskmanager}
spec:
  podSelector:
    matchLabels:
      app: %s
  policyTypes: [Ingress]
  ingress:
    - from:
        - podSelector:
            matchLabels:
              app: %s
      ports:
        - {port: 6122, protocol: TCP}
        - {port: 6121, protocol: TCP}
    - ports:
        - {port: 9249, protocol: TCP}
"""
_PLAIN = _POLICY % ("orders-taskmanager", "orders-jobmanager")


def cases() -> list[Case]:
    return [
        bad(_PLAIN, file="policy.yaml", at="podSelector", says="shuffle", severity=Severity.WARNING),
        bad(
            _POLICY % ('{{ template "name" . }}-taskmanager', '{{ template "name" . }}'),
            file="policy.yaml",
            at="podSelector",
        ),
        bad(
            _PLAIN.replace(
                "matchLabels:\n              app: orders-jobmanager",
                "matchExpressions:\n"
                "              - {key: app, operator: In, values: [orders-jobmanager, orders-client]}",
            ),
            file="policy.yaml",
        ),
        good(
            _PLAIN.replace(
                "      ports:\n        - {port: 6122",
                "        - podSelector: {matchLabels: {app: orders-taskmanager}}\n      ports:\n        - {port: 6122",
            ),
            file="policy.yaml",
        ),
        good(_POLICY % ("{{ .Values.a }}-taskmanager", "{{ .Values.b }}"), file="policy.yaml"),
        good(_PLAIN + "    - from: [{podSelector: {}}]\n", file="policy.yaml"),
        good(_PLAIN, file="policy.yaml", beside={"more.yaml": _POLICY % ("orders-taskmanager", "orders-taskmanager")}),
        good(_PLAIN.replace("6122", "8081").replace("6121", "9250"), file="policy.yaml"),
        good(_POLICY % ("orders-jobmanager", "orders-taskmanager"), file="policy.yaml"),
        good(_PLAIN.replace("[Ingress]", "[Egress]"), file="policy.yaml"),
        good(
            _PLAIN.replace("    - ports:\n        - {port: 9249", "    - ports:\n        - {port: 6121"),
            file="policy.yaml",
        ),
    ]
