"""Services that expose a JobManager outside of the cluster."""

from __future__ import annotations

from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex

_TYPES = ("NodePort", "LoadBalancer")
_JOBMANAGER = regex(r"(?i)job-?manager")
"""Matches the labels of a JobManager: those of the operators, of native Kubernetes and of Flink's documentation."""


def read(manifest: Manifest) -> list[Document]:
    """Return the document of a Service that exposes a JobManager outside of the cluster; empty for other Services."""
    spec = manifest.root.get("spec")
    selector = spec.get("selector") if spec is not None else None
    if spec is None or selector is None or spec.string("type") not in _TYPES:
        return []
    if not any(value.is_scalar and _JOBMANAGER.search(value.raw) for _, _, value in selector.pairs()):
        return []
    return [manifest.document_with(manifest.element)]
