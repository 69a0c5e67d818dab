"""TaskManager memory: Flink's own answers come out, and what is recommended is enough and no more."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.declaration import BadInput, MissingInput, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.answering.setting_changes import changes
from flink_flint.calculators.inputs.shared_memory_sizing import heap_for, metaspace_for, up
from flink_flint.calculators.taskmanager_memory import (
    CALCULATOR,
    CurrentTaskManager,
    TaskManagerNeeds,
    load_of_taskmanager,
    size_taskmanager_memory,
)
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.options_reader import MemoryRefused
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory, taskmanager
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, Release, parse_release
from tests.calculators.memory_vectors import answered

MIB, GIB = 1 << 20, 1 << 30
RELEASE = parse_release("1.20")
TM = "taskmanager.memory."


def derived(answer: Answer, release: Release = RELEASE, **other: str) -> TaskManagerMemory:
    """What Flink makes of an answer's settings alone."""
    texts = spelled(answer.settings, release)
    assert texts.unknown == ()
    named = {f"{TM}{key.replace('_', '.')}": text for key, text in other.items()}
    return taskmanager(Configuration({**texts.settings, **named}, release, yaml=False))


# -- what Flink makes of settings


def test_flinks_own_answers_come_out_to_the_byte() -> None:
    accepted = refused = 0
    for row, flink, answer in answered(CALCULATOR.reverse, "tm"):
        if "refused" in row:
            assert row["refused"][0].rstrip(".") in answer.errors[0], (row["conf"], flink)
            refused += 1
        else:
            assert answer.memory is not None, (row["conf"], flink, answer.errors)
            assert list(answer.memory) == row["memory"], (row["conf"], flink)
            assert answer.value("jvm_args") == row["jvm_args"]
            accepted += 1
    assert accepted > 100
    assert refused > 50


@pytest.mark.parametrize(
    ("inputs", "parts"),
    [
        (
            {"process_size": 1728 * MIB},
            {"jvm_heap": 536870902, "task_heap": 402653174, "managed": 536870920, "network": 134217730,
             "overhead": 201326592},
        ),
        (
            {"process_size": 4096 * MIB},
            {"task_heap": 1530082070, "managed": 1438814063, "network": 359703515, "overhead": 429496736},
        ),
        (
            {"process_size": 16 * GIB},
            {"task_heap": 7650410378, "managed": 6335076856, "network": 1583769214, "overhead": 1073741824},
        ),
        ({"flink_size": 20 * GIB}, {"process_size": 22817013760, "network": 2147483680}),
        (
            {"task_heap": 2 * GIB, "managed": 4 * GIB},
            {"process_size": 8583306583, "network": 745654056, "overhead": 858330671},
        ),
    ],
)  # fmt: skip
def test_the_parts_of_common_configurations(inputs: dict[str, int], parts: dict[str, int]) -> None:
    answer = load_of_taskmanager(CurrentTaskManager(**inputs), RELEASE)
    assert {name: answer.value(name) for name in parts} == parts


def test_what_flink_refuses_is_said_in_its_words() -> None:
    answer = load_of_taskmanager(CurrentTaskManager(process_size=300 * MIB), RELEASE)
    assert [value.text for value in answer.values] == ["none"]
    assert answer.memory is None
    [error] = answer.errors
    assert error == (
        "TaskManager memory configuration failed: Sum of configured JVM Metaspace (256.000mb (268435456 bytes)) and "
        "JVM Overhead (192.000mb (201326592 bytes)) exceed configured Total Process Memory "
        "(300.000mb (314572800 bytes))"
    )


def test_network_memory_had_a_maximum_up_to_1_16() -> None:
    network = [
        load_of_taskmanager(CurrentTaskManager(process_size=16 * GIB), parse_release(flink)).value("network")
        for flink in ("1.16", "1.17")
    ]
    assert network == [GIB, 1583769214]


def test_a_slot_gets_its_part() -> None:
    answer = load_of_taskmanager(CurrentTaskManager(process_size=4 * GIB, slots=4), RELEASE)
    assert answer.value("task_heap_per_slot") == 1530082070 // 4
    assert answer.value("managed_per_slot") == 1438814063 // 4


def test_a_live_set_is_safe_up_to_77_percent_of_the_heap() -> None:
    def ask(live_set: int) -> Answer:
        return load_of_taskmanager(CurrentTaskManager(process_size=4 * GIB, live_set=live_set), RELEASE)

    safe = ask(1).value("safe_live_set")
    assert safe == int(1664299798 / 1.3)
    assert ask(safe).warnings == ask(safe).errors == ()
    assert len(ask(safe + 1).warnings) == 1
    assert ask(1664299798).errors == ()
    assert "does not fit a heap of" in ask(1664299799).errors[0]


