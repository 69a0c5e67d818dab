"""The operator refuses a cluster whose memory is nowhere.

## What it does
Looks at a `FlinkDeployment` or `FlinkBlueGreenDeployment` of Apache's operator for the memory of the JobManager and of
the TaskManagers: `spec.jobManager.resource.memory`, `spec.taskManager.resource.memory`, and Flink's own options in
`flinkConfiguration` (`taskmanager.memory.process.size` and the like). Limits in the pod template do not count.

## Why it matters
The resource is refused with *"JobManager resource memory must be defined using `spec.jobManager.resource.memory`"*, or
the same of the TaskManager, by the webhook or in the resource's `error` field. Nothing is deployed, and where the
cluster runs already no change is carried out. Flink has no default for either.

## What to do
Set `spec.jobManager.resource.memory: 2g` and `spec.taskManager.resource.memory: 4g`.

## Not when
- The defaults of the operator set the memory. Those that are not in the repository cannot be seen: then this is a
  suggestion, and says so; the operator's own chart sets none.
- The resource is a patch, or a template decides.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/release-1.13/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  `validateJmMemoryConfig` and `validateTmMemoryConfig`; before 1.5 the field itself had to be there
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/reference/>: the fields
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS, Resource, resources

_PROCESSES = (("jobManager", "jobmanager", "JobManager"), ("taskManager", "taskmanager", "TaskManagers"))
_SIZES = ("memory.process.size", "memory.flink.size", "memory.heap.size", "memory.task.heap.size")


@rule(
    code="FLK795",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    when=[f"element:kubernetes-object/{kind}" for kind in APACHE_CLUSTERS],
    flink=">=1.13",
    since="0.1",
)
def resource_without_memory(config: View) -> Iterator[Finding]:
    """the operator refuses a resource that gives a process no memory"""
    for resource in resources(config, *APACHE_CLUSTERS):
        missing = [
            (field, name) for field, process, name in _PROCESSES if not _has_memory(config, resource, field, process)
        ]
        if not missing or not resource.is_whole or not resource.has("flinkVersion") or config.document.mentions("{{"):
            continue
        fields = " and ".join(resource.path(f"{field}.resource.memory") for field, _ in missing)
        names = " and the ".join(name for _, name in missing)
        # Without the operator's defaults in the repository, they may set it.
        is_certain = any(lower.is_operator_defaults for lower in config.below)
        unless = "" if is_certain else ", unless the operator's defaults, which are not in these files, do"
        yield resource.part.finding(
            f"the operator refuses this resource: nothing sets the memory of the {names}{unless}",
            of=resource.path("flinkVersion"),
            help=f"set {fields}",
            severity=None if is_certain else Severity.INFO,
        )


def _has_memory(config: View, resource: Resource, field: str, process: str) -> bool:
    """Whether a field or an option gives a process memory, even of an unknown size."""
    fields = (f"{field}.resource.memory", f"{field}.resources.requests.memory", f"{field}.resources.limits.memory")
    if any(resource.has(one) for one in fields) or any(config.is_set(f"{process}.{size}") for size in _SIZES):
        return True
    return next(config.under(f"{process}.heap."), None) is not None


_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration: {{{}}}
  serviceAccount: flink
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          resources: {{limits: {{memory: 8Gi}}}}
{}"""
_FIELDS = "  jobManager: {resource: {memory: 2g}}\n  taskManager: {resource: {memory: 4g}}\n"
_SIZE = "{}.memory.process.size: 2g"
_DEFAULTS = "defaultConfiguration:\n  append: true\n  flink-conf.yaml: |\n%s"
_OPTIONS = ", ".join(_SIZE.format(process) for process in ("jobmanager", "taskmanager"))


def cases() -> list[Case]:
    return [
        bad(
            _RESOURCE.format("", ""),
            file="orders.yaml",
            severity=Severity.INFO,
            says="JobManager and the TaskManagers, unless the operator's defaults, which are not in these files, do",
        ),
        bad(
            _RESOURCE.format("", ""),
            file="orders.yaml",
            severity=Severity.ERROR,
            beside={"operator/values.yaml": _DEFAULTS % "    parallelism.default: 2\n"},
            times=1,
        ),
        bad(
            _RESOURCE.format(_SIZE.format("jobmanager"), "  taskManager: {replicas: 2}\n"),
            file="orders.yaml",
            at="v1_20",
            says="memory of the TaskManagers",
        ),
        good(_RESOURCE.format("", _FIELDS), file="orders.yaml"),
        good(_RESOURCE.format(_OPTIONS, ""), file="orders.yaml"),
        good(_RESOURCE.format("", "{{ .Values.resources }}\n"), file="templates/orders.yaml"),
        good(
            _RESOURCE.format("", ""),
            file="orders.yaml",
            beside={
                "operator/values.yaml": _DEFAULTS
                % "".join(f"    {_SIZE.format(process)}\n" for process in ("jobmanager", "taskmanager"))
            },
        ),
    ]
