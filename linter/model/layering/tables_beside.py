"""Finds the scripts of a folder that declare the tables which other scripts there read and write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.filesystem.folders import absolute_path
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element


def tables_beside(documents: Sequence[Document]) -> Mapping[int, Sequence[Document]]:
    """Return the scripts that declare the tables of each script's queries, by the id of the script.

    A table counts only if one script of the folder declares it. A name with a catalog or a database, or of a table in a
    catalog that the script names, is not resolved.
    """
    folders: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if document.kind == "sql":
            folders[absolute_path(document.directory)].append(document)
    beside: dict[int, list[Document]] = {}
    for scripts in folders.values():
        if len(scripts) < 2:
            continue
        declared: dict[str, list[Document]] = defaultdict(list)
        for script in scripts:
            for name in {table.name for table in script.elements_of(("table",))}:
                declared[name].append(script)
        for script in scripts:
            own = {table.name for table in script.elements_of(("table",))}
            named = {name for query in script.elements_of(("query",)) for name in _names(query)} - own
            found = [declared[name][0] for name in sorted(named) if len(declared.get(name, ())) == 1]
            if found and not script.elements_of(("catalog",)):
                beside[id(script)] = list(dict.fromkeys(found))
    return beside


def _names(query: Element) -> Iterator[str]:
    """Yield the names, without a catalog, of the tables that a query reads and writes."""
    for name, attribute in query.attributes.items():
        if name.endswith("].name") and name.startswith(("sources[", "targets[")) and isinstance(attribute.value, str):
            in_catalog = f"{name.removesuffix('name')}catalog-type" in query.attributes
            if "." not in attribute.value and not in_catalog:
                yield attribute.value
