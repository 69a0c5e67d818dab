"""Checkpoints: a field report, the optimum by other ways, and what one constraint does to the others."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from flink_flint.calculators.answering.declaration import BadInput, MissingInput, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.checkpoint import CALCULATOR, load_of_checkpoint, size_checkpoint
from flink_flint.calculators.formulas import checkpoint_timing as timing
from flink_flint.calculators.formulas.duration_rounding import rounded_down, rounded_up, whole_minutes
from flink_flint.calculators.inputs.checkpoint import Checkpoint, CurrentCheckpoint
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import NEWEST, parse_release, release_at

RELEASE = release_at(NEWEST)
REPORTED: dict[str, Any] = {"duration": 47.346, "finalize": 120.0, "interval": 60.0, "timeout": 900.0}
durations = st.floats(0.01, 3600)


def test_the_checkpoints_of_the_field_report_never_stop() -> None:
    answer = size_checkpoint(Checkpoint(**REPORTED), RELEASE)
    assert answer.value("least_interval") == pytest.approx(334.692)
    assert answer.value("least_timeout") == pytest.approx(502.038)
    assert answer.value("interval") == 340
    assert answer.value("timeout") == 900  # the current one is enough
    assert answer.value("min_pause") == 170
    assert answer.errors == (
        (
            "a checkpoint takes 2 min 47 s, more than the interval of 60 s: the next one follows at once, and "
            "checkpoints run 100 % of the time"
        ),
    )


def test_a_pause_makes_the_same_checkpoints_bearable() -> None:
    answer = size_checkpoint(Checkpoint(**REPORTED, min_pause=170), RELEASE)
    assert answer.errors == ()
    assert answer.warnings == (
        "the interval of 60 s is not kept: a checkpoint of 2 min 47 s and the pause make 5 min 37 s",
    )


def test_small_checkpoints_leave_a_short_interval_alone() -> None:
    answer = size_checkpoint(Checkpoint(duration=0.168, interval=5), RELEASE)
    assert (answer.value("interval"), answer.errors, answer.warnings) == (5, (), ())


@pytest.mark.parametrize(
    ("cost", "mtbf", "young", "exact"),
    [
        (2, 86_400, 587.88, 588.54),
        (47.346, 86_400, 2860.3, 2876.2),
        (167, 604_800, 14_212.8, 14_268.7),
        (10, 10, 14.142, 18.414),
    ],
)
def test_the_optimum_of_known_costs(cost: float, mtbf: float, young: float, exact: float) -> None:
    assert timing.young(cost, mtbf) == pytest.approx(young, rel=1e-5)
    assert timing.optimum(cost, mtbf) == pytest.approx(exact, rel=1e-5)


@given(st.floats(1e-6, 1e4), st.floats(1, 1e9))
def test_no_other_interval_loses_less_time(cost: float, mtbf: float) -> None:
    assume(cost < mtbf)
    best = timing.optimum(cost, mtbf)
    lost = timing.time_lost(best, cost, mtbf)
    for other in (best * 0.9, best * 1.1):
        if other > cost:
            assert timing.time_lost(other, cost, mtbf) >= lost - 1e-9
    assert best > timing.young(cost, mtbf)


@given(st.floats(1e-9, 30))
def test_w0_solves_its_equation(x: float) -> None:
    w = timing.w0_above_branch(x) - 1
    assert w * math.exp(w) == pytest.approx(-math.exp(-(1 + x)), rel=1e-9)


def test_the_best_interval_is_taken_between_the_bounds() -> None:
    free = size_checkpoint(Checkpoint(duration=10, cost=2, mtbf=86_400), RELEASE)
    assert free.value("interval") == 590
    assert "lose the least time" in free.binding
    bounded = size_checkpoint(Checkpoint(duration=10, cost=2, mtbf=86_400, latency=60), RELEASE)
    assert bounded.value("interval") == 50
    assert bounded.value("latency") == 60
    assert "results must be visible within 60 s" in bounded.binding
    costly = size_checkpoint(Checkpoint(duration=10, cost=9, overhead=0.01, mtbf=3600), RELEASE)
    assert costly.value("interval") == 900
    assert "may be 1 % of the time" in costly.binding


def test_a_time_to_recover_bounds_the_interval_and_is_kept() -> None:
    answer = size_checkpoint(Checkpoint(duration=10, recovery=600, downtime=120, catch_up=1.5), RELEASE)
    assert answer.value("greatest_interval") == 110
    assert answer.value("interval") == 60
    longer = size_checkpoint(
        Checkpoint(duration=10, recovery=600, downtime=120, catch_up=1.5, cost=2, mtbf=86_400), RELEASE
    )
    assert longer.value("interval") == 110
    assert longer.value("recovery") == 600


def test_needs_that_exclude_each_other_are_an_error() -> None:
    answer = size_checkpoint(Checkpoint(duration=60, replay=90), RELEASE)
    assert answer.value("interval") == 120
    assert any(error.startswith("no interval is both at least 2 min") for error in answer.errors)


def test_size_and_bandwidth_stand_for_the_duration() -> None:
    answer = size_checkpoint(Checkpoint(state_size=100 << 30, bandwidth=200 << 20), RELEASE)
    assert answer.value("least_interval") == 1024


def test_failures_are_tolerated_as_long_as_the_storage_is_away() -> None:
    answer = size_checkpoint(Checkpoint(**REPORTED, storage_outage=600), RELEASE)
    assert answer.settings["execution.checkpointing.tolerable-failed-checkpoints"] == 3
    none = size_checkpoint(Checkpoint(**REPORTED, storage_outage=0), RELEASE)
    assert none.settings["execution.checkpointing.tolerable-failed-checkpoints"] == 0


def test_barriers_held_up_ask_for_unaligned_checkpoints_where_these_are_sound() -> None:
    inputs = Checkpoint(duration=300, alignment=100, start_delay=90, concurrent=2)
    answer = size_checkpoint(inputs, RELEASE)
    assert answer.settings["execution.checkpointing.unaligned.enabled"] is True
    assert answer.settings["execution.checkpointing.aligned-checkpoint-timeout"] == 30
    assert answer.remove == ("execution.checkpointing.max-concurrent-checkpoints",)
    old = size_checkpoint(inputs, parse_release("1.12"))
    assert "execution.checkpointing.unaligned.enabled" not in old.settings
    assert any("from Flink 1.13 on" in warning for warning in old.warnings)
    quick = size_checkpoint(Checkpoint(duration=300, alignment=100, start_delay=80), RELEASE)
    assert "execution.checkpointing.unaligned.enabled" not in quick.settings


@pytest.mark.parametrize(
    ("version", "keys"),
    [
        ("1.13", ("execution.checkpointing.unaligned", "execution.checkpointing.alignment-timeout")),
        ("1.18", ("execution.checkpointing.unaligned.enabled", "execution.checkpointing.aligned-checkpoint-timeout")),
        ("1.20", ("execution.checkpointing.unaligned.enabled", "execution.checkpointing.aligned-checkpoint-timeout")),
        ("2.1", ("execution.checkpointing.unaligned.enabled", "execution.checkpointing.aligned-checkpoint-timeout")),
    ],
)
def test_settings_are_spelled_for_the_release(version: str, keys: tuple[str, str]) -> None:
    release = parse_release(version)
    answer = size_checkpoint(
        Checkpoint(duration=60, alignment=55, start_delay=55, timeout=300, storage_outage=600), release
    )
    texts, unknown = spelled(answer.settings, release)
    assert unknown == ()
    assert texts == {
        "execution.checkpointing.interval": "2 min", "execution.checkpointing.timeout": "5 min",
        "execution.checkpointing.min-pause": "1 min", "execution.checkpointing.tolerable-failed-checkpoints": "6",
        keys[0]: "true", keys[1]: "30 s",
    }  # fmt: skip


def test_contradictions_name_the_input_and_what_is_allowed() -> None:
    with pytest.raises(BadInput, match=r"--cost: 2 min is above the 60 s that a whole checkpoint takes"):
        Checkpoint(duration=60, cost=120)
    with pytest.raises(BadInput, match=r"--recovery: 60 s is not above the 2 min .* allowed: more than that"):
        Checkpoint(duration=10, recovery=60)
    with pytest.raises(BadInput, match=r"--duration: 0 s is out of range; allowed: above 0 s"):
        Checkpoint(duration=0)
    with pytest.raises(MissingInput, match="--duration"):
        collect(Checkpoint, {"state_size": 1 << 30})
    with pytest.raises(MissingInput, match="--cost"):
        collect(Checkpoint, {"duration": 10.0, "mtbf": 86_400.0})


@given(durations, st.just(0.0) | st.floats(1e-6, 600), st.floats(0.05, 0.95), st.floats(1, 10))
def test_what_is_recommended_carries_the_duration(duration: float, finalize: float, load: float, slack: float) -> None:
    answer = size_checkpoint(Checkpoint(duration=duration, finalize=finalize, load=load, slack=slack), RELEASE)
    carried = load_of_checkpoint(
        CurrentCheckpoint(
            interval=answer.value("interval"), timeout=answer.value("timeout"), min_pause=answer.value("min_pause"),
            load=load, slack=slack,
        ),
        RELEASE,
    )  # fmt: skip
    assert carried.value("safe_duration") >= (duration + finalize) * (1 - 1e-9)


@given(durations, durations)
def test_a_longer_checkpoint_never_wants_a_shorter_interval(one: float, other: float) -> None:
    shorter, longer = sorted((one, other))
    first, second = (size_checkpoint(Checkpoint(duration=duration), RELEASE) for duration in (shorter, longer))
    for name in ("interval", "timeout", "min_pause", "least_interval", "worst_replay"):
        assert first.value(name) <= second.value(name)


@given(st.floats(0.001, 1e6))
def test_rounded_durations_lie_on_their_side(seconds: float) -> None:
    assert rounded_down(seconds) <= seconds + 1e-4
    assert seconds - 1e-4 <= rounded_up(seconds) <= max(seconds * 1.2, seconds + 0.5)
    assert rounded_up(rounded_up(seconds)) == rounded_up(seconds)
    assert whole_minutes(seconds) % 60 == 0


def test_the_pause_lets_longer_checkpoints_through() -> None:
    tight = load_of_checkpoint(CurrentCheckpoint(interval=60, timeout=1200), RELEASE)
    paused = load_of_checkpoint(CurrentCheckpoint(interval=60, timeout=1200, min_pause=90), RELEASE)
    assert (tight.value("safe_duration"), paused.value("safe_duration")) == (30, 90)
    assert paused.value("interval") == 90
    assert any("to which Flink raises it" in warning for warning in paused.warnings)


@pytest.mark.parametrize("reverse", [False, True])
def test_the_examples_answer(reverse: bool) -> None:
    way = CALCULATOR.way(reverse=reverse)
    declared = {one.name: one for one in inputs_of(way.inputs)}
    answer = way.answer(
        collect(way.inputs, {name: declared[name].read(text) for name, text in way.example.items()}), RELEASE
    )
    assert answer.values
    assert all(step.endswith(".") for step in answer.steps)


def test_the_chart_shows_what_is_lost_and_where_one_stands() -> None:
    chart = size_checkpoint(Checkpoint(duration=10, cost=2, mtbf=86_400, interval=60), RELEASE).chart
    assert chart is not None
    marks = {point.label: point for point in chart.points}
    assert marks["recommended"].y < marks["now"].y
    assert min(y for _, y in chart.series[0].points) >= marks["recommended"].y - 1e-4


def test_barriers_that_outlast_their_checkpoint_contradict_it() -> None:
    with pytest.raises(BadInput, match=r"--alignment: 3 min 20 s is above the 40 s that a whole checkpoint takes"):
        Checkpoint(duration=40, alignment=200)
    with pytest.raises(BadInput, match=r"--start-delay: .*allowed: at most 40 s"):
        Checkpoint(duration=40, start_delay=41)


def test_a_release_without_options_gets_the_calls_of_a_job() -> None:
    answer = size_checkpoint(Checkpoint(duration=40, storage_outage=600), parse_release("1.9"))
    assert answer.elsewhere[0].where == "job source (Java)"
    assert answer.elsewhere[0].text.splitlines() == [
        "env.enableCheckpointing(80000);",
        "env.getCheckpointConfig().setCheckpointTimeout(600000);",
        "env.getCheckpointConfig().setMinPauseBetweenCheckpoints(40000);",
        "env.getCheckpointConfig().setTolerableCheckpointFailureNumber(8);",
    ]
    assert size_checkpoint(Checkpoint(duration=40), parse_release("1.10")).elsewhere == ()


def test_steps_tell_why_a_timeout_is_longer_than_it_must_be_and_say_nothing_twice() -> None:
    told = " ".join(size_checkpoint(Checkpoint(duration=40), RELEASE).steps)
    assert "3 x 40 s = 2 min at least: Flink's default of 10 min is enough and is kept." in told
    assert "so 80 s." in told
    longer = " ".join(size_checkpoint(Checkpoint(duration=33.3, timeout=60), RELEASE).steps)
    assert "no shorter than Flink's default of 10 min" in longer
    assert "so 66.6 s, rounded to 68 s." in longer
    hopeless = " ".join(size_checkpoint(Checkpoint(duration=40, recovery=180), RELEASE).steps)
    assert "leaves no time for an interval" in hopeless
    assert "= -" not in hopeless


def test_no_interval_is_shorter_than_flink_takes() -> None:
    answer = size_checkpoint(Checkpoint(duration=1e-6, replay=1e-6), RELEASE)
    assert answer.value("interval") >= 0.01
    assert answer.errors
