"""Restarts: how many an outage sees, what each strategy outlasts, and what each release does by default."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.declaration import BadInput, MissingInput, draft, inputs_of, with_defaults
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.formulas.restart_delays import (
    ENDLESS,
    Curve,
    attempts_until_overflow,
    counts_exactly,
    fixed_attempts,
    fixed_outlasted,
    interval_for,
    never_gives_up,
    outlasted,
    rate_outlasted,
    restarts_within,
)
from flink_flint.calculators.inputs.restart import CurrentRestart, Restart
from flink_flint.calculators.restart import CALCULATOR, outlasted_by_restart, size_restart
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import NEWEST, parse_release, release_at

RELEASE = release_at(NEWEST)
curves = st.builds(
    lambda initial, multiplier, factor: Curve(initial, multiplier, initial * factor),
    st.floats(0.1, 60),
    st.floats(1.1, 4),
    st.floats(1, 500),
)


@pytest.mark.parametrize(
    ("curve", "restart_time", "count"),
    [(Curve(1, 2, 300), 0, 10), (Curve(1, 1.5, 60), 10, 16), (Curve(1, 1.5, 60), 0, 19)],
)
def test_restarts_in_an_outage_of_ten_minutes(curve: Curve, restart_time: float, count: int) -> None:
    assert restarts_within(600, curve, restart_time) == count


@given(curves, st.integers(0, 200), st.floats(0, 30))
def test_outlasting_is_the_inverse_of_counting(curve: Curve, count: int, restart_time: float) -> None:
    outage = outlasted(count, curve, restart_time)
    assert restarts_within(outage, curve, restart_time) == count
    assert restarts_within(outage + 0.01, curve, restart_time) == count + 1


def test_ten_attempts_ten_seconds_apart_outlast_a_hundred_seconds() -> None:
    answer = outlasted_by_restart(CurrentRestart(strategy="fixed-delay", attempts=10, delay=10), RELEASE)
    assert answer.value("outlasts") == 100
    assert answer.errors == ("the job fails permanently after 100 s of an outage of 10 min, with failure 11",)
    assert any("never gives attempts back" in warning for warning in answer.warnings)


def test_the_strategy_of_a_field_report_never_gives_up() -> None:
    answer = outlasted_by_restart(CurrentRestart(strategy="fixed-delay", attempts=ENDLESS, delay=30), RELEASE)
    assert answer.value("outlasts") == math.inf
    assert answer.value("restarts_per_hour") == 120
    assert answer.errors == ()


def test_regions_that_fail_together_share_the_attempts() -> None:
    assert fixed_attempts(600, 10, failures_at_once=3) == 180
    assert fixed_outlasted(180, 10, failures_at_once=3) == 600
    assert rate_outlasted(180, 10, 600, failures_at_once=3) == 600
    assert rate_outlasted(2, 10, 600, failures_at_once=3) == 0


@pytest.mark.parametrize(
    ("version", "exact"),
    [
        ("1.9", True),
        ("1.10", False),
        ("1.11.3", False),
        ("1.11", True),
        ("1.12.2", False),
        ("1.12.3", True),
        ("1.13", True),
    ],
)
def test_failure_rate_once_allowed_one_failure_fewer(version: str, exact: bool) -> None:
    release = parse_release(version)
    assert counts_exactly(release) is exact
    answer = size_restart(Restart(outage=600, strategy="failure-rate", patience=10), release)
    assert answer.settings["restart-strategy.failure-rate.max-failures-per-interval"] == (60 if exact else 61)
    assert answer.settings["restart-strategy.failure-rate.failure-rate-interval"] == 1200
    assert answer.value("outlasts") == 600


def test_the_default_failure_rate_dies_with_the_second_failure() -> None:
    answer = outlasted_by_restart(CurrentRestart(strategy="failure-rate"), RELEASE)
    assert answer.value("outlasts") == 1
    assert answer.errors[0].endswith("with failure 2")


def test_failures_too_far_apart_for_the_interval_never_end_the_job() -> None:
    answer = outlasted_by_restart(CurrentRestart(strategy="failure-rate", max_failures=3, rate_delay=30), RELEASE)
    assert answer.value("outlasts") == math.inf
    assert answer.warnings == (
        (
            "failure-rate never gives up: 3 restarts take longer than its interval of 60 s; if a limit is meant, make "
            "that 3 min"
        ),
    )
    # The ends of the interval count as inside it.
    assert not never_gives_up(3, 20, 60)


@given(st.integers(1, 1000), st.floats(0.01, 1000))
def test_the_interval_recommended_lets_the_strategy_trip(failures: int, delay: float) -> None:
    interval = interval_for(failures, delay)
    assert rate_outlasted(failures, delay, interval) == pytest.approx(failures * delay)


@pytest.mark.parametrize(
    ("version", "restarts"), [("1.9", math.inf), ("1.10", 600), ("1.18", 600), ("1.19", 19), ("2.1", 19)]
)
def test_each_release_has_its_default(version: str, restarts: float) -> None:
    answer = outlasted_by_restart(CurrentRestart(), parse_release(version))
    assert answer.value("outlasts") == math.inf
    assert answer.value("restarts") == restarts
    off = outlasted_by_restart(CurrentRestart(checkpointing=False), parse_release(version))
    assert off.errors == ("the first failure fails the job permanently",)


@pytest.mark.parametrize(
    ("version", "key", "strategy"),
    [
        ("1.12", "restart-strategy", "fixed-delay"),
        ("1.13", "restart-strategy", "exponential-delay"),
        ("1.18", "restart-strategy.type", "exponential-delay"),
        ("1.20", "restart-strategy.type", "exponential-delay"),
        ("2.1", "restart-strategy.type", "exponential-delay"),
    ],
)
def test_the_strategy_is_spelled_for_the_release(version: str, key: str, strategy: str) -> None:
    release = parse_release(version)
    for asked in ("exponential-delay", "fixed-delay", "failure-rate"):
        answer = size_restart(Restart(outage=600, strategy=asked), release)
        texts, unknown = spelled(answer.settings, release)
        assert unknown == ()
        assert texts[key] == (strategy if asked == "exponential-delay" else asked)


def test_an_exponential_delay_gives_up_where_the_release_can() -> None:
    inputs = Restart(outage=600, give_up=True)
    new = size_restart(inputs, RELEASE)
    attempts = new.settings["restart-strategy.exponential-delay.attempts-before-reset-backoff"]
    assert attempts >= 19
    assert new.value("outlasts") >= 600
    old = size_restart(inputs, parse_release("1.18"))
    assert "restart-strategy.exponential-delay.attempts-before-reset-backoff" not in old.settings
    assert any("never gives up in Flink 1.18" in warning for warning in old.warnings)


def test_jitter_is_left_out_before_delays_overflow() -> None:
    # 1000 ms x 1.5 ^ n passes 2 ^ 63 between n = 90 and n = 91.
    assert attempts_until_overflow(Curve(1, 1.5, 60), 0.1) == 91
    assert attempts_until_overflow(Curve(1, 1.5, 60), 0) is None
    short, long = (size_restart(Restart(outage=outage), RELEASE) for outage in (3600, 7200))
    key = "restart-strategy.exponential-delay.jitter-factor"
    assert (short.settings[key], long.settings[key]) == (0.1, 0.0)
    assert size_restart(Restart(outage=7200), parse_release("1.18")).settings[key] == 0.1
    current = CurrentRestart(strategy="exponential-delay", outage=7200)
    assert any("overflow" in warning for warning in outlasted_by_restart(current, RELEASE).warnings)
    assert any("overflow" in warning for warning in outlasted_by_restart(CurrentRestart(outage=7200), RELEASE).warnings)


def test_a_job_that_runs_long_between_failures_never_backs_off() -> None:
    inputs = CurrentRestart(strategy="exponential-delay", restart_time=600, reset_threshold=300, outage=3600)
    answer = outlasted_by_restart(inputs, RELEASE)
    assert any("delays never grow" in warning for warning in answer.warnings)
    assert answer.value("stands_still") == 1


def test_many_jobs_make_many_restarts() -> None:
    answer = outlasted_by_restart(CurrentRestart(jobs=20), parse_release("1.18"))
    assert answer.value("restarts_per_hour") == 72_000
    assert any("72 000 restarts an hour" in warning for warning in answer.warnings)


def test_what_is_in_force_is_judged_beside_what_is_recommended() -> None:
    answer = size_restart(Restart(outage=600, in_force="fixed-delay", attempts=10, delay=10), RELEASE)
    assert answer.errors == (
        "currently, the job fails permanently after 100 s of an outage of 10 min, with failure 11",
    )
    assert answer.warnings[0].startswith("currently, fixed-delay never gives attempts back: after 10 failures")
    present = {value.name: value.present for value in answer.values}
    assert (present["strategy"], present["outlasts"], present["restarts"]) == ("fixed-delay", 100, 10)
    assert not size_restart(Restart(outage=600, in_force="exponential-delay"), RELEASE).errors
    refused = Restart(outage=600, in_force="exponential-delay", initial_backoff=120)
    assert "above the maximum delay" in size_restart(refused, RELEASE).errors[0]


def test_settings_in_force_play_no_part_where_the_strategy_is_not_told() -> None:
    declared = {one.name: one for one in inputs_of(Restart)}
    without = with_defaults(Restart, {"outage": 600.0, "strategy": "fixed-delay"})
    assert not declared["attempts"].matters(draft(Restart, without))
    assert declared["attempts"].matters(draft(Restart, {**without, "in_force": "fixed-delay"}))


def test_a_release_without_exponential_delay_gets_fixed_delay_without_a_warning_nobody_asked_for() -> None:
    answer = size_restart(Restart(outage=600), parse_release("1.9"))
    assert answer.value("strategy") == "fixed-delay"
    assert answer.warnings == ()
    assert answer.binding == (
        "Flink 1.9 has no exponential-delay yet, and a restart every 60 s continues endlessly, whatever the outage"
    )
    asked = size_restart(Restart(outage=600, strategy="exponential-delay"), parse_release("1.9"))
    assert asked.warnings[0].startswith("Flink 1.9 has no exponential-delay")


def test_the_strategy_is_not_explained_by_a_key_the_release_spells_otherwise() -> None:
    answer = size_restart(Restart(outage=600), parse_release("1.13"))
    assert "restart-strategy.type" not in answer.values[0].explanation
    assert "restart-strategy" in spelled(answer.settings, parse_release("1.13")).settings


def test_other_strategies_settings_are_taken_out() -> None:
    answer = size_restart(Restart(outage=600), RELEASE)
    assert "restart-strategy.fixed-delay.attempts" in answer.remove
    assert not set(answer.remove) & set(answer.settings)


@given(
    st.floats(1, 100_000),
    st.just(0.0) | st.floats(1e-6, 300),
    st.sampled_from(["exponential-delay", "fixed-delay", "failure-rate"]),
)
def test_what_is_recommended_outlasts_the_outage(outage: float, restart_time: float, strategy: str) -> None:
    asked = Restart(outage=outage, restart_time=restart_time, strategy=strategy, give_up=True)
    settings = size_restart(asked, RELEASE).settings
    names = {
        declared.option: declared.name for declared in inputs_of(CurrentRestart) if declared.option in settings
    }  # fmt: skip
    given = {names[key]: value for key, value in settings.items()}
    current = outlasted_by_restart(CurrentRestart(outage=outage, restart_time=restart_time, **given), RELEASE)
    assert outage * (1 - 1e-9) <= current.value("outlasts") < math.inf


def test_contradictions_and_names_are_told() -> None:
    with pytest.raises(BadInput, match=r"--initial-backoff: 2 min is above the maximum delay.*at most 60 s"):
        CurrentRestart(strategy="exponential-delay", initial_backoff=120)
    with pytest.raises(MissingInput, match="--outage"):
        collect(Restart, {})
    with pytest.raises(BadInput, match=r"--outage: 0 s is out of range; allowed: above 0 s"):
        Restart(outage=0)
    declared = {one.name: one for one in inputs_of(CurrentRestart)}["strategy"]
    assert declared.read("FixedDelay") == "fixed-delay"
    with pytest.raises(BadInput, match="'fixed_delay' is not one of none, fixed-delay"):
        declared.read("fixed_delay")


@pytest.mark.parametrize("reverse", [False, True])
def test_the_examples_answer(reverse: bool) -> None:
    way = CALCULATOR.way(reverse=reverse)
    declared = {one.name: one for one in inputs_of(way.inputs)}
    answer = way.answer(
        collect(way.inputs, {name: declared[name].read(text) for name, text in way.example.items()}), RELEASE
    )
    assert answer.values
    assert answer.chart is not None
    assert all(step.endswith(".") for step in answer.steps)


def test_a_multiplier_that_hardly_grows_is_refused() -> None:
    with pytest.raises(BadInput, match=r"--multiplier: .*allowed: at least 1\.001"):
        CurrentRestart(strategy="exponential-delay", multiplier=1.0000001)


def test_what_never_restarts_has_no_chart() -> None:
    answer = outlasted_by_restart(CurrentRestart(strategy="fixed-delay", attempts=0), RELEASE)
    assert answer.chart is None or all(series.points for series in answer.chart.series)


@given(st.floats(1, 100_000), st.floats(0, 100_000), st.sampled_from(["fixed-delay", "exponential-delay"]))
def test_a_longer_outage_never_wants_fewer_attempts(outage: float, more: float, strategy: str) -> None:
    one, other = (
        size_restart(Restart(outage=seconds, strategy=strategy, give_up=True), RELEASE).settings
        for seconds in (outage, outage + more)
    )
    for key in one:
        if "attempts" in key:
            assert other[key] >= one[key]
