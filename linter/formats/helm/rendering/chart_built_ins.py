"""The objects that Helm gives to templates: `.Release`, `.Capabilities`, `.Chart` and `.Files`."""

from __future__ import annotations

import base64
from collections.abc import Callable

from flink_flint.linter.formats.helm.rendering.chart_files import Chart, ChartTree, text_of
from flink_flint.linter.formats.helm.rendering.go_globs import glob_matches
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, Struct, text_argument
from flink_flint.linter.formats.helm.rendering.limits import Budget
from flink_flint.linter.formats.helm.rendering.marked_text import sliced
from flink_flint.linter.formats.helm.rendering.template_evaluation import MethodSet
from flink_flint.linter.formats.helm.rendering.yaml_writing import written_yaml

KUBERNETES = ("1", "31")
"""The Kubernetes release (major, minor) that Helm 3.16 assumes if no cluster is available."""
_HELM = "v3.16.4"
_API_VERSIONS = frozenset(
    [
        "v1",
        "admissionregistration.k8s.io/v1",
        "admissionregistration.k8s.io/v1alpha1",
        "admissionregistration.k8s.io/v1beta1",
        "internal.apiserver.k8s.io/v1alpha1",
        "apps/v1",
        "apps/v1beta1",
        "apps/v1beta2",
        "authentication.k8s.io/v1",
        "authentication.k8s.io/v1alpha1",
        "authentication.k8s.io/v1beta1",
        "authorization.k8s.io/v1",
        "authorization.k8s.io/v1beta1",
        "autoscaling/v1",
        "autoscaling/v2",
        "autoscaling/v2beta1",
        "autoscaling/v2beta2",
        "batch/v1",
        "batch/v1beta1",
        "certificates.k8s.io/v1",
        "certificates.k8s.io/v1beta1",
        "certificates.k8s.io/v1alpha1",
        "coordination.k8s.io/v1alpha1",
        "coordination.k8s.io/v1beta1",
        "coordination.k8s.io/v1",
        "discovery.k8s.io/v1",
        "discovery.k8s.io/v1beta1",
        "events.k8s.io/v1",
        "events.k8s.io/v1beta1",
        "extensions/v1beta1",
        "flowcontrol.apiserver.k8s.io/v1",
        "flowcontrol.apiserver.k8s.io/v1beta1",
        "flowcontrol.apiserver.k8s.io/v1beta2",
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "networking.k8s.io/v1",
        "networking.k8s.io/v1alpha1",
        "networking.k8s.io/v1beta1",
        "node.k8s.io/v1",
        "node.k8s.io/v1alpha1",
        "node.k8s.io/v1beta1",
        "policy/v1",
        "policy/v1beta1",
        "rbac.authorization.k8s.io/v1",
        "rbac.authorization.k8s.io/v1beta1",
        "rbac.authorization.k8s.io/v1alpha1",
        "resource.k8s.io/v1alpha3",
        "scheduling.k8s.io/v1alpha1",
        "scheduling.k8s.io/v1beta1",
        "scheduling.k8s.io/v1",
        "storage.k8s.io/v1beta1",
        "storage.k8s.io/v1",
        "storage.k8s.io/v1alpha1",
        "storagemigration.k8s.io/v1alpha1",
        "apiextensions.k8s.io/v1beta1",
        "apiextensions.k8s.io/v1",
    ]
)
"""The API versions that Helm 3.16 assumes if there is no cluster: those built into Kubernetes."""
_CHART_FIELDS = {
    "Name": "name", "Home": "home", "Version": "version", "Description": "description", "Icon": "icon",
    "APIVersion": "apiVersion", "Condition": "condition", "Tags": "tags", "AppVersion": "appVersion",
    "KubeVersion": "kubeVersion", "Type": "type",
}  # fmt: skip


