"""The patches in a kustomization: strategic merge or JSON, inline or in files, with selectors for their objects."""

from __future__ import annotations

from flink_flint.linter.formats.kustomize.fields import flag, string, submapping
from flink_flint.linter.formats.kustomize.json_patch import patched
from flink_flint.linter.formats.kustomize.object_tree import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    Source,
    copied,
    is_empty,
    read_documents,
)
from flink_flint.linter.formats.kustomize.problems import Budget, Refused
from flink_flint.linter.formats.kustomize.resources import Resource, ResourceList, read_resources
from flink_flint.linter.formats.kustomize.selectors import Selector
from flink_flint.linter.formats.kustomize.strategic_merge import merged
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex

PATCH_FIELDS = ("path", "patch", "target", "options")
_TARGET_FIELDS = ("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector")
_OPTION_FIELDS = ("allowNameChange", "allowKindChange")
_IS_LIST = regex(r"(?:\s|#[^\n]*\n|---[^\n]*\n)*(?:\[|-[ \n])")


class Patch:
    """A patch in a kustomization: its target, and its inline text or the path of its file."""

    __slots__ = ("changes_kind", "changes_name", "inline", "is_json", "origin", "path", "remembers", "target")

    def __init__(self, item: Node, path: Scalar | None, inline: Scalar | None, target: Mapping | None) -> None:
        self.origin = item.origin
        self.path, self.inline = path, inline
        self.target = Selector(target) if target is not None else None
        self.changes_name = self.changes_kind = False
        self.is_json: bool | None = False
        """Whether it is a JSON patch; None if its text decides."""
        self.remembers = False
        """Whether objects that it changes as a JSON patch keep their names as earlier ones."""

    @classmethod
    def of(cls, item: Mapping, *, is_json: bool = False) -> Patch:
        """Return the patch for an item of `patches` (with `is_json`, `patchesJson6902`); raise `Refused` if invalid."""
        path, inline = string(item, "path"), string(item, "patch")
        if (path is None) == (inline is None):
            raise Refused("a patch needs either a path or a text", item.origin)
        target = submapping(item, "target", _TARGET_FIELDS)
        made = cls(item, path, inline, target)
        made.is_json = True if is_json else None
        made.remembers = not is_json
        options = submapping(item, "options", _OPTION_FIELDS)
        made.changes_name, made.changes_kind = flag(options, "allowNameChange"), flag(options, "allowKindChange")
        if is_json and (target is None or not target.text("name")):
            raise Refused("a JSON patch needs a target with a name", item.origin)
        return made

    def source(self) -> Source:
        """Return the text of an inline patch, as a source to read objects from."""
        assert self.inline is not None
        pieces = [piece for piece in self.inline.pieces() if piece.origin is not None]
        extract = Extract("", (Piece(piece.text, piece.origin.span) for piece in pieces if piece.origin is not None))
        return Source(self.origin.path, self.inline.text, extract)

    def may_change(self, resource: Resource) -> bool:
        """Return whether the patch, if its text is unknown, might change an object."""
        return self.target is None or self.target.selects(resource)


def apply_patch(resources: ResourceList, patch: Patch, source: Source, budget: Budget) -> None:
    """Apply a patch, whose text is `source`, to its target objects.

    Raises `Refused` if kustomize refuses it, and `NotKnown` if the result is not known.
    """
    is_json = patch.is_json
    if is_json is None:
        is_json = _IS_LIST.match(source.text) is not None
    if is_json:
        _apply_json(resources, patch, source, budget)
    else:
        _apply_merges(resources, patch, read_resources(source, budget), budget)


def _apply_json(resources: ResourceList, patch: Patch, source: Source, budget: Budget) -> None:
    documents = [document for document in read_documents(source, budget, is_yaml_1_1=True) if not is_empty(document)]
    if not documents or not isinstance(documents[0], Sequence):
        raise Refused("the patch is no list of operations", patch.origin)
    if patch.target is None:
        raise Refused("a JSON patch needs a target", patch.origin)
    for resource in _selected(resources, patch, budget):
        if patch.remembers:
            resource.remember()
        budget.spend(len(documents[0].items), patch.origin)
        patched(resource.root, documents[0], budget)
    resources.changed()


def _selected(resources: ResourceList, patch: Patch, budget: Budget) -> list[Resource]:
    assert patch.target is not None
    budget.spend(len(resources.resources), patch.origin)
    selected = [resource for resource in resources.resources if patch.target.selects(resource)]
    return [resource for resource in selected if not resource.is_definition]


def _apply_merges(resources: ResourceList, patch: Patch, merges: list[Resource], budget: Budget) -> None:
    if not merges:
        raise Refused("the patch is empty", patch.origin)
    if patch.target is not None:
        if len(merges) > 1:
            raise Refused("several patches cannot have one target", patch.origin)
        for resource in _selected(resources, patch, budget):
            copy = copied(merges[0].root, budget)
            assert isinstance(copy, Mapping)
            _merge(resource, copy, patch)
        resources.changed()
        return
    for merge in merges:
        found = resources.with_any_id(merge.id())
        if len(found) != 1:
            number = "no object" if not found else f"{len(found)} objects"
            raise Refused(f"there is {number} of the patch's kind, name and namespace", merge.origin)
        if found[0].is_definition:
            continue
        _merge(found[0], merge.root, patch)
        if patch.changes_name or patch.changes_kind:
            resources.changed()


def _merge(resource: Resource, merge: Mapping, patch: Patch) -> None:
    """Merge a patch into an object, which keeps its kind, name and namespace unless the patch may change them."""
    name, namespace = resource.root.get("metadata", "name"), resource.root.get("metadata", "namespace")
    version, kind = resource.root.get("apiVersion"), resource.root.get("kind")
    if patch.changes_name or patch.changes_kind:
        resource.remember()
    if patch.target is not None and version is not None:
        merge.set("apiVersion", version)
    result = merged(resource.root, merge)
    if result is None or not result.values:
        resource.root = Mapping(resource.root.origin)
        return
    resource.root = result
    if not patch.changes_kind and kind is not None:
        result.set("kind", kind)
    if not patch.changes_name and isinstance(name, Scalar):
        resource.set_metadata("name", name)
    resource.set_metadata("namespace", namespace if isinstance(namespace, Scalar) and namespace.text else None)
