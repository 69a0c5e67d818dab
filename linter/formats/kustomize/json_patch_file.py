"""JSON patches (RFC 6902) of `flinkConfiguration` in files of their own, as JSON or YAML.

A kustomization names the file and the object that it patches, in the folder of the patch or above.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from flink_flint.linter.filesystem.folders import KUSTOMIZATIONS
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_near
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.flink_files.settings_map import SettingsMapFormat, read_text
from flink_flint.linter.formats.kustomize.kustomization import patch_operations
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.document import Document, Ways
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_POINTER = regex(r"""["']?path["']?[ \t]*:[ \t]*["']?/spec/flinkConfiguration(?:/|["']?[ \t]*[,}\r\n])""")
_LIST = regex(r"\ufeff?(?:\s|#[^\r\n]*+|---(?=\s))*+[-\[]")
_MAX_ABOVE = 3
"""Maximum number of folders above that of the patch in which a kustomization is searched for."""


class JsonPatch(Grammatical, SettingsMapFormat):
    """JSON patches of Flink's custom resources."""

    kind = "flinkdeployment"

    def refuser(self, name: str) -> str:
        """Return "Kustomize refuses the file", for reports of a file that cannot be parsed."""
        return "Kustomize refuses the file"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file is a list of JSON patch operations, some of which write to `flinkConfiguration`."""
        return _LIST.match(head) is not None and _POINTER.search(head) is not None

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the document with the settings that the patch writes."""
        text = read_text(data)
        documents: list[Document] = []
        for tree in read_trees(text, is_rendered=is_rendered(path)):
            if tree.root is not None and tree.root.is_sequence:
                whole = Extract.of(text, [Span(0, len(text))])
                documents += patch_operations(path, text, self, _target(path), whole, tree.root)
        return documents

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return no edits: adding a setting to a JSON patch would require adding an operation."""
        return ()

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return no edits: removing a setting from a JSON patch would require removing an operation."""
        return ()


def _target(path: str) -> Value | None:
    """Return the object that a patch is applied to, as a kustomization near it says; None if none names the patch."""
    here = os.path.abspath(path)
    for folder in folders_near(os.path.dirname(here), _MAX_ABOVE):
        for name in KUSTOMIZATIONS:
            place = os.path.join(folder, name)
            text = found_text(place)
            for patch in _patches(text or ""):
                named = patch.string("path")
                if named is not None and os.path.normpath(os.path.join(folder, named)) == here:
                    return patch.get("target")
    return None


def _patches(text: str) -> Iterator[Value]:
    if "path" not in text:
        return
    for tree in read_trees(text, is_rendered=False):
        for field in ("patches", "patchesJson6902"):
            listed = tree.root.get(field) if tree.root is not None and tree.root.is_mapping else None
            yield from listed.items() if listed is not None else ()


FILE_FORMAT = JsonPatch()
