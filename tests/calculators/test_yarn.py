"""YARN: budgets of lost containers where they act, and attempts of the master."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.declaration import BadInput, inputs_of
from flink_flint.calculators.formulas.container_losses import LIMIT, lifetime_within, limit_acts, poisson_quantile
from flink_flint.calculators.formulas.quantity import DAY
from flink_flint.calculators.yarn import CurrentYarn, Yarn, load_of_yarn, size_yarn
from flink_flint.linter.flink.releases import parse_release

OLD, NEW = parse_release("1.4"), parse_release("1.20")


@pytest.mark.parametrize(("mean", "budget"), [(3, 10), (150, 189), (180, 223), (0, 0)])
def test_the_budget_is_what_poisson_does_not_exceed(mean: float, budget: int) -> None:
    assert poisson_quantile(mean, 0.999) == budget


def test_the_default_of_three_taskmanagers_ends_the_session_within_days() -> None:
    answer = load_of_yarn(CurrentYarn(containers=3, losses=1 / DAY / 3, certainty=0.5), OLD)
    assert answer.value("budget") == 3
    assert answer.value("lives") / DAY == pytest.approx(4, abs=0.5)


def test_the_budget_that_lasts_is_set_where_it_acts() -> None:
    answer = size_yarn(Yarn(containers=10, losses=0.1 / DAY, lifetime=90 * DAY), OLD)
    assert answer.settings[LIMIT] == 121
    assert "10 lost containers may end the session" in answer.errors[0]


def test_where_it_does_not_act_it_is_removed() -> None:
    answer = size_yarn(Yarn(containers=10, budget=100), NEW)
    assert answer.errors == ()
    assert answer.remove == (LIMIT,)
    assert LIMIT not in answer.settings
    assert answer.warnings[0] == f"{LIMIT} has no effect in Flink 1.20"
    assert answer.values[0].name == "attempts"
    assert answer.binding.startswith("Flink 1.20 ends no session for lost containers, only for a master")
    assert not any(value.name == "budget" for value in answer.values)


def test_attempts_without_high_availability_are_told_to_help_nobody() -> None:
    assert "help only with high availability" in size_yarn(Yarn(containers=10), NEW).warnings[0]
    assert size_yarn(Yarn(containers=10, high_availability=True), NEW).warnings == ()
    declared = {one.name: one for one in inputs_of(Yarn)}["high_availability"]
    assert [declared.read(text) for text in ("NONE", "zookeeper", "yes", "no")] == [False, True, True, False]


def test_what_is_seldom_is_said_in_numbers_people_read() -> None:
    steps = " ".join(size_yarn(Yarn(containers=10), NEW).steps)
    assert "0.03333/d is one in 259 200 intervals of 10 s" in steps
    assert "e-0" not in steps


def test_losses_without_a_period_are_asked_back() -> None:
    declared = {one.name: one for one in inputs_of(Yarn)}
    for name in ("losses", "master_failures"):
        assert declared[name].unit.example == "0.5/d"
        assert declared[name].read("0.5/d") == pytest.approx(0.5 / DAY)
        with pytest.raises(BadInput, match=r"'0\.5' has no period; write it like 0\.5/d"):
            declared[name].read("0.5")


@pytest.mark.parametrize("mean", [200.0, 1000.0, 9999.0])
def test_a_sum_begun_near_the_mean_is_the_whole_sum(mean: float) -> None:
    def at_most(count: int) -> float:
        return math.fsum(math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(count + 1))

    for certainty in (0.01, 0.5, 0.999):
        found = poisson_quantile(mean, certainty)
        assert at_most(found - 1) < certainty <= at_most(found) + 1e-9


def test_means_beyond_the_sum_go_on_where_it_ends() -> None:
    below, above = poisson_quantile(9999.9, 0.999), poisson_quantile(10_000.1, 0.999)
    assert 0 <= above - below <= 2


@pytest.mark.parametrize(
    ("version", "legacy", "acts"),
    [("1.4", False, True), ("1.5", False, False), ("1.8", True, True), ("1.9", True, False), ("2.1", False, False)],
)
def test_the_releases_on_which_it_acts(version: str, legacy: bool, acts: bool) -> None:
    assert limit_acts(parse_release(version), legacy=legacy) is acts


def test_a_lost_node_shall_not_pause_the_requests_for_workers() -> None:
    assert (
        size_yarn(Yarn(containers=40, containers_per_node=16), NEW).settings[
            "resourcemanager.start-worker.max-failure-rate"
        ]
        == 16
    )
    assert (
        "resourcemanager.start-worker.max-failure-rate"
        not in size_yarn(Yarn(containers=40, containers_per_node=16), parse_release("1.12")).settings
    )


def test_a_master_that_fails_often_needs_attempts_that_yarn_must_allow() -> None:
    answer = size_yarn(Yarn(containers=1, master_failures=0.1, validity=60.0), NEW)
    assert answer.value("attempts") > 2
    assert "YARN allows 2 attempts" in answer.warnings[0]
    assert answer.elsewhere[0].where == "yarn-site.xml"
    written = ElementTree.fromstring(answer.elsewhere[0].text)
    assert written.findtext("name") == "yarn.resourcemanager.am.max-attempts"
    assert written.findtext("value") == str(answer.value("attempts"))


def test_certainty_is_below_one() -> None:
    certainty = next(declared for declared in inputs_of(Yarn) if declared.name == "certainty")
    with pytest.raises(BadInput, match="--certainty: 100 % is out of range; allowed: above 0 %, below 100 %"):
        certainty.read("100 %")


@given(st.floats(0.001, 5000), st.floats(0.5, 0.9999))
def test_a_budget_grows_with_losses_and_certainty(mean: float, certainty: float) -> None:
    budget = poisson_quantile(mean, certainty)
    assert poisson_quantile(mean * 1.5, certainty) >= budget
    assert poisson_quantile(mean, min(0.99995, certainty + 0.00005)) >= budget


@given(st.integers(0, 300), st.floats(1e-8, 1e-2))
def test_a_budget_lasts_as_long_as_it_is_found_to(budget: int, rate: float) -> None:
    lives = lifetime_within(budget, rate, 0.99)
    assert poisson_quantile(rate * lives * 0.999, 0.99) <= budget
    assert poisson_quantile(rate * lives * 1.01 + 1e-3, 0.99) >= budget


def test_without_losses_it_lives_for_ever() -> None:
    assert lifetime_within(0, 0.0, 0.999) == math.inf


@given(st.floats(10_001, 60_000), st.floats(0.001, 0.9999))
@pytest.mark.slow
def test_the_quantile_of_a_large_mean_is_the_one_that_summing_gives(mean: float, certainty: float) -> None:
    found = poisson_quantile(mean, certainty)
    logs = [count * math.log(mean) - mean - math.lgamma(count + 1) for count in range(found + 2)]
    assert math.fsum(map(math.exp, logs[: found - 1])) < certainty  # one count off is what rounding makes of it
    assert math.fsum(map(math.exp, logs)) >= certainty - 1e-9


@pytest.mark.slow
@given(st.integers(1, 10_000), st.integers(0, 10_000), st.floats(1, 1000))
def test_more_containers_never_want_less_budget(containers: int, more: int, days: float) -> None:
    release = parse_release("1.4")
    one, other = (
        size_yarn(Yarn(containers=count, lifetime=days * DAY), release).value("budget")
        for count in (containers, containers + more)
    )
    assert other >= one
