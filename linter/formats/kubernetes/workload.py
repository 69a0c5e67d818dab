"""Pods that run Flink without an operator: Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob, and Pod."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from flink_flint.linter.flink.deployment import docker_image
from flink_flint.linter.flink.deployment.operator import OPERATOR_NAME
from flink_flint.linter.flink.values import MAX_LONG
from flink_flint.linter.formats.containers.flink_container import Container, Place, commands_of, document_of
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.shell.command_line import ShellWord, whole_word
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.ascii_numbers import number
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_KINDS = {
    "Pod": ("spec",),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}
_TEMPLATE = ("spec", "template", "spec")
_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", *_KINDS)
_REFERENCE = regex(r"\$\(([\w.-]+)\)")
_VOLUMES = {
    "emptyDir": "empty", "persistentVolumeClaim": "claim", "configMap": "config", "secret": "secret",
    "hostPath": "bind", "nfs": "nfs", "ephemeral": "ephemeral", "projected": "config", "downwardAPI": "config",
    "csi": "csi",
}  # fmt: skip
_MAX_CONTAINERS = 50
_OF_CONTAINER = regex(r"spec\.template\.spec\.containers\[\d+\]\.(?:name|image|command\[\d+\])")


def read(manifest: Manifest) -> list[Document]:
    """Return a document for each Flink container in a workload."""
    containers = [one for one in _containers(manifest.root, manifest.kind) if one.runs_flink]
    if not containers:
        return _operator(manifest)
    neighbors = _neighbors(manifest.text, is_rendered=is_rendered(manifest.path))
    others = [element for span, element in neighbors if span != manifest.root.span]
    documents = []
    for container in containers:
        name = manifest.name if len(containers) == 1 else f"{manifest.name} {container.name}"
        place = Place(
            manifest.path, manifest.text, manifest.file_format, "helm" if manifest.is_helm else "compose", name,
            "kubernetes", None, manifest.ignored,
        )  # fmt: skip
        neighbors_in_pod = [one.element("neighbor") for one in containers if one is not container]
        document = document_of(place, [container], [manifest.element, *neighbors_in_pod, *others])
        document.span = manifest.head
        documents.append(document)
    return documents


def _operator(manifest: Manifest) -> list[Document]:
    """Return a document for a Deployment that runs an operator of Flink, as its name or a container's words show."""
    if manifest.kind != "Deployment":
        return []
    attributes = manifest.element.attributes
    words = (one.raw for name, one in attributes.items() if name == "metadata.name" or _OF_CONTAINER.match(name))
    return [manifest.document_with(manifest.element)] if any(map(OPERATOR_NAME.search, words)) else []


@lru_cache(maxsize=2)
def _neighbors(text: str, *, is_rendered: bool) -> tuple[tuple[Span, Element], ...]:
    """Return the containers in the whole file that run Flink, each with the span of its workload."""
    found: list[tuple[Span, Element]] = []
    for tree in read_trees(text, is_rendered=is_rendered):
        roots = [tree.root] if tree.root is not None else []
        for root in [*roots, *(item for one in roots for item in _items(one))]:
            kind = root.string("kind")
            if kind in _WORKLOADS and len(found) < _MAX_CONTAINERS:
                found += [(root.span, one.element("neighbor")) for one in _containers(root, kind) if one.runs_flink]
    return tuple(found)


def _items(root: Value) -> list[Value]:
    items = root.get("items")
    return items.items() if items is not None else []


def _containers(root: Value, kind: str) -> Iterator[Container]:
    spec = root.get(*_KINDS.get(kind, _TEMPLATE))
    if spec is None:
        return
    members = spec.get("containers")
    volumes = {name: volume for volume in _members(spec, "volumes") if (name := volume.string("name")) is not None}
    shared = spec.get("hostNetwork")
    found = [
        _container(value, volumes, root) for value in (members.items() if members is not None else [])[:_MAX_CONTAINERS]
    ]
    running = [container for container in found if container.runs_flink]
    for container in running:
        if shared is not None and shared.text != "false":
            container.network = Attribute("host", shared.span, None, shared.raw)
        elif len(running) > 1:
            container.network = Attribute("pod", container.span)
    yield from found


def _container(value: Value, volumes: dict[str, Value], root: Value) -> Container:
    named = value.get("name")
    name = named.text if named is not None else None
    container = Container(
        name or root.string("metadata", "name") or "?", named.span if named is not None else value.span
    )
    if (image := value.entry("image")) is not None:
        container.image = Attribute(image[1].text, image[1].span, image[0], image[1].raw)
    _read_environment(value, container)
    command, arguments = _words(value.get("command")), _words(value.get("args"))
    container.words = [*command, *arguments]
    container.commands = list(commands_of([container.words])) if container.words else []
    if command and not any("docker-entrypoint" in word.text for word in container.words):
        container.replaces_entrypoint = bool(container.commands)
    _read_ports(value, container)
    for mount in _members(value, "volumeMounts"):
        target = mount.entry("mountPath")
        if target is not None:
            container.volumes.append(_volume(mount, target, volumes))
    limit = value.get("resources", "limits", "memory")
    if limit is not None:
        container.memory = Attribute(_size(limit), limit.span, None, limit.raw)
    cpu = value.get("resources", "limits", "cpu")
    if cpu is not None and cpu.is_scalar:
        container.cpu = Attribute(cpu.text, cpu.span, None, cpu.raw)
    replicas = root.get("spec", "replicas")
    if replicas is not None and replicas.is_scalar:
        container.replicas = Attribute(replicas.text, replicas.span, None, replicas.raw)
    return container


