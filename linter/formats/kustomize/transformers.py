"""Changes of all objects by a kustomization: namespace, names, labels, annotations, images, and replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from flink_flint.linter.formats.kustomize.field_paths import FieldSpec, set_fields
from flink_flint.linter.formats.kustomize.fields import number, string
from flink_flint.linter.formats.kustomize.object_tree import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    is_missing,
    joined,
    made_scalar,
    walk,
)
from flink_flint.linter.formats.kustomize.problems import Budget, Refused
from flink_flint.linter.formats.kustomize.resources import Resource, ResourceList
from flink_flint.linter.formats.kustomize.scalar_types import INTEGER, STRING
from flink_flint.linter.formats.kustomize.selectors import matcher
from flink_flint.linter.text.lazy_regex import regex

_NEVER_RENAMED = (("", "CustomResourceDefinition"), ("apiregistration.k8s.io", "APIService"), ("", "Namespace"))
_DIGEST = regex(r"@sha256:[a-zA-Z0-9_.{}-]*\Z")
_TAG = regex(r":[a-zA-Z0-9_.{}-]*\Z")
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


# -- namespace


def set_namespace(resources: ResourceList, namespace: Scalar, specs: Iterable[FieldSpec]) -> None:
    """Move all objects to a namespace; raise `Refused` if two objects then have the same identity."""
    for resource in resources.resources:
        resource.remember()
        if not resource.id().is_cluster_scoped:
            resource.set_metadata("namespace", namespace)
        is_binding = resource.kind in _BINDINGS
        subjects = resource.root.get("subjects") if is_binding else None
        for subject in subjects.items if isinstance(subjects, Sequence) else ():
            if isinstance(subject, Mapping) and subject.text("name") == "default":
                subject.set("namespace", namespace)
        for spec in specs:
            if spec.path == "metadata/namespace" or (is_binding and spec.path == "subjects/namespace"):
                continue
            if spec.path == "metadata/name" and resource.root.text("apiVersion") != "v1":
                continue
            set_fields(resource, spec, lambda node: _namespace_at(node, namespace), namespace.origin, creates=Scalar)
    resources.changed()
    _refuse_conflicts(resources)


def _namespace_at(node: Node, namespace: Scalar) -> Node:
    if not isinstance(node, Scalar):
        raise Refused("the field of a namespace is no scalar", node.origin)
    return namespace


def _refuse_conflicts(resources: ResourceList) -> None:
    for resource in resources.resources:
        if len(resources.with_current_id(resource.id())) > 1:
            raise Refused(f"there are two {resource.kind} {resource.name} in a namespace", resource.origin)


# -- names


def add_prefix(resources: ResourceList, prefix: Scalar, specs: Iterable[FieldSpec]) -> None:
    """Prepend a prefix to the names of all objects."""
    _add_affix(resources, specs, lambda name: joined(prefix, name), lambda one: one.prefixes, prefix.text)


def add_suffix(resources: ResourceList, suffix: Scalar, specs: Iterable[FieldSpec]) -> None:
    """Append a suffix to the names of all objects."""
    _add_affix(resources, specs, lambda name: joined(name, suffix), lambda one: one.suffixes, suffix.text)


def _add_affix(
    resources: ResourceList, specs: Iterable[FieldSpec], change: Callable[[Scalar], Scalar],
    affixes: Callable[[Resource], list[str]], text: str,
) -> None:  # fmt: skip
    def changed(node: Node) -> Node:
        if not isinstance(node, Scalar):
            raise Refused("a name is no scalar", node.origin)
        return change(node)

    for resource in resources.resources:
        first = resource.original_id()
        if any(group in ("", first.group) and kind == first.kind for group, kind in _NEVER_RENAMED):
            continue
        for spec in specs:
            if not spec.applies_to(first.group, first.version, first.kind):
                continue
            if spec.path == "metadata/name":
                affixes(resource).append(text)
                resource.remember()
            set_fields(resource, spec, changed, resource.origin)
    resources.changed()


# -- labels and annotations


def set_strings(
    resources: ResourceList, texts: dict[str, tuple[Scalar, Scalar]], specs: Iterable[FieldSpec], budget: Budget
) -> None:
    """Set labels or annotations in the fields listed in `specs`."""
    if not texts:
        return
    specs = tuple(specs)
    origin = next(iter(texts.values()))[0].origin
    by_kind: dict[str, list[FieldSpec]] = {}
    for spec in specs:
        by_kind.setdefault(spec.kind, []).append(spec)

    def changed(node: Node) -> Node:
        if not isinstance(node, Mapping):
            raise Refused("the labels or annotations of an object are no mapping", node.origin)
        for key, (at, value) in texts.items():
            node.set(key, value.with_kind(STRING), at)
        return node

    for resource in resources.resources:
        budget.spend(len(texts), origin)
        for spec in (*by_kind.get("", ()), *by_kind.get(resource.kind, ())):
            set_fields(resource, spec, changed, origin, creates=Mapping)


# -- images


def set_images(resources: ResourceList, images: list[Mapping], specs: Iterable[FieldSpec], budget: Budget) -> None:
    """Change the names, tags, and digests of images; the changes in `images` are applied one after another."""
    changes = [_image_change(image) for image in images]
    specs = tuple(specs)
    for resource in resources.resources:
        if resource.kind == "CustomResourceDefinition":
            continue
        containers = list(_containers(resource.root))
        budget.spend((len(containers) + len(specs)) * len(changes), images[0].origin)
        for change in changes:
            for container in containers:
                container.set("image", _changed_image(container.values["image"], change))
            for spec in specs:
                set_fields(resource, spec, lambda node: _changed_image(node, change), images[0].origin)  # noqa: B023


def _containers(root: Mapping) -> Iterator[Mapping]:
    """Yield the containers with an image anywhere in an object."""
    for node in walk(root):
        for field in ("containers", "initContainers") if isinstance(node, Mapping) else ():
            found = node.values.get(field) if isinstance(node, Mapping) else None
            for container in found.items if isinstance(found, Sequence) else ():
                if isinstance(container, Mapping) and "image" in container.values:
                    yield container


def _changed_image(node: Node, change: Callable[[Scalar], Scalar]) -> Node:
    if not isinstance(node, Scalar):
        raise Refused("an image is no scalar", node.origin)
    return node if is_missing(node) else change(node)


def _image_change(image: Mapping) -> Callable[[Scalar], Scalar]:
    name = string(image, "name")
    new_name, new_tag = string(image, "newName"), string(image, "newTag")
    digest, suffix = string(image, "digest"), string(image, "tagSuffix")
    matches = matcher(name.text, name.origin) if name is not None else "".__eq__

    def change(node: Scalar) -> Scalar:
        if not any(map(matches, _names(node.text))):
            return node
        old, tag, old_digest = split_image(node.text)
        parts: list[Scalar] = [new_name or made_scalar(old, node.origin)]
        if new_tag is not None:
            parts += (made_scalar(":", new_tag.origin), new_tag)
        elif digest is None and tag:
            parts.append(made_scalar(f":{tag}", node.origin))
        if new_tag is None and digest is None and suffix is not None:
            parts += (*(() if tag else (made_scalar(":", suffix.origin),)), suffix)
        elif digest is not None:
            parts += (made_scalar("@", digest.origin), digest)
        elif new_tag is None and old_digest:
            parts.append(made_scalar(f"@{old_digest}", node.origin))
        return joined(*parts)

    return change


def _names(image: str) -> Iterator[str]:
    """Yield an image without its digest and tag, in every way in which kustomize's pattern may divide it."""
    yield image
    for end in (_DIGEST, _TAG):
        if found := end.search(image):
            yield image[: found.start()]
            if end is _DIGEST and (tag := _TAG.search(image[: found.start()])):
                yield image[: tag.start()]


