"""Detects files that may be for a release with an older memory model."""

from __future__ import annotations

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.view import View

_LAST = MINORS.index("1.10")
"""The last release with the old model of a process, the JobManager."""

_OLD = ("jobmanager.heap.mb", "jobmanager.heap.size", "taskmanager.heap.mb", "taskmanager.heap.size")
_NEW = tuple(
    f"{process}.memory.{of}"
    for process, sizes in (
        ("jobmanager", ("heap.size", "off-heap.size", "enable-jvm-direct-memory-limit")),
        ("taskmanager", ("managed.fraction", "managed.size", "task.heap.size", "task.off-heap.size")),
    )
    for of in (
        "flink.size", "jvm-metaspace.size", "jvm-overhead.fraction", "jvm-overhead.max", "jvm-overhead.min",
        "process.size", *sizes,
    )
)  # fmt: skip


def may_predate_the_model(config: View) -> bool:
    """Return whether a file may be for Flink 1.9 or 1.10, because it sets memory only with the options of that time.

    Such a file is more likely one of those releases than a misconfigured newer one.
    """
    keys = config.document.effective
    return (
        not config.target.certain
        and config.target.indices[0] <= _LAST
        and any(key in keys for key in _OLD)
        and not any(key in keys for key in _NEW)
    )
