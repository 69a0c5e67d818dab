"""A container of the pod template is meant for Flink and has another name.

## What it does
Looks at the containers of `podTemplate`s that have no image of their own while none is called
`flink-main-container`, and at names that are nearly that.

## Why it matters
Flink puts its process into the container of that very name. Any other container is a sidecar beside it. Without an
image Kubernetes refuses the pod; with one it starts, and the mounts, variables and settings meant for Flink are
missing in Flink's container: checkpoints go to a directory nobody mounted, credentials are not found.

## What to do
Call the container `flink-main-container`.

## Not when
- The container is a sidecar with an image and a name of its own.
- A template fills the names in.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/#pod-template>:
  the name of the main container
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/pod-template/>:
  pod templates of the operator
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import MAIN_CONTAINER
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._pods import TEMPLATES, Container, containers
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, resources

MOST = 5
"""Findings on one template."""
_ALIKE = 0.85
"""How much of a name is that of the main container: `flink-main-contaner`, `flink_main_container`."""


@rule(
    code="FLK710",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def pod_template_main_container(config: View) -> Iterator[Finding]:
    """a container of the pod template is no sidecar, and not Flink's either"""
    for resource in resources(config, *CLUSTERS, VALUES):
        for template in TEMPLATES:
            found = containers(resource, template)
            if any(container.is_main or container.name is None for container in found):
                continue
            for container in found[:MOST]:
                alike = _is_alike(container)
                if not alike and container.part.has("image"):
                    continue
                path = f"{container.path}.name"
                effect = (
                    "Kubernetes refuses the pod, as this one has no image"
                    if not container.part.has("image")
                    else "what it mounts and sets is missing in Flink's"
                )
                yield resource.part.finding(
                    f"Flink runs in the container {MAIN_CONTAINER}, and {container.name} becomes a second one:"
                    f" {effect}",
                    of=path,
                    help=f"call it {MAIN_CONTAINER}",
                    fix=resource.part.replace(path, MAIN_CONTAINER, safe=False) if len(found) == 1 or alike else None,
                )


def _is_alike(container: Container) -> bool:
    name = (container.name or "").lower()
    from difflib import SequenceMatcher

    return SequenceMatcher(None, name, MAIN_CONTAINER).ratio() >= _ALIKE


def _template(name: str, image: str = "", where: str = "podTemplate") -> str:
    lines = [f"- name: {name}", *([f"  image: {image}"] if image else [])]
    lines += ["  volumeMounts:", "    - {name: data, mountPath: /data}"]
    pod = "spec:\n  containers:\n" + "\n".join(f"    {line}" for line in lines)
    body = "\n".join(f"  {line}" for line in pod.splitlines())
    if where != "podTemplate":
        return f"{where}:\n  podTemplate:\n" + "\n".join(f"  {line}" for line in body.splitlines())
    return f"podTemplate:\n{body}"


def cases() -> list[Case]:
    return [
        bad(
            deployment(spec=_template("flink")),
            file="deployment.yaml",
            flink="1.8",
            at="flink",
            says="has no image",
            fixed=deployment(spec=_template("flink-main-container")),
        ),
        bad(
            deployment(spec=_template("flink-main-contaner", "flink:1.20")),
            file="deployment.yaml",
            says="is missing in",
        ),
        bad(deployment(spec=_template("taskmanager", where="taskManager")), file="deployment.yaml", at="taskmanager"),
        good(deployment(spec=_template("flink-main-container")), file="deployment.yaml"),
        good(deployment(spec=_template("fluentbit", "fluent/fluent-bit:3.1")), file="deployment.yaml"),
        good(deployment(spec=_template("{{ .Values.container }}")), file="deployment.yaml"),
        bad(
            deployment(
                spec="podTemplate:\n  spec:\n    containers:\n      - {name: fluentbit, image: fluent-bit:3}\n"
                "      - {name: app, volumeMounts: [{name: a, mountPath: /a}]}"
            ),
            file="deployment.yaml",
            at="app",
            fixed=deployment(
                spec="podTemplate:\n  spec:\n    containers:\n      - {name: fluentbit, image: fluent-bit:3}\n"
                "      - {name: app, volumeMounts: [{name: a, mountPath: /a}]}"
            ),
        ),
        bad(
            deployment(
                spec="podTemplate:\n  spec:\n    containers:\n      - {name: fluentbit, image: fluent-bit:3}\n"
                "      - {name: flink-main-contaner}"
            ),
            file="deployment.yaml",
            at="flink-main-contaner",
            fixed=deployment(
                spec="podTemplate:\n  spec:\n    containers:\n      - {name: fluentbit, image: fluent-bit:3}\n"
                "      - {name: flink-main-container}"
            ),
        ),
        bad(
            deployment(
                spec="podTemplate:\n  spec:\n    containers:\n      - name: flink-main-container\n"
                "taskManager:\n  podTemplate:\n    spec:\n      containers:\n        - name: flink"
            ),
            file="deployment.yaml",
            at="flink",
        ),
    ]
