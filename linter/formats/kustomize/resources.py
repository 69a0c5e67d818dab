"""Objects of a build, with their current and earlier names, and the list of all objects."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from flink_flint.linter.formats.kustomize.merge_keys import is_cluster_scoped
from flink_flint.linter.formats.kustomize.object_tree import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    Source,
    is_empty,
    is_missing,
    made_scalar,
    read_documents,
)
from flink_flint.linter.formats.kustomize.problems import Budget, Problem, Refused
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Origin

NO_NAMESPACE = "_non_namespaceable_"
_DEFINITION_KIND = "CustomResourceDefinition"
_SEPARATOR = regex(r"^---", re.MULTILINE)
_IS_DEFINITION = regex(r"^kind:[ \t]*[\"']?CustomResourceDefinition\b", re.MULTILINE)
_SPEC = regex(r"^(?:spec|status):.*\n(?:(?:[ \t#-].*)?\n|[ \t#-].*\Z)*", re.MULTILINE)


class Id(NamedTuple):
    """The identity of an object: group, version, kind, name, and namespace ("default" if it sets none)."""

    group: str
    version: str
    kind: str
    name: str
    namespace: str

    @property
    def is_cluster_scoped(self) -> bool:
        """Whether objects of this kind are known to have no namespace."""
        return self.namespace == NO_NAMESPACE


class Resource:
    """An object in a build, with its earlier identities and what is known about its name."""

    __slots__ = ("behavior", "gives_hash", "prefixes", "previous", "problems", "root", "suffixes")

    def __init__(self, root: Mapping) -> None:
        self.root = root
        self.previous: list[tuple[str, str, str]] = []
        """Namespace, name and kind before each change of them."""
        self.prefixes: list[str] = []
        self.suffixes: list[str] = []
        self.behavior = ""
        """Of a generated object: create, merge or replace."""
        self.gives_hash = False
        """Whether the name gets a hash of the contents."""
        self.problems: list[Problem] = []

    @property
    def kind(self) -> str:
        return self.root.text("kind")

    @property
    def name(self) -> str:
        return self.root.text("metadata", "name")

    @property
    def namespace(self) -> str:
        return self.root.text("metadata", "namespace")

    @property
    def is_definition(self) -> bool:
        """Whether the object is a custom resource definition, whose contents are not read."""
        return self.kind == _DEFINITION_KIND

    @property
    def origin(self) -> Origin:
        """The origin of the object's name, or of the whole object if it has no name."""
        name = self.root.get("metadata", "name")
        return name.origin if name is not None else self.root.origin

    def group_version(self) -> tuple[str, str]:
        """Return the API group (empty for the core group) and version."""
        group, slash, version = self.root.text("apiVersion").partition("/")
        return (group, version) if slash else ("", group)

    def id(self) -> Id:
        """Return the current identity of the object."""
        return Id(*self.group_version(), self.kind, self.name, self._effective(self.namespace, self.kind))

    def previous_ids(self) -> list[Id]:
        """Return the identities that the object had before changes of its name, namespace, or kind, oldest first."""
        group, version = self.group_version()
        return [Id(group, version, kind, name, namespace) for namespace, name, kind in self.previous]

    def original_id(self) -> Id:
        """Return the first identity of the object."""
        return self.previous_ids()[0] if self.previous else self.id()

    def ids(self) -> list[Id]:
        """Return the current identity and all earlier ones."""
        return [*self.previous_ids(), self.id()]

    def remember(self) -> None:
        """Record the current identity of the object as an earlier one, before the identity changes."""
        self.previous.append((self._effective(self.namespace, self.kind), self.name, self.kind))

    def _effective(self, namespace: str, kind: str) -> str:
        if is_cluster_scoped(self.root.text("apiVersion"), kind):
            return NO_NAMESPACE
        return namespace or "default"

    def set_metadata(self, key: str, value: Scalar | None) -> None:
        """Set a field of the object's metadata, or remove it if `value` is None."""
        metadata = self.root.made("metadata", self.root.origin)
        if value is None:
            metadata.remove(key)
        else:
            metadata.set(key, value)

    def strings(self, key: str) -> dict[str, str]:
        """Return the labels or annotations (`key`) of the object as plain strings."""
        found = self.root.mapping("metadata", key)
        if found is None:
            return {}
        return {name: value.text for name, value in found.values.items() if isinstance(value, Scalar)}

    def finish(self) -> None:
        """Convert all annotations to strings, or remove `annotations` if it is empty, as kustomize does at the end."""
        metadata = self.root.mapping("metadata")
        if metadata is None or "annotations" not in metadata.values:
            return
        annotations = metadata.values["annotations"]
        if is_empty(annotations) or not isinstance(annotations, Mapping):
            metadata.remove("annotations")
            return
        for key, value in annotations.values.items():
            if isinstance(value, Scalar):
                annotations.values[key] = made_scalar("", value.origin) if is_missing(value) and not value.text else (
                    value.with_kind("string")
                )  # fmt: skip


