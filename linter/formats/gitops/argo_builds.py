"""Folders that Applications of Argo CD build with kustomize, with the changes that `source.kustomize` makes.

Argo CD runs `kustomize edit` in the folder for prefixes, images, replicas, labels and annotations, and appends patches
and components to the kustomization. The address of the repository is not compared: a path with a kustomization in it
is the one that is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as List

from flink_flint.linter.formats.gitops.application_sets import filled_in_sets
from flink_flint.linter.formats.gitops.chart_releases import argo_sources
from flink_flint.linter.formats.gitops.deployed_builds import DeployedBuild, repository_folder
from flink_flint.linter.formats.gitops.parameter_sets import Repository
from flink_flint.linter.formats.kustomize.build import Read
from flink_flint.linter.formats.kustomize.object_tree import (
    Mapping,
    Node,
    RenderedSource,
    Scalar,
    Sequence,
    Source,
    is_missing,
    made_scalar,
    read_node,
)
from flink_flint.linter.formats.kustomize.problems import Budget, BuildError, NotKnown
from flink_flint.linter.formats.kustomize.scalar_types import BOOLEAN, INTEGER
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees

_LARGEST = 1 << 20
_MAX_BUILDS = 200
_MAX_NODES = 20_000
_SAME = ("namePrefix", "nameSuffix", "namespace", "commonLabels", "commonAnnotations", "patches", "components")
"""The fields that are those of a kustomization."""
_WITHOUT_EFFECT = (
    "version", "kubeVersion", "apiVersions", "forceCommonLabels", "forceCommonAnnotations", "labelWithoutSelector",
    "labelIncludeTemplates", "ignoreMissingComponents", "commonAnnotationsEnvsubst",
)  # fmt: skip
"""Fields that say how to apply others, or that matter to charts."""


def argo_builds(paths: Iterable[str], read: Read, everything: List[str] = ()) -> Iterator[DeployedBuild]:
    """Yield the folders that the Applications in files of a repository deploy, whatever tool Argo CD uses for them.

    `everything` are the paths of all files of the repository, which generators of ApplicationSets may list.
    """
    number = 0
    for path in paths:
        data = read(path) if path.endswith((".yaml", ".yml")) else None
        if data is None or len(data) > _LARGEST or b"argoproj.io/" not in data or b"Application" not in data:
            continue
        for source, root in _applications(path, data.decode("utf-8", "surrogateescape"), Repository(everything, read)):
            for made in _builds(path, source, root):
                number += 1
                if number > _MAX_BUILDS:
                    return
                yield made


def _applications(path: str, text: str, repository: Repository) -> Iterator[tuple[Source, Value]]:
    """Yield the Applications of a file, those of its ApplicationSets with their parameters filled in."""
    has_sets = "ApplicationSet" in text and "{{" in text
    for made in filled_in_sets(path, text, repository) if has_sets else ():
        source = RenderedSource(path, made)
        yield from ((source, root) for root in _roots(made.text))
    for root in _roots(text):
        kind = root.string("kind")
        if kind == "Application" or (kind == "ApplicationSet" and not has_sets):
            yield Source(path, text), root


def _roots(text: str) -> Iterator[Value]:
    for tree in read_trees(text):
        if tree.root is not None and tree.root.is_mapping:
            yield tree.root


def _builds(path: str, source: Source, root: Value) -> Iterator[DeployedBuild]:
    holder = root.get("spec", "template") if root.string("kind") == "ApplicationSet" else root
    name = (holder.string("metadata", "name") if holder is not None else None) or ""
    for given in argo_sources(root):
        folder = repository_folder(given.string("path") or "..")
        if folder is None or given.string("chart"):
            continue
        made = DeployedBuild(folder, path, name)
        kustomize = given.get("kustomize")
        if kustomize is None or not kustomize.is_mapping:
            yield made
            continue
        try:
            if "{{" in source.text[slice(*kustomize.span)]:
                raise NotKnown("a template is not filled in", source.origin(kustomize.span))
            changes = _changes(read_node(kustomize, source, Budget(_MAX_NODES, _LARGEST)))
        except BuildError:
            yield made._replace(is_known=False)
            continue
        yield made._replace(changes=changes if changes.values else None)


def _changes(given: Node) -> Mapping:
    """Return the fields of `source.kustomize` as fields of a kustomization; raise `NotKnown` for unknown ones."""
    made = Mapping(given.origin)
    assert isinstance(given, Mapping)
    for key, value in given.values.items():
        if is_missing(value) or key in _WITHOUT_EFFECT:
            continue
        at = given.keys[key]
        if key == "commonLabels" and _is_on(given, "labelWithoutSelector"):
            made.set("labels", Sequence([_labels(given, value)], value.origin), at)
        elif key in _SAME:
            made.set(key, value, at)
        elif key == "images" and isinstance(value, Sequence):
            made.set(key, Sequence([_image(item) for item in value.items], value.origin), at)
        elif key == "replicas" and isinstance(value, Sequence):
            made.set(key, Sequence([_replica(item) for item in value.items], value.origin), at)
        else:
            raise NotKnown(f"{key} is not known", at.origin)
    return made


def _is_on(given: Mapping, key: str) -> bool:
    return given.text(key).lower() == "true"


def _labels(given: Mapping, pairs: Node) -> Mapping:
    made = Mapping(pairs.origin)
    made.set("pairs", pairs)
    if _is_on(given, "labelIncludeTemplates"):
        made.set("includeTemplates", made_scalar("true", pairs.origin, BOOLEAN))
    return made


def _image(item: Node) -> Mapping:
    """Return ``name=new:tag``, ``name:tag`` or either with a digest as a member of a kustomization's `images`."""
    if not isinstance(item, Scalar) or "*" in item.text:
        raise NotKnown("an asterisk stands for what the kustomization has", item.origin)
    text, made = item.text, Mapping(item.origin)
    start = text.find("=") + 1
    at = text.find("@", start)
    end, key = at, "digest"
    if at < 0:
        at, key = text.rfind(":"), "newTag"
        end = at if at >= start and "/" not in text[at:] else len(text)
    if start:
        made.set("name", item.part(0, start - 1))
    made.set("newName" if start else "name", item.part(start, end))
    if end < len(text):
        made.set(key, item.part(end + 1, len(text)))
    return made


def _replica(item: Node) -> Node:
    """Return a member of a kustomization's `replicas`, with a number that may be written as a string."""
    count = item.get("count") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(count, Scalar):
        return item
    made = Mapping(item.origin)
    for key, value in item.values.items():
        made.set(key, count.with_kind(INTEGER) if value is count else value, item.keys[key])
    return made
