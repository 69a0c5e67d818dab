"""Builds the processes that a document deploys, from the document and its base layers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from flink_flint.linter.flink.deployment import docker_image
from flink_flint.linter.flink.file_loading import CONF_FOLDERS
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.containers.built_image import THE_IMAGE, image_of, is_official, reads_variables
from flink_flint.linter.model.containers.mounts import hides_files
from flink_flint.linter.model.containers.pod_services import ROUTES, SERVICE
from flink_flint.linter.model.document import OPERATOR_DEFAULT, Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.processes.process import (
    CONFIGURATION,
    JOBMANAGER,
    TASKMANAGER,
    UNKNOWN_ROLE,
    Fact,
    Origin,
    Part,
    Process,
    Value,
)
from flink_flint.linter.model.processes.reaching_services import services_of
from flink_flint.linter.model.processes.replicas import replicas_of
from flink_flint.linter.model.processes.setting_chains import Layer, effective
from flink_flint.linter.model.processes.unknown_parts import unknown_parts
from flink_flint.linter.model.target import Target
from flink_flint.linter.text.named_tuple import NamedTuple

JOBS = ("source", "sql", "flinksessionjob")
"""The kinds of documents that run on the processes of another document instead of starting their own."""
_FILES = ("flink-conf", "config.yaml", "configmap")
"""Kinds of documents that are files of processes if something mounts them, and otherwise processes of their own."""
_RESOURCES = ("FlinkDeployment", "FlinkBlueGreenDeployment", "FlinkApplication", "FlinkCluster", "SessionCluster")
_OTHER_RESOURCES = ("other-cr", "ververica")
"""Kinds of resources of other operators, which add settings that are not known."""
_PERMISSIONS = ("ServiceAccount", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
_MAX_PROCESSES = 100


class _Part(NamedTuple):
    """A process that a document starts, with the containers that describe it: its own, then those of lower layers."""

    role: str
    name: str
    containers: tuple[Element, ...]


def processes_of(document: Document, relation: Relation, target: Target) -> list[Process]:
    """Return the processes that a document starts in the newest of its candidate releases.

    Empty for documents that start none by themselves: jobs, files that something mounts or that are left aside,
    defaults, and partial configurations.
    """
    return [_process(document, relation, target, part) for part in _parts(document, relation)[:_MAX_PROCESSES]]


def configuration_of(document: Document, relation: Relation, target: Target) -> Process:
    """Return the settings of a document as a `Process`, to compare documents that start no process."""
    return _process(document, relation, target, _Part(CONFIGURATION, document.name or document.file_name, ()))


def _parts(document: Document, relation: Relation) -> list[_Part]:
    if document.kind in JOBS or document.is_operator_defaults:
        return []
    if document.kind in _FILES and (relation.above or relation.is_mounted or document.kind == "configmap"):
        return []
    if relation.is_left_aside:
        return []
    if any(element.kind == "image" for element in document.elements) or _is_no_workload(document):
        return []
    stack = (document, *reversed(relation.below))
    containers = [element for one in stack for element in one.elements if element.kind == "container"]
    own = document.elements_of(("container",))
    if own and not _is_resource(document):
        return [part for element in own for part in _of_container(element)]
    if not (
        document.whole
        or document.kind in _OTHER_RESOURCES
        or any(lower.whole and lower.kind not in _FILES for lower in relation.below)
    ):
        return []
    if document.kind == "shell":
        return [_Part("client", document.name or "client", ())]
    return [
        _Part(role, role, tuple(one for one in containers if one.value("role") == role))
        for role in (JOBMANAGER, TASKMANAGER)
    ]


def _is_no_workload(document: Document) -> bool:
    """Return whether a document is another object than one that starts pods, such as a Service or a role."""
    if document.kind != "other-cr" or document.entries:
        return False
    objects = [element.name for element in document.elements if element.kind == "kubernetes-object"]
    return not objects or any(one in (SERVICE, *ROUTES, *_PERMISSIONS) for one in objects)


def _is_resource(document: Document) -> bool:
    return any(element.kind == "kubernetes-object" and element.name in _RESOURCES for element in document.elements)


def _of_container(element: Element) -> Iterator[_Part]:
    """Yield the processes of a container; a JobManager that requests its TaskManagers stands for them as well."""
    role = element.value("role")
    if role == "cluster":
        yield _Part(JOBMANAGER, element.name, (element,))
        yield _Part(TASKMANAGER, element.name, (element,))
    else:
        yield _Part(role if isinstance(role, str) else UNKNOWN_ROLE, element.name, (element,))


def _process(document: Document, relation: Relation, target: Target, part: _Part) -> Process:
    index = target.in_question[-1]
    layers = _layers(document, relation, part, index)
    found = effective(layers, target.release_at(index), yaml=document.yaml_in(index))
    image = _image(document, relation, part, found.settings)
    service_account = _service_account(document, relation, found.settings)
    files = tuple(one for one in relation.mounts if one.container == part.name)
    error = document.refusals[0].message if document.refusals else None
    return Process(
        part.role, part.name, document,
        tuple(Part(one, _owner(document, relation, one)) for one in part.containers), image,
        _dockerfile(document, relation, part),
        _conf_dir(part, relation), files, _environment(document, relation, part), _arguments(document, part),
        replicas_of(document, relation, part.role, part.containers, found.settings),
        _fact(document, part, "memory", relation), _fact(document, part, "cpu", relation), service_account,
        _ports(part), services_of(document, relation, part.role, found.settings, found.configuration),
        found.settings, found.configuration, error,
        tuple(one for one in relation.above if one.kind in JOBS),
        unknown_parts(document, relation, part.containers, files, image),
    )  # fmt: skip


# -- layers


def _layers(document: Document, relation: Relation, part: _Part, index: int) -> list[Layer]:
    """Return the layers of a process's settings, the lowest first."""
    mounted_by: dict[int, set[str]] = {}
    for mount in relation.mounts:
        mounted_by.setdefault(id(mount.document), set()).add(mount.container)
    layers = [
        Layer(lower, lower.entries, relation.why.get(number, ""))
        for number, lower in enumerate(relation.below)
        if part.name in mounted_by.get(id(lower), (part.name,))
    ]
    entries = [
        entry
        for entry in document.entries
        if entry.layer not in docker_image.SETTING_VARIABLES or _has(part, entry.layer)
    ]
    by_default = [entry for entry in entries if entry.layer.startswith(OPERATOR_DEFAULT)]
    if by_default:
        layers = [Layer(document, by_default, ""), *layers]
        entries = [entry for entry in entries if not entry.layer.startswith(OPERATOR_DEFAULT)]
    layers += [Layer(document, entries, "")]
    layers += [Layer(one, one.entries, "") for one in relation.arguments if one.name == f"service {part.name}"]
    return [*_shipped(document, relation, part, index), *layers]


