"""Kafka topics that Strimzi manages: their partitions, for checking the sources and sinks that use the topics."""

from __future__ import annotations

from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.ascii_numbers import whole


def read(manifest: Manifest) -> list[Document]:
    """Return the document (without settings) for a Kafka topic, or nothing if a template generates its name."""
    name = manifest.root.string("spec", "topicName") or manifest.own_name
    spec = manifest.root.get("spec")
    if name is None:
        return []
    attributes: dict[str, Attribute] = {}
    entry = spec.entry("partitions") if spec is not None else None
    if entry is not None and entry[1].is_scalar:
        text = entry[1].text or ""
        count = whole(text) if len(text) < 9 else None
        attributes["partitions"] = Attribute(count, entry[1].span, entry[0], entry[1].raw)
    return [manifest.document_with(Element("kafka-topic", name, manifest.head, attributes))]
