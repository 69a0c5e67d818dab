"""A container's memory limit does not fit the process inside it.

## What it does
Compares the memory limit of a container of Docker Compose (`mem_limit`, `deploy.resources.limits.memory`) or of a
Kubernetes workload (`resources.limits.memory`) with the memory of the JobManager or TaskManager inside, which follows
from `*.memory.process.size`, from the Flink size, or from what the image has by default. A larger process is an
error if it is too large even without the JVM overhead, of which the JVM may never use all, otherwise a warning; a
limit of more than 1.3 times the process, and 512 MiB above it, is advice.

## Why it matters
Flink does not look at the limit. A process that may grow beyond it is killed when it does (exit 137, no error in the
log), under load rather than at the start. What the limit has more than the process is never used: the heap, managed and
network memory follow from the process size alone, which is 1728m for a TaskManager of the image unless it is set.

## What to do
Set `jobmanager.memory.process.size` and `taskmanager.memory.process.size` to the container's limit.

## Not when
Native Kubernetes and the operator, which make the limit from the process size. A template decides on either. A file,
an image or variables that are not in the repository may configure the process: then a size that is set too large is
advice, and the size that the image has by default is not judged.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_tuning/#configure-memory-for-containers>:
  the process size is the size of the container
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: the limit is not read
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.rule import (
    Case,
    Confidence,
    Finding,
    Severity,
    Threshold,
    bad,
    cases_in_folders,
    good,
    rule,
)
from flink_flint.linter.model.view import ElementView, View

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView


@rule(
    code="FLK221",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    only=["platform:compose", "platform:kubernetes"],
    flink=">=1.10",
    every_release=True,
    since="0.1",
    thresholds={
        "times": Threshold(1.3, "how many times as large as the process a limit may be"),
        "unused": Threshold("512 mb", "memory above the process from which a limit is told"),
    },
)
def process_size_over_limit(config: View) -> Iterator[Finding]:
    """a container's memory limit does not fit the process inside it"""
    if not any(container.has("memory") for container in config.elements("container")):
        return
    for process in config.processes:
        container = next((one for one in process.containers if one.has("memory")), None)
        limit = process.value("memory")
        if container is None or process.role != container.text("role") or not isinstance(limit, int) or limit <= 0:
            continue
        if process.role in ("jobmanager", "taskmanager") and _has_memory_of(config, process):
            yield from _judge(config, process, container, limit)


def _has_memory_of(config: View, process: ProcessView) -> bool:
    """Return whether the memory that the document sets is the process's, which may have arguments of its own."""
    of_memory = f"{process.role}.memory."
    if len(config.elements("container")) > 1 and any(of_memory in str(one.value) for one in process.process.arguments):
        return False
    return all(process.has_setting(setting.text, setting.key, setting.written) for setting in config.under(of_memory))


def _judge(config: View, view: ProcessView, container: ElementView, limit: int) -> Iterator[Finding]:
    from flink_flint.linter.flink.release_spelling import size_text

    process = view.role
    memory = config.taskmanager_memory() if process == "taskmanager" else config.jobmanager_memory()
    if memory is None:
        return
    size = memory.process_size
    setting = config.get(f"{process}.memory.process.size")
    flink = config.get(f"{process}.memory.flink.size")
    total = setting if setting.is_set else flink
    by_image = total.entry is not None and total.entry.layer == "the image"
    is_guess = view.is_configured_elsewhere
    if is_guess and (by_image or not total.is_set):
        return
    what = f"{total.key}, which is {total.text} in the image," if by_image else total.written
    if size > limit:
        yield container.finding(
            f"{container.name} may use {readable(limit)}, and {what} lets its process grow to {readable(size)}: it is"
            " killed when it does",
            of="memory",
            key="memory",
            help=f"set {process}.memory.process.size: {size_text(limit)}, or raise the limit to {size_text(size)}",
            fix=setting.replace(size_text(limit)),
            severity=_severity(size - memory.overhead > limit, is_guess=is_guess),
            related=[total],
            evidence={"limit": limit, "process": size},
            measure=size / max(1, limit),
        )
    elif limit > config.threshold("times") * size and limit - size >= config.threshold("unused"):
        yield container.finding(
            f"{container.name} may use {readable(limit)}, of which its process takes {readable(size)} by {what}: the"
            " rest is never used",
            of="memory",
            key="memory",
            help=f"set {process}.memory.process.size: {size_text(limit)}",
            severity=Severity.INFO,
            confidence=Confidence.MEDIUM,
            related=[total],
            evidence={"limit": limit, "process": size},
            measure=limit / max(1, size),
        )


def _severity(is_over: bool, *, is_guess: bool) -> Severity | None:
    if is_guess:
        return Severity.INFO
    return None if is_over else Severity.WARNING


_COMPOSE = """services:
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    {}
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        {}
"""
_BUILT = "build: {context: flink, target: cluster}"
_SLOTS = "taskmanager.numberOfTaskSlots: 2"
_FOUR = "taskmanager.memory.process.size: 4g"
_POD = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: jobmanager
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.20
          args: [jobmanager]
          resources:
            limits: {memory: %s}
          env:
            - name: FLINK_PROPERTIES
              value: "jobmanager.rpc.address: jobmanager"
