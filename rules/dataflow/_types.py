"""The classes of records over all programs of a project."""

from __future__ import annotations

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import ElementView

GENERIC = frozenset({
    *("List", "ArrayList", "LinkedList", "Map", "HashMap", "LinkedHashMap", "TreeMap", "Set", "HashSet", "TreeSet"),
    *("Object", "Collection", "Queue", "Deque", "ArrayDeque", "PriorityQueue", "Optional", "JSONObject", "JsonNode"),
    *("ObjectNode", "JsonObject", "GenericRecord", "UUID", "Iterable", "Serializable"),
})  # fmt: skip
"""Classes of the JDK and of JSON libraries that are generic types for Flink if no more is known of them."""


def classes(project: Project) -> dict[str, ElementView]:
    """Return the classes that Flink cannot serialize as POJOs, by name; none that is there twice."""
    found: dict[str, ElementView | None] = {}
    for view in project.views:
        for one in view.elements("record-class"):
            known = found.get(one.name)
            same = known is None or known.document.path == one.document.path
            found[one.name] = one if same and (one.name not in found or known is not None) else None
    return {name: one for name, one in found.items() if one is not None}


def stream_types(project: Project) -> dict[str, ElementView]:
    """Return the classes that streams have, by name, each with an element that says so; none with a serializer."""
    found: dict[str, ElementView] = {}
    served: set[str] = set()
    for view in project.views:
        for types in view.elements("stream-types"):
            for name, attribute in types.element.attributes.items():
                if attribute.value is False:
                    served.add(name)
                else:
                    found.setdefault(name, types)
    return {name: one for name, one in found.items() if name not in served}
