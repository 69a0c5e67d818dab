"""The minimum heap for a TaskManager's slots."""

from __future__ import annotations

MIN_TASK_HEAP = 128 << 20
"""The minimum task heap per slot in bytes, equal to the minimum that Flink recommends for a JobManager's heap."""
