"""Deployments by Argo CD and Flux: charts with values, and Kustomize patches."""

from __future__ import annotations

from flink_flint.linter.formats.gitops import chart_releases
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.kustomize.kustomization import patched
from flink_flint.linter.model.document import Document


def read(manifest: Manifest) -> list[Document]:
    """Return the documents for chart values and inline patches of an Argo CD Application or a Flux Kustomization."""
    documents: list[Document] = []
    if manifest.kind == "Kustomization":
        spec = manifest.root.get("spec")
        holders = [] if spec is None else [spec]
    else:
        documents += chart_releases.read(manifest)
        sources = chart_releases.argo_sources(manifest.root)
        holders = [kustomize for one in sources if (kustomize := one.get("kustomize")) is not None]
    for holder in holders:
        documents += patched(manifest.path, manifest.text, manifest.file_format, holder)
    for document in documents:
        document.ignored = manifest.ignored
    return documents
