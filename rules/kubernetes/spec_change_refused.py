"""A change of the resource that the operator refuses.

## What it does
Compares a FlinkDeployment or FlinkSessionJob with what it was at the revision that the check compares with, and
reports the changes that the operator turns down: a job given to a session cluster or taken from an application
cluster, another `spec.mode` (native or standalone), another `deploymentName` of a session job, another `flinkVersion`
of a job that was suspended in upgrade mode `last-state`, and, by operators before 1.10, upgrade mode `last-state` of a
job that had no high availability and has no directory for savepoints.

## Why it matters
Only the resource's status says that it was refused ("Cannot switch from session to job cluster", "The deploymentName
can't be changed"); the cluster goes on with the old spec, and so with every later change of the file, until somebody
looks.

## What to do
Give the new kind of cluster a resource with another name, and delete the old one, with a savepoint if its state is
wanted. Or take the change back.

## Not when
The check compares with no revision (`--diff-base`), or the resource is new. The operator compares with the spec that it
reconciled last: a resource that was never deployed takes every change.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  what `validateSpecChange` refuses
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import Resource, key_span, resources
from flink_flint.rules.kubernetes._validation import refused

_OF_JOBS = {
    "version after suspend": "resume the job with the old flinkVersion, and change the version then; or set upgradeMode"
    " to stateless and give up the state",
    "last-state later": "set state.savepoints.dir, so that the operator can take a savepoint for the change",
}
"""The kinds of refused changes of a job, with what to do about each."""


@rule(
    code="FLK727",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object/FlinkDeployment", "element:kubernetes-object/FlinkSessionJob"],
    flink=">=1.13",
    scope="change",
    since="0.1",
)
def spec_change_refused(before: View, after: View) -> Iterator[Finding]:
    """the operator refuses this change of a resource"""
    for old, new in zip(resources(before), resources(after), strict=False):
        if old.kind != new.kind:
            continue
        if new.kind == "FlinkSessionJob":
            yield from _deployment_name(after, old, new)
        elif new.kind == "FlinkDeployment" and old.is_whole and new.is_whole:
            yield from _kind_of_cluster(after, old, new)
            yield from _mode(after, old, new)
    for one in refused(after, before):
        if one.refusal.kind in _OF_JOBS:
            yield one.resource.part.finding(
                f"the operator refuses the change: {one.refusal.message.partition('. ')[0]}",
                of=one.resource.path(one.refusal.path),
                help=_OF_JOBS[one.refusal.kind],
                severity=None if one.is_certain else Severity.WARNING,
            )


def _deployment_name(config: View, old: Resource, new: Resource) -> Iterator[Finding]:
    was, now = old.text("deploymentName"), new.text("deploymentName")
    if was is not None and now is not None and was != now:
        yield config.finding(
            f"deploymentName was {was} and becomes {now}: the operator does not move a session job to another cluster"
            " and refuses the change",
            span=new.part.span(new.path("deploymentName")),
            key=f"{new.kind}.{new.path('deploymentName')}",
            help="give the job on the other cluster a resource with a name of its own, and delete this one",
        )


def _kind_of_cluster(config: View, old: Resource, new: Resource) -> Iterator[Finding]:
    if old.is_application is new.is_application:
        return
    was, now = ("session", "an application") if new.is_application else ("application", "a session")
    yield config.finding(
        f"this was {'an' if was == 'application' else 'a'} {was} cluster and becomes {now} cluster: the operator"
        " refuses the change, and every later one of this resource",
        span=key_span(config, new.part, new.path("job")) if new.is_application else new.part.span("metadata.name"),
        key=f"{new.kind}.{new.path('job')}",
        help="give the new cluster a resource with another name, and delete this one",
    )


def _mode(config: View, old: Resource, new: Resource) -> Iterator[Finding]:
    was, now = _mode_of(old), _mode_of(new)
    if was is None or now is None or was == now:
        return
    path = new.path("mode")
    yield config.finding(
        f"the mode was {was} and becomes {now}: the operator refuses the change, and every later one of this resource",
        span=new.part.span(path) if new.has("mode") else new.part.span("metadata.name"),
        key=f"{new.kind}.{path}",
        help=f"leave spec.mode at {was}, or give the new cluster a resource with another name",
    )


def _mode_of(resource: Resource) -> str | None:
    """How the operator deploys it, native where nothing says so; None where nobody knows."""
    return resource.text("mode") if resource.has("mode") else "native"


_JAR = "jarURI: https://example.com/a.jar"
_OTHER = session_job(_JAR, name="deploymentName: other")


def cases() -> list[Case]:
    return [
        bad(deployment(), before=deployment(job="-"), file="deployment.yaml", at="job", says="becomes an application"),
        bad(deployment(job="-"), before=deployment(), file="deployment.yaml", at="orders", says="becomes a session"),
        bad(
            deployment(spec="mode: standalone"),
            before=deployment(),
            file="deployment.yaml",
            at="standalone",
            says="was native and becomes standalone",
        ),
        bad(deployment(), before=deployment(spec="mode: standalone"), file="deployment.yaml", at="orders"),
        bad(_OTHER, before=session_job(_JAR), file="job.yaml", at="other", says="was cluster and becomes other"),
        good(deployment(), before=deployment(spec="mode: native"), file="deployment.yaml"),
        good(deployment(), file="deployment.yaml"),
        good(deployment(spec="mode: {{ .Values.mode }}"), before=deployment(), file="deployment.yaml"),
        good(deployment(), before=deployment(job="-", name="payments"), file="deployment.yaml"),
        good(session_job(_JAR), before=session_job(_JAR + "\nparallelism: 2"), file="job.yaml"),
        bad(
            deployment(spec="mode: native"),
            before=deployment(spec="mode: standalone"),
            file="deployment.yaml",
            at="FlinkDeployment.spec.mode",
        ),
        bad(deployment(), before=deployment(job="-"), file="deployment.yaml", at="FlinkDeployment.spec.job"),
        bad(_OTHER, before=session_job(_JAR), file="job.yaml", at="FlinkSessionJob.spec.deploymentName"),
        bad(deployment(), before=deployment(job="-"), file="deployment.yaml", says="this was a session cluster"),
        bad(
            deployment(job="upgradeMode: savepoint", version="v2_0", image="flink:2.0"),
            before=deployment(job="upgradeMode: last-state\nstate: suspended"),
            file="deployment.yaml",
            at="v2_0",
            says="Changing flinkVersion after last-state suspend is not allowed",
        ),
        bad(
            deployment("high-availability.type: kubernetes", job="upgradeMode: last-state"),
            before=deployment(job="upgradeMode: savepoint"),
            file="deployment.yaml",
            at="last-state",
            severity=Severity.WARNING,
            beside={"flint.toml": 'operator-version = "1.9"\n'},
        ),
        good(
            deployment("high-availability.type: kubernetes", job="upgradeMode: last-state"),
            before=deployment(job="upgradeMode: savepoint"),
            file="deployment.yaml",
        ),
        good(
            deployment(job="upgradeMode: stateless", version="v2_0", image="flink:2.0"),
            before=deployment(job="upgradeMode: last-state\nstate: suspended"),
            file="deployment.yaml",
        ),
        bad(deployment(job="-"), before=deployment(), file="deployment.yaml", says="this was an application cluster"),
        good(deployment(), before=deployment(job="-"), file="deployment.yaml", flink="1.12"),
        good(deployment(), before=deployment(spec="mode: {{ .Values.mode }}"), file="deployment.yaml"),
        good(_OTHER, before=session_job(_JAR, name="deploymentName: {{ .Values.cluster }}"), file="job.yaml"),
        good(
            session_job(_JAR, name="deploymentName: {{ .Values.cluster }}"), before=session_job(_JAR), file="job.yaml"
        ),
    ]
