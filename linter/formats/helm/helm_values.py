"""Helm values: the operator chart's default configuration, and the Flink settings that application charts pass on.

Charts name their values freely, so settings are found by their content: a mapping called `flinkConfiguration` (or
similar) anywhere, the fields of a custom resource next to it, or a block scalar that is one of Flink's files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.parsed_file import ConfigurationFile
from flink_flint.linter.formats.broken import Grammatical, is_broken
from flink_flint.linter.formats.flink_files.embedded_kind import syntax_of
from flink_flint.linter.formats.flink_files.embedding import Embedded, entry_at
from flink_flint.linter.formats.flink_files.settings_map import SettingsMapFormat, read_mapping, read_text
from flink_flint.linter.formats.helm.misplaced_values import misplaced
from flink_flint.linter.formats.helm.operator_values import has_own_keys, operator_values
from flink_flint.linter.formats.kubernetes.config_map import is_logging, logging_elements
from flink_flint.linter.formats.kubernetes.custom_resource import is_whole, read_spec, release_of_spec, retype
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.document import OPERATOR_DEFAULTS, OPERATOR_VALUES, Document, FileFormat
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_NAME = regex(
    r"(?:.*[-_.])?values(?:[-_.].*)?\.ya?ml(?:\.(?:gotmpl|tpl|tftpl|tfpl|tmpl|template))?|.*\.ya?ml\.gotmpl",
    re.IGNORECASE,
)
_YAML = regex(r".*\.ya?ml(?:\.(?:tpl|tftpl|tfpl|tmpl|template))?", re.IGNORECASE)
_BASE = regex(r"values\.ya?ml(?:\.gotmpl)?")
_CERTAIN = regex(r"flink[-_]?(?:conf(?:ig(?:uration)?)?s?|properties|props)", re.IGNORECASE)
_POSSIBLE = regex(r"(?:default)?conf(?:ig(?:uration)?)?|properties|settings", re.IGNORECASE)
_HOLDS = regex(
    r"""^[ \t-]*["']?(?:flink[-_]?(?:conf(?:ig(?:uration)?)?s?|properties|props)(?:\.ya?ml)?|"""
    r"""(?:flink-conf|config)\.ya?ml)["']?[ \t]*:""",
    re.IGNORECASE | re.MULTILINE,
)
_OBJECT = regex(r"^(?:kind|apiVersion|services|swagger|openapi)[ \t]*:", re.MULTILINE)
_DOCS = regex(r"/flink/flink-docs-release-(\d+\.\d+)/|/projects/flink/flink-docs-release-(\d+\.\d+)/")
_SPEC = ("job", "jobManager", "taskManager", "flinkVersion", "podTemplate")
"""Fields by which a mapping is recognized as the spec of a custom resource."""
_MAX_DEPTH = 30
_MAX_NODES = 20_000
_MAX_DOCUMENTS = 500


class _Place(NamedTuple):
    """A mapping in the file and its path."""

    value: Value
    path: tuple[str, ...]
    key: Span
    """The span of its key."""


class HelmValues(Grammatical, SettingsMapFormat):
    """Helm values files, such as `values.yaml`."""

    kind = "helm"

    def refuser(self, name: str) -> str:
        """Return "Helm refuses the file" for a file that is named like a values file, otherwise an empty string."""
        return "Helm refuses the file" if _NAME.fullmatch(name) else ""

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file is a values file that mentions Flink, or any YAML file with a Flink configuration."""
        if _OBJECT.search(head) is not None:
            return False
        if _NAME.fullmatch(name):
            return "flink" in head.lower() or has_own_keys(head)
        return (
            _YAML.fullmatch(name) is not None
            and _HOLDS.search(head) is not None
            and (bool(self.parse(name, head.encode("utf-8", "surrogateescape"))) or is_broken(head))
        )

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each mapping with Flink settings and for each Flink file in a block scalar."""
        text = read_text(data)
        documents: list[Document] = []
        for tree in read_trees(text, is_rendered=is_rendered(path)):
            if tree.root is not None and tree.root.is_mapping:
                documents += values_documents(path, text, self, tree.root)
        return documents


def values_documents(path: str, text: str, file_format: FileFormat, root: Value) -> list[Document]:
    """Return a document for each mapping with Flink settings, and for each Flink file, in a chart's tree of values."""
    reader = _Reader(path, text, file_format)
    reader.add_documents(root)
    reader.add_misplaced_fields(root)
    reader.add_operator_values(root)
    return reader.documents


