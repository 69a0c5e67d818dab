"""Terraform resources that create Kubernetes objects or install Helm charts, read as manifests and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.aws.aws_resources import NodeFormat
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.flink_files.embedding import Embedded, indent_of
from flink_flint.linter.formats.gitops.chart_releases import INLINE, layered
from flink_flint.linter.formats.helm.helm_values import FILE_FORMAT as HELM_VALUES
from flink_flint.linter.formats.helm.parameters import Parameter, ParameterDocument, parameters_text
from flink_flint.linter.formats.inner_document import InnerDocument, inner_documents, outer_edits
from flink_flint.linter.formats.kubernetes.manifests import FILE_FORMAT as MANIFESTS
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, MAX_DEPTH, SCALAR, UNKNOWN, Node
from flink_flint.linter.formats.terraform.json_text import as_json, pieces_of, text_of
from flink_flint.linter.formats.terraform.resource import Resource
from flink_flint.linter.model.document import OPERATOR_DEFAULTS, Document, FileFormat, Promise
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_TYPE = regex(r"kubernetes_(config_map|deployment|stateful_set|daemon_?set|job|cron_job|pod)(?:_v\d\w*)?")
_KINDS = {
    "config_map": ("v1", "ConfigMap"),
    "deployment": ("apps/v1", "Deployment"),
    "stateful_set": ("apps/v1", "StatefulSet"),
    "daemonset": ("apps/v1", "DaemonSet"),
    "daemon_set": ("apps/v1", "DaemonSet"),
    "job": ("batch/v1", "Job"),
    "cron_job": ("batch/v1", "CronJob"),
    "pod": ("v1", "Pod"),
}
_MANIFESTS = {"kubernetes_manifest": "manifest", "kubectl_manifest": "yaml_body"}
_LISTS = {
    "container": "containers", "init_container": "initContainers", "volume": "volumes", "env": "env",
    "env_from": "envFrom", "port": "ports", "volume_mount": "volumeMounts", "toleration": "tolerations",
    "image_pull_secrets": "imagePullSecrets", "volume_claim_template": "volumeClaimTemplates", "items": "items",
    "host_aliases": "hostAliases",
}  # fmt: skip
"""Blocks that may be repeated, with the lists of the object that they become."""
_INITIAL = regex(r"_([a-z0-9])")
_LITERAL = regex(r"\"(?:[^\"\\$%]|\\.)*\"|-?[\d.]+|true|false")
_MAX_RESOURCES = 1_000


class ObjectDocument(InnerDocument):
    """A document of a Kubernetes object that is written in HCL, and therefore edited as HCL."""

    def edited(self, how: str, entry: Entry | None, *arguments: str) -> Iterator[Promise]:
        """Yield alternative edits of text inside the object, of a field, or of an HCL mapping."""
        inner = self.inner
        if isinstance(inner, InnerDocument) or type(inner) is Embedded:
            yield from self._edited_text(inner, how, entry, *arguments)
        elif how == "replace" or isinstance(inner, Embedded):
            for way in super().edited(how, entry, *arguments):
                if all(_LITERAL.fullmatch(self.text, *edit.span) for edit in way.edits):
                    yield way
        else:
            own = arguments if entry is None else (entry, *arguments)
            yield from getattr(NodeFormat, how)(self.file_format, self, *own)

    def _edited_text(self, inner: Embedded, how: str, entry: Entry | None, *arguments: str) -> Iterator[Promise]:
        extract = inner.extract.through(self.extract)
        twin = None if entry is None else self.twin(entry)
        if entry is not None and twin is None:
            return
        quote = quote_around(extract)
        indent = "" if quote else indent_of(self.text, extract)
        for edits, changes in inner.ways_inside(how, twin, *arguments):
            yield from promises(self, outer_edits(extract, edits, quote=quote, indent=indent), changes)


def quote_around(extract: Extract) -> str:
    """Return the quote character around an extract, or an empty string if it is a heredoc."""
    start = extract.start(0)
    return '"' if extract.outer[start - 1 : start] == '"' else ""


def resource_documents(path: str, text: str, file_format: FileFormat, resources: Sequence[Resource]) -> list[Document]:
    """Return the documents for Kubernetes objects and Helm charts in the Terraform resources of one file."""
    objects: list[Iterator[Piece]] = []
    documents: list[Document] = []
    for resource in resources[:_MAX_RESOURCES]:
        if resource.type in _MANIFESTS:
            value = resource.body.get(_MANIFESTS[resource.type])
            if value is None:
                continue
            if value.kind == MAPPING:
                objects.append(pieces_of(text, value))
            elif (extract := text_of(text, value)) is not None:
                documents += _read_text(path, text, file_format, extract, MANIFESTS, "manifest.yaml")
        elif (match := _TYPE.fullmatch(resource.type)) is not None:
            objects.append(_object(text, resource, *_KINDS[match[1]]))
        elif resource.type == "helm_release":
            documents += _chart(path, text, file_format, resource)
    return [*_read_objects(path, text, file_format, objects), *documents]


def object_documents(path: str, text: str, file_format: FileFormat, objects: Sequence[Node]) -> list[Document]:
    """Return the documents for Kubernetes objects that are written as literals in the outer file's language."""
    return list(_read_objects(path, text, file_format, [pieces_of(text, node) for node in objects]))


# -- objects


