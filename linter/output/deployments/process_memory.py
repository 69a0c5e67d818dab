"""The memory that Flink derives for a process of a deployment."""

from __future__ import annotations

from flink_flint.linter.engine.deployments import Deployment
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.flink.memory.jobmanager import jobmanager
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, MemoryUnknown
from flink_flint.linter.flink.memory.taskmanager import taskmanager
from flink_flint.linter.model.processes.process import JOBMANAGER, TASKMANAGER, Process
from flink_flint.linter.output.memory.derived_memory import Process as Memory


def memory_of(deployment: Deployment, process: Process) -> Memory:
    """Derive the memory of a process; empty if the role has no memory model or the configuration is not fully known."""
    document = deployment.document
    if not _is_known(deployment, process) or process.role not in (JOBMANAGER, TASKMANAGER):
        return Memory(None, None)
    if process.error is not None:
        return Memory(None, mask_of(document)(process.error))
    containers = deployment.target.is_in_containers
    try:
        if process.role == JOBMANAGER:
            return Memory(jobmanager(process.configuration, containers=containers), None)
        return Memory(taskmanager(process.configuration, containers=containers), None)
    except (MemoryRefused, MemoryUnknown) as refused:
        return Memory(None, mask_of(document)(str(refused)))


def _is_known(deployment: Deployment, process: Process) -> bool:
    """Return whether all of a process's configuration is known: in its document, its base or a file that it mounts."""
    if deployment.document.whole:
        return True
    if deployment.document.platform == "operator" and any(lower.whole for lower in deployment.relation.below):
        return True
    return any(
        file.document is not None and file.document.whole and file.is_read is not False for file in process.files
    )
