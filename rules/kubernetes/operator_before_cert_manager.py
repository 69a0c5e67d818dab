"""A script installs the operator while cert-manager still starts.

`Error: INSTALLATION FAILED: Internal error occurred: failed calling webhook "webhook.cert-manager.io": ... connection
refused` ends the script on a new cluster, and a second run works.

## What it does
Reports scripts that apply the manifests of cert-manager with kubectl and then run `helm install` of the Flink
Kubernetes Operator, with nothing between them that waits.

## Why it matters
The operator's chart has an issuer and a certificate for its webhook. The API server gives both to cert-manager's own
webhook, which needs a minute until its pod runs and its certificate is in place. `kubectl apply` does not wait for
that. Helm fails, and leaves a release in the state `failed`, which a second `helm install` refuses with `cannot
re-use a name that is still in use`. On the machine of whoever wrote the script cert-manager runs already, so that it
shows in pipelines and on new clusters alone.

## What to do
Wait before: `kubectl wait --for=condition=Available deployment --all -n cert-manager --timeout=180s`; or install the
operator without its webhook, `--set webhook.create=false`.

## Not when
Something waits (`kubectl wait`, `rollout status`, `cmctl check api`, `sleep`, a loop), Helm installs cert-manager,
whose chart waits for its API itself, or the operator comes without its webhook.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/try-flink-kubernetes-operator/quick-start/>:
  cert-manager comes first
- <https://cert-manager.io/docs/troubleshooting/webhook/>: the errors of a webhook that does not run yet
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_APPLIES = regex(r"\bkubectl[ \t]+(?:apply|create)\b[^\r\n]{0,200}?cert-manager[^\r\n\s]{0,200}\.ya?ml")
_WAITS = regex(
    r"\b(?:wait|rollout[ \t]+status|cmctl|sleep|until|while|retry|read)\b|(?m:^[\w.-]+[ \t]*:(?!=))|--for[ =]"
)
"""What waits between two commands, and the start of another target of a Makefile."""
_NO_WEBHOOK = regex(r"webhook\.create[\"']?[=:][ \t]*[\"']?false")


@rule(
    code="FLK744",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:operator-install"],
    since="0.1",
)
def operator_before_cert_manager(config: View) -> Iterator[Finding]:
    """a script installs the operator while cert-manager still starts"""
    text = config.document.text
    if _NO_WEBHOOK.search(text) is not None:
        return
    for part in config.elements("operator-install"):
        start = part.element.span.start
        applied = next(reversed([*_APPLIES.finditer(text, 0, start)]), None)
        if applied is None or _WAITS.search(text, applied.end(), start) is not None:
            continue
        yield part.finding(
            "helm installs the operator while cert-manager still starts, which the line before only applies: on a new"
            " cluster it fails with 'failed calling webhook \"webhook.cert-manager.io\"'",
            key="cert-manager",
            help="before it: kubectl wait --for=condition=Available deployment --all -n cert-manager --timeout=180s",
            related=[Place(config.document.path, Span(*applied.span()), "nothing waits for it")],
        )


_MANIFEST = "https://github.com/jetstack/cert-manager/releases/download/v1.8.2/cert-manager.yaml"
_SCRIPT = (
    f"kubectl {{}} -f {_MANIFEST}\n"
    "{}helm repo add flink-operator https://downloads.apache.org/flink/flink-kubernetes-operator-1.13.0/\n"
    "helm install flink-kubernetes-operator flink-operator/flink-kubernetes-operator{}\n"
)


def cases() -> list[Case]:
    return [
        bad(_SCRIPT.format("create", "", ""), file="install.sh", says="while cert-manager still starts"),
        bad(_SCRIPT.format("apply", "kubectl create namespace flink\n", " --wait"), file="install.sh"),
        good(_SCRIPT.format("apply", "kubectl wait --for=condition=Available deploy --all\n", ""), file="install.sh"),
        good(_SCRIPT.format("apply", "sleep 60\n", ""), file="install.sh"),
        good(_SCRIPT.format("apply", "", " --set webhook.create=false"), file="install.sh"),
        good(_SCRIPT.format("apply", "until kubectl get crd; do true; done\n", ""), file="install.sh"),
        good(_SCRIPT.format("delete", "", ""), file="uninstall.sh"),
        good(
            "helm install cert-manager jetstack/cert-manager\n" + _SCRIPT.format("get", "", ""), file="install.sh"
        ),
    ]  # fmt: skip
