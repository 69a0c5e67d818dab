"""The number of TaskManagers decides the parallelism, and `job.parallelism` does nothing.

## What it does
Compares `taskManager.replicas` times the slots of a TaskManager with `job.parallelism` in an application cluster of
the operator.

## Why it matters
Where `taskManager.replicas` is given the operator sets `parallelism.default` to replicas times slots and ignores
`job.parallelism` (`Job parallelism setting is ignored as TaskManager replicas are set`). The job runs with another
parallelism than the resource says, with other memory and another number of open files and connections.

## What to do
In native mode delete `taskManager.replicas`: Flink asks for as many TaskManagers as the parallelism needs. Elsewhere
make the two agree.

## Not when
- They agree, or the slots are not set here (those of the operator's configuration count then).
- A session cluster.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/config/FlinkConfigBuilder.java>:
  `getParallelism`
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/reference/>: the fields
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, resources

SLOTS = "taskmanager.numberOfTaskSlots"


@rule(
    code="FLK715",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def replicas_set_parallelism(config: View) -> Iterator[Finding]:
    """taskManager.replicas overrides job.parallelism"""
    slots = config.integer(SLOTS)
    if slots is None or not config.is_set(SLOTS):
        return
    for resource in resources(config, *CLUSTERS, VALUES):
        path = resource.path("job.parallelism")
        replicas, parallelism = resource.part.number(resource.path("taskManager.replicas")), resource.part.number(path)
        if replicas is None or parallelism is None or replicas < 1 or replicas * slots == parallelism:
            continue
        yield resource.part.finding(
            f"the job runs with parallelism {replicas * slots:.0f}, not {parallelism:.0f}: the operator takes"
            f" {replicas:.0f} TaskManagers times {slots} slots",
            of=path,
            help="delete taskManager.replicas in native mode, or make the two agree",
            related=[resource.part.place(resource.path("taskManager.replicas")), config.get(SLOTS)],
            evidence={"parallelism": int(replicas * slots)},
        )


_SLOTS = f'{SLOTS}: "2"'


def cases() -> list[Case]:
    return [
        bad(
            deployment(_SLOTS, job="parallelism: 8", spec="taskManager:\n  replicas: 3"), file="deployment.yaml",
            flink="1.8", at="8", says="parallelism 6, not 8",
        ),
        bad(
            deployment(_SLOTS, job="parallelism: 1", spec="mode: standalone\ntaskManager: {replicas: 1}"),
            file="deployment.yaml",
        ),
        good(deployment(_SLOTS, job="parallelism: 6", spec="taskManager:\n  replicas: 3"), file="deployment.yaml"),
        good(deployment(job="parallelism: 8", spec="taskManager:\n  replicas: 3"), file="deployment.yaml"),
        good(deployment(_SLOTS, job="-", spec="taskManager:\n  replicas: 3"), file="deployment.yaml"),
        good(deployment(_SLOTS, job="parallelism: 8"), file="deployment.yaml"),
        good(
            deployment(_SLOTS, job="parallelism: 8", spec="taskManager:\n  replicas: {{ .Values.r }}"),
            file="deployment.yaml",
        ),
    ]  # fmt: skip
