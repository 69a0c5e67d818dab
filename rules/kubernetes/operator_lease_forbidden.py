"""Leader election of the operator, which may not access its lease.

## What it does
Looks for `kubernetes.operator.leader-election.enabled: true` in the values of an operator's chart older than 1.6 whose
roles are made in the namespaces of `watchNamespaces` alone, or not by the chart at all (`rbac.create: false`), where no
Role of the project grants `leases`.

## Why it matters
The operator keeps a `Lease` in its own namespace. Before 1.6 the chart granted `leases` in each watched namespace and
nowhere else. Each replica then logs `leases.coordination.k8s.io "flink-operator-lease" is forbidden: User
"system:serviceaccount:...:flink-operator" cannot get resource "leases"`, none becomes the leader, and no resource is
reconciled.

## What to do
Upgrade the chart to 1.6 or later, or grant `leases` of `coordination.k8s.io` to the operator's account by a Role in its
own namespace. Without one, run one replica and leave leader election off.

## Not when
The chart is 1.6 or newer or of a release that is not known; the operator watches all namespaces, for which the chart
makes a ClusterRole; a Role or ClusterRole of the project grants leases.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-32041>: the missing role
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/#leader-election-and-high-availability>:
  leader election of the operator
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.spans import Span
from flink_flint.rules.kubernetes._resource import entry_of, flag

ENABLED = "kubernetes.operator.leader-election.enabled"
_FIXED = (1, 6)
_VALUES = ["element:operator-values"]


@rule(
    code="FLK291",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_VALUES,
    scope="project",
    compares=[(_VALUES, [*_VALUES, "element:kubernetes-object/Role", "element:kubernetes-object/ClusterRole"])],
    since="0.1",
)
def operator_lease_forbidden(project: Project) -> Iterator[Finding]:
    """the operator's leader election has no access to its lease"""
    values = [(view, part) for view in project.views for part in view.elements("operator-values")]
    if not values or any(_grants_leases(view) for view in project.views):
        return
    for view in project.views:
        if view.document.platform != "operator" or flag(view, ENABLED) is not True:
            continue
        own = next((part for other, part in values if other.document.path == view.document.path), None)
        release = _release(own) if own is not None else None
        if own is None or release is None or release >= _FIXED:
            continue
        watching = next((part for _, part in values if part.items("watchNamespaces")), None)
        if watching is not None:
            yield view.finding(
                f"the chart {release[0]}.{release[1]} grants leases in watchNamespaces only, and leader"
                " election needs one in the operator's own: no replica becomes the leader (leases is forbidden)",
                span=_span(view),
                key=ENABLED,
                help="upgrade to 1.6, or grant leases to the operator's account by a Role in its own namespace",
                related=[watching.place("watchNamespaces[0]", "roles are made in these namespaces")],
            )
        elif own.flag("rbac.create") is False:
            yield view.finding(
                f"leader election needs a lease in the operator's namespace, but rbac.create is false and no Role here"
                f" grants leases, nor does the chart {release[0]}.{release[1]} with watchNamespaces: no replica leads",
                span=_span(view),
                key=ENABLED,
                help="grant leases to the operator's account by a Role in its own namespace, or upgrade to 1.6",
                related=[own.place("rbac.create", "the chart makes no roles")],
            )


def _span(view: View) -> Span:
    entry = entry_of(view, ENABLED)
    return Span(entry.key_span.start, entry.value_span.end) if entry is not None else view.document.head


def _release(values: ElementView) -> tuple[int, int] | None:
    found = re.match(r"v?(\d{1,3})\.(\d{1,3})(?:\D|$)", str(values.value("image.tag") or ""))
    return (int(found[1]), int(found[2])) if found is not None else None


def _grants_leases(view: View) -> bool:
    return any(
        part.name in ("Role", "ClusterRole")
        and any(
            one.value in ("leases", "*")
            for number in range(len(part.items("rules")))
            for one in part.element.listed(f"rules[{number}].resources")
        )
        for part in view.elements("kubernetes-object")
    )


_CHART = """image: {repository: apache/flink-kubernetes-operator, tag: %s}
watchNamespaces: %s
replicas: 2
rbac: {create: %s}
defaultConfiguration:
  create: true
  flink-conf.yaml: |+
    kubernetes.operator.leader-election.enabled: %s
    kubernetes.operator.leader-election.lease-name: flink-operator-lease
"""
_ROLE = """apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: flink-operator-leases}
rules: [{apiGroups: [coordination.k8s.io], resources: [leases], verbs: ['*']}]
"""


def cases() -> list[Case]:
    watched = _CHART % ("1.4.0", "[orders]", "true", "true")
    return [
        bad(watched, file="values.yaml", at=ENABLED, says="in watchNamespaces only"),
        bad(_CHART % ("1.5.0", "[]", "false", "true"), file="values.yaml", at=ENABLED, says="rbac.create is false"),
        bad(
            _CHART % ("1.4.0", "[]", "true", "true"), file="values.yaml", says="in watchNamespaces only",
            beside={"flink-operator-values.yaml": "# flink-operator\nwatchNamespaces: [orders]\n"},
        ),
        good(watched.replace("1.4.0", "1.6.1"), file="values.yaml"),
        good(watched.replace("1.4.0", "'3c1d8f2'"), file="values.yaml"),
        good(_CHART % ("1.4.0", "[]", "true", "true"), file="values.yaml"),
        good(_CHART % ("1.4.0", "[orders]", "true", "false"), file="values.yaml"),
        good(watched, file="values.yaml", beside={"leases.yaml": _ROLE.replace("rules", "rules", 1) + "# flink\n"}),
    ]  # fmt: skip
