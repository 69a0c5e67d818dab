"""Custom resources of the Flink Kubernetes Operator: FlinkDeployment, FlinkSessionJob, and others.

Their settings are those of `flinkConfiguration`, as the operator passes them on, overridden by those that the
operator derives from typed fields (`spec.job.parallelism`, `spec.taskManager.resource.memory`, ...).
"""

from __future__ import annotations

import re

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.deployment.operator import (
    is_flink_size,
    quantity_text,
    release_of,
    size_text,
    text_for_flink,
    type_of,
)
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.flink_files.settings_map import read_mapping, scalar
from flink_flint.linter.formats.kubernetes.config_map import is_logging, logging_elements
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.kubernetes.operator_pods import containers
from flink_flint.linter.formats.kubernetes.operator_settings import field_settings, resource_settings
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document, Ways
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit, Span

_KINDS = {
    "FlinkDeployment": "flinkdeployment",
    "FlinkSessionJob": "flinksessionjob",
    "FlinkBlueGreenDeployment": "bluegreen",
    "FlinkStateSnapshot": "flinkdeployment",
}
_TAGS = regex(r"\{\{|\{%|<%")


def read(manifest: Manifest) -> list[Document]:
    """Return the document for a custom resource of the Flink Kubernetes Operator; none for any other object."""
    root, kind = manifest.root, manifest.kind
    if kind not in _KINDS:
        return []
    path = ("spec", "template", "spec") if kind == "FlinkBlueGreenDeployment" else ("spec",)
    spec = root.get(*path)
    content = ConfigurationFile()
    elements = [manifest.element]
    release = None
    if spec is not None and kind != "FlinkStateSnapshot":
        content = read_spec(spec, ".".join(path), is_session_job=kind == "FlinkSessionJob")
        if kind in ("FlinkDeployment", "FlinkSessionJob"):
            content.entries = resource_settings(root, spec, content.entries, is_whole=is_whole(spec))
        elements += containers(spec)
        logs = spec.get("logConfiguration")
        for name, _, value in logs.pairs() if logs is not None else ():
            if value.is_scalar and is_logging(name):
                elements += logging_elements(name, value)
        release = release_of_spec(spec)
    content.mark_overridden()
    return [
        Document(
            manifest.path, manifest.text, manifest.file_format, content, syntax="map", name=manifest.name,
            kind="helm" if manifest.is_helm else _KINDS[kind], span=manifest.head, elements=elements,
            whole=kind in ("FlinkDeployment", "FlinkBlueGreenDeployment") and spec is not None and is_whole(spec),
            ignored=manifest.ignored, platform="operator", release=release,
            release_span=None if spec is None or release is None else _span_of_release(spec, release[1]),
        )
    ]  # fmt: skip


def is_whole(spec: Value) -> bool:
    """Return whether a FlinkDeployment spec is complete: neither a patch nor a template that inserts lines.

    Nor is it one whose image or JAR is blank, as in the defaults of a chart: who deploys it gives these, and more.
    """
    if spec.get("flinkVersion") is None and not (spec.get("image") and spec.get("taskManager")):
        return False
    if _is_blank(spec):
        return False
    parts = [spec, spec.get("flinkConfiguration"), spec.get("job")]
    return not any(part is not None and (part.is_open or (part.is_scalar and part.is_templated)) for part in parts)


def _is_blank(spec: Value) -> bool:
    """Return whether a spec has an image without a name (`registry.example.com/`) or a JAR without a path."""
    image, job = spec.string("image"), spec.get("job")
    jar = job.string("jarURI") if job is not None else None
    return jar == "" or (image is not None and (image == "" or image[-1] in "/:"))


def release_of_spec(spec: Value) -> tuple[str, str] | None:
    """Return the Flink release of a spec and the names of the fields that show it; None if the release is unknown.

    The fields are `flinkVersion` and `image`. If both name the same minor release, the image's release is returned.
    On EMR on EKS, `emrReleaseLabel` determines the release, because Amazon's operator derives the image from it.
    """
    if (label := spec.string("emrReleaseLabel")) is not None:
        from flink_flint.linter.flink.deployment.aws import emr_release

        release = emr_release(label)
        return (release, "spec.emrReleaseLabel") if release else None
    version, image = spec.string("flinkVersion"), spec.string("image")
    named = release_of(version) if version else None
    shipped = release_of_image(image) if image else None
    if named is None:
        return (shipped, "spec.image") if shipped else None
    if shipped is not None and parse_release(shipped).name == named:
        return shipped, "spec.flinkVersion and spec.image"
    return named, "spec.flinkVersion"


def _span_of_release(spec: Value, evidence: str) -> Span | None:
    """Return the span of the most specific field that shows the release: the last one in `evidence`."""
    field = spec.get(evidence.rpartition("spec.")[2])
    return None if field is None else field.span


# -- flinkConfiguration


def read_spec(spec: Value, path: str, *, is_session_job: bool = False) -> ConfigurationFile:
    """Return the settings of a FlinkDeployment or FlinkSessionJob spec: `flinkConfiguration` and typed fields.

    `path` is the path of the spec in the object (``spec``), used in the names of layers.
    """
    content = ConfigurationFile()
    configuration = spec.get("flinkConfiguration")
    if configuration is not None and configuration.is_mapping:
        content = read_mapping(configuration)
        for entry in content.entries:
            retype(entry)
    content.entries += field_settings(spec, path, content.entries, is_session_job=is_session_job)
    return content


def retype(entry: Entry) -> None:
    """Convert an unquoted scalar of `flinkConfiguration` in place to the text that the operator passes to Flink."""
    if entry.style == "plain" and isinstance(entry.value, str) and not _TAGS.search(entry.raw):
        text = text_for_flink(entry.value)
        entry.value, entry.text = text, text or ""


# -- edits

_NUMBERS = (".parallelism", ".replicas", ".cpu", ".allowNonRestoredState", ".taskSlots")


def replace_field(document: Document, entry: Entry, value: str) -> Ways:
    """Return the edit that changes a typed field so that the option that the field sets gets `value`.

    The result is empty if the field does not set the option alone (replicas are multiplied by slots to get the
    parallelism).
    """
    path = entry.layer
    if "." not in path or path == "metadata.name" or "\n" in value:
        return ()
    if path.endswith(".taskManager.replicas"):
        return ()
    written, expected = value, value
    if path.endswith(".memory"):
        try:
            size = int(parse_memory(value))
        except BadValue:
            return ()
        if not is_flink_size(entry.raw.strip("\"'")):
            written, expected = quantity_text(size), size_text(size)
    if path.endswith(".cpu"):
        try:
            expected = str(float(value))
        except ValueError:
            return ()
    is_number = path.endswith(_NUMBERS)
    quoted = entry.raw[:1] in ("'", '"')
    if is_number and not quoted and type_of(value) == "string":
        return ()
    plain = not quoted and (is_number or (type_of(written) == "string" and re.fullmatch(r"[\w./:@+-]+", written)))
    edits = [Edit(entry.value_span, written if plain else scalar(written, entry.raw))]
    return promises(document, edits, {entry.key: expected})
