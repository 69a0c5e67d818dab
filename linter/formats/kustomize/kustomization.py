"""`kustomization.yaml`: ConfigMaps generated from literals, and inline patches.

Files that it refers to (`files`, `path`, `resources`) are read as separate files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.flink_files.embedded_kind import syntax_of
from flink_flint.linter.formats.flink_files.embedding import Embedded, entry_at
from flink_flint.linter.formats.flink_files.settings_map import SettingsMapFormat, read_mapping, read_text
from flink_flint.linter.formats.kubernetes.custom_resource import read_spec, release_of_spec
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_NAMES = ("kustomization.yaml", "kustomization.yml")
_MAKES = regex(r"^(?:configMapGenerator|patches|patchesStrategicMerge|patchesJson6902)[ \t]*:", re.MULTILINE)
_KINDS = {"FlinkDeployment": "flinkdeployment", "FlinkSessionJob": "flinksessionjob"}
_CONFIGURATION = "/spec/flinkConfiguration/"


class Kustomization(Grammatical, SettingsMapFormat):
    """Kustomization files that generate or patch Flink configuration."""

    kind = "configmap"

    def refuser(self, name: str) -> str:
        """Return "Kustomize refuses the file", for reports of a file that cannot be parsed."""
        return "Kustomize refuses the file"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file is a `kustomization.yaml` that generates or patches Flink configuration."""
        return name in _NAMES and "flink" in head.lower() and _MAKES.search(head) is not None

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each generated Flink file and for each inline patch of a Flink resource."""
        text = read_text(data)
        documents: list[Document] = []
        for tree in read_trees(text, is_rendered=is_rendered(path)):
            if tree.root is not None:
                documents += _generated(path, text, self, tree.root)
                documents += patched(path, text, self, tree.root)
        return documents

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return edits that add a setting; there are none for a JSON patch, which consists of operations."""
        return () if _is_of_operations(document) else super().add(document, key, value)

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return edits that remove a setting; there are none for a JSON patch, which consists of operations."""
        return () if _is_of_operations(document) else super().remove(document, entry)


def _is_of_operations(document: Document) -> bool:
    return not isinstance(document, Embedded) and not document.elements


def _items(root: Value, *names: str) -> Iterator[Value]:
    for name in names:
        found = root.get(name)
        if found is not None:
            yield from found.items()


# -- ConfigMaps


def _generated(path: str, text: str, file_format: Kustomization, root: Value) -> Iterator[Document]:
    for generator in _items(root, "configMapGenerator"):
        namespace = generator.string("namespace") or root.string("namespace") or "default"
        name = f"ConfigMap {namespace}/{generator.string('name') or '?'}"
        for literal in _items(generator, "literals"):
            extract = literal.extract()
            key, equals, value = extract.text.partition("=")
            syntax = syntax_of(key.strip(), value) if equals and "\n" in value.strip() else None
            if syntax is not None:
                start = len(key) + 1
                yield Embedded.of(
                    path, text, file_format, extract.part(Span(start, len(extract.text))), syntax, style=literal.style,
                    whole=generator.string("behavior") in (None, "create", "replace"), name=name,
                    span=extract.span(Span(0, len(key))), platform="kubernetes",
                )  # fmt: skip


# -- patches


def patched(path: str, text: str, file_format: FileFormat, root: Value) -> Iterator[Document]:
    """Yield a document for each inline patch of a Flink resource in `root`, which has a kustomization's fields."""
    for item in _items(root, "patches", "patchesJson6902", "patchesStrategicMerge"):
        patch = item.get("patch") if item.is_mapping else item
        if patch is None or not patch.is_scalar or "\n" not in patch.raw:
            continue
        extract = patch.extract()
        for tree in read_trees(extract.text, is_rendered=is_rendered(path)):
            if tree.root is None:
                continue
            if tree.root.is_sequence:
                yield from patch_operations(path, text, file_format, item.get("target"), extract, tree.root)
            elif (tree.root.string("kind") or "") in _KINDS:
                yield _merged(path, text, file_format, extract, tree.root, root.string("namespace"))


def _merged(
    path: str, text: str, file_format: FileFormat, extract: Extract, root: Value, namespace: str | None
) -> Document:
    """Return the document for a strategic merge patch."""
    kind = root.string("kind") or ""
    spec = root.get("spec")
    content = ConfigurationFile()
    if spec is not None:
        content = read_spec(spec, "spec", is_session_job=kind == "FlinkSessionJob")
    content.entries = [entry_at(entry, extract) for entry in content.entries]
    content.mark_overridden()
    named = root.entry("kind")
    span = extract.span(named[1].span if named else root.span)
    attributes = {
        name: attribute._replace(
            span=extract.span(attribute.span),
            key_span=None if attribute.key_span is None else extract.span(attribute.key_span),
        )
        for name, attribute in root.attributes().items()
    }
    where = root.string("metadata", "namespace") or namespace or "default"
    return Document(
        path, text, file_format, content, syntax="map", kind=_KINDS[kind], whole=False, platform="operator", span=span,
        name=f"{kind} {where}/{root.string('metadata', 'name') or '?'}",
        elements=[Element("kubernetes-object", kind, span, attributes)],
        release=release_of_spec(spec) if spec is not None else None,
    )  # fmt: skip


def patch_operations(
    path: str, text: str, file_format: FileFormat, target: Value | None, extract: Extract, operations: Value
) -> Iterator[Document]:
    """Yield the document for a JSON patch with the values that it writes to `flinkConfiguration`, if any.

    `target` is the object to be patched, as in a kustomization; `operations` is the patch, read from `extract`.
    """
    content = ConfigurationFile()
    for operation in operations.items():
        where, value = operation.get("path"), operation.get("value")
        pointer = where.text if where is not None else None
        if where is None or pointer is None or operation.string("op") not in ("add", "replace") or value is None:
            continue
        if pointer == _CONFIGURATION[:-1] and value.is_mapping:
            content.entries += [entry_at(entry, extract) for entry in read_mapping(value).entries]
            continue
        if not pointer.startswith(_CONFIGURATION) or not value.is_scalar or "/" in pointer[len(_CONFIGURATION) :]:
            continue
        written = pointer[len(_CONFIGURATION) :]
        made = value.raw if value.is_templated else value.text or ""
        end = where.span.end - (1 if where.style in ("single", "double") else 0)
        content.entries.append(
            entry_at(
                Entry(
                    written.replace("~1", "/").replace("~0", "~"), made, made, (end - len(written), end), value.span,
                    value.raw, value.style,
                ),
                extract,
            )
        )  # fmt: skip
    if content.entries:
        content.mark_overridden()
        kind, namespace, name = (
            target.string(field) if target is not None else None for field in ("kind", "namespace", "name")
        )
        kind = kind or "FlinkDeployment"
        yield Document(
            path, text, file_format, content, syntax="map", kind=_KINDS.get(kind, "flinkdeployment"), whole=False,
            platform="operator", name=f"{kind} {namespace or 'default'}/{name or '?'}",
        )  # fmt: skip


FILE_FORMAT = Kustomization()
