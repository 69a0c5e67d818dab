"""The backtest: its protocol, its measures, its input and its report."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from flink_flint.calculators.history.backtest.rolling_origin import capacity_for, origins
from flink_flint.calculators.history.backtest.run_backtest import render, run
from flink_flint.calculators.history.backtest.score import judge, lag_share, slack
from flink_flint.calculators.history.backtest.score_report import METHODS, Backtest, backtest
from flink_flint.calculators.history.backtest.traces import read_trace, read_traces
from flink_flint.calculators.history.methods.baselines import AUTOPILOT, KRR_MEMORY, MEAN, ORACLE, VPA_MEMORY
from flink_flint.calculators.history.methods.demand import DAY_SECONDS, Demand
from flink_flint.calculators.history.methods.elastic import ELASTIC
from flink_flint.calculators.history.methods.method import Learned, Method
from flink_flint.calculators.history.methods.safe import SAFE

START = 1_700_006_400


def generated(kind: str, number: int, days: int = 35, step: int = 300) -> Demand:
    """A series with a day's wave, days of different height and, by kind, quiet weekends or heavy-tailed bursts."""
    random = np.random.default_rng(number)
    count = days * DAY_SECONDS // step
    day = np.arange(count) * step // DAY_SECONDS
    hour = np.arange(count) * step / DAY_SECONDS
    values = 1000 * (1 + random.uniform(0.2, 0.7) * np.sin(2 * np.pi * (hour - random.uniform())))
    values *= np.exp(random.normal(0, 0.1, count)) * np.exp(random.normal(0, 0.06, days))[day]
    if kind == "weekly":
        values *= np.where(day % 7 >= 5, 0.6, 1.0)
    if kind == "bursty":
        for start in np.nonzero(random.random(count) < 3 / 288)[0]:
            values[start : start + random.integers(1, 12)] *= 1 + 1.5 * random.pareto(2.0)
    return Demand(START + np.arange(count) * step, values)


def constant(days: float, value: float = 10.0, step: int = 1800) -> Demand:
    count = int(days * DAY_SECONDS / step)
    return Demand(START + np.arange(count) * step, np.full(count, value))


@pytest.fixture(scope="module")
def compared() -> Backtest:
    kinds = ("diurnal", "weekly", "bursty")
    series = {f"{kind} {number}": generated(kind, number) for kind in kinds for number in (1, 2)}
    return backtest(series, (SAFE, ELASTIC, VPA_MEMORY, KRR_MEMORY, AUTOPILOT, ORACLE))


