"""Custom resources of other operators and platforms that run Flink.

These are the operators of Google and Spotify (FlinkCluster), Lyft (FlinkApplication), Confluent (FlinkApplication),
and Lightbend (FlinkCluster), and Ververica Platform (Deployment, SessionCluster, DeploymentDefaults). Each has a map
of Flink settings and its own typed fields. Confluent's resource has the spec of a FlinkDeployment, which a build of the
Apache operator runs, and is read like one. How the others derive sizes from memory fields is not modeled, so these
sizes are unknown, and each adds settings, so no setting can be considered missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.flink_files.settings_map import implied, read_mapping
from flink_flint.linter.formats.kubernetes.custom_resource import is_whole, read_spec, release_of_spec, retype
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.kubernetes.operator_pods import containers
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex

_CONFLUENT = ("platform.confluent.io/", "cmf.confluent.io/")
_VERSION = regex(r"v?\d+[._]\d+(?:[._]\d+)?")
_LIGHTBEND = {"taskmanagers_slots": "taskmanager.numberOfTaskSlots", "parallelism": "parallelism.default"}
"""Flink options by the names that Lightbend's operator uses for them in `flinkConfiguration`."""
_MAPS = ("flinkConfiguration", "flinkProperties", "flinkConfig")


def read(manifest: Manifest) -> list[Document]:
    """Return the document for a resource of another operator or platform, or nothing if it has no Flink settings."""
    spec = manifest.root.get("spec")
    if spec is None or not spec.is_mapping or not manifest.version:
        return []
    if manifest.kind in ("Deployment", "SessionCluster", "DeploymentDefaults"):
        return _ververica(manifest, spec)
    if manifest.kind not in ("FlinkApplication", "FlinkCluster", "FlinkSessionCluster"):
        return []
    if manifest.version.startswith((*_CONFLUENT, "flink.apache.org/")):
        return [_confluent(manifest, spec)]
    found = next((spec.get(name) for name in _MAPS if spec.get(name) is not None), None)
    content = _settings(found)
    if manifest.version.startswith("lightbend.com/"):
        content = _lightbend(content)
    content.entries += _fields(spec)
    content.mark_overridden()
    return [_document(manifest, content, _release(spec), platform="kubernetes")]


def _confluent(manifest: Manifest, spec: Value) -> Document:
    """Return the document for Confluent's FlinkApplication, whose spec Confluent's build of the Apache operator runs.

    An environment that the application names has defaults of its own, so that settings may come from there.
    """
    content, release = read_spec(spec, "spec"), release_of_spec(spec)
    content.mark_overridden()
    whole = manifest.kind == "FlinkApplication" and spec.get("flinkEnvironment") is None and is_whole(spec)
    document = _document(manifest, content, release, platform="operator", whole=whole)
    document.elements = [*document.elements, *containers(spec)]
    return document


def _document(
    manifest: Manifest, content: ConfigurationFile, release: tuple[str, str] | None, *, platform: str,
    kind: str = "other-cr", whole: bool = False,
) -> Document:  # fmt: skip
    return Document(
        manifest.path, manifest.text, manifest.file_format, content, syntax="map", name=manifest.name,
        kind="helm" if manifest.is_helm else kind, span=manifest.head, elements=[manifest.element], whole=whole,
        release=release, platform=platform, ignored=manifest.ignored,
    )  # fmt: skip


def _settings(value: Value | None) -> ConfigurationFile:
    content = read_mapping(value) if value is not None and value.is_mapping else ConfigurationFile()
    for entry in content.entries:
        retype(entry)
    return content


def _release(spec: Value) -> tuple[str, str] | None:
    """Return the Flink release from `flinkVersion` or, if that is missing, from the image's tag."""
    version = spec.get("flinkVersion")
    if version is not None and version.text and _VERSION.fullmatch(version.text):
        return version.text, "spec.flinkVersion"
    for path in (("image", "name"), ("image",)):
        image = spec.string(*path)
        shipped = release_of_image(image) if image else None
        if shipped:
            return shipped, f"spec.{'.'.join(path)}"
    return None


# -- FlinkCluster of Google and Spotify, FlinkApplication of Lyft

_DIRECT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("parallelism.default", ("job", "parallelism")),
    ("parallelism.default", ("parallelism",)),
    ("taskmanager.numberOfTaskSlots", ("taskManagerConfig", "taskSlots")),
)
_SIZES: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (f"{process}.memory.process.size", (holder, "resources", which, "memory"))
    for process, holders in (
        ("jobmanager", ("jobManager", "jobManagerConfig")),
        ("taskmanager", ("taskManager", "taskManagerConfig")),
    )
    for holder in holders
    for which in ("limits", "requests")
)
"""The fields from which the operators derive Flink's memory sizes, each with its own formula."""


def _fields(spec: Value) -> Iterator[Entry]:
    """Yield the entries for typed fields: parallelism, slots, and memory sizes with unknown values."""
    for key, path in _DIRECT:
        holder = spec.get(*path[:-1])
        found = holder.entry(path[-1]) if holder is not None else None
        if found is not None and found[1].is_scalar and found[1].raw:
            span, value = found
            text = value.text if value.text is not None else value.raw
            yield implied(key, text, span, value.span, value.raw, f"spec.{'.'.join(path)}")
    seen = set()
    for key, path in _SIZES:
        holder = spec.get(*path[:-1])
        found = holder.entry(path[-1]) if holder is not None else None
        if found is None or key in seen:
            continue
        seen.add(key)
        span, value = found
        entry = implied(key, "", span, value.span, value.raw, f"derived from spec.{'.'.join(path)}")
        entry.value = None
        yield entry


def _lightbend(content: ConfigurationFile) -> ConfigurationFile:
    """Return the settings with Lightbend's names replaced by Flink's; other keys that are not Flink's are removed."""
    result = ConfigurationFile()
    for entry in content.entries:
        option = _LIGHTBEND.get(entry.key)
        if option is not None:
            layer = f"spec.flinkConfiguration.{entry.key}"
            result.entries.append(implied(option, entry.text, entry.key_span, entry.value_span, entry.raw, layer))
        elif "." in entry.key:
            result.entries.append(entry)
    return result


# -- Ververica Platform


def _ververica(manifest: Manifest, spec: Value) -> list[Document]:
    """Return the document for a Ververica Platform resource, which has an artifact instead of containers."""
    inner = spec.get("template", "spec")
    if manifest.kind == "Deployment" and (inner is None or inner.get("artifact") is None):
        return []
    holder = spec if manifest.kind == "SessionCluster" else inner
    if holder is None or not holder.is_mapping:
        return []
    content, release = ververica_settings(holder, "spec" if holder is spec else "spec.template.spec")
    return [_document(manifest, content, release, platform="kubernetes", kind="ververica")]


def ververica_settings(holder: Value, path: str) -> tuple[ConfigurationFile, tuple[str, str] | None]:
    """Return the settings of a Ververica Platform spec and the Flink release it names (None if unknown)."""
    content = _settings(holder.get("flinkConfiguration"))
    found = holder.entry("parallelism")
    if found is not None and found[1].is_scalar and found[1].raw:
        span, value = found
        text = value.text if value.text is not None else value.raw
        content.entries.append(implied("parallelism.default", text, span, value.span, value.raw, f"{path}.parallelism"))
    content.mark_overridden()
    for at in (("artifact", "flinkVersion"), ("flinkVersion",)):
        version = holder.string(*at)
        if version and _VERSION.fullmatch(version):
            return content, (version, f"{path}.{'.'.join(at)}")
    return content, None
