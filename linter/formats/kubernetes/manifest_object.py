"""One object of a Kubernetes manifest, with the data that all readers of objects need."""

from __future__ import annotations

from functools import cached_property, lru_cache

from flink_flint.linter.flink.invalid_config_yaml import template_tags
from flink_flint.linter.flink.parsed_file import ConfigurationFile
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.syntax.yaml_tree import Tree, Value
from flink_flint.linter.model.document import Document, FileFormat, Ignored
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_HELM = regex(r"\{\{-?\s*(?:\.(?:Values|Release|Chart|Files)\b|(?:include|template|range|if|with|toYaml|tpl)\s|\$|/\*)")
"""Tags that only Helm chart templates contain; ``{{name}}`` also occurs in the operator's ingress templates."""
_IGNORE = "flint/ignore"
_FLINK = regex(r"(?i)(?<!sel)flink")
_INGRESS_TAGS = regex(r"\{\{(?:name|namespace)\}\}")
"""Tags in ``spec.ingress.template``, which the operator replaces."""


@lru_cache(maxsize=1)
def _is_helm(text: str, *, is_rendered: bool) -> bool:
    """Return whether `text` is a Helm chart template; cached because it is needed for each object of a file."""
    if "{{" not in text or _HELM.search(text) is None:
        return False
    return is_rendered or any(_HELM.match(text, tag.start) for tag in template_tags(text, is_rendered=False))


def mentions_flink(text: str) -> bool:
    """Return whether a text mentions Flink; `selfLink`, a field of every object, does not."""
    return _FLINK.search(text) is not None


class Manifest:
    """An object in a Kubernetes manifest: its file, its YAML tree, its kind, and its name."""

    def __init__(
        self, path: str, text: str, file_format: FileFormat, tree: Tree, root: Value, version: str, kind: str
    ) -> None:
        self.path, self.text, self.file_format, self.tree, self.root = path, text, file_format, tree, root
        self.version, self.kind = version, kind

    @property
    def namespace(self) -> str:
        """The namespace of the object; ``default`` if the object does not set one."""
        return self.root.string("metadata", "namespace") or "default"

    @property
    def own_name(self) -> str | None:
        """The name in the object's metadata; None if it is missing or a template generates it."""
        return self.root.string("metadata", "name")

    @property
    def name(self) -> str:
        """The name of the object in reports, such as ``FlinkDeployment default/orders``."""
        return f"{self.kind} {self.namespace}/{self.own_name or '?'}"

    @property
    def head(self) -> Span:
        """The span for findings on the whole object: the value of its field `kind`."""
        entry = self.root.entry("kind")
        return entry[1].span if entry else self.root.span

    @property
    def is_helm(self) -> bool:
        """Whether the file is a template of a Helm chart."""
        return _is_helm(self.text, is_rendered=is_rendered(self.path))

    @cached_property
    def element(self) -> Element:
        """An element of kind ``kubernetes-object`` with all fields of the object as attributes."""
        return Element("kubernetes-object", self.kind, self.head, self.root.attributes(empty=True))

    @property
    def ignored(self) -> list[Ignored]:
        """The suppressions in the ``flint/ignore`` annotation: rules separated by commas, and a reason after ``--``."""
        found = self.root.get("metadata", "annotations", _IGNORE)
        if found is None or not found.text:
            return []
        names, _, reason = found.text.partition("--")
        selectors = tuple(word.strip() for word in names.split(",") if word.strip()) or ("ALL",)
        return [Ignored(selectors, reason.strip(), found.span)]

    def document_with(self, element: Element) -> Document:
        """Return a document for the object that has an element but no Flink settings."""
        return Document(
            self.path, self.text, self.file_format, ConfigurationFile(), syntax="map", kind="other-cr", name=self.name,
            span=self.head, whole=False, platform="kubernetes", ignored=self.ignored, elements=[element],
        )  # fmt: skip
