"""The settings that the Flink Kubernetes Operator derives from a resource, beside those of `flinkConfiguration`.

Typed fields set options (`field_settings`). Of a complete resource it is also known what the operator sets itself,
whatever `flinkConfiguration` says, what it sets unless that says something, what it removes, and what is lost in the
`flink-conf.yaml` that it writes (`resource_settings`). All of this is what the newest release of the operator does;
`tests/operator_configuration` compares it with real ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from flink_flint.linter.flink.deployment.operator import (
    DEFAULTS,
    is_flink_size,
    quantity,
    release_of,
    size_text,
)
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.flink_conf import read_flink_conf
from flink_flint.linter.flink.operator.sizes import resource_memory
from flink_flint.linter.flink.parsed_file import REMOVED, Entry
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.formats.flink_files.settings_map import implied
from flink_flint.linter.formats.kubernetes.typed_fields import TypedFields
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.spans import Span

_SET = "set by the operator"
_DEFAULT = "the operator's default"
_LOST = f"{REMOVED}'s flink-conf.yaml"

_PROCESS_KEYS = (
    "kubernetes.config.file", "rest.bind-address", "jobmanager.bind-host", "taskmanager.bind-host", "taskmanager.host",
)  # fmt: skip
"""Keys that the operator, like Flink's own client, does not pass to the processes."""
_TEMPLATES = ("kubernetes.pod-template-file.jobmanager", "kubernetes.pod-template-file.taskmanager")
_SAVEPOINT = "execution.savepoint.path"
_OVERRIDES = "pipeline.jobvertex-parallelism-overrides"
_SLOTS = "taskmanager.numberOfTaskSlots"
_HA_MODE = ("high-availability.type", "high-availability", "recovery.mode")
_HA_STORAGE = (
    "high-availability.storageDir", "high-availability.zookeeper.storageDir", "recovery.zookeeper.storageDir",
)  # fmt: skip

Written = Mapping[str, Entry]
"""The entries of `flinkConfiguration` by key."""


def field_settings(spec: Value, path: str, written: Sequence[Entry], *, is_session_job: bool = False) -> list[Entry]:
    """Return the entries for the options that the fields of a spec set, given the entries of `flinkConfiguration`.

    `path` is the path of the spec in the object (``spec``), used in the names of layers.
    """
    fields, by_key = _Fields(spec, path), {entry.key: entry for entry in written}
    return [*([] if is_session_job else _cluster(fields, by_key)), *_job(fields, by_key)]


def resource_settings(root: Value, spec: Value, entries: Sequence[Entry], *, is_whole: bool) -> list[Entry]:
    """Return the entries for what the operator sets or removes beyond the fields, given those of the spec.

    `root` is the FlinkDeployment or FlinkSessionJob; of an incomplete one only the name has an effect that is known.
    """
    is_job = root.string("kind") == "FlinkSessionJob"
    found = [] if is_job else list(_name(root))
    fields, by_key = _Fields(spec, "spec"), {entry.key: entry for entry in entries}
    found += _job_name(root, fields, by_key)
    if is_whole and not is_job:
        found += _cluster_settings(root, fields, by_key)
        found += _removed(fields, by_key)
        if fields.since is not None and fields.since.major < 2:
            found += _through_flink_conf([*entries, *found])
    return found


