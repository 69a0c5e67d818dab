"""Terraform files (``.tf``, ``.tf.json``, plans) with Flink on AWS, in Kubernetes objects, and in Helm releases."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.formats.aws.aws_resources import (
    BUCKET,
    LIFECYCLE,
    NodeFormat,
    configurations_in,
    emr_document,
    expiries,
    managed_document,
    read_text,
    stream_element,
    with_streams,
)
from flink_flint.linter.formats.aws.policy_statements import MENTIONED, policy_elements
from flink_flint.linter.formats.inner_document import InnerEdits
from flink_flint.linter.formats.recognition import whole_parts
from flink_flint.linter.formats.syntax.hcl_tree import Block, read_blocks
from flink_flint.linter.formats.syntax.json_tree import read_json, read_json_in
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, SCALAR, UNKNOWN, Node
from flink_flint.linter.formats.terraform.module_values import module_values
from flink_flint.linter.formats.terraform.resource import Resource
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_APPLICATIONS = ("aws_kinesisanalyticsv2_application", "awscc_kinesisanalyticsv2_application")
_STREAM = "aws_kinesis_stream"
_LIFECYCLES = regex(rf"[\"']{LIFECYCLE}[\"']|\blifecycle_rule\b")
_REFERENCE = regex(rf"{BUCKET}\.([\w-]+)\.(?:id|bucket)")
_STREAMS = regex(rf"[\"']{_STREAM}[\"']")
_OF_FLINK = regex(r"""["']?[cC]lassification\\?["']?\s*[:=]\s*\\?["']?flink""")
_INITIALS = regex(r"(?:^|_)([a-z0-9])")
_WORDS = {"Kpu": "KPU", "Arn": "ARN", "Vpc": "Vpc"}
_OBJECTS = regex(
    r"kubernetes_(?:manifest|config_map|deployment|stateful_set|daemon_?set|job|cron_job|pod)|kubectl_manifest"
    r"|helm_release"
)
_MAX_BLOCKS = 5_000


class Terraform(InnerEdits, NodeFormat):
    """Terraform modules with resources that run Flink."""

    kind = "msf"
    comments = ("#", "//")

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file has applications, EMR classifications, streams, buckets, or objects for Flink."""
        if name.endswith(".json") and not name.endswith(".tf.json"):
            return '"planned_values"' in head and bool(self.parse(name, head.encode("utf-8", "surrogateescape")))
        if any(name in head for name in _APPLICATIONS) or _OF_FLINK.search(head) is not None:
            return True
        if "flink" not in head.lower():
            return False
        if any(signs.search(head) is not None for signs in (_STREAMS, _LIFECYCLES, MENTIONED)):
            return True
        return _OBJECTS.search(head) is not None and bool(self.parse(name, whole_parts(head, "\n}\n")))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each resource that runs Flink, in file order."""
        text = read_text(data)
        if len(text) > MAX_CHARACTERS:
            return []
        if path.endswith(".json"):
            root = read_json(text)
            if root is None:
                return []
            planned = root.get("planned_values", "root_module")
            if planned is not None:
                return list(self._of_resources(path, text, _planned(planned)))
            named = root.get("resource", _STREAM)
            streams = [
                stream_element(one, span)
                for _, span, body in (named.pairs if named is not None else ())
                for one in (body.items if body.kind == LIST else [body])
            ]
            return with_streams(path, text, self, list(self._of_json(path, text, root)), streams)
        return self._of_text(path, text)

    def _of_text(self, path: str, text: str) -> list[Document]:
        module = module_values(path)
        blocks = read_blocks(text, module.find, module.given)
        streams = [
            stream_element(_mapping(block), block.span)
            for block in blocks
            if block.kind == "resource" and block.labels[:1] == (_STREAM,)
        ]
        documents = list(self._of_blocks(path, text, blocks))
        resources = [
            Resource(block.labels[0], block.labels[1], _mapping(block))
            for block in blocks
            if block.kind == "resource" and len(block.labels) == 2
        ]
        documents += self._kubernetes(path, text, resources)
        return with_streams(path, text, self, documents, [*streams, *_expiries(blocks), *policy_elements(text)])

    def _kubernetes(self, path: str, text: str, resources: list[Resource]) -> list[Document]:
        """Return the documents for Kubernetes objects and charts; most modules have none."""
        if not any(_OBJECTS.match(resource.type) for resource in resources):
            return []
        from flink_flint.linter.formats.terraform.kubernetes_resources import resource_documents

        return resource_documents(path, text, self, resources)

    def _of_resources(self, path: str, text: str, resources: list[Resource]) -> Iterator[Document]:
        """Yield the documents of the resources of a plan."""
        for resource in resources:
            if resource.type in _APPLICATIONS:
                renamed = _renamed(_hoisted(resource.body), ())
                head = resource.body.span
                name = f"application {resource.name}"
                document = managed_document(path, text, self, renamed, name=name, head=Span(head.start, head.start))
                if document is not None:
                    yield document
        yield from self._kubernetes(path, text, resources)

    def _of_blocks(self, path: str, text: str, blocks: list[Block]) -> Iterator[Document]:
        seen: set[Span] = set()
        # Resources may refer to locals and know the release, so they come first.
        for block in sorted(blocks, key=lambda block: block.kind not in ("resource", "module")):
            if block.kind == "resource" and block.labels[:1] and block.labels[0] in _APPLICATIONS:
                name = f"application {block.labels[1] if len(block.labels) > 1 else '?'}"
                document = managed_document(path, text, self, _application(block), name=name, head=block.span)
                if document is not None:
                    yield document
                continue
            labels = {name: node for name, (_, node) in block.attributes.items() if name.startswith("release_label")}
            for attribute, (span, node) in _attributes(block):
                label = labels.get("release_label") or labels.get("release_label_prefix")
                for found in configurations_in(_read(text, node)):
                    if found.classifications[0].span in seen:
                        continue
                    seen.add(found.classifications[0].span)
                    head = block.span if block.kind in ("resource", "module") else span
                    name = f"cluster {block.labels[-1]}" if block.labels else attribute
                    yield emr_document(
                        path, text, self, found._replace(label=found.label or label), name=name, head=head
                    )

    def _of_json(self, path: str, text: str, root: Node) -> Iterator[Document]:
        resources = root.get("resource")
        found: list[Resource] = []
        for kind, _, named in resources.pairs if resources is not None else ():
            for name, span, body in named.pairs:
                for resource in body.items if body.kind == LIST else [body]:
                    found.append(Resource(kind, name, resource))
                    if kind in _APPLICATIONS:
                        renamed = _renamed(_hoisted(resource), ())
                        document = managed_document(path, text, self, renamed, name=f"application {name}", head=span)
                        if document is not None:
                            yield document
                        continue
                    label = resource.get("release_label")
                    for attribute, _, node in resource.pairs:
                        if attribute.startswith("configurations"):
                            for one in configurations_in(_read(text, node)):
                                one = one._replace(label=one.label or label)
                                yield emr_document(path, text, self, one, name=f"cluster {name}", head=span)
        yield from self._kubernetes(path, text, found)


def _planned(module: Node) -> list[Resource]:
    """Return the resources of a plan, of all its modules."""
    found: list[Resource] = []
    stack = [module]
    while stack and len(found) < _MAX_BLOCKS:
        current = stack.pop()
        for resource in listed.items if (listed := current.get("resources")) is not None else ():
            kind, values = resource.get("type"), resource.get("values")
            name = resource.get("address") or resource.get("name")
            if kind is not None and kind.text and values is not None:
                found.append(Resource(kind.text, (name.text if name is not None else None) or "?", values))
        inner = current.get("child_modules")
        stack += reversed(inner.items if inner is not None else ())
    return found


def _attributes(block: Block) -> Iterator[tuple[str, tuple[Span, Node]]]:
    """Yield the attributes of a block and of its nested blocks."""
    stack = [block]
    for _ in range(_MAX_BLOCKS):
        if not stack:
            return
        current = stack.pop()
        yield from current.attributes.items()
        stack += reversed(current.blocks)


def _read(text: str, node: Node) -> Node:
    """Return a node, or the parsed tree if it is a string with JSON."""
    if node.kind == SCALAR and isinstance(node.value, str) and node.raw[:1] == '"' and '"Classification' in node.value:
        span = Span(node.span.start + 1, node.span.end - 1)
        inner = read_json_in(Extract(text, _pieces(text, span)))
        return inner if inner is not None else node
    return node


def _pieces(text: str, span: Span) -> Iterator[Piece]:
    """Yield the pieces of a quoted string without its backslashes."""
    at = span.start
    while (found := text.find("\\", at, span.end - 1)) >= 0:
        yield Piece(text[at:found], Span(at, found))
        yield Piece({"n": "\n", "t": "\t", "r": "\r"}.get(text[found + 1], text[found + 1]), Span(found, found + 2))
        at = found + 2
    yield Piece(text[at : span.end], Span(at, span.end))


def _expiries(blocks: list[Block]) -> Iterator[Element]:
    """Yield the lifecycle rules that expire objects; a reference to a bucket of this file is resolved to its name."""
    named: dict[str, str] = {}
    for block in blocks:
        if block.kind == "resource" and block.labels[:1] == (BUCKET,) and "bucket" in block.attributes:
            named[block.labels[-1]] = block.attributes["bucket"][1].text or ""
    for block in blocks:
        if block.kind != "resource" or block.labels[:1] not in ((BUCKET,), (LIFECYCLE,)):
            continue
        rules = [_mapping(inner) for inner in block.blocks if inner.kind in ("rule", "lifecycle_rule")]
        bucket = block.attributes.get("bucket")
        name = bucket[1].text if bucket is not None else None
        if name is None and bucket is not None and (found := _REFERENCE.fullmatch(bucket[1].raw.strip())):
            name = named.get(found[1])
        yield from expiries(rules, name or "", block.span)


# -- an application with the field names of CloudFormation


def _application(block: Block) -> Node:
    return _renamed(_mapping(block), ())


def _mapping(block: Block) -> Node:
    """Return a Terraform block as a mapping; repeatable blocks become lists."""
    pairs = [(name, span, node) for name, (span, node) in block.attributes.items()]
    groups: list[Node] = []
    place = block.span
    is_open = False
    for inner in block.blocks:
        if inner.kind == "dynamic":
            pairs.append((inner.labels[0] if inner.labels else "", inner.span, _unknown(inner)))
            is_open = True
        elif inner.kind == "property_group":
            groups.append(_mapping(inner))
            place = inner.span
        else:
            pairs.append((inner.kind, inner.span, _mapping(inner)))
    if groups:
        pairs.append(("property_group", place, Node(LIST, place, "", items=groups)))
    return Node(MAPPING, block.span, "", pairs=pairs, is_open=is_open)


def _unknown(block: Block) -> Node:
    return Node(UNKNOWN, block.span, "dynamic", is_open=True)


def _hoisted(node: Node) -> Node:
    """Return a Terraform JSON node with single-member lists (blocks) replaced by their member."""
    if node.kind == LIST and len(node.items) == 1 and node.items[0].kind == MAPPING:
        return _hoisted(node.items[0])
    if node.kind != MAPPING:
        return node
    pairs = [(key, span, child if key == "property_group" else _hoisted(child)) for key, span, child in node.pairs]
    return Node(MAPPING, node.span, node.raw, pairs=pairs)


def _renamed(node: Node, path: tuple[str, ...]) -> Node:
    if node.kind == LIST:
        return Node(LIST, node.span, node.raw, items=[_renamed(item, path) for item in node.items])
    if node.kind != MAPPING or path[-1:] == ("PropertyMap",):
        return node
    pairs: list[tuple[str, Span, Node]] = []
    moved: list[tuple[str, Span, Node]] = []
    for key, span, child in node.pairs:
        name = _camel(key)
        if key == "property_group":
            child = child if child.kind != MAPPING else Node(LIST, child.span, child.raw, items=[child])
        renamed = _renamed(child, (*path, name))
        if name == "ApplicationConfiguration":
            run = [pair for pair in renamed.pairs if pair[0] == "RunConfiguration"]
            moved += run  # a sibling in CloudFormation
            rest = [pair for pair in renamed.pairs if pair[0] != "RunConfiguration"]
            renamed = Node(MAPPING, renamed.span, renamed.raw, pairs=rest, is_open=renamed.is_open)
        pairs.append((name, span, renamed))
    return Node(MAPPING, node.span, node.raw, pairs=[*pairs, *moved], is_open=node.is_open)


_NAMES = {
    "name": "ApplicationName", "description": "ApplicationDescription", "property_group": "PropertyGroups",
    "property_map": "PropertyMap", "property_group_id": "PropertyGroupId",
}  # fmt: skip


def _camel(name: str) -> str:
    """Return the CloudFormation name of a Terraform field: ``ParallelismPerKPU`` for ``parallelism_per_kpu``."""
    if name in _NAMES:
        return _NAMES[name]
    camel = _INITIALS.sub(lambda match: match[1].upper(), name)
    for ending, written in _WORDS.items():
        if camel.endswith(ending):
            return camel[: -len(ending)] + written
    return camel


FILE_FORMAT = Terraform()
