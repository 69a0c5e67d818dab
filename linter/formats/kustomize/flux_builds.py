"""Kustomizations of Flux: the folders that they deploy, and the variables that they fill in afterwards.

Flux builds the folder with kustomize and then replaces ``${name}`` in the result, as far as `postBuild` is set: with a
value of `substitute`, else with the default (``${name:=default}``), else with nothing. ``$${name}`` stays.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping

from flink_flint.linter.formats.kustomize.build import Read
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

_LARGEST = 1 << 20
_GROUP = b"kustomize.toolkit.fluxcd.io/"
_VARIABLE = regex(r"(\$?)\$\{([_A-Za-z]\w*)(?:(:?[=-])([^${}\n]*))?\}")
_MAX_BUILDS = 200


class FluxBuild(NamedTuple):
    """A folder that a Kustomization of Flux deploys."""

    folder: str
    source: str
    """The path of the file with Flux's Kustomization."""
    name: str
    variables: Mapping[str, Fragment] | None
    """The values of the variables that Flux fills in, each with its origin; None if Flux fills in nothing."""
    is_open: bool
    """Whether objects that may not be in the repository provide further variables."""


def flux_builds(paths: Iterable[str], read: Read) -> Iterator[FluxBuild]:
    """Yield the builds of the Kustomizations in files of a repository."""
    number = 0
    for path in paths:
        data = read(path) if path.endswith((".yaml", ".yml")) else None
        if data is None or len(data) > _LARGEST or _GROUP not in data:
            continue
        for tree in read_trees(data.decode("utf-8", "surrogateescape")):
            made = _build(path, tree.root) if tree.root is not None else None
            if made is not None and number < _MAX_BUILDS:
                number += 1
                yield made


def _build(path: str, root: Value) -> FluxBuild | None:
    if root.string("kind") != "Kustomization" or not (root.string("apiVersion") or "").startswith(_GROUP.decode()):
        return None
    named = root.get("spec", "path")
    folder = posixpath.normpath(((named.text if named is not None else ".") or "..").lstrip("/") or ".")
    if folder.startswith(".."):
        return None  # outside, or not known
    after = root.get("spec", "postBuild")
    given = after.get("substitute") if after is not None else None
    variables: dict[str, Fragment] = {}
    for key, _, value in given.pairs() if given is not None and given.is_mapping else ():
        if value.text is not None:
            variables[key] = Fragment(value.text, Origin(path, value.span))
    is_open = after is not None and after.get("substituteFrom") is not None
    name = root.string("metadata", "name") or ""
    return FluxBuild(
        "" if folder == "." else folder, path, name, variables if after is not None else None, is_open
    )  # fmt: skip


def filled_in(text: RenderedText, build: FluxBuild, is_quoted: Callable[[Origin], bool]) -> RenderedText:
    """Replace the variables in a built text by the values of a Flux build.

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