def test_a_full_metaspace_is_told() -> None:
    def ask(used: int) -> Answer:
        return load_of_taskmanager(CurrentTaskManager(process_size=4 * GIB, metaspace_used=used), RELEASE)

    assert ask(200 * MIB).warnings == ()
    assert "classes are temporarily loaded twice" in ask(220 * MIB).warnings[0]
    assert ask(300 * MIB).errors == ("300 MiB of classes do not fit a metaspace of 256 MiB",)


def test_one_total_must_be_given() -> None:
    with pytest.raises(MissingInput) as caught:
        CurrentTaskManager(task_heap=GIB)
    assert caught.value.name == "process_size"
    assert CurrentTaskManager(task_heap=GIB, managed=GIB).process_size is None


# -- from needs to a process


def test_a_given_heap_gets_the_smallest_process() -> None:
    answer = size_taskmanager_memory(TaskManagerNeeds(task_heap=GIB), RELEASE)
    assert answer.value("process_size") == 3129 * MIB
    assert answer.settings == {TM + "process.size": 3129 * MIB}
    assert derived(answer) == answer.memory
    assert derived(answer).task_heap >= GIB > derived(answer, process_size="3128m").task_heap


def test_sizes_that_are_asked_for_are_set_and_fractions_removed() -> None:
    needs = TaskManagerNeeds(task_heap=GIB, managed=2 * GIB, network=14_000_000, metaspace_used=130 * MIB)
    answer = size_taskmanager_memory(needs, RELEASE)
    assert answer.settings == {
        TM + "process.size": answer.value("process_size"),
        TM + "managed.size": 2 * GIB,
        TM + "network.min": 14 * MIB,
        TM + "network.max": 14 * MIB,
        TM + "jvm-metaspace.size": 192 * MIB,
    }
    assert {TM + "managed.fraction", TM + "flink.size", TM + "task.heap.size"} <= set(answer.remove)
    memory = derived(answer)
    assert (memory.managed, memory.network, memory.metaspace) == (2 * GIB, 14 * MIB, 192 * MIB)


def test_a_fraction_counts_only_where_no_size_is_asked_for() -> None:
    needs = TaskManagerNeeds(task_heap=GIB, managed=GIB, managed_fraction=0.2, network=64 * MIB, network_fraction=0.3)
    settings = size_taskmanager_memory(needs, RELEASE).settings
    assert not [key for key in settings if key.endswith("fraction")]


def test_applied_to_a_configuration_nothing_contradicts() -> None:
    old = {
        "taskmanager.heap.size": "4g", TM + "flink.size": "3g", TM + "task.heap.size": "1g",
        TM + "managed.fraction": "0.7", "taskmanager.network.numberOfBuffers": "4096",
    }  # fmt: skip
    configuration = Configuration(old, RELEASE, yaml=False)
    answer = size_taskmanager_memory(TaskManagerNeeds(task_heap=GIB, managed=GIB), RELEASE)
    new = dict(old)
    for change in changes(answer, configuration):
        if change.becomes is None:
            del new[change.key]
        else:
            new[change.key] = change.becomes
    assert taskmanager(Configuration(new, RELEASE, yaml=False)) == answer.memory


def test_the_live_set_includes_the_framework_heap() -> None:
    answer = size_taskmanager_memory(TaskManagerNeeds(live_set=GIB), RELEASE)
    heap = derived(answer).jvm_heap
    assert heap_for(GIB) <= heap < heap_for(GIB) + MIB
    more = size_taskmanager_memory(TaskManagerNeeds(live_set=GIB, task_heap=2 * GIB), RELEASE)
    assert derived(more).task_heap >= 2 * GIB


def test_the_tuning_of_the_operator_comes_out_to_a_step() -> None:
    # 5096 MiB of heap, 10 000 MiB of managed memory in a specification of 30 GiB that sets 11 776 MiB aside for it.
    needs = TaskManagerNeeds(
        live_set=5096 * MIB, heap_margin=1.2, framework_heap=0, managed=12348031160, metaspace=120 * MIB,
        network=13760 << 10, slots=5,
    )  # fmt: skip
    answer = size_taskmanager_memory(needs, RELEASE)
    assert 0 <= answer.value("process_size") - 20_108_162_027 < 3 * MIB
    assert answer.value("overhead") == GIB


