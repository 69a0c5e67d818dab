"""The number of replicas of a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.processes.process import JOBMANAGER, TASKMANAGER, Fact, Origin, Value
from flink_flint.linter.model.sibling_files import SiblingFiles
from flink_flint.linter.text.ascii_numbers import whole

_PER_NODE = "DaemonSet"
_WORKLOADS = ("Deployment", "StatefulSet", "ReplicaSet", "Pod")
_RESOURCE_FIELDS = {
    JOBMANAGER: ("spec.jobManager.replicas", "spec.template.spec.jobManager.replicas"),
    TASKMANAGER: (
        "spec.taskManager.replicas",
        "spec.template.spec.taskManager.replicas",
        "spec.template.spec.numberOfTaskManagers",
    ),
}  # fmt: skip


def replicas_of(
    document: Document, relation: Relation, role: str, containers: Sequence[Element], settings: Mapping[str, Value]
) -> Fact | None:
    """Return the number of replicas of a process; None if it is unknown or changes while the cluster runs."""
    for container in containers:
        if (attribute := container.attributes.get("replicas")) is not None:
            return _number(document, attribute)
    if (stated := _of_resource(document, relation, role)) is not None:
        return stated
    kinds = {element.name for element in document.elements if element.kind == "kubernetes-object"}
    if _PER_NODE in kinds:
        return None
    if document.platform == "compose" or not kinds.isdisjoint(_WORKLOADS):
        return Fact(1)
    if role == JOBMANAGER:
        return _of_setting("kubernetes.jobmanager.replicas", settings) or _hosts(document, "masters") or Fact(1)
    if role == TASKMANAGER:
        return _for_the_job(document, settings) or _hosts(document, "workers")
    return None


def _of_resource(document: Document, relation: Relation, role: str) -> Fact | None:
    """Return the number that a custom resource states, in an overlay or its base."""
    for owner in (document, *reversed(relation.below)):
        for element in owner.elements:
            if element.kind != "kubernetes-object":
                continue
            for field in _RESOURCE_FIELDS.get(role, ()):
                if (attribute := element.attributes.get(field)) is not None:
                    return _number(owner, attribute, field)
    return None


def _number(document: Document, attribute: Attribute, layer: str = "") -> Fact:
    origin = Origin(document, attribute.span, layer, attribute.raw, "", attribute.key_span)
    return Fact(whole(str(attribute.value)) if attribute.value is not None else None, origin)


def _of_setting(key: str, settings: Mapping[str, Value]) -> Fact | None:
    found = settings.get(key)
    return None if found is None else Fact(whole(found.text), found.origin)


def _for_the_job(document: Document, settings: Mapping[str, Value]) -> Fact | None:
    """Return how many TaskManagers the operator requests for the parallelism of the job, slots each."""
    parallelism = settings.get("parallelism.default")
    if document.platform != "operator" or parallelism is None:
        return None
    slots = settings.get("taskmanager.numberOfTaskSlots")
    each, needed = whole(slots.text) if slots is not None else 1, whole(parallelism.text)
    if not each or not needed:
        return None
    return Fact(-(-needed // each), parallelism.origin)


def _hosts(document: Document, name: str) -> Fact | None:
    """Return the number of hosts in a file beside the configuration that Flink's scripts read."""
    if not document.is_configuration_file:
        return None
    hosts = SiblingFiles(document.directory).hosts(name)
    return None if hosts is None else Fact(len(hosts))
