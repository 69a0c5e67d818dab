"""The operator's memory limit is less than it needs.

## What it does
Reports `limits.memory` of an operator's container below 256Mi if the operator runs on the JVM, as Apache's does (in
the values of its chart: `operatorPod.resources`), and below 100Mi if it is one of the operators written in Go. An
operator on the JVM whose `watchNamespaces` has three namespaces or more needs more than 512Mi.

## Why it matters
The kernel kills the operator when it passes its limit: the pod shows `OOMKilled` with exit code 137 and restarts, and
nothing comes of resources that the API server accepts: `FlinkDeployment` or `FlinkCluster` stay without a status. The
JVM needs memory for its classes, compiled code and threads beside its heap, which by default is a quarter of the
limit and holds what the operator knows of all deployments. The 30Mi that the scaffolding of Go operators wrote for
years does not hold the caches of a controller that watches several kinds in all namespaces.

## What to do
Set `operatorPod.resources.limits.memory` to 1Gi, or 2Gi where the operator watches many deployments; for an operator
in Go, 256Mi.

## Not when
The limit is that or more, or a template gives it.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/helm/>: values of the chart
- <https://github.com/GoogleCloudPlatform/flink-on-k8s-operator/issues/464>: 30Mi
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import OPERATOR_NAME, quantity
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_LIMIT = "resources.limits.memory"
_MEBI = 1024 * 1024
_ENOUGH_ON_JVM, _ENOUGH_IN_GO = 256 * _MEBI, 100 * _MEBI
_FEW_NAMESPACES, _ENOUGH_FOR_FEW = 2, 512 * _MEBI
_ON_JVM = regex(r"(?i)flink-kubernetes-operator|docker-entrypoint|confluent")


@rule(
    code="FLK292",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:operator-values", "element:kubernetes-object/Deployment"],
    since="0.1",
)
def operator_memory_limit(config: View) -> Iterator[Finding]:
    """the operator's memory limit is less than it needs"""
    for part in config.elements("operator-values"):
        found = list(_small(part, f"operatorPod.{_LIMIT}", is_on_jvm=True))
        yield from found or _small_for_namespaces(part, f"operatorPod.{_LIMIT}")
    for part in config.elements("kubernetes-object"):
        if part.name != "Deployment":
            continue
        for number, container in enumerate(part.items("spec.template.spec.containers")):
            words = [one.raw for name, one in container.element.attributes.items() if _names(name)]
            if any(OPERATOR_NAME.search(word) is not None for word in words):
                is_on_jvm = any(_ON_JVM.search(word) is not None for word in words)
                yield from _small(part, f"spec.template.spec.containers[{number}].{_LIMIT}", is_on_jvm=is_on_jvm)


def _names(attribute: str) -> bool:
    return attribute in ("name", "image") or attribute.startswith(("command", "args"))


def _small(part: ElementView, path: str, *, is_on_jvm: bool) -> Iterator[Finding]:
    text = part.value(path)
    amount = quantity(str(text)) if text is not None else None
    if amount is None or amount >= (_ENOUGH_ON_JVM if is_on_jvm else _ENOUGH_IN_GO):
        return
    what = "the JVM of the operator" if is_on_jvm else "the operator"
    yield part.finding(
        f"{text} is less memory than {what} needs: the kernel kills it (OOMKilled), and resources of Flink are"
        " accepted but nothing comes of them",
        of=path,
        help=f"set the limit to {'1Gi' if is_on_jvm else '256Mi'} or more",
    )


def _small_for_namespaces(part: ElementView, path: str) -> Iterator[Finding]:
    """Yield a finding on an operator of several namespaces whose heap is as the JVM makes it of a small limit."""
    text = part.value(path)
    amount = quantity(str(text)) if text is not None else None
    number = len(part.items("watchNamespaces"))
    if amount is None or amount > _ENOUGH_FOR_FEW or number <= _FEW_NAMESPACES or part.has("jvmArgs.operator"):
        return
    yield part.finding(
        f"{text} leave a heap of a quarter of it for the deployments in {number} namespaces, all of which the operator"
        " caches: the kernel kills it (OOMKilled) as they become more",
        of=path,
        help="set the limit to 1Gi, or 2Gi for many deployments",
        related=[part.place("watchNamespaces[0]", f"{number} namespaces")],
    )


_VALUES = "operatorPod:\n  resources:\n    limits:\n      memory: %s\n"
_DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-operator-controller-manager}
spec:
  template:
    spec:
      containers:
        - name: kube-rbac-proxy
          image: gcr.io/kubebuilder/kube-rbac-proxy:v0.4.0
        - name: %s
          command: [%s]
          image: %s
          resources:
            limits: {memory: %s}
"""


def cases() -> list[Case]:
    named = "image: {repository: apache/flink-kubernetes-operator}\n"
    go = ("flink-operator", "/flink-operator", "'{{ .Values.image }}'")
    return [
        bad(named + _VALUES % "200Mi", file="values.yaml", at="200Mi", says="OOMKilled"),
        bad(_DEPLOYMENT % (*go, "30Mi"), file="operator.yaml", at="30Mi", says="the operator needs"),
        bad(
            _DEPLOYMENT
            % ("operator", "/docker-entrypoint.sh, operator", "apache/flink-kubernetes-operator:1.10.0", "128Mi"),
            file="operator.yaml",
            at="128Mi",
            says="JVM",
        ),
        good(named + _VALUES % "1Gi", file="values.yaml"),
        good(named + _VALUES % "256Mi", file="values.yaml"),
        good(named + _VALUES % "'{{ .Values.memory }}'", file="values.yaml"),
        good(_DEPLOYMENT % (*go, "128Mi"), file="operator.yaml"),
        good(_DEPLOYMENT % ("web", "/web", "flink-web:1", "30Mi"), file="web.yaml"),
        good(named + "operatorPod: {}\n", file="values.yaml"),
        bad(named + "watchNamespaces: [a, b, c]\n" + _VALUES % "512Mi", file="values.yaml", says="in 3 namespaces"),
        good(named + "watchNamespaces: [a, b]\n" + _VALUES % "512Mi", file="values.yaml"),
        good(named + "watchNamespaces: [a, b, c]\n" + _VALUES % "513Mi", file="values.yaml"),
        good(
            named + "watchNamespaces: [a, b, c]\njvmArgs: {operator: -Xmx400m}\n" + _VALUES % "512Mi",
            file="values.yaml",
        ),
    ]
