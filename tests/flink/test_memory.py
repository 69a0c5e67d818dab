"""The memory of Flink's processes against what Flink itself answered, and the laws it obeys.

The vectors were measured on real releases: `flink` is where the answer holds, `memory` the parts in the
order of the result's fields, `refused` the message of the exception and of those causes that say more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory, jobmanager
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, MemoryUnknown, Trace
from flink_flint.linter.flink.memory.size_arithmetic import Share, flink_text, readable, times, total
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory, taskmanager
from flink_flint.linter.flink.releases import MINORS, NEWEST, parse_release

FIXTURES = Path(__file__).parent.parent / "fixtures" / "memory"
VECTORS = [json.loads(line) for line in (FIXTURES / "vectors.jsonl").read_text().splitlines()]
MIB = 1 << 20
GIB = 1 << 30
TM = "taskmanager.memory."
JM = "jobmanager.memory."


def configuration(settings: dict[str, str], flink: str = "1.20") -> Configuration:
    return Configuration(settings, parse_release(flink), yaml=False)


def refusal(settings: dict[str, str], flink: str = "1.20") -> MemoryRefused:
    derive = jobmanager if any(key.startswith("jobmanager.") for key in settings) else taskmanager
    with pytest.raises(MemoryRefused) as caught:
        derive(configuration(settings, flink))
    return caught.value


def answer(row: dict[str, Any], flink: str) -> dict[str, Any]:
    """What flint says to the question of a row, in the row's terms."""
    derive = taskmanager if row["process"] == "tm" else jobmanager
    try:
        memory = derive(configuration(row["conf"], flink), containers=row.get("containers", False))
    except MemoryRefused as refused:
        more = [cause for cause in refused.causes if not str(refused).endswith(cause)]
        return {"refused": [str(refused), *more]}
    parts = [size for name, size in memory._asdict().items() if name != "direct_limit"]
    return {"memory": parts, "jvm_args": memory.jvm_args}


@pytest.mark.parametrize("flink", sorted({flink for row in VECTORS for flink in row["flink"]}))
def test_answers_as_flink_does(flink: str) -> None:
    for row in VECTORS:
        if flink in row["flink"]:
            expected = {key: row[key] for key in ("memory", "jvm_args", "refused") if key in row}
            assert answer(row, flink) == expected, row["conf"]


def test_every_refusal_names_keys() -> None:
    for row in VECTORS:
        if "refused" in row and row["process"] == "tm":
            with pytest.raises(MemoryRefused) as caught:
                taskmanager(configuration(row["conf"], row["flink"][0]), containers="containers" in row)
            assert caught.value.keys, row["conf"]


def test_shipped_default() -> None:
    memory = taskmanager(configuration({TM + "process.size": "1728m"}))
    assert memory == TaskManagerMemory(
        framework_heap=128 * MIB,
        task_heap=402653174,
        managed=536870920,
        framework_off_heap=128 * MIB,
        task_off_heap=0,
        network=134217730,
        metaspace=256 * MIB,
        overhead=192 * MIB,
    )
    assert memory.process_size == 1728 * MIB
    assert memory.flink_size == 1280 * MIB


def test_network_is_unbounded_from_1_17_on() -> None:
    settings = {TM + "process.size": "16g"}
    assert taskmanager(configuration(settings, "1.16")).network == GIB
    assert taskmanager(configuration(settings, "1.17")).network > GIB


@pytest.mark.parametrize(
    ("derive", "settings", "containers", "heap", "process"),
    [
        (taskmanager, {"taskmanager.heap.size": "4g"}, False, 2013265888, None),
        (taskmanager, {"taskmanager.heap.size": "4g"}, True, 1664299798, 4 * GIB),
        (jobmanager, {"jobmanager.heap.mb": "1024"}, False, GIB, None),
        (jobmanager, {"jobmanager.heap.mb": "2048"}, True, 1530082096, 2 * GIB),
    ],
)
def test_old_heap_keys_set_another_size_in_containers(
    derive: Callable[..., TaskManagerMemory | JobManagerMemory],
    settings: dict[str, str],
    containers: bool,
    heap: int,
    process: int | None,
) -> None:
    memory = derive(configuration(settings, "1.20"), containers=containers)
    assert (memory.heap if isinstance(memory, JobManagerMemory) else memory.jvm_heap) == heap
    assert process in (None, memory.process_size)
    with pytest.raises(MemoryRefused, match="need to be configured explicitly"):
        derive(configuration(settings, "2.0"), containers=containers)


