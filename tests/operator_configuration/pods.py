"""Compares the main containers that flint reads from a resource with those in the operator's merged pod templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from flink_flint.linter.engine.discovery import Source, opened
from flink_flint.linter.flink.deployment.operator import MAIN_CONTAINER

PROCESSES = {"jobManager": "jobmanager", "taskManager": "taskmanager"}
"""The processes by the field that describes each of them."""

_KINDS = {"empty": "emptyDir"}

Container = dict[str, str | None]
"""Of a main container the image, the value of each variable, and the kind of volume at each path."""


def real_container(template: Mapping[str, Any] | None) -> Container:
    """Return what a merged pod template has for the main container, of which Flink takes the last one."""
    spec = (template or {}).get("spec") or {}
    kinds = {one["name"]: next((kind for kind in one if kind != "name"), None) for one in spec.get("volumes") or ()}
    found: Container = {}
    for container in [one for one in spec.get("containers") or () if one.get("name") == MAIN_CONTAINER][-1:]:
        if container.get("image"):
            found["image"] = container["image"]
        found.update({f"variable {one['name']}": one.get("value") for one in container.get("env") or ()})
        found.update(
            {f"volume at {one['mountPath']}": kinds.get(one["name"]) for one in container.get("volumeMounts") or ()}
        )
    return found


def read_containers(path: Path) -> dict[str, Container]:
    """Return what flint reads for the main container of each process of a file, by the field of the process."""
    source = opened(str(path), top=str(path.parent))
    assert isinstance(source, Source), path
    found: dict[str, Container] = {holder: {} for holder in PROCESSES}
    elements: Sequence[Any] = [one for document in source.documents() for one in document.elements_of("container")]
    for holder, process in PROCESSES.items():
        for element in elements:
            if element.name == process:
                found[holder].update(_container(element.attributes))
    return found


def _container(attributes: Mapping[str, Any]) -> Container:
    found: Container = {}
    for name, attribute in attributes.items():
        if name == "image":
            found[name] = attribute.value
        elif name.startswith("environment."):
            found[f"variable {name.partition('.')[2]}"] = attribute.value
        elif name.endswith(".target"):
            kind = attributes.get(f"{name.removesuffix('.target')}.kind")
            found[f"volume at {attribute.value}"] = None if kind is None else _KINDS[kind.value]
    return found