@pytest.mark.parametrize(("task_heap", "overhead"), [(256 * MIB, 192 * MIB), (3 * GIB, None), (20 * GIB, GIB)])
def test_jvm_overhead_is_at_a_bound_or_a_tenth(task_heap: int, overhead: int | None) -> None:
    answer = size_taskmanager_memory(TaskManagerNeeds(task_heap=task_heap), RELEASE)
    tenth = answer.value("process_size") / 10
    assert answer.value("overhead") == pytest.approx(overhead or tenth, abs=200)


def test_native_memory_raises_the_overhead_only_where_it_is_too_little() -> None:
    fits = size_taskmanager_memory(TaskManagerNeeds(task_heap=3 * GIB, native=500 * MIB), RELEASE)
    assert fits.settings == {TM + "process.size": fits.value("process_size")}
    more = size_taskmanager_memory(TaskManagerNeeds(task_heap=3 * GIB, native=2 * GIB), RELEASE)
    assert more.settings[TM + "jvm-overhead.min"] == more.settings[TM + "jvm-overhead.max"] == 2 * GIB
    assert derived(more).overhead == 2 * GIB
    assert derived(more).task_heap >= 3 * GIB
    assert any("so its minimum becomes 2 GiB" in step for step in more.steps)


def test_a_container_that_is_too_small_gets_no_settings() -> None:
    needs = {"task_heap": 2 * GIB, "managed": 2 * GIB}
    size = size_taskmanager_memory(TaskManagerNeeds(**needs), RELEASE).value("process_size")
    fits = size_taskmanager_memory(TaskManagerNeeds(**needs, limit=size + 5 * MIB), RELEASE)
    assert fits.value("spare") == 5 * MIB
    assert fits.errors == ()
    short = size_taskmanager_memory(TaskManagerNeeds(**needs, limit=size - MIB), RELEASE)
    assert short.settings == {}
    assert short.remove == ()
    assert "1 MiB more than the container's" in short.errors[0]
    assert short.binding.startswith("the container's limit")


def test_managed_memory_nobody_asked_for_is_named_where_the_container_is_too_small() -> None:
    def ask(**needs: int) -> tuple[str, ...]:
        return size_taskmanager_memory(TaskManagerNeeds(task_heap=GIB, limit=GIB, **needs), RELEASE).warnings

    assert "managed memory by Flink's fraction" in ask()[0]
    assert ask(managed=GIB) == ()


def test_current_options_stay() -> None:
    needs = TaskManagerNeeds(task_heap=GIB, managed_fraction=0.2, overhead_max=2 * GIB, framework_heap=64 * MIB)
    answer = size_taskmanager_memory(needs, RELEASE)
    assert answer.settings == {
        TM + "process.size": answer.value("process_size"),
        TM + "managed.fraction": 0.2,
        TM + "jvm-overhead.max": 2 * GIB,
        TM + "framework.heap.size": 64 * MIB,
    }
    assert derived(answer) == answer.memory


def test_the_default_of_an_older_release_is_left_to_it() -> None:
    older = parse_release("1.16")
    answer = size_taskmanager_memory(TaskManagerNeeds(task_heap=8 * GIB), older)
    assert answer.settings == {TM + "process.size": answer.value("process_size")}
    assert answer.value("network") == GIB
    assert derived(answer, older) == answer.memory


def test_going_far_down_at_once_is_warned_of() -> None:
    def ask(process_size: int) -> tuple[str, ...]:
        needs = TaskManagerNeeds(
            task_heap=GIB, managed=GIB, network=64 * MIB, native=300 * MIB, process_size=process_size
        )
        return size_taskmanager_memory(needs, RELEASE).warnings

    assert ask(4 * GIB) == ()
    assert "reduce it in steps" in ask(8 * GIB)[0]


def now_of(answer: Answer) -> dict[str, Any]:
    return {value.name: value.present for value in answer.values}


@pytest.mark.parametrize("total", [{"process_size": 8 * GIB}, {"flink_size": 7117 * MIB}])
def test_parts_that_nobody_asked_for_keep_what_they_have(total: dict[str, int]) -> None:
    answer = size_taskmanager_memory(TaskManagerNeeds(live_set=GIB, **total), RELEASE)
    now = load_of_taskmanager(CurrentTaskManager(**total), RELEASE).memory
    assert isinstance(now, TaskManagerMemory)
    memory = derived(answer)
    assert now.managed <= memory.managed < now.managed + MIB
    assert now.network <= memory.network < now.network + MIB
    assert memory.jvm_heap >= heap_for(GIB)
    assert now_of(answer)["process_size"] == now.process_size
    for part in ("task_heap", "managed", "network", "metaspace", "overhead", "flink_size", "jvm_heap"):
        assert now_of(answer)[part] == getattr(now, part)
    assert "JVM overhead goes from 819.2 MiB to 586.1 MiB" in answer.warnings[0] or "flink_size" in total


