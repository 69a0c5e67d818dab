"""Methods: what they learn from a history, and what must hold whatever the history is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from flink_flint.calculators.formulas.quantity import significant
from flink_flint.calculators.history.methods import baselines, elastic, safe
from flink_flint.calculators.history.methods.demand import DAY_SECONDS, Demand, Values, past_days
from flink_flint.calculators.history.methods.method import Learned, Method
from flink_flint.calculators.history.methods.next_day import Beliefs, Prices, cheapest, missed_shares, outlook
from flink_flint.calculators.history.methods.percentiles import (
    load_weighted_percentile,
    peak_percentile,
    weighted_percentile,
)

OURS = (safe.SAFE, elastic.ELASTIC)
START = 1_700_006_400


def sampled(values: Values, step: int = 300) -> Demand:
    return Demand(START + np.arange(len(values)) * step, np.asarray(values, dtype=np.float64))


def said(learned: Learned) -> tuple[float, float, str]:
    return learned.capacity, learned.margin, learned.basis(significant)


def diurnal(days: float, step: int = 300, noise: float = 0.05, number: int = 1) -> Demand:
    """A day's wave around 1000 with noise on each sample."""
    random = np.random.default_rng(number)
    hours = np.arange(int(days * DAY_SECONDS / step)) * step / DAY_SECONDS
    wave = 1000 * (1 + 0.4 * np.sin(2 * np.pi * hours))
    return sampled(wave * np.exp(random.normal(0, noise, len(hours))), step)


def scaled(demand: Demand, factor: float) -> Demand:
    return Demand(demand.times, demand.values * factor)


histories = arrays(
    np.float64,
    st.integers(60, 400),
    elements=st.one_of(st.just(0.0), st.floats(1e-6, 1e9, allow_nan=False, allow_infinity=False)),
)


class TestDemand:
    def test_raw_samples_are_sorted_and_the_later_of_two_at_one_instant_stays(self) -> None:
        demand = Demand.of([30, 10, 20, 10], [3.0, 1.0, 2.0, 9.0])
        assert demand.times.tolist() == [10, 20, 30]
        assert demand.values.tolist() == [9.0, 2.0, 3.0]

    def test_what_is_no_number_is_left_out(self) -> None:
        assert Demand.of([1, 2, 3], [1.0, math.nan, math.inf]).values.tolist() == [1.0]

    @pytest.mark.parametrize(
        ("times", "values"), [([2, 1], [1.0, 1.0]), ([1, 1], [1.0, 1.0]), ([1, 2], [1.0, -1.0]), ([1, 2], [1.0])]
    )
    def test_samples_out_of_order_or_below_zero_are_refused(self, times: list[int], values: list[float]) -> None:
        with pytest.raises(ValueError, match=r"times|demand"):
            Demand(np.array(times), np.array(values))

    def test_the_step_does_not_count_missing_stretches(self) -> None:
        demand = Demand.of([0, 300, 600, 9000, 9300], np.ones(5))
        assert demand.step == 300
        assert demand.end == 9600

    def test_of_one_sample_and_of_none_nothing_is_known(self) -> None:
        one, none = Demand.of([600], [1.0]), Demand.of([], [])
        assert (one.step, one.end, one.span) == (0, 600, 0)
        assert (none.step, none.end, none.span) == (0, 0, 0)
        assert past_days(none) == []

    def test_days_are_counted_back_from_the_end(self) -> None:
        demand = sampled(np.arange(2.5 * 288))
        youngest, middle, oldest = past_days(demand)
        assert [youngest.age, middle.age, oldest.age] == [0, 1, 2]
        assert youngest.values.tolist() == list(range(432, 720))
        assert (middle.coverage, oldest.coverage) == (1.0, 0.5)

    def test_a_day_without_samples_is_no_day(self) -> None:
        whole = diurnal(4)
        gap = (whole.times < START + DAY_SECONDS) | (whole.times >= START + 2 * DAY_SECONDS)
        assert [day.age for day in past_days(Demand(whole.times[gap], whole.values[gap]))] == [0, 1, 3]


