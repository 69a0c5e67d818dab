"""What selects Flink's pods or leads to them: Services, their routes and monitors, and network policies."""

from __future__ import annotations

from functools import lru_cache

from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex

_FLINK = regex(r"(?i)(?<!sel)flink|job-?manager|task-?manager")
"""Matches the labels of Flink's pods: those of the operators, of native Kubernetes and of Flink's documentation."""
_MONITORS = ("ServiceMonitor", "PodMonitor")
_RUNS_FLINK = regex(
    r"""(?i)(?<![\w.-])kind["']?[ \t]*:[ \t]*["']?Flink\w|FLINK_PROPERTIES|(?<![\w.-])(?:job|task)manager(?![\w.-])"""
)
"""Matches what shows that a file has Flink's pods, so that Services beside them may select these by any labels."""


def read(manifest: Manifest) -> list[Document]:
    """Return the document for an object that, judging by its labels, text or file, may concern Flink's pods."""
    spec = manifest.root.get("spec")
    if spec is None:
        return []
    shown = [manifest.own_name or ""]
    if manifest.kind == "NetworkPolicy":
        return [manifest.document_with(manifest.element)] if _mentions_flink_pods(manifest.text) else []
    if manifest.kind in _MONITORS or manifest.kind == "Service":
        selector = spec.get("selector") if manifest.kind == "Service" else spec.get("selector", "matchLabels")
        if selector is None or not selector.is_mapping:
            return []
        shown += [value.raw for _, _, value in selector.pairs() if value.is_scalar]
    if not any(_FLINK.search(text) for text in shown) and not _runs_flink(manifest.text):
        return []
    return [manifest.document_with(manifest.element)]


@lru_cache(maxsize=1)
def _mentions_flink_pods(text: str) -> bool:
    """Return whether a file mentions Flink or its processes anywhere: in labels, ports, templates or comments."""
    return _FLINK.search(text) is not None


@lru_cache(maxsize=1)
def _runs_flink(text: str) -> bool:
    return _RUNS_FLINK.search(text) is not None
