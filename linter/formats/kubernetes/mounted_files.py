"""Files in ConfigMaps that are not Flink's own: SQL scripts, programs, commands, and configuration of jobs."""

from __future__ import annotations

from importlib import import_module

from flink_flint.linter.formats.inner_document import inner_documents
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.text.spans import Span

_FORMATS = {
    "sql.sql_script": (".sql",),
    "source.python_program": (".py",),
    "job_config.hocon_job_config": (".conf", ".hocon"),
    "job_config.java_properties": (".properties",),
    "job_config.toml_job_config": (".toml",),
    "job_config.yaml_job_config": (".yaml", ".yml", ".json"),
    "shell.shell_script": (".sh", ".bash"),
}
"""The formats of inner files, by the ending of their names; Flink's own files and logging are read elsewhere."""
_MAX_FILES = 200


def mounted_files(manifest: Manifest, files: list[tuple[str, Span, Value]]) -> list[Document]:
    """Return the documents for files (name, span of the name, text), each read by the format that recognizes it.

    The name of a document begins with that of the ConfigMap and its key.
    """
    found: list[Document] = []
    for key, _, value in files[:_MAX_FILES]:
        extract = value.extract()
        file_format = _format_of(key, extract.text)
        if file_format is None:
            continue
        for document in inner_documents(
            manifest.path, manifest.text, manifest.file_format, extract, file_format, key, style=value.style
        ):
            document.name = " ".join(filter(None, (manifest.name, key, document.name)))
            document.ignored = manifest.ignored
            found.append(document)
    return found


def _format_of(name: str, text: str) -> FileFormat | None:
    head = text[: 64 * 1024]
    for module, endings in _FORMATS.items():
        if name.endswith(endings):
            file_format: FileFormat = import_module(f"flink_flint.linter.formats.{module}").FILE_FORMAT
            if file_format.recognize(name, head):
                return file_format
    return None
