"""Finds what deploys the programs of repositories that are known and use neither tables nor SQL."""

from __future__ import annotations

import os
from collections.abc import Sequence

from flink_flint.linter.filesystem.build_modules import BUILD_FILES, module_of
from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layering.layer_graph import by_repository

OF_TABLES = ("flink.table", "flink-table", "flink-sql", "sql-gateway", "sql-client")
"""What files contain that use tables: imports, artifacts and programs of Flink."""


def documents_without_sql(documents: Sequence[Document]) -> set[int]:
    """Return the ids of the other documents of repositories with programs of Flink that use neither tables nor SQL."""
    found: set[int] = set()
    for members in by_repository(documents).values():
        programs = [one for one in members if one.kind == "source" and one.elements_of(("job",))]
        if programs and not any(map(_uses_tables, members)) and not any(map(_is_built_with_tables, programs)):
            found.update(id(one) for one in members if one.kind != "source")
    return found


def _uses_tables(document: Document) -> bool:
    if document.kind == "sql" or document.elements_of(("table", "query")):
        return True
    return any(map(document.mentions, OF_TABLES))


def _is_built_with_tables(program: Document) -> bool:
    module = module_of(os.path.abspath(program.directory))
    return module is None or _depends_on_tables(module)


@remembered
def _depends_on_tables(module: str) -> bool:
    texts = [found_text(os.path.join(module, name)) or "" for name in names_in(module) if name in BUILD_FILES]
    return not texts or any(word in text for text in texts for word in OF_TABLES)
