"""The values of the chart of the Flink Kubernetes Operator, as an element.

The chart's values are at the top of a values file, or under the name that another chart gives to it as a dependency.
They are recognized by keys that no other chart has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

OWN_KEYS = ("operatorHealth", "jobServiceAccount", "operatorServiceAccount", "operatorPod", "operatorVolumeMounts")
"""Keys of the chart's values that other charts do not have."""
_SHARED_KEYS = ("watchNamespaces", "defaultConfiguration", "operatorVolumes", "operatorSecurityContext", "jvmArgs")
"""Keys of the chart's values that charts of other operators may have."""
_FLINK_FILES = frozenset({"flink-conf.yaml", "config.yaml", "log4j-operator.properties"})
"""Keys of `defaultConfiguration` that are files of Flink."""
_OPERATOR = regex(r"(?i)flink[-_]?(?:kubernetes[-_]?)?operator")
_MAX_NODES = 200
_MAX_DEPTH = 4


def operator_values(root: Value, path: str, text: str) -> Iterator[tuple[Span, Element]]:
    """Yield an ``operator-values`` element for each mapping with values of the operator's chart, and its key."""
    if not any(f"{key}:" in text for key in (*OWN_KEYS, *_SHARED_KEYS)):
        return
    is_named = _OPERATOR.search(path) is not None or _OPERATOR.search(text) is not None
    stack: list[tuple[str, Span, Value]] = [("", Span(root.span.start, root.span.start), root)]
    for _ in range(_MAX_NODES):
        if not stack:
            return
        place, key, mapping = stack.pop()
        if _is_of_operator(mapping, is_named=is_named):
            yield key, Element("operator-values", place, key, mapping.attributes(empty=True))
        elif place.count(".") < _MAX_DEPTH:
            stack += [
                (f"{place}.{name}".strip("."), span, value) for name, span, value in mapping.pairs() if value.is_mapping
            ][::-1]


def _is_of_operator(mapping: Value, *, is_named: bool) -> bool:
    keys = {key for key, _, _ in mapping.pairs()}
    own, shared = keys.intersection(OWN_KEYS), keys.intersection(_SHARED_KEYS)
    image = mapping.get("image", "repository")
    if image is not None and re.search(r"flink\S*operator", image.raw) is not None:
        return bool(own or shared)
    defaults = mapping.get("defaultConfiguration")
    if defaults is not None and _FLINK_FILES.intersection(key for key, _, _ in defaults.pairs()):
        return True
    if is_named and (own or "watchNamespaces" in shared):
        return True
    return (bool(own) and len(own) + len(shared) > 1) or "operatorHealth" in own


def has_own_keys(head: str) -> bool:
    """Return whether the beginning of a values file has a key by which the operator's chart is recognized alone."""
    return "operatorHealth:" in head
