"""Kubernetes manifests: one or many objects in YAML or JSON, custom resources, ConfigMaps and workloads alike.

Each object of a kind that has to do with Flink becomes a document (or several); `linter.carriers.objects` has a
module for each family of kinds. Objects are told apart by ``apiVersion`` and ``kind``; others are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

from linter.carriers.objects.manifest import Manifest
from linter.carriers.yaml_map import YamlMapCarrier, read_text
from linter.carriers.yaml_tree import Tree, Value, read_trees
from linter.document import Document

_MODULES = (
    ("custom_resource", r"flink\.apache\.org/.*", r"Flink\w+"),
    ("config_map", r"v1", r"ConfigMap"),
    ("workload", r"(?:apps/|batch/)?v1(?:beta\d)?", r"Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod|ReplicaSet"),
    ("other_resource", r".*", r"Flink\w+|Deployment|SessionCluster|DeploymentTarget|DeploymentDefaults"),
)
"""Module of `linter.carriers.objects`, apiVersion, kind; the first that takes an object reads it."""
_HEAD = re.compile(
    r"""^(?:[-\s]*|\s*\{?\s*["']?|\s+["'])kind["']?[ \t]*:[ \t]*["']?"""
    r"(?:Flink\w+|ConfigMap|Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod|List|SessionCluster|Deployment\w+)\b",
    re.MULTILINE,
)


class Kubernetes(YamlMapCarrier):
    """Manifests with objects that have to do with Flink."""

    kind = "flinkdeployment"

    def recognise(self, name: str, head: str) -> bool:
        """A manifest of a kind that is read, in which Flink is named."""
        return _HEAD.search(head) is not None and "flink" in head.lower()

    def parse(self, path: str, data: bytes) -> list[Document]:
        """The documents of all objects, in file order."""
        text = read_text(data)
        documents: list[Document] = []
        for tree in read_trees(text):
            for root in _objects(tree.root):
                documents += self._read(path, text, tree, root)
        return documents

    def _read(self, path: str, text: str, tree: Tree, root: Value) -> list[Document]:
        version, kind = root.string("apiVersion") or "", root.string("kind") or ""
        for module, versions, kinds in _MODULES:
            if re.fullmatch(kinds, kind) and re.fullmatch(versions, version):
                manifest = Manifest(path, text, self, tree, root, version, kind)
                found: list[Document] = import_module(f"linter.carriers.objects.{module}").read(manifest)
                if found:
                    return found
        return []


def _objects(root: Value | None) -> Iterator[Value]:
    """The object of a document, or the objects of a List."""
    if root is None:
        return
    items = root.get("items")
    if items is not None and items.is_sequence and root.string("kind") in ("List", "ConfigMapList"):
        yield from items.items()
    elif root.is_mapping:
        yield root


CARRIER = Kubernetes()
