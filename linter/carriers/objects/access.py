"""Roles and who has them, for what pods ask of the Kubernetes API."""

from __future__ import annotations

from linter.carriers.objects.manifest import Manifest
from linter.document import Document
from linter.flink.entries import ConfigurationFile


def read(manifest: Manifest) -> list[Document]:
    """The document of a role or binding, which holds no settings of Flink; none where a template makes its name."""
    if manifest.own_name is None:
        return []
    return [
        Document(
            manifest.path, manifest.text, manifest.carrier, ConfigurationFile(), syntax="map", kind="other-cr",
            name=manifest.name, span=manifest.head, whole=False, platform="kubernetes", ignored=manifest.ignored,
            elements=[manifest.element],
        )
    ]  # fmt: skip
