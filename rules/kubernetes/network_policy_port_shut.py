"""A network policy lists ports of Flink, but not all that its processes use.

## What it does
Looks for a `NetworkPolicy` that lets several of Flink's ports in by number, and for a port between JobManager and
TaskManagers that the configuration of the same chart or folder sets to a number which no rule lists.

## Why it matters
A policy that lists ports shuts out all others: on `taskmanager.data.port` no records pass between TaskManagers, on
`blob.server.port` they load no JARs (`Could not connect to BlobServer`), on `taskmanager.rpc.port` the JobManager
gives them no slots to fill (`Association with remote system [...] has failed`), and without
`metrics.internal.query-service.port` the web UI has no metrics.

## What to do
Add the port to the rule.

## Not when
A policy lets the pods of the cluster in on all ports, on a range or on ports that are templates or names, or its rules
are not written out here.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#hosts-and-ports>: the ports
- <https://kubernetes.io/docs/concepts/services-networking/network-policies/>: what a policy shuts out
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._network_policies import (
    CONSEQUENCES,
    POLICIES,
    Policy,
    Port,
    belongs_to,
    keys_behind,
    let_in_all,
    policies,
)


@rule(
    code="FLK285",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=POLICIES,
    scope="project",
    compares=[(POLICIES, [*CONSEQUENCES])],
    since="0.1",
)
def network_policy_port_shut(project: Project) -> Iterator[Finding]:
    """a network policy lists ports of Flink, but not all that are used"""
    found = policies(project.views)
    for policy in found:
        path = policy.part.document.path
        if not policy.restricts_ingress or let_in_all(policy, found):
            continue
        rules = [rule for one in found if belongs_to(one.part.document.path, path) for rule in one.rules()]
        ports = [port for one in rules for port in one.ports or ()]
        if any(port.number is None for port in ports) or not all(one.is_known for one in rules):
            continue
        for config in project.views:
            if belongs_to(config.document.path, path):
                yield from _shut_out(config, policy, ports)


def _shut_out(config: View, policy: Policy, ports: Sequence[Port]) -> Iterator[Finding]:
    used = {key: number for key in keys_behind(policy) if (number := _number(config, key))}
    listed = [key for key, number in used.items() if any(port.has(number) for port in ports)]
    rule = next(policy.rules(), None)
    if not listed or rule is None or not rule.ports:
        return
    for key, number in used.items():
        if key not in listed:
            yield config.get(key).finding(
                f"{key} is {number}, which no rule of the NetworkPolicy lists beside Flink's other ports:"
                f" {CONSEQUENCES[key]}",
                help=f"add port {number} to the rule of the policy",
                related=[rule.part.place(rule.ports[0].attribute, "lets in the ports listed here only")],
            )


def _number(config: View, key: str) -> int | None:
    setting = config.get(key)
    return whole(setting.text) if setting.is_known else None


_POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: flink}
spec:
  podSelector:
    matchLabels: {app: orders}
  ingress:
    - from: [{podSelector: {matchLabels: {app: orders}}}]
      ports: [{port: 6122}, {port: 6123}, {port: 6124}%s]
"""
_PORTS = "taskmanager.data.port: '6121'\ntaskmanager.rpc.port: '6122'\nblob.server.port: '6124'"


def cases() -> list[Case]:
    return [
        bad(
            deployment(_PORTS), file="orders.yaml", beside={"policy.yaml": _POLICY % ""},
            at="taskmanager.data.port", says="no records pass between TaskManagers",
        ),
        bad(
            deployment(f"{_PORTS}\nmetrics.internal.query-service.port: '6125'"), file="orders.yaml",
            beside={"policy.yaml": _POLICY % ", {port: 6121}"}, at="metrics.internal.query-service.port",
        ),
        good(deployment(_PORTS), file="orders.yaml", beside={"policy.yaml": _POLICY % ", {port: 6121}"}),
        good(deployment(_PORTS), file="orders.yaml", beside={"policy.yaml": _POLICY % ", {port: 6100, endPort: 6200}"}),
        good(deployment(_PORTS), file="orders.yaml", beside={"policy.yaml": _POLICY % ", {port: data}"}),
        good(
            deployment(_PORTS), file="orders.yaml",
            beside={"policy.yaml": _POLICY % "" + "    - from: [{podSelector: {}}]\n"},
        ),
        good(
            deployment(_PORTS), file="orders.yaml",
            beside={"policy.yaml": (_POLICY % "").replace("6122", "8081").replace("6124", "9249")},
        ),
        good(
            deployment(_PORTS), file="orders.yaml",
            beside={"policy.yaml": (_POLICY % "").replace("app: orders}\n", "component: jobmanager}\n")},
        ),
    ]  # fmt: skip
