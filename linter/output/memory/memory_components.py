"""The components of each process's memory, in the order used by JSON output and pull request comments."""

from __future__ import annotations

from collections.abc import Mapping

PARTS: Mapping[str, tuple[str, ...]] = {
    "taskmanager": (
        "process_size", "flink_size", "framework_heap", "task_heap", "managed", "framework_off_heap", "task_off_heap",
        "network", "metaspace", "overhead",
    ),
    "jobmanager": ("process_size", "flink_size", "heap", "off_heap", "metaspace", "overhead"),
}  # fmt: skip