class _Fields(TypedFields):
    """The typed fields of a spec, with the Flink release that it names."""

    def __init__(self, spec: Value, path: str) -> None:
        super().__init__(spec, path)
        version = spec.string("flinkVersion")
        release = release_of(version) if version else None
        self.since = parse_release(release) if release else None

    @property
    def is_standalone(self) -> bool:
        """Whether the operator starts the TaskManagers itself."""
        return self.spec.string("mode") == "standalone"

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
            if not new:
                yield from _cpu(fields, f"{cpu}.amount", holder, "resource", "cpu")
    yield from fields.entry("kubernetes.jobmanager.replicas", "jobManager", "replicas")
    if (fields.spec.string("jobManager", "highAvailabilityEnabled") or "").lower() == "true":  # EMR on EKS
        yield from fields.entry("high-availability.type", "jobManager", "highAvailabilityEnabled", value="kubernetes")
        yield from fields.entry("high-availability.storageDir", "jobManager", "storageDir")
    kind = fields.spec.entry("flinkVersion") or fields.spec.entry("image")
    if kind is None:
        return
    span, place = kind
    for key, minor in (("kubernetes.rest-service.exposed.type", 13), ("web.cancel.enable", 14)):
        if key not in written and fields.is_since(1, minor):
            yield implied(key, DEFAULTS[key], span, place.span, place.raw, _DEFAULT)


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
    # Under these names for every release of Flink: a later name in flinkConfiguration is read before them.
    yield from fields.entry(_SAVEPOINT, "job", "initialSavepointPath")
    yield from fields.entry("execution.savepoint.ignore-unclaimed-state", "job", "allowNonRestoredState")
    mode = fields.pair("job", "upgradeMode")
    interval = "execution.checkpointing.interval"
    if mode is not None and mode[1].text == "last-state" and interval not in written:
        span, value = mode
        yield implied(
            interval, DEFAULTS[interval], span, value.span, value.raw, "the operator's default for last-state"
        )
    retention = "execution.checkpointing.externalized-checkpoint-retention"
    if retention not in written:
        span, value = mode or (job[0], job[1].get("jarURI") or job[1])
        place = value.span if value.is_scalar else job[0]
        yield implied(retention, DEFAULTS[retention], span, place, value.raw, _DEFAULT)


def _parallelism(fields: _Fields, written: Written) -> Iterator[Entry]:
    """Yield the entry for the parallelism: TaskManager replicas times slots if given, otherwise the job's own."""
    key = "parallelism.default"
    replicas = fields.pair("taskManager", "replicas")
    if replicas is not None:
        slots = written.get(_SLOTS)
        each, count = whole("1" if slots is None else slots.text), whole(replicas[1].text or "")
        if each is not None and count is not None:
            for entry in fields.entry(key, "taskManager", "replicas", value=str(each * count)):
                # The operator's own configuration may have other slots than its chart, which has Flink's default.
                yield entry if slots is not None else _unknown(entry)
        return
    overrides = written.get(_OVERRIDES)
    if fields.is_standalone and overrides is not None:
        found = [whole(one.rpartition(":")[2].strip()) for one in overrides.text.split(",")]
        numbers = [number for number in found if number is not None]
        if len(numbers) == len(found) and max(numbers) > 0:
            span, value = overrides.key_span, overrides.value_span
            yield implied(key, str(max(numbers)), span, value, overrides.raw, f"{_SET}, from {_OVERRIDES}")
        return
    yield from fields.entry(key, "job", "parallelism")


# -- what the operator makes of a complete resource


def _name(root: Value) -> Iterator[Entry]:
    """Yield the entry for the cluster ID, which is the name of the resource."""
    found = _metadata(root, "name")
    if found is not None:
        yield _from_metadata("kubernetes.cluster-id", found, "metadata.name")


def _metadata(root: Value, field: str) -> tuple[Span, Value] | None:
    metadata = root.get("metadata")
    found = metadata.entry(field) if metadata is not None else None
    return found if found is not None and found[1].is_scalar and found[1].raw else None


def _from_metadata(key: str, place: tuple[Span, Value], layer: str, value: str | None = None) -> Entry:
    span, field = place
    text = value or (field.text if field.text is not None else field.raw)
    return implied(key, text, span, field.span, field.raw, layer)


def _job_name(root: Value, fields: _Fields, written: Written) -> Iterator[Entry]:
    """Yield the entry for the job's name, which is that of the resource unless the user gives one."""
    name = _metadata(root, "name")
    if name is not None and fields.spec.get("job") is not None and "pipeline.name" not in written:
        yield _from_metadata("pipeline.name", name, f"{_DEFAULT}, from metadata.name")


