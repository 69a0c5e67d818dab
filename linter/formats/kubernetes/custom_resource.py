"""Custom resources of the Flink Kubernetes Operator: FlinkDeployment, FlinkSessionJob, and others.

Their settings are those of `flinkConfiguration`, as the operator passes them on, overridden by those that the
operator derives from typed fields (`spec.job.parallelism`, `spec.taskManager.resource.memory`, ...).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.deployment.operator import (
    is_flink_size,
    quantity,
    quantity_text,
    release_of,
    size_text,
    text_for_flink,
    type_of,
)
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.operator.sizes import resource_memory
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.flink_files.settings_map import implied, read_mapping, scalar
from flink_flint.linter.formats.kubernetes.config_map import is_logging, logging_elements
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.kubernetes.operator_pods import containers
from flink_flint.linter.formats.kubernetes.typed_fields import TypedFields
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document, Ways
from flink_flint.linter.text.ascii_numbers import whole
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
        if kind == "FlinkDeployment":
            content.entries += _name(root)
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
    fields = _Fields(spec, path)
    written = {entry.key: entry for entry in content.entries}
    content.entries += _job(fields, written) if is_session_job else [*_cluster(fields, written), *_job(fields, written)]
    return content


def retype(entry: Entry) -> None:
    """Convert an unquoted scalar of `flinkConfiguration` in place to the text that the operator passes to Flink."""
    if entry.style == "plain" and isinstance(entry.value, str) and not _TAGS.search(entry.raw):
        text = text_for_flink(entry.value)
        entry.value, entry.text = text, text or ""


# -- typed fields


class _Fields(TypedFields):
    """The typed fields of a spec, with the Flink release that it names."""

    def __init__(self, spec: Value, path: str) -> None:
        super().__init__(spec, path)
        version = spec.string("flinkVersion")
        release = release_of(version) if version else None
        self.since = parse_release(release) if release else None

    def is_since(self, major: int, minor: int) -> bool:
        """Return whether the spec's Flink release is `major.minor` or newer; an unknown release counts as newer."""
        return self.since is None or (self.since.major, self.since.minor) >= (major, minor)


def _cluster(fields: _Fields, written: dict[str, Entry]) -> Iterator[Entry]:
    """Yield the entries for the options that the fields of a cluster set."""
    new = fields.is_since(1, 17)
    yield from fields.entry("kubernetes.container.image.ref" if new else "kubernetes.container.image", "image")
    yield from fields.entry("kubernetes.container.image.pull-policy", "imagePullPolicy")
    yield from fields.entry("kubernetes.service-account", "serviceAccount")
    for holder, process in (("jobManager", "jobmanager"), ("taskManager", "taskmanager")):
        cpu = f"kubernetes.{process}.cpu.amount" if new else f"kubernetes.{process}.cpu"
        if fields.spec.get(holder, "resources") is not None:
            yield from _memory(fields, f"{process}.memory.process.size", holder, "resources", "requests", "memory")
            yield from _cpu(fields, cpu, holder, "resources", "requests", "cpu")
        else:
            yield from _memory(fields, f"{process}.memory.process.size", holder, "resource", "memory")
            yield from _cpu(fields, cpu, holder, "resource", "cpu")
    if fields.is_since(1, 14):
        yield from fields.entry("kubernetes.jobmanager.replicas", "jobManager", "replicas")
    if (fields.spec.string("jobManager", "highAvailabilityEnabled") or "").lower() == "true":  # EMR on EKS
        yield from fields.entry("high-availability.type", "jobManager", "highAvailabilityEnabled", value="kubernetes")
        yield from fields.entry("high-availability.storageDir", "jobManager", "storageDir")
    kind = fields.spec.entry("flinkVersion") or fields.spec.entry("image")
    if kind is None:
        return
    span, place = kind
    for key, value, minor in (
        ("kubernetes.rest-service.exposed.type", "ClusterIP", 13),
        ("web.cancel.enable", "false", 14),
    ):
        if key not in written and fields.is_since(1, minor):
            yield implied(key, value, span, place.span, place.raw, "the operator's default")


def _memory(fields: _Fields, key: str, *path: str) -> Iterator[Entry]:
    found = fields.pair(*path)
    if found is None:
        return
    text = found[1].text
    if text is None or is_flink_size(text):
        yield from fields.entry(key, *path)
    elif (size := resource_memory(text)) is not None:
        yield from fields.entry(key, *path, value=size_text(size))


def _cpu(fields: _Fields, key: str, *path: str) -> Iterator[Entry]:
    found = fields.pair(*path)
    if found is None:
        return
    text = found[1].text
    if text is None or (amount := quantity(text)) is None:
        yield from fields.entry(key, *path)
    else:
        yield from fields.entry(key, *path, value=str(float(amount)))


def _job(fields: _Fields, written: dict[str, Entry]) -> Iterator[Entry]:
    """Yield the entries for the options that the fields of a job set."""
    job = fields.spec.entry("job")
    if job is None or not job[1].is_mapping:
        return
    yield from _parallelism(fields, written)
    new = fields.is_since(1, 20)
    prefix = "execution.state-recovery" if new else "execution.savepoint"
    yield from fields.entry(f"{prefix}.path", "job", "initialSavepointPath")
    yield from fields.entry(f"{prefix}.ignore-unclaimed-state", "job", "allowNonRestoredState")
    mode = fields.pair("job", "upgradeMode")
    interval = "execution.checkpointing.interval"
    if mode is not None and mode[1].text == "last-state" and interval not in written:
        span, value = mode
        yield implied(interval, "5 min", span, value.span, value.raw, "the operator's default for last-state")
    retention = "execution.checkpointing.externalized-checkpoint-retention"
    if retention not in written:
        span, value = mode or (job[0], job[1].get("jarURI") or job[1])
        place = value.span if value.is_scalar else job[0]
        yield implied(retention, "RETAIN_ON_CANCELLATION", span, place, value.raw, "the operator's default")


def _parallelism(fields: _Fields, written: dict[str, Entry]) -> Iterator[Entry]:
    """Yield the entry for the parallelism: TaskManager replicas times slots if given, otherwise the job's own."""
    key = "parallelism.default"
    if "pipeline.jobvertex-parallelism-overrides" in written:
        return
    replicas = fields.pair("taskManager", "replicas")
    if replicas is None:
        yield from fields.entry(key, "job", "parallelism")
        return
    slots = written.get("taskmanager.numberOfTaskSlots")
    # Without slots here, those of the operator's configuration apply, which are unknown.
    each, count = whole("" if slots is None else slots.text), whole(replicas[1].text or "")
    if each is not None and count is not None:
        yield from fields.entry(key, "taskManager", "replicas", value=str(each * count))


def _name(root: Value) -> Iterator[Entry]:
    """Yield the entry for the cluster ID, which is the name of the resource."""
    metadata = root.get("metadata")
    found = metadata.entry("name") if metadata is not None else None
    if found is not None and found[1].is_scalar and found[1].raw:
        span, value = found
        text = value.text if value.text is not None else value.raw
        yield implied("kubernetes.cluster-id", text, span, value.span, value.raw, "metadata.name")


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
