"""To be written."""

from __future__ import annotations

from linter.carriers.objects.manifest import Manifest
from linter.document import Document


def read(manifest: Manifest) -> list[Document]:
    """The documents of one object."""
    return []