class ResourceList:
    """The objects of a build, in order, with an index of their current and earlier identities."""

    def __init__(self) -> None:
        self.resources: list[Resource] = []
        self._by_id: dict[Id, list[Resource]] | None = {}
        self._by_any_id: dict[Id, list[Resource]] | None = None

    def changed(self) -> None:
        """Discard the index of identities; must be called after names or objects were changed."""
        self._by_id = self._by_any_id = None

    def append(self, resource: Resource) -> None:
        """Add an object; raise `Refused` if the list already has an object with the same identity."""
        index = self._current()
        key = resource.id()
        if key in index:
            raise Refused(f"{key.kind} {key.name} exists already", resource.origin)
        index[key] = [resource]
        self.resources.append(resource)
        if self._by_any_id is not None:
            for one in dict.fromkeys(resource.ids()):
                self._by_any_id.setdefault(one, []).append(resource)

    def extend(self, resources: Iterable[Resource]) -> None:
        """Add objects; raise `Refused` if the list already has an object with the identity of one of them."""
        for resource in resources:
            self.append(resource)

    def replace(self, old: Resource, new: Resource) -> None:
        """Replace an object with another one."""
        self.resources[self.resources.index(old)] = new
        self.changed()

    def remove_empty(self) -> None:
        """Remove the objects that are empty because a patch has deleted them."""
        if any(not resource.root.values for resource in self.resources):
            self.resources = [resource for resource in self.resources if resource.root.values]
            self.changed()

    def with_current_id(self, key: Id) -> list[Resource]:
        """Return the objects whose current identity is `key`."""
        return self._current().get(key, [])

    def with_any_id(self, key: Id) -> list[Resource]:
        """Return the objects that have or had the identity `key`."""
        if self._by_any_id is None:
            self._by_any_id = defaultdict(list)
            for resource in self.resources:
                for one in dict.fromkeys(resource.ids()):
                    self._by_any_id[one].append(resource)
        return self._by_any_id.get(key, [])

    def _current(self) -> dict[Id, list[Resource]]:
        if self._by_id is None:
            self._by_id = defaultdict(list)
            for resource in self.resources:
                self._by_id[resource.id()].append(resource)
        return self._by_id


def _without_schemas(text: str) -> str:
    """Return a text of the same length in which the contents of custom resource definitions are comments."""
    if _DEFINITION_KIND not in text:
        return text
    parts: list[str] = []
    done = 0
    for end in [*(match.start() for match in _SEPARATOR.finditer(text)), len(text)]:
        if _IS_DEFINITION.search(text, done, end):
            for spec in _SPEC.finditer(text, done, end):
                parts += (text[done : spec.start()], "#" * (spec.end() - spec.start() - 1), "\n")
                done = spec.end()
        parts.append(text[done:end])
        done = end
    return "".join(parts)


def read_resources(source: Source, budget: Budget) -> list[Resource]:
    """Return the objects in a text; raise `Refused` if one lacks a kind or name, `NotKnown` for invalid YAML."""
    found: list[Resource] = []
    text = _without_schemas(source.text)
    if text != source.text:
        source = source.with_text(text)
    pending: list[Node] = read_documents(source, budget)
    place = 0
    while place < len(pending):
        node = pending[place]
        place += 1
        if is_empty(node):
            continue
        if not isinstance(node, Mapping) or not node.text("kind"):
            raise Refused("an object without a kind", node.origin)
        items = node.get("items")
        if node.text("kind").endswith("List") and "items" in node.values:
            if isinstance(items, Sequence):
                pending += items.items
            elif not is_missing(items):
                raise Refused("items that are no list", node.origin)
            continue
        if not node.text("metadata", "name") and not node.text("kind").endswith("List"):
            raise Refused("an object without a name", node.origin)
        found.append(Resource(node))
    return found