def built_ins(release_name: str, namespace: str) -> Map:
    """Return `.Release` and `.Capabilities` for the installation of a new release without a cluster."""
    release = Map({
        "Name": release_name, "Namespace": namespace, "IsUpgrade": False, "IsInstall": True, "Revision": 1,
        "Service": "Helm",
    })  # fmt: skip
    version = f"v{KUBERNETES[0]}.{KUBERNETES[1]}.0"
    kubernetes = Struct(
        "chartutil.KubeVersion",
        {"Version": version, "Major": KUBERNETES[0], "Minor": KUBERNETES[1]},
        {"String": lambda: version, "GitVersion": lambda: version},
    )
    helm = Struct(
        "version.BuildInfo", {"Version": _HELM, "GitCommit": "", "GitTreeState": "clean", "GoVersion": "go1.22.7"}
    )
    capabilities = Struct(
        "chartutil.Capabilities", {"KubeVersion": kubernetes, "APIVersions": _versions(), "HelmVersion": helm}
    )
    return Map({"Release": release, "Capabilities": capabilities})


def _versions() -> Struct:
    def has(version: object) -> bool:
        return text_argument(version) in _API_VERSIONS

    return Struct("chartutil.VersionSet", {}, {"Has": has})


def chart_struct(chart: Chart) -> Struct:
    """Return `.Chart`: the fields of Chart.yaml."""
    fields: dict[str, object] = {name: text_of(chart.metadata.get(key)) for name, key in _CHART_FIELDS.items()}
    fields["Name"] = chart.name
    fields["IsRoot"] = chart.is_root
    for name in ("Sources", "Keywords", "Maintainers", "Dependencies"):
        value = chart.metadata.get(name.lower())
        fields[name] = value if isinstance(value, List) else List()
    annotations = chart.metadata.get("annotations")
    fields["Annotations"] = annotations if isinstance(annotations, Map) else Map()
    deprecated = chart.metadata.get("deprecated")
    fields["Deprecated"] = bool(deprecated)
    return Struct("chart.Metadata", fields)


def files_of(chart: Chart, budget: Budget) -> MethodSet:
    """Return `.Files`: the files of a chart that are not templates."""
    return _Files(dict(chart.files), chart.tree, budget).methods_of(None)


class _Files:
    """The files of a chart, which are read when a template asks for them."""

    def __init__(self, paths: dict[str, str], tree: ChartTree, budget: Budget) -> None:
        self.paths, self.tree, self.budget = paths, tree, budget

    def methods_of(self, names: list[str] | None) -> MethodSet:
        """Return a map of the named files with the methods of `.Files`; for None, the methods alone, of all files."""
        kept = self.paths if names is None else {name: self.paths[name] for name in names}
        made = MethodSet((name, self._read(name)) for name in (names or ()))
        inner = _Files(kept, self.tree, self.budget)
        made.methods = {
            "Get": inner.get, "GetBytes": inner.get, "Glob": inner.glob, "Lines": inner.lines,
            "AsConfig": inner.as_config, "AsSecrets": inner.as_secrets,
        }  # fmt: skip
        return made

    def _read(self, name: str) -> str:
        path = self.paths.get(name)
        text = None if path is None else self.tree.text(path)
        self.budget.text(0 if text is None else len(text))
        return text or ""

    def get(self, name: object) -> object:
        """Return the text of a file, or an empty text."""
        return self._read(text_argument(name))

    def lines(self, name: object) -> object:
        """Return the lines of a file."""
        text = self._read(text_argument(name))
        self.budget.items(text.count("\n") + 1)
        made = List()
        start = 0
        while start < len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            made.append(sliced(text, start, end))
            start = end + 1
        return made

    def glob(self, pattern: object) -> object:
        """Return the files whose names match a pattern."""
        expression = text_argument(pattern)
        return self.methods_of([name for name in sorted(self.paths) if glob_matches(expression, name, self.budget)])

    def as_config(self) -> object:
        """Return the files as YAML: texts by the names without folders."""
        return self._as_yaml(lambda text: text)

    def as_secrets(self) -> object:
        """Return the files as YAML: texts in base64 by the names without folders."""
        return self._as_yaml(lambda text: base64.b64encode(text.encode("utf-8", "surrogateescape")).decode())

    def _as_yaml(self, change: Callable[[str], str]) -> str:
        entries = Map((name.rpartition("/")[2], change(self._read(name))) for name in sorted(self.paths))
        return written_yaml(entries, self.budget) if entries else ""
