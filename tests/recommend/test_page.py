"""The data of the page: which charts are drawn, and the effect of recommendations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from flink_flint.calculators.formulas.quantity import BYTES_PER_SECOND, NUMBER, PER_SECOND, Unit
from flink_flint.calculators.history.backtest.score_report import backtest
from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.pipeline.read_store import Observed, TimeSeries
from flink_flint.calculators.history.pipeline.reducing import Group
from flink_flint.calculators.history.recommend.recommendation import Missing, Plan, Recommendation, Recommended
from flink_flint.calculators.history.samples import JOB, OPERATOR, TASK, TASKMANAGER, Record
from flink_flint.calculators.history.store.histogram import codes_of, merge
from flink_flint.calculators.pages.backtest_page import backtest_page, judged_of
from flink_flint.calculators.pages.charts import HeatMap, SeriesChart
from flink_flint.calculators.pages.history_page import JobSection, Page, WouldRow, history_page
from flink_flint.calculators.recommend.counterfactual import share_above, sustained_rate
from flink_flint.calculators.recommend.observed_charts import chart_of, heat_map_of, shown
from flink_flint.calculators.recommend.report_data import MAX_JOBS, page_of, worst

MONDAY = 1_767_571_200
"""5 January 2026, in seconds since the epoch."""
STEP = 300
WEEK = 7 * 24 * 12


def observed(
    metric: str,
    values: np.ndarray[Any, Any],
    *,
    job: str = "orders",
    scope: str = TASK,
    name: str = "window",
    series: int = 1,
) -> Observed:
    """Return what a store has for the values, one per slot."""
    held = np.isfinite(values)
    times = (MONDAY + STEP * np.arange(len(values)))[held]
    kept = values[held]
    days, starts = np.unique(times // 86400, return_index=True)
    histogram = merge(codes_of(kept), np.ones(len(kept)))
    single = kept.astype(np.float32)
    time_series = TimeSeries(
        times,
        np.full(len(kept), STEP, np.int32), single * 0.5, single * 2, single, single, single, single * series,
        np.full(len(kept), series, np.int32),
    )  # fmt: skip
    task, operator = (name if scope in (TASK, OPERATOR) else ""), (name if scope == OPERATOR else "")
    group = Group("eu-1", "" if scope == TASKMANAGER else job, scope, task, operator, metric)
    return Observed(
        group, name, days, np.diff(np.append(starts, len(kept))), np.add.reduceat(kept, starts),
        np.minimum.reduceat(kept, starts), np.maximum.reduceat(kept, starts), 0, series, len(kept),
        int(times[0]) * 1000, int(times[-1]) * 1000, float(kept[-1]), histogram, histogram, time_series,
    )  # fmt: skip


def recommendation(key: str, current: Any, recommended: Any, metric: str, **more: Any) -> Recommendation:
    severity = "unset" if current is None else "raise" if recommended > current else "lower"
    evidence = {
        "from": "2026-01-05T00:00:00Z", "to": "2026-01-12T00:00:00Z", "samples": 2016, "days": 7.0, "metric": metric,
        "statistic": "p95", "value": 900.0, "peak": 1000.0, "unit": "1/s", "margin": 1.1, "half_life_days": 2.0,
        "method_score": None, "inputs": {}, "assumed": [], "notes": [], "reasoning": [],
    }  # fmt: skip
    evidence.update(more.pop("evidence", {}))
    given = {
        "cluster": "eu-1", "job": "orders", "operator": "window", "calculator": "parallelism", "unit": "count",
        "current_text": "" if current is None else str(current), "recommended_text": str(recommended),
        "severity": severity, "direction": 1, "confidence": "high", "reason": "numbers", **more,
    }  # fmt: skip
    return Recommendation(key=key, current=current, recommended=recommended, evidence=evidence, **given)


PARALLELISM = recommendation(
    "parallelism.default", 2, 4, "arrivalRate",
    evidence={"inputs": {"true_rate": {"value": 1000, "from": "x"}, "parallelism": {"value": 2, "from": "x"}}},
)  # fmt: skip


def recommended(*rows: Recommendation, missing: tuple[Missing, ...] = ()) -> Recommended:
    jobs = sorted({(row.cluster, row.job) for row in rows if row.job})
    return Recommended("store", "2026-01-05", "2026-01-11", list(rows), list(missing), jobs)


def page(rows: Recommended, *groups: Observed, records: tuple[Record, ...] = ()) -> Page:
    return page_of(rows, {one.group: one for one in groups}, records, Plan(), made=MONDAY)


def load(peak: float) -> np.ndarray[Any, Any]:
    """A week whose Tuesday, 10 to 12 o'clock, demands `peak`, and 400 otherwise."""
    values = np.full(WEEK, 400.0)
    values[(24 + 10) * 12 : (24 + 12) * 12] = peak
    return values


