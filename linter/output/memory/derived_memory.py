"""The memory of a document's processes as Flink derives it, and its form in the JSON contracts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory, jobmanager
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, MemoryUnknown
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory, taskmanager
from flink_flint.linter.model.document import Document, LayeredEntry, merge_layers
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.target import Target
from flink_flint.linter.output.memory.memory_components import PARTS
from flink_flint.linter.text.named_tuple import NamedTuple

_PROCESSES = (("taskmanager", taskmanager), ("jobmanager", jobmanager))


class Process(NamedTuple):
    """The memory of one process, or the reason why it cannot be derived."""

    derived: TaskManagerMemory | JobManagerMemory | None
    error: str | None


class Derived(NamedTuple):
    """The effective configuration and memory of a document and its base layers in one release."""

    settings: Mapping[str, LayeredEntry]
    """The effective settings of the document and its base layers, by key."""
    configuration: Configuration
    error: str | None
    """The reason why Flink refuses the whole document; None if Flink accepts it."""
    processes: Mapping[str, Process]
    """The processes `taskmanager` and `jobmanager` by name; their memory is None if the configuration is partial."""


def derive(document: Document, target: Target, relation: Relation) -> Derived:
    """Derive a document's configuration and memory in the newest of its candidate releases."""
    index = target.in_question[-1]
    settings = merge_layers((*relation.below, document))
    values = {key: one.entry.value for key, one in settings.items()}
    configuration = Configuration(values, target.release_at(index), yaml=document.yaml_in(index), sole=True)
    if document.refusals:
        error = mask_of(document)(document.refusals[0].message)
        return Derived(settings, configuration, error, {name: Process(None, error) for name, _ in _PROCESSES})
    if not document.whole:
        return Derived(settings, configuration, None, {name: Process(None, None) for name, _ in _PROCESSES})
    processes = {}
    for name, derive_memory in _PROCESSES:
        try:
            processes[name] = Process(derive_memory(configuration, containers=target.is_in_containers), None)
        except (MemoryRefused, MemoryUnknown) as refused:
            processes[name] = Process(None, mask_of(document)(str(refused)))
    return Derived(settings, configuration, None, processes)


def memory_object(processes: Mapping[str, Process]) -> dict[str, Any]:
    """Return the processes' memory as in the JSON contracts: bytes by component, None if there is no memory."""
    return {name: process_object(name, processes[name]) for name in PARTS}


def process_object(role: str, process: Process) -> dict[str, Any]:
    """Return the memory of a JobManager or TaskManager as in the JSON contracts."""
    members = (*PARTS[role], "jvm_args")
    return {**{member: getattr(process.derived, member, None) for member in members}, "error": process.error}
