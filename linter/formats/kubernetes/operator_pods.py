"""The pods that an operator creates for a custom resource, as elements of kind ``container``.

With Apache's operator, the main container of each process comes from its own pod template, merged into the common one.
Other operators build the containers from fields of their own (`declared_container`).
"""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.flink.deployment.operator import MAIN_CONTAINER, quantity
from flink_flint.linter.flink.operator.sizes import resource_memory
from flink_flint.linter.formats.kubernetes.pod_templates import pod_template
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.spans import Span

_PROCESSES = (("jobManager", "jobmanager"), ("taskManager", "taskmanager"))
_VOLUMES = {
    "emptyDir": "empty", "persistentVolumeClaim": "claim", "configMap": "config", "secret": "secret",
    "hostPath": "bind", "nfs": "nfs", "ephemeral": "ephemeral", "projected": "config", "downwardAPI": "config",
    "csi": "csi",
}  # fmt: skip
_SOURCES = ("claimName", "path", "server")
"""Fields by which two pods are known to use the same volume."""


def containers(spec: Value) -> list[Element]:
    """Return elements for the main containers of the JobManager and the TaskManager of a FlinkDeployment spec."""
    found = []
    for holder, process in _PROCESSES:
        template = pod_template(spec, holder)
        pod = template.get("spec") if template is not None else None
        if pod is None and spec.get(holder) is None:
            continue
        attributes = _attributes(spec, holder, process, pod)
        key = spec.entry(holder) or spec.entry("podTemplate")
        span = key[0] if key is not None else spec.span
        found.append(Element("container", process, span, attributes))
    return found


def declared_container(
    process: str, key: Span, image: tuple[Span, Value] | None, resources: Value | None, env: Sequence[Value],
    mounts: Value, volumes: Value,
) -> Element:  # fmt: skip
    """Return the element for a container that an operator builds from fields of a custom resource.

    `resources` are the requests and limits, `env` are lists of variables of which later ones count, `mounts` and
    `volumes` are the mappings that have the `volumeMounts` and the `volumes`.
    """
    attributes = {"role": Attribute(process, key, key, process)}
    _add(attributes, "image", image)
    for what in ("memory", "cpu"):
        limit = resources.get("limits", what) if resources is not None else None
        if limit is not None and limit.is_scalar:
            amount = quantity(limit.text) if limit.text is not None else None
            known = None if amount is None else int(amount) if what == "memory" else float(amount)
            attributes[what] = Attribute(known, limit.span, None, limit.raw)
    for variables in env:
        _environment(attributes, variables)
    named = {name: volume for volume in _members(volumes, "volumes") if (name := volume.string("name")) is not None}
    found: dict[str, tuple[Span, Value]] = {}
    _find_mounts(found, mounts)
    for number, (target, (span, mount)) in enumerate(found.items()):
        _mount(attributes, f"volumes[{number}]", target, span, mount, named.get(mount.string("name") or ""))
    return Element("container", process, key, attributes)


def _attributes(spec: Value, holder: str, process: str, pod: Value | None) -> dict[str, Attribute]:
    attributes: dict[str, Attribute] = {}
    holds = spec.entry(holder) or spec.entry("podTemplate")
    if holds is not None:
        attributes["role"] = Attribute(process, holds[0], holds[0], process)
    _add(attributes, "image", spec.entry("image"))
    memory = spec.get(holder, "resource")
    if memory is not None and (entry := memory.entry("memory")) is not None and entry[1].is_scalar:
        span, value = entry
        size = resource_memory(value.text) if value.text is not None else None
        attributes["memory"] = Attribute(size, value.span, span, value.raw)
    mounts: dict[str, tuple[Span, Value]] = {}
    volumes: dict[str, Value] = {}
    if pod is not None:
        volumes = {name: volume for volume in _members(pod, "volumes") if (name := volume.string("name")) is not None}
        main = [one for one in _members(pod, "containers") if one.string("name") == MAIN_CONTAINER]
        for container in main[-1:]:  # Flink takes the last one
            _add(attributes, "image", container.entry("image"))
            _container(attributes, mounts, container)
    for number, (target, (span, mount)) in enumerate(mounts.items()):
        _mount(attributes, f"volumes[{number}]", target, span, mount, volumes.get(mount.string("name") or ""))
    return attributes


def _container(attributes: dict[str, Attribute], mounts: dict[str, tuple[Span, Value]], container: Value) -> None:
    variables = container.get("env")
    if variables is not None:
        _environment(attributes, variables)
    arguments = container.get("args")
    for number, argument in enumerate(arguments.items() if arguments is not None else []):
        attributes[f"args[{number}]"] = Attribute(argument.text, argument.span, None, argument.raw)
    _find_mounts(mounts, container)


def _environment(attributes: dict[str, Attribute], variables: Value) -> None:
    for variable in variables.items():
        name, value = variable.string("name"), variable.entry("value")
        if name is None:
            continue
        if value is not None and value[1].is_scalar:
            attributes[f"environment.{name}"] = Attribute(value[1].text, value[1].span, value[0], value[1].raw)
        elif (source := variable.entry("valueFrom")) is not None:
            attributes[f"environment.{name}"] = Attribute(None, source[0], source[0])


def _find_mounts(mounts: dict[str, tuple[Span, Value]], holder: Value) -> None:
    for mount in _members(holder, "volumeMounts"):
        path = mount.entry("mountPath")
        if path is not None and path[1].is_scalar:
            mounts[path[1].text if path[1].text is not None else path[1].raw] = (path[0], mount)


def _mount(
    attributes: dict[str, Attribute], name: str, target: str, key: Span, mount: Value, volume: Value | None
) -> None:
    path = mount.get("mountPath")
    assert path is not None
    attributes[f"{name}.target"] = Attribute(path.text and target, path.span, key, path.raw)
    if volume is None:
        return
    for kind, span, what in volume.pairs():
        if kind not in _VOLUMES:
            continue
        attributes[f"{name}.kind"] = Attribute(_VOLUMES[kind], span, span, kind)
        source = next((found for field in _SOURCES if (found := what.entry(field)) is not None), None)
        if source is not None and source[1].is_scalar:
            attributes[f"{name}.source"] = Attribute(source[1].text, source[1].span, source[0], source[1].raw)
        return


def _members(value: Value, name: str) -> list[Value]:
    found = value.get(name)
    return [member for member in found.items() if member.is_mapping] if found is not None else []


def _add(attributes: dict[str, Attribute], name: str, entry: tuple[Span, Value] | None) -> None:
    if entry is not None and entry[1].is_scalar:
        attributes[name] = Attribute(entry[1].text, entry[1].span, entry[0], entry[1].raw)
