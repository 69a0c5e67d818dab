"""JobManager memory: Flink's own answers come out, and what is recommended carries the load and no more."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput, MissingInput, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.inputs.shared_memory_sizing import heap_for
from flink_flint.calculators.jobmanager_memory import (
    CALCULATOR,
    CurrentJobManager,
    JobManagerNeeds,
    estimated_heap,
    jobs_within,
    load_of_jobmanager,
    size_jobmanager_memory,
)
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory, jobmanager
from flink_flint.linter.flink.memory.options_reader import MemoryRefused
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, Release, parse_release
from tests.calculators.memory_vectors import answered

MIB, GIB = 1 << 20, 1 << 30
RELEASE = parse_release("1.20")
JM = "jobmanager.memory."


def derived(answer: Answer, release: Release = RELEASE, **other: str) -> JobManagerMemory:
    """What Flink makes of an answer's settings alone."""
    texts = spelled(answer.settings, release)
    assert texts.unknown == ()
    named = {f"{JM}{key.replace('_', '.')}": text for key, text in other.items()}
    return jobmanager(Configuration({**texts.settings, **named}, release, yaml=False))


# -- what Flink makes of settings


def test_flinks_own_answers_come_out_to_the_byte() -> None:
    accepted = refused = 0
    for row, flink, answer in answered(CALCULATOR.reverse, "jm"):
        if "refused" in row:
            assert row["refused"][0].rstrip(".") in answer.errors[0], (row["conf"], flink)
            refused += 1
        else:
            memory = answer.memory
            assert isinstance(memory, JobManagerMemory), (row["conf"], flink, answer.errors)
            assert [memory.heap, memory.off_heap, memory.metaspace, memory.overhead] == row["memory"]
            assert answer.value("jvm_args") == row["jvm_args"]
            accepted += 1
    assert accepted > 100
    assert refused > 50


@pytest.mark.parametrize(
    ("inputs", "parts"),
    [
        ({"process_size": 1600 * MIB}, {"heap": GIB}),
        ({"process_size": 8192 * MIB}, {"heap": 7328287936, "overhead": 858993472}),
        ({"heap_size": 7168 * MIB}, {"process_size": 8798717739}),
    ],
)
def test_the_parts_of_common_configurations(inputs: dict[str, int], parts: dict[str, int]) -> None:
    answer = load_of_jobmanager(CurrentJobManager(**inputs), RELEASE)
    assert {name: answer.value(name) for name in parts} == parts


def test_what_flink_refuses_is_said_in_its_words() -> None:
    answer = load_of_jobmanager(CurrentJobManager(flink_size=128 * MIB), parse_release("2.0"))
    assert [value.text for value in answer.values] == ["none"]
    assert "is less than the configured Off-heap Memory" in answer.errors[0]


def test_flinks_warning_of_a_small_heap_is_passed_on() -> None:
    answer = load_of_jobmanager(CurrentJobManager(process_size=600 * MIB, jobs=0), RELEASE)
    assert "is less than its recommended minimum value" in answer.warnings[0]


def test_the_jvm_is_held_to_its_direct_memory_on_request() -> None:
    free, held = (
        load_of_jobmanager(CurrentJobManager(process_size=2 * GIB, direct_limit=limit), RELEASE).value("jvm_args")
        for limit in (False, True)
    )
    assert "MaxDirectMemorySize" not in free
    assert "-XX:MaxDirectMemorySize=134217728" in held


def test_more_jobs_than_the_heap_carries_are_warned_of() -> None:
    def ask(jobs: int) -> Answer:
        return load_of_jobmanager(CurrentJobManager(process_size=4 * GIB, jobs=jobs), RELEASE)

    safe = ask(1).value("safe_jobs")
    assert safe > 1
    assert ask(safe).warnings == ()
    assert f"{safe + 1} jobs are estimated to need a heap of" in ask(safe + 1).warnings[0]


def test_one_total_must_be_given() -> None:
    with pytest.raises(MissingInput) as caught:
        CurrentJobManager()
    assert caught.value.name == "process_size"


# -- from needs to a process


def test_one_job_gets_flinks_stock_process() -> None:
    answer = size_jobmanager_memory(JobManagerNeeds(), RELEASE)
    assert answer.settings == {JM + "process.size": 1600 * MIB}
    assert derived(answer).heap == GIB


