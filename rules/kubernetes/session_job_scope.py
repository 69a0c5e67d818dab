"""A session job asks for what only its cluster can give.

## What it does
Checks a FlinkSessionJob: whether it names its cluster (`deploymentName`), whether the operator can fetch its jar
(`jarURI`), and whether its `flinkConfiguration` holds options of the cluster.

## Why it matters
The operator fetches the jar itself and uploads it to the cluster. `local://` means a file in the image of an
application cluster; the operator has none. From 1.15 on it fetches by `https` alone unless its own
`kubernetes.operator.user.artifacts.allowed-schemes` allows more. By `http` and `https` it then refuses a host that
resolves to a private, loopback or link-local address, such as that of a Service in the same cluster, unless its
`kubernetes.operator.user.artifacts.disallow-restricted-hosts` is false. The processes of the session cluster run
already: memory, slots, high availability, ports and the like are those of the FlinkDeployment, and the same options
here do nothing, and nothing is logged.

## What to do
Put the jar where the operator can fetch it; move options of the cluster to the FlinkDeployment that `deploymentName`
names.

## Not when
Options of the job (checkpoints, state backend, restart strategy, `pipeline.*`, `table.*`) and of the operator
(`kubernetes.operator.*`). Where the files of the repository install an operator before 1.15, `http` is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/overview/>:
  session jobs, and where jars may come from
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  what is demanded; `validateJarURI` looks at schemes and hosts
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import Resource, resources, written

_FIRST_RESTRICTED = (1, 15)
"""The first operator that fetches jars by https alone."""
OF_CLUSTER = (
    "taskmanager.memory.", "taskmanager.numberOfTaskSlots", "jobmanager.memory.", "high-availability", "blob.",
    "rest.", "web.", "heartbeat.", "akka.", "pekko.", "io.tmp.dirs", "kubernetes.", "env.", "containerized.",
    "metrics.", "taskmanager.network.", "cluster.", "security.", "resourcemanager.", "slotmanager.",
)  # fmt: skip
"""How options begin that the processes of a cluster read when they start."""
OF_JOB = ("kubernetes.operator.", "metrics.latency.", "taskmanager.network.memory.buffer-debloat.")


@rule(
    code="FLK719",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object/FlinkSessionJob"],
    flink=">=1.0",
    since="0.1",
)
def session_job_scope(config: View) -> Iterator[Finding]:
    """a session job lacks a cluster or a jar, or sets its cluster's options"""
    for resource in resources(config, "FlinkSessionJob"):
        if not resource.has("deploymentName") and resource.has("job.jarURI"):
            yield resource.part.finding(
                "the session job names no cluster to run on, and the operator refuses it",
                help="set spec.deploymentName to the name of the session cluster's FlinkDeployment",
                confidence=Confidence.MEDIUM,
            )
        yield from _jar(resource, config)
        for entry in written(config):
            if entry.key.startswith(OF_CLUSTER) and not entry.key.startswith(OF_JOB):
                yield config.finding(
                    f"{entry.key} is an option of the session cluster, whose processes run already; in a session job it"
                    " does nothing",
                    span=entry.key_span,
                    key=entry.key,
                    help="move it to the FlinkDeployment of the cluster",
                    severity=Severity.WARNING,
                )


def _jar(resource: Resource, config: View) -> Iterator[Finding]:
    path = resource.path("job.jarURI")
    uri = resource.part.text(path)
    if uri is None:
        return
    scheme = uri.partition(":")[0].lower()
    if scheme == "local":
        yield resource.part.finding(
            "the operator fetches the jar of a session job itself, and local:// is a file in an image it does not have",
            of=path,
            help="put the jar behind https:// at a public address, or where the operator's own"
            " kubernetes.operator.user.artifacts.allowed-schemes lets it fetch from",
        )
    elif scheme == "http":
        yield resource.part.finding(
            "operators from 1.15 on fetch jars by https alone, so this job is not submitted after an upgrade",
            of=path,
            help="serve the jar by https from a public address, or set"
            " kubernetes.operator.user.artifacts.allowed-schemes in the operator's own configuration; for a private"
            " address set kubernetes.operator.user.artifacts.disallow-restricted-hosts: false there, too",
            severity=Severity.INFO
            if (config.installed_operator or _FIRST_RESTRICTED) < _FIRST_RESTRICTED
            else Severity.WARNING,
            confidence=Confidence.MEDIUM,
        )


_JAR = "jarURI: https://example.com/orders.jar"


def cases() -> list[Case]:
    return [
        bad(
            session_job("jarURI: local:///opt/flink/usrlib/a.jar"),
            file="job.yaml",
            at="local:///opt/flink/usrlib/a.jar",
        ),
        bad(session_job("jarURI: http://example.com/a.jar"), file="job.yaml", severity=Severity.WARNING),
        bad(session_job(_JAR, name=""), file="job.yaml", says="names no cluster"),
        bad(
            session_job(_JAR, "taskmanager.memory.process.size: 4g\nstate.checkpoints.dir: s3://a/b"),
            file="job.yaml",
            at="taskmanager.memory.process.size",
            severity=Severity.WARNING,
        ),
        bad(
            session_job(_JAR, "high-availability.type: kubernetes"),
            file="job.yaml",
            says="option of the session cluster",
        ),
        good(session_job(_JAR), file="job.yaml"),
        good(session_job("jarURI: s3://jars/orders.jar"), file="job.yaml"),
        good(
            session_job(_JAR, 'execution.checkpointing.interval: 60 s\nkubernetes.operator.job.restart.failed: "true"'),
            file="job.yaml",
        ),
        good(deployment("high-availability.type: kubernetes"), file="deployment.yaml", flink="1.8"),
    ]
