"""Only the JobManager, or only the TaskManagers, have the keys for the object store.

## What it does
Looks at a JobManager and TaskManagers of one resource or Compose file whose checkpoints go to S3: reports variables
with keys of AWS (`AWS_ACCESS_KEY_ID`) that one has and the other has not, where nothing else gives it credentials.

## Why it matters
Both write to the store: TaskManagers the state, the JobManager the `_metadata` of a checkpoint. The process without
keys fails with `NoAuthWithAWSException: No AWS Credentials provided by ... EnvironmentVariableCredentialsProvider`, or
`Unable to load credentials from any of the providers in the chain`, and no checkpoint completes.

## What to do
Give both the variables: in the `podTemplate` of the resource instead of that of `jobManager`.

## Not when
- The options of the store have keys or another provider of credentials, or the service account has a role of AWS.
- Variables of the other process may come from what is not in the repository (`envFrom`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/s3/#configure-access-credentials>
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/pod-template/>: the
  template of both and those of one
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView

_DIRECTORY = "execution.checkpointing.dir"
_KEY = "AWS_ACCESS_KEY_ID"
_ROLE = "metadata.annotations.eks.amazonaws.com/role-arn"
_PREFIXES = ("s3.", "s3a.", "fs.s3a.", "presto.s3.", "flink.hadoop.fs.s3a.")


@rule(
    code="FLK977",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_DIRECTORY],
    when=["element:container"],
    scope="project",
    compares=["folder"],
    since="0.1",
)
def store_keys_in_one_process(project: Project) -> Iterator[Finding]:
    """only some processes of a cluster have the keys for the object store"""
    accounts = {
        part.text("metadata.name")
        for config in project.views
        for part in config.elements("kubernetes-object")
        if part.name == "ServiceAccount" and part.has(_ROLE)
    }
    for config in project.views:
        setting = config.get(_DIRECTORY)
        if not setting.is_set or not setting.is_known or locate(setting.text).scheme not in ("s3", "s3a", "s3p"):
            continue
        if any(one.written.startswith(_PREFIXES) and _is_secret(one.written) for one in config.entries()):
            continue
        processes = [one for one in config.processes if one.containers and one.role in ("jobmanager", "taskmanager")]
        holding = [one for one in processes if one.variable(_KEY) is not None]
        lacking = [one for one in processes if one not in holding and _lacks(one, accounts)]
        if holding and lacking and {one.role for one in holding}.isdisjoint(one.role for one in lacking):
            ours, theirs = holding[0], lacking[0]
            yield ours.finding(
                f"{ours.name} alone has {_KEY}, and {theirs.name} writes to {setting.text} as well: it fails with 'No"
                " AWS Credentials provided', and no checkpoint completes",
                of=f"environment.{_KEY}",
                key=_KEY,
                help=f"give {theirs.name} the same variables, or set them in the podTemplate of both",
                related=[place for place in [setting.place("the directory of both")] if place is not None],
            )


def _is_secret(key: str) -> bool:
    return any(word in key for word in ("credentials", "access", "secret", "delegation"))


def _lacks(process: ProcessView, accounts: set[str | None]) -> bool:
    """Return whether a process certainly has no keys by variables, and no role by its account."""
    if not process.environment_is_known or process.variable("AWS_WEB_IDENTITY_TOKEN_FILE") is not None:
        return False
    if any(volume.text("kind") in ("secret", "config") for volume in process.volumes()):
        return False
    account = process.service_account
    return account is None or account.value not in accounts


_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: acme/orders:1
  flinkVersion: v1_20
  serviceAccount: flink
  flinkConfiguration:
    state.checkpoints.dir: {directory}
    {more}
  {where}:
    {fields}podTemplate:
      spec:
        containers:
          - name: flink-main-container
            env:
              - {{name: AWS_ACCESS_KEY_ID, valueFrom: {{secretKeyRef: {{name: s3, key: access}}}}}}
              - {{name: AWS_SECRET_ACCESS_KEY, valueFrom: {{secretKeyRef: {{name: s3, key: secret}}}}}}
  {other}
"""
_BOTH = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: acme/orders:1
  flinkVersion: v1_20
  serviceAccount: flink
  flinkConfiguration: {state.checkpoints.dir: "s3://orders/checkpoints"}
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env: [{name: AWS_ACCESS_KEY_ID, value: a}]
  jobManager: {resource: {memory: 1600m}}
  taskManager: {resource: {memory: 2048m}}
"""
_ACCOUNT = """---
apiVersion: v1
kind: ServiceAccount
metadata: {name: flink, annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::123456789012:role/flink"}}
"""


def _resource(
    where: str = "jobManager", directory: str = "s3://orders/checkpoints", more: str = "rest.port: '1'"
) -> str:
    other = "taskManager" if where == "jobManager" else "jobManager"
    return _RESOURCE.format(
        where=where, directory=directory, more=more, fields="resource: {memory: 1600m}\n    ",
        other=f"{other}: {{resource: {{memory: 2048m}}}}",
    )  # fmt: skip


def cases() -> list[Case]:
    return [
        bad(_resource(), file="orders.yaml", at=_KEY, severity=Severity.WARNING, says="jobmanager alone has"),
        bad(_resource("taskManager"), file="orders.yaml", at=_KEY, says="taskmanager alone has"),
        good(_BOTH, file="orders.yaml"),
        good(_resource(directory="hdfs:///orders"), file="orders.yaml"),
        good(_resource(more="s3.access-key: '${KEY}'"), file="orders.yaml"),
        good(_resource() + _ACCOUNT, file="orders.yaml"),
    ]  # fmt: skip
