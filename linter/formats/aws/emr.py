"""Configurations of Amazon EMR: classifications with properties, in JSON or YAML.

``[{"Classification": "flink-conf", "Properties": {...}}]`` alone, or inside the description of a cluster with its
release label. EMR writes the properties of ``flink-conf`` as lines of flink-conf.yaml.
"""

from __future__ import annotations

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.formats.aws.aws_resources import NodeFormat, configurations_in, emr_document, read_text
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.syntax.json_tree import read_json
from flink_flint.linter.formats.syntax.value_tree import Node, from_yaml
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex

_OF_FLINK = regex(r"""["']?[cC]lassification["']?\s*:\s*["']?flink""")
_OTHERS = regex(r"AWSTemplateFormatVersion|[\"']?Type[\"']?\s*:\s*[\"']?AWS::|apiVersion")


class Emr(Grammatical, NodeFormat):
    """Files with EMR classifications."""

    kind = "emr"

    def refuser(self, name: str) -> str:
        """Return "AWS refuses the file", for reports of a file that cannot be parsed."""
        return "AWS refuses the file"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file has a Flink classification and is neither a template nor a Kubernetes manifest."""
        return _OF_FLINK.search(head) is not None and _OTHERS.search(head) is None

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each list of classifications that configures Flink."""
        text = read_text(data)
        documents = []
        for root in roots_of(path, text):
            for found in configurations_in(root):
                first = found.classifications[0].entry("Classification", "classification")
                head = first[1].span if first is not None else found.classifications[0].span
                documents.append(emr_document(path, text, self, found, name="EMR configurations", head=head))
        return documents


def roots_of(path: str, text: str) -> list[Node]:
    """Return the root nodes of a file, which is parsed as JSON if it looks like JSON, otherwise as YAML."""
    if len(text) > MAX_CHARACTERS:
        return []
    if path.endswith(".json") or text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        root = read_json(text)
        return [] if root is None else [root]
    from flink_flint.linter.formats.syntax.yaml_tree import read_trees

    trees = read_trees(text, is_rendered=is_rendered(path))
    return [from_yaml(tree.root, text) for tree in trees if tree.root is not None]


FILE_FORMAT = Emr()
