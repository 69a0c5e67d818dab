"""The minimum heap for a TaskManager's slots."""

from __future__ import annotations

MIN_TASK_HEAP = 128 << 20
"""The least task heap of a slot, in bytes: what Flink recommends as the least heap of a JobManager."""