def test_less_of_a_part_is_had_by_asking_for_it() -> None:
    needs = TaskManagerNeeds(live_set=GIB, process_size=8 * GIB, managed=0, network=64 * MIB, native=600 * MIB)
    memory = derived(size_taskmanager_memory(needs, RELEASE))
    assert (memory.managed, memory.network, memory.overhead) == (0, 64 * MIB, 600 * MIB)


def test_a_size_of_managed_memory_in_force_is_no_fraction_afterwards() -> None:
    configuration = Configuration(
        {TM + "process.size": "8g", TM + "managed.size": "3g", TM + "managed.fraction": "0.2"}, RELEASE, yaml=False
    )
    needs = TaskManagerNeeds(task_heap=GIB, process_size=8 * GIB, managed_in_force=3 * GIB)
    answer = size_taskmanager_memory(needs, RELEASE)
    assert answer.settings[TM + "managed.size"] == 3 * GIB
    assert TM + "managed.size" not in [change.key for change in changes(answer, configuration)]


def test_parts_that_grow_stay_fractions() -> None:
    answer = size_taskmanager_memory(TaskManagerNeeds(task_heap=4 * GIB, process_size=4 * GIB), RELEASE)
    assert answer.settings == {TM + "process.size": answer.value("process_size")}
    assert now_of(answer)["managed"] == 1438814063


def test_what_is_in_force_is_known_of_two_parts_too_and_told_where_it_breaks() -> None:
    parts = TaskManagerNeeds(live_set=GIB, task_heap_in_force=2 * GIB, managed_in_force=4 * GIB)
    assert now_of(size_taskmanager_memory(parts, RELEASE))["process_size"] == 8583306583
    broken = size_taskmanager_memory(TaskManagerNeeds(task_heap=GIB, process_size=300 * MIB), RELEASE)
    assert "Flink does not start with the current memory" in broken.errors[0]
    assert broken.settings


def test_a_heap_below_what_its_live_set_wants_contradicts() -> None:
    with pytest.raises(
        BadInput, match=r"2 GiB with a framework heap .* allowed: at least 3866 MiB, or only one"
    ) as bad:
        TaskManagerNeeds(task_heap=2 * GIB, live_set=3 * GIB)
    assert bad.value.name == "task_heap"


@pytest.mark.parametrize(("mib", "slots", "warned"), [(0, 1, True), (127, 1, True), (128, 1, False), (400, 4, True)])
def test_hardly_any_task_heap_is_warned_of(mib: int, slots: int, warned: bool) -> None:
    answer = size_taskmanager_memory(TaskManagerNeeds(task_heap=mib * MIB, slots=slots), RELEASE)
    assert any("of task heap is less than 128 MiB" in warning for warning in answer.warnings) is warned


def test_the_reasoning_says_that_the_total_was_found_and_what_a_mib_less_would_lack() -> None:
    answer = size_taskmanager_memory(TaskManagerNeeds(task_heap=GIB), RELEASE)
    assert any("3129 MiB; with 1 MiB less the task heap would be" in step for step in answer.steps)
    assert any(step == "So Flink divides 3129 MiB like this." for step in answer.steps)
    assert not any("is given" in step for step in answer.steps)


def test_large_heaps_lose_compressed_references() -> None:
    def ask(task_heap: int) -> tuple[str, ...]:
        return size_taskmanager_memory(TaskManagerNeeds(task_heap=task_heap, managed=0), RELEASE).warnings

    assert ask(31 * GIB) == ()
    assert "use 8 bytes instead of 4" in ask(32 * GIB)[0]


@pytest.mark.parametrize(
    ("inputs", "name"),
    [
        ({}, "task_heap"),
        ({"task_heap": -1}, "task_heap"),
        ({"live_set": 0}, "live_set"),
        ({"task_heap": 1 << 60}, "task_heap"),
        ({"task_heap": GIB, "managed_fraction": 1.0}, "managed_fraction"),
        ({"task_heap": GIB, "overhead_min": 2 * GIB}, "overhead_min"),
        ({"task_heap": GIB, "network_min": 2 * GIB, "network_max": GIB}, "network_min"),
    ],
)
def test_unusable_inputs_are_named(inputs: dict[str, Any], name: str) -> None:
    with pytest.raises(BadInput) as caught:
        TaskManagerNeeds(**inputs)
    assert caught.value.name == name


