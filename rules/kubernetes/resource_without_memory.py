"""The operator refuses a cluster whose memory is nowhere.

## What it does
Looks at a `FlinkDeployment` or `FlinkBlueGreenDeployment` of Apache's operator for the memory of the JobManager and of
the TaskManagers: `spec.jobManager.resource.memory`, `spec.taskManager.resource.memory`, and Flink's own options in
`flinkConfiguration`, if Flink can derive its memory from them (`taskmanager.memory.process.size` and the like; the old
`taskmanager.heap.size` is not enough). Limits in the pod template do not count.

## Why it matters
The resource is refused with *"JobManager resource memory must be defined using `spec.jobManager.resource.memory`"*, or
the same of the TaskManager, by the webhook or in the resource's `error` field. Nothing is deployed, and where the
cluster runs already no change is carried out. Flink has no default for either.

## What to do
Set `spec.jobManager.resource.memory: 2g` and `spec.taskManager.resource.memory: 4g`.

## Not when
- The defaults of the operator set the memory. Those that are not in the repository cannot be seen: then this is a
  warning, and says so; the operator's own chart sets none.
- The memory is in `resources.requests` or `resources.limits`, which operators after 1.15 read, and the release of the
  operator is not known.
- The resource is a patch, or a template decides.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/release-1.13/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  `validateJmMemoryConfig` and `validateTmMemoryConfig`, in all releases from 1.4 on
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/reference/>: the fields
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS
from flink_flint.rules.kubernetes._validation import Refused, refused

_PROCESSES = {"jobManager.resource": "JobManager", "taskManager.resource": "TaskManagers"}
"""The processes by the field that gives them memory."""


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
    missing: dict[str, list[Refused]] = {}
    for one in refused(config):
        resource = one.resource
        if one.refusal.kind != "memory absent" or _is_for_newer_operator(config, one):
            continue
        if resource.has("flinkVersion") and not config.document.mentions("{{"):
            missing.setdefault(resource.part.text("metadata.name") or "", []).append(one)
    for found in missing.values():
        resource = found[0].resource
        fields = " and ".join(resource.path(f"{one.refusal.path}.memory") for one in found)
        names = " and the ".join(_PROCESSES[one.refusal.path] for one in found)
        # Without the operator's defaults in the repository, they may set it.
        is_certain = all(one.is_certain for one in found)
        unless = "" if is_certain else ", unless the operator's defaults, which are not in these files, do"
        yield resource.part.finding(
            f"the operator refuses this resource: nothing sets the memory of the {names}{unless}",
            of=resource.path("flinkVersion"),
            help=f"set {fields}",
            severity=None if is_certain else Severity.WARNING,
        )


def _is_for_newer_operator(config: View, one: Refused) -> bool:
    """Return whether a process has its memory where only operators after 1.15 read it, and the release is not known."""
    process = one.refusal.path.partition(".")[0]
    fields = (f"{process}.resources.{kind}.memory" for kind in ("requests", "limits"))
    return config.installed_operator is None and any(map(one.resource.has, fields))


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
_REQUESTS = "".join(
    f"  {process}: {{resources: {{requests: {{memory: 2Gi}}}}}}\n" for process in ("jobManager", "taskManager")
)
_SIZE = "{}.memory.process.size: 2g"
_DEFAULTS = "defaultConfiguration:\n  append: true\n  flink-conf.yaml: |\n%s"
_OPTIONS = ", ".join(_SIZE.format(process) for process in ("jobmanager", "taskmanager"))


def cases() -> list[Case]:
    return [
        bad(
            _RESOURCE.format("", ""),
            file="orders.yaml",
            severity=Severity.WARNING,
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
        bad(
            _RESOURCE.format("taskmanager.heap.size: 4g", "  jobManager: {resource: {memory: 2g}}\n"),
            file="orders.yaml",
            says="memory of the TaskManagers",
        ),
        bad(_RESOURCE.format("", _REQUESTS), file="orders.yaml", beside={"flint.toml": 'operator-version = "1.15"\n'}),
        good(_RESOURCE.format("", _REQUESTS), file="orders.yaml"),
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
