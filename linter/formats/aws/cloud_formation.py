"""CloudFormation and SAM templates (including CDK output), and input for API calls of Managed Service for Apache Flink.

Both may be YAML or JSON.

Reads ``AWS::KinesisAnalyticsV2::Application`` and ``AWS::EMR::Cluster`` and the resources that belong to them.
Functions are evaluated if the template alone determines the result (`linter.formats.syntax.value_tree.resolve`).
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.aws.aws_resources import (
    NodeFormat,
    configurations_in,
    emr_document,
    expiries,
    managed_document,
    read_text,
    stream_element,
    with_streams,
)
from flink_flint.linter.formats.aws.emr import roots_of
from flink_flint.linter.formats.aws.policy_statements import policy_elements
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.syntax.value_tree import MAPPING, Node, resolve
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_MANAGED = regex(r"AWS::KinesisAnalytics(?:V2)?::Application\b")
_EMR = regex(r"AWS::EMR::(?:Cluster|InstanceGroupConfig|InstanceFleetConfig)\b")
_STREAM = regex(r"AWS::Kinesis::Stream\b")
_BUCKET = regex(r"AWS::S3::Bucket\b")
_CALL = regex(r"""["']?RuntimeEnvironment["']?\s*:\s*["']?(?:ZEPPELIN-)?FLINK-\d""")


class CloudFormation(Grammatical, NodeFormat):
    """CloudFormation templates with resources that run Flink."""

    kind = "msf"

    def refuser(self, name: str) -> str:
        """Return the clause that says who refuses a file that cannot be parsed: "AWS refuses the file"."""
        return "AWS refuses the file"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file is API input or a template with a Flink application, EMR cluster, stream, or bucket."""
        if _MANAGED.search(head) is not None or _CALL.search(head) is not None:
            return True
        found = _EMR.search(head) or _STREAM.search(head) or ("LifecycleConfiguration" in head and _BUCKET.search(head))
        return bool(found) and "flink" in head.lower()

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each resource that runs Flink, in file order."""
        text = read_text(data)
        documents: list[Document] = []
        streams = []
        for root in roots_of(path, text):
            resources = root.get("Resources")
            if resources is None:
                documents += self._call(path, text, resolve(root, {}))
                continue
            parameters = _defaults(root.get("Parameters"))
            for name, span, resource in resources.pairs:
                kind = resource.get("Type")
                properties = resource.get("Properties")
                if kind is None or kind.text is None or properties is None:
                    continue
                if _MANAGED.fullmatch(kind.text) or _EMR.fullmatch(kind.text):
                    made = resolve(properties, parameters)
                    documents += self._resource(path, text, kind.text, name, span, made)
                elif _STREAM.fullmatch(kind.text):
                    streams.append(stream_element(resolve(properties, parameters), span))
                elif _BUCKET.fullmatch(kind.text):
                    streams += _expiries(resolve(properties, parameters), span)
        return with_streams(path, text, self, documents, [*streams, *policy_elements(text)])

    def _call(self, path: str, text: str, root: Node) -> list[Document]:
        """Return the document for the JSON input of ``aws kinesisanalyticsv2 create-application``."""
        found = root.entry("RuntimeEnvironment")
        if found is None:
            return []
        name = root.get("ApplicationName")
        called = f"application {(name.text if name is not None else None) or '?'}"
        document = managed_document(path, text, self, root, name=called, head=found[1].span)
        return [] if document is None else [document]

    def _resource(self, path: str, text: str, kind: str, name: str, head: Span, properties: Node) -> list[Document]:
        if _MANAGED.fullmatch(kind):
            document = managed_document(path, text, self, properties, name=f"application {name}", head=head)
            return [] if document is None else [document]
        return [
            emr_document(path, text, self, found, name=f"cluster {name}", head=head, coerces=True)
            for found in configurations_in(properties)
        ]


def _expiries(bucket: Node, head: Span) -> Iterator[Element]:
    name, rules = bucket.get("BucketName"), bucket.get("LifecycleConfiguration", "Rules")
    if rules is not None:
        yield from expiries(rules.items, (name.text if name is not None else None) or "", head)


def _defaults(parameters: Node | None) -> dict[str, Node]:
    """Return the scalar defaults of the template's parameters, by parameter name."""
    if parameters is None or parameters.kind != MAPPING:
        return {}
    found = {name: parameter.get("Default") for name, _, parameter in parameters.pairs}
    return {name: default for name, default in found.items() if default is not None and default.text is not None}


FILE_FORMAT = CloudFormation()