class TestMeasures:
    def test_a_burst_lags_until_its_backlog_is_worth_less_than_five_minutes(self) -> None:
        # At 10 a sample of 40 leaves 900 s of work; then 600, 300 (no longer over the limit) and 0.
        values = np.array([0.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        assert lag_share(values, 10.0, 300) == 2 / 8

    def test_a_sample_below_twice_the_capacity_is_caught_up_in_time(self) -> None:
        assert lag_share(np.array([20.0, 0.0]), 10.0, 300) == 0
        assert lag_share(np.array([20.1, 0.0]), 10.0, 300) == 0.5

    def test_load_over_the_capacity_piles_up(self) -> None:
        # 1 more than 10 each half hour: 180 s behind, 360 s, ...
        assert lag_share(np.full(10, 11.0), 10.0, 1800) == 0.9

    def test_without_capacity_all_work_waits(self) -> None:
        assert lag_share(np.array([0.0, 1.0, 0.0, 0.0]), 0.0, 300) == 0.75
        assert lag_share(np.zeros(4), 0.0, 300) == 0

    def test_slack_is_held_within_one(self) -> None:
        assert slack(np.array([1.0, 3.0]), 4.0) == 0.5
        assert slack(np.array([100.0]), 4.0) == -1
        assert slack(np.array([100.0]), 0.0) == -1
        assert slack(np.array([0.0]), 0.0) == 0

    def test_a_day_is_judged_on_every_axis(self) -> None:
        day = Demand(np.arange(4) * 300, np.array([1.0, 1.0, 1.0, 5.0]))
        score = judge(day, 4.0, 300)
        assert score.over == 0.25
        assert score.lag == 0
        assert score.slack == pytest.approx(1 - 2 / 4)
        assert score.excess == pytest.approx((1 - 2 / 4) - (1 - 2 / 5))
        assert score.under == pytest.approx(1 - 4 / np.quantile(day.values, 0.99))


class TestProtocol:
    def test_a_long_series_is_learned_over_two_weeks_and_a_short_one_over_one(self) -> None:
        assert len(list(origins(constant(28)))) == 14
        assert len(list(origins(constant(27)))) == 20
        assert list(origins(constant(7.5))) == []

    def test_learning_ends_where_the_day_begins(self) -> None:
        for origin in origins(constant(20)):
            assert origin.past.end == origin.start == origin.day.times[0]
            assert origin.past.span == 7 * DAY_SECONDS
            assert origin.day.span == DAY_SECONDS

    def test_the_future_cannot_change_a_recommendation(self) -> None:
        known = generated("bursty", 5, days=12)
        changed = Demand(known.times, np.where(known.times < START + 8 * DAY_SECONDS, known.values, 9e9))
        for method in (SAFE, ELASTIC, VPA_MEMORY):
            first, other = (capacity_for(method, next(iter(origins(series)))) for series in (known, changed))
            assert first == other

    def test_days_without_samples_or_without_a_past_are_left_out(self) -> None:
        whole = constant(20)
        day = (whole.times - START) // DAY_SECONDS
        judged = {origin.start for origin in origins(Demand(whole.times[day != 10], whole.values[day != 10]))}
        assert START + 10 * DAY_SECONDS not in judged
        assert START + 11 * DAY_SECONDS in judged
        late = (day < 1) | (day >= 9)
        starts = [origin.start for origin in origins(Demand(whole.times[late], whole.values[late]))]
        assert min(starts) == START + 11 * DAY_SECONDS

    def test_a_method_with_hindsight_learns_from_the_day_itself(self) -> None:
        series = generated("diurnal", 3, days=9)
        for origin in origins(series):
            assert capacity_for(ORACLE, origin) == origin.day.values.max()


class TestTraces:
    def test_timestamps_are_iso_or_epoch(self, tmp_path: Path) -> None:
        trace = tmp_path / "trace.csv"
        trace.write_text(
            "timestamp,value\n2015-02-26 21:42:53,57\n1424987273,43.5\n2015-02-26T21:52:53Z,1\n\n", encoding="utf-8-sig"
        )
        demand = read_trace(trace)
        assert demand.times.tolist() == [1424986973, 1424987273, 1424987573]
        assert demand.values.tolist() == [57.0, 43.5, 1.0]

    @pytest.mark.parametrize(
        "line", ["yesterday,1", "2015-02-26 21:47:53,many", "1424987273", "1,-3", "1,inf", "1,nan"]
    )
    def test_a_bad_line_is_named_with_its_file(self, tmp_path: Path, line: str) -> None:
        trace = tmp_path / "trace.csv"
        trace.write_text(f"timestamp,value\n1424986973,1\n{line}\n", encoding="utf-8")
        with pytest.raises(ValueError, match=r"trace\.csv:3: "):
            read_trace(trace)

    def test_a_folder_without_traces_and_an_empty_file_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=r"no \*\.csv file"):
            read_traces(tmp_path)
        (tmp_path / "empty.csv").write_text("", encoding="utf-8")
        with pytest.raises(ValueError, match="the file is empty"):
            read_traces(tmp_path)


class TestReport:
    def test_every_day_counts_once(self) -> None:
        always = Method("ten", "safe", lambda past: Learned(10.0, 1.0, lambda spell: "ten"))
        result = backtest({"long": constant(28, 5.0), "short": constant(9, 20.0)}, (always,))
        assert (result.traces, result.days) == (2, 16)
        assert result.methods[0].figures.over == pytest.approx(100 * 2 / 16)
        assert result.methods[0].figures.slack == pytest.approx((14 * 50 - 2 * 100) / 16)
        assert [(row.trace, row.days) for row in result.per_trace] == [("long", 14), ("short", 2)]

    def test_series_too_short_to_judge_by_are_left_out(self) -> None:
        assert backtest({"long": constant(9), "short": constant(3)}, (MEAN,)).traces == 1
        with pytest.raises(ValueError, match="no series has a week"):
            backtest({"short": constant(3)}, (MEAN,))

    @pytest.mark.slow
    def test_the_oracle_is_never_over_and_has_no_excess(self, compared: Backtest) -> None:
        oracle = next(row.figures for row in compared.methods if row.name == ORACLE.name)
        assert (oracle.over, oracle.lag, oracle.excess, oracle.bad_days_over) == (0, 0, 0, 0)

    @pytest.mark.slow
    def test_along_the_curve_capacity_buys_less_missed_time_for_more_slack(self, compared: Backtest) -> None:
        for method in (SAFE, ELASTIC):
            points = [point for point in compared.curve if point.name == method.name]
            assert [point.factor for point in points] == sorted(point.factor for point in points)
            assert len(points) > 5
            for less, more in pairwise(points):
                assert more.over <= less.over
                assert more.lag <= less.lag
                assert more.slack > less.slack
            own = next(row.figures for row in compared.methods if row.name == method.name)
            assert (1.0, own.over, own.lag, own.slack) in [(p.factor, p.over, p.lag, p.slack) for p in points]

    def test_json_and_text_say_the_same(self, compared: Backtest) -> None:
        data = json.loads(compared.as_json())
        assert (data["version"], data["unit"], data["traces"]) == (1, "percent", 6)
        assert data["days"] == compared.days == 6 * 21
        first = data["methods"][0]
        assert set(first) == {"name", "tier", "U", "lag", "slack", "xs", "under", "bad_days_u", "bad_days_lag"}
        line = next(line for line in compared.as_text().splitlines() if line.startswith(first["name"]))
        assert line.split()[-7:-4] == [f"{first[key]:.2f}" for key in ("U", "lag", "slack")]
        assert len(data["per_trace"]) == 6 * len(data["methods"])

    def test_a_folder_is_read_and_every_method_reported(self, tmp_path: Path) -> None:
        series = generated("diurnal", 4, days=9, step=1800)
        lines = [f"{time},{value}" for time, value in zip(series.times, series.values, strict=True)]
        (tmp_path / "load.csv").write_text("timestamp,value\n" + "\n".join(lines) + "\n", encoding="utf-8")
        assert [row["name"] for row in json.loads(run(tmp_path, "json"))["methods"]] == [m.name for m in METHODS]
        text = run(tmp_path, "text")
        assert text.startswith("1 traces, 2 recommendation-days")
        assert all(method.name in text for method in METHODS)
        with pytest.raises(ValueError, match="yaml is not an output format"):
            render({"load": series}, "yaml")


class TestComparison:
    """Generated series whose days differ; a level that jumps for good is nobody's to foresee and is not among them."""

    def test_the_safe_method_is_no_worse_than_the_autoscaler_on_any_axis(self, compared: Backtest) -> None:
        rows = {row.name: row.figures for row in compared.methods}
        ours, theirs = rows[SAFE.name], rows[VPA_MEMORY.name]
        assert ours.over <= theirs.over
        assert ours.lag <= theirs.lag
        assert ours.slack <= theirs.slack

    def test_the_safe_method_leaves_less_idle_than_the_maximum_with_a_margin(self, compared: Backtest) -> None:
        rows = {row.name: row.figures for row in compared.methods}
        assert rows[SAFE.name].slack < rows[KRR_MEMORY.name].slack - 2
        assert rows[SAFE.name].over < 0.8

    def test_the_safe_method_breaks_fewer_days(self, compared: Backtest) -> None:
        rows = {row.name: row.figures for row in compared.methods}
        assert rows[SAFE.name].bad_days_over <= rows[VPA_MEMORY.name].bad_days_over

    def test_the_elastic_method_can_be_no_worse_than_autopilot_on_both_axes(self, compared: Backtest) -> None:
        theirs = next(row.figures for row in compared.methods if row.name == AUTOPILOT.name)
        points = [point for point in compared.curve if point.name == ELASTIC.name]
        assert any(point.lag <= theirs.lag and point.slack <= theirs.slack for point in points)
        own = next(row.figures for row in compared.methods if row.name == ELASTIC.name)
        assert own.slack + 4 * own.lag < theirs.slack + 4 * theirs.lag
