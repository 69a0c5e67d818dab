"""The calculator of catch-ups."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput, MissingInput, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.catch_up import load_of_catch_up, size_catch_up
from flink_flint.calculators.formulas.backlog import capacity_for, catch_up_time, until_lost
from flink_flint.calculators.inputs.catch_up import CatchUp, CurrentCatchUp
from flink_flint.linter.flink.releases import NEWEST, release_at

RELEASE = release_at(NEWEST)
HOUR = 3600.0
DAY = 24 * HOUR


def size(**known: Any) -> Answer:
    return size_catch_up(CatchUp(**known), RELEASE)


def borne(**known: Any) -> Answer:
    return load_of_catch_up(CurrentCatchUp(**known), RELEASE)


@pytest.mark.parametrize(
    ("rate", "capacity", "lag", "downtime", "seconds"),
    [
        (10_000.0, 16_000.0, 6_000_000, 300.0, 1500),
        (10_000.0, 10_500.0, 0, 300.0, 6000),
        (10_000.0, 10_000.0, 1, 0.0, math.inf),
        (10_000.0, 9000.0, 0, 0.0, math.inf),
        (10_000.0, 16_000.0, 0, 0.0, 0),
    ],
)
def test_a_backlog_takes_what_capacity_is_left(
    rate: float, capacity: float, lag: int, downtime: float, seconds: float
) -> None:
    answer = size(rate=rate, capacity=capacity, lag=lag, downtime=downtime)
    assert answer.value("catch_up_time") == pytest.approx(seconds)
    assert bool(answer.errors) == math.isinf(seconds)


def test_a_day_behind_a_full_kinesis_stream_takes_a_day() -> None:
    # A shard is read twice as fast as it is written to.
    answer = size(rate=1000.0, capacity=2000.0, behind=DAY)
    assert answer.value("catch_up_time") == pytest.approx(DAY)
    assert answer.value("backlog") == 86_400_000


def test_a_throttle_below_what_is_written_never_catches_up() -> None:
    answer = size(rate=1000.0, capacity=2000.0, throttle=800.0, behind=DAY / 2, retention=DAY)
    assert math.isinf(answer.value("catch_up_time"))
    assert answer.value("unthrottled_time") == pytest.approx(DAY / 2)
    assert answer.errors == (
        "the throttle reads 800/s and 1 000/s arrive: the backlog is never read, it grows by 200/s",
        "from 2 d 12 h on records are deleted unread, 1 d old",
    )


def test_records_older_than_the_retention_are_lost() -> None:
    answer = size(rate=10.0, capacity=100.0, downtime=2 * DAY, retention=DAY)
    assert any("864 000 records are deleted unread" in error for error in answer.errors)


def test_a_backlog_near_the_retention_is_a_warning() -> None:
    answer = size(rate=10.0, capacity=100.0, downtime=0.9 * DAY, retention=DAY)
    assert not answer.errors
    assert any("2 h 24 min to spare" in warning for warning in answer.warnings)
    assert not size(rate=10.0, capacity=100.0, downtime=0.5 * DAY, retention=DAY).warnings


def test_a_sink_that_does_not_push_back_meets_the_whole_capacity() -> None:
    answer = size(rate=1000.0, capacity=5000.0, lag=1_000_000, sink_limit=3000.0, fan_out=2.0)
    assert answer.value("peak_into_sink") == 10_000
    assert answer.value("read_throttle") == 1500
    assert answer.value("throttled_time") == 2000
    assert any("limit reading to 1 500/s" in error for error in answer.errors)


def test_held_to_the_throttle_it_is_well() -> None:
    answer = size(rate=1000.0, capacity=5000.0, throttle=1500.0, lag=1_000_000, sink_limit=3000.0, fan_out=2.0)
    assert answer.value("catch_up_time") == 2000
    assert not answer.errors


def test_no_throttle_protects_a_sink_that_takes_less_than_arrives() -> None:
    answer = size(rate=1000.0, capacity=5000.0, sink_limit=900.0)
    assert any("no throttle protects it" in error for error in answer.errors)


def test_the_downtime_of_a_failure_is_its_parts_and_what_is_read_again() -> None:
    answer = size(
        rate=1000.0, capacity=1500.0, failure=True, state=50 << 30, restore_rate=float(100 << 20),
        checkpoint_interval=300.0, deadline=600.0,
    )  # fmt: skip
    assert answer.value("downtime") == pytest.approx(50 + 1 + 30 + 512 + 300)
    assert answer.value("needed_capacity") == pytest.approx(1000 + 893_000 / 600)
    assert any("reading must reach 2 488/s" in error for error in answer.errors)
    assert "job.autoscaler.catch-up.duration: 10 min" in [snippet.text for snippet in answer.elsewhere]


def test_without_a_failure_its_parts_play_no_part() -> None:
    assert size(rate=1.0, capacity=2.0, detection=1000.0).value("downtime") == 0


def test_state_without_the_rate_of_restoring_is_not_enough() -> None:
    with pytest.raises(MissingInput) as missing:
        size(rate=1.0, capacity=2.0, failure=True, state=1 << 30)
    assert missing.value.name == "restore_rate"


def test_records_and_time_behind_contradict_each_other() -> None:
    with pytest.raises(BadInput, match="--behind: 1 h and 5 waiting records measure the same backlog"):
        size(rate=1.0, capacity=2.0, lag=5, behind=HOUR)


@pytest.mark.parametrize(
    ("name", "value"), [("rate", 0.0), ("capacity", -1.0), ("lag", -1), ("downtime", -1.0), ("deadline", 0.0)]
)
def test_values_out_of_range_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(BadInput) as bad:
        size(**{"rate": 1.0, "capacity": 2.0, name: value})
    assert bad.value.name == name
    assert "allowed" in bad.value.message


def test_age_grows_only_where_reading_is_slower_than_arriving() -> None:
    assert until_lost(1000, 800, DAY / 2, DAY) == pytest.approx(2.5 * DAY)
    assert until_lost(1000, 1000, DAY / 2, DAY) == math.inf
    assert until_lost(1000, 2000, 2 * DAY, DAY) == 0


def test_the_largest_outage_is_what_the_deadline_makes_up_for() -> None:
    answer = borne(rate=10_000.0, capacity=16_000.0, deadline=1800.0)
    assert answer.value("largest_backlog") == 10_800_000
    assert answer.value("longest_outage") == 1080


def test_the_outage_is_no_longer_than_the_retention() -> None:
    answer = borne(rate=1.0, capacity=10.0, deadline=DAY, retention=DAY)
    assert answer.value("longest_outage") == DAY
    assert answer.binding == "the source keeps records for 1 d"


def test_a_failure_takes_its_part_of_the_outage() -> None:
    known = {"rate": 1000.0, "capacity": 2000.0, "deadline": 600.0}
    assert borne(**known, failure=True, checkpoint_interval=60.0).value("longest_outage") == 600 - 141
    assert borne(**known, failure=True, checkpoint_interval=3600.0).errors


def test_the_sink_decides_where_it_takes_less() -> None:
    answer = borne(rate=1000.0, capacity=5000.0, deadline=100.0, sink_limit=3000.0, fan_out=2.0)
    assert answer.value("largest_backlog") == 50_000


def test_without_anything_left_over_no_outage_is_safe() -> None:
    answer = borne(rate=1000.0, capacity=1000.0, deadline=100.0)
    assert answer.value("longest_outage") == 0
    assert answer.errors


rates = st.floats(1, 1e6)


@given(rates, st.floats(1.01, 10), st.floats(60, 1e6))
def test_the_backlog_that_is_borne_takes_the_deadline(rate: float, factor: float, deadline: float) -> None:
    known = {"rate": rate, "capacity": rate * factor}
    outage = borne(**known, deadline=deadline).value("longest_outage")
    assert size(**known, downtime=outage).value("catch_up_time") == pytest.approx(deadline)


@given(rates, rates, st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_larger_backlog_never_takes_less(rate: float, capacity: float, one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert catch_up_time(rate, capacity, low) <= catch_up_time(rate, capacity, high)


@given(rates, st.integers(1, 10**9), st.floats(1, 1e6))
def test_the_capacity_for_a_deadline_meets_it(rate: float, backlog: int, deadline: float) -> None:
    capacity = capacity_for(rate, backlog, deadline)
    if capacity > rate * (1 + 1e-6):
        assert catch_up_time(rate, capacity, backlog) == pytest.approx(deadline, rel=1e-3)


@given(st.integers(1, 100))
def test_units_of_time_play_no_part(hours: int) -> None:
    downtime = next(declared for declared in inputs_of(CatchUp) if declared.name == "downtime")
    assert downtime.read(f"{hours}h") == downtime.read(f"{hours * 60} min") == downtime.read(f"{hours * 3600}s")


@pytest.mark.parametrize("reverse", [False, True])
def test_the_examples_run(reverse: bool) -> None:
    way = calculator("catch-up").way(reverse=reverse)
    by_name = {declared.name: declared for declared in inputs_of(way.inputs)}
    known = {name: by_name[name].read(text) for name, text in way.example.items()}
    answer = way.answer(collect(way.inputs, known), RELEASE)
    assert answer.values[0].value > 0
    assert answer.chart is not None or reverse


def test_the_chart_runs_from_the_stop_to_the_end_of_the_backlog() -> None:
    chart = size(rate=10.0, capacity=20.0, lag=100, downtime=60.0).chart
    assert chart is not None
    assert chart.series[0].points[0] == (-60.0, 100.0)
    assert chart.series[0].points[-1] == pytest.approx((70.0, 0.0))
    assert [(point.x, point.y) for point in chart.points] == [(0.0, 700.0), (pytest.approx(70.0), 0.0)]


def test_a_capacity_that_just_reads_what_arrives_has_no_headroom_but_no_backlog_either() -> None:
    answer = size_catch_up(CatchUp(rate=10_000, capacity=10_000), RELEASE)
    assert answer.value("catch_up_time") == 0
    assert answer.errors == ()
    assert answer.warnings == (
        ("the job reads 10 000/s and as many arrive: there is no headroom, and a backlog is never caught up"),
    )
    stuck = size_catch_up(CatchUp(rate=10_000, capacity=10_000, lag=5), RELEASE)
    assert stuck.errors[0].endswith("the backlog is never read, it stays as large as it is")
    assert "grows by 1 000/s" in size_catch_up(CatchUp(rate=10_000, capacity=9000), RELEASE).errors[0]


def test_a_sink_that_bears_less_than_arrives_is_told_without_a_rate_below_zero() -> None:
    answer = load_of_catch_up(CurrentCatchUp(rate=1000.0, capacity=2000.0, sink_limit=10.0, deadline=60.0), RELEASE)
    assert answer.binding == "the sink sustains 10/s of reading, no more than the 1 000/s that arrive"
