"""The memory that operators other than Apache's give to Flink's processes, computed from the resources of a pod.

Sources: ``flinkcluster_converter.go`` and ``flinkcluster_default.go`` of
<https://github.com/GoogleCloudPlatform/flink-on-k8s-operator> and <https://github.com/spotify/flink-on-k8s-operator>,
``pkg/controller/flink/config.go`` of <https://github.com/lyft/flinkk8soperator>. Sizes are in bytes, results are texts
as the operators write them into Flink's configuration.
"""

from __future__ import annotations

GOOGLE_OFF_HEAP_RATIO = SPOTIFY_OFF_HEAP_RATIO = 25
"""The default of `memoryOffHeapRatio` in Google's and Spotify's operators, in percent of a container's memory."""
OFF_HEAP_MIN = 600_000_000
"""The default of `memoryOffHeapMin` in the FlinkCluster resource, in bytes."""
SPOTIFY_PROCESS_RATIO = 80
"""The default of `memoryProcessRatio` in Spotify's operator, in percent of a container's memory."""
LYFT_OFF_HEAP_FRACTION = 0.5
LYFT_SYSTEM_FRACTION = 0.2
LYFT_SLOTS = 16
"""The default of `taskManagerConfig.taskSlots` in Lyft's operator."""
LYFT_MEMORY = {"jobmanager": 3072 << 20, "taskmanager": 1024 << 20}
"""The default memory, in bytes, of a pod without `resources` in Lyft's operator, by Flink process."""
_MEGABYTE = 1_000_000
_MEBIBYTE = 1 << 20


def google_heap_size(memory: int, ratio: int, least: int) -> str | None:
    """Return the `heap.size` that Google's operator writes: the limit minus its off-heap part; None if it writes none.

    It counts megabytes of 1,000,000 bytes, which Flink then reads as MiB. None: it writes no size.
    """
    return _heap(memory, ratio, least, _MEGABYTE)


def spotify_heap_size(memory: int, ratio: int, least: int) -> str | None:
    """Return the `heap.size` that Spotify's operator writes for Flink before 1.10; None if it writes none."""
    return _heap(memory, ratio, least, _MEBIBYTE)


def spotify_process_size(memory: int, ratio: int) -> str | None:
    """Return the `memory.process.size` that Spotify's operator writes from 1.10 on; None if it writes none."""
    size = _ceil(_ceil(memory * ratio, 100), _MEBIBYTE)
    return f"{size}m" if size > 0 else None


def spotify_slots(cpu: float) -> int:
    """Return the number of TaskManager slots that Spotify's operator sets by default: one per two CPUs, minimum 1."""
    return max(1, -int(-cpu // 1) // 2)


def lyft_size(memory: int, fraction: float) -> str:
    """Return the size in KiB that Lyft's operator sets for a heap or process: the memory request minus a fraction."""
    return f"{int(int(memory - memory * fraction + 0.5) / 1024)}k"


def _heap(memory: int, ratio: int, least: int, unit: int) -> str | None:
    heap = memory - max(_ceil(memory * ratio, 100), least)
    return f"{_ceil(heap, unit)}m" if heap > 0 else None


def _ceil(number: int, divisor: int) -> int:
    return -(-number // divisor)