# -- what it would have done


def test_a_parallelism_is_judged_by_the_demand_it_would_have_met() -> None:
    section = page(recommended(PARALLELISM), observed("arrivalRate", load(1200))).jobs[0]
    assert section.advice[0].would_have == (
        WouldRow("Records it sustains", "1 000/s", "2 000/s"),
        WouldRow("Of that in use, on average", "41 %", "20 %"),
        WouldRow("Time with more demand than that", "1.2 %", "never"),
        # Of two hours with 200/s too many the last 95 min are so far behind, and half an hour until that is made up.
        WouldRow("Time more than 5 min behind", "1.2 %", "never"),
        WouldRow("Days that stay below it", "6 of 7 days", "7 of 7 days"),
    )


def test_a_day_whose_demand_is_just_sustained_stays_below_it() -> None:
    days = page(recommended(PARALLELISM), observed("arrivalRate", load(1000))).jobs[0].advice[0].would_have[-1]
    assert days == WouldRow("Days that stay below it", "7 of 7 days", "7 of 7 days")


@pytest.mark.parametrize(
    ("inputs", "rate"),
    [
        ({"parallelism": 4, "true_rate": 1000}, 250),
        ({"parallelism": 4, "processed": 600, "busy": 0.5}, 300),
        ({"parallelism": 4, "true_rate": 1000, "processed": 600, "busy": 0.5}, 250),
        ({"parallelism": 4, "processed": 600}, None),
        ({"true_rate": 1000}, None),
    ],
)
def test_the_rate_of_a_subtask_follows_from_what_is_known(inputs: dict[str, float], rate: float | None) -> None:
    evidence = {"inputs": {name: {"value": value, "from": "x"} for name, value in inputs.items()}}
    assert sustained_rate(PARALLELISM._replace(evidence=evidence)) == rate


def test_what_nothing_tells_is_left_out() -> None:
    unknown = PARALLELISM._replace(evidence={**PARALLELISM.evidence, "inputs": {}})
    assert page(recommended(unknown), observed("arrivalRate", load(900))).jobs[0].advice[0].would_have == ()
    assert page(recommended(PARALLELISM)).jobs[0].advice[0].would_have == ()


def test_a_timeout_is_held_against_what_took_so_long() -> None:
    row = recommendation(
        "execution.checkpointing.timeout", 60.0, 600.0, "lastCheckpointDuration", operator="", calculator="checkpoint"
    )
    durations = np.full(WEEK, 20_000.0)
    durations[:202] = 120_000.0
    section = page(recommended(row), observed("lastCheckpointDuration", durations, scope=JOB, name="orders")).jobs[0]
    assert section.advice[0].would_have == (
        WouldRow("Checkpoints that would take longer than the timeout", "10 %", "never"),
        WouldRow("The longest observed, as part of the timeout", "200 %", "20 %"),
    )
    (chart,) = section.advice[0].charts
    assert isinstance(chart, SeriesChart)
    assert [(line.name, line.value) for line in chart.lines] == [("timeout now", 60), ("timeout recommended", 600)]
    assert max(chart.mid) == pytest.approx(120)