def _has(part: _Part, variable: str) -> bool:
    return any(f"environment.{variable}" in one.attributes for one in part.containers)


def _shipped(document: Document, relation: Relation, part: _Part, index: int) -> list[Layer]:
    """Return the settings in the official image's own file, if it is there; some documents have a part of them."""
    if document.kind == "flinkdeployment" or not part.containers:
        return []
    own = {entry.key for entry in document.entries if entry.layer == THE_IMAGE}
    owner, place = (
        document,
        next((one.attributes["image"] for one in part.containers if "image" in one.attributes), None),
    )
    if not (own and document.whole and document.release is not None):
        if not _has_file_of_base(document, relation, part) or relation.dockerfile is None:
            return []
        owner = relation.dockerfile
        place = image_of(owner).attributes["from"]
    if place is None:
        return []
    made = []
    for key, text in docker_image.stock_settings(index).items():
        if key not in own:
            entry = Entry(key, text, text, place.span, place.span, place.raw, "implied")
            entry.layer = THE_IMAGE
            made.append(entry)
    return [Layer(owner, made, "")] if made else []


def _has_file_of_base(document: Document, relation: Relation, part: _Part) -> bool:
    """Return whether a process has the file of the official image, on which a Dockerfile of the repository is based."""
    dockerfile = relation.dockerfile
    if dockerfile is None or dockerfile.release is None or not reads_variables(document):
        return False
    image = image_of(dockerfile)
    is_replaced = any(mount.container == part.name and mount.is_read is not False for mount in relation.mounts)
    is_replaced = is_replaced or any(map(hides_files, part.containers))
    return is_official(image) and not image.has("unread-edits") and not is_replaced


