"""Resources of Confluent Manager for Apache Flink: FlinkApplication, FlinkEnvironment and ComputePool.

An application has the spec of a FlinkDeployment, which Confluent's build of Apache's operator runs. So does the
`clusterSpec` of a compute pool, from which clusters for SQL statements are made. An environment has defaults for both
and for statements; what it says of applications takes precedence over what they say themselves.

Sources: <https://docs.confluent.io/cp-flink/current/configure/environments.html>,
<https://docs.confluent.io/cp-flink/current/configure/compute-pools.html>,
<https://docs.confluent.io/operator/current/co-manage-flink-environments.html>, and the schemas of the REST API.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import ConfigurationFile
from flink_flint.linter.formats.flink_files.settings_map import read_mapping
from flink_flint.linter.formats.kubernetes.custom_resource import is_whole, read_spec, release_of_spec, retype
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.kubernetes.operator_pods import containers
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document

GROUPS = ("platform.confluent.io/", "cmf.confluent.io/")
KINDS = ("FlinkApplication", "FlinkEnvironment", "ComputePool")
_DEFAULTS = (
    ("flinkApplicationDefaults", "spec"),
    ("computePoolDefaults", "spec", "clusterSpec"),
    ("computePoolDefaults", "clusterSpec"),
)
_STATEMENTS = (("statementDefaults", "detached"), ("statementDefaults", "interactive"))


def read(manifest: Manifest, spec: Value) -> list[Document]:
    """Return the documents for an application, an environment, or a compute pool."""
    if manifest.kind == "FlinkEnvironment":
        return list(_environment(manifest, spec))
    if manifest.kind == "ComputePool":
        cluster = spec.get("clusterSpec")
        return [] if cluster is None or not cluster.is_mapping else [_cluster(manifest, cluster, "spec.clusterSpec")]
    # An application that names an environment gets settings from there.
    may_be_whole = manifest.kind == "FlinkApplication" and spec.get("flinkEnvironment") is None
    return [_cluster(manifest, spec, "spec", whole=may_be_whole and is_whole(spec))]


def _environment(manifest: Manifest, spec: Value) -> Iterator[Document]:
    name = manifest.name
    for path in _DEFAULTS:
        defaults = spec.get(*path)
        if defaults is None or not defaults.is_mapping:
            continue
        document = _cluster(manifest, defaults, f"spec.{'.'.join(path)}")
        if path[0] == "flinkApplicationDefaults":
            document.prevails = True
            # What the operator sets where nothing else does prevails over nothing.
            document.leave_out(
                {entry.key for entry in document.entries if entry.layer.startswith("the operator's default")}
            )
        else:
            document.name = f"{name} {path[0]}"
        yield document
    for path in _STATEMENTS:
        found = spec.get(*path, "flinkConfiguration")
        if found is not None and found.is_mapping:
            content = read_mapping(found)
            for entry in content.entries:
                retype(entry)
            content.mark_overridden()
            yield _document(manifest, content, name=f"{name} {'.'.join(path)}")


def _cluster(manifest: Manifest, spec: Value, path: str, *, whole: bool = False) -> Document:
    content = read_spec(spec, path)
    content.mark_overridden()
    document = _document(manifest, content, release=release_of_spec(spec), whole=whole)
    document.elements = [manifest.element, *containers(spec)]
    return document


def _document(
    manifest: Manifest, content: ConfigurationFile, *, name: str | None = None,
    release: tuple[str, str] | None = None, whole: bool = False,
) -> Document:  # fmt: skip
    return Document(
        manifest.path, manifest.text, manifest.file_format, content, syntax="map", name=name or manifest.name,
        kind="helm" if manifest.is_helm else "other-cr", span=manifest.head, elements=[manifest.element], whole=whole,
        release=release, platform="operator", ignored=manifest.ignored,
    )  # fmt: skip
