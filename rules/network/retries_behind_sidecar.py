"""A service mesh stands between TaskManagers, and the first connection it refuses fails the job.

## What it does
Reports, as advice, a pod template of the operator that asks for Istio's sidecar (`sidecar.istio.io/inject: "true"`, as
a label or an annotation) while `taskmanager.network.retries` is 0, which it is by default. Being opt-in it speaks only
where it is selected.

## Why it matters
Tasks connect to each other as soon as they are deployed. A sidecar that is still starting, or has not yet heard of the
new pod, resets the connection. With 0 retries that is a failure of the task and a restart of the job, in which other
pods are new.

## What to do
Set `taskmanager.network.retries: 3`. Better keep Flink's own ports out of the mesh, or let the sidecar start first
(`holdApplicationUntilProxyStarts`).

## Not when
The template excludes ports (`traffic.sidecar.istio.io/excludeInboundPorts` or `excludeOutboundPorts`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-network-retries>: what is
  tried again
- <https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/>: the label
- <https://istio.io/latest/docs/reference/config/annotations/>: ports left out, and the annotation
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._pods import TEMPLATES
from flink_flint.rules.network._sidecars import INJECT, sidecars

_RETRIES = "taskmanager.network.retries"
_OF_TASKMANAGERS = [template for template in TEMPLATES if not template.startswith("jobManager")]


@rule(
    code="FLK517",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    when=["element:kubernetes-object"],
    flink=">=1.12",
    since="0.1",
    pedantic=True,
)
def retries_behind_sidecar(config: View) -> Iterator[Finding]:
    """the first connection that a service mesh resets fails the job"""
    if config.integer(_RETRIES) != 0:
        return
    for resource, name in sidecars(config, _OF_TASKMANAGERS):
        yield resource.finding(
            "Istio's sidecar stands between the TaskManagers: a connection that it resets while it starts fails the"
            " job, as nothing tries again",
            of=name,
            key=name,
            help=f"set {_RETRIES}: 3, or keep Flink's ports out of the mesh",
        )


def _pods(metadata: str, template: str = "podTemplate", configuration: str = "") -> str:
    return deployment(configuration, spec=f"{template}:\n  metadata:\n    {metadata}\n")


_LABEL = f'labels: {{{INJECT}: "true"}}'
_ANNOTATION = f'annotations: {{{INJECT}: "true"%s}}'


def cases() -> list[Case]:
    return [
        bad(_pods(_LABEL), file="deployment.yaml", at='"true"', severity=Severity.INFO, says="Istio's sidecar"),
        bad(_pods(_ANNOTATION % ""), file="deployment.yaml", at=f"spec.podTemplate.metadata.annotations.{INJECT}"),
        bad(deployment(spec=f"taskManager:\n  podTemplate:\n    metadata:\n      {_LABEL}\n"), file="deployment.yaml"),
        bad(_pods(_LABEL, configuration=f"{_RETRIES}: 0"), file="deployment.yaml"),
        good(_pods(_LABEL, configuration=f"{_RETRIES}: 3"), file="deployment.yaml"),
        good(_pods(_LABEL, configuration=f"{_RETRIES}: ${{RETRIES}}"), file="deployment.yaml"),
        good(
            _pods(_ANNOTATION % ', traffic.sidecar.istio.io/excludeInboundPorts: "6121,6122"'), file="deployment.yaml",
        ),
        good(
            _pods(_ANNOTATION % ', traffic.sidecar.istio.io/excludeOutboundPorts: "6121,6122"'), file="deployment.yaml",
        ),
        good(deployment(spec=f"jobManager:\n  podTemplate:\n    metadata:\n      {_LABEL}\n"), file="deployment.yaml"),
        *cases_in_folders(__file__),
    ]  # fmt: skip
