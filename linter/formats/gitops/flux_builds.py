"""Flux Kustomizations: the folders that they deploy, and the variables that Flux substitutes after the build.

Flux builds the folder with kustomize and then replaces ``${name}`` in the result, as far as `postBuild` is set: with
a value of `substitute`, else of the ConfigMaps and Secrets in `substituteFrom` (the last one wins), else with the
default (``${name:=default}``), else with nothing. ``$${name}`` stays. Secrets, and ConfigMaps that the repository
does not have, are unknown: they may have any variable that is not known from elsewhere.

Before the build, Flux writes the patches, images, components, prefixes and the target namespace of its Kustomization
into that of the folder.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from flink_flint.linter.formats.gitops.deployed_builds import DeployedBuild, repository_folder
from flink_flint.linter.formats.kustomize.build import Read
from flink_flint.linter.formats.kustomize.object_tree import Mapping as MappingNode
from flink_flint.linter.formats.kustomize.object_tree import Source, is_missing, made_scalar, read_node
from flink_flint.linter.formats.kustomize.problems import Budget, BuildError, NotKnown
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

_LARGEST = 1 << 20
_GROUP = b"kustomize.toolkit.fluxcd.io/"
_VARIABLE = regex(r"(\$?)\$\{([_A-Za-z]\w*)(?:(:?[=-])([^${}\n]*))?\}")
_OLD_PATCHES = ("patchesStrategicMerge", "patchesJson6902")
_CHANGES = {
    "targetNamespace": "namespace",
    **{key: key for key in ("namePrefix", "nameSuffix", "patches", "images", "components", *_OLD_PATCHES)},
}
"""The fields that change a kustomization, and that of the kustomization which they set."""
_MAX_NODES = 20_000
_MAX_BUILDS = 200
_MAX_SOURCES = 20
_MAX_ALIKE = 100


def flux_builds(
    paths: Iterable[str], read: Read, manifests: Callable[[], Iterable[str]] | None = None
) -> Iterator[DeployedBuild]:
    """Yield the folders that the Flux Kustomizations in files of a repository deploy.

    `manifests` returns the files that ConfigMaps may be in, by default `paths`.
    """
    number = 0
    paths = list(paths)
    config_maps = _ConfigMaps(manifests or (lambda: paths), read)
    for path in paths:
        data = read(path) if path.endswith((".yaml", ".yml")) else None
        if data is None or len(data) > _LARGEST or _GROUP not in data:
            continue
        source = Source(path, data.decode("utf-8", "surrogateescape"))
        for tree in read_trees(source.text):
            made = _build(source, tree.root, config_maps) if tree.root is not None else None
            if made is not None and number < _MAX_BUILDS:
                number += 1
                yield made


class _ConfigMap(NamedTuple):
    path: str
    namespace: str | None
    variables: Mapping[str, Fragment]


class _ConfigMaps:
    """The ConfigMaps of the repository, which are read once, when somebody uses one."""

    def __init__(self, manifests: Callable[[], Iterable[str]], read: Read) -> None:
        self._manifests, self._read = manifests, read

    def variables(self, name: str, namespace: str, path: str) -> Mapping[str, Fragment] | None:
        """Return the data of the ConfigMap with a name that is nearest to a file; None if no single one is."""
        folders = posixpath.dirname(path).split("/")
        nearest: list[Mapping[str, Fragment]] = []
        best = 0
        for one in self._by_name.get(name, ()):
            near = len(posixpath.commonprefix([folders, posixpath.dirname(one.path).split("/")]))
            if one.namespace in (None, namespace) and near >= best:
                nearest = [*(nearest if near == best else ()), one.variables]
                best = near
        return nearest[0] if len(nearest) == 1 else None

    @cached_property
    def _by_name(self) -> dict[str, list[_ConfigMap]]:
        found: dict[str, list[_ConfigMap]] = {}
        for path in self._manifests():
            data = self._read(path) if path.endswith((".yaml", ".yml")) else None
            if data is None or len(data) > _LARGEST or b"ConfigMap" not in data:
                continue
            for tree in read_trees(data.decode("utf-8", "surrogateescape")):
                root = tree.root
                if root is None or root.string("kind") != "ConfigMap":
                    continue
                made = found.setdefault(root.string("metadata", "name") or "", [])
                if len(made) < _MAX_ALIKE:
                    made.append(
                        _ConfigMap(path, root.string("metadata", "namespace"), _fragments(path, root.get("data")))
                    )
        return found


def _fragments(path: str, given: Value | None) -> dict[str, Fragment]:
    pairs = given.pairs() if given is not None and given.is_mapping else ()
    return {key: Fragment(value.text, Origin(path, value.span)) for key, _, value in pairs if value.text is not None}


def _build(source: Source, root: Value, config_maps: _ConfigMaps) -> DeployedBuild | None:
    if root.string("kind") != "Kustomization" or not (root.string("apiVersion") or "").startswith(_GROUP.decode()):
        return None
    named = root.get("spec", "path")
    folder = repository_folder((named.text if named is not None else ".") or "..")
    if folder is None:
        return None
    path = source.path
    after = root.get("spec", "postBuild")
    variables: dict[str, Fragment] = {}
    is_open = False
    sources = after.get("substituteFrom") if after is not None else None
    for item in sources.items()[:_MAX_SOURCES] if sources is not None else ():
        is_map = item.string("kind") == "ConfigMap"
        namespace = root.string("metadata", "namespace") or ""
        found = config_maps.variables(item.string("name") or "", namespace, path) if is_map else None
        is_open |= found is None
        variables |= found or {}
    variables |= _fragments(path, after.get("substitute") if after is not None else None)
    name = root.string("metadata", "name") or ""
    made = DeployedBuild(folder, path, name, variables if after is not None else None, is_open)
    try:
        changes = _changes(root, source)
    except BuildError:
        return made._replace(is_known=False)
    return made._replace(changes=changes)


def _changes(root: Value, source: Source) -> MappingNode | None:
    """Return the fields that Flux writes into a kustomization; raise `BuildError` if they are not known."""
    spec = root.get("spec")
    made: MappingNode | None = None
    for key, span, value in spec.pairs() if spec is not None and spec.is_mapping else ():
        if key not in _CHANGES:
            continue
        if "{{" in source.text[slice(*value.span)] or key in _OLD_PATCHES:
            raise NotKnown(f"{key} is not read", source.origin(value.span))
        node = read_node(value, source, Budget(_MAX_NODES, _LARGEST))
        if not is_missing(node):
            made = made if made is not None else MappingNode(node.origin)
            made.set(_CHANGES[key], node, made_scalar(key, source.origin(span)))
    return made


def filled_in(text: RenderedText, build: DeployedBuild, is_quoted: Callable[[Origin], bool]) -> RenderedText:
    """Replace the variables in the text of a built object by their values in a Flux build.

    `is_quoted` says whether a scalar at a place is in quotes: other values have the type that they are written as.
    """
    if build.variables is None or "${" not in text.text:
        return text
    fragments: list[Fragment] = []
    done = 0
    for match in _VARIABLE.finditer(text.text):
        escape, name, _, default = match.groups()
        value = build.variables.get(name)
        if not escape and value is None and build.is_open:
            continue
        start, end = match.span()
        origin = text.origin(Span(start, end))
        if escape:
            new = Fragment(match[0][1:], origin)
        else:
            new = value if value is not None and value.text else Fragment(default or "", origin)
        is_whole = text.text[start - 1 : start] == '"' and text.text[end : end + 1] == '"'
        if is_whole and (origin is None or not is_quoted(origin)):
            start, end = start - 1, end + 1
        fragments += [*text.part(done, start), new]
        done = end
    return RenderedText([*fragments, *text.part(done, len(text.text))])
