"""The module of Stateful Functions in a ConfigMap: its components by their kinds, and where it is not YAML."""

from __future__ import annotations

from flink_flint.linter.flink.parsed_file import ConfigurationFile
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

NAME = "module.yaml"
MENTIONED = regex(r"\bio\.statefun\.")
"""Matches the namespace of the kinds that Stateful Functions has itself."""


def module_document(manifest: Manifest, span: Span, value: Value) -> Document | None:
    """Return the document for a module of Stateful Functions; None if the text is not one."""
    extract = value.extract()
    if MENTIONED.search(extract.text) is None:
        return None
    elements: list[Element] = []
    for tree in read_trees(extract.text):
        kind = tree.root.get("kind") if tree.root is not None else None
        if kind is not None and kind.is_scalar and kind.text is not None:
            place = extract.span(kind.span)
            attribute = Attribute(kind.text, place, None, extract.outer[slice(*place)])
            elements.append(Element("statefun-component", kind.text, place, {"kind": attribute}))
        if tree.error is not None:
            start = min(tree.span.start + tree.error.at, max(0, len(extract.text) - 1))
            place = extract.span(Span(start, min(start + 1, len(extract.text))))
            attribute = Attribute(tree.error.problem, place)
            elements.append(Element("statefun-component", "", place, {"fault": attribute}))
    if not elements:
        return None
    return Document(
        manifest.path, manifest.text, manifest.file_format, ConfigurationFile(), syntax="map", kind="configmap",
        name=f"{manifest.name} {NAME}", span=span, whole=False, elements=elements, ignored=manifest.ignored,
        platform="kubernetes",
    )  # fmt: skip