def test_the_environment_counts_before_the_old_key() -> None:
    config = configuration({"taskmanager.heap.size": "3g"})
    assert taskmanager(config, environment={"FLINK_TM_HEAP": "2048m"}).flink_size == 2 * GIB
    assert taskmanager(config).flink_size == 3 * GIB
    with pytest.raises(MemoryRefused, match="Cannot read total process memory size from environment variable value x"):
        taskmanager(config, environment={"FLINK_TM_HEAP": "x"})
    newer = configuration({TM + "process.size": "4g"}, "2.0")
    assert taskmanager(newer, environment={"FLINK_TM_HEAP": "x"}).process_size == 4 * GIB


@pytest.mark.parametrize(
    ("settings", "keys"),
    [
        ({TM + "process.size": "-1m"}, (TM + "process.size",)),
        (
            {TM + "process.size": "1g", TM + "flink.size": "1g", TM + "network.min": "1m"},
            (TM + "process.size", TM + "flink.size"),
        ),
        ({TM + "process.size": "2g", TM + "managed.fraction": "1.5"}, (TM + "managed.fraction",)),
        (
            {TM + "process.size": "2g", "taskmanager.network.memory.min": "2g", TM + "network.max": "1g"},
            (TM + "network.min", TM + "network.max"),
        ),
        (
            {TM + "process.size": "300m", "taskmanager.numberOfTaskSlots": "4"},
            (TM + "process.size",),
        ),
        (
            {TM + "process.size": "2g", "taskmanager.numberOfTaskSlots": "0"},
            ("taskmanager.numberOfTaskSlots",),
        ),
        (
            {TM + "process.size": "2g", "taskmanager.heap.size": "4g"},
            (TM + "process.size", "taskmanager.heap.size"),
        ),
        (
            {JM + "flink.size": "512m", JM + "off-heap.size": "600m"},
            (JM + "flink.size", JM + "off-heap.size"),
        ),
        ({JM + "process.size": "8g", JM + "heap.size": "1g"}, (JM + "process.size", JM + "heap.size")),
        (
            {JM + "process.size": "2g", JM + "enable-jvm-direct-memory-limit": "yes"},
            (JM + "enable-jvm-direct-memory-limit",),
        ),
    ],
)
def test_a_refusal_names_the_keys_at_fault(settings: dict[str, str], keys: tuple[str, ...]) -> None:
    assert refusal(settings).keys == keys


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        ("2kb", "Invalid configuration value for taskmanager.memory.segment-size : 2048 - Minimum memory"),
        ("33kb", "size : 33792 - Memory segment size must be a power of 2."),
        ("3g", "^Cannot downcast long value 3221225472 to integer.$"),
    ],
)
def test_network_buffers_need_a_sound_segment(segment: str, message: str) -> None:
    buffers = {TM + "process.size": "2g", "taskmanager.network.numberOfBuffers": "1000"}
    assert taskmanager(configuration({**buffers, TM + "segment-size": "4096"})).network == 4_096_000
    refused = refusal({**buffers, TM + "segment-size": segment})
    assert re.search(message, str(refused))
    assert refused.keys == (TM + "segment-size",)
    assert taskmanager(configuration({**buffers, TM + "segment-size": segment}, "2.0")).network > 4_096_000


def test_a_jobmanager_without_heap_is_refused_by_default() -> None:
    refused = refusal({JM + "flink.size": "512m", JM + "off-heap.size": "512m"})
    assert "is less than the configured Off-heap Memory" in str(refused)
    assert jobmanager(configuration({JM + "heap.size": "0"})).heap == 0


def test_reads_slots_and_external_resources_along_from_1_13_on() -> None:
    given = {TM + "process.size": "2g", "taskmanager.cpu.cores": "2"}
    slots = {**given, "taskmanager.numberOfTaskSlots": "two"}
    resources = {**given, "external-resources": "gpu", "external-resource.gpu.amount": "one"}
    assert taskmanager(configuration(slots, "1.12")) == taskmanager(configuration(resources, "1.12"))
    assert refusal(slots, "1.13").keys == ("taskmanager.numberOfTaskSlots",)
    assert refusal(resources, "1.13").keys == ("external-resource.gpu.amount",)


