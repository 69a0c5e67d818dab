"""ConfigMaps: a document for each configuration file of Flink or a job, and elements for logging configurations."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import ConfigurationFile
from flink_flint.linter.formats.flink_files.embedded_kind import syntax_of
from flink_flint.linter.formats.flink_files.embedding import Embedded
from flink_flint.linter.formats.kubernetes import statefun_module
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest, mentions_flink
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.spans import Span


def read(manifest: Manifest) -> list[Document]:
    """Return the documents for the Flink, job, script, and logging files in a ConfigMap."""
    data = manifest.root.get("data")
    if data is None or not data.is_mapping:
        return []
    documents: list[Document] = []
    logging: list[Element] = []
    logs = None
    modules: list[Document] = []
    others: list[tuple[str, Span, Value]] = []
    for key, span, value in data.pairs():
        if not value.is_scalar:
            continue
        if is_logging(key):
            logs = logs or span
            logging += logging_elements(key, value)
        elif (syntax := syntax_of(key, value.extract().text)) is not None:
            documents.append(_file(manifest, key, span, value, syntax))
        elif key == statefun_module.NAME and (module := statefun_module.module_document(manifest, span, value)):
            modules.append(module)
        elif "." in key:
            others.append((key, span, value))
    for document in documents:
        document.name = manifest.name if len(documents) == 1 else f"{manifest.name} {document.name}"
    if documents:
        documents[0].elements = [manifest.element, *logging]
    elif logs is not None and _is_flinks(manifest):
        documents.append(_logging(manifest, logs, logging))
    if others:
        from flink_flint.linter.formats.kubernetes.mounted_files import mounted_files

        documents += mounted_files(manifest, others)
    return documents + modules


def _file(manifest: Manifest, key: str, span: Span, value: Value, syntax: str) -> Document:
    return Embedded.of(
        manifest.path, manifest.text, manifest.file_format, value.extract(), syntax,
        style=value.style, whole=key != "FLINK_PROPERTIES", kind=_kind(manifest), name=key, span=span,
        ignored=manifest.ignored, platform="kubernetes",
    )  # fmt: skip


def _logging(manifest: Manifest, span: Span, elements: list[Element]) -> Document:
    return Document(
        manifest.path, manifest.text, manifest.file_format, ConfigurationFile(), syntax="map", kind=_kind(manifest),
        name=manifest.name, span=span, whole=False, elements=[manifest.element, *elements], ignored=manifest.ignored,
        platform="kubernetes",
    )  # fmt: skip


def _kind(manifest: Manifest) -> str:
    return "helm" if manifest.is_helm else "configmap"


# -- logging


def is_logging(name: str) -> bool:
    """Return whether a file name (possibly in a template tag) is that of a logging configuration."""
    return "log4j" in name or "logback" in name


def logging_elements(name: str, value: Value) -> Iterator[Element]:
    """Yield the elements for a logging configuration embedded in a scalar, with positions in the outer text."""
    extract = value.extract()
    if extract.text.lstrip("\ufeff \t\r\n").startswith("<") or name.endswith((".xml", ".yaml", ".yml", ".json")):
        from flink_flint.linter.formats.logging.logging_tree import elements_of
    else:
        from flink_flint.linter.formats.logging.logging_properties import elements_of
    for element in elements_of(extract.text, name):
        attributes = {
            key: attribute._replace(
                span=extract.span(attribute.span),
                key_span=None if attribute.key_span is None else extract.span(attribute.key_span),
            )
            for key, attribute in element.attributes.items()
        }
        yield Element(element.kind, element.name, extract.span(element.span), attributes)


def _is_flinks(manifest: Manifest) -> bool:
    """Return whether the object or its Helm template mentions Flink."""
    start, end = manifest.tree.span
    return mentions_flink(manifest.text[slice(*((0, None) if manifest.is_helm else (start, end)))])