class _Reader:
    """Collects the documents of one file."""

    def __init__(self, path: str, text: str, file_format: FileFormat) -> None:
        self.path, self.text, self.file_format = path, text, file_format
        self.is_base = _BASE.fullmatch(path.replace("\\", "/").rpartition("/")[2]) is not None
        self.documents: list[Document] = []
        self.linked = _release_of_links(text)
        self.images: dict[int, tuple[str, str] | None] = {}
        """The Flink release of the image at the root of each tree, by the identity of the tree."""

    def add_documents(self, root: Value) -> None:
        """Add the documents in a YAML tree."""
        stack = [_Place(root, (), Span(root.span.start, root.span.start))]
        for _ in range(_MAX_NODES):
            if not stack or len(self.documents) >= _MAX_DOCUMENTS:
                break
            place = stack.pop()
            inner: list[_Place] = []
            read: set[str] = set()
            if _is_spec(place.value):
                self._settings(place, root, "flinkConfiguration", place.key, place.value)
            if place.path and place.path[-1] == "defaultConfiguration":
                read = self._operator_defaults(place)
            for key, span, value in place.value.pairs():
                path = (*place.path, key)
                if key in read or len(self.documents) >= _MAX_DOCUMENTS:
                    continue
                if value.is_mapping and self._is_configuration(key, value):
                    self._settings(place, root, key, span, value)
                elif value.is_scalar and value.style in ("literal", "folded", "double", "single"):
                    self._file(place, root, key, span, value)
                elif len(path) < _MAX_DEPTH:
                    members = [value] if value.is_mapping else value.items()
                    inner += [_Place(member, path, span) for member in members if member.is_mapping]
            stack += reversed(inner)

    def add_misplaced_fields(self, root: Value) -> None:
        """Add the fields that are misplaced, so that no template reads them, to the first document."""
        found = list(misplaced(root)) if self.documents else []
        if found:
            self.documents[0].elements = [*self.documents[0].elements, *found]

    def add_operator_values(self, root: Value) -> None:
        """Add the values of the operator's chart as an element, to the document with its settings if there is one."""
        defaults = next((one for one in self.documents if one.name == OPERATOR_DEFAULTS), None)
        for span, element in operator_values(root, self.path, self.text):
            if defaults is not None:
                defaults.elements = [*defaults.elements, element]
                continue
            self.documents.append(
                Document(
                    self.path, self.text, self.file_format, ConfigurationFile(), syntax="map", kind="other-cr",
                    span=span, whole=False, elements=[element], name=OPERATOR_VALUES, platform="kubernetes",
                )
            )  # fmt: skip

    def _is_configuration(self, key: str, value: Value) -> bool:
        """Return whether a mapping contains Flink settings, judging by its name and known keys."""
        from flink_flint.linter.flink.options import catalogue

        if not (_CERTAIN.fullmatch(key) or _POSSIBLE.fullmatch(key)):
            return False
        if key == "defaultConfiguration" and not {"create", "append"}.isdisjoint(name for name, _, _ in value.pairs()):
            return False  # the operator's chart, which applies only the files in it
        entries = read_mapping(value).entries
        options = catalogue()
        known = sum(bool(options.releases(entry.key)) or options.passes_through(entry.key) for entry in entries)
        return known >= (1 if _CERTAIN.fullmatch(key) else 2)

    def _settings(self, place: _Place, root: Value, key: str, span: Span, value: Value) -> None:
        """Add the document for a mapping of settings and for the typed fields next to it."""
        elements: list[Element] = []
        holder = place.value
        if key == "flinkConfiguration":
            content = read_spec(holder, ".".join(place.path) or "values")
            content.mark_overridden()
            elements.append(_element(holder, span))
        else:
            content = read_mapping(value)
            for entry in content.entries:
                retype(entry)
        whole = self.is_base and key == "flinkConfiguration" and is_whole(holder) and _runs_a_program(holder)
        self._add(place, root, content, span, elements=elements, whole=whole)

    def _file(self, place: _Place, root: Value, key: str, span: Span, value: Value) -> None:
        """Add the document for a Flink file, or a custom resource, that is embedded in a scalar."""
        extract = value.extract()
        if "flinkConfiguration:" in extract.text:
            self._spec_text(place, root, span, extract)
        elif "\n" in extract.text and (syntax := syntax_of(key, extract.text)) is not None:
            whole = self.is_base and key in ("flink-conf.yaml", "config.yaml") and not place.value.is_open
            self._embedded(place, root, key, span, value, syntax, whole=whole, name=_named(place.path))

    def _spec_text(self, place: _Place, root: Value, span: Span, extract: Extract) -> None:
        """Add a document with the settings of a custom resource in a scalar, such as the defaults of a platform."""
        for tree in read_trees(extract.text, is_rendered=is_rendered(self.path)):
            found = next(_configurations(tree.root), None) if tree.root is not None else None
            if found is not None:
                content = ConfigurationFile()
                content.entries = [entry_at(entry, extract) for entry in read_mapping(found).entries]
                content.mark_overridden()
                is_ververica = "vvp" in place.path or "globalDeploymentDefaults" in self.text
                self._add(place, root, content, span, kind="ververica" if is_ververica else None)

    def _operator_defaults(self, place: _Place) -> set[str]:
        """Add the documents for the operator chart's `defaultConfiguration`; return the keys that were read."""
        read: set[str] = set()
        elements: list[Element] = []
        is_appended = (place.value.string("append") or "true").strip().lower() != "false"
        for key, span, value in place.value.pairs():
            if not value.is_scalar or value.style not in ("literal", "folded", "double", "single"):
                continue
            if is_logging(key):
                read.add(key)
                for element in logging_elements(key, value):
                    if is_appended and element.kind == "logging":
                        attributes = {**element.attributes, "appended": Attribute(True, element.span)}
                        element = Element(element.kind, element.name, element.span, attributes)
                    elements.append(element)
            elif key in ("flink-conf.yaml", "config.yaml"):
                read.add(key)
                syntax = "flink-conf" if key == "flink-conf.yaml" else "config-yaml"
                self._embedded(
                    place, None, key, span, value, syntax, whole=False, name=OPERATOR_DEFAULTS, platform="operator"
                )
        if elements and read:
            if not any(document.name == OPERATOR_DEFAULTS for document in self.documents):
                self._add(place, None, ConfigurationFile(), place.key, name=OPERATOR_DEFAULTS)
            self.documents[-1].elements = elements
        return read

    def _embedded(
        self, place: _Place, root: Value | None, key: str, span: Span, value: Value, syntax: str, *,
        whole: bool, name: str, platform: str = "kubernetes",
    ) -> None:  # fmt: skip
        self.documents.append(
            Embedded.of(
                self.path, self.text, self.file_format, value.extract(), syntax, style=value.style, whole=whole,
                kind="helm", name=name, span=span, platform=platform, profile="production",
                release=None if root is None else self._release(place.value, root),
            )
        )  # fmt: skip

    def _add(
        self, place: _Place, root: Value | None, content: ConfigurationFile, span: Span, *,
        elements: list[Element] | None = None, whole: bool = False, kind: str | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        self.documents.append(
            Document(
                self.path, self.text, self.file_format, content, syntax="map", kind=kind or "helm", span=span,
                whole=whole, elements=elements or [], name=name or _named(place.path), profile="production",
                platform="operator" if elements or name else "kubernetes",
                release=None if root is None else self._release(place.value, root),
            )
        )  # fmt: skip

    def _release(self, holder: Value, root: Value) -> tuple[str, str] | None:
        """Return the Flink release, as shown by the fields next to the settings, an image, or links in the file."""
        found = release_of_spec(holder)
        if found is not None:
            return found[0], found[1].removeprefix("spec.")
        if id(root) not in self.images:
            self.images[id(root)] = _release_of_image_of(root)
        return _release_of_image_of(holder) or self.images[id(root)] or self.linked


def _release_of_image_of(holder: Value) -> tuple[str, str] | None:
    """Return the Flink release of the `image` field (with repository and tag) of a mapping, or None."""
    image = holder.get("image")
    if image is None or not image.is_mapping:
        return None
    repository, tag = image.string("repository"), image.string("tag")
    release = release_of_image(f"{repository}:{tag}") if repository and tag else None
    return (release, "image.tag") if release else None


def _named(path: tuple[str, ...]) -> str:
    """Return the name of the settings at a path, as used in reports."""
    return " ".join(("values", *(".".join(path),))).strip()


def _element(holder: Value, span: Span) -> Element:
    """Return an element with the fields next to `flinkConfiguration`, named like those of a custom resource's spec."""
    attributes: dict[str, Attribute] = holder.attributes("spec")
    return Element("kubernetes-object", "values", span, attributes)


def _is_spec(holder: Value) -> bool:
    """Return whether a mapping without `flinkConfiguration` has two known fields of a custom resource."""
    if holder.get("flinkConfiguration") is not None:
        return False
    known = {
        "job": ("jarURI", "entryClass", "upgradeMode"),
        "jobManager": ("resource",),
        "taskManager": ("resource",),
    }
    found = sum(any(holder.get(name, field) is not None for field in fields) for name, fields in known.items())
    return found + (holder.string("flinkVersion") is not None) >= 2


def _runs_a_program(holder: Value) -> bool:
    """Return whether the values name a job's program and therefore belong to a single application."""
    return any(holder.get("job", field) is not None for field in ("jarURI", "entryClass", "pythonEntryPoint"))


def _configurations(value: Value) -> Iterator[Value]:
    """Yield the mappings named `flinkConfiguration` in a tree."""
    stack = [value]
    for _ in range(_MAX_NODES):
        if not stack:
            return
        for key, _, child in stack.pop().pairs():
            if key == "flinkConfiguration" and child.is_mapping:
                yield child
            elif child.is_mapping:
                stack.append(child)


def _release_of_links(text: str) -> tuple[str, str] | None:
    """Return the Flink release whose documentation the file links to, or None if the links disagree."""
    found = {one or other for one, other in _DOCS.findall(text)}
    return (found.pop(), "links to its documentation") if len(found) == 1 else None


FILE_FORMAT = HelmValues()
