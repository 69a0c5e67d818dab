"""A job's Java properties with Flink settings, or with properties of Kinesis and Kafka clients."""

from __future__ import annotations

import os
import re
from itertools import islice

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS, ConfigurationFile
from flink_flint.linter.formats.job_config.client_properties import elements_of_group
from flink_flint.linter.formats.job_config.flink_sections import HINT, SettingLines, documents_of, read_text
from flink_flint.linter.formats.syntax.leaves import Leaf
from flink_flint.linter.formats.syntax.property_entries import escape, read_properties
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_MAX_ENTRIES = 20_000
_CLIENTS = regex(r"^[ \t]*(?:[\w.-]+\.)?flink\.(?:stream|shard|list)\.", re.MULTILINE)


class JavaProperties(SettingLines):
    """Java properties files, as ``java.util.Properties`` and Flink's ParameterTool load them."""

    comments = ("#", "!")

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file has two Flink keys with the same prefix, or keys of Flink's Kinesis consumer."""
        if HINT.search(head) is None and _CLIENTS.search(head) is None:
            return False
        return bool(self.parse(name, head.encode("utf-8", "surrogateescape")))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each prefix of Flink keys; clients become elements of the first document."""
        text = read_text(data)
        if len(text) > MAX_CHARACTERS:
            return []
        leaves = _leaves_of(text)
        clients = [(leaf.path[0], Attribute(leaf.value, leaf.value_span, leaf.spans[0], leaf.raw)) for leaf in leaves]
        name = os.path.basename(path).partition(".")[0]
        elements = elements_of_group(name, clients, Span(0, 0)) if _has_clients(text) else []
        documents = documents_of(self, path, text, leaves)
        if documents:
            documents[0].elements = elements
        elif elements:
            place, content = elements[0].span, ConfigurationFile()
            documents = [Document(path, text, self, content, syntax="map", elements=elements, whole=False, span=place)]
        return documents

    def spell(self, value: str, like: str) -> str | None:
        """Return `value` with the escapes that properties files require; never None."""
        return escape(value)


def _leaves_of(text: str) -> list[Leaf]:
    """Return the settings in `text`, except those with escapes in their keys."""
    return [
        Leaf((entry.key,), (entry.key_span,), entry.value, entry.value_span, entry.raw(text))
        for entry in islice(read_properties(text), _MAX_ENTRIES)
        if text[entry.key_span.start : entry.key_span.end] == entry.key
    ]


def _has_clients(text: str) -> bool:
    """Return whether `text` may contain properties of Kinesis consumers."""
    return _CLIENTS.search(text) is not None


FILE_FORMAT = JavaProperties()
