"""Two pod templates are merged by place, and their lists do not match.

## What it does
Compares the lists of `podTemplate` with those of `jobManager.podTemplate` and `taskManager.podTemplate`: containers,
init containers and volumes, and variables and mounts of Flink's container. It speaks where the members at one place
have different names.

## Why it matters
The operator merges the common template with that of the process, and lists by place: the first container with the
first, whatever their names. The name is then that of the process's template, the image, the variables and mounts a
mixture of both. A sidecar gets Flink's mounts, and Flink's container is gone. Of two variables at one place one is
lost.

## What to do
Set `kubernetes.operator.pod-template.merge-arrays-by-name: true` (from operator 1.5 on), or give the lists the same
order.

## Not when
The members at one place have the same names.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/pod-template/>:
  how arrays are merged
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/>: the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._pods import COMMON, TEMPLATES
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, Resource, flag, resources

BY_NAME = "kubernetes.operator.pod-template.merge-arrays-by-name"
LISTS = ("containers", "initContainers", "volumes")
INNER = ("env", "volumeMounts")
MOST = 20
"""Containers of one pod that are looked into."""


@rule(
    code="FLK732",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def pod_templates_merge_by_place(config: View) -> Iterator[Finding]:
    """lists of two pod templates are merged by place, and do not match"""
    if flag(config, BY_NAME):
        return
    for resource in resources(config, *CLUSTERS, VALUES):
        for template in TEMPLATES:
            clash = _clash(resource, template) if template != COMMON else None
            if clash is None:
                continue
            path, own, common = clash
            yield resource.part.finding(
                f"the operator merges {path.rpartition('.')[2].partition('[')[0]} by place: {own.text('name')} here is"
                f" laid over {common.text('name')} of the common podTemplate, and one loses what it needs",
                of=f"{path}.name",
                key=f"{resource.kind}.{template}",
                help=f"set {BY_NAME}: true, or give both lists the same order",
                fix=config.document.add(BY_NAME, "true", f"set {BY_NAME}"),
            )


def _clash(resource: Resource, template: str) -> tuple[str, ElementView, ElementView] | None:
    """The first members of two lists that stand at one place and have different names."""
    for name in LISTS:
        own, common = f"{template}.spec.{name}", f"{COMMON}.spec.{name}"
        found = _first(resource, own, common)
        if found is not None or name != "containers":
            if found is not None:
                return found
            continue
        for place in range(min(len(resource.part.items(resource.path(own))), MOST)):
            for inner in INNER:
                found = _first(resource, f"{own}[{place}].{inner}", f"{common}[{place}].{inner}")
                if found is not None and not _same_mount(found):
                    return found
    return None


def _first(resource: Resource, own: str, common: str) -> tuple[str, ElementView, ElementView] | None:
    path = resource.path(own)
    pairs = zip(resource.part.items(path), resource.part.items(resource.path(common)), strict=False)
    for mine, theirs in pairs:
        one, other = mine.text("name"), theirs.text("name")
        if one is not None and other is not None and one != other:
            return f"{path}[{mine.name}]", mine, theirs
    return None


def _same_mount(found: tuple[str, ElementView, ElementView]) -> bool:
    """Whether one mount of the two replaces the other on purpose: at the same path."""
    _, mine, theirs = found
    return mine.has("mountPath") and mine.text("mountPath") == theirs.text("mountPath")


def _pods(common: str, own: str) -> str:
    def pod(lines: str, margin: str) -> str:
        return "\n".join(f"{margin}{line}" for line in lines.splitlines())

    head = f"podTemplate:\n  spec:\n{pod(common, '    ')}"
    return f"{head}\ntaskManager:\n  podTemplate:\n    spec:\n{pod(own, '      ')}" if own else head


_MAIN = "containers:\n  - name: flink-main-container\n    env:\n      - {name: A, value: a}"
_SIDECAR = "containers:\n  - name: fluentbit\n    image: fluent-bit:3"
_SLOTS = 'taskmanager.numberOfTaskSlots: "2"'
_MOUNTS = "containers:\n  - name: flink-main-container\n    volumeMounts:\n      - {name: %s, mountPath: %s}"


def cases() -> list[Case]:
    return [
        bad(
            deployment(_SLOTS, spec=_pods(_MAIN, _SIDECAR)), file="deployment.yaml", flink="1.8", at="fluentbit",
            says="fluentbit here is laid over flink-main-container",
            fixed=deployment(f'{_SLOTS}\n{BY_NAME}: "true"', spec=_pods(_MAIN, _SIDECAR)),
        ),
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  serviceAccount: flink\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n"
            "  podTemplate:\n"
            "    spec:\n"
            "      containers:\n"
            "        - name: flink-main-container\n"
            "          env:\n"
            "            - {name: A, value: a}\n"
            "  taskManager:\n"
            "    podTemplate:\n"
            "      spec:\n"
            "        containers:\n"
            "          - name: flink-main-container\n"
            "            env:\n"
            "              - {name: B, value: a}\n",
            file="deployment.yaml",
            at="B",
            says="merges env by place",
        ),
        bad(
            deployment(spec=_pods("volumes:\n  - {name: a, emptyDir: {}}", "volumes:\n  - {name: b, emptyDir: {}}")),
            file="deployment.yaml", says="volumes",
        ),
        good(deployment(f'{BY_NAME}: "true"', spec=_pods(_MAIN, _SIDECAR)), file="deployment.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  serviceAccount: flink\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n"
            "  podTemplate:\n"
            "    spec:\n"
            "      containers:\n"
            "        - name: flink-main-container\n"
            "          env:\n"
            "            - {name: A, value: a}\n"
            "  taskManager:\n"
            "    podTemplate:\n"
            "      spec:\n"
            "        containers:\n"
            "          - name: flink-main-container\n"
            "            env:\n"
            "              - {name: A, value: b}\n",
            file="deployment.yaml",
        ),
        good(deployment(spec=_pods(_MAIN, "initContainers:\n  - name: wait\n    image: a")), file="deployment.yaml"),
        good(deployment(spec=_pods(_MAIN, "")), file="deployment.yaml"),
        bad(
            deployment(
                spec=_pods(
                    "initContainers:\n  - {name: fetch, image: a}",
                    f"{_MAIN}\ninitContainers:\n  - {{name: wait, image: a}}",
                )
            ),
            file="deployment.yaml", says="merges initContainers by place: wait here is laid over fetch",
        ),
        bad(
            deployment(spec=_pods(_MOUNTS % ("a", "/a"), _MOUNTS % ("b", "/b"))), file="deployment.yaml",
            says="merges volumeMounts by place",
        ),
        good(deployment(spec=_pods(_MOUNTS % ("a", "/data"), _MOUNTS % ("b", "/data"))), file="deployment.yaml"),
        *cases_in_folders(__file__),
    ]  # fmt: skip
