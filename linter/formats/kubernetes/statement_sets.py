"""Custom resources with the SQL statements and the settings of one job, such as a BeamSqlStatementSet.

The settings are read as SET statements before the statements of a set, in one script.

Source: <https://github.com/IndustryFusion/DigitalTwin/tree/main/FlinkSqlServicesOperator>, whose operator joins the
statements to one statement set, and gives the settings to the session.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from flink_flint.linter.formats.inner_document import inner_documents
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.spans import Span

_SETTINGS, _STATEMENTS = ("sqlsettings", "sqlSettings"), ("sqlstatements", "sqlStatements")
_MOST = 500
_BEGIN, _END = "BEGIN STATEMENT SET;\n", "END;\n"


def read(manifest: Manifest) -> list[Document]:
    """Return the document for the script of a resource, or nothing if it has no statements."""
    spec = manifest.root.get("spec")
    statements = list(_values(spec, _STATEMENTS))
    if not statements:
        return []
    pieces: list[Piece] = []
    for value in _values(spec, _SETTINGS):
        for key, span, setting in value.pairs():
            pieces += _set(manifest, key, span, setting)
    first = statements[0].extract().span(Span(0, 1))
    pieces.append(Piece(_BEGIN, Span(first.start, first.start)))
    for value in statements[:_MOST]:
        extract = value.extract()
        pieces += extract.pieces
        end = extract.span(Span(0, len(extract.text))).end
        pieces.append(Piece("\n" if extract.text.rstrip().endswith(";") else "\n;\n", Span(end, end)))
    pieces.append(Piece(_END, Span(pieces[-1].span.end, pieces[-1].span.end)))
    script: FileFormat = import_module("flink_flint.linter.formats.sql.sql_script").FILE_FORMAT
    extract = Extract(manifest.text, pieces)
    found = inner_documents(manifest.path, manifest.text, manifest.file_format, extract, script, "statements.sql")
    for document in found:
        document.name, document.ignored = manifest.name, manifest.ignored
    return list(found)


def _values(spec: Value | None, names: tuple[str, ...]) -> Iterator[Value]:
    found = None if spec is None else next((one for name in names if (one := spec.get(name)) is not None), None)
    if found is not None and found.is_sequence:
        yield from (item for item in found.items() if item.is_mapping or item.is_scalar)
    elif found is not None and found.is_mapping:
        yield found


def _set(manifest: Manifest, key: str, span: Span, value: Value) -> Iterator[Piece]:
    """Yield the pieces of a SET statement for a setting."""
    if not value.is_scalar or value.text is None or "'" in value.raw or '"' in value.raw[1:-1] or "\n" in value.raw:
        return
    text = manifest.text
    own = Span(value.span.start + 1, value.span.end - 1) if value.raw[:1] == '"' else value.span
    yield Piece("SET '", Span(span.start, span.start))
    yield Piece(text[span.start : span.end].strip("\"'") if span.end > span.start else key, span)
    yield Piece("' = '", Span(span.end, span.end))
    yield Piece(text[own.start : own.end], own)
    yield Piece("';\n", Span(own.end, own.end))