class TestPercentiles:
    def test_a_weighted_percentile_counts_weight_instead_of_samples(self) -> None:
        values = np.array([30.0, 10.0, 20.0])
        assert weighted_percentile(values, np.array([1.0, 8.0, 1.0]), 0.8) == 10
        assert weighted_percentile(values, np.array([1.0, 1.0, 8.0]), 0.8) == 20
        assert weighted_percentile(values, np.zeros(3), 0.5) == 30

    def test_load_weighs_by_its_value(self) -> None:
        # 99 samples of 1 and one of 99: half of the load is in the one.
        demand = sampled(np.array([1.0] * 99 + [99.0]))
        assert load_weighted_percentile(demand, 0.4, 1e6) == 1
        assert load_weighted_percentile(demand, 0.6, 1e6) == 99

    def test_the_last_daily_peak_weighs_half_of_all(self) -> None:
        # Peaks of 30, 20 and 10, the youngest last; weights 1/4, 1/2 and 1 of 1.75.
        demand = sampled(np.repeat([30.0, 20.0, 10.0], 288))
        assert peak_percentile(demand, 0.55, 24) == 10
        assert peak_percentile(demand, 0.85, 24) == 20
        assert peak_percentile(demand, 0.90, 24) == 30


class TestBaselines:
    def test_each_takes_its_statistic_and_its_margin(self) -> None:
        demand = sampled(np.arange(1.0, 101.0))
        assert baselines.MEAN.learn(demand).capacity == pytest.approx(50.5 * 1.5)
        assert baselines.P99.learn(demand).capacity == pytest.approx(99.01)
        assert baselines.KRR_MEMORY.learn(demand).capacity == pytest.approx(115)
        assert baselines.VPA_MEMORY.learn(demand).capacity == pytest.approx(115)

    def test_the_week_maximum_forgets_what_is_older(self) -> None:
        demand = sampled(np.concatenate([np.full(288, 50.0), np.full(7 * 288, 10.0)]))
        assert baselines.WEEK_MAXIMUM.learn(demand).capacity == 10
        assert baselines.KRR_MEMORY.learn(demand).capacity == pytest.approx(57.5)

    def test_the_reason_has_the_numbers(self) -> None:
        reason = baselines.KRR_MEMORY.learn(sampled(np.full(100, 40.0))).basis(significant)
        assert reason == "the maximum of 100 samples is 40, plus a margin of 15 %"


class TestExpectations:
    def test_missed_shares_of_one_day_are_those_of_its_queue(self) -> None:
        # At 10 the burst leaves 15 x 300 s of work, 450 s of it after this sample and 150 s after the next.
        day = np.array([0.0, 25.0, 0.0, 0.0])
        over, lag = missed_shares([day], np.ones(1), np.array([5.0, 10.0, 25.0]), 300)
        assert over.tolist() == [0.25, 0.25, 0.0]
        assert lag.tolist() == [0.75, 0.25, 0.0]

    def test_days_count_by_their_weight_and_a_short_one_by_its_own_length(self) -> None:
        days = [np.array([2.0, 2.0, 2.0, 2.0]), np.array([0.0, 2.0])]
        over, _ = missed_shares(days, np.array([0.75, 0.25]), np.array([1.0]), 300)
        assert over.tolist() == [0.75 + 0.25 / 2]

    def test_more_capacity_is_more_idle_and_less_missed(self) -> None:
        expected = outlook(diurnal(14), Beliefs())
        assert np.all(np.diff(expected.idle) > 0)
        assert np.all(np.diff(expected.over) <= 1e-12)
        assert np.all(np.diff(expected.lag) <= 1e-12)

    @given(histories.filter(np.any), st.floats(0, 50), st.floats(0, 50))
    @settings(max_examples=40)
    def test_a_higher_price_never_asks_for_less(self, values: Values, price: float, more: float) -> None:
        expected = outlook(sampled(values, 1800), Beliefs())
        low, high = (cheapest(expected, Prices(p, p)) for p in (price, price + more))
        assert high >= low * (1 - 1e-9)


