"""Fields of REST responses that contain Flink's metrics under other names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from typing import Any

from flink_flint.calculators.history.sources.canonical.rows import number_of

OF_CHECKPOINT = {
    "end_to_end_duration": "lastCheckpointDuration",
    "checkpointed_size": "lastCheckpointSize",
    "state_size": "lastCheckpointFullSize",
    "processed_data": "lastCheckpointProcessedData",
    "persisted_data": "lastCheckpointPersistedData",
}

RATIOS = {
    "ratio": "backPressuredTimeMsPerSecond",
    "idleRatio": "idleTimeMsPerSecond",
    "busyRatio": "busyTimeMsPerSecond",
}

OF_OVERVIEW = {
    "taskmanagers": "numRegisteredTaskManagers",
    "slots-total": "taskSlotsTotal",
    "slots-available": "taskSlotsAvailable",
    "jobs-running": "numRunningJobs",
}

OF_TASKMANAGER = {
    "heapUsed": "Status.JVM.Memory.Heap.Used",
    "heapCommitted": "Status.JVM.Memory.Heap.Committed",
    "heapMax": "Status.JVM.Memory.Heap.Max",
    "nonHeapUsed": "Status.JVM.Memory.NonHeap.Used",
    "nonHeapCommitted": "Status.JVM.Memory.NonHeap.Committed",
    "nonHeapMax": "Status.JVM.Memory.NonHeap.Max",
    "directCount": "Status.JVM.Memory.Direct.Count",
    "directUsed": "Status.JVM.Memory.Direct.MemoryUsed",
    "directMax": "Status.JVM.Memory.Direct.TotalCapacity",
    "mappedCount": "Status.JVM.Memory.Mapped.Count",
    "mappedUsed": "Status.JVM.Memory.Mapped.MemoryUsed",
    "mappedMax": "Status.JVM.Memory.Mapped.TotalCapacity",
    "nettyShuffleMemorySegmentsAvailable": "Status.Shuffle.Netty.AvailableMemorySegments",
    "nettyShuffleMemorySegmentsUsed": "Status.Shuffle.Netty.UsedMemorySegments",
    "nettyShuffleMemorySegmentsTotal": "Status.Shuffle.Netty.TotalMemorySegments",
    "nettyShuffleMemoryAvailable": "Status.Shuffle.Netty.AvailableMemory",
    "nettyShuffleMemoryUsed": "Status.Shuffle.Netty.UsedMemory",
    "nettyShuffleMemoryTotal": "Status.Shuffle.Netty.TotalMemory",
}
"""The metric for each field of a TaskManager's details in the REST API, by field name.

The ``memorySegments…`` fields of Flink 1.x are left out, since they repeat other fields.
"""

COUNTED = {
    "read-records": "numRecordsIn",
    "write-records": "numRecordsOut",
    "read-bytes": "numBytesIn",
    "write-bytes": "numBytesOut",
    "accumulated-busy-time": "accumulateBusyTimeMs",
    "accumulated-idle-time": "accumulateIdleTimeMs",
    "accumulated-backpressured-time": "accumulateBackPressuredTimeMs",
}


def counted(metrics: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield the name and value of each known and complete counter of a task or subtask; NaN is omitted."""
    for field, metric in COUNTED.items():
        if field in metrics and metrics.get(f"{field}-complete", True):
            value = number_of(metrics[field])
            if not isnan(value):
                yield metric, value
