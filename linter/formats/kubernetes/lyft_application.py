"""FlinkApplication (``flink.k8s.io``), the custom resource of Lyft's operator.

The operator starts the image's entrypoint in pods of its own, and passes `flinkConfig` in FLINK_PROPERTIES, with what
it derives from typed fields in place of what `flinkConfig` says of slots, memory and ports.

Sources: ``renderFlinkConfig`` in ``pkg/controller/flink/config.go``, ``container_utils.go``,
``job_manager_controller.go`` and ``task_manager_controller.go`` of <https://github.com/lyft/flinkk8soperator>.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment import other_operators as formulas
from flink_flint.linter.flink.deployment.operator import quantity
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.formats.kubernetes.operator_pods import declared_container
from flink_flint.linter.formats.kubernetes.typed_fields import TypedFields
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.ascii_numbers import number

_PROCESSES = (("jobManagerConfig", "jobmanager"), ("taskManagerConfig", "taskmanager"))
_PORTS = (
    ("rpcPort", "jobmanager.rpc.port", "6123"),
    ("blobPort", "blob.server.port", "6125"),
)


def add_settings(content: ConfigurationFile, spec: Value, root: Value) -> None:
    """Add the settings that Lyft's operator derives from FlinkApplication fields; they override `flinkConfig`."""
    application = _Application(spec, root)
    written = {entry.key: entry for entry in content.entries}
    content.entries = [
        *content.entries,
        *application.slots(),
        *application.memory(),
        *application.addresses(written),
        *application.job(),
    ]


def containers(spec: Value) -> Iterator[Element]:
    """Yield an element for each process's container in a FlinkApplication spec, with the application's volumes."""
    for holder, process in _PROCESSES:
        found = spec.entry(holder)
        if found is None:
            continue
        key, value = found
        variables = value.get("envConfig", "env")
        yield declared_container(
            process, key, spec.entry("image"), value.get("resources"), [] if variables is None else [variables],
            spec, spec,
        )  # fmt: skip


class _Application(TypedFields):
    """A FlinkApplication, with the release that decides which options the operator sets."""

    def __init__(self, spec: Value, root: Value) -> None:
        super().__init__(spec, "spec")
        self._root = root
        self._is_unknown = self.is_unknown("flinkVersion")
        self._is_old = not self._is_unknown and _is_before_1_11(self.text("flinkVersion") or "")

    def slots(self) -> Iterator[Entry]:
        """Yield the slots of a TaskManager."""
        path = ("taskManagerConfig", "taskSlots")
        key = "taskmanager.numberOfTaskSlots"
        if self.pair(*path) is not None:
            yield from self.entry(key, *path)
        elif (place := self.spec.entry("taskManagerConfig")) is not None and not place[1].is_open:
            yield self.derived(key, str(formulas.LYFT_SLOTS), place, "the operator's default")

    def memory(self) -> Iterator[Entry]:
        """Yield the memory of both processes, which is that of the container's request less a fraction."""
        for holder, process in _PROCESSES:
            owner = self.spec.entry(holder)
            if owner is None or owner[1].is_open:
                continue
            path = (holder, "resources", "requests", "memory")
            place = self.pair(*path)
            if place is None and owner[1].get("resources") is not None:
                continue
            memory = formulas.LYFT_MEMORY[process] if place is None else _bytes(self.text(*path))
            key = f"{process}.heap.size" if self._is_old else f"{process}.memory.process.size"
            fraction = self._fraction(holder)
            size = None if memory is None or fraction is None else formulas.lyft_size(memory, fraction)
            layer = f"derived from spec.{'.'.join(path)}" if place is not None else "the operator's default"
            yield self.derived(key, size, place or owner, layer)

    def _fraction(self, holder: str) -> float | None:
        """Return the fraction of a pod's memory that is not Flink's; None if it is unknown."""
        name, default = (
            ("offHeapMemoryFraction", formulas.LYFT_OFF_HEAP_FRACTION)
            if self._is_old
            else ("systemMemoryFraction", formulas.LYFT_SYSTEM_FRACTION)
        )
        if self._is_unknown or self.is_unknown(holder, name):
            return None
        fraction = number(self.text(holder, name) or "")
        return fraction if fraction is not None and 0 <= fraction <= 1 else default

    def addresses(self, written: dict[str, Entry]) -> Iterator[Entry]:
        """Yield the address and ports of the JobManager, and the cluster ID, which all contain a generated hash."""
        metadata = self._root.get("metadata")
        name = metadata.entry("name") if metadata is not None else None
        if name is None or not name[1].is_scalar:
            return
        ha = written.get("high-availability")
        has_ha = ha is not None and ha.text.strip().lower() != "none"
        yield self.derived("kubernetes.cluster-id" if has_ha else "jobmanager.rpc.address", None, name, "the operator")
        for field, key, default in _PORTS:
            if self.pair(field) is not None:
                yield from self.entry(key, field)
            else:
                yield self.derived(key, default, name, "the operator's default")

    def job(self) -> Iterator[Entry]:
        """Yield the options that the submission of the job sets."""
        yield from self.entry("parallelism.default", "parallelism")
        yield from self.entry("execution.savepoint.path", "savepointPath")
        yield from self.entry("execution.savepoint.ignore-unclaimed-state", "allowNonRestoredState")


def _bytes(text: str | None) -> int | None:
    amount = quantity(text) if text is not None else None
    return None if amount is None else int(amount)


def _is_before_1_11(version: str) -> bool:
    """Return whether the operator takes a version for one before 1.11, as it does with what is no version."""
    try:
        release = parse_release(version)
    except ValueError:
        return True
    return (release.major, release.minor) < (1, 11)
