"""The cluster id is no name Kubernetes takes for the objects made from it.

## What it does
Checks `kubernetes.cluster-id` against what becomes of it: the name of a Deployment, of Services (`<id>-rest`) and of
ConfigMaps. It must be at most 45 characters long, begin with a lower-case letter, end with a letter or digit and
hold nothing but lower-case letters, digits and dashes between.

## Why it matters
Flink checks the length itself and stops with an `IllegalArgumentException`; Kubernetes refuses the other names with
a validation error when the client creates the first object. Either way nothing is deployed, and where the id is put
together from a branch or a user name, it happens only for some of them.

## What to do
Write a shorter id of lower-case letters, digits and dashes.

## Not when
A template fills the id in later.

## Sources
- <https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#rfc-1035-label-names>: names of Services
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#kubernetes-cluster-id>: the option
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

LONGEST = 45
"""Characters; Kubernetes allows 63, and Flink keeps the rest for what it appends."""

_LABEL = r"[a-z](?:[-a-z0-9]*[a-z0-9])?"


@rule(
    code="FLK720",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["kubernetes.cluster-id"],
    flink=">=1.10",
    since="0.1",
)
def cluster_id_invalid(config: View) -> Iterator[Finding]:
    """the cluster id is no name Kubernetes takes"""
    setting = config.get("kubernetes.cluster-id")
    cluster_id = config.string("kubernetes.cluster-id")
    if not setting.is_set or cluster_id is None:
        return
    if len(cluster_id) > LONGEST:
        yield setting.finding(
            f"the cluster id has {len(cluster_id)} characters, Flink takes at most {LONGEST}, so nothing is deployed",
            help=f"shorten it to {LONGEST} characters or fewer",
            evidence={"length": len(cluster_id)},
        )
    elif not re.fullmatch(_LABEL, cluster_id):
        meant = re.sub(r"[^a-z0-9]+", "-", cluster_id.lower()).strip("-")
        fits = re.fullmatch(_LABEL, meant) is not None
        yield setting.finding(
            f"Kubernetes takes no object called {cluster_id!r}: a name is lower-case letters, digits and dashes, and"
            " begins with a letter, so nothing is deployed",
            help=f"write {meant}" if fits else "write lower-case letters, digits and dashes, beginning with a letter",
        )


def cases() -> list[Case]:
    return [
        bad("kubernetes.cluster-id: Orders_Prod\n", at="kubernetes.cluster-id", says="Orders_Prod"),
        bad(f"kubernetes.cluster-id: {'a' * 46}\n", at="kubernetes.cluster-id", says="46 characters", flink="1.18"),
        bad("kubernetes.cluster-id: 1st-cluster\nkubernetes.namespace: a\n", at="1st-cluster"),
        good("kubernetes.cluster-id: orders-prod\nkubernetes.namespace: a\n"),
        good(f"kubernetes.cluster-id: {'a' * 45}\n", flink="1.18"),
        good("kubernetes.cluster-id: ${CLUSTER}\n", flink="1.20"),
    ]
