"""Custom resources of the Apache Flink Kubernetes Operator: FlinkDeployment, FlinkSessionJob and their kin."""

from __future__ import annotations

import re

from linter.carriers.objects.manifest import Manifest
from linter.carriers.yaml_map import implied, read_mapping
from linter.carriers.yaml_tree import Value
from linter.document import Document
from linter.flink.entries import ConfigurationFile, Entry

_KINDS = {
    "FlinkDeployment": "flinkdeployment",
    "FlinkSessionJob": "flinksessionjob",
    "FlinkBlueGreenDeployment": "bluegreen",
    "FlinkStateSnapshot": "flinkdeployment",
}
_VERSION = re.compile(r"v(\d+)_(\d+)")


def read(manifest: Manifest) -> list[Document]:
    """The document of one custom resource."""
    root = manifest.root
    if manifest.kind not in _KINDS:
        return []
    configuration = root.get("spec", "flinkConfiguration")
    content = read_mapping(configuration) if configuration is not None else ConfigurationFile()
    content.entries += _typed_fields(root)
    content.mark_overridden()
    version = root.string("spec", "flinkVersion")
    match = _VERSION.fullmatch(version) if version else None
    return [
        Document(
            manifest.path, manifest.text, manifest.carrier, content, syntax="map", name=manifest.name,
            kind="helm" if manifest.is_helm else _KINDS[manifest.kind], span=manifest.head,
            elements=[manifest.element], ignored=manifest.ignored, platform="operator",
            release=(f"{match[1]}.{match[2]}", "spec.flinkVersion") if match else None,
        )
    ]  # fmt: skip


def _typed_fields(root: Value) -> list[Entry]:
    """The settings that typed fields of the spec imply; the operator lays them over flinkConfiguration."""
    found = []
    for path, key in ((("job", "parallelism"), "parallelism.default"),):
        holder = root.get("spec", *path[:-1])
        pair = holder.entry(path[-1]) if holder is not None else None
        if pair is not None and pair[1].text is not None:
            span, value = pair
            found.append(implied(key, value.text or "", span, value.span, value.raw, f"spec.{'.'.join(path)}"))
    return found
