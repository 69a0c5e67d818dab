"""Updates the fields that refer to other objects by name, after these objects were renamed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from flink_flint.linter.formats.kustomize.field_paths import FieldSpec, set_fields
from flink_flint.linter.formats.kustomize.field_specs import NameReference, name_references
from flink_flint.linter.formats.kustomize.object_tree import Mapping, Node, Scalar, Sequence, is_missing
from flink_flint.linter.formats.kustomize.problems import BuildError, Refused
from flink_flint.linter.formats.kustomize.resources import NO_NAMESPACE, Id, Resource


def update_references(resources: list[Resource], more: Iterable[NameReference] = ()) -> None:
    """Replace the old names of objects in the fields that refer to them; raise `Refused` if a name is ambiguous."""
    renamed: dict[str, list[Resource]] = defaultdict(list)
    for resource in resources:
        for name in dict.fromkeys(name for _, name, _ in resource.previous):
            renamed[name].append(resource)
    if not renamed:
        return
    by_kind: dict[str, list[tuple[NameReference, FieldSpec]]] = defaultdict(list)
    for reference in (*name_references(), *more):
        for spec in reference.referrers:
            by_kind[spec.kind].append((reference, spec))
    for resource in resources:
        first = resource.original_id()
        for reference, spec in (*by_kind[first.kind], *by_kind[""]) if first.kind else ():
            if spec.applies_to(first.group, first.version, first.kind):
                update = _Update(resource, reference, spec, renamed)
                try:
                    set_fields(resource, spec._replace(kind="", group="", version=""), update.set, resource.origin)
                except BuildError as error:
                    if error.problem.is_refusal:
                        raise
                    resource.problems.append(error.problem)


class _Update:
    """The update of one field of one object."""

    def __init__(
        self, referrer: Resource, reference: NameReference, spec: FieldSpec, renamed: dict[str, list[Resource]]
    ) -> None:
        self.referrer, self.reference, self.spec, self.renamed = referrer, reference, spec, renamed
        self.id = referrer.id()
        self.namespaces = _subject_namespaces(referrer)

    def set(self, node: Node) -> Node:
        """Return a field with the new name."""
        if is_missing(node):
            return node
        if isinstance(node, Scalar):
            found = self._found(node, None)
            return node if found is None or found.name == node.text else _name_of(found)
        if isinstance(node, Mapping):
            self._set_mapping(node)
            return node
        for place, item in enumerate(node.items):
            if isinstance(item, Sequence):
                raise Refused("a list of names contains a list", item.origin)
            node.items[place] = self.set(item)
        return node

    def _set_mapping(self, node: Mapping) -> None:
        name = node.get("name")
        if not isinstance(name, Scalar):
            raise Refused("a reference to an object has no name", node.origin)
        namespace = node.get("namespace")
        found = self._found(name, namespace.text if isinstance(namespace, Scalar) else None, by_namespace=True)
        if found is None or (found.name == name.text and not found.namespace):
            return
        node.set("name", _name_of(found))
        own = found.root.get("metadata", "namespace")
        if found.namespace and isinstance(own, Scalar):
            node.set("namespace", own)

    def _found(self, name: Scalar, namespace: str | None, *, by_namespace: bool = False) -> Resource | None:
        """Return the object that a name refers to, if it has been renamed."""
        candidates = [one for one in self.renamed.get(name.text, ()) if self._may_refer(one)]
        if namespace is not None:
            originals = [one for one in candidates if one.original_id().namespace == namespace]
            candidates = originals or [one for one in candidates if one.id().namespace == namespace]
        if len(candidates) == 1:
            return candidates[0]
        candidates = [one for one in candidates if _same_affixes(one, self.referrer, allows_empty=True)]
        if len(candidates) > 1:
            candidates = [one for one in candidates if _same_affixes(one, self.referrer, allows_empty=False)]
        if len(candidates) > 1 and len({(one.name, one.namespace if by_namespace else "") for one in candidates}) > 1:
            raise Refused(f"several objects may be meant by {name.text}", name.origin)
        return candidates[0] if candidates else None

    def _may_refer(self, target: Resource) -> bool:
        if not any(self._is_target(one) for one in target.previous_ids()):
            return False
        now = target.id()
        if self.id.is_cluster_scoped or now.is_cluster_scoped:
            return True
        if now.namespace == self.id.namespace:
            return True
        return now.kind == "ServiceAccount" and target.namespace in self.namespaces

    def _is_target(self, one: Id) -> bool:
        if not self.reference.targets(one.group, one.version, one.kind):
            return False
        if not self.spec.path.endswith("roleRef/name"):
            return True
        role = self.referrer.root.mapping("roleRef")
        if role is None or "apiGroup" not in role.values or "kind" not in role.values:
            return True
        group, kind = role.text("apiGroup"), role.text("kind")
        return group in ("", one.group) and kind in ("", one.kind)


def _name_of(resource: Resource) -> Scalar:
    name = resource.root.get("metadata", "name")
    assert isinstance(name, Scalar)
    return name


def _subject_namespaces(resource: Resource) -> set[str]:
    """Return the namespaces of the service accounts of a role binding."""
    subjects = resource.root.get("subjects") if resource.kind == "RoleBinding" else None
    if not isinstance(subjects, Sequence):
        return set()
    found = {
        item.text("namespace") for item in subjects.items
        if isinstance(item, Mapping) and item.text("kind") == "ServiceAccount"
    }  # fmt: skip
    return found - {"", NO_NAMESPACE}


def _same_affixes(one: Resource, other: Resource, *, allows_empty: bool) -> bool:
    return all(
        _same_ending(a, b) or (allows_empty and not (a and b))
        for a, b in ((one.prefixes, other.prefixes), (one.suffixes, other.suffixes))
    )


def _same_ending(one: list[str], other: list[str]) -> bool:
    if not one or not other:
        return not one and not other
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]
