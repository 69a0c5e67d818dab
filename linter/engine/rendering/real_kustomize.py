"""Builds kustomizations with the real kustomize, only if the user requests it; no file in a repository can enable it.

It gets the files that the kustomization names in the repository, with the restriction to its own folder and without
plug-ins, functions, Helm and remote bases; `isolated_programs` has what holds for all programs.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from flink_flint.linter.engine.rendering.isolated_programs import Programs, copy_files
from flink_flint.linter.engine.rendering.origins_of_lines import key_of, lines_of_keys
from flink_flint.linter.formats.kustomize.build import Build, BuiltObject
from flink_flint.linter.formats.kustomize.build_inputs import build_inputs
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

_SEPARATOR = regex(r"^---\n", re.MULTILINE)
_DEFINITION = regex(r"^kind: CustomResourceDefinition$", re.MULTILINE)
_HASH = regex(r"-[a-z0-9]{10}\Z")

_MAX_DEPTH = 80

Read = Callable[[str], "bytes | None"]


def build(programs: Programs, path: str, own: Build, read: Read) -> Build | None:
    """Return the result of `kustomize build` for the kustomization at `path`; None if kustomize fails or is missing.

    `own` is what flint makes of it, from which the places of equal lines are taken.
    """
    folder = path.rpartition("/")[0]
    files = build_inputs(folder, read) if programs.kustomize else None
    if files is None:
        return None
    with tempfile.TemporaryDirectory(prefix="flint-") as temporary:
        top = Path(temporary)
        if not copy_files(((name, name) for name in files), read, top / "tree"):
            return None
        place = f"./tree/{folder}" if folder else "./tree"
        output = programs.output_of([*programs.kustomize, "--load-restrictor=LoadRestrictionsRootOnly", place], top)
    if output is None:
        return None
    text = (read(path) or b"").decode("utf-8-sig", "surrogateescape")
    return Build(tuple(_objects(output, path, text, own)), (), tuple(dict.fromkeys((*own.files, *files))))


def _objects(output: str, path: str, kustomization: str, own: Build) -> Iterator[BuiltObject]:
    """Yield the objects that kustomize prints, without definitions of custom resources, as flint's own builds are."""
    keys = lines_of_keys(kustomization)
    known = {(one.kind, one.namespace, one.name): one for one in own.objects}
    plain = {(one.kind, one.namespace, one.plain_name): one for one in own.objects if one.plain_name != one.name}
    for part in _SEPARATOR.split(output):
        if _DEFINITION.search(part) is not None:
            continue
        root = _root(part)
        if root is None:
            continue
        kind, name = root.string("kind") or "", root.string("metadata", "name") or ""
        namespace = root.string("metadata", "namespace") or ""
        like = known.get((kind, namespace, name)) or plain.get((kind, namespace, _HASH.sub("", name)))
        if like is None:
            yield BuiltObject(RenderedText(_at_keys(part, path, keys)), kind, namespace, name, name, ())
            continue
        plain_name = name if like.plain_name == like.name else like.plain_name
        own_root = _root(like.text.text)
        text = (
            RenderedText(_Comparison(part, like.text).fragments(root, own_root)) if own_root is not None else like.text
        )
        yield BuiltObject(text, kind, namespace, name, plain_name, ())


def _root(text: str) -> Value | None:
    return next((tree.root for tree in read_trees(text, is_rendered=False) if tree.root is not None), None)


def _at_keys(text: str, path: str, keys: Mapping[str, Span]) -> Iterator[Fragment]:
    """Yield the lines of an object of which flint makes nothing, at the lines of the kustomization with their keys."""
    for line in text.splitlines(keepends=True):
        yield Fragment(line, Origin(path, keys.get(key_of(line) or "", Span(0, 1))))


class _Comparison:
    """The text of an object as kustomize prints it, with the places that flint's own object has for the same parts."""

    def __init__(self, text: str, own: RenderedText) -> None:
        self._text, self._own = text, own
        self._made: list[Fragment] = []
        self._at = 0

    def fragments(self, root: Value, own: Value) -> Sequence[Fragment]:
        """Return the text as fragments."""
        self._add(root, own, self._own.origin(own.span), 0)
        self._to(len(self._text))
        return self._made

    def _add(self, value: Value, own: Value | None, above: Origin | None, depth: int) -> None:
        """Add a value; what flint's own object does not have is where the next thing above it is."""
        if depth > _MAX_DEPTH:
            return
        if value.is_mapping:
            for key, span, inner in value.pairs():
                entry = own.entry(key) if own is not None and own.is_mapping else None
                at = above if entry is None else self._own.origin(entry[0]) or above
                self._put(span, entry[0] if entry is not None else None, at)
                self._add(inner, entry[1] if entry is not None else None, at, depth + 1)
        elif value.is_sequence:
            owns = own.items() if own is not None else []
            for number, item in enumerate(value.items()):
                self._add(item, owns[number] if number < len(owns) else None, above, depth + 1)
        else:
            is_like = own is not None and own.is_scalar
            at = self._own.origin(own.span) or above if own is not None and is_like else above
            self._put(value.span, own.span if own is not None and is_like else None, at)

    def _put(self, span: Span, own: Span | None, at: Origin | None) -> None:
        """Add a key or scalar: with the places of its parts where it is the same text, else at one place."""
        if span.start < self._at:
            return
        self._to(span.start)
        text = self._text[span.start : span.end]
        if own is not None and self._own.text[own.start : own.end] == text:
            self._made += self._own.part(own.start, own.end)
        else:
            self._made.append(Fragment(text, at))
        self._at = span.end

    def _to(self, end: int) -> None:
        if end > self._at:
            self._made.append(Fragment(self._text[self._at : end], None))
            self._at = end
