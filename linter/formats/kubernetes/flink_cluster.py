"""FlinkCluster (``flinkoperator.k8s.io``), the custom resource of Google's and Spotify's operators.

Both start Flink's scripts in pods of their own and mount a configuration that consists of what they derive from typed
fields, `flinkProperties`, which override most of that, and addresses and ports, which nothing overrides. Spotify's fork
knows the release (`flinkVersion`, a required field, which Google's operator does not have) and sets
`memory.process.size` to `memoryProcessRatio` of a container's memory. Google's sets `heap.size`, whatever the release.

Sources: ``newConfigMap``, ``calFlinkHeapSize``, ``calFlinkMemoryProcessSize``, ``calTaskManagerTaskSlots``,
``calJobParallelism`` and ``newJobManagerService`` in ``flinkcluster_converter.go``, ``flinkcluster_default.go`` and the
defaults in ``flinkcluster_types.go`` of <https://github.com/spotify/flink-on-k8s-operator>; the same files of
<https://github.com/GoogleCloudPlatform/flink-on-k8s-operator>.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flink_flint.linter.flink.deployment import other_operators as formulas
from flink_flint.linter.flink.deployment.operator import quantity
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.formats.kubernetes.operator_pods import declared_container
from flink_flint.linter.formats.kubernetes.typed_fields import TypedFields
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from decimal import Decimal

_PROCESSES = (("jobManager", "jobmanager"), ("taskManager", "taskmanager"))
_PORTS = (
    ("jobManager", "rpc", "jobmanager.rpc.port", "6123"),
    ("jobManager", "blob", "blob.server.port", "6124"),
    ("jobManager", "ui", "rest.port", "8081"),
)
_REPLICAS = 3
"""The number of TaskManagers where `taskManager.replicas` is missing."""
_CPU, _MEMORY = "2", "2Gi"
"""The default CPU and memory limits of a pod without `resources`, in Spotify's FlinkCluster resource definition."""
_EXPOSED = {"External": "LoadBalancer", "NodePort": "NodePort"}
"""The types of Service that serves REST to everybody, by `jobManager.accessScope`."""


def add_settings(content: ConfigurationFile, spec: Value, root: Value) -> None:
    """Add the settings that the operators derive from the fields of a FlinkCluster to its `flinkProperties`."""
    cluster = _Cluster(spec, root)
    written = {entry.key: entry for entry in content.entries}
    content.entries = [
        *(entry for entry in cluster.memory() if entry.key not in written),
        *(entry for entry in cluster.slots() if entry.key not in written),
        *content.entries,
        *cluster.addresses(),
        *cluster.job(written),
        *cluster.service(),
    ]


def containers(spec: Value) -> Iterator[Element]:
    """Yield an element for the container of each process (JobManager, TaskManager) in a FlinkCluster spec."""
    image = spec.get("image")
    variables = spec.get("envVars")
    for holder, process in _PROCESSES:
        found = spec.entry(holder)
        if found is None:
            continue
        key, value = found
        yield declared_container(
            process, key, image.entry("name") if image is not None else None, value.get("resources"),
            [] if variables is None else [variables], value, value,
        )  # fmt: skip