def test_nothing_set_names_the_keys_to_set() -> None:
    with pytest.raises(MemoryRefused) as caught:
        taskmanager(configuration({}))
    assert caught.value.keys == (TM + "process.size", TM + "flink.size")


def test_too_much_for_a_long() -> None:
    refused = refusal({TM + "flink.size": "8388607t", TM + "jvm-metaspace.size": "4194304t"})
    assert str(refused) == "long overflow"
    assert refused.keys == (TM + "flink.size",)


def test_unknown_where_a_template_decides() -> None:
    with pytest.raises(MemoryUnknown) as caught:
        taskmanager(configuration({TM + "process.size": "{{ .Values.memory }}"}))
    assert caught.value.keys == (TM + "process.size",)
    with pytest.raises(MemoryUnknown):
        jobmanager(configuration({JM + "process.size": "2g", JM + "jvm-overhead.fraction": "${FRACTION}"}))


def test_unknown_in_releases_before_the_model() -> None:
    with pytest.raises(MemoryUnknown):
        taskmanager(configuration({TM + "process.size": "2g"}, "1.9"))
    with pytest.raises(MemoryUnknown):
        jobmanager(configuration({JM + "process.size": "2g"}, "1.10"))


def test_steps_show_the_derivation() -> None:
    trace = Trace()
    taskmanager(configuration({TM + "process.size": "1728m"}), trace)
    assert trace.steps[2] == "JVM overhead: 10 % of the process size is 172.8 MiB, below its minimum, so 192 MiB."
    assert trace.steps[-1] == "Task heap is the rest of the Flink size: 384 MiB."
    assert trace.warnings == []


def test_steps_go_as_far_as_the_refusal() -> None:
    trace = Trace()
    with pytest.raises(MemoryRefused):
        taskmanager(configuration({TM + "process.size": "300m"}), trace)
    assert trace.steps[-1].startswith("JVM overhead: 10 % of the process size is 30 MiB")


def test_warns_of_a_small_jobmanager_heap() -> None:
    trace = Trace()
    jobmanager(configuration({JM + "process.size": "600m"}), trace)
    [warning] = trace.warnings
    assert "(24.000mb (25165824 bytes)) is less than its recommended minimum value" in warning


def test_the_releases_for_which_an_answer_is_valid() -> None:
    config = configuration({TM + "process.size": "16g"}, "1.18")
    taskmanager(config)
    assert (config.first, config.last) == (MINORS.index("1.17"), MINORS.index("1.20"))
    config = configuration({JM + "process.size": "16g"}, "2.1")
    jobmanager(config)
    assert (config.first, config.last) == (MINORS.index("2.0"), NEWEST)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1024, "1024 bytes"),
        (1025, "1.001kb (1025 bytes)"),
        (1088, "1.063kb (1088 bytes)"),
        (GIB, "1024.000mb (1073741824 bytes)"),
        (2**63 - 1, "8388608.000tb (9223372036854775807 bytes)"),
    ],
)
def test_sizes_in_flinks_words(size: int, text: str) -> None:
    assert flink_text(size) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1000, "1000 bytes"),
        (32 << 10, "32 KiB"),
        (1728 * MIB, "1728 MiB"),
        (4 * GIB, "4 GiB"),
        (181193932, "172.8 MiB"),
        (GIB + 1, "1024 MiB"),
        (12 * GIB + GIB // 2, "12.5 GiB"),
    ],
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert readable(size) == text


sizes = st.integers(0, 2**50)
megabytes = st.integers(400, 200_000)
fractions = st.integers(0, 45).map(lambda percent: f"{percent / 100:.2f}")
details = st.fixed_dictionaries(
    {},
    optional={
        TM + "managed.fraction": fractions,
        TM + "network.fraction": fractions,
        TM + "jvm-overhead.fraction": fractions,
        TM + "jvm-overhead.max": st.integers(200, 5000).map("{}m".format),
        TM + "network.max": st.integers(70, 5000).map("{}m".format),
        TM + "task.off-heap.size": st.integers(0, 500).map("{}m".format),
        TM + "jvm-metaspace.size": st.integers(64, 500).map("{}m".format),
    },
)
minors = st.sampled_from([minor for minor in MINORS if minor != "1.9"])


