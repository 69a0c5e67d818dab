"""Edits of fixes, for tests: edits of single changes, and reports whose fixes have their edits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Problem, Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.make_edits import edits_of, resolve_fixes
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.model.finding import Operation
from flink_flint.linter.output.repository_paths import documents_to_fix
from flink_flint.linter.text.spans import Edit


def edits_for(document: Document, how: str, what: Entry | str, new: str = "") -> list[Edit] | None:
    """Return the verified edits that change an entry or add a key in the document's file; None if there are none."""
    at = None if isinstance(what, str) else what.key_span
    operation = Operation(how, document.number, what if isinstance(what, str) else what.key, new, at)
    edits = edits_of([operation], _documents(document.file_format, document.path, document.text)).get(operation)
    return None if edits is None else list(edits)


@lru_cache(maxsize=4)
def _documents(file_format: FileFormat, path: str, text: str) -> Sequence[Document]:
    return file_format.read(path, text.encode("utf-8", "surrogateescape"))


def checked(sources: Iterable[Source | Problem], options: Options) -> Report:
    """Return a report whose fixes have their edits."""
    report = check(sources, options)
    resolve_fixes(report.findings, documents_to_fix(report))
    return report