def test_checkpoints_of_three_gigabytes_of_metadata_want_seven_of_heap() -> None:
    # The file is held twice: the retained checkpoint and the one being completed.
    metadata = int(2.98 * GIB)
    answer = size_jobmanager_memory(JobManagerNeeds(checkpoint_heap=2 * metadata), RELEASE)
    assert answer.value("heap") >= 6.9 * GIB
    assert answer.value("heap") <= 7168 * MIB
    asked = size_jobmanager_memory(JobManagerNeeds(heap=7168 * MIB), RELEASE)
    assert asked.value("process_size") == -(-8798717739 // MIB) * MIB


def test_a_heap_that_is_asked_for_counts_alone() -> None:
    small = size_jobmanager_memory(JobManagerNeeds(heap=256 * MIB, jobs=1), RELEASE)
    assert small.value("heap_needed") == 256 * MIB


def test_the_larger_of_estimate_and_observation_counts() -> None:
    def ask(live_set: int) -> Answer:
        return size_jobmanager_memory(JobManagerNeeds(jobs=3, live_set=live_set), RELEASE)

    assert ask(200 * MIB).value("heap_needed") == estimated_heap(3) == 1424 * MIB
    assert ask(2 * GIB).value("heap_needed") == -(-2 * GIB * 13 // 10)
    assert "a live set of 2 GiB is decisive" in ask(2 * GIB).binding


def test_a_heap_below_what_its_live_set_wants_contradicts() -> None:
    with pytest.raises(BadInput, match=r"--heap: 2 GiB is less than .* 3 GiB needs; allowed: at least 3994 MiB") as bad:
        JobManagerNeeds(heap=2 * GIB, live_set=3 * GIB)
    assert bad.value.name == "heap"
    assert JobManagerNeeds(heap=4 * GIB, live_set=3 * GIB).heap == 4 * GIB


def test_the_reasoning_says_that_the_total_was_found() -> None:
    steps = size_jobmanager_memory(JobManagerNeeds(), RELEASE).steps
    assert any(step == "So Flink divides 1600 MiB like this." for step in steps)
    assert not any("is given" in step for step in steps)


def test_metaspace_follows_from_what_is_used() -> None:
    answer = size_jobmanager_memory(JobManagerNeeds(metaspace_used=300 * MIB), RELEASE)
    assert answer.settings[JM + "jvm-metaspace.size"] == 384 * MIB
    assert derived(answer) == answer.memory


def test_a_container_that_is_too_small_gets_no_settings() -> None:
    short = size_jobmanager_memory(JobManagerNeeds(jobs=10, limit=2 * GIB), RELEASE)
    assert short.settings == {}
    assert "more than the container's 2 GiB" in short.errors[0]
    assert size_jobmanager_memory(JobManagerNeeds(limit=2 * GIB), RELEASE).value("spare") == 448 * MIB


@pytest.mark.parametrize(
    ("inputs", "name"),
    [
        ({"jobs": -1}, "jobs"),
        ({"heap": 0}, "heap"),
        ({"edges": -1}, "edges"),
        ({"checkpoint_heap": 1 << 60}, "checkpoint_heap"),
        ({"overhead_fraction": 1.5}, "overhead_fraction"),
        ({"overhead_min": 2 * GIB}, "overhead_min"),
    ],
)
def test_unusable_inputs_are_named(inputs: dict[str, Any], name: str) -> None:
    with pytest.raises(BadInput) as caught:
        JobManagerNeeds(**inputs)
    assert caught.value.name == name


def test_releases_before_the_model_are_refused() -> None:
    with pytest.raises(BadInput, match=r"Flink 1\.10 sizes its JobManagers differently; allowed: 1\.11 to 2\.3"):
        size_jobmanager_memory(JobManagerNeeds(), parse_release("1.10"))
    with pytest.raises(BadInput, match=r"allowed: 1\.11 to 2\.3"):
        load_of_jobmanager(CurrentJobManager(process_size=GIB), parse_release("1.10"))


def test_the_examples_run() -> None:
    for way in (CALCULATOR.forward, CALCULATOR.reverse):
        by_name = {declared.name: declared for declared in inputs_of(way.inputs)}
        inputs = collect(way.inputs, {name: by_name[name].read(text) for name, text in way.example.items()})
        answer = way.answer(inputs, RELEASE)
        assert answer.values
        assert answer.errors == ()
        assert answer.chart is not None
        assert answer.chart.points


# -- laws

minors = st.sampled_from(MINORS[2:]).map(parse_release)
needs_of = st.fixed_dictionaries(
    {"jobs": st.integers(0, 200)},
    optional={
        "heap": st.integers(1, 64 * GIB),
        "live_set": st.integers(1, 64 * GIB),
        "edges": st.integers(0, 10**6),
        "checkpoint_heap": st.integers(0, 16 * GIB),
        "off_heap": st.integers(0, 2 * GIB),
        "metaspace_used": st.integers(0, GIB),
        "overhead_fraction": st.integers(0, 60).map(lambda percent: percent / 100),
    },
).filter(lambda needs: needs.get("heap", 1 << 60) >= heap_for(needs.get("live_set", 1)))


@settings(max_examples=60, deadline=None)
@given(needs_of, minors)
def test_the_load_is_carried_and_one_step_less_would_not_do(needs: dict[str, Any], release: Release) -> None:
    answer = size_jobmanager_memory(JobManagerNeeds(**needs), release)
    memory = derived(answer, release)
    assert memory == answer.memory
    assert memory.heap >= answer.value("heap_needed")
    size = answer.value("process_size")
    assert size % MIB == 0
    with suppress(MemoryRefused):
        assert derived(answer, release, process_size=f"{size - MIB}").heap < answer.value("heap_needed")


@given(st.integers(0, 64 * GIB), st.integers(0, 10**6), st.integers(0, 8 * GIB))
def test_the_jobs_a_heap_carries_are_the_most_it_carries(heap: int, edges: int, checkpoints: int) -> None:
    jobs = jobs_within(heap, edges, checkpoints)
    assert jobs == 0 or estimated_heap(jobs, edges, checkpoints) <= heap
    assert estimated_heap(jobs + 1, edges, checkpoints) > heap


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1_000_000))
def test_more_jobs_never_want_a_smaller_process(jobs: int, more: int, edges: int) -> None:
    way, release = calculator("jobmanager-memory").forward, parse_release("2.3")
    one, other = (
        way.answer(collect(way.inputs, {"jobs": count, "edges": edges}), release).value("process_size")
        for count in (jobs, jobs + more)
    )
    assert other >= one
