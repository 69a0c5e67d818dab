"""A job's YAML or JSON configuration with a section of Flink keys, and property groups in JSON.

Managed Service for Apache Flink passes property groups to a program. In source repositories, they are in files such
as ``flink-application-properties-dev.json``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS, ConfigurationFile, Entry
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.flink_files.settings_map import SettingsMapFormat
from flink_flint.linter.formats.job_config.client_properties import elements_of_group
from flink_flint.linter.formats.job_config.flink_sections import HINT, documents_of, read_text, sections
from flink_flint.linter.formats.job_config.hocon_job_config import quoted
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.syntax.leaves import Leaf
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.document import Document, Ways
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit, Span

_GROUPS = regex(r'"PropertyGroupId"\s*:')
_OTHERS = regex(
    r"^(?:apiVersion|kind|services|openapi|swagger|AWSTemplateFormatVersion|Resources|on|jobs|stages)[ \t]*:",
    re.MULTILINE,
)
"""Top-level keys of other kinds of files, which are not read as a job's configuration."""
_JSON_PLAIN = regex(r"-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false")
_MAX_VALUES = 20_000
_MAX_DEPTH = 30


class JobConfig(Grammatical, SettingsMapFormat):
    """YAML and JSON files that contain Flink settings at any depth, in addition to other content."""

    kind = "properties"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file has a section with two Flink keys, or property groups for sources or sinks."""
        if name.endswith(".json") and _GROUPS.search(head):
            return bool(self.parse(name, head.encode("utf-8", "surrogateescape")))
        if HINT.search(head) is None or _OTHERS.search(head):
            return False
        return bool(sections(_leaves(head, is_rendered=is_rendered(name))))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each section with Flink settings, or for each property group of Flink or a client."""
        text = read_text(data)
        if len(text) > MAX_CHARACTERS:
            return []
        if path.endswith(".json") and _GROUPS.search(text):
            return self._groups(path, text)
        return documents_of(self, path, text, _leaves(text, is_rendered=is_rendered(path)))

    def _groups(self, path: str, text: str) -> list[Document]:
        """Return the documents for a file that is a list of property groups."""
        documents = []
        local = "development" if re.search(r"\b(?:dev|local|test)\b", os.path.basename(path)) else None
        for tree in read_trees(text, is_rendered=is_rendered(path)):
            for group in tree.root.items() if tree.root is not None else []:
                name, properties = group.get("PropertyGroupId"), group.get("PropertyMap")
                if name is None or properties is None or name.text is None:
                    continue
                pairs, leaves = [], []
                for key, span, value in properties.pairs():
                    if value.is_scalar:
                        pairs.append((key, Attribute(value.text, value.span, span, value.raw)))
                        leaves.append(_leaf((key,), (span,), value))
                content = ConfigurationFile()
                for section in sections(leaves):
                    content.entries += section.entries
                content.mark_overridden()
                elements = elements_of_group(name.text, pairs, name.span)
                if content.entries or elements:
                    document = Document(
                        path, text, self, content,
                        syntax="map", kind="properties", name=f"property group {name.text}", elements=elements,
                        whole=False, span=name.span, platform="msf", profile=local,
                    )  # fmt: skip
                    documents.append(document)
        return documents

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return edits that replace a value; in JSON, all new values except numbers, true, and false are quoted."""
        if not _is_json(document):
            return super().replace(document, entry, value)
        spelled = value if entry.style == "plain" and _JSON_PLAIN.fullmatch(value) else quoted(value)
        if spelled is None or entry.style not in ("plain", "double"):
            return ()
        edits = [Edit(entry.value_span, spelled)]
        return promises(document, edits, document.changes(entry, (entry.key, value)))

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return edits that add a setting to a YAML file; there are none for JSON."""
        return () if _is_json(document) else super().add(document, key, value)


def _is_json(document: Document) -> bool:
    return document.text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")


def _leaves(text: str, *, is_rendered: bool) -> Iterator[Leaf]:
    """Yield the values in a file, each with its path."""
    count = 0
    for tree in read_trees(text, is_rendered=is_rendered):
        stack: list[tuple[tuple[str, ...], tuple[Span, ...], Value]] = []
        if tree.root is not None:
            stack.append(((), (), tree.root))
        while stack and count < _MAX_VALUES:
            names, spans, value = stack.pop()
            members: list[tuple[tuple[str, ...], tuple[Span, ...], Value]] = []
            for key, span, child in value.pairs():
                count += 1
                if child.is_mapping and len(names) < _MAX_DEPTH:
                    members.append(((*names, key), (*spans, span), child))
                elif not child.is_mapping:
                    yield _leaf((*names, key), (*spans, span), child)
            stack += reversed(members)


def _leaf(names: tuple[str, ...], spans: tuple[Span, ...], value: Value) -> Leaf:
    if value.is_sequence:
        items = [item.text for item in value.items()]
        text = None if None in items else ";".join(map(str, items))
    else:
        text = value.text
    return Leaf(names, spans, text, value.span, value.raw, value.style)


FILE_FORMAT = JobConfig()