def split_image(image: str) -> tuple[str, str, str]:
    """Return the name, tag, and digest of an image; the tag and the digest are empty if missing."""
    slash = max(image.find("/"), 0)
    at, colon = image.find("@", slash), image.find(":", slash)
    if at >= 0 and (at < colon or colon < 0):
        return image[:at], "", image[at + 1 :]
    if colon < 0:
        return image, "", ""
    if at >= 0:
        return image[:colon], image[colon + 1 : at], image[at + 1 :]
    return image[:colon], image[colon + 1 :], ""


# -- replicas


def set_replicas(resources: ResourceList, replica: Mapping, specs: Iterable[FieldSpec]) -> None:
    """Set the replica count of the objects that `replica` names; raise `Refused` if none of them has such a field."""
    name, count = string(replica, "name"), number(replica, "count")
    wanted = name.text if name is not None else ""
    at = replica.get("count")
    value = made_scalar(str(count or 0), at.origin if at is not None else replica.origin, INTEGER)
    found = False
    for resource in resources.resources:
        ids = [one for one in resource.ids() if one.name == wanted]
        for spec in specs if ids else ():
            if any(spec.applies_to(one.group, one.version, one.kind) for one in ids):
                found = True
                set_fields(resource, spec, lambda node: _count_at(node, value), value.origin, creates=Scalar)
    if not found:
        raise Refused(f"there is no object {wanted} with replicas", replica.origin)


def _count_at(node: Node, value: Scalar) -> Node:
    if not isinstance(node, Scalar):
        raise Refused("the number of replicas is no scalar", node.origin)
    return value.in_place_of(node)
