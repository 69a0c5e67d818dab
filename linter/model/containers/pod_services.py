"""Finds the Kubernetes Services that reach the pods of a document, and the Ingresses and routes to these Services.

A Service selects pods of its namespace that have all labels of its selector. The labels of the pods of a workload are
in its template. Those of a custom resource come from its operator: `app` and `component` with Apache's operator and
native Kubernetes, other ones with other operators.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.named_tuple import NamedTuple

SERVICE = "Service"
ROUTES = ("Ingress", "Route", "HTTPRoute", "IngressRoute")
"""The kinds of Kubernetes objects that expose Services outside the cluster."""
_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job")
_PROCESSES = (("jobmanager", "jobManager"), ("taskmanager", "taskManager"))
_MAX_CANDIDATES = 200
"""The maximum number of pods with one label; with more, a Service that selects them is not resolved."""


class Pods(NamedTuple):
    """The pods of one process of a document."""

    role: str | None
    """The process of a custom resource (``jobmanager`` or ``taskmanager``); None for all containers of a workload."""
    namespace: str | None
    labels: Mapping[str, object]


def pods_of(document: Document) -> Iterator[Pods]:
    """Yield the pods of a document that runs Flink, with their labels."""
    if not any(element.kind in ("container", "kubernetes-object") for element in document.elements):
        return
    runs_flink = any(element.kind == "container" for element in document.elements)
    for element in document.elements:
        if element.kind != "kubernetes-object":
            continue
        namespace = _text(element.value("metadata.namespace"))
        if element.name in _WORKLOADS and runs_flink:
            yield Pods(None, namespace, _labels(element, "spec.template.metadata.labels"))
        elif element.name == "Pod" and runs_flink:
            yield Pods(None, namespace, _labels(element, "metadata.labels"))
        elif element.name == "CronJob" and runs_flink:
            yield Pods(None, namespace, _labels(element, "spec.jobTemplate.spec.template.metadata.labels"))
        elif (name := _text(element.value("metadata.name"))) is not None:
            for role, field in _PROCESSES:
                if (labels := _labels_by_operator(element, name, role, field)) is not None:
                    yield Pods(role, namespace, labels)


def _labels_by_operator(element: Element, name: str, role: str, field: str) -> Mapping[str, object] | None:
    """Return the labels that an operator gives to the pods of a process; None for other objects."""
    if element.name == "FlinkDeployment":
        mode = "standalone" if element.value("spec.mode") == "standalone" else "native"
        own = {"app": name, "component": role, "type": f"flink-{mode}-kubernetes"}
        templates = ("spec.podTemplate.metadata.labels", f"spec.{field}.podTemplate.metadata.labels")
        return {**{key: value for one in templates for key, value in _labels(element, one).items()}, **own}
    if element.name == "FlinkCluster":
        return {"app": "flink", "cluster": name, "component": role}
    if element.name == "FlinkApplication":
        return {"app": name, "flink-app": name, "flink-deployment-type": role}
    return None


def selects(service: Element, pods: Pods) -> bool:
    """Return whether a Service selects pods; an unknown namespace counts as the same namespace."""
    selector = _labels(service, "spec.selector")
    if not selector or None in selector.values():
        return False
    namespace = _text(service.value("metadata.namespace"))
    is_same = namespace is None or pods.namespace is None or namespace == pods.namespace
    return is_same and all(pods.labels.get(name) == value for name, value in selector.items())


def created_services(document: Document) -> Mapping[str, str | None]:
    """Return the names of the Services that the operator creates for a FlinkDeployment, each with its namespace."""
    for element in document.elements:
        name = _text(element.value("metadata.name")) if element.kind == "kubernetes-object" else None
        if name is not None and element.name == "FlinkDeployment":
            namespace = _text(element.value("metadata.namespace"))
            return {f"{name}-rest": namespace, name: namespace}
    return {}


def backends(route: Element) -> Iterator[str]:
    """Yield the names of the Services that an Ingress or another route sends requests to."""
    for name, attribute in route.attributes.items():
        last = name.rpartition(".")[2]
        holder = name.rpartition(".")[0]
        is_backend = (
            last == "serviceName"
            or (last == "name" and holder.endswith(".service"))
            or (last == "name" and holder == "spec.to")
            or (last == "name" and (".backendRefs[" in holder or ".services[" in holder) and holder.endswith("]"))
        )
        if is_backend and isinstance(attribute.value, str):
            yield attribute.value


def services_by_document(documents: Sequence[Document]) -> Mapping[int, list[Document]]:
    """Return the Services that reach each document's pods, and the routes to these Services, by `id` of the document.

    Objects with the same labels may be in several folders of a repository, for different clusters: a Service selects
    the pods whose files are nearest to its own.
    """
    found: dict[int, list[Document]] = defaultdict(list)
    named: dict[str, list[tuple[str | None, Document, Document]]] = defaultdict(list)
    pods = _PodIndex(documents)
    for document in documents:
        if (service := object_of(document, (SERVICE,))) is None:
            continue
        name, namespace = _text(service.value("metadata.name")), _text(service.value("metadata.namespace"))
        for owner in _nearest(document, pods.selected_by(service)):
            found[id(owner)].append(document)
            if name is not None:
                named[name].append((namespace, owner, document))
    for document in documents:
        for name, space in created_services(document).items():
            named[name].append((space, document, document))
    for document in documents:
        if (route := object_of(document, ROUTES)) is None:
            continue
        namespace = _text(route.value("metadata.namespace"))
        for name in dict.fromkeys(backends(route)):
            members = [
                (owner, leading)
                for other, owner, leading in named.get(name, ())[:_MAX_CANDIDATES]
                if namespace is None or other is None or namespace == other
            ]
            near = {id(one) for one in _nearest(document, [leading for _, leading in members])}
            for owner, leading in members:
                if id(leading) in near and not any(one is document for one in found[id(owner)]):
                    found[id(owner)].append(document)
    return found


def object_of(document: Document, kinds: Sequence[str]) -> Element | None:
    """Return the first Kubernetes object in a document that is of one of the given kinds; None if there is none."""
    return next((one for one in document.elements if one.kind == "kubernetes-object" and one.name in kinds), None)


class _PodIndex:
    """The pods of a run by each of their labels."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._by_label: dict[tuple[str, object], list[tuple[Pods, Document]]] = defaultdict(list)
        for document in documents:
            for pods in pods_of(document):
                for label in pods.labels.items():
                    self._by_label[label].append((pods, document))

    def selected_by(self, service: Element) -> list[Document]:
        """Return the documents with pods that a Service selects; none if too many have its labels."""
        selector = _labels(service, "spec.selector")
        candidates = min((self._by_label.get(label, []) for label in selector.items()), key=len, default=[])
        if len(candidates) > _MAX_CANDIDATES:
            return []
        selected = [document for pods, document in candidates if selects(service, pods)]
        return list({id(one): one for one in selected}.values())


def _nearest(document: Document, others: Iterable[Document]) -> list[Document]:
    """Return the documents whose files are nearest to that of a document: the same file, folder, folder above, ..."""
    ranked: dict[int, list[Document]] = defaultdict(list)
    own = os.path.abspath(document.path).split(os.sep)
    for other in others:
        parts = os.path.abspath(other.path).split(os.sep)
        ranked[_common(own, parts)].append(other)
    return ranked[max(ranked)] if ranked else []


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of leading parts that two paths have in common."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _labels(element: Element, prefix: str) -> Mapping[str, object]:
    return {name: attribute.value for name, attribute in element.under(prefix)}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
