"""Each change of the resource throws the job's state away.

## What it does
Reports `upgradeMode: stateless`, which also is what the operator does where the field is missing, on a job whose
configuration speaks of state: checkpoints are switched on, a directory for them is set, or high availability is. With
Lyft's operator `savepointDisabled: true` does the same, on Ververica Platform `restoreStrategy: NONE`.

## Why it matters
On every change of the spec (an image, a parallelism, a setting) the operator deletes the job and starts it with an
empty state. Checkpoints are taken as usual and never used for that; aggregates begin anew, and sources go back to
where their consumer group or `scan.startup.mode` says. Nothing is logged: it is what was asked for.

## What to do
Set `upgradeMode: savepoint` (a savepoint is taken for the upgrade; the job must be healthy) or `last-state` (the
latest checkpoint; wants high availability).

## Not when
- The job is a batch job, or a session cluster without a job.
- Nothing in the file speaks of state.
- The resource is a patch or a template, and the mode stands elsewhere.
- The autoscaler does the same whenever the load changes, which FLK632 reports.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  stateless is not recommended for production
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator-api/src/main/java/org/apache/flink/kubernetes/operator/api/spec/JobSpec.java>:
  the default
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._other_operators import other_resources
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, key_span, resources
from flink_flint.rules.kubernetes._state_worth_keeping import sign_of_state, starts_empty
from flink_flint.rules.scheduling._autoscaler import scales_from_scratch


@rule(
    code="FLK705",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def stateless_upgrade(config: View) -> Iterator[Finding]:
    """every change of the resource starts a job with state from scratch"""
    for resource in resources(config, *CLUSTERS, "FlinkSessionJob", VALUES):
        sign = starts_empty(config, resource) if resource.is_application else None
        if sign is None or scales_from_scratch(config, resource):
            continue
        path = resource.path("job.upgradeMode")
        said = "" if resource.part.has(path) else " (the default of upgradeMode)"
        yield config.finding(
            f"every change of this resource starts the job with an empty state{said}, though {sign.written} speaks of"
            " state worth keeping",
            span=resource.part.span(path)
            if resource.part.has(path)
            else key_span(config, resource.part, resource.path("job")),
            key=f"{resource.kind}.{path}",
            help="set spec.job.upgradeMode to savepoint, or to last-state with high availability",
            related=[sign],
        )
    yield from _of_other_operators(config)


def _of_other_operators(config: View) -> Iterator[Finding]:
    for resource in other_resources(config):
        sign = sign_of_state(config) if resource.loses_state else None
        if sign is None:
            continue
        field = resource.fields.stateless
        yield resource.part.finding(
            f"every change of this resource starts the job with an empty state, though {sign.written} speaks of"
            " state worth keeping",
            of=field,
            key=f"{resource.part.name}.{field}",
            help=f"set {field}: {resource.fields.stateful_value}",
            related=[sign],
        )


_CHECKPOINTS = "execution.checkpointing.interval: 60 s\nstate.checkpoints.dir: s3://flink/checkpoints"


def _application(configuration: str) -> str:
    text = deployment(configuration, job="upgradeMode: stateless", kind="FlinkApplication")
    return text.replace("flink.apache.org", "platform.confluent.io")


_LYFT = """apiVersion: flink.k8s.io/v1beta1
kind: FlinkApplication
metadata: {name: orders}
spec:
  image: orders:1
  flinkVersion: "1.18"
  taskManagerConfig: {taskSlots: 2}
  parallelism: 2
  savepointDisabled: true
  flinkConfig:
    execution.checkpointing.interval: 60 s
"""
_VERVERICA = """apiVersion: v1
kind: Deployment
metadata: {name: orders}
spec:
  restoreStrategy: {kind: NONE}
  template:
    spec:
      artifact: {kind: JAR, flinkVersion: "1.18"}
      flinkConfiguration:
        state.checkpoints.dir: s3://flink/checkpoints
"""


def cases() -> list[Case]:
    return [
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: stateless"), file="deployment.yaml", flink="1.8", at="stateless"
        ),
        bad(deployment(_CHECKPOINTS), file="deployment.yaml", at="job", says="the default of upgradeMode"),
        bad(deployment("high-availability.type: kubernetes"), file="deployment.yaml", says="high-availability.type"),
        bad(
            session_job("jarURI: https://example.com/a.jar\nupgradeMode: stateless", "state.checkpoints.dir: s3://a/b"),
            file="job.yaml",
            at="stateless",
        ),
        bad(_application(_CHECKPOINTS), file="deployment.yaml", at="stateless"),
        good(_application('taskmanager.numberOfTaskSlots: "2"'), file="deployment.yaml"),
        bad(_LYFT, file="application.yaml", at="true"),
        good(_LYFT.replace("true", "false"), file="application.yaml"),
        good(_LYFT + "  savepointPath: s3://flink/savepoint\n", file="application.yaml"),
        bad(_VERVERICA, file="deployment.yaml", at="NONE", says="state.checkpoints.dir"),
        good(_VERVERICA.replace("  restoreStrategy: {kind: NONE}\n", ""), file="deployment.yaml"),
        good(_VERVERICA.replace("NONE", "LATEST_STATE"), file="deployment.yaml"),
        good(deployment(_CHECKPOINTS, job="upgradeMode: savepoint"), file="deployment.yaml"),
        good(deployment(_CHECKPOINTS, job="-"), file="deployment.yaml"),
        good(deployment('taskmanager.numberOfTaskSlots: "2"', job="upgradeMode: stateless"), file="deployment.yaml"),
        good(deployment(f"{_CHECKPOINTS}\nexecution.runtime-mode: BATCH"), file="deployment.yaml"),
        good(deployment(_CHECKPOINTS, job="upgradeMode: {{ .Values.mode }}"), file="deployment.yaml"),
        good(deployment("high-availability.type: NONE", job="upgradeMode: stateless"), file="deployment.yaml"),
        good(deployment("high-availability.type: standalone", job="upgradeMode: stateless"), file="deployment.yaml"),
        good(deployment("execution.checkpointing.interval: 0", job="upgradeMode: stateless"), file="deployment.yaml"),
        good(
            deployment(f'{_CHECKPOINTS}\njob.autoscaler.enabled: "true"', job="upgradeMode: stateless"),
            file="deployment.yaml",
        ),
        bad(
            deployment(
                f'{_CHECKPOINTS}\njob.autoscaler.enabled: "true"\njobmanager.scheduler: adaptive',
                job="upgradeMode: stateless",
            ),
            file="deployment.yaml",
            at="stateless",
        ),
    ]
