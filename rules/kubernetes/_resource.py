"""Custom resources of the Apache Flink Kubernetes Operator, as rules see them."""

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
"""The kinds of the Apache operator that describe a cluster of its own."""
CLUSTERS = (*APACHE_CLUSTERS, "FlinkApplication", "ComputePool")
"""The kinds with the spec of such a cluster, which Confluent's FlinkApplication and ComputePool have, too."""
_BASES = {"FlinkBlueGreenDeployment": "spec.template.spec", "ComputePool": "spec.clusterSpec"}
"""Where kinds have the spec of a cluster that do not have it at `spec`."""
_GROUPS = ("flink.apache.org/", "platform.confluent.io/", "cmf.confluent.io/")
VALUES = "values"
"""The name of the element that values of a chart are, where they hold the fields of a FlinkDeployment."""


class Resource(NamedTuple):
    """A custom resource, or the spec of one."""

    part: ElementView
    base: str
    """Where the spec of its deployment or job stands: ``spec``, or ``spec.template.spec`` of a blue/green one."""
    is_whole: bool
    """Whether what it does not say is not said anywhere else in its files."""

    @property
    def kind(self) -> str:
        """Its kind."""
        return self.part.name

    def path(self, name: str) -> str:
        """The attribute of a field of the spec: ``spec.job.upgradeMode`` of ``job.upgradeMode``."""
        return f"{self.base}.{name}"

    def text(self, name: str) -> str | None:
        """A field of the spec that is a text."""
        return self.part.text(self.path(name))

    def has(self, name: str) -> bool:
        """Whether the spec has a field, known or not."""
        return self.part.has(self.path(name))

    def lacks(self, name: str) -> bool:
        """Whether the spec certainly has no such field."""
        return self.is_whole and not self.has(name)

    @property
    def is_application(self) -> bool:
        """Whether it runs a job of its own."""
        return self.has("job")

    @property
    def upgrade_mode(self) -> str | None:
        """How the job is stopped and restored; None where that is not known. Without the field it is stateless."""
        if self.lacks("job.upgradeMode") and self.is_application:
            return "stateless"
        return self.text("job.upgradeMode")


def resources(config: View, *kinds: str) -> Iterator[Resource]:
    """The custom resources of these kinds (all where none is named; `VALUES` where that is)."""
    for part in config.elements("kubernetes-object"):
        group = part.text("apiVersion") or "flink.apache.org/"
        if part.name in (kinds or KINDS) and group.startswith(_GROUPS):
            yield Resource(part, _BASES.get(part.name, "spec"), config.document.whole)


def is_operators(config: View) -> bool:
    """Whether the Apache operator reads the document's settings: a custom resource of its, or values for one."""
    return config.document.platform == "operator" and config.document.kind not in ("other-cr", "ververica")


def written(config: View) -> Iterator[Entry]:
    """The entries that stand in `flinkConfiguration` itself, those included that a typed field overrides."""
    return (entry for entry in config.document.entries if entry.style != "implied")


def entry_of(config: View, key: str) -> Entry | None:
    """The last entry of a key in `flinkConfiguration` itself."""
    return next((entry for entry in reversed(list(written(config))) if entry.key == key), None)


def flag(config: View, key: str) -> bool | None:
    """Whether an option of the operator is switched on or off in the resource; None where it does not tell."""
    entry = entry_of(config, key)
    return None if entry is None else {"true": True, "false": False}.get(entry.text.lower())


def named_release(resource: Resource) -> tuple[int, int] | None:
    """Major and minor that `flinkVersion` names."""
    found = re.fullmatch(r"v(\d+)_(\d+)", resource.text("flinkVersion") or "")
    return (int(found[1]), int(found[2])) if found else None


def minor_of(version: str) -> tuple[int, int]:
    """Major and minor of a release."""
    release = parse_release(version)
    return release.major, release.minor


def key_span(config: View, part: ElementView, path: str) -> Span:
    """Where the key of a field stands that holds other fields: the nearest of its name before the first of them."""
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
