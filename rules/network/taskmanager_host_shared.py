"""All replicas of a TaskManager call themselves by one name.

## What it does
Reports a `taskmanager.host` that is a fixed name in a Deployment with several replicas, or in a service of Docker
Compose with `scale` or `replicas` above 1.

## Why it matters
Each TaskManager registers under `taskmanager.host`, and the JobManager and the other TaskManagers connect to what that
name leads to. The name of a Service leads to any of the pods: `dropping message for non-local recipient`,
`RemoteTransportException: Connection unexpectedly closed`, `TaskManager with id ... has been rejected`, or only one of
them registers and the others retry. Tasks that exchange data fail now and then.

## What to do
Delete the option, so that each TaskManager finds its own address, or give each its own:
`-Dtaskmanager.host=$(POD_IP)` with the IP of the pod from the downward API.

## Not when
- The value contains a variable, or there is one replica.
- The workload is a StatefulSet, whose pods may have a name each, or an autoscaler or the operator starts them.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-host>
- <https://kubernetes.io/docs/concepts/services-networking/service/>: a Service leads to any of its pods
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.network.client_address_unreachable import ITSELF

_HOST = "taskmanager.host"


@rule(
    code="FLK522",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_HOST],
    only=["platform:kubernetes", "platform:compose"],
    since="0.1",
)
def taskmanager_host_shared(config: View) -> Iterator[Finding]:
    """all replicas of a TaskManager call themselves by one name"""
    setting = config.get(_HOST)
    host = setting.text.strip()
    if not setting.is_set or not setting.is_known or "$" in host or host in ITSELF:
        return
    if any(part.name == "StatefulSet" for part in config.elements("kubernetes-object")):
        return
    for process in config.processes:
        replicas = process.process.replicas
        count = whole(str(replicas.value)) if replicas is not None else None
        if process.role == "taskmanager" and process.containers and count is not None and count > 1:
            places = [process.place("replicas", f"{count} of them")] if process.has("replicas") else []
            yield setting.finding(
                f"all {count} TaskManagers of {process.name} register as {host}, and that name leads to any of them:"
                " messages and data reach the wrong one, and some never register",
                help=f"delete {_HOST}, or give each its own: -D{_HOST}=$(POD_IP)",
                related=places,
            )
            return


_POD = """apiVersion: apps/v1
kind: {kind}
metadata: {{name: flink-taskmanager}}
spec:
  replicas: {replicas}
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.18
          args: [taskmanager]
          env:
            - name: FLINK_PROPERTIES
              value: |
                jobmanager.rpc.address: flink-jobmanager
                taskmanager.host: {host}
"""
_COMPOSE = """services:
  taskmanager:
    image: flink:1.20
    command: taskmanager
    {scale}
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        taskmanager.host: taskmanager
"""


def _pod(host: str = "flink-taskmanager", replicas: int = 3, kind: str = "Deployment") -> str:
    return _POD.format(host=host, replicas=replicas, kind=kind)


def cases() -> list[Case]:
    return [
        bad(_pod(), file="taskmanager.yaml", at=_HOST, severity=Severity.ERROR, says="register as flink-taskmanager"),
        bad(_COMPOSE.format(scale="scale: 2"), file="docker-compose.yaml", at=_HOST),
        good(_pod(replicas=1), file="taskmanager.yaml"),
        good(_pod("$(POD_IP)"), file="taskmanager.yaml"),
        good(_pod("${POD_IP}"), file="taskmanager.yaml"),
        good(_pod(kind="StatefulSet"), file="taskmanager.yaml"),
        good(_COMPOSE.format(scale="hostname: taskmanager"), file="docker-compose.yaml"),
    ]  # fmt: skip
