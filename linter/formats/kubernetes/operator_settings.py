"""The settings that the Flink Kubernetes Operator derives from a resource, beside those of `flinkConfiguration`.

Typed fields set options (`field_settings`). Of a complete resource it is also known what the operator sets itself,
whatever `flinkConfiguration` says, what it sets unless that says something, what it removes, and what is lost in the
`flink-conf.yaml` that it writes (`resource_settings`). An entry that is not one of the settings under each release of
the operator says under which it is. `tests/operator_configuration` compares all of this with real releases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from flink_flint.linter.flink.parsed_file import REMOVED, Entry, OperatorRange
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
_NEW_HA_MODE = "high-availability.type"
_HA_MODE = ("high-availability", "recovery.mode")
_HA_STORAGE = (
    "high-availability.storageDir", "high-availability.zookeeper.storageDir", "recovery.zookeeper.storageDir",
)  # fmt: skip

# Changes of the operator: before a release, or from it on.
_BUILT_WITH_1_16, _BUILT_SINCE_1_17 = OperatorRange(until=(1, 6)), OperatorRange((1, 6))
"""The releases that are built with Flink 1.16, which has neither later names of options nor a configuration of jobs."""
_WITHOUT_JOB_DEFAULTS, _WITH_JOB_DEFAULTS = OperatorRange(until=(1, 10)), OperatorRange((1, 10))
"""The releases that set nothing in session jobs unless a field says so, and less in applications."""
_BOTH_CPU_KEYS = OperatorRange((1, 9))
"""The releases that set the later name of the CPU, too, for a Flink that does not read it."""
_ALL_LOAD_JARS = OperatorRange(until=(1, 11))
"""The releases that set the job's JAR in standalone mode, too."""
_FIRST_OVERRIDES, _FIRST_NATIVE_WITHOUT = (1, 8), (1, 14)
"""The first release that takes the parallelism from overrides of vertices, and the first that does not so natively."""

Written = Mapping[str, Entry]
"""The entries of `flinkConfiguration` by key."""


def field_settings(spec: Value, path: str, written: Sequence[Entry], *, is_session_job: bool = False) -> list[Entry]:
    """Return the entries for the options that the fields of a spec set, given the entries of `flinkConfiguration`.

    `path` is the path of the spec in the object (``spec``), used in the names of layers.
    """
    fields, by_key = _Fields(spec, path), {entry.key: entry for entry in written}
    if is_session_job:
        return list(_job(fields, by_key, is_session_job=True))
    return [*_cluster(fields, by_key), *_job(fields, by_key)]


def resource_settings(root: Value, spec: Value, entries: Sequence[Entry], *, is_whole: bool) -> list[Entry]:
    """Return the entries of the spec, and with them those for what the operator sets or removes beyond the fields.

    `root` is the FlinkDeployment or FlinkSessionJob; of an incomplete one only the name has an effect that is known.
    """
    is_job = root.string("kind") == "FlinkSessionJob"
    found = [] if is_job else list(_name(root))
    fields, by_key = _Fields(spec, "spec"), {entry.key: entry for entry in entries}
    found += _under(_WITH_JOB_DEFAULTS if is_job else None, _job_name(root, fields, by_key))
    if is_job:
        found += _not_submitted(by_key)
    if is_whole and not is_job:
        found += _cluster_settings(root, fields, by_key)
        found += _removed(fields, by_key)
        if fields.since is not None and fields.since.major < 2:
            return list(_through_flink_conf([*entries, *found]))
    return [*entries, *found]


