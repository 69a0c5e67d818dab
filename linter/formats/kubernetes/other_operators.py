"""Custom resources of other operators and platforms that run Flink.

These are the operators of Google and Spotify (FlinkCluster), Lyft (FlinkApplication), Confluent (FlinkApplication,
FlinkEnvironment, ComputePool) and Lightbend (FlinkCluster), and Ververica Platform (Deployment, SessionCluster,
DeploymentDefaults, VvpDeployment). Each has a map of Flink settings and its own typed fields, from which its operator
derives further settings as the modules beside this one say. What Lightbend's derives is unknown.
"""

from __future__ import annotations

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.parsed_file import ConfigurationFile
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.formats.flink_files.settings_map import implied, read_mapping
from flink_flint.linter.formats.kubernetes import confluent, flink_cluster, lyft_application, ververica
from flink_flint.linter.formats.kubernetes.custom_resource import retype
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex

_VERSION = regex(r"v?\d+[._]\d+(?:[._]\d+)?")
_LIGHTBEND = {"taskmanagers_slots": "taskmanager.numberOfTaskSlots", "parallelism": "parallelism.default"}
"""Flink options by the names that Lightbend's operator uses for them in `flinkConfiguration`."""
_MAPS = ("flinkConfiguration", "flinkProperties", "flinkConfig")


def read(manifest: Manifest) -> list[Document]:
    """Return the documents for a resource of another operator or platform; an empty list for any other object."""
    spec = manifest.root.get("spec")
    if spec is None or not spec.is_mapping or not manifest.version:
        return []
    if manifest.version.startswith((*confluent.GROUPS, "flink.apache.org/")) and manifest.kind in (
        *confluent.KINDS, "FlinkCluster", "FlinkSessionCluster",
    ):  # fmt: skip
        return confluent.read(manifest, spec)
    if manifest.kind in ververica.KINDS:
        return _ververica(manifest, spec)
    if manifest.kind not in ("FlinkApplication", "FlinkCluster", "FlinkSessionCluster"):
        return []
    return [_with_own_pods(manifest, spec)]


def _with_own_pods(manifest: Manifest, spec: Value) -> Document:
    """Return the document for a resource whose operator starts Flink's scripts in pods that it declares itself."""
    found = next((spec.get(name) for name in _MAPS if spec.get(name) is not None), None)
    content = _settings(found)
    elements = [manifest.element]
    whole = False
    if manifest.version.startswith("lightbend.com/"):
        content = _lightbend(content)
    elif manifest.kind == "FlinkApplication":
        lyft_application.add_settings(content, spec, manifest.root)
        elements += lyft_application.containers(spec)
        # FLINK_PROPERTIES override what the configuration of the image says, which only Flink's own images show.
        is_flinks = release_of_image(spec.string("image") or "") is not None
        whole = is_flinks and _is_whole(spec, found, "image", "taskManagerConfig")
    else:
        flink_cluster.add_settings(content, spec, manifest.root)
        elements += flink_cluster.containers(spec)
        whole = _is_whole(spec, found, "image", "taskManager")
    content.mark_overridden()
    return Document(
        manifest.path, manifest.text, manifest.file_format, content, syntax="map", name=manifest.name,
        kind="helm" if manifest.is_helm else "other-cr", span=manifest.head, elements=elements, whole=whole,
        release=_release(spec), platform="kubernetes", ignored=manifest.ignored,
    )  # fmt: skip


def _is_whole(spec: Value, settings: Value | None, *needed: str) -> bool:
    """Return whether a spec is complete: neither a patch nor a template that inserts lines."""
    parts = [spec, settings, *(spec.get(name) for name in needed)]
    return all(spec.get(name) is not None for name in needed) and not any(
        part is not None and (part.is_open or (part.is_scalar and part.is_templated)) for part in parts
    )


def _settings(value: Value | None) -> ConfigurationFile:
    content = read_mapping(value) if value is not None and value.is_mapping else ConfigurationFile()
    for entry in content.entries:
        retype(entry)
    return content


def _release(spec: Value) -> tuple[str, str] | None:
    """Return the Flink release from `flinkVersion`, with the patch of the image's tag, or from that tag alone."""
    version = spec.string("flinkVersion")
    named = version if version and _VERSION.fullmatch(version) else None
    for path in (("image", "name"), ("image",)):
        image = spec.string(*path)
        shipped = release_of_image(image) if image else None
        if shipped is None:
            continue
        field = f"spec.{'.'.join(path)}"
        if named is None:
            return shipped, field
        if parse_release(shipped).name == named:
            return shipped, f"spec.flinkVersion and {field}"
    return (named, "spec.flinkVersion") if named else None


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


def _ververica(manifest: Manifest, spec: Value) -> list[Document]:
    """Return the document for a Ververica Platform resource, which has an artifact instead of containers."""
    found = ververica.holder_of(manifest.kind, spec)
    if found is None:
        return []
    content, release = ververica.settings(*found)
    return [
        Document(
            manifest.path, manifest.text, manifest.file_format, content, syntax="map", name=manifest.name,
            kind="helm" if manifest.is_helm else "ververica", span=manifest.head, elements=[manifest.element],
            whole=False, release=release, platform="kubernetes", ignored=manifest.ignored,
        )
    ]  # fmt: skip