"""
_FROM_ELSEWHERE = """          volumeMounts:
            - {name: config, mountPath: /opt/flink/conf}
      volumes:
        - name: config
          configMap: {name: made-elsewhere}
"""
_HISTORY = """services:
  history:
    image: flink:1.18.1
    command: history-server
    mem_limit: 100m
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
"""
_OTHER = """  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    mem_limit: 1g
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
"""
_SHARED = """services:
  small:
    image: flink:1.18.1
    command: taskmanager -Dtaskmanager.memory.process.size=1g
    mem_limit: 1g
    environment: &environment
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        taskmanager.memory.process.size: 4g
  large:
    image: flink:1.18.1
    command: taskmanager
    mem_limit: 3g
    environment: *environment
"""


def cases() -> list[Case]:
    return [
        bad(_COMPOSE.format("mem_limit: 2g", _FOUR), file="docker-compose.yml", at="2g", severity=Severity.ERROR,
            says="lets its process grow to 4 GiB"),
        bad(_COMPOSE.format("mem_limit: 1g", _SLOTS), file="docker-compose.yml", severity=Severity.ERROR,
            says="which is 1728m in the image"),
        bad(
            _COMPOSE.format("deploy: {resources: {limits: {memory: 3g}}}", _FOUR),
            file="docker-compose.yml",
            severity=Severity.ERROR,
            fixed="services:\n"
            "  taskmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: taskmanager\n"
            "    deploy: {resources: {limits: {memory: 3g}}}\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        jobmanager.rpc.address: jobmanager\n"
            "        taskmanager.memory.process.size: 3gb\n",
        ),
        bad(_POD % "4Gi", file="jobmanager.yaml", at="4Gi", severity=Severity.INFO, says="the rest is never used"),
        good(_POD % "1600Mi", file="jobmanager.yaml"),
        good(_COMPOSE.format("mem_limit: 4g", _FOUR), file="docker-compose.yml"),
        good(_COMPOSE.format("mem_limit: 2g", _SLOTS), file="docker-compose.yml"),
        good(_COMPOSE.format("mem_limit: ${LIMIT}", _FOUR), file="docker-compose.yml"),
        good(
            "services:\n"
            "  taskmanager:\n"
            "    image: acme/orders-flink:1\n"
            "    command: taskmanager\n"
            "    mem_limit: 1g\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        jobmanager.rpc.address: jobmanager\n"
            "        taskmanager.numberOfTaskSlots: 2\n",
            file="docker-compose.yml",
        ),
        good(_COMPOSE.format("mem_limit: 1g", "taskmanager.memory.process.size: ${SIZE}"), file="docker-compose.yml"),
        bad(_COMPOSE.format("mem_limit: 2011m", "taskmanager.memory.process.size: 2012m"), file="docker-compose.yml",
            at="memory", severity=Severity.WARNING),
        bad(_COMPOSE.format("mem_limit: 2012m", "taskmanager.memory.process.size: 1500m"), file="docker-compose.yml",
            at="memory", severity=Severity.INFO),
        good(_COMPOSE.format("mem_limit: 2011m", "taskmanager.memory.process.size: 1500m"), file="docker-compose.yml"),
        bad(_COMPOSE.format("mem_limit: 3329m", "taskmanager.memory.process.size: 2560m"), file="docker-compose.yml",
            severity=Severity.INFO),
        good(_COMPOSE.format("mem_limit: 3328m", "taskmanager.memory.process.size: 2560m"), file="docker-compose.yml"),
        good(_COMPOSE.format("mem_limit: 0", _FOUR), file="docker-compose.yml"),
        good(_HISTORY, file="docker-compose.yml"),
        bad(_HISTORY + _OTHER, file="docker-compose.yml", severity=Severity.ERROR, at="1g"),
        good(
            "services:\n"
            "  taskmanager:\n"
            "    image: flink:1.9.3\n"
            "    command: taskmanager\n"
            "    mem_limit: 1g\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        jobmanager.rpc.address: jobmanager\n"
            "        taskmanager.numberOfTaskSlots: 2\n",
            file="docker-compose.yml",
        ),
        good(_POD % "4Gi", file="jobmanager.yaml", platform="operator"),
        bad(_POD % "1Gi", file="jobmanager.yaml", severity=Severity.ERROR),
        good(_POD % "1Gi" + _FROM_ELSEWHERE, file="jobmanager.yaml"),
        good(
            _COMPOSE.format("mem_limit: 1g", _SLOTS).replace("image: flink:1.18.1", _BUILT), file="compose.yml",
            flink="1.18",
        ),
        bad(
            _COMPOSE.format("mem_limit: 2g", _FOUR).replace("image: flink:1.18.1", _BUILT), file="compose.yml",
            flink="1.18", severity=Severity.INFO, says="grow to 4 GiB",
        ),
        bad(_SHARED, file="docker-compose.yml", times=1, at="3g", severity=Severity.ERROR),
        *cases_in_folders(__file__),
    ]  # fmt: skip
