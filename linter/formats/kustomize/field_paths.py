"""Field paths in kustomize's own configuration, such as ``spec/template/spec/containers[]/image``."""

from __future__ import annotations

from collections.abc import Callable

from flink_flint.linter.formats.kustomize.object_tree import Mapping, Node, Scalar, Sequence, is_missing, made_scalar
from flink_flint.linter.formats.kustomize.problems import Refused
from flink_flint.linter.formats.kustomize.resources import Resource
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Origin

Setter = Callable[[Node], Node]
"""A function that returns the replacement for the node at a path; it may return the same node."""


class FieldSpec(NamedTuple):
    """The path of a field in objects of a kind; an empty group, version, or kind matches any."""

    path: str
    kind: str = ""
    group: str = ""
    version: str = ""
    creates: bool = False

    def applies_to(self, group: str, version: str, kind: str) -> bool:
        """Return whether the path applies to objects of a group, version, and kind."""
        return (
            self.kind in ("", kind) and self.group in ("", group) and self.version in ("", version)
        )  # fmt: skip


def split_path(path: str, delimiter: str = "/") -> list[str]:
    r"""Split a path at each delimiter that is not escaped, as in ``\/``."""
    parts = path.split(delimiter)
    if len(parts) > 1 and parts[0] == "":
        parts = parts[1:]
    found = parts[:1]
    for part in parts[1:]:
        if found[-1].endswith("\\"):
            found[-1] = found[-1][:-1] + delimiter + part
        else:
            found.append(part)
    return found


def set_fields(
    resource: Resource,
    spec: FieldSpec,
    setter: Setter,
    origin: Origin,
    *,
    creates: type[Mapping | Scalar] | None = None,
) -> None:
    """Replace the nodes at the path of a field spec in an object, if the spec applies to the object's kind.

    A missing field is created if the path says so, as a node of the type `creates`, at the place `origin`. Raises
    `Refused` if the path leads into a scalar.
    """
    if spec.applies_to(*resource.group_version(), resource.kind):
        _set(resource.root, split_path(spec.path), setter, origin, creates if spec.creates else None)


def _set(node: Node, path: list[str], setter: Setter, origin: Origin, creates: type[Mapping | Scalar] | None) -> Node:
    if not path:
        return setter(node)
    if is_missing(node):
        return node
    if isinstance(node, Sequence):
        node.items = [_set(item, path, setter, origin, creates) for item in node.items]
        return node
    if not isinstance(node, Mapping):
        raise Refused("a field of the object is no mapping or list", node.origin)
    name = path[0].removesuffix("[]")
    field = node.values.get(name)
    if is_missing(field) and creates is not None and name == path[0]:
        is_scalar = len(path) == 1 and creates is Scalar
        field = made_scalar("", origin) if is_scalar else Mapping(origin)
    if field is not None:
        made = _set(field, path[1:], setter, origin, creates)
        if made is not node.values.get(name):
            node.set(name, made)
    return node
