"""TaskManagers have slots that no job uses.

## What it does
Where a resource of the operator runs one job, and Flink asks for its TaskManagers (native mode), or Lyft's operator
makes them, it rounds the parallelism up to whole TaskManagers of `taskmanager.numberOfTaskSlots` slots. It is advice
where a quarter (threshold `idle`) of the slots or more stay empty.

## Why it matters
A TaskManager divides its managed memory and network buffers among its slots, used or not: with 4 slots and a
parallelism of 1 the job gets a quarter of the managed memory that is paid for, and RocksDB caches as much less.

## What to do
Make the parallelism a multiple of the slots, or give each TaskManager fewer: one slot is simplest in containers.

## Not when
- The autoscaler or the adaptive scheduler changes the parallelism.
- Operators with slot sharing groups of their own need more slots than the parallelism says.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/concepts/flink-architecture/#task-slots-and-resources>:
  a slot has a fixed part of the memory
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/#managed-memory>:
  managed memory
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._other_operators import other_resources
from flink_flint.rules.kubernetes._resource import CLUSTERS, Resource, resources
from flink_flint.rules.scheduling._autoscaler import is_elastic

_PARALLELISM = "parallelism.default"
_SLOTS = "taskmanager.numberOfTaskSlots"


@rule(
    code="FLK625",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_SLOTS],
    only=["element:kubernetes-object"],
    of_scale=True,
    since="0.1",
    thresholds={"idle": Threshold(0.25, "the part of all slots from which it is worth a word that they stay empty")},
)
def slots_idle(config: View) -> Iterator[Finding]:
    """TaskManagers have slots that no job uses"""
    parallelism, slots = config.integer(_PARALLELISM), config.integer(_SLOTS)
    setting, wanted = config.get(_SLOTS), config.get(_PARALLELISM)
    if parallelism is None or slots is None or parallelism < 1 or slots < 1:
        return
    if not _makes_taskmanagers(config) or is_elastic(config):
        return
    taskmanagers = -(-parallelism // slots)
    idle = taskmanagers * slots - parallelism
    if idle < config.threshold("idle") * taskmanagers * slots or not idle:
        return
    yield setting.finding(
        f"{idle} of {taskmanagers * slots} slots stay empty with the parallelism {parallelism}, and their share of the"
        " managed memory with them",
        help=f"make the parallelism a multiple of {slots}, or set {_SLOTS} to 1 and size TaskManagers for that",
        related=[wanted],
        evidence={"idle": idle},
        measure=idle / (taskmanagers * slots),
    )


def _makes_taskmanagers(config: View) -> bool:
    """Whether as many TaskManagers are made as the parallelism of the job needs."""
    return any(one.is_application and _is_native(one) for one in resources(config, *CLUSTERS)) or any(
        one.fields.counts_taskmanagers for one in other_resources(config)
    )


def _is_native(resource: Resource) -> bool:
    return resource.lacks("mode") or (resource.text("mode") or "").lower() == "native"


def _with(slots: object, parallelism: object, more: str = "", spec: str = "") -> str:
    return deployment(f"{_SLOTS}: '{slots}'\n{more}", job=f"parallelism: {parallelism}", spec=spec)


_FILE = {"file": "deployment.yaml"}
_LYFT = """apiVersion: flink.k8s.io/v1beta1
kind: FlinkApplication
metadata: {name: orders}
spec:
  image: orders:1
  flinkVersion: "1.18"
  taskManagerConfig:
    taskSlots: 4
  parallelism: 2
  flinkConfig: {}
"""


def cases() -> list[Case]:
    return [
        bad(
            _with(4, 1),
            **_FILE,
            at=_SLOTS,
            severity=Severity.INFO,
            says="3 of 4 slots stay empty with the parallelism 1",
        ),
        bad(_with(4, 6, spec="mode: native"), **_FILE, says="2 of 8 slots"),
        bad(_with(4, 1, "jobmanager.scheduler: default\njob.autoscaler.enabled: 'false'"), **_FILE),
        bad(_LYFT, file="application.yaml", at="4", says="2 of 4 slots"),
        good(_LYFT.replace("parallelism: 2", "parallelism: 4"), file="application.yaml"),
        good(_with(4, 7), **_FILE),
        good(_with(4, 8), **_FILE),
        good(_with(1, 3), **_FILE),
        good(_with(4, "${P}"), **_FILE),
        good(_with("${SLOTS}", 1), **_FILE),
        good(_with(4, 1, spec="mode: standalone"), **_FILE),
        good(_with(4, 1, spec="mode: ${MODE}"), **_FILE),
        good(_with(4, 1, "jobmanager.scheduler: adaptive"), **_FILE),
        good(_with(4, 1, "jobmanager.scheduler: ${SCHEDULER}"), **_FILE),
        good(_with(4, 1, "job.autoscaler.enabled: 'true'"), **_FILE),
        good(deployment(f"{_SLOTS}: '4'\nparallelism.default: '1'", job="-"), **_FILE),
        good(f"{_SLOTS}: 4\nparallelism.default: 1\n"),
    ]
