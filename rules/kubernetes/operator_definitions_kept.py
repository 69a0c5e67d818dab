"""An upgrade of the operator by Helm leaves the custom resource definitions of the older one.

## What it does
Looks in scripts, Makefiles and CI steps for `helm upgrade` of the chart `flink-kubernetes-operator` in a release that
is written there, and reports it where nothing in the file replaces the definitions.

## Why it matters
Helm installs what is in a chart's folder `crds/` once, and never changes it afterwards. The new operator then works
with the old definitions: the API server drops the fields that came since, refuses a newer `flinkVersion` (`Unsupported
value: "v2_1"`), and has no `FlinkStateSnapshot` or `FlinkBlueGreenDeployment` at all. Nothing in the output of Helm
says so.

## What to do
Replace the definitions before the upgrade, as the documentation of the operator has it: `kubectl replace -f
helm/flink-kubernetes-operator/crds/`, or `kubectl apply --server-side -f` with those of the release.

## Not when
The file mentions definitions (`crds`) anywhere; it makes a cluster of its own, for tests (kind, minikube, k3d); the
chart's release is not written there; `helm install`, which fails where there is an older one.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/operations/upgrade/#1-upgrading-the-crd>
- <https://helm.sh/docs/chart_best_practices/custom_resource_definitions/>: what Helm does with them
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_DEFINITIONS = regex(r"(?i)\bcrds?\b|customresourcedefinition|flinkdeployments\.flink")
_OWN_CLUSTER = regex(r"(?i)\b(?:kind|k3d|minikube|microk8s|ctlptl)\b|helm/kind-action")


@rule(
    code="FLK798",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:operator-install"],
    since="0.1",
)
def operator_definitions_kept(config: View) -> Iterator[Finding]:
    """an upgrade of the operator by Helm leaves the definitions of the older one"""
    text = config.document.text
    if _DEFINITIONS.search(text) is not None or _OWN_CLUSTER.search(text) is not None:
        return
    for part in config.elements("operator-install"):
        if part.has("upgrades") and part.text("release") is not None:
            yield part.finding(
                f"helm upgrade to {part.text('release')} leaves the custom resource definitions of the older operator:"
                " the API server drops fields and refuses versions of Flink that came since",
                key="crds",
                help="run kubectl replace -f crds (those of this release's chart) before, which Helm never upgrades",
            )


_ADD = (
    "helm repo add flink-operator https://downloads.apache.org/flink/flink-kubernetes-operator-1.13.0/\n"
    "{}helm {} flink-kubernetes-operator flink-operator/flink-kubernetes-operator --namespace flink\n"
)


def cases() -> list[Case]:
    return [
        bad(_ADD.format("", "upgrade --install"), file="upgrade.sh", says="leaves the custom resource definitions"),
        bad(_ADD.format("helm repo update\n", "upgrade"), file="upgrade.sh", at="flink-operator/"),
        good(_ADD.format("kubectl replace -f crds/\n", "upgrade"), file="upgrade.sh"),
        good(_ADD.format("kind create cluster\n", "upgrade --install"), file="local.sh"),
        good(_ADD.format("", "install"), file="install.sh"),
        good(_ADD.format("", "upgrade").replace("-1.13.0/", "-${VERSION}/"), file="upgrade.sh"),
    ]
