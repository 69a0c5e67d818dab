"""Objects inside other objects: lists, templates, and objects that other controllers apply unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.syntax.yaml_tree import Value

_LISTS = {
    "List": ("items",),
    "ConfigMapList": ("items",),
    "Template": ("objects",),  # OpenShift
    "ManifestWork": ("spec", "workload", "manifests"),  # Open Cluster Management
}
_MAX_OBJECTS = 1_000
_MAX_DEPTH = 4


def objects_in(root: Value | None, depth: int = 0) -> Iterator[Value]:
    """Yield the object in a YAML document, or the objects in it if it is a list or a wrapper for other objects."""
    if root is None or depth > _MAX_DEPTH:
        return
    kind = root.string("kind") or ""
    members: list[Value] | None = None
    if kind in _LISTS:
        listed = root.get(*_LISTS[kind])
        members = listed.items() if listed is not None and listed.is_sequence else None
    elif kind == "Object" and (applied := root.get("spec", "forProvider", "manifest")) is not None:  # Crossplane
        members = [applied]
    if members is not None:
        for member in members[:_MAX_OBJECTS]:
            yield from objects_in(member, depth + 1)
    elif root.is_mapping:
        yield root