# -- facts


def _image(document: Document, relation: Relation, part: _Part, settings: Mapping[str, Value]) -> Fact | None:
    found = _fact(document, part, "image", relation)
    if found is not None:
        return found
    for key in ("kubernetes.container.image.ref", "kubernetes.container.image"):
        if key in settings:
            return Fact(settings[key].text, settings[key].origin)
    return _fact(document, part, "base", relation) or _image_of_resource(document)


def _image_of_resource(document: Document) -> Fact | None:
    """Return the image that a custom resource names for all its processes."""
    for element in document.elements:
        for field in ("spec.image.name", "spec.image") if element.kind == "kubernetes-object" else ():
            if (attribute := element.attributes.get(field)) is not None:
                return _stated(document, attribute, field)
    return None


def _dockerfile(document: Document, relation: Relation, part: _Part) -> str | None:
    """Return the path of the Dockerfile that builds the image."""
    named = next((one.value("dockerfile") for one in part.containers if one.has("dockerfile")), None)
    if isinstance(named, str):
        return os.path.normpath(os.path.join(document.directory, named))
    return relation.dockerfile.path if relation.dockerfile is not None else None


def _fact(document: Document, part: _Part, name: str, relation: Relation | None = None) -> Fact | None:
    """Return what the first container that has an attribute says about it."""
    for container in part.containers:
        if (attribute := container.attributes.get(name)) is not None:
            owner = _owner(document, relation, container)
            return _stated(owner, attribute)
    return None


def _owner(document: Document, relation: Relation | None, container: Element) -> Document:
    """Return the document that has an element."""
    lower = relation.below if relation is not None else ()
    return next((one for one in (document, *lower) if any(each is container for each in one.elements)), document)


def _stated(document: Document, attribute: Attribute, layer: str = "") -> Fact:
    span = attribute.span
    return Fact(attribute.value, Origin(document, span, layer, attribute.raw, "", attribute.key_span))


def _service_account(document: Document, relation: Relation, settings: Mapping[str, Value]) -> Fact | None:
    for key in ("kubernetes.jobmanager.service-account", "kubernetes.service-account"):
        if key in settings:
            return Fact(settings[key].text, settings[key].origin)
    for element in document.elements:
        if element.kind == "kubernetes-object":
            for name, attribute in element.attributes.items():
                if name.endswith(".serviceAccountName"):
                    return _stated(document, attribute)
    return None


def _conf_dir(part: _Part, relation: Relation) -> str | None:
    if not part.containers:
        return None
    images = [] if relation.dockerfile is None else [image_of(relation.dockerfile)]
    where = "environment.FLINK_CONF_DIR"
    chosen = next((one.value(where) for one in (*part.containers, *images) if one.has(where)), None)
    return chosen if isinstance(chosen, str) else CONF_FOLDERS[0]


def _environment(document: Document, relation: Relation, part: _Part) -> dict[str, Fact]:
    """Return the variables of a process: those of its container, and of its image where the container has none."""
    found: dict[str, Fact] = {}
    for container in part.containers:
        for name, attribute in container.under("environment"):
            found.setdefault(name, _stated(_owner(document, relation, container), attribute))
    if relation.dockerfile is not None:
        for name, attribute in image_of(relation.dockerfile).under("environment"):
            found.setdefault(name, _stated(relation.dockerfile, attribute))
    return dict(sorted(found.items()))


def _arguments(document: Document, part: _Part) -> list[Fact]:
    for container in part.containers:
        words = container.listed("args")
        if words:
            return [_stated(document, word) for word in words]
    return []


def _ports(part: _Part) -> tuple[str, ...]:
    found = []
    for container in part.containers:
        for port in container.items("ports"):
            target, published = port.value("target"), port.value("published")
            if isinstance(target, str):
                found.append(target if published in (None, target, "") else f"{published}:{target}")
    return tuple(dict.fromkeys(found))
