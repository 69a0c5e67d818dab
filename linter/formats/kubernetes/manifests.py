"""Kubernetes manifests: one or more objects in YAML or JSON, including custom resources, ConfigMaps, and workloads.

Each object related to Flink is read as one or more documents; `linter.formats.kubernetes` has a module for each family
of kinds. Objects are identified by ``apiVersion`` and ``kind``; all others are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.flink_files.embedding import Embedded
from flink_flint.linter.formats.flink_files.settings_map import SettingsMapFormat, read_text
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest, mentions_flink
from flink_flint.linter.formats.kubernetes.nested_objects import objects_in
from flink_flint.linter.formats.recognition import is_rendered, whole_parts
from flink_flint.linter.formats.syntax.yaml_tree import Tree, Value, read_trees
from flink_flint.linter.model.document import Document, Ways
from flink_flint.linter.text.lazy_regex import regex

_MODULES = (
    ("kubernetes.custom_resource", r"flink\.apache\.org/.*", r"Flink\w+"),
    ("kubernetes.config_map", r"v1", r"ConfigMap"),
    (
        "kubernetes.workload",
        r"(?:apps/|batch/)?v1(?:beta\d)?",
        r"Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod|ReplicaSet",
    ),
    ("kubernetes.kafka_topic", r"kafka\.strimzi\.io/.*", r"KafkaTopic"),
    ("kubernetes.volume_claim", r"v1", r"PersistentVolumeClaim"),
    ("kubernetes.rbac", r"v1", r"ServiceAccount"),
    ("kubernetes.service", r"v1", r"Service"),
    (
        "kubernetes.service",
        r"(?:networking\.k8s|route\.openshift|gateway\.networking\.k8s)\.io/.*|(?:extensions|traefik\.[\w.]+)/.*",
        r"Ingress|Route|HTTPRoute|IngressRoute",
    ),
    ("kubernetes.service", r"networking\.k8s\.io/.*", r"NetworkPolicy"),
    ("kubernetes.service", r"monitoring\.coreos\.com/.*", r"(?:Service|Pod)Monitor"),
    ("kubernetes.rbac", r"rbac\.authorization\.k8s\.io/.*", r"(?:Cluster)?Role(?:Binding)?"),
    (
        "gitops.patched_sources",
        r"argoproj\.io/.*|kustomize\.toolkit\.fluxcd\.io/.*",
        r"Application(?:Set)?|Kustomization",
    ),
    (
        "gitops.chart_releases",
        r"helm\.(?:toolkit\.fluxcd|crossplane|cattle)\.io/.*",
        r"HelmRelease|Release|HelmChart(?:Config)?",
    ),
    ("kubernetes.statement_sets", r".*", r"\w*(?:Sql|SQL)\w*"),
    (
        "kubernetes.other_operators",
        r".*",
        r"Flink\w+|ComputePool|(?:Vv?p)?Deployment|SessionCluster|DeploymentDefaults",
    ),
)
"""Modules of `linter.formats` with the apiVersion and kind they read; the first one that finds documents is used."""
_HEAD = regex(
    r"""(?:^[-{ \t]*+["']?|[{,][ \t]*+")kind["']?[ \t]*:[ \t]*["']?"""
    r"(?:Flink\w+|KafkaTopic|PersistentVolumeClaim|ConfigMap|(?:Vv?p)?Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod|List"
    r"|SessionCluster|ComputePool|Deployment\w+|Service(?:Account|Monitor)?|PodMonitor|NetworkPolicy|(?:Cluster)?Role(?:Binding)?"
    r"|Ingress(?:Route)?|(?:HTTP)?Route)\b",
    re.MULTILINE,
)
_OF_CONTROLLERS = regex(
    r"""apiVersion["']?[ \t]*:[ \t]*["']?(?:argoproj|helm\.(?:toolkit\.fluxcd|crossplane|cattle)"""
    r"|kustomize\.toolkit\.fluxcd|kubernetes\.crossplane|work\.open-cluster-management)\.io/"
)
"""Matches the objects of controllers that install charts or apply other objects."""
_SELECTS = regex(
    r"""(?m)^[-{ \t]*+["']?kind["']?[ \t]*:[ \t]*["']?(?:Service(?:Monitor)?|PodMonitor|NetworkPolicy)\b"""
)
_PROCESSES = regex(r"(?i)(?:job|task)-?manager")
"""Matches names of Flink's processes, by which what selects pods need not mention Flink."""
_PIPELINE = regex(r"^(?:on|jobs|stages|steps|pipelines?|workflows)[ \t]*:", re.MULTILINE)
"""Matches the keys of pipelines of CI, whose commands may contain manifests."""
_SCRIPT = regex(r"""[\w-]\.sql["']?[ \t]*:[ \t]*["'|>]""")

_STATEFUN = regex(r"\bkind[ \t]*:[ \t]*io\.statefun\.")
"""Matches a component of a module of Stateful Functions."""
_STATEMENTS = regex(r"(?m)^[ \t]+[\"']?sql[sS]tatements[\"']?[ \t]*:")
"""Matches the field of a custom resource with the SQL statements of a job."""


class Kubernetes(Grammatical, SettingsMapFormat):
    """Kubernetes manifests with objects that are related to Flink."""

    kind = "flinkdeployment"

    def refuser(self, name: str) -> str:
        """Return "kubectl refuses the object", for reports of a file that cannot be parsed."""
        return "kubectl refuses the object"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file is a manifest with an object of a supported kind and mentions Flink.

        A ConfigMap with SQL scripts need not mention Flink, if the scripts are Flink's. An object of a controller must
        have settings of Flink.
        """
        if _PIPELINE.search(head) is not None:
            return False
        mentions = (
            mentions_flink(head)
            or _STATEFUN.search(head) is not None
            or (_SELECTS.search(head) is not None and _PROCESSES.search(head) is not None)
        )
        if _HEAD.search(head) is not None and mentions:
            return True
        may_have = mentions and _OF_CONTROLLERS.search(head) is not None
        may_have = may_have or _STATEMENTS.search(head) is not None
        may_have = may_have or (_SCRIPT.search(head) is not None and _HEAD.search(head) is not None)
        return may_have and bool(self.parse(name, whole_parts(head)))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the documents for all objects that are related to Flink, in file order."""
        text = read_text(data)
        documents: list[Document] = []
        for tree in self._trees(path, text):
            for root in objects_in(tree.root):
                documents += self._read(path, text, tree, root)
        return documents

    def _trees(self, path: str, text: str) -> Sequence[Tree]:
        return read_trees(text, is_rendered=is_rendered(path))

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return edits that replace the value of an entry, or of the typed field that sets the option."""
        if entry.style == "implied" and not isinstance(document, Embedded):
            from flink_flint.linter.formats.kubernetes.custom_resource import replace_field

            return replace_field(document, entry, value)
        return super().replace(document, entry, value)

    def _read(self, path: str, text: str, tree: Tree, root: Value) -> list[Document]:
        version, kind = root.string("apiVersion") or "", root.string("kind") or ""
        for module, versions, kinds in _MODULES:
            if re.fullmatch(kinds, kind) and re.fullmatch(versions, version):
                manifest = Manifest(path, text, self, tree, root, version, kind)
                found: list[Document] = import_module(f"flink_flint.linter.formats.{module}").read(manifest)
                if found:
                    return found
        return []


class ParsedManifests(Kubernetes):
    """Manifests in a text that was already parsed into trees without errors, so that it is not parsed again."""

    def __init__(self, text: str, trees: Sequence[Tree]) -> None:
        self._text, self._known = text, trees

    def _trees(self, path: str, text: str) -> Sequence[Tree]:
        return self._known if text == self._text else super()._trees(path, text)

    def with_refusals(self, path: str, data: bytes, documents: list[Document]) -> list[Document]:
        """Return the documents unchanged, since the whole text was parsed without errors."""
        return documents


FILE_FORMAT = Kubernetes()