def test_fractions_that_leave_nothing_are_refused() -> None:
    with pytest.raises(BadInput, match="no process up to 8 PiB leaves 1 GiB of task heap"):
        size_taskmanager_memory(TaskManagerNeeds(task_heap=GIB, managed_fraction=0.6, network_fraction=0.5), RELEASE)


@pytest.mark.parametrize("flink", ["1.9", "1.8"])
def test_releases_before_the_model_are_refused(flink: str) -> None:
    with pytest.raises(BadInput, match=r"sizes its TaskManagers differently; allowed: 1\.10 to 2\.3"):
        size_taskmanager_memory(TaskManagerNeeds(task_heap=GIB), parse_release(flink))
    with pytest.raises(BadInput, match=r"allowed: 1\.10 to 2\.3"):
        load_of_taskmanager(CurrentTaskManager(process_size=GIB), parse_release(flink))


def test_the_examples_run() -> None:
    for way in (CALCULATOR.forward, CALCULATOR.reverse):
        by_name = {declared.name: declared for declared in inputs_of(way.inputs)}
        inputs = collect(way.inputs, {name: by_name[name].read(text) for name, text in way.example.items()})
        answer = way.answer(inputs, RELEASE)
        assert answer.values
        assert answer.errors == ()
        assert answer.steps
        assert answer.chart is not None
        assert answer.chart.points


# -- laws

sizes = st.integers(0, 40 * GIB)
minors = st.sampled_from(MINORS[1:]).map(parse_release)
needs_of = st.fixed_dictionaries(
    {"task_heap": sizes},
    optional={
        "managed": sizes,
        "network": st.integers(0, 4 * GIB),
        "metaspace_used": st.integers(0, GIB),
        "task_off_heap": st.integers(0, GIB),
        "native": st.integers(0, 4 * GIB),
        "managed_fraction": st.integers(0, 45).map(lambda percent: percent / 100),
        "network_fraction": st.integers(0, 45).map(lambda percent: percent / 100),
        "overhead_fraction": st.integers(0, 60).map(lambda percent: percent / 100),
        "overhead_max": st.integers(GIB, 8 * GIB),
        "framework_heap": st.integers(0, GIB),
    },
)


@settings(max_examples=60, deadline=None)
@given(needs_of, minors)
def test_every_need_is_met_and_one_step_less_would_not_do(needs: dict[str, Any], release: Release) -> None:
    answer = size_taskmanager_memory(TaskManagerNeeds(**needs), release)
    memory = derived(answer, release)
    assert memory == answer.memory
    assert memory.task_heap >= needs["task_heap"]
    assert memory.overhead >= needs.get("native", 0)
    assert memory.task_off_heap == needs.get("task_off_heap", 0)
    for part in ("managed", "network"):
        assert part not in needs or needs[part] <= getattr(memory, part) < needs[part] + MIB
    if "metaspace_used" in needs:
        assert memory.metaspace == metaspace_for(needs["metaspace_used"]) >= needs["metaspace_used"] * 1.25
    size = answer.value("process_size")
    assert size % MIB == 0
    with suppress(MemoryRefused):
        assert derived(answer, release, process_size=f"{size - MIB}").task_heap < needs["task_heap"]


@settings(max_examples=40, deadline=None)
@given(needs_of, st.integers(0, 4 * GIB), st.sampled_from(["task_heap", "managed", "network", "task_off_heap"]))
def test_more_of_a_need_never_wants_less(needs: dict[str, Any], more: int, part: str) -> None:
    if part not in needs:
        needs = {**needs, part: 0}
    sizes = [
        size_taskmanager_memory(TaskManagerNeeds(**{**needs, part: amount}), RELEASE).value("process_size")
        for amount in (needs[part], needs[part] + more)
    ]
    assert sizes[0] <= sizes[1]


@settings(max_examples=40, deadline=None)
@given(st.integers(1200, 200_000), minors)
def test_asking_back_for_what_a_process_holds_gives_that_process(megabytes: int, release: Release) -> None:
    held = load_of_taskmanager(CurrentTaskManager(process_size=megabytes * MIB), release)
    needs = TaskManagerNeeds(task_heap=held.value("task_heap"))
    assert size_taskmanager_memory(needs, release).value("process_size") == megabytes * MIB


@pytest.mark.parametrize(
    ("size", "step", "rounded"), [(0, MIB, 0), (1, MIB, MIB), (MIB, MIB, MIB), (1.5 * MIB, MIB, 2 * MIB)]
)
def test_sizes_are_rounded_up(size: float, step: int, rounded: int) -> None:
    assert up(size, step) == rounded
