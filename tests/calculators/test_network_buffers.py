"""Network buffers: what a running Flink needs to start, what pools take at most, and the memory of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.command_line.collect_inputs import ask, read_texts
from flink_flint.calculators.formulas.buffer_pools import (
    Buffers,
    Pool,
    buffers_in_flight,
    gate,
    max_buffers,
    of_a_taskmanager,
    partition,
)
from flink_flint.calculators.formulas.exchanges import (
    KINDS,
    Exchange,
    channels,
    parse_exchanges,
    scaled,
    spell_exchanges,
)
from flink_flint.calculators.formulas.quantity import BadQuantity
from flink_flint.calculators.inputs.network_buffers import PERCENT, CurrentNetwork, NetworkNeeds
from flink_flint.calculators.network_buffers import load_of_network, size_network_buffers
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, parse_release
from tests.calculators.pointers import answered

MIB = 1 << 20
SEGMENT = 32 << 10
F120 = parse_release("1.20")
F21 = parse_release("2.1")
HASH_120 = parse_exchanges("120x120 hash x3")
IN_PROPORTION = st.tuples(st.integers(1, 300), st.integers(1, 300), st.sampled_from(KINDS[1:]), st.integers(1, 4))
EXCHANGES = st.lists(IN_PROPORTION.map(lambda one: Exchange(*one)), min_size=1, max_size=3).map(tuple)


# -- pools


@pytest.mark.parametrize(
    ("own", "other", "kind", "segments"),
    [(10, 10, "forward", 10), (10, 15, "rescale", 12), (10, 15, "rebalance", 38), (15, 10, "rescale", 10),
     (10, 10, "hash", 28), (1, 120, "broadcast", 248)],
)  # fmt: skip
def test_the_buffers_of_a_kind_of_exchange(own: int, other: int, kind: str, segments: int) -> None:
    assert max_buffers(channels(own, other, kind)) == segments


@pytest.mark.parametrize(
    ("limit", "minimum"), [(None, 1001), (1000, 1000), (501, 501), (100, 100)]
)  # fmt: skip
def test_a_gate_s_requirement_can_be_limited_and_its_target_stays(limit: int | None, minimum: int) -> None:
    assert gate(500, Buffers(required_per_gate=limit), F120) == Pool(minimum, 1008)


def test_a_batch_gate_needs_no_more_than_a_thousand_since_1_17() -> None:
    assert gate(600, Buffers(), F120, batch=True).minimum == 1000
    assert gate(600, Buffers(), parse_release("1.16"), batch=True).minimum == 1201


def test_a_gate_needs_no_floating_buffer_to_start_up_to_1_10() -> None:
    assert gate(10, Buffers(), parse_release("1.10")).minimum == 20
    assert gate(10, Buffers(), parse_release("1.11")).minimum == 21


def test_local_channels_take_no_exclusive_buffers() -> None:
    assert gate(10, Buffers(), F120, local=4) == Pool(13, 20)
    assert gate(10, Buffers(required_per_gate=6), F120, local=4).minimum == 6


def test_batch_partitions_are_sorted_since_1_15() -> None:
    assert partition(10, Buffers(), F120, batch=True) == Pool(512, 512)
    assert partition(500, Buffers(), F120, batch=True) == Pool(512, 2000)
    assert partition(500, Buffers(), parse_release("1.14"), batch=True) == Pool(501, 501)


@pytest.mark.parametrize(
    ("exchange", "slots", "least"),
    # Bisected on clusters of 1.20.5 with one and two TaskManagers: one buffer less fails with Insufficient number of
    # network buffers.
    [("4x4 hash", 4, 24), ("8x8 hash", 4, 72)],
)
def test_a_running_flink_starts_with_exactly_so_many_buffers(exchange: str, slots: int, least: int) -> None:
    pools = of_a_taskmanager(parse_exchanges(exchange), slots, Buffers(), F120, together=True)
    assert pools.minimum == least
    for there, fails in ((least, False), (least - 1, True)):
        inputs = NetworkNeeds(exchanges=parse_exchanges(exchange), slots=slots, network=there * SEGMENT)
        assert bool(size_network_buffers(inputs, F120).errors) is fails


def test_the_connection_of_the_manual_wants_ten_buffers() -> None:
    assert buffers_in_flight(320e6, 0.001, 32_000) == 10


# -- exchanges as texts


def test_exchanges_are_read_in_the_ways_people_write_them() -> None:
    wanted = (Exchange(120, 120, "hash", 3), Exchange(10, 15, "rescale"), Exchange(5, 5))
    assert parse_exchanges("120x120 hash x3, 10x15 rescale; 5 × 5") == wanted
    assert parse_exchanges("120*120 keyBy x3 + 10x15 RESCALE, 5x5") == wanted


@pytest.mark.parametrize(
    ("text", "says"),
    [("120", "write it like 120x120 hash x3"), ("4x4 hsh", "'hsh' in '4x4 hsh' is not a kind of exchange"),
     ("0x4", "0 in '0x4' is not a parallelism; allowed: 1 to 32768"), ("4x40000", "allowed: 1 to 32768"),
     ("4x5 forward", "write rescale"), ("", "no exchange is given"), ("4x4 x0", "x0 in '4x4 x0'")],
)  # fmt: skip
def test_what_is_no_exchange_is_told_with_what_is(text: str, says: str) -> None:
    with pytest.raises(BadQuantity) as told:
        parse_exchanges(text)
    assert says in str(told.value)


@given(EXCHANGES)
def test_exchanges_survive_being_spelled(exchanges: tuple[Exchange, ...]) -> None:
    assert parse_exchanges(spell_exchanges(exchanges)) == exchanges


# -- answers


def test_three_shuffles_of_120_do_not_start_in_the_default_minimum() -> None:
    answer = size_network_buffers(NetworkNeeds(exchanges=HASH_120, slots=4, network=64 * MIB), F120)
    assert answer.value("network_memory") == 186 * MIB
    assert answer.value("to_start") == 135.75 * MIB
    assert answer.errors == (
        (
            "64 MiB of network memory holds 2 048 buffers, but the tasks need 4 248 to start: they fail with "
            "Insufficient number of network buffers"
        ),
    )
    assert answer.settings == {
        "taskmanager.memory.network.min": 186 * MIB, "taskmanager.memory.network.max": 186 * MIB,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("mib", "errors", "warnings"), [(132, 1, 0), (134, 0, 1), (150, 0, 1), (186, 0, 0)]
)  # fmt: skip
def test_memory_in_force_breaks_may_break_or_suffices(mib: int, errors: int, warnings: int) -> None:
    answer = size_network_buffers(NetworkNeeds(exchanges=HASH_120, slots=4, network=mib * MIB), F120)
    assert (len(answer.errors), len(answer.warnings)) == (errors, warnings)


def test_the_operator_s_example_comes_out_to_the_kilobyte() -> None:
    answer = size_network_buffers(NetworkNeeds(exchanges=parse_exchanges("25x10 rebalance"), slots=5), F120)
    assert answer.value("buffers") * SEGMENT == 13_760 << 10
    assert answer.value("network_memory") == 64 * MIB
    assert answer.settings == {}


def test_memory_in_force_that_is_enough_is_left_alone() -> None:
    inputs = NetworkNeeds(exchanges=parse_exchanges("10x10 hash"), slots=4, process_size=4096 * MIB)
    answer = size_network_buffers(inputs, F120)
    assert answer.values[0].value == answer.values[0].present == 359_703_515
    assert (answer.settings, answer.remove, answer.errors, answer.warnings) == ({}, (), (), ())
    assert answer.binding == "343 MiB is the current size, and pools take 7 MiB at most"
    assert answer.memory is not None
    assert answer.memory.network == 359_703_515
    measured = size_network_buffers(NetworkNeeds(exchanges=parse_exchanges("10x10"), network=16 * MIB), F120)
    assert measured.settings == {}


def test_no_less_than_flinks_default_minimum_is_recommended() -> None:
    job = parse_exchanges("10x10 hash")
    small = size_network_buffers(NetworkNeeds(exchanges=job, slots=4, network=5 * MIB), F120)
    assert small.value("network_memory") == 64 * MIB
    assert small.settings["taskmanager.memory.network.min"] == 64 * MIB
    lowered = NetworkNeeds(exchanges=job, slots=4, network_min=MIB, network_max=2 * MIB)
    assert size_network_buffers(lowered, F120).settings["taskmanager.memory.network.max"] == 64 * MIB


def test_a_share_of_a_metric_wants_its_sign() -> None:
    for text in ("0.85", "85", "85 % of it", "%"):
        with pytest.raises(BadQuantity):
            PERCENT.parse(text)
    with pytest.raises(BadQuantity, match="has no unit; write it like 85 %"):
        PERCENT.read(0.85)
    assert PERCENT.parse("85 %") == PERCENT.parse("85%") == 85
    for percent in (0.85, 100.0, 84.91234567, 1234.5):
        assert PERCENT.parse(PERCENT.spell(percent)) == percent


def test_what_does_not_fit_is_asked_of_a_larger_process_in_words_that_work() -> None:
    inputs = NetworkNeeds(exchanges=parse_exchanges("1000x1000 hash x3"), slots=8, process_size=2048 * MIB)
    error = next(error for error in size_network_buffers(inputs, F120).errors if "flint size" in error)
    process = answered(error)
    assert process.memory is not None
    assert process.value("network") >= size_network_buffers(inputs, F120).value("network_memory")


def test_a_vertex_with_fewer_subtasks_than_slots_fills_only_some() -> None:
    few = size_network_buffers(NetworkNeeds(exchanges=parse_exchanges("1x40 broadcast"), slots=8), F120)
    assert few.value("buffers") == 8 * (2 * 1 + 8) + 1 * (2 * 40 + 8)


def test_network_memory_in_force_follows_from_the_total() -> None:
    texts = {"exchanges": "120x120 hash x3", "slots": "4", "process_size": "1728mb"}
    network = calculator("network-buffers")
    answer = ask(network, read_texts(network, texts), release=F120).answer
    assert answer.values[0].present == 134_217_730
    assert answer.value("fraction") == 0.146
    assert answer.memory is not None
    assert answer.memory.network == 186 * MIB
    assert answer.memory.process_size == 1728 * MIB
    assert any(step.startswith("Task heap goes from 384 MiB to 326 MiB") for step in answer.steps)


def test_network_memory_that_no_heap_remains_beside_is_not_proposed() -> None:
    inputs = NetworkNeeds(exchanges=parse_exchanges("1000x1000 hash x3"), slots=8, process_size=2048 * MIB)
    answer = size_network_buffers(inputs, F120)
    assert any("does not fit the current total" in error for error in answer.errors)
    assert answer.settings == {}


def test_what_pools_are_seen_to_ask_for_counts_where_it_is_more() -> None:
    inputs = NetworkNeeds(exchanges=parse_exchanges("8x8"), slots=4, network=64 * MIB, usage=150.0)
    answer = size_network_buffers(inputs, F120)
    assert answer.value("network_memory") == 96 * MIB
    assert "more than the given exchanges need" in answer.binding
    assert "some get less" in answer.warnings[0]


def test_a_long_line_wants_floating_buffers_and_in_2_x_larger_segments() -> None:
    inputs = NetworkNeeds(exchanges=parse_exchanges("5x5"), throughput=1e9, round_trip=0.01)
    old, new = size_network_buffers(inputs, F120), size_network_buffers(inputs, F21)
    assert old.settings["taskmanager.network.memory.floating-buffers-per-gate"] == 306 - 10
    assert old.value("buffers") == 2 * (10 + 296)
    assert "taskmanager.network.memory.floating-buffers-per-gate" not in new.settings
    assert "taskmanager.memory.segment-size of 1024 KiB" in new.warnings[0] or "1 MiB" in new.warnings[0]


def test_debloating_saves_time_in_flight_and_no_memory() -> None:
    job = {"exchanges": parse_exchanges("300x300"), "throughput": float(MIB)}
    without = size_network_buffers(NetworkNeeds(**job), F120)  # type: ignore[arg-type]
    debloated = size_network_buffers(NetworkNeeds(**job, debloating=True), F120)  # type: ignore[arg-type]
    assert without.value("time_in_flight") == pytest.approx(38)
    assert debloated.value("time_in_flight") == 1
    assert debloated.value("network_memory") == without.value("network_memory")
    assert "saves no network memory" in debloated.warnings[0]
    assert "needs as many floating buffers" in debloated.warnings[1]
    old = size_network_buffers(NetworkNeeds(**job, debloating=True), parse_release("1.13"))  # type: ignore[arg-type]
    assert "available since 1.14" in old.warnings[0]


def test_a_batch_job_runs_one_task_in_a_slot_at_a_time() -> None:
    exchanges = parse_exchanges("100x100, 50x100, 100x20")
    answer = size_network_buffers(NetworkNeeds(exchanges=exchanges, mode="batch", slots=4), F120)
    assert answer.value("buffers_to_start") == 4 * (2 * 201 + 512)
    assert answer.value("buffers") == 4 * (2 * 208 + 512)


def test_the_buffers_of_2_x_cannot_be_chosen() -> None:
    inputs = NetworkNeeds(exchanges=HASH_120, buffers_per_channel=4)
    assert size_network_buffers(inputs, F120).value("buffers") > 0
    with pytest.raises(BadInput, match=r"--buffers-per-channel: 4 is impossible: Flink 2\.1 always uses 2; allowed: 2"):
        size_network_buffers(inputs, F21)


def test_a_segment_is_a_power_of_two() -> None:
    with pytest.raises(BadInput, match=r"--segment-size: .* is not a power of 2; allowed"):
        NetworkNeeds(exchanges=HASH_120, segment_size=33_000)


@pytest.mark.parametrize("minor", MINORS)
def test_the_settings_exist_in_every_release(minor: str) -> None:
    release = parse_release(minor)
    inputs = NetworkNeeds(exchanges=HASH_120, slots=2, throughput=1e9, round_trip=0.1)
    found = spelled(size_network_buffers(inputs, release).settings, release)
    assert found.unknown == ()
    prefix = "taskmanager.network.memory." if minor == "1.9" else "taskmanager.memory.network."
    assert f"{prefix}min" in found.settings


@given(EXCHANGES, st.integers(1, 16), st.sampled_from(MINORS), st.booleans())
def test_pools_take_no_less_than_they_need_and_grow_with_slots(
    exchanges: tuple[Exchange, ...], slots: int, minor: str, batch: bool
) -> None:
    release = parse_release(minor)
    inputs = 2 if batch else None
    pools = of_a_taskmanager(exchanges, slots, Buffers(), release, batch_inputs=inputs)
    near = of_a_taskmanager(exchanges, slots, Buffers(), release, batch_inputs=inputs, together=True)
    more = of_a_taskmanager(exchanges, slots + 1, Buffers(), release, batch_inputs=inputs)
    assert near.minimum <= pools.minimum <= pools.target
    assert pools.minimum <= more.minimum
    assert pools.target <= more.target


@given(EXCHANGES, st.integers(1, 300), st.integers(1, 300))
def test_a_larger_parallelism_never_wants_less(exchanges: tuple[Exchange, ...], one: int, other: int) -> None:
    low, high = sorted((one, other))
    only_hash = tuple(exchange._replace(kind="hash") for exchange in exchanges)
    few = of_a_taskmanager(scaled(only_hash, low), 4, Buffers(), F120)
    many = of_a_taskmanager(scaled(only_hash, high), 4, Buffers(), F120)
    assert few.minimum <= many.minimum
    assert few.target <= many.target


@given(st.integers(1, 800), st.integers(1, 16), st.integers(1, 6), st.sampled_from(["1.14", "1.20", "2.1"]))
def test_what_is_recommended_carries_the_parallelism_the_other_way_round(
    parallelism: int, slots: int, shuffles: int, minor: str
) -> None:
    release = parse_release(minor)
    job = (Exchange(parallelism, parallelism, "hash", shuffles),)
    network = size_network_buffers(NetworkNeeds(exchanges=job, slots=slots), release).value("network_memory")
    back = load_of_network(CurrentNetwork(network=network, slots=slots, shuffles=shuffles), release)
    assert back.value("parallelism") >= parallelism
    judged = size_network_buffers(NetworkNeeds(exchanges=job, slots=slots, network=network), release)
    assert (judged.errors, judged.warnings) == ((), ())


def test_64_mib_carry_so_much_and_no_more() -> None:
    answer = load_of_network(CurrentNetwork(network=64 * MIB, slots=4), F120)
    assert answer.value("parallelism") == 124
    assert answer.value("parallelism_that_starts") == 170
    for buffers, says in ((4, "starts not even one subtask"), (5, "does not fill the pools of even one subtask")):
        little = load_of_network(CurrentNetwork(network=buffers * SEGMENT), F120)
        assert says in little.errors[0]


def test_the_memory_in_force_is_a_line_of_the_chart() -> None:
    chart = size_network_buffers(NetworkNeeds(exchanges=HASH_120, slots=4, network=64 * MIB), F120).chart
    assert chart is not None
    assert [series.label for series in chart.series] == ["all buffers", "to start", "current"]
    assert ("recommended", 120.0, 186.0 * MIB) in chart.points


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("minor", ["1.9", "1.20", "2.3"])
def test_the_examples_run(reverse: bool, minor: str) -> None:
    network = calculator("network-buffers")
    way = network.way(reverse=reverse)
    asked = ask(
        network, read_texts(network, way.example, reverse=reverse), reverse=reverse, release=parse_release(minor)
    )
    assert asked.answer.values[0].value > 0
