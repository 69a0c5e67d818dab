"""Custom resources of the Apache Flink Kubernetes Operator."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

KINDS = ("FlinkDeployment", "FlinkSessionJob", "FlinkBlueGreenDeployment", "FlinkStateSnapshot")
APACHE_CLUSTERS = ("FlinkDeployment", "FlinkBlueGreenDeployment")
"""The kinds of resources of the Apache operator that describe a cluster."""
CLUSTERS = (*APACHE_CLUSTERS, "FlinkApplication", "ComputePool")
"""The kinds whose spec describes a cluster, including Confluent's FlinkApplication and ComputePool."""
_BASES = {"FlinkBlueGreenDeployment": "spec.template.spec", "ComputePool": "spec.clusterSpec"}
"""Where kinds have the spec of a cluster that do not have it at `spec`."""
_GROUPS = ("flink.apache.org/", "platform.confluent.io/", "cmf.confluent.io/")
VALUES = "values"
"""The name of the element for values of a chart that contain fields of a FlinkDeployment."""


class Resource(NamedTuple):
    """A custom resource, or a spec without its resource."""

    part: ElementView
    base: str
    """The path of the spec of the deployment or job: ``spec``, or ``spec.template.spec`` for blue/green deployments."""
    is_whole: bool
    """Whether the resource is complete, so that no other file adds fields."""

    @property
    def kind(self) -> str:
        """The kind of the resource."""
        return self.part.name

    def path(self, name: str) -> str:
        """Return the attribute name for a field of the spec: ``spec.job.upgradeMode`` for ``job.upgradeMode``."""
        return f"{self.base}.{name}"

    def text(self, name: str) -> str | None:
        """Return the text of a field of the spec; None if it is missing or unknown."""
        return self.part.text(self.path(name))

    def has(self, name: str) -> bool:
        """Return whether the spec has a field, even with an unknown value."""
        return self.part.has(self.path(name))

    def lacks(self, name: str) -> bool:
        """Return whether the spec certainly lacks a field."""
        return self.is_whole and not self.has(name)

    @property
    def is_application(self) -> bool:
        """Whether the resource runs a job itself."""
        return self.has("job")

    @property
    def upgrade_mode(self) -> str | None:
        """The upgrade mode of the job (``stateless`` if the field is missing); None if it is unknown."""
        if self.lacks("job.upgradeMode") and self.is_application:
            return "stateless"
        return self.text("job.upgradeMode")


def resources(config: View, *kinds: str) -> Iterator[Resource]:
    """Yield the custom resources of the given kinds, by default of all kinds (without `VALUES`)."""
    for part in config.elements("kubernetes-object"):
        group = part.text("apiVersion") or "flink.apache.org/"
        if part.name in (kinds or KINDS) and group.startswith(_GROUPS):
            yield Resource(part, _BASES.get(part.name, "spec"), config.document.whole)


def defined_resources(config: View) -> Iterator[Resource]:
    """Yield the custom resources whose definition is known: those of Apache's operator, and `FlinkCluster`."""
    yield from resources(config)
    for part in config.elements("kubernetes-object"):
        if part.name == "FlinkCluster" and part.text("apiVersion") == "flinkoperator.k8s.io/v1beta1":
            yield Resource(part, "spec", config.document.whole)


def is_operators(config: View) -> bool:
    """Return whether the Apache operator reads a document's settings: a custom resource, or values for one."""
    return config.document.platform == "operator" and config.document.kind not in ("other-cr", "ververica")


def written(config: View) -> Iterator[Entry]:
    """Return the entries in `flinkConfiguration` itself, including those that a typed field overrides."""
    return (entry for entry in config.document.entries if entry.style != "implied")


def entry_of(config: View, key: str) -> Entry | None:
    """Return the last entry of a key in `flinkConfiguration` itself; None if there is none."""
    return next((entry for entry in reversed(list(written(config))) if entry.key == key), None)


def flag(config: View, key: str) -> bool | None:
    """Return whether a resource enables or disables an option; None if it does neither."""
    entry = entry_of(config, key)
    return None if entry is None else {"true": True, "false": False}.get(entry.text.lower())


def named_release(resource: Resource) -> tuple[int, int] | None:
    """Return the major and minor version in `flinkVersion`; None if it is missing or unknown."""
    found = re.fullmatch(r"v(\d+)_(\d+)", resource.text("flinkVersion") or "")
    return (int(found[1]), int(found[2])) if found else None


def minor_of(version: str) -> tuple[int, int]:
    """Return the major and minor version of a release."""
    release = parse_release(version)
    return release.major, release.minor


def key_span(config: View, part: ElementView, path: str) -> Span:
    """Return the span of the key of a field, including fields that contain other fields."""
    if path in part.element.attributes:
        return part.span(path, at="key")
    inner = [
        attribute.key_span or attribute.span
        for name, attribute in part.element.attributes.items()
        if name.startswith((f"{path}.", f"{path}["))
    ]
    if not inner:
        return part.span()
    first, name = min(inner), path.rpartition(".")[2]
    pattern = re.compile(rf"""(?<![\w.-])["']?{re.escape(name)}["']?(?=\s*:)""")
    before = list(pattern.finditer(config.document.text, part.span().start, first.start))
    return Span(*before[-1].span()) if before else first
