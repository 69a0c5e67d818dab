"""Resources of Ververica Platform: Deployment, SessionCluster, DeploymentDefaults, and its operators' resources.

A Deployment has an artifact instead of containers. The platform forwards `resources.taskmanager.memory` to
`taskmanager.memory.process.size`, and the same for the JobManager; a unit there is a power of ten (``2G`` are
2,000,000,000 bytes). It adds what the defaults of its installation and of the namespace say, high availability and
directories included, so that a resource is never complete.

Sources: <https://docs.ververica.com/vvp/user-guide/application-operations/deployments/resources>,
<https://docs.ververica.com/vvp/user-guide/application-operations/deployments/flink-configuration>,
<https://docs.ververica.com/vvp/platform-operations/deployment-defaults>,
<https://docs.ververica.com/docs/vvp3/user-guides/admin-operator-guide/kubernetes-operator/custom-resource-reference>
(VvpDeployment), <https://github.com/fintechstudios/ververica-platform-k8s-operator> (VpDeployment).
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import size_text
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.formats.flink_files.settings_map import read_mapping
from flink_flint.linter.formats.kubernetes.custom_resource import retype
from flink_flint.linter.formats.kubernetes.typed_fields import TypedFields
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.text.ascii_numbers import number
from flink_flint.linter.text.lazy_regex import regex

KINDS = ("Deployment", "SessionCluster", "DeploymentDefaults", "VvpDeployment", "VpDeployment")
_WRAPPED = {"VvpDeployment": ("deployment", "spec"), "VpDeployment": ("spec",)}
"""Where resources of operators have the spec of the platform's resource, below their own."""
_VERSION = regex(r"v?\d+[._]\d+(?:[._]\d+)?")
_MEMORY = regex(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([kKmMgGtT]?)[bB]?")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_FIRST = {"taskmanager": (1, 10), "jobmanager": (1, 11)}
"""The releases from which Flink has `memory.process.size` of a process."""


def holder_of(kind: str, spec: Value) -> tuple[Value, str] | None:
    """Return the mapping with a resource's settings, and its path; None if it has none or is not Ververica's."""
    outer, base = spec, "spec"
    if (wrapping := _WRAPPED.get(kind)) is not None:
        found = spec.get(*wrapping)
        if found is None or not found.is_mapping:
            return None
        outer, base = found, f"spec.{'.'.join(wrapping)}"
    if kind == "SessionCluster":
        return outer, base
    inner = outer.get("template", "spec")
    if inner is None or not inner.is_mapping:
        return None
    if kind == "Deployment" and inner.get("artifact") is None:
        return None  # Kubernetes' own
    return inner, f"{base}.template.spec"


def settings(holder: Value, path: str) -> tuple[ConfigurationFile, tuple[str, str] | None]:
    """Return the settings of a Ververica Platform spec and the Flink release it names (None if unknown)."""
    configuration = holder.get("flinkConfiguration")
    is_map = configuration is not None and configuration.is_mapping
    content = read_mapping(configuration) if configuration is not None and is_map else ConfigurationFile()
    for entry in content.entries:
        retype(entry)
    fields, release = TypedFields(holder, path), _release(holder, path)
    written = {entry.key for entry in content.entries}
    content.entries = [
        *content.entries,
        *(entry for entry in _memory(fields, release) if entry.key not in written),
        *fields.entry("parallelism.default", "parallelism"),
    ]
    content.mark_overridden()
    return content, release


def _memory(fields: TypedFields, release: tuple[str, str] | None) -> Iterator[Entry]:
    """Yield the memory of both processes, for a release that knows the options."""
    try:
        named = parse_release(release[0].removeprefix("v").replace("_", ".")) if release else None
    except ValueError:
        return
    for process, first in _FIRST.items():
        if named is not None and (named.major, named.minor) < first:
            continue
        place = fields.pair("resources", process, "memory")
        if place is None:
            continue
        text = fields.text("resources", process, "memory")
        size = None if text is None else _bytes(text)
        yield fields.derived(
            f"{process}.memory.process.size", None if size is None else size_text(size), place,
            f"derived from {fields.path}.resources.{process}.memory",
        )  # fmt: skip


def _bytes(text: str) -> int | None:
    found = _MEMORY.fullmatch(text.strip())
    if found is None or (amount := number(found[1])) is None:
        return None
    return int(amount * 1000 ** _POWERS[found[2].lower()])


def _release(holder: Value, path: str) -> tuple[str, str] | None:
    for at in (("artifact", "flinkVersion"), ("flinkVersion",)):
        version = holder.string(*at)
        if version and _VERSION.fullmatch(version):
            return version, f"{path}.{'.'.join(at)}"
    return None
