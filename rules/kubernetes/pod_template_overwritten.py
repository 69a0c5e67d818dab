"""Fields of the pod template that Flink overwrites.

## What it does
Reports fields of a pod template that do nothing: CPU and memory of the main container, its `command` and `args`, the
pod's `restartPolicy`, and a service account or an image other than the resource's.

## Why it matters
Flink makes the main container itself and lays its own values over the template: CPU and memory come from
`resource.cpu` and `resource.memory`, the command is that of the process, the account is `spec.serviceAccount`. Who
raises `resources.limits.memory` in the template after an OOM kill gets the old limit again, and nothing is logged.

## What to do
Set `jobManager.resource` and `taskManager.resource`; a limit above the request is
`kubernetes.taskmanager.memory.limit-factor`. Flags of the JVM belong to `env.java.opts.all`.

## Not when
- Sidecars and init containers, which Flink leaves alone.
- `ephemeral-storage` and other resources, variables, mounts, ports: those are merged.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/#fields-overwritten-by-flink>:
  the table of fields
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._pods import TEMPLATES, Container, main_containers
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, Resource, key_span, resources


@rule(
    code="FLK711",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.13",
    since="0.1",
)
def pod_template_overwritten(config: View) -> Iterator[Finding]:
    """Flink overwrites a field of the pod template"""
    for resource in resources(config, *CLUSTERS, VALUES):
        for container in main_containers(resource):
            yield from _amounts(resource, container)
            for field in ("command", "args"):
                if container.part.has(field):
                    path = f"{container.path}.{field}"
                    yield config.finding(
                        f"Flink overwrites {field} of its container with the command of its own process",
                        span=key_span(config, resource.part, path),
                        key=f"{resource.kind}.{path}",
                        help="delete it; flags of the JVM belong to env.java.opts.all",
                    )
        for template in TEMPLATES:
            yield from _pod(resource, template)


def _amounts(resource: Resource, container: Container) -> Iterator[Finding]:
    """CPU and memory of Flink's container: one finding for all of a template."""
    found = [
        f"resources.{which}.{what}"
        for what in ("memory", "cpu")
        for which in ("limits", "requests")
        if container.part.has(f"resources.{which}.{what}")
    ]
    if not found:
        return
    whats = [what for what in ("memory", "cpu") if any(field.endswith(what) for field in found)]
    yield resource.part.finding(
        f"Flink overwrites {' and '.join(found)} of its container with what resource.{' and resource.'.join(whats)} of"
        " the resource say",
        of=f"{container.path}.{found[0]}",
        at="entry",
        help="set spec.jobManager.resource and spec.taskManager.resource; a limit above the request is"
        f" kubernetes.taskmanager.{whats[0]}.limit-factor",
    )


def _pod(resource: Resource, template: str) -> Iterator[Finding]:
    policy = resource.path(f"{template}.spec.restartPolicy")
    if resource.part.has(policy):
        yield resource.part.finding(
            "Flink overwrites restartPolicy: Always for the JobManager, Never for TaskManagers",
            of=policy,
            at="entry",
            help="delete it",
            severity=Severity.INFO,
        )
    own = resource.text("serviceAccount")
    for field in ("serviceAccountName", "serviceAccount"):
        path = resource.path(f"{template}.spec.{field}")
        named = resource.part.text(path)
        if own is not None and named is not None and named != own:
            yield resource.part.finding(
                f"spec.serviceAccount {own} overwrites {field} {named}, so the pods do not have its rights",
                of=path,
                help=f"write {named} into spec.serviceAccount, if that is meant, and delete the line",
                related=[resource.part.place(resource.path("serviceAccount"))],
            )


def _template(container: str = "", pod: str = "", name: str = "flink-main-container") -> str:
    lines = ["podTemplate:", "  spec:", *(f"    {line}" for line in pod.splitlines())]
    if container:
        lines += ["    containers:", f"      - name: {name}", *(f"        {line}" for line in container.splitlines())]
    return "\n".join(lines)


_LIMITS = "resources:\n  limits:\n    memory: 8Gi\n    cpu: 2"


def cases() -> list[Case]:
    return [
        bad(
            deployment(spec=_template(_LIMITS)),
            file="deployment.yaml",
            at="memory: 8Gi",
            says="resources.limits.memory and resources.limits.cpu",
        ),
        bad(deployment(spec=_template("args: [-Xmx4g]")), file="deployment.yaml", at="args"),
        bad(deployment(spec=_template("command:\n  - /run.sh")), file="deployment.yaml", at="command"),
        bad(
            deployment(spec=_template(pod="restartPolicy: OnFailure")),
            file="deployment.yaml",
            severity=Severity.INFO,
        ),
        bad(deployment(spec=_template(pod="serviceAccountName: reader")), file="deployment.yaml", at="reader"),
        good(deployment(spec=_template(_LIMITS, name="fluentbit")), file="deployment.yaml"),
        good(
            deployment(
                spec=_template("resources:\n  limits:\n    ephemeral-storage: 20Gi\nenv:\n  - {name: A, value: b}")
            ),
            file="deployment.yaml",
        ),
        good(deployment(spec=_template(pod="serviceAccountName: flink")), file="deployment.yaml"),
    ]
