"""CDK, Pulumi, and similar programs in TypeScript, JavaScript, Python, and Jsonnet, with resources as object literals.

Statements of IAM policies about Kinesis and MSK are elements. An object with `flinkApplicationConfiguration` is a
managed application of AWS, and one with an `apiVersion` and `kind` of the operator is a manifest. Only literals are
known; the program is not followed."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.formats.aws.aws_resources import NodeFormat, managed_document, read_text, with_streams
from flink_flint.linter.formats.aws.policy_statements import MENTIONED, policy_elements
from flink_flint.linter.formats.infrastructure_code.cdk_application import RUNTIME, created_resource
from flink_flint.linter.formats.infrastructure_code.python_literals import PythonLiterals
from flink_flint.linter.formats.infrastructure_code.script_literals import ScriptLiterals
from flink_flint.linter.formats.inner_document import InnerEdits
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, Node
from flink_flint.linter.formats.terraform.kubernetes_resources import object_documents
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_APPLICATION = ("applicationConfiguration", "application_configuration", "ApplicationConfiguration")
_FLINK = ("FlinkApplicationConfiguration",)
_MANAGED = regex(r"flinkApplicationConfiguration|flink_application_configuration|FlinkApplicationConfiguration")
_CREATED = regex(r"kinesisanalytics[-_]flink")
"""Matches the name of CDK's package with an `Application` of its own."""
_OBJECT = regex(r"""["']?(?:apiVersion|api_version)["']?\s*[:=]\s*["']flink\.apache\.org/""")
_FOR_FLINK = regex(r"(?i:flink|kinesisanalytics)|\bkda\b|KDA(?![a-z])|Kda[A-Z]")
"""Matches a mention of Flink, or of the former name of AWS's service for it, beside a policy."""
_WORD = regex(r"_([a-z])")
_JSONNET = (".jsonnet", ".libsonnet")
_MAX_OBJECTS = 100


class LiteralObjects(InnerEdits, NodeFormat):
    """Programs that describe Flink resources in object literals."""

    kind = "msf"
    comments = ("//", "#")

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a program has an object literal that describes a Flink application or custom resource."""
        if MENTIONED.search(head) is not None and _FOR_FLINK.search(head) is not None:
            return bool(policy_elements(head))
        if all(signs.search(head) is None for signs in (_MANAGED, _CREATED, _OBJECT)):
            return False
        return bool(self.parse(name, head.encode("utf-8", "surrogateescape")))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each application and custom resource, in file order."""
        text = read_text(data)
        if len(text) > MAX_CHARACTERS:
            return []
        literals: PythonLiterals | ScriptLiterals
        if path.endswith(".py"):
            literals = PythonLiterals(text)
        else:
            literals = ScriptLiterals(text, is_jsonnet=path.endswith(_JSONNET))
        documents = list(self._applications(path, text, literals))
        objects = []
        for node in literals.objects_with("apiVersion", "api_version"):
            version, kind = node.entry("apiVersion", "api_version"), node.get("kind")
            if version is not None and kind is not None and (version[1].text or "").startswith("flink.apache.org/"):
                objects.append(_manifest(node))
        documents += object_documents(path, text, self, objects[:_MAX_OBJECTS])
        documents = with_streams(path, text, self, documents, policy_elements(text))
        for document in documents:
            document.whole = False  # the program may set more
        return sorted(documents, key=lambda document: document.head.start)

    def _applications(self, path: str, text: str, literals: PythonLiterals | ScriptLiterals) -> Iterator[Document]:
        found = 0
        described = [_renamed(node, 0) for node in literals.objects_with(*_APPLICATION)]
        if _CREATED.search(text) is not None:
            made = (created_resource(_with_fields(node)) for node in literals.objects_with(RUNTIME))
            described += [resource for resource in made if resource is not None]
        for application in described:
            configuration = application.get("ApplicationConfiguration")
            if configuration is None or configuration.entry(*_FLINK) is None or found >= _MAX_OBJECTS:
                continue
            found += 1
            named = application.get("ApplicationName")
            name = f"application {named.text if named is not None and named.text else '?'}"
            head = Span(application.span.start, application.span.start)
            document = managed_document(path, text, self, application, name=name, head=head)
            if document is not None:
                yield document


def _manifest(node: Node) -> Node:
    """Return an object as a manifest: keywords of Python have its names in snake case."""
    names = {"api_version": "apiVersion"}
    pairs = [(names.get(key, key), span, child) for key, span, child in node.pairs]
    return Node(MAPPING, node.span, node.raw, pairs=pairs, is_open=node.is_open)


def _renamed(node: Node, depth: int) -> Node:
    """Return an application with the field names of CloudFormation, which CDK writes in camel or snake case."""
    if node.kind == LIST:
        return Node(LIST, node.span, node.raw, items=[_renamed(item, depth + 1) for item in node.items])
    if node.kind != MAPPING:
        return node
    pairs = [
        (name := _field(key), span, child if name == "PropertyMap" else _renamed(child, depth + 1))
        for key, span, child in node.pairs
    ]
    return Node(MAPPING, node.span, node.raw, pairs=pairs, is_open=node.is_open)


def _with_fields(node: Node) -> Node:
    """Return an object with its own names, and no others, as those of CloudFormation."""
    pairs = [(_field(key), span, child) for key, span, child in node.pairs]
    return Node(MAPPING, node.span, node.raw, pairs=pairs, is_open=node.is_open)


def _field(name: str) -> str:
    camel = _WORD.sub(lambda match: match[1].upper(), name)
    camel = camel[:1].upper() + camel[1:]
    return f"{camel[:-3]}KPU" if camel.endswith("Kpu") else camel


FILE_FORMAT = LiteralObjects()
