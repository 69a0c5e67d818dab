"""Finds the SQL scripts whose addresses are those of services in Compose files for development."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layering.layer_graph import repository_of_document
from flink_flint.linter.model.local_addresses import are_local

_SERVICES = ("container", "neighbor", "service")
_DEPLOYED = ("container", "kubernetes-object", "application", "emr-cluster")
_MARKS = ("with.", "properties.")


def scripts_for_development(documents: Sequence[Document]) -> frozenset[int]:
    """Return the ids of the SQL scripts that only reach services of the development Compose files of their repository.

    None in a repository that has another kind of deployment, which may have services of the same names.
    """
    services: dict[str | None, set[str]] = defaultdict(set)
    deployed: set[str | None] = set()
    for document in documents:
        if document.kind == "compose" and document.profile == "development":
            for element in document.elements_of(_SERVICES):
                names = (element.name, element.value("hostname"))
                services[repository_of_document(document)].update(
                    name.lower() for name in names if isinstance(name, str)
                )
        elif document.kind not in ("sql", "source", "logging") and document.elements_of(_DEPLOYED):
            deployed.add(repository_of_document(document))
    return frozenset(
        id(document)
        for document in documents
        if document.kind == "sql"
        and (repository := repository_of_document(document)) not in deployed
        and _reaches_only(document, services.get(repository, set()))
    )


def _reaches_only(document: Document, services: set[str]) -> bool:
    values = [
        attribute.value
        for element in document.elements_of(("table", "catalog"))
        for name, attribute in element.attributes.items()
        if name.startswith(_MARKS)
    ]
    if any(not isinstance(value, str) or is_templated(value) for value in values):
        return False
    return bool(services) and are_local((value for value in values if isinstance(value, str)), services)
