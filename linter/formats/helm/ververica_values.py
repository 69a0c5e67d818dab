"""Values of the Ververica Platform chart: the defaults for deployments, as a mapping or as YAML inside YAML."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import ConfigurationFile
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.flink_files.embedding import entry_at
from flink_flint.linter.formats.flink_files.settings_map import SettingsMapFormat, read_text
from flink_flint.linter.formats.kubernetes.ververica import settings
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import Span

_KEY = "globalDeploymentDefaults"
_MAX_DEPTH = 20


class VervericaValues(Grammatical, SettingsMapFormat):
    """Values files of Ververica Platform with `globalDeploymentDefaults`, as a mapping or as embedded YAML."""

    kind = "ververica"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file has `globalDeploymentDefaults` and a `flinkConfiguration`."""
        return f"{_KEY}:" in head and "flinkConfiguration" in head

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each `globalDeploymentDefaults` in the file that has Flink settings."""
        text = read_text(data)
        found = []
        for tree in read_trees(text, is_rendered=is_rendered(path)):
            if tree.root is not None:
                found += [
                    document
                    for span, value in _defaults(tree.root, 0)
                    if (document := self._document(path, text, span, value)) is not None
                ]
        return found

    def _document(self, path: str, text: str, span: Span, value: Value) -> Document | None:
        content, release = _read(value)
        if not content.entries:
            return None
        return Document(
            path, text, self, content, syntax="map", name=_KEY, span=span, whole=False, release=release,
            platform="kubernetes",
        )  # fmt: skip


def _defaults(value: Value, depth: int) -> Iterator[tuple[Span, Value]]:
    """Yield each `globalDeploymentDefaults` in a tree with the span of its key."""
    if depth > _MAX_DEPTH:
        return
    for key, span, child in value.pairs():
        if key == _KEY:
            yield span, child
        else:
            yield from _defaults(child, depth + 1)
    for item in value.items():
        yield from _defaults(item, depth + 1)


def _read(value: Value) -> tuple[ConfigurationFile, tuple[str, str] | None]:
    if value.is_mapping:
        holder = value.get("spec", "template", "spec")
        return settings(holder, "spec.template.spec") if holder is not None else (ConfigurationFile(), None)
    extract = value.extract()
    for tree in read_trees(extract.text):
        holder = tree.root.get("spec", "template", "spec") if tree.root is not None else None
        if holder is not None:
            content, release = settings(holder, "spec.template.spec")
            content.entries = [entry_at(entry, extract) for entry in content.entries]
            return content, release
    return ConfigurationFile(), None


FILE_FORMAT = VervericaValues()