@pytest.mark.parametrize("method", OURS, ids=lambda method: method.name)
class TestOurs:
    def test_fewer_than_sixty_samples_are_refused(self, method: Method) -> None:
        with pytest.raises(ValueError, match="59 samples are too few"):
            method.learn(diurnal(59 / 288))
        assert method.learn(diurnal(60 / 288)).capacity > 0

    def test_zeros_need_nothing(self, method: Method) -> None:
        learned = method.learn(sampled(np.zeros(500)))
        assert learned.capacity == 0
        assert learned.basis(significant) == "no demand in 500 samples"

    def test_a_constant_gets_a_narrow_margin(self, method: Method) -> None:
        learned = method.learn(sampled(np.full(14 * 288, 40.0)))
        assert 40 < learned.capacity < 40 * 1.2
        assert learned.margin == pytest.approx(learned.capacity / 40)

    def test_a_short_history_widens_the_margin(self, method: Method) -> None:
        capacities = [method.learn(sampled(np.full(n, 40.0))).capacity for n in (60, 144, 288, 7 * 288, 14 * 288)]
        assert capacities == sorted(capacities, reverse=True)
        assert capacities[0] > 1.1 * capacities[-1]

    def test_days_that_differ_widen_the_margin(self, method: Method) -> None:
        steady = diurnal(14)
        louder = np.exp(np.random.default_rng(2).normal(0, 0.3, 14))
        restless = Demand(steady.times, steady.values * np.repeat(louder / louder.mean(), 288))
        assert method.learn(restless).capacity > 1.1 * method.learn(steady).capacity

    def test_growth_is_carried_on(self, method: Method) -> None:
        flat = diurnal(15)
        growing = Demand(flat.times, flat.values * 1.04 ** ((flat.times - START) / DAY_SECONDS))
        past = growing.between(START, START + 14 * DAY_SECONDS)
        ahead = growing.between(START + 14 * DAY_SECONDS, growing.end)
        learned = method.learn(past)
        assert "growing by" in learned.basis(significant)
        assert np.mean(ahead.values > learned.capacity) < 0.12
        assert "growing by" not in method.learn(flat).basis(significant)

    def test_a_level_that_doubled_hours_ago_is_taken_to_stay(self, method: Method) -> None:
        values = np.full(14 * 288, 100.0)
        before = method.learn(sampled(values)).capacity
        values[-72:] = 200.0
        assert method.learn(sampled(values)).capacity > 1.6 * before

    def test_missing_stretches_change_little(self, method: Method) -> None:
        whole = diurnal(14)
        kept = np.random.default_rng(3).random(len(whole)) > 0.2
        kept[4 * 288 : 6 * 288] = False
        holey = Demand(whole.times[kept], whole.values[kept])
        assert method.learn(holey).capacity == pytest.approx(method.learn(whole).capacity, rel=0.1)

    def test_the_step_of_the_samples_changes_little(self, method: Method) -> None:
        fine, coarse = diurnal(14, 300), diurnal(14, 1800)
        assert method.learn(coarse).capacity == pytest.approx(method.learn(fine).capacity, rel=0.15)

    def test_the_reason_says_what_is_expected(self, method: Method) -> None:
        learned = method.learn(diurnal(14))
        assert "14 days of samples peak at" in learned.basis(significant)
        assert "to lag for" in learned.basis(significant)
        assert "idle" in learned.basis(significant)

    @given(histories, st.sampled_from([300, 1800]))
    @settings(max_examples=40)
    def test_every_answer_is_a_number_within_reason(self, method: Method, values: Values, step: int) -> None:
        learned = method.learn(sampled(values, step))
        assert math.isfinite(learned.capacity)
        assert learned.capacity >= 0
        assert math.isfinite(learned.margin)
        # Twice the largest sample, and no more than that of growth over the days of the history.
        assert learned.capacity <= 2 * values.max() * math.exp(0.06 * 9) * 1.0001
        assert "nan" not in learned.basis(significant)

    @given(histories, st.floats(1e-6, 1e6))
    @settings(max_examples=40)
    def test_the_unit_does_not_matter(self, method: Method, values: Values, factor: float) -> None:
        demand = sampled(values, 1800)
        learned, other = method.learn(demand), method.learn(scaled(demand, factor))
        assert other.capacity == pytest.approx(factor * learned.capacity, rel=1e-6)
        assert other.margin == pytest.approx(learned.margin, rel=1e-6)

    def test_what_is_older_than_two_weeks_is_forgotten(self, method: Method) -> None:
        long = diurnal(30)
        assert said(method.learn(long)) == said(method.learn(long.between(long.end - 14 * DAY_SECONDS, long.end)))

    def test_the_time_of_the_clock_does_not_matter(self, method: Method) -> None:
        demand = diurnal(10)
        assert said(method.learn(Demand(demand.times + 12_345, demand.values))) == said(method.learn(demand))


def test_a_short_burst_needs_memory_but_no_parallelism() -> None:
    # Five minutes a day at less than twice the rest: work that waits less than five minutes.
    values = np.full(14 * 288, 100.0)
    values[100::288] = 170.0
    demand = sampled(values)
    assert safe.learn(demand).capacity > 170
    assert elastic.learn(demand).capacity < 160


@given(histories.filter(np.any))
@settings(max_examples=40)
def test_a_limit_is_dearer_than_a_parallelism_of_whole_days(values: Values) -> None:
    expected = outlook(sampled(values, 1800), safe.BELIEFS)
    assert cheapest(expected, safe.PRICES) >= cheapest(expected, elastic.PRICES)