def test_the_capacity_of_an_async_operator_tells_how_long_a_full_queue_waits() -> None:
    row = recommendation(
        "async-io.capacity", 1000, 50, "numRecordsInPerSecond", calculator="async-io", operator="enrich"
    )
    rate = observed("serviceRate", np.full(WEEK, 100.0), scope=OPERATOR, name="enrich")
    flying = observed("inFlight", np.full(WEEK, 10.0), scope=OPERATOR, name="enrich")
    assert page(recommended(row), rate, flying).jobs[0].advice[0].would_have == (
        WouldRow("A record waits in a full queue", "10 s", "500 ms"),
        WouldRow("Time at the limit, which slows the source", "never", "never"),
    )


def test_memory_is_counted_over_all_processes() -> None:
    row = recommendation(
        "taskmanager.memory.process.size", 4 << 30, 3 << 30, "heapLiveSet", calculator="taskmanager-memory", operator=""
    )
    heap = observed("heapLiveSet", np.full(WEEK, 1e9), scope=TASKMANAGER, name="", series=3)
    assert page(recommended(row), heap).jobs[0].advice[0].would_have == (
        WouldRow("All 3 processes together", "12 GiB", "9 GiB"),
    )


@pytest.mark.parametrize(("value", "share"), [(0.5, 1.0), (10, 0.9), (95, 0.05), (100, 0.0), (1e9, 0.0)])
def test_the_share_above_a_value_is_right_to_within_a_bucket(value: float, share: float) -> None:
    assert share_above(observed("busy", np.arange(1.0, 101.0)), value) == pytest.approx(share, abs=0.011)


# -- charts


def test_a_long_course_becomes_fewer_slots_with_bands_of_percentiles() -> None:
    chance = np.random.default_rng(1)
    values = chance.uniform(100, 200, 8 * WEEK)
    chart = chart_of(observed("arrivalRate", values))
    assert chart is not None
    assert len(chart.mid) <= 240
    for low, inner_low, mid, inner_high, high in zip(
        chart.low, chart.inner_low, chart.mid, chart.inner_high, chart.high, strict=True
    ):
        assert low <= inner_low <= mid <= inner_high <= high
    assert min(chart.low) == pytest.approx(50, rel=0.01), "the least sample of all"
    assert max(chart.inner_high) <= 200
    assert dict(chart.figures)["p95"].endswith("/s")


def test_missing_slots_stay_missing() -> None:
    values = np.full(WEEK, 5.0)
    values[500:900] = np.nan
    chart = chart_of(observed("arrivalRate", values))
    assert chart is not None
    ends = [time + step for time, step in zip(chart.times, chart.steps, strict=True)]
    widest = max(after - end for after, end in zip(chart.times[1:], ends[:-1], strict=True))
    assert widest == pytest.approx(400 * STEP, rel=0.02)


def test_a_sum_over_subtasks_is_drawn_as_such() -> None:
    chart = chart_of(observed("numRecordsInPerSecond", np.full(10, 100.0), series=4))
    assert chart is not None
    assert set(chart.mid) == {400.0}
    assert chart.low == (), "the samples are of single subtasks"
    assert dict(chart.figures)["largest"] == "400/s"


def test_samples_of_one_series_have_a_band_and_a_line() -> None:
    chart = chart_of(observed("arrivalRate", np.full(10, 100.0)))
    assert chart is not None
    assert (set(chart.low), set(chart.high)) == ({50.0}, {200.0})
    assert [kind for kind, _ in chart.legend] == ["mid", "band"]


@pytest.mark.parametrize(
    ("metric", "unit", "column"),
    [
        ("acme.requestsPerSecond", PER_SECOND, "total"),
        ("numBytesAcmePerSecond", BYTES_PER_SECOND, "total"),
        ("acme.requests", NUMBER, "mean"),
    ],
)
def test_an_unknown_metric_is_drawn_by_its_name(metric: str, unit: Unit, column: str) -> None:
    how = shown(metric)
    assert (how.title, how.unit, how.column) == (metric, unit, column)


def test_hours_of_the_week_begin_on_monday() -> None:
    heat = heat_map_of(observed("arrivalRate", load(1000)), "Load")
    assert heat is not None
    assert heat.values[1][10] == heat.values[1][11] == 1000
    assert heat.values[1][9] == heat.values[0][10] == 400
    assert heat_map_of(observed("arrivalRate", load(1000)[:12]), "Load") is None, "an hour is no week"


# -- the page