def accepted(settings: dict[str, str], flink: str) -> TaskManagerMemory:
    try:
        return taskmanager(configuration(settings, flink))
    except MemoryRefused:
        assume(False)
        raise


@given(sizes, st.floats(0, 1, exclude_max=True))
def test_times_is_exact_decimal_arithmetic(size: int, factor: float) -> None:
    assert times(size, factor) == int(Decimal(size) * Decimal(repr(factor)))


@pytest.mark.parametrize("sum_or_product", [lambda: total(2**62, 2**62), lambda: times(2**62, 2.0)])
def test_arithmetic_ends_where_a_java_long_does(sum_or_product: type) -> None:
    with pytest.raises(OverflowError, match="long overflow"):
        sum_or_product()
    assert times(2**62, 1.0) + total(2**62 - 1) == 2**63 - 1


@given(sizes, st.integers(0, 99))
def test_a_share_next_to_the_rest_is_that_share_of_the_whole(rest: int, percent: int) -> None:
    share = Share(percent / 100, 0, 2**62)
    part = share.next_to(rest)
    assert abs(share.of(rest + part) - part) <= 1 + (rest + part) >> 40


@given(megabytes, details, minors)
def test_parts_add_up_to_the_process_size(process: int, settings: dict[str, str], flink: str) -> None:
    memory = accepted({**settings, TM + "process.size": f"{process}m"}, flink)
    assert sum(memory) == memory.process_size == process * MIB
    assert memory.flink_size == memory.jvm_heap + memory.managed + memory.jvm_direct
    assert min(memory) >= 0


@given(megabytes, details, minors)
def test_parts_add_up_to_the_flink_size(flink_size: int, settings: dict[str, str], flink: str) -> None:
    memory = accepted({**settings, TM + "flink.size": f"{flink_size}m"}, flink)
    assert memory.flink_size == flink_size * MIB
    assert sum(memory) == memory.process_size


@given(megabytes, details, minors)
def test_the_parts_given_again_yield_the_same(process: int, settings: dict[str, str], flink: str) -> None:
    memory = accepted({**settings, TM + "process.size": f"{process}m"}, flink)
    again = {
        TM + "framework.heap.size": memory.framework_heap,
        TM + "task.heap.size": memory.task_heap,
        TM + "managed.size": memory.managed,
        TM + "framework.off-heap.size": memory.framework_off_heap,
        TM + "task.off-heap.size": memory.task_off_heap,
        TM + "network.min": memory.network,
        TM + "network.max": memory.network,
        TM + "jvm-metaspace.size": memory.metaspace,
        TM + "jvm-overhead.min": memory.overhead,
        TM + "jvm-overhead.max": memory.overhead,
    }
    parts = {key: f"{size}b" for key, size in again.items()}
    assert taskmanager(configuration(parts, flink)) == memory
    both = {**parts, TM + "flink.size": str(memory.flink_size), TM + "process.size": str(memory.process_size)}
    assert taskmanager(configuration(both, flink)) == memory


@given(megabytes, st.integers(1, 10_000), details, minors)
def test_more_memory_takes_from_no_part(process: int, more: int, settings: dict[str, str], flink: str) -> None:
    smaller = accepted({**settings, TM + "process.size": f"{process}m"}, flink)
    larger = taskmanager(configuration({**settings, TM + "process.size": f"{process + more}m"}, flink))
    assert all(after >= before for before, after in zip(smaller, larger, strict=True))


@given(megabytes, st.integers(0, 2000), minors.filter(lambda minor: minor != "1.10"))
def test_jobmanager_parts_add_up(process: int, off_heap: int, flink: str) -> None:
    settings = {JM + "process.size": f"{process}m", JM + "off-heap.size": f"{off_heap}m"}
    try:
        memory = jobmanager(configuration(settings, flink))
    except MemoryRefused:
        assert process * 0.9 - 256 <= off_heap or process < 448 or process - 448 <= off_heap
        return
    assert memory.process_size == process * MIB
    assert memory.off_heap == off_heap * MIB
    assert memory.heap > 0
    heap = {**settings, JM + "heap.size": str(memory.heap)}
    assert jobmanager(configuration(heap, flink)) == memory
