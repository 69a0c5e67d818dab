"""RocksDB: the division of its memory as Flink's own classes compute it, and what a load needs of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.command_line.collect_inputs import ask, read_texts
from flink_flint.calculators.formulas.quantity import BadQuantity
from flink_flint.calculators.formulas.rocksdb_memory import (
    DEFAULT_WEIGHTS,
    Weights,
    arena_block,
    cache_capacity,
    flushes_always,
    largest_write_buffer,
    managed_for,
    memory_for_states,
    memory_for_writes,
    min_memory,
    parse_weights,
    read_cache,
    slot_memory,
    spell_weights,
    states_within,
    unmanaged_bound,
    write_buffer_capacity,
)
from flink_flint.calculators.inputs.rocksdb import CurrentRocksDb, RocksDbNeeds
from flink_flint.calculators.rocksdb import load_of_rocksdb, size_rocksdb
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, parse_release
from tests.calculators.pointers import answered

MIB = 1 << 20
F120 = parse_release("1.20")
RATIOS = st.floats(0.01, 1)
MEMORIES = st.integers(1 << 20, 1 << 36)


# -- the division


@pytest.mark.parametrize(
    ("memory", "cache", "buffers"),
    # What RocksDBMemoryControllerUtils returns, alike in all releases from 1.10.3 to 2.3.0.
    [(536870912, 447392426, 178956970), (28311552, 23592960, 9437184), (359703515, 299752929, 119901171)],
)
def test_memory_is_divided_as_flink_does_to_the_byte(memory: int, cache: int, buffers: int) -> None:
    assert cache_capacity(memory) == cache
    assert write_buffer_capacity(memory) == buffers
    assert read_cache(memory) == pytest.approx(memory / 2, abs=2)


@pytest.mark.parametrize(
    ("mib", "ratio", "least"),
    # Bisected on Flink's own check of the arena block, 1.12.5 to 2.3.0.
    [(16, 0.5, 7190238), (32, 0.5, 14380473), (64, 0.5, 28760943), (128, 0.5, 57521886), (256, 0.5, 115043769),
     (16, 1.0, 3595119), (32, 1.0, 7190237), (64, 1.0, 14380472), (128, 1.0, 28760943), (256, 1.0, 57521885)],
)  # fmt: skip
def test_the_least_memory_is_the_bisected_one(mib: int, ratio: float, least: int) -> None:
    assert min_memory(ratio, mib * MIB) == least


@given(RATIOS, st.integers(4096, 1 << 36))
def test_one_byte_below_the_least_memory_flushes_without_end(ratio: float, write_buffer: int) -> None:
    least = min_memory(ratio, write_buffer)
    assert not flushes_always(least, ratio, write_buffer)
    assert flushes_always(least - 1, ratio, write_buffer)


@given(MEMORIES, RATIOS)
def test_the_largest_write_buffer_is_borne_and_the_next_is_not(memory: int, ratio: float) -> None:
    largest = largest_write_buffer(memory, ratio)
    assert not flushes_always(memory, ratio, largest)
    assert flushes_always(memory, ratio, largest + 8)


def test_arena_blocks_are_whole_pages() -> None:
    assert arena_block(64 * MIB) == 8 * MIB
    assert arena_block(100_000) == 16_384


@given(MEMORIES, RATIOS, st.integers(1, 1 << 20))
def test_more_memory_is_never_less_of_anything(memory: int, ratio: float, more: int) -> None:
    for part in (cache_capacity, write_buffer_capacity, states_within):
        assert part(memory + more, ratio) >= part(memory, ratio)


@given(st.integers(1, 1000), RATIOS)
def test_memory_for_states_carries_them(states: int, ratio: float) -> None:
    assert states_within(memory_for_states(states, ratio) + 1, ratio) >= states


def test_writes_want_no_more_than_all_memtables_hold() -> None:
    assert memory_for_writes(20 * MIB, 10, 6) == pytest.approx(200 * MIB * 24 / 7, abs=1)
    assert memory_for_writes(1e12, 10, 1) == pytest.approx(128 * MIB * 24 / 7, abs=1)


def test_unmanaged_memory_is_140_mb_a_state_and_slot() -> None:
    assert unmanaged_bound(6, 4) == 3.36e9
    assert unmanaged_bound(6, 4, write_buffer=32 * MIB) == pytest.approx(3.36e9 * 72 / 136)


# -- other consumers


@pytest.mark.parametrize(
    ("operators", "python", "share"),
    [(False, False, 1.0), (True, False, 0.5), (False, True, 0.7), (True, True, 70 / 170)],
)  # fmt: skip
def test_rocksdb_shares_a_slot_by_weight(operators: bool, python: bool, share: float) -> None:
    assert DEFAULT_WEIGHTS.share(operators=operators, python=python) == pytest.approx(share)


def test_weights_survive_being_spelled_and_have_an_old_name() -> None:
    assert parse_weights(spell_weights(DEFAULT_WEIGHTS)) == DEFAULT_WEIGHTS
    assert parse_weights("DATAPROC:70, PYTHON:30") == DEFAULT_WEIGHTS
    assert parse_weights("state_backend:1.5") == Weights(0, 1.5, 0)


@pytest.mark.parametrize("text", ["STATE_BACKEND", "STATE_BACKEND:-1", "STATE_BACKEND:x", "HEAP:3"])
def test_what_is_no_weight_is_told(text: str) -> None:
    with pytest.raises(BadQuantity, match=r"write OPERATOR:70|allowed: OPERATOR"):
        parse_weights(text)


def test_a_backend_without_weight_contradicts() -> None:
    with pytest.raises(BadInput, match=r"--weights: STATE_BACKEND has no weight.* allowed: above 0"):
        RocksDbNeeds(states=1, operators=True, weights=Weights(1, 0, 1))


@given(st.integers(1, 1 << 36), st.integers(1, 64), st.sampled_from([1.0, 0.5, 0.7, 70 / 170]))
def test_managed_memory_gives_each_slot_its_part_to_the_byte(memory: int, slots: int, share: float) -> None:
    managed = managed_for(memory, slots, share)
    assert managed % MIB == 0
    assert slot_memory(managed, slots, share) >= memory
    assert slot_memory(managed - 2 * MIB, slots, share) < memory


# -- answers


def test_each_need_can_decide() -> None:
    job = {"slots": 2, "states": 4}
    assert size_rocksdb(RocksDbNeeds(**job), F120).value("managed_memory") == 256 * MIB  # type: ignore[arg-type]
    reads = size_rocksdb(RocksDbNeeds(**job, working_set=200 * MIB), F120)  # type: ignore[arg-type]
    assert reads.value("managed_memory") == 800 * MIB
    assert reads.value("read_cache") >= 200 * MIB
    writes = size_rocksdb(RocksDbNeeds(**job, write_rate=14 * MIB), F120)  # type: ignore[arg-type]
    assert writes.value("managed_memory") == 960 * MIB
    assert "written in 10 s" in writes.binding
    least = size_rocksdb(RocksDbNeeds(states=1, write_buffer=512 * MIB), F120)
    assert least.value("managed_memory") == 220 * MIB
    assert "64 MiB, must fit" in least.binding


def test_27_mib_flush_without_end() -> None:
    answer = size_rocksdb(RocksDbNeeds(states=1, managed=27 * MIB), F120)
    assert (
        "RocksDB flushes endlessly; it needs 27.43 MiB in a slot, or write buffers of at most 63 MiB"
        in (answer.errors[0])
    )
    assert size_rocksdb(RocksDbNeeds(states=1, managed=28 * MIB), F120).errors == ()


def test_other_consumers_take_their_part_of_the_current_memory() -> None:
    alone = size_rocksdb(RocksDbNeeds(states=2, slots=4, managed=256 * MIB), F120)
    assert (alone.errors, alone.warnings) == ((), ())
    shared = size_rocksdb(RocksDbNeeds(states=2, slots=4, managed=256 * MIB, operators=True, python=True), F120)
    assert shared.errors
    assert shared.value("managed_memory") == 622 * MIB


def test_cache_misses_double_what_is_in_force_up_to_all_of_the_state() -> None:
    job = {"states": 2, "managed": 200 * MIB}
    missed = size_rocksdb(RocksDbNeeds(**job, hit_ratio=0.7), F120)  # type: ignore[arg-type]
    assert missed.value("managed_memory") == 400 * MIB
    assert "only 70 % of the reads" in missed.binding
    small = size_rocksdb(RocksDbNeeds(**job, hit_ratio=0.7, state_size=150 * MIB), F120)  # type: ignore[arg-type]
    assert small.value("managed_memory") == 300 * MIB
    hit = size_rocksdb(RocksDbNeeds(**job, hit_ratio=0.95), F120)  # type: ignore[arg-type]
    assert hit.value("managed_memory") == 200 * MIB


def test_a_cache_of_which_nothing_is_known_is_not_taken_away() -> None:
    kept = size_rocksdb(RocksDbNeeds(states=2, managed=4096 * MIB), F120)
    assert kept.value("managed_memory") == 4096 * MIB
    known = size_rocksdb(RocksDbNeeds(states=2, managed=4096 * MIB, working_set=100 * MIB), F120)
    assert known.value("managed_memory") == 200 * MIB
    assert "shrinks from 4 GiB to 200 MiB" in known.warnings[0]


def test_unbounded_rocksdb_is_bounded() -> None:
    answer = size_rocksdb(RocksDbNeeds(states=6, slots=4, is_managed=False), F120)
    assert answer.value("unmanaged_bound") == 3.36e9
    assert "nothing limits RocksDB's memory" in answer.warnings[0]
    assert answer.settings["state.backend.rocksdb.memory.managed"] is True


def test_a_fixed_size_goes_before_managed_memory() -> None:
    fixed = size_rocksdb(RocksDbNeeds(states=2, slots=2, fixed_per_slot=20 * MIB, managed=8192 * MIB), F120)
    assert "20 MiB lets memtables grow" in fixed.errors[0]
    assert "does not account for" in fixed.warnings[0]
    assert "state.backend.rocksdb.memory.fixed-per-slot" in fixed.remove


def test_a_fixed_size_of_the_taskmanager_counts_from_1_17_on() -> None:
    inputs = RocksDbNeeds(states=2, slots=4, is_managed=False, fixed_per_taskmanager=512 * MIB)
    new, old = size_rocksdb(inputs, F120), size_rocksdb(inputs, parse_release("1.16"))
    assert "512 MiB of RocksDB's own memory" in new.warnings[0]
    assert "nothing limits" in old.warnings[0]


def test_the_process_gets_the_overhead_that_rocksdb_takes_beyond_its_memory() -> None:
    rocksdb = calculator("rocksdb")
    texts = {"states": "100", "slots": "4", "process_size": "32gb", "working_set": "1gb"}
    answer = ask(rocksdb, read_texts(rocksdb, texts), release=F120).answer
    assert answer.value("managed_memory") == 12_800 * MIB
    assert answer.settings["taskmanager.memory.jvm-overhead.min"] == 1472 * MIB
    assert answer.settings["taskmanager.memory.jvm-overhead.max"] == 1472 * MIB
    assert answer.memory is not None
    assert answer.memory.managed == 12_800 * MIB
    assert answer.memory.overhead == 1472 * MIB
    assert answer.memory.process_size == 32_768 * MIB


def test_managed_memory_beyond_the_process_is_not_proposed() -> None:
    answer = size_rocksdb(RocksDbNeeds(states=20, slots=4, process_size=1728 * MIB), F120)
    assert "--task-heap=384mb --managed=2560mb --native=448mb" in answer.errors[0]
    assert answer.settings == {}
    process = answered(answer.errors[0])
    assert process.errors == ()
    assert process.value("managed") == 2560 * MIB
    assert process.value("task_heap") >= 384 * MIB
    assert process.value("overhead") >= 448 * MIB


def test_memory_in_force_is_no_setting_where_it_is_the_answer() -> None:
    inputs = RocksDbNeeds(states=3, slots=4, process_size=4096 * MIB)
    answer = size_rocksdb(inputs, F120)
    assert answer.values[0].value == answer.values[0].present == 1_438_814_063
    assert (answer.settings, answer.remove, answer.warnings) == ({}, (), ())
    assert answer.memory is not None
    assert answer.memory.managed == 1_438_814_063


def test_managed_memory_that_lies_idle_is_not_taken_away_unless_the_reads_are_known() -> None:
    job = {"states": 3, "slots": 4, "process_size": 8 << 30, "is_managed": False}
    idle = size_rocksdb(RocksDbNeeds(**job), F120)  # type: ignore[arg-type]
    assert idle.values[0].value == idle.values[0].present
    assert idle.settings == {"state.backend.rocksdb.memory.managed": True}
    assert "is unused" in idle.binding
    assert not any("is less than" in warning for warning in idle.warnings)
    known = size_rocksdb(RocksDbNeeds(**job, working_set=100 * MIB), F120)  # type: ignore[arg-type]
    assert known.settings["taskmanager.memory.managed.size"] == 800 * MIB
    assert any("managed memory shrinks from 2847 MiB to 800 MiB" in warning for warning in known.warnings)


def test_the_disk_holds_the_state_and_its_compactions() -> None:
    answer = size_rocksdb(RocksDbNeeds(states=1, slots=4, state_size=10 << 30), F120)
    assert answer.value("local_disk") == 80 << 30


def test_releases_that_divide_otherwise_are_refused() -> None:
    with pytest.raises(BadInput, match=r"1.9 does not limit RocksDB's memory.*allowed: 1.10 to 2.3"):
        size_rocksdb(RocksDbNeeds(states=1), parse_release("1.9"))
    with pytest.raises(BadInput, match=r"--python: Flink 1\.11 divides managed memory without weights"):
        size_rocksdb(RocksDbNeeds(states=1, python=True), parse_release("1.11"))


def test_a_ratio_of_one_leaves_no_cache() -> None:
    with pytest.raises(BadInput, match="--write-buffer-ratio: 100 % leaves no cache"):
        size_rocksdb(RocksDbNeeds(states=1, working_set=MIB, write_buffer_ratio=1), F120)


def test_two_gib_in_four_slots_carry_16_states() -> None:
    answer = load_of_rocksdb(CurrentRocksDb(managed=2048 * MIB, slots=4, states=20), F120)
    assert answer.value("states") == 16
    assert answer.value("working_set") == 256 * MIB
    assert "20 states share write buffers for 16" in answer.warnings[0]
    assert load_of_rocksdb(CurrentRocksDb(managed=100 * MIB, slots=4), F120).errors


@given(
    st.integers(1, 200), st.integers(1, 16), st.floats(0.05, 0.95), st.integers(0, 1 << 33),
    st.just(0.0) | st.floats(1e-6, 1e9),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_what_is_recommended_carries_the_load_the_other_way_round(
    states: int, slots: int, ratio: float, working_set: int, rate: float, operators: bool, python: bool
) -> None:
    shared = {"slots": slots, "write_buffer_ratio": ratio, "operators": operators, "python": python}
    needs = {"states": states, "working_set": working_set, "write_rate": rate, **shared}
    answer = size_rocksdb(RocksDbNeeds(**needs), F120)  # type: ignore[arg-type]
    managed = answer.value("managed_memory")
    back = load_of_rocksdb(CurrentRocksDb(managed=managed, **shared), F120)  # type: ignore[arg-type]
    assert back.errors == ()
    assert back.value("states") >= states
    assert back.value("working_set") >= working_set - 2
    assert back.value("write_rate") >= min(rate, states * 128 * MIB / 10) * (1 - 1e-6) - 1
    judged = size_rocksdb(RocksDbNeeds(**needs, managed=managed), F120)  # type: ignore[arg-type]
    assert (judged.errors, judged.warnings) == ((), ())


@pytest.mark.parametrize("minor", MINORS[1:])
def test_the_settings_exist_in_every_release(minor: str) -> None:
    release = parse_release(minor)
    inputs = RocksDbNeeds(states=100, slots=4, working_set=1 << 30, process_size=32 << 30, is_managed=False)
    settings = size_rocksdb(inputs, release).settings
    assert len(settings) == 4
    assert spelled(settings, release).unknown == ()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("minor", ["1.10", "1.20", "2.3"])
def test_the_examples_run(reverse: bool, minor: str) -> None:
    rocksdb = calculator("rocksdb")
    way = rocksdb.way(reverse=reverse)
    asked = ask(
        rocksdb, read_texts(rocksdb, way.example, reverse=reverse), reverse=reverse, release=parse_release(minor)
    )
    assert asked.answer.values[0].value > 0
    assert asked.answer.errors == ()
