"""A network policy lists ports, but Flink takes a random one.

## What it does
Looks for a `NetworkPolicy` whose rules let Flink's ports in by number, and for the ports between JobManager and
TaskManagers that the configuration of the same chart or folder leaves at their default, a random free port:
`taskmanager.data.port` and `metrics.internal.query-service.port`, and without the native integration, which sets them
to 6122 and 6124, `taskmanager.rpc.port` and `blob.server.port` too.

## Why it matters
A policy that lists ports shuts out all others. With a random data port no records pass between TaskManagers: the job
stays in INITIALIZING or fails with `Connecting to remote task manager '...' has failed. This might indicate that the
remote task manager has been lost`. With a random port of the metric query service the web UI shows no metrics, no back
pressure and no skew of TaskManagers, and the JobManager logs `Association with remote system
[pekko.tcp://flink-metrics@...] has failed`.

## What to do
Set each port to a number, and list the number in the policy: `taskmanager.data.port: 6121`,
`metrics.internal.query-service.port: 6125`.

## Not when
A policy lets the pods of the cluster in on all ports or on a range, its rules are not written out here, or a file of
the project sets the port.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#hosts-and-ports>: the ports
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#metrics-internal-query-service-port>:
  the port of the metric query service
- <https://kubernetes.io/docs/concepts/services-networking/network-policies/>: what a policy shuts out
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._network_policies import (
    BLOB,
    CONSEQUENCES,
    DATA,
    JOBMANAGER,
    POLICIES,
    PORTS,
    QUERY,
    RPC,
    Policy,
    belongs_to,
    keys_behind,
    let_in_all,
    lists,
    policies,
)
from flink_flint.rules.kubernetes._resource import key_span

_SUGGESTED = {RPC: 6122, BLOB: 6124, DATA: 6121, QUERY: 6125}
_LISTED = (BLOB, RPC, DATA)
"""Ports of Flink alone: a policy that lists one of them is about its processes."""


@rule(
    code="FLK284",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=POLICIES,
    scope="project",
    compares=[(POLICIES, [*PORTS, "element:kubernetes-object/FlinkDeployment"])],
    since="0.1",
)
def network_policy_random_port(project: Project) -> Iterator[Finding]:
    """a network policy lists ports, but Flink takes a random one"""
    found = policies(project.views)
    for policy in found:
        if not policy.restricts_ingress or let_in_all(policy, found):
            continue
        for config in _configurations(policy, project.views):
            yield from _random_ports(policy, config, project.views)


def _configurations(policy: Policy, views: Sequence[View]) -> list[View]:
    """Return the configurations of the policy's chart or folder, those with ports if there are any."""
    path = policy.part.document.path
    own = [
        one
        for one in views
        if belongs_to(one.document.path, path) and (_sets_ports(one) or _is_deployment(one)) and one.document.entries
    ]
    return [one for one in own if _sets_ports(one)][:1] or own[:1]


def _sets_ports(config: View) -> bool:
    return any(config.is_set(key) for key in (*_LISTED, JOBMANAGER))


def _is_deployment(config: View) -> bool:
    return any(part.name == "FlinkDeployment" for part in config.elements("kubernetes-object"))


def _random_ports(policy: Policy, config: View, views: Sequence[View]) -> Iterator[Finding]:
    ports = [port for rule in policy.rules() for port in rule.ports or ()]
    if not any(lists(port, key, config) for port in ports for key in _LISTED):
        return
    keys = keys_behind(policy)
    if config.platform == "operator":
        keys = tuple(key for key in keys if key in (DATA, QUERY))
    near = [one for one in views if one is config or _may_set(one, policy)]
    missing = [key for key in keys if not any(one.is_set(key) for one in near)]
    if not missing:
        return
    is_one = len(missing) == 1
    message = (
        f"{' and '.join(missing)} {'is' if is_one else 'are'} not set, so Flink takes"
        f" {'a random port' if is_one else 'random ports'}, but the NetworkPolicy lets in only those it lists:"
        f" {', '.join(CONSEQUENCES[key] for key in missing)}"
    )
    advice = "set " + " and ".join(f"{key}: {_SUGGESTED[key]}" for key in missing) + ", and list it in the policy"
    rule = next(
        one for one in policy.rules() if any(lists(port, key, config) for port in one.ports or () for key in _LISTED)
    )
    shown = next((key for key in (DATA, RPC, BLOB, JOBMANAGER) if config.is_set(key)), None)
    if shown is None:
        span = key_span(policy.view, policy.part, f"{rule.path}.ports")
        yield policy.view.finding(message, span=span, key=missing[0], help=advice)
        return
    place = rule.part.place(next(iter(rule.ports or ())).attribute, "lets in these ports only")
    yield config.get(shown).finding(message, at="entry", help=advice, related=[place])


def _may_set(config: View, policy: Policy) -> bool:
    """Return whether a document may set options of the policy's pods: one of its chart, or values from elsewhere."""
    return config.document.kind == "helm" or belongs_to(config.document.path, policy.part.document.path)


_POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: flink}
spec:
  podSelector:
    matchLabels: {app: orders}
  policyTypes: [Ingress]
  ingress:
    - from:
        - podSelector:
            matchExpressions:
              - {key: component, operator: In, values: [jobmanager, taskmanager]}
      ports:
%s"""
_NUMBERS = "".join(f"        - {{port: {port}, protocol: TCP}}\n" for port in (6121, 6122, 6123, 6124))
_PINNED = "taskmanager.data.port: '6121'"
_CHART = _POLICY.replace("app: orders", "app: '{{ .Release.Name }}'")


def cases() -> list[Case]:
    return [
        bad(
            deployment(_PINNED), file="orders.yaml", beside={"policy.yaml": _POLICY % _NUMBERS},
            at=_PINNED, says="metrics.internal.query-service.port is not set",
        ),
        bad(
            _POLICY % _NUMBERS, file="policy.yaml", beside={"orders.yaml": deployment()},
            at="ports", says="no records pass between TaskManagers",
        ),
        bad(
            "taskmanager.rpc.port: {{ .Values.rpc }}\nblob.server.port: 6124\njobmanager.rpc.port: 6123\n",
            file="templates/_flink-conf.tpl", flink="1.12",
            beside={"templates/policy.yaml": _CHART % "        - port: {{ .Values.rpc }}\n"},
            says="taskmanager.data.port and metrics.internal.query-service.port",
        ),
        good(
            deployment(f"{_PINNED}\nmetrics.internal.query-service.port: '6125'"), file="orders.yaml",
            beside={"policy.yaml": _POLICY % (_NUMBERS + "        - {port: 6125}\n")},
        ),
        good(deployment(_PINNED), file="orders.yaml", beside={"policy.yaml": _POLICY % "        - {port: 8081}\n"}),
        good(
            deployment(_PINNED), file="orders.yaml",
            beside={"policy.yaml": _POLICY % (_NUMBERS + "        - {port: 30000, endPort: 60000}\n")},
        ),
        good(
            deployment(_PINNED), file="orders.yaml",
            beside={"policy.yaml": _POLICY % _NUMBERS + "    - from: [{podSelector: {matchLabels: {app: orders}}}]\n"},
        ),
        good(
            deployment(_PINNED), file="orders.yaml",
            beside={"policy.yaml": _POLICY % _NUMBERS + "    - {{ include \"other.rule\" . }}\n"},
        ),
        good(
            deployment(_PINNED), file="orders.yaml",
            beside={"policy.yaml": (_POLICY % _NUMBERS).replace("[Ingress]", "[Egress]")},
        ),
        good(deployment(_PINNED), file="orders.yaml"),
    ]  # fmt: skip
