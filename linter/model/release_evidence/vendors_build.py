"""Determines whether a vendor builds the Flink that a document is for, from its image, its resource or its platform."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.flink.deployment.image_names import is_vendors_build
from flink_flint.linter.model.document import Document

_OF_CONFLUENT = ("platform.confluent.io/", "cmf.confluent.io/")
"""The API groups of Confluent Manager for Apache Flink, which runs Confluent's images."""


def is_of_confluent(document: Document) -> bool:
    """Return whether a document is a resource of Confluent Manager for Apache Flink."""
    versions = (one.value("apiVersion") for one in document.elements if one.kind == "kubernetes-object")
    return any(isinstance(version, str) and version.startswith(_OF_CONFLUENT) for version in versions)


def names_vendors_image(documents: Sequence[Document]) -> bool:
    """Return whether one of the documents names its Flink release by the image of a vendor's build."""
    spans = ((one.text, one.release_span) for one in documents)
    return any(span is not None and is_vendors_build(text[span.start : span.end]) for text, span in spans)