def _under(operators: OperatorRange | None, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Return entries as settings under some releases of the operator only."""
    return (_with(operators, entry) for entry in entries)


def _with(operators: OperatorRange | None, entry: Entry) -> Entry:
    entry.operators = operators
    return entry


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
    image = "kubernetes.container.image"
    for key, operators in _names(image, f"{image}.ref", is_new=new):
        yield from _under(operators, fields.entry(key, "image"))
    yield from fields.entry("kubernetes.container.image.pull-policy", "imagePullPolicy")
    yield from fields.entry("kubernetes.service-account", "serviceAccount")
    for holder, process in (("jobManager", "jobmanager"), ("taskManager", "taskmanager")):
        cpu = f"kubernetes.{process}.cpu"
        if fields.spec.get(holder, "resources") is not None:
            yield from _memory(fields, f"{process}.memory.process.size", holder, "resources", "requests", "memory")
            for key, operators in _names(cpu, f"{cpu}.amount", is_new=new):
                yield from _under(operators, _cpu(fields, key, holder, "resources", "requests", "cpu"))
        else:
            yield from _memory(fields, f"{process}.memory.process.size", holder, "resource", "memory")
            for key, operators in _names(cpu, f"{cpu}.amount", is_new=new):
                yield from _under(operators, _cpu(fields, key, holder, "resource", "cpu"))
            if not new:
                yield from _under(_BOTH_CPU_KEYS, _cpu(fields, f"{cpu}.amount", holder, "resource", "cpu"))
    yield from fields.entry("kubernetes.jobmanager.replicas", "jobManager", "replicas")
    if (fields.spec.string("jobManager", "highAvailabilityEnabled") or "").lower() == "true":  # EMR on EKS
        yield from fields.entry("high-availability.type", "jobManager", "highAvailabilityEnabled", value="kubernetes")
        yield from fields.entry("high-availability.storageDir", "jobManager", "storageDir")
    kind = fields.spec.entry("flinkVersion") or fields.spec.entry("image")
    if kind is None:
        return
    span, place = kind
    for key in ("kubernetes.rest-service.exposed.type", "web.cancel.enable"):
        if key not in written:
            yield implied(key, DEFAULTS[key], span, place.span, place.raw, _DEFAULT)
        elif key != "web.cancel.enable" and (ingress := fields.spec.entry("ingress")) is not None:
            forced = implied(key, DEFAULTS[key], ingress[0], ingress[0], "", f"{_SET}, for spec.ingress")
            yield _with(_WITHOUT_JOB_DEFAULTS, forced)


def _names(old: str, new: str, *, is_new: bool) -> Sequence[tuple[str, OperatorRange | None]]:
    """Return the names by which the operator sets an option, each with its releases.

    `is_new`: whether the release of Flink reads the new name.
    """
    return ((new, _BUILT_SINCE_1_17), (old, _BUILT_WITH_1_16)) if is_new else ((old, None),)


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


def _job(fields: _Fields, written: dict[str, Entry], *, is_session_job: bool = False) -> Iterator[Entry]:
    """Yield the entries for the options that the fields of a job set."""
    job = fields.spec.entry("job")
    if job is None or not job[1].is_mapping:
        return
    yield from _parallelism(fields, written, is_session_job=is_session_job)
    # Under these names for every release of Flink: a later name in flinkConfiguration is read before them.
    yield from fields.entry(_SAVEPOINT, "job", "initialSavepointPath")
    yield from fields.entry("execution.savepoint.ignore-unclaimed-state", "job", "allowNonRestoredState")
    yield from _under(_WITH_JOB_DEFAULTS if is_session_job else None, _checkpointing(fields, job, written))


def _checkpointing(fields: _Fields, job: tuple[Span, Value], written: Written) -> Iterator[Entry]:
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


def _parallelism(fields: _Fields, written: Written, *, is_session_job: bool) -> Iterator[Entry]:
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
    overrides = None if is_session_job else written.get(_OVERRIDES)
    if overrides is not None:
        found = [whole(one.rpartition(":")[2].strip()) for one in overrides.text.split(",")]
        numbers = [number for number in found if number is not None]
        if len(numbers) == len(found) and max(numbers) > 0:
            span, value = overrides.key_span, overrides.value_span
            made = implied(key, str(max(numbers)), span, value, overrides.raw, f"{_SET}, from {_OVERRIDES}")
            end = None if fields.is_standalone else _FIRST_NATIVE_WITHOUT
            yield from _under(OperatorRange(until=_FIRST_OVERRIDES), fields.entry(key, "job", "parallelism"))
            yield _with(OperatorRange(_FIRST_OVERRIDES, end), made)
            if end is not None:
                yield from _under(OperatorRange(end), fields.entry(key, "job", "parallelism"))
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
        if fields.is_since(1, 15):
            yield entry("execution.shutdown-on-application-finish", "false", job)
        if (key := "execution.submit-failed-job-on-application-error") not in written:
            for operators in (*_where_highly_available(written, _WITH_JOB_DEFAULTS.since), _WITH_JOB_DEFAULTS):
                yield _with(operators, entry(key, DEFAULTS[key], job, _DEFAULT))
        yield from _jar(fields)
    yield entry("execution.target", "remote" if fields.is_standalone else target, job or place)
    manager = fields.spec.entry("jobManager")
    if manager is not None and fields.spec.get("jobManager", "replicas") is None:
        yield entry("kubernetes.jobmanager.replicas", "1", manager)
    for key in _TEMPLATES:
        if key in written:  # replaced by a file of the operator, whatever the resource has
            yield _unknown(entry(key, "", place))
    if (template := fields.spec.entry("podTemplate")) is not None:
        yield _with(_BUILT_WITH_1_16, _unknown(entry("kubernetes.pod-template-file", "", template)))
    name = _metadata(root, "name")
    if name is None:
        return
    for operators in _where_highly_available(written):
        yield _with(operators, _from_metadata("high-availability.cluster-id", name, "metadata.name"))
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
    """Yield the entries for the job's JAR, which standalone processes load from their class path."""
    yield from _under(_ALL_LOAD_JARS if fields.is_standalone else None, fields.entry("pipeline.jars", "job", "jarURI"))
    if not fields.is_standalone:
        return
    jar = fields.text("job", "jarURI")
    if jar is not None and (parts := urlsplit(jar)).scheme == "local":
        jar = f"file://{parts.netloc}{jar.partition(':')[2].removeprefix('//').removeprefix(parts.netloc)}"
    yield from fields.entry("pipeline.classpaths", "job", "jarURI", value=jar)


def _where_highly_available(written: Written, until: tuple[int, int] | None = None) -> Iterator[OperatorRange]:
    """Yield the releases of the operator before `until` that take a cluster for highly available."""
    since_1_17 = _BUILT_SINCE_1_17._replace(until=until)
    for operators, keys in ((_BUILT_WITH_1_16, _HA_MODE), (since_1_17, (_NEW_HA_MODE, *_HA_MODE))):
        mode = next((written[key].text for key in keys if key in written), "none")
        if mode.lower() not in ("none", "") and "{" not in mode:
            yield operators


def _removed(fields: _Fields, written: Written) -> Iterator[Entry]:
    """Yield an entry for each written key that does not reach the processes."""
    keys = list(_PROCESS_KEYS)
    if fields.spec.get("job") is not None and fields.spec.get("job", "initialSavepointPath") is None:
        keys.append(_SAVEPOINT)  # an application starts from a savepoint only where the field says so
    for key in keys:
        if key in written:
            yield _without(written[key], REMOVED)


def _not_submitted(written: Written) -> Iterator[Entry]:
    """Yield an entry for each key of a session job that is not submitted: requests of Flink 1.16 have no settings."""
    for key, entry in written.items():
        if entry.style != "implied" and not key.startswith("kubernetes.operator."):
            yield _with(_BUILT_WITH_1_16, _without(entry, REMOVED))


def _without(entry: Entry, layer: str) -> Entry:
    return implied(entry.key, "", entry.key_span, entry.value_span, entry.raw, layer)


def _through_flink_conf(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Change the entries to what Flink reads from the `flink-conf.yaml` that the operator writes them to.

    A value ends at its first ``#`` there, and at its first line. One that is lost altogether is followed by an entry
    that removes it.
    """
    reaching = set(map(id, _reaching(entries)))
    for entry in entries:
        yield entry
        key, text = entry.key, entry.text
        if entry.value is None or entry.removes or is_templated(text) or is_templated(entry.raw):
            continue
        if id(entry) not in reaching or (text and "#" not in text and "\n" not in text and text.strip() == text):
            continue
        read = read_flink_conf(f"{key}: {text}\n").settings().get(key)
        if read is None:
            yield _with(entry.operators, _without(entry, _LOST))
        else:
            entry.value = entry.text = read


def _reaching(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries that no later one replaces under all releases of the operator."""
    replaced: set[str] = set()
    for entry in reversed(entries):
        if entry.key not in replaced:
            yield entry
        if entry.operators is None:
            replaced.add(entry.key)
