"""The checkpoint settings of a configuration, for rules about checkpoints."""

from __future__ import annotations

from flink_flint.linter.flink.uris import Location, locate
from flink_flint.linter.flink.values import Duration
from flink_flint.linter.model.view import Setting, View

INTERVAL = "execution.checkpointing.interval"
DIRECTORY = "execution.checkpointing.dir"
CONCURRENT = "execution.checkpointing.max-concurrent-checkpoints"
PAUSE = "execution.checkpointing.min-pause"
RETENTION = "execution.checkpointing.externalized-checkpoint-retention"
TOLERABLE = "execution.checkpointing.tolerable-failed-checkpoints"
BACKEND = "state.backend.type"
SLOTS = "taskmanager.numberOfTaskSlots"

_OF_ONE_START = ("source", "shell", "sql", "properties")
"""Kinds of documents that are of one start of a job."""

_OBJECT_STORES = ("s3", "s3a", "s3p", "s3n", "gs", "oss", "abfs", "abfss", "wasb", "wasbs", "cos", "cosn", "obs")
_FILE_SYSTEMS = ("hdfs", "viewfs", "webhdfs", "maprfs")


def is_streaming(config: View) -> bool:
    """Return whether jobs may run in streaming mode; False if the runtime mode is BATCH or unknown."""
    return config.is_known("execution.runtime-mode") and config.string("execution.runtime-mode") != "BATCH"


def interval(config: View) -> Duration | None:
    """Return the checkpoint interval of streaming jobs; None if no valid one is set."""
    found = config.duration(INTERVAL)
    return found if found is not None and found > 0 and is_streaming(config) else None


def directory(config: View) -> Location | None:
    """Return the checkpoint directory; None if it is not set or unknown."""
    setting = config.get(DIRECTORY)
    return locate(setting.text) if setting.is_set and setting.is_known else None


def is_in_object_store(config: View) -> bool:
    """Return whether checkpoints are written to an object store, where each request takes time and costs money."""
    place = directory(config)
    return place is not None and place.scheme in _OBJECT_STORES


def is_remote(config: View) -> bool:
    """Return whether checkpoints are written over the network."""
    place = directory(config)
    return place is not None and place.scheme in (*_OBJECT_STORES, *_FILE_SYSTEMS)


def is_on_disk(config: View) -> bool:
    """Return whether the state backend keeps state on disk (RocksDB, ForSt)."""
    return (config.string(BACKEND) or "").lower() in ("rocksdb", "forst")


def is_managed(config: View) -> bool:
    """Return whether checkpoint options have no effect: the service sets them, or only TaskManagers read the file.

    The latter in a container of a TaskManager alone: no program starts there, so nobody asks for its interval.
    """
    roles = {element.value("role") for element in config.elements("container")}
    return config.platform == "msf" or roles == {"taskmanager"}


def takes_checkpoints(config: View) -> bool | None:
    """Return whether the jobs of a program or script take checkpoints; None if that is unknown.

    An interval of unknown value counts as one. Without an interval the answer is known only if the whole deployment is,
    and if the program has no environment or configuration from elsewhere.
    """
    if config.is_set(INTERVAL):
        return not config.is_known(INTERVAL) or config.duration(INTERVAL) != 0
    if config.platform == "msf":
        return True
    jobs = config.elements("job")
    is_whole = bool(jobs) and all(job.is_known(f"sets.{INTERVAL}") for job in jobs)
    return False if is_whole and config.is_deployment_known else None


def is_of_one_start(setting: Setting) -> bool:
    """Return whether a program, script or command sets an option, which then applies only to the jobs it starts."""
    return setting.document.kind in _OF_ONE_START


def backend_name(config: View) -> str | None:
    """Return the configured state backend in lower case; an empty text if none is set, None if it is unknown."""
    backend = config.get(BACKEND)
    if not backend.is_set:
        return ""
    return backend.text.strip().lower() if backend.is_known else None


def may_be_rocksdb(config: View) -> bool:
    """Return whether the state backend may be RocksDB: it is configured, or a program may choose it."""
    name = backend_name(config)
    return name is not None and (not name or "rocksdb" in name)