def test_recommendations_and_observations_meet_in_the_job() -> None:
    settings = Record("configuration", "eu-1", "", "", MONDAY * 1000, {"parallelism.default": "2"})
    busy = observed("busyTimeMsPerSecond", np.full(WEEK, 700.0))
    flat = observed("lastCheckpointSize", np.zeros(WEEK), scope=JOB, name="orders")
    found = page(recommended(PARALLELISM), observed("arrivalRate", load(900)), busy, flat, records=(settings,))
    section = found.jobs[0]
    assert (section.name, section.cluster) == ("orders", "eu-1")
    assert section.settings == (("parallelism.default", "2"),)
    (chart,) = section.advice[0].charts
    assert isinstance(chart, SeriesChart)
    assert [line.label(chart.unit) for line in chart.lines] == [
        "now 2 subtasks, up to 1 000/s", "recommended 4 subtasks, up to 2 000/s",
    ]  # fmt: skip
    drawn = {one.title for subject in section.operators for one in subject.charts}
    assert drawn == {"Records that arrive at window, by hour of the week", "Busy time of a subtask"}
    assert any(isinstance(one, HeatMap) for subject in section.operators for one in subject.charts)
    assert found.window == (MONDAY, MONDAY + (WEEK - 1) * STEP)
    assert "2 subtasks, up to 1 000/s" in history_page(found)


def test_the_processes_of_a_cluster_are_a_section_of_their_own_where_several_jobs_ran() -> None:
    memory = recommendation(
        "taskmanager.memory.process.size",
        None,
        3 << 30,
        "heapLiveSet",
        calculator="taskmanager-memory",
        operator="",
        job="",
    )
    heap = observed("heapLiveSet", np.full(WEEK, 1e9), scope=TASKMANAGER, name="", series=3)
    found = page(recommended(PARALLELISM, memory), heap, observed("arrivalRate", load(900)))
    assert [job.name for job in found.jobs] == ["orders", "(cluster eu-1)"]
    assert [chart.title for chart in found.jobs[1].advice[0].charts] == ["Heap in use after collections"]


def test_a_recommendation_without_an_operator_is_drawn_with_the_metric_of_any() -> None:
    row = recommendation("restart.attempts", 2, 4, "numRestarts", operator="", calculator="restart")
    own = observed("numRestarts", np.full(WEEK, 3.0), scope=JOB, name="orders")
    other = observed("numRestarts", np.full(WEEK, 9.0))
    for groups, value in (((other,), 9.0), ((other, own), 3.0)):
        (chart,) = page(recommended(row), *groups).jobs[0].advice[0].charts
        assert isinstance(chart, SeriesChart)
        assert set(chart.mid) == {value}


def test_a_task_is_drawn_with_its_own_metric_not_with_one_of_its_operators() -> None:
    operator = observed("arrivalRate", np.full(WEEK, 9.0), scope=OPERATOR)
    operator = replace(operator, group=operator.group._replace(operator="map"))
    task = observed("arrivalRate", np.full(WEEK, 3.0))
    (chart,) = page(recommended(PARALLELISM), operator, task).jobs[0].advice[0].charts
    assert isinstance(chart, SeriesChart)
    assert set(chart.mid) == {3.0}


def test_a_metric_without_a_time_series_is_not_drawn() -> None:
    flat = replace(observed("arrivalRate", load(900)), time_series=None)
    assert page(recommended(PARALLELISM), flat).jobs[0].advice[0].charts == ()


def test_a_job_of_another_cluster_does_not_share_the_processes() -> None:
    heap = observed("Status.JVM.Memory.Heap.Used", np.full(WEEK, 1e9), scope=TASKMANAGER, name="")
    elsewhere = observed("arrivalRate", load(900), job="clicks")
    beside = page(recommended(PARALLELISM), heap, elsewhere).jobs[0]
    other = replace(elsewhere, group=elsewhere.group._replace(cluster="us-1"))
    alone = page(recommended(PARALLELISM), heap, other).jobs[0]
    titles = [[chart.title for subject in one.operators for chart in subject.charts] for one in (beside, alone)]
    assert titles == [[], ["Heap in use"]]


