"""The files that `kustomize build` would read for a folder, so that it can be run on a copy of only these."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from flink_flint.linter.filesystem.folders import KUSTOMIZATIONS
from flink_flint.linter.formats.kustomize.build import FIELDS, Read, normal_path
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.text.lazy_regex import regex

_NESTED = ("resources", "bases", "components", "generators", "transformers", "validators")
"""Fields with files, with folders of other kustomizations, and with objects in place."""
_PLUGINS = ("generators", "transformers", "validators")
_FILES = ("crds", "configurations", "patchesStrategicMerge")
_WITHIN = ("patches", "patchesJson6902", "replacements", "openapi", "configMapGenerator", "secretGenerator")
_PATHS = ("path", "files", "envs", "env")
_NEEDS_HELM = ("helmCharts", "helmChartInflationGenerator")
_REMOTE = regex(r"(?:[^=]*=)?\s*[A-Za-z][A-Za-z0-9+.-]*:")
_FUNCTION = "config.kubernetes.io/function"
_MAX_FILES = 2_000
_MAX_WORDS = 20_000
_LONGEST = 500


class _Unusable(Exception):  # noqa: N818 - it says what the kustomization is
    """Raised if kustomize needs more than files of the repository."""


def build_inputs(folder: str, read: Read) -> list[str] | None:
    """Return the paths of the files to build a folder from; None if any is missing, remote, a plug-in, or needs Helm.

    What kustomize might understand in another way than flint counts as unusable as well: it would decide what to load.
    """
    try:
        return sorted(_Scan(read).files_of(folder))
    except _Unusable:
        return None


class _Scan:
    def __init__(self, read: Read) -> None:
        self._read = read
        self._files: set[str] = set()
        self._words = 0

    def files_of(self, folder: str) -> set[str]:
        seen = {folder}
        stack = [folder]
        while stack:
            for nested in self._kustomization(stack.pop()):
                if nested not in seen:
                    seen.add(nested)
                    stack.append(nested)
        return self._files

    def _kustomization(self, folder: str) -> list[str]:
        """Add the files of a kustomization; return the folders of those that it contains."""
        path = next((one for one in _named(folder) if self._read(one) is not None), None)
        if path is None:
            raise _Unusable
        root = self._root(path)
        nested: list[str] = []
        for key, value in _pairs(root):
            if key not in FIELDS or key in _NEEDS_HELM:  # Go reads keys of any case
                raise _Unusable
            if key in _NESTED:
                for item in value.items():
                    nested += self._nested(folder, item, is_plugin=key in _PLUGINS)
            elif key in _FILES:
                for item in value.items():
                    self._file(folder, item.text)
            elif key in _WITHIN:
                for text in _paths_in(value):
                    self._file(folder, text)
        return nested

    def _root(self, path: str) -> Value:
        self._add(path)
        text = (self._read(path) or b"").decode("utf-8-sig", "replace")
        trees = [
            tree for tree in read_trees(text, is_rendered=False) if tree.root is not None or tree.error is not None
        ]
        root = trees[0].root if len(trees) == 1 else None
        if root is None or not root.is_mapping:
            raise _Unusable
        return root

    def _nested(self, folder: str, item: Value, *, is_plugin: bool) -> Iterator[str]:
        text = item.text
        if is_plugin and text is not None and "\n" in text:
            self._plugin(folder, text)
            return
        path = self._place(folder, text)
        if self._read(path) is None:
            yield path
            return
        self._add(path)
        if is_plugin:
            self._plugin(folder, (self._read(path) or b"").decode("utf-8", "replace"))

    def _plugin(self, folder: str, text: str) -> None:
        """Add the files that the configuration of a built-in plug-in may name."""
        for tree in read_trees(text, is_rendered=False):
            if tree.root is None or _FUNCTION in text:
                raise _Unusable
            for word in self._scalars(tree.root):
                if _REMOTE.match(word) is not None and "//" in word:
                    raise _Unusable
                named = word.rpartition("=")[2]
                path = posixpath.normpath(posixpath.join(folder, named)) if named else ".."
                if not path.startswith(("..", "/")) and self._read(path) is not None:
                    self._add(path)

    def _scalars(self, value: Value) -> Iterator[str]:
        stack = [value]
        while stack:
            one = stack.pop()
            self._words += 1
            if self._words > _MAX_WORDS:
                raise _Unusable
            if one.is_mapping:
                stack += (inner for _, inner in _pairs(one))
            elif one.is_sequence:
                stack += one.items()
            elif one.text is not None and "\n" not in one.text and len(one.text) <= _LONGEST:
                yield one.text

    def _file(self, folder: str, text: str | None) -> None:
        if text is not None and "\n" in text:  # a patch in place
            return
        path = self._place(folder, text)
        if self._read(path) is None:
            raise _Unusable
        self._add(path)

    def _place(self, folder: str, text: str | None) -> str:
        """Return the path in the repository of what a kustomization names."""
        if not text or _REMOTE.match(text) is not None or text.startswith("/"):
            raise _Unusable
        path = normal_path(posixpath.join(folder, text.rpartition("=")[2]))
        if path is None:
            raise _Unusable
        return path

    def _add(self, path: str) -> None:
        self._files.add(path)
        if len(self._files) > _MAX_FILES:
            raise _Unusable


def _named(folder: str) -> Iterator[str]:
    return (posixpath.join(folder, name) for name in KUSTOMIZATIONS)


def _pairs(value: Value) -> list[tuple[str, Value]]:
    pairs = [(key, inner) for key, _, inner in value.pairs()]
    if len({key.lower() for key, _ in pairs}) < len(pairs):
        raise _Unusable
    return pairs


def _paths_in(value: Value) -> Iterator[str | None]:
    """Yield the texts of the fields that name files, in any of the mappings of a field."""
    for item in value.items() if value.is_sequence else (value,):
        for key, inner in _pairs(item) if item.is_mapping else ():
            if not key.isascii():
                raise _Unusable
            if key.lower() in _PATHS:
                yield from (one.text for one in inner.items()) if inner.is_sequence else (inner.text,)