class _Cluster(TypedFields):
    """A FlinkCluster, with the release that decides which options Spotify's operator sets."""

    def __init__(self, spec: Value, root: Value) -> None:
        super().__init__(spec, "spec")
        self._root = root
        version = self.text("flinkVersion")
        self.is_spotifys = self.pair("flinkVersion") is not None
        self._release = _release(version) if version else None

    def memory(self) -> Iterator[Entry]:
        """Yield the memory of both processes."""
        for holder, process in _PROCESSES:
            found = self._limit(holder, "memory", _MEMORY)
            if found is None:
                continue
            text, place, path = found
            key, size = self._size(holder, process, None if text is None else quantity(text))
            if key:
                yield self.derived(key, size, place, f"derived from spec.{path}")

    def _size(self, holder: str, process: str, amount: Decimal | int | None) -> tuple[str, str | None]:
        """Return the option that sets a process's memory, empty if none does, and its value, None if unknown."""
        memory = None if amount is None else int(amount)
        if not self.is_spotifys:
            return f"{process}.heap.size", self._heap(holder, memory)
        if self._release is None:
            return f"{process}.memory.process.size", None
        if self._release < (1, 10):
            return f"{process}.heap.size", self._heap(holder, memory)
        if (process, self._release) == ("jobmanager", (1, 10)):
            return "", None  # an option of 1.11
        ratio = self._number(holder, "memoryProcessRatio", formulas.SPOTIFY_PROCESS_RATIO)
        if memory is None or ratio is None:
            return f"{process}.memory.process.size", None
        return f"{process}.memory.process.size", formulas.spotify_process_size(memory, ratio)

    def _heap(self, holder: str, memory: int | None) -> str | None:
        ratio = self._number(holder, "memoryOffHeapRatio", formulas.GOOGLE_OFF_HEAP_RATIO)
        least = self._least(holder)
        if memory is None or ratio is None or least is None:
            return None
        compute = formulas.spotify_heap_size if self.is_spotifys else formulas.google_heap_size
        return compute(memory, ratio, least)

    def _number(self, holder: str, name: str, default: int) -> int | None:
        if self.is_unknown(holder, name):
            return None
        text = self.text(holder, name)
        return default if text is None else whole(text)

    def _least(self, holder: str) -> int | None:
        if self.is_unknown(holder, "memoryOffHeapMin"):
            return None
        text = self.text(holder, "memoryOffHeapMin")
        least = formulas.OFF_HEAP_MIN if text is None else quantity(text)
        return None if least is None else int(least)

    def _limit(self, holder: str, what: str, default: str) -> tuple[str | None, tuple[Span, Value], str] | None:
        """Return the amount of a resource (None: unknown), its place and its path; None if nothing limits it.

        Google's operator reads limits alone, Spotify's requests where there are none.
        """
        for which in ("limits", "requests") if self.is_spotifys else ("limits",):
            path = (holder, "resources", which, what)
            found = self.pair(*path)
            if found is not None:
                return self.text(*path), found, ".".join(path)
        owner = self.spec.entry(holder)
        if not self.is_spotifys or owner is None or owner[1].get("resources") is not None or owner[1].is_open:
            return None
        return default, owner, f"{holder}.resources"

    def slots(self) -> Iterator[Entry]:
        """Yield the slots of a TaskManager: with Spotify's operator one for two CPUs."""
        found = self._limit("taskManager", "cpu", _CPU) if self.is_spotifys else None
        if found is None:
            return
        text, place, path = found
        cpu = quantity(text) if text is not None else None
        slots = None if cpu is None else str(formulas.spotify_slots(float(cpu)))
        yield self.derived("taskmanager.numberOfTaskSlots", slots, place, f"derived from spec.{path}")

    def addresses(self) -> Iterator[Entry]:
        """Yield the address and ports of the JobManager, which `flinkProperties` cannot override."""
        metadata = self._root.get("metadata")
        name = metadata.entry("name") if metadata is not None else None
        if name is None or not name[1].is_scalar:
            return
        address = None if name[1].is_templated or name[1].text is None else f"{name[1].text}-jobmanager"
        yield self.derived("jobmanager.rpc.address", address, name, "the operator")
        for holder, port, key, default in _PORTS:
            found = self.pair(holder, "ports", port)
            if found is None:
                yield self.derived(key, default, name, "the operator's default")
            else:
                yield from self.entry(key, holder, "ports", port)

    def job(self, written: dict[str, Entry]) -> Iterator[Entry]:
        """Yield the options that the submission of the job sets."""
        if self.spec.get("job") is None:
            return
        key = "parallelism.default"
        given = self.spec.get("job", "parallelism")
        if given is None or (given.is_scalar and not given.raw):
            yield from self._parallelism(key, written)
        else:
            yield from self.entry(key, "job", "parallelism")
        new = self._release is None or self._release >= (1, 20)
        prefix = "execution.state-recovery" if new else "execution.savepoint"
        yield from self.entry(f"{prefix}.path", "job", "fromSavepoint")
        yield from self.entry(f"{prefix}.ignore-unclaimed-state", "job", "allowNonRestoredState")

    def _parallelism(self, key: str, written: dict[str, Entry]) -> Iterator[Entry]:
        """Yield the default parallelism: all slots with Spotify's operator, 1 with Google's."""
        job = self.spec.entry("job")
        assert job is not None
        place = self.pair("job", "jarFile") or self.pair("job", "className") or job
        if not self.is_spotifys:
            yield self.derived(key, "1", place, "the operator's default")
            return
        slots = written.get("taskmanager.numberOfTaskSlots") or next(self.slots(), None)
        each = whole(slots.text) if slots is not None and slots.value is not None else None
        count = self._number("taskManager", "replicas", _REPLICAS)
        total = None if each is None or count is None else str(each * count)
        yield self.derived(key, total, self.pair("taskManager", "replicas") or place, "all slots")

    def service(self) -> Iterator[Entry]:
        """Yield how the Service of the REST endpoint is exposed, under the name of Flink's option for the same."""
        scope = self.text("jobManager", "accessScope") or ""
        if scope in _EXPOSED:
            yield from self.entry(
                "kubernetes.rest-service.exposed.type", "jobManager", "accessScope", value=_EXPOSED[scope]
            )


def _release(version: str) -> tuple[int, int] | None:
    try:
        release = parse_release(version)
    except ValueError:
        return None
    return release.major, release.minor