def test_the_jobs_with_the_most_to_change_are_shown_in_full() -> None:
    rows = [
        PARALLELISM._replace(job=f"job-{number:02d}", severity="raise" if number == 57 else "lower")
        for number in range(60)
    ]
    found = page(recommended(*rows))
    assert len(found.jobs) == MAX_JOBS
    assert found.jobs[0].name == "job-57"
    assert len(found.others) == 60 - MAX_JOBS
    assert found.others[0].first == "parallelism.default: 2 → 4"
    assert sum(found.others[0].counts) == 1


def test_a_surer_change_comes_before_a_doubtful_one() -> None:
    doubtful = PARALLELISM._replace(job="a", confidence="low")
    assert worst(recommended(doubtful, PARALLELISM._replace(job="b"))) == [("eu-1", "b"), ("eu-1", "a")]


def test_what_must_go_beside_a_setting_and_how_the_method_did_are_noted() -> None:
    score = {"U": 0.001, "lag": 0, "slack": 0.45051, "days": 7}
    row = PARALLELISM._replace(
        remove=("taskmanager.memory.flink.size",), evidence={**PARALLELISM.evidence, "method_score": score}
    )
    removed, scored = page(recommended(row)).jobs[0].advice[0].notes
    assert removed == "Also remove: taskmanager.memory.flink.size."
    assert "On the last 7 days" in scored
    assert "too low for 0.1 % of the time" in scored
    assert scored.endswith("and idle for 45 %.")


def test_evidence_is_spelled_in_the_units_of_the_inputs() -> None:
    pairs = dict(page(recommended(PARALLELISM)).jobs[0].advice[0].evidence)
    assert pairs["true rate (x)"] == "1 000/s"
    assert pairs["Margin"] == "1.1 × the largest sample"
    assert pairs["Half-life of a sample's weight"] == "2 d"


def test_missing_answers_are_listed_up_to_a_limit() -> None:
    rows = tuple(Missing("eu-1", f"job-{number}", "", "kinesis", "no millisBehindLatest") for number in range(300))
    found = page(recommended(PARALLELISM, missing=rows)).missing
    assert found[0] == ("job-0", "", "kinesis", "no millisBehindLatest")
    assert len(found) == 201
    assert found[-1].reason.startswith("100 more questions without an answer")
    assert len(page(recommended(PARALLELISM, missing=rows[:200])).missing) == 200


@pytest.mark.slow
def test_a_page_of_many_jobs_stays_small_enough_to_mail() -> None:
    rows, groups = [], []
    for number in range(MAX_JOBS):
        name = f"job-{number:02d}"
        rows.append(PARALLELISM._replace(job=name))
        groups += [
            observed(metric, np.random.default_rng(number).uniform(100, 900, 4 * WEEK), job=name.replace("-", "_"))
            for metric in ("arrivalRate", "busyTimeMsPerSecond", "pendingRecords")
        ]
    text = history_page(page(recommended(*rows), *groups))
    assert text.count("<svg xmlns") == MAX_JOBS * 4
    assert len(text.encode()) < 3_000_000


def test_a_backtest_becomes_tables_and_curves() -> None:
    times = np.arange(0, 20 * 86400, 1800)
    demand = Demand(times, 100 + 50 * np.sin(times / 86400 * 2 * np.pi))
    result = backtest({"wave": demand})
    found = judged_of(result)
    assert [tier.title for tier in found.tiers] == ["Hard limits: memory", "Throughput: parallelism, rates"]
    for tier in found.tiers:
        ours = [method for method in tier.methods if method.is_ours]
        assert len(ours) == 1
        assert len(tier.curve.lines) == 1
        assert {point.number for point in tier.curve.points} == {method.number for method in tier.methods}
        assert [series.name for series in tier.series] == ["wave"]
        assert all(len(method.figures) == len(tier.columns) for method in tier.methods)
    section = JobSection("orders", "", "", (), ())
    text = history_page(Page("store", (0, 1), 1, (section,), backtest=found))
    assert text.count('class="mark ours"') == 2
    alone = backtest_page(result, "<traces>")
    assert alone.count('class="mark ours"') == 2
    assert "&lt;traces&gt;" in alone