def _members(value: Value, name: str) -> list[Value]:
    found = value.get(name)
    return found.items() if found is not None else []


def _words(value: Value | None) -> list[ShellWord]:
    return [] if value is None else [whole_word(item.extract(), item.span) for item in value.items() if item.is_scalar]


def _read_environment(value: Value, container: Container) -> None:
    sources = value.get("envFrom")
    container.is_complete = sources is None or (sources.is_scalar and sources.raw in ("", "null", "~"))
    for variable in _members(value, "env"):
        name, given = variable.entry("name"), variable.entry("value")
        if name is None or name[1].text is None:
            container.is_complete = False
            continue
        key = name[1].text
        if given is None or not given[1].is_scalar:
            container.environment[key] = Attribute(None, variable.span, name[1].span)
            continue
        extract = given[1].extract()
        hidden = tuple(Span(*found.span()) for found in _REFERENCE.finditer(extract.text))
        unknown = given[1].is_templated or bool(hidden)
        container.environment[key] = Attribute(
            None if unknown else extract.text, given[1].span, name[1].span, given[1].raw
        )
        if key == docker_image.PROPERTIES:
            container.properties, container.hidden = extract, hidden


def _read_ports(value: Value, container: Container) -> None:
    for port in _members(value, "ports"):
        found = {}
        for key, name in (("containerPort", "target"), ("hostPort", "published"), ("hostIP", "address")):
            entry = port.entry(key)
            if entry is not None and entry[1].is_scalar:
                found[name] = Attribute(entry[1].text, entry[1].span, entry[0], entry[1].raw)
        if found:
            container.ports.append(found)


def _volume(mount: Value, target: tuple[Span, Value], volumes: dict[str, Value]) -> dict[str, Attribute]:
    found = {"target": Attribute(target[1].text, target[1].span, target[0], target[1].raw)}
    read_only = mount.get("readOnly")
    if read_only is not None and read_only.text == "true":
        found["read-only"] = Attribute(True, read_only.span, None, read_only.raw)
    name = mount.get("name")
    volume = volumes.get(name.text) if name is not None and name.text is not None else None
    if name is None or volume is None:
        return found
    sub_path = mount.get("subPath")
    if sub_path is not None and sub_path.is_scalar:
        found["sub-path"] = Attribute(sub_path.text, sub_path.span, None, sub_path.raw)
    for key, child_span, child in volume.pairs():
        if key in _VOLUMES:
            found["kind"] = Attribute(_VOLUMES[key], child_span)
            found.update(_config_map(child if key == "configMap" else _only_config_map(child)))
            # Two volumes with this name are the same one in two pods; a pod's private volume has no such name.
            for field in ("claimName", "path", "server"):
                source = child.get(field)
                if source is not None and source.is_scalar:
                    found["source"] = Attribute(source.text, source.span, None, source.raw)
                    break
    return found


def _only_config_map(volume: Value) -> Value | None:
    """Return the ConfigMap of a projected volume if it has one."""
    named = [found for source in _members(volume, "sources") if (found := source.get("configMap")) is not None]
    return named[0] if len(named) == 1 else None


def _config_map(volume: Value | None) -> dict[str, Attribute]:
    """Return the name of a volume's ConfigMap, and the names that its keys have as files."""
    found: dict[str, Attribute] = {}
    name = volume.get("name") if volume is not None else None
    if volume is None or name is None or not name.is_scalar:
        return found
    found["config-map"] = Attribute(name.text, name.span, None, name.raw)
    for place, item in enumerate(_members(volume, "items")):
        for field in ("key", "path"):
            value = item.get(field)
            if value is not None and value.is_scalar:
                found[f"items[{place}].{field}"] = Attribute(value.text, value.span, None, value.raw)
    return found


def _size(value: Value) -> int | None:
    """Return the number of bytes of a Kubernetes quantity, or None if it is unknown."""
    match = re.fullmatch(r"([0-9.]+)([KMGTP]i?|k|)", value.text or "")
    amount = number(match[1]) if match is not None else None
    if match is None or amount is None or amount > MAX_LONG:
        return None
    power = " KMGTP".index(match[2][:1].upper() or " ")
    return int(amount * (1024 if match[2].endswith("i") else 1000) ** power)
