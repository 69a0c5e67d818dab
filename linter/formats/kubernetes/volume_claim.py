"""Persistent volume claims, whose access modes define whether several nodes may mount a volume at once."""

from __future__ import annotations

from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element


def read(manifest: Manifest) -> list[Document]:
    """Return the document (without settings) for a volume claim, or nothing if its name or access modes are unknown."""
    name, modes = manifest.own_name, manifest.root.get("spec", "accessModes")
    if name is None or modes is None:
        return []
    attributes = {
        f"access[{number}]": Attribute(mode.text, mode.span, None, mode.raw)
        for number, mode in enumerate(modes.items())
        if mode.is_scalar
    }
    return [manifest.document_with(Element("volume-claim", name, manifest.head, attributes))]