def _read_objects(
    path: str, text: str, file_format: FileFormat, objects: Sequence[Iterator[Piece]]
) -> Iterator[Document]:
    """Yield the documents of all objects, which are read as one manifest because containers may be related."""
    pieces: list[Piece] = []
    for one in objects:
        made = list(one)
        start = made[0].span.start if made else 0
        pieces += [*([Piece("\n---\n", Span(start, start))] if pieces else ()), *made]
    if not pieces:
        return
    yield from _spelled(
        inner_documents(
            path, text, file_format, Extract(text, pieces), MANIFESTS, "objects.yaml", style="flow", of=ObjectDocument
        )
    )


def _spelled(documents: list[InnerDocument]) -> list[InnerDocument]:
    """Return documents of objects in HCL with the style of each entry there: text, or a reference to a value."""
    for document in documents:
        for entry in document.entries if not isinstance(document.inner, Embedded) else ():
            if entry.style in ("plain", "single", "double"):
                is_text = entry.raw[:1] == '"' and "${" not in entry.raw and "%{" not in entry.raw
                entry.style = "double" if is_text else "reference"
    return documents


def _object(text: str, resource: Resource, version: str, kind: str) -> Iterator[Piece]:
    """Yield the pieces of a resource as an object: blocks and arguments have the names of its fields in snake case."""
    start = Span(resource.body.span.start, resource.body.span.start)
    yield Piece(f'{{"apiVersion": "{version}", ', start)
    yield Piece('"kind": ', start)
    yield Piece(f'"{kind}"', resource.body.span)
    for key, span, child in resource.body.pairs:
        if key in ("metadata", "spec", "data", "immutable"):
            yield Piece(f', "{key}": ', Span(span.start, span.start))
            yield from pieces_of(text, child if key == "data" else _fields(_single(child)))
    yield Piece("}", start)


def _single(node: Node) -> Node:
    """Return the member of a list with one mapping, which is how JSON has a block; otherwise the node."""
    return node.items[0] if node.kind == LIST and len(node.items) == 1 and node.items[0].kind == MAPPING else node


def _fields(node: Node, depth: int = 0) -> Node:
    """Return a block as a part of an object: with camel case names, and lists for blocks that may be repeated."""
    if node.kind != MAPPING or depth > MAX_DEPTH:
        return node
    pairs: list[tuple[str, Span, Node]] = []
    lists: dict[str, tuple[Span, list[Node]]] = {}
    for key, span, child in node.pairs:
        if key in _LISTS:
            _, items = lists.setdefault(_LISTS[key], (span, []))
            items += [_fields(member, depth + 1) for member in (child.items if child.kind == LIST else [child])]
        elif key in _MAPS:
            pairs.append((_camel(key), span, child))
        else:
            pairs.append((_camel(key), span, _fields(_single(child), depth + 1)))
    for name, (span, items) in lists.items():
        end = max(span.end, items[-1].span.end) if items else span.end
        pairs.append((name, span, Node(LIST, Span(span.start, end), "", items=items)))
    return Node(MAPPING, node.span, node.raw, pairs=pairs, is_open=node.is_open)


def _camel(name: str) -> str:
    return _INITIAL.sub(lambda match: match[1].upper(), name)


_MAPS = ("labels", "annotations", "match_labels", "limits", "requests", "data", "binary_data", "node_selector")
"""Arguments with keys of their own, which are not names of fields."""


# -- texts and charts


def _read_text(
    path: str, text: str, file_format: FileFormat, extract: Extract, inner: FileFormat, name: str
) -> list[Document]:
    style = "double" if quote_around(extract) else "literal"
    return [*inner_documents(path, text, file_format, extract, inner, name, style=style)]


def _chart(path: str, text: str, file_format: FileFormat, resource: Resource) -> list[Document]:
    """Return the documents for a release of a chart: of its values in order, then of single values, which override."""
    layers: list[list[Document]] = []
    values = resource.body.get("values")
    for value in values.items if values is not None and values.kind == LIST else [values] if values is not None else []:
        if value.kind == MAPPING:
            extract = as_json(text, value)
            found = inner_documents(
                path, text, file_format, extract, HELM_VALUES, INLINE, style="flow", of=ObjectDocument
            )
            layers.append([*_spelled(found)])
        elif (written := text_of(text, value)) is not None:
            layers.append(_read_text(path, text, file_format, written, HELM_VALUES, INLINE))
    parameters = list(_parameters(resource.body))
    if parameters:
        extract = parameters_text(text, parameters)
        layers.append(
            [
                *inner_documents(
                    path, text, file_format, extract, HELM_VALUES, INLINE, style="flow", of=ParameterDocument
                )
            ]
        )
    documents = [one for upper, layer in enumerate(layers) for one in layered(layers[:upper], layer)]
    for document in documents:
        if document.name != OPERATOR_DEFAULTS:
            document.name = f"release {resource.name} {document.name}"
    return documents


def _parameters(body: Node) -> Iterator[Parameter]:
    """Yield the single values of a release, whose blocks are repeated or, since Helm's provider 3, a list."""
    for key, _, child in body.pairs:
        if key in ("set", "set_list"):
            for one in child.items if child.kind == LIST else [child]:
                name, value = one.get("name"), one.get("value")
                if name is None or name.text is None or value is None or value.kind not in (SCALAR, UNKNOWN):
                    continue
                kind = one.get("type")
                written = value.text if value.text is not None else value.placeholder()
                is_text = kind is not None and kind.text == "string"
                yield Parameter(name.text, name.span, written, value.span, is_text)
