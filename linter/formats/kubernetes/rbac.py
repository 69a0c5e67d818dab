"""Service accounts, roles and role bindings: the permissions of pods in the Kubernetes API."""

from __future__ import annotations

from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.model.document import Document


def read(manifest: Manifest) -> list[Document]:
    """Return the document for an account, role, or binding, even if a template generates its name."""
    return [manifest.document_with(manifest.element)]