def _cluster_settings(root: Value, fields: _Fields, written: Written) -> Iterator[Entry]:
    place = fields.spec.entry("flinkVersion") or fields.spec.entry("image")
    assert place is not None  # of a complete resource
    job = fields.spec.entry("job")

    def entry(key: str, value: str, holder: tuple[Span, Value] = place, layer: str = _SET) -> Entry:
        span, field = holder
        return implied(key, value, span, field.span if field.is_scalar else span, field.raw, layer)

    if (namespace := _metadata(root, "namespace")) is not None:
        yield _from_metadata("kubernetes.namespace", namespace, "metadata.namespace")
    if job is None:
        target = "kubernetes-session"
    else:
        target = "kubernetes-application"
        yield entry("execution.shutdown-on-application-finish", "false", job)
        if (key := "execution.submit-failed-job-on-application-error") not in written:
            yield entry(key, DEFAULTS[key], job, _DEFAULT)
        yield from _jar(fields)
    yield entry("execution.target", "remote" if fields.is_standalone else target, job or place)
    manager = fields.spec.entry("jobManager")
    if manager is not None and fields.spec.get("jobManager", "replicas") is None:
        yield entry("kubernetes.jobmanager.replicas", "1", manager)
    for key in _TEMPLATES:
        if key in written:  # replaced by a file of the operator, whatever the resource has
            yield _unknown(entry(key, "", place))
    name = _metadata(root, "name")
    if name is None:
        return
    if _is_highly_available(written):
        yield _from_metadata("high-availability.cluster-id", name, "metadata.name")
    storage = next((written[key] for key in _HA_STORAGE if key in written), None)
    if storage is not None and job is not None:
        if (key := "job-result-store.delete-on-commit") not in written:
            yield entry(key, DEFAULTS[key], job, _DEFAULT)
        folder = f"{storage.text}/job-result-store/{name[1].text or name[1].raw}/<random>"
        made = implied(
            "job-result-store.storage-path", folder, storage.key_span, storage.value_span, storage.raw,
            f"{_SET}, from {storage.key}",
        )  # fmt: skip
        yield _unknown(made)


def _unknown(entry: Entry) -> Entry:
    """Return an entry whose text is for readers only: the operator makes a new value for each deployment."""
    entry.value = None
    return entry


def _jar(fields: _Fields) -> Iterator[Entry]:
    """Yield the entry for the job's JAR, which standalone processes load from their class path."""
    if not fields.is_standalone:
        yield from fields.entry("pipeline.jars", "job", "jarURI")
        return
    jar = fields.text("job", "jarURI")
    if jar is not None and (parts := urlsplit(jar)).scheme == "local":
        jar = f"file://{parts.netloc}{jar.partition(':')[2].removeprefix('//').removeprefix(parts.netloc)}"
    yield from fields.entry("pipeline.classpaths", "job", "jarURI", value=jar)


def _is_highly_available(written: Written) -> bool:
    mode = next((written[key].text for key in _HA_MODE if key in written), "none")
    return mode.lower() not in ("none", "") and "{" not in mode


def _removed(fields: _Fields, written: Written) -> Iterator[Entry]:
    """Yield an entry for each written key that does not reach the processes."""
    keys = list(_PROCESS_KEYS)
    if fields.spec.get("job") is not None and fields.spec.get("job", "initialSavepointPath") is None:
        keys.append(_SAVEPOINT)  # an application starts from a savepoint only where the field says so
    for key in keys:
        if key in written:
            yield _without(written[key], REMOVED)


def _without(entry: Entry, layer: str) -> Entry:
    return implied(entry.key, "", entry.key_span, entry.value_span, entry.raw, layer)


def _through_flink_conf(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Change the entries to what Flink reads from the `flink-conf.yaml` that the operator writes them to.

    A value ends at its first ``#`` there, and at its first line. Yields an entry for each that is lost altogether.
    """
    for key, entry in {entry.key: entry for entry in entries}.items():
        text = entry.text
        if entry.value is None or entry.removes or is_templated(text) or is_templated(entry.raw):
            continue
        if text and "#" not in text and "\n" not in text and text.strip() == text:
            continue
        read = read_flink_conf(f"{key}: {text}\n").settings().get(key)
        if read is None:
            yield _without(entry, _LOST)
        else:
            entry.value = entry.text = read
