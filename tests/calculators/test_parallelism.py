"""The calculator of parallelism."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput, MissingInput, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.formulas.autoscaling import safe_rate, slots_needed, taskmanagers_needed
from flink_flint.calculators.formulas.key_groups import LARGEST
from flink_flint.calculators.inputs.parallelism import CurrentParallelism, Parallelism
from flink_flint.calculators.parallelism import CALCULATOR, load_of_parallelism, size_parallelism
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, NEWEST, parse_release, release_at

RELEASE = release_at(NEWEST)


def size(**known: Any) -> Answer:
    return size_parallelism(Parallelism(**known), RELEASE)


def carried(**known: Any) -> Answer:
    return load_of_parallelism(CurrentParallelism(**known), RELEASE)


def test_the_tests_of_the_autoscaler_come_out() -> None:
    known = {"rate": 50.0, "true_rate": 100.0, "parallelism": 10, "max_parallelism": 720, "catch_up": 0.0}
    answer = size(**known, utilization=0.8)
    assert answer.value("capacity") == 63
    assert answer.value("needed") == 7
    assert answer.value("parallelism") == 8
    assert size(**known, utilization=1.0).value("parallelism") == 5


def test_one_step_takes_away_no_more_than_its_limit() -> None:
    known = {"rate": 10.0, "true_rate": 100.0, "parallelism": 10, "max_parallelism": 720, "catch_up": 0.0}
    assert size(**known, utilization=1.0, scale_down_limit=0.6).value("parallelism") == 4
    answer = size(**known, utilization=1.0, scale_down_limit=0.5)
    assert answer.value("parallelism") == 5
    assert answer.binding == "one step removes at most 50 % of 10 subtasks"


def test_without_a_limit_the_parallelism_is_the_one_that_is_needed() -> None:
    answer = size(rate=1.0, true_rate=4000.0, parallelism=20)
    assert answer.value("parallelism") == 1
    assert answer.steps[1].endswith("= 1.595/s, which the autoscaler rounds to 2/s.")
    assert any("removes 60 % in one step at most: it would scale to 8 first" in step for step in answer.steps)


def test_rates_without_a_parallelism_are_said_to_be_those_of_one_subtask() -> None:
    answer = size(rate=50_000.0, true_rate=4000.0)
    assert answer.warnings[0].startswith("4 000/s is assumed to be the rate of 1 subtask (--parallelism)")
    assert size(rate=50_000.0, processed=900.0, busy=0.5).warnings[0].startswith("900/s is assumed")
    assert not [told for told in size(rate=50_000.0, true_rate=4000.0, parallelism=2).warnings if "taken for" in told]


def test_an_alignment_that_costs_much_and_ends_all_growth_is_told() -> None:
    answer = size(rate=50_000.0, true_rate=1000.0)
    assert answer.value("parallelism") == answer.value("max_parallelism") == 128
    told = " ".join(answer.warnings)
    assert "needs 128 subtasks, 60 % more than the 80 that are enough" in told
    assert "128 equals the max parallelism" in told
    assert "pipeline.max-parallelism 360" in told
    assert "more than the" not in " ".join(size(rate=50_000.0, true_rate=4000.0).warnings)


def test_one_partition_is_not_one_partitions() -> None:
    answer = size(rate=10.0, true_rate=100.0, parallelism=3, partitions=1)
    assert any(warning.startswith("1 partition leaves 2 of 3 subtasks") for warning in answer.warnings)


def test_one_step_adds_no_more_than_its_limit_and_says_that_more_will_follow() -> None:
    known = {"rate": 200.0, "true_rate": 10.0, "parallelism": 10, "max_parallelism": 720, "catch_up": 0.0}
    answer = size(**known, utilization=1.0, scale_up_limit=0.6)
    assert answer.value("parallelism") == 16
    assert any("200 are needed" in warning for warning in answer.warnings)


def test_the_true_rate_comes_from_rate_and_busy_share() -> None:
    answer = size(rate=12_000.0, processed=9000.0, busy=0.9, parallelism=10, max_parallelism=720)
    assert answer.value("true_rate") == pytest.approx(10_000)
    assert answer.steps[0] == "True rate of 10 subtasks: 9 000/s / 0.9 busy = 10 000/s."
    assert any("the backlog grows" in error for error in answer.errors)


def test_without_a_busy_share_or_a_true_rate_there_is_no_answer() -> None:
    with pytest.raises(MissingInput) as missing:
        size(rate=100.0)
    assert missing.value.name == "busy"


def test_subtasks_beyond_the_partitions_have_nothing_to_read() -> None:
    answer = size(rate=5000.0, true_rate=6000.0, parallelism=12, partitions=8)
    assert answer.value("parallelism") == 8
    assert any("8 partitions leave 4 of 12 subtasks without anything to read" in told for told in answer.warnings)


def test_too_few_partitions_for_the_load_are_an_error() -> None:
    answer = size(rate=5000.0, true_rate=500.0, parallelism=4, partitions=8)
    assert answer.value("parallelism") == 8
    assert [error for error in answer.errors if "add partitions" in error]


def test_the_max_parallelism_of_the_state_holds_the_parallelism_back() -> None:
    answer = size(rate=50_000.0, true_rate=250.0, most=1000)
    assert answer.value("parallelism") == answer.value("max_parallelism") == 128
    assert answer.value("needed") == 320
    assert "pipeline.max-parallelism" not in answer.settings
    assert any("start without state, with pipeline.max-parallelism 1 680" in error for error in answer.errors)


def test_a_fresh_job_gets_a_max_parallelism_with_many_divisors_and_a_word_on_state() -> None:
    answer = size(rate=50_000.0, true_rate=250.0, most=1000, keeps_state=False)
    assert answer.settings["pipeline.max-parallelism"] == 1680
    assert answer.value("parallelism") == 336
    assert any("is not restored" in warning for warning in answer.warnings)


def test_the_most_allowed_holds_the_parallelism_back() -> None:
    answer = size(rate=50_000.0, true_rate=250.0, keeps_state=False)
    assert answer.value("parallelism") == 200
    assert "the maximum parallelism allowed is 200 (--most), and 320 are needed" in answer.errors


def test_a_vertex_without_keys_is_not_aligned() -> None:
    known = {"rate": 180.0, "true_rate": 100.0, "parallelism": 21, "utilization": 1.0, "catch_up": 0.0}
    assert size(**known, keyed=False).value("parallelism") == 38
    assert size(**known, max_parallelism=720).value("parallelism") == 40


def test_uneven_key_groups_in_force_are_told() -> None:
    answer = size(rate=10.0, true_rate=100.0, parallelism=100, max_parallelism=128)
    assert any("the fullest has 2, 1.562 times the average" in warning for warning in answer.warnings)


def test_slots_are_those_of_the_largest_vertex_of_each_group() -> None:
    assert slots_needed(8, 10, 6) == 16
    assert taskmanagers_needed(16, 4) == 4
    answer = size(
        rate=800.0, true_rate=100.0, utilization=1.0, catch_up=0.0, max_parallelism=720, slots=4, largest_other=10,
        other_groups=6,
    )  # fmt: skip
    assert answer.value("slots") == 16
    assert answer.value("taskmanagers") == 4
    # Another vertex is larger, so the default of all vertices is not this one's to set.
    assert answer.settings == {}


def test_slots_are_set_only_where_cores_are_given() -> None:
    known = {"rate": 1200.0, "true_rate": 100.0, "utilization": 1.0, "catch_up": 0.0, "max_parallelism": 720}
    assert "taskmanager.numberOfTaskSlots" not in size(**known).settings
    answer = size(**known, cores=4)
    assert answer.settings == {"parallelism.default": 12, "taskmanager.numberOfTaskSlots": 4}
    assert answer.value("taskmanagers") == 3


def test_a_parallelism_above_its_max_is_refused() -> None:
    with pytest.raises(BadInput, match="--parallelism: 200 is above the max parallelism of 128"):
        size(rate=1.0, true_rate=1.0, parallelism=200, max_parallelism=128)


def test_a_least_above_the_most_is_refused() -> None:
    with pytest.raises(BadInput, match="--least: 20 is above the maximum allowed, 10"):
        size(rate=1.0, true_rate=1.0, least=20, most=10)


@pytest.mark.parametrize(
    ("name", "value"),
    [("rate", 0.0), ("busy", 1.5), ("parallelism", 0), ("parallelism", LARGEST + 1), ("utilization", 0.0),
     ("partitions", 0), ("lag", -1), ("catch_up", float("nan"))],
)  # fmt: skip
def test_values_out_of_range_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(BadInput) as bad:
        size(**{"rate": 100.0, "busy": 0.5, name: value})
    assert bad.value.name == name
    assert "allowed" in bad.value.message


def test_a_percentage_meant_as_a_fraction_is_understood_or_asked_back() -> None:
    busy = next(declared for declared in inputs_of(Parallelism) if declared.name == "busy")
    assert busy.read("85 %") == 0.85
    with pytest.raises(BadInput, match=r"if 85 % was meant, write 0\.85"):
        busy.read("85")


loads = st.floats(1, 1e6)


@given(loads, loads, st.floats(10, 1e6), st.integers(1, 64))
def test_more_load_never_takes_fewer_subtasks(one: float, other: float, true: float, parallelism: int) -> None:
    known = {"true_rate": true, "parallelism": parallelism, "max_parallelism": 5040, "most": 5040}
    low, high = sorted((one, other))
    assert size(rate=low, **known).value("parallelism") <= size(rate=high, **known).value("parallelism")


@given(st.floats(1e3, 1e7), st.sampled_from([2, 3, 5, 8, 12, 30, 90, 240]), st.floats(0.3, 1))
def test_what_a_parallelism_carries_it_is_enough_for(true: float, count: int, utilization: float) -> None:
    known = {"true_rate": true, "parallelism": count, "max_parallelism": 720, "utilization": utilization}
    safe = carried(**known).value("safe_rate")
    found = size(rate=safe * 0.998, most=720, **known)
    assert found.value("parallelism") <= count
    assert found.value("busiest") <= utilization


@given(st.floats(0.05, 1), st.floats(1, 1e6))
def test_the_unit_of_the_busy_share_plays_no_part(busy: float, rate: float) -> None:
    declared = {one.name: one for one in inputs_of(Parallelism)}
    fraction, percent = declared["busy"].read(repr(busy)), declared["busy"].read(f"{busy * 100!r} %")
    per_second, per_minute = declared["rate"].read(f"{rate!r}/s"), declared["rate"].read(f"{rate * 60!r}/min")
    one = size(rate=per_second, busy=fraction, parallelism=4, keeps_state=False)
    other = size(rate=per_minute, busy=percent, parallelism=4, keeps_state=False)
    assert one.value("true_rate") == pytest.approx(other.value("true_rate"))


def test_a_backlog_leaves_less_for_what_arrives() -> None:
    assert safe_rate(1595, lag=0) == pytest.approx(1000, rel=1e-3)
    assert safe_rate(19_286, lag=6e6) == pytest.approx(10_000, rel=1e-4)
    assert safe_rate(1000, catch_up=0) == pytest.approx(700)
    answer = carried(true_rate=1000.0, lag=10_000_000)
    assert answer.value("safe_rate") == 0
    assert answer.errors


def test_uneven_key_groups_carry_less() -> None:
    answer = carried(true_rate=1000.0, parallelism=100, max_parallelism=128)
    assert answer.value("full_rate") == pytest.approx(640)
    # A measured busy share is that of the busiest subtask, which holds the unevenness already.
    measured = carried(processed=500.0, busy=0.5, parallelism=100, max_parallelism=128)
    assert measured.value("full_rate") == pytest.approx(1000)


@pytest.mark.parametrize("minor", MINORS[1:])
def test_the_settings_exist_in_every_release_since_1_10(minor: str) -> None:
    release = parse_release(minor)
    answer = size_parallelism(Parallelism(rate=1000.0, true_rate=100.0, keeps_state=False, cores=4), release)
    texts = spelled(answer.settings, release)
    assert not texts.unknown
    assert texts.settings == {
        "parallelism.default": "18",
        "pipeline.max-parallelism": "120",
        "taskmanager.numberOfTaskSlots": "4",
    }


@pytest.mark.parametrize("reverse", [False, True])
def test_the_examples_run(reverse: bool) -> None:
    way = calculator("parallelism").way(reverse=reverse)
    by_name = {declared.name: declared for declared in inputs_of(way.inputs)}
    known = {name: by_name[name].read(text) for name, text in way.example.items()}
    answer = way.answer(collect(way.inputs, known), RELEASE)
    assert answer.values[0].value > 0
    assert answer.steps
    assert CALCULATOR.name == "parallelism"


def test_nothing_is_warned_of_twice() -> None:
    answer = size_parallelism(
        Parallelism(busy=0.85, parallelism=10, rate=12_000.0, processed=9000.0, partitions=26, most=10), RELEASE
    )
    assert len(set(answer.warnings)) == len(answer.warnings)
