"""What is fed to the parallelism of a vertex, case by case."""

from __future__ import annotations

import numpy as np
import pytest

from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.evidence import Evidence
from flink_flint.calculators.history.recommend.feeds import vertices
from flink_flint.calculators.history.recommend.fill_inputs import Fed, Lacking, Vertex, run_calculator
from flink_flint.calculators.history.samples import OPERATOR
from tests.history.observations import around, evidence, seen
from tests.history.test_feeding import job_of, lacking, only

SLOTS = 14 * 288
IN, OUT = "numRecordsInPerSecond", "numRecordsOutPerSecond"
STEADY, CATCH_UP = ".vertex.steady", ".vertex.catchup"
TRUE, BUSY, ARRIVALS = "trueProcessingRate.vertex", "busyTimeMsPerSecond", "arrivalRate"


def of(metric: str, value: float, subtasks: int = 1, count: int = SLOTS, *, task: str = "map") -> Observed:
    """A metric that has one value at all times in each subtask."""
    return seen(metric, np.full((subtasks, count), float(value)), step=300, task=task)


def task_of(*observed: Observed) -> Evidence:
    return evidence(*observed)


def fed_of(*observed: Observed, topology: tuple[Vertex, ...] = ()) -> Fed:
    return only(vertices.feed(job_of(*observed), around({}, *topology)))


@pytest.mark.parametrize(
    ("metric", "is_source"), [("catchingUp", True), (OUT + STEADY, True), (OUT, False), (IN + STEADY, False)]
)
def test_a_source_is_known_by_its_signals(metric: str, is_source: bool) -> None:
    assert vertices.is_source(task_of(of(metric, 1))) == is_source


@pytest.mark.parametrize(
    ("observed", "metric"),
    [
        ([of(IN, 1)], IN),
        ([of(IN, 1), of(IN + STEADY, 1)], IN + STEADY),
        ([of(IN, 1), of(IN + STEADY, 1, count=30)], IN + STEADY),
        ([of(IN, 1), of(IN + STEADY, 1, count=29)], IN),
        ([of(IN + STEADY, 1)], IN + STEADY),
        ([of(OUT, 1), of(OUT + STEADY, 1), of(IN + STEADY, 1)], OUT + STEADY),
        ([of(OUT, 1), of("catchingUp", 0)], OUT),
        ([], IN),
    ],
)
def test_the_rate_is_that_of_the_vertex_without_catch_ups_where_it_is_known(
    observed: list[Observed], metric: str
) -> None:
    assert vertices.rate_metric(task_of(*observed, of("x", 1))) == metric


@pytest.mark.parametrize(
    ("observed", "rate", "metric"),
    [
        ([of(IN, 25, 4)], 100, IN),
        ([of(IN, 25, 4), of(IN + STEADY, 90)], 90, IN + STEADY),
        # A job that was restarted has two series of the vertex on one day.
        ([of(IN, 25, 4), of(IN + STEADY, 90, 2)], 90, IN + STEADY),
        ([of(IN, 25, 4), of(ARRIVALS, 120, 2)], 120, ARRIVALS),
        ([of(IN, 25, 4), of(ARRIVALS, 0)], 100, IN),
        ([of(IN, 25, 4), of(ARRIVALS, 120, count=59)], 100, IN),
        ([of(IN, 25, 4), of(IN + STEADY, 90), of(ARRIVALS, 120)], 120, ARRIVALS),
        ([of(IN + STEADY, 90, count=30)], 90, IN + STEADY),
    ],
)
def test_the_demand_is_what_arrives_else_what_all_subtasks_take(
    observed: list[Observed], rate: float, metric: str
) -> None:
    found = vertices.demand_on(task_of(*observed))
    assert found is not None
    figure, demand = found
    assert (figure.value, figure.peak) == (pytest.approx(rate, rel=0.006), pytest.approx(rate, rel=0.006))
    assert figure.metric == metric
    assert demand is not None
    assert len(demand) == len(seen_of(observed, metric))


def seen_of(observed: list[Observed], metric: str) -> np.ndarray:  # type: ignore[type-arg]
    time_series = next(one.time_series for one in observed if one.group.metric == metric)
    assert time_series is not None
    return time_series.times


def test_too_few_samples_are_no_demand() -> None:
    assert vertices.demand_on(task_of(of(IN, 25, count=59))) is None
    assert vertices.demand_on(task_of(of("x", 25))) is None
    assert "59 samples" in lacking(vertices.feed(job_of(of(IN, 25, count=59)), around()))
    assert list(vertices.feed(job_of(of("x", 25)), around())) == []


@pytest.mark.parametrize(
    ("topology", "parallelism", "max_parallelism", "keyed", "assumes"),
    [
        ((), 4, None, True, True),
        ((Vertex("1", "map", 6, 96, (("0", "REBALANCE"),)),), 6, 96, False, False),
        ((Vertex("1", "map", 6, 96, (("0", "hash"),)),), 6, 96, True, False),
        ((Vertex("1", "map", 6, 96, (("0", "FORWARD"), ("9", "KEYED"))),), 6, 96, True, False),
        ((Vertex("1", "map", 0, 0, ()),), 4, None, False, False),
        ((Vertex("1", "map", 1, -1, ()),), 1, None, False, False),
        ((Vertex("1", "elsewhere", 6, 96, ()),), 4, None, True, True),
    ],
)
def test_the_shape_is_the_one_of_the_topology_else_that_of_most_vertices(
    topology: tuple[Vertex, ...], parallelism: int, max_parallelism: int | None, keyed: bool, assumes: bool
) -> None:
    fed = fed_of(of(IN, 25, 4), of(TRUE, 400), topology=topology)
    assert (fed.given["parallelism"], fed.given.get("max_parallelism"), fed.given["keyed"]) == (
        parallelism, max_parallelism, keyed
    )  # fmt: skip
    assert bool(fed.assumed) == assumes


def test_a_source_shares_no_key_groups() -> None:
    fed = fed_of(of(OUT, 25, 4), of(OUT + STEADY, 100), of(TRUE, 400))
    assert (fed.given["keyed"], fed.assumed) == (False, ())
    assert fed.meaning == "Records that the source receives"
    assert fed_of(of(IN, 25, 4), of(TRUE, 400)).meaning == "Records that reach the vertex"


@pytest.mark.parametrize(
    ("observed", "parallelism"),
    [
        ([of(BUSY, 5, 7), of("numRecordsIn", 1, 6), of(OUT, 1, 5), of(IN, 30, 4)], 7),
        ([of("numRecordsIn", 1, 6), of(OUT, 1, 5), of(IN, 30, 4)], 6),
        ([of(OUT, 1, 5), of(IN, 30, 4)], 5),
        ([of(IN, 30, 4)], 4),
        ([of(IN + STEADY, 30)], 1),
    ],
)
def test_without_a_topology_the_subtasks_that_report_are_counted(observed: list[Observed], parallelism: int) -> None:
    assert fed_of(*observed, of(TRUE, 400)).given["parallelism"] == parallelism


def test_the_subtasks_that_reported_lately_count() -> None:
    busy = of(BUSY, 5, 7)
    time_series = busy.time_series
    assert time_series is not None
    series = np.full(SLOTS, 7, np.int32)
    series[-12:] = 3
    changed = type(busy)(**{**busy.__dict__, "time_series": time_series._replace(series=series)})
    assert fed_of(of(IN, 25, 4), of(TRUE, 400), changed).given["parallelism"] == 3
    unknown = type(busy)(**{**busy.__dict__, "time_series": None})
    assert fed_of(of(IN, 25, 4), of(TRUE, 400), unknown).given["parallelism"] == 7
    empty = time_series._replace(times=time_series.times[:0], series=series[:0])
    emptied = type(busy)(**{**busy.__dict__, "time_series": empty})
    assert fed_of(of(IN, 25, 4), of(TRUE, 400), emptied).given["parallelism"] == 7


# -- the true rate


@pytest.mark.parametrize(
    ("observed", "true", "statistic"),
    [
        ([of(IN, 25, 4), of(TRUE, 400)], 400, "median"),
        ([of(IN, 25, 4), of(TRUE, 40)], 100, "p99, observed"),
        ([of(IN + STEADY, 100), of(TRUE, 40)], 100, "p99, observed"),
        ([of(IN + STEADY, 100), of(ARRIVALS, 50), of(TRUE, 80)], 100, "p99, observed"),
        ([of(IN + STEADY, 100), of(ARRIVALS, 50), of(TRUE, 130)], 130, "median"),
        ([of(IN, 25, 4), of(ARRIVALS, 50), of(TRUE, 80)], 80, "median"),
    ],
)
def test_the_true_rate_is_no_less_than_what_was_seen_processed(
    observed: list[Observed], true: float, statistic: str
) -> None:
    fed = fed_of(*observed)
    assert fed.given["true_rate"] == pytest.approx(true, rel=0.006)
    assert fed.figures["true_rate"].statistic == statistic
    assert fed.doubts == 0


PRESSED = "backPressuredTimeMsPerSecond"


@pytest.mark.parametrize(
    ("pressed", "read", "true"),
    [(750, 300, 1200), (0, 300, 300), (0, 130, 130), (0, 110, None), (1000, 300, None), (1200, 300, None)],
)
def test_a_source_shows_its_true_rate_while_it_catches_up(pressed: float, read: float, true: float | None) -> None:
    source = [of(OUT + STEADY, 100), of(OUT + CATCH_UP, read, count=3), of(BUSY, 250, 2)]
    fed = fed_of(*source, of(PRESSED, pressed))
    if true is None:
        assert "true_rate" not in fed.given
        assert (fed.given["busy"], fed.doubts) == (pytest.approx(0.25, rel=0.006), 1)
    else:
        assert fed.given["true_rate"] == pytest.approx(true, rel=0.01)
        assert fed.doubts == 0


@pytest.mark.parametrize(
    "left_out", [[of(PRESSED, 0)], [of(PRESSED, 0, count=59), of(OUT + CATCH_UP, 300, count=3)], [
        of(PRESSED, 0), of(OUT + CATCH_UP, 300, count=2)]]
)  # fmt: skip
def test_a_source_whose_catch_ups_were_not_seen_is_judged_by_its_busy_time(left_out: list[Observed]) -> None:
    fed = fed_of(of(OUT + STEADY, 100), of(BUSY, 250, 2), *left_out)
    assert fed.given["processed"] == pytest.approx(100, rel=0.006)
    assert "true_rate" not in fed.given


def test_an_operator_is_never_judged_by_catch_ups() -> None:
    catching = (of(PRESSED, 0), of(OUT + CATCH_UP, 300, count=3))
    assert "true_rate" not in fed_of(of(IN, 25, 4), of(BUSY, 250, 4), *catching).given


@pytest.mark.parametrize(
    ("observed", "processed"),
    [
        ([of(IN, 25, 4), of(BUSY, 250, 4)], 100),
        ([of(IN + STEADY, 90, 2), of(BUSY, 250, 4)], 90),
        ([of(IN, 20, 4), of(IN + STEADY, 90), of(BUSY, 250, 4)], 80),
        ([of(OUT, 20, 4), of("catchingUp", 0), of(BUSY, 250, 4)], 80),
        ([of(OUT, 20, 4), of("catchingUp", 0), of(IN, 7, 4), of(BUSY, 250, 4)], 80),
        ([of(OUT + STEADY, 90), of(IN, 7, 4), of(BUSY, 250, 4)], 90),
    ],
)
def test_without_a_true_rate_the_busy_share_of_the_processed_records_counts(
    observed: list[Observed], processed: float
) -> None:
    fed = fed_of(*observed)
    assert fed.given["processed"] == pytest.approx(processed, rel=0.006)
    assert fed.given["busy"] == pytest.approx(0.25, rel=0.006)
    assert run_calculator(fed).answer.value("parallelism") > 0


def test_a_vertex_that_is_never_busy_shows_no_true_rate() -> None:
    reason = lacking(vertices.feed(job_of(of(IN, 25, 4), of(BUSY, 0, 4)), around()))
    assert reason == "no trueProcessingRate.vertex, it is hardly ever busy"


# -- what becomes of the rates


@pytest.mark.parametrize(
    ("subtasks", "groups", "keyed", "is_off"),
    [
        (8, 128, True, True),
        (9, 128, True, False),  # a subtask with 15 of 128 has 5.5 % more than the average
        (8, 128, False, False),
        (43, 128, True, True),
        (42, 128, True, False),
        (64, 64, True, True),
        (66, 64, True, False),
    ],
)
def test_subtasks_that_share_key_groups_evenly_are_not_aligned(
    subtasks: int, groups: int, keyed: bool, is_off: bool
) -> None:
    # Each of sixty subtasks processes 100 a second, and needs room above what arrives.
    room = fed_of(of(IN, 100), of(TRUE, 100)).given["rate"] * vertices._HEADROOM / 100
    topology = (Vertex("1", "map", 60, groups, (("0", "HASH" if keyed else "REBALANCE"),)),)
    fed = fed_of(of(IN + STEADY, (subtasks - 0.5) * 100 / room), of(TRUE, 6000), topology=topology)
    assert ("alignment" in fed.given) == is_off


def test_rescalings_that_brought_little_lower_the_scalability() -> None:
    def rescaled(rates: tuple[float, float, float], slots: int = 32) -> dict[str, object]:
        one = seen("trueProcessingRate", np.ones(3 * slots), step=300)
        assert one.time_series is not None
        time_series = one.time_series._replace(
            series=np.repeat([2, 4, 8], slots).astype(np.int32), total=np.repeat(rates, slots).astype(np.float32)
        )
        history = type(one)(**{**one.__dict__, "time_series": time_series})
        return dict(fed_of(of(IN, 25, 4), of(TRUE, 400), history).given)

    assert rescaled((2_000.0, 3_000.0, 4_800.0))["scalability"] == pytest.approx(0.64, abs=0.03)
    assert "scalability" not in rescaled((2_000.0, 4_000.0, 8_000.0))
    assert "scalability" in rescaled((2_000.0, 3_000.0, 4_800.0), 12)
    assert "scalability" not in rescaled((2_000.0, 3_000.0, 4_800.0), 11)


def test_a_true_rate_without_a_course_shows_no_rescaling() -> None:
    one = of("trueProcessingRate", 100)
    unknown = type(one)(**{**one.__dict__, "time_series": None})
    assert "scalability" not in fed_of(of(IN, 25, 4), of(TRUE, 400), unknown).given


@pytest.mark.parametrize(("is_async", "only_up"), [(True, True), (False, False)])
def test_a_vertex_that_waits_for_a_service_is_never_made_smaller(is_async: bool, only_up: bool) -> None:
    name = "async calls" if is_async else "calls"
    calls = seen("inFlight", np.full(SLOTS, 0.0), scope=OPERATOR, task="map", operator=name, step=300)
    fed = fed_of(of(IN, 25, 4), of(TRUE, 400), calls)
    assert fed.wanted[0].only_up == only_up
    assert any("calls to a service" in one for one in fed.remarks) == is_async


@pytest.mark.parametrize(
    ("high_slots", "main", "rate", "covers"),
    [
        (288, "need of the next day", "p95", True),
        (20, "p95", "p95", False),  # less than the usual peak will do
        (12, "need of the next day", "need of the next day", False),  # the usual rate has no room for an hour's peak
    ],
)
def test_the_need_of_the_next_day_counts_beside_the_usual_peak(
    high_slots: int, main: str, rate: str, covers: bool
) -> None:
    day = np.concatenate([np.full(288 - high_slots, 10.0), np.full(high_slots, 100.0)])
    fed = fed_of(seen(IN, np.tile(day, 14), step=300), of(TRUE, 400))
    assert (fed.main.statistic, fed.figures["rate"].statistic) == (main, rate)
    assert any("cover that need" in one for one in fed.remarks) == covers


# -- behind a source

SOURCE = Vertex("1", "source", 2, 128, ())
BEHIND = Vertex("2", "window", 10, 128, (("1", "HASH"),))


def chain(
    arriving: float, *, sent: float = 100, taken: float = 100, source_true: float = 1000, true: float = 150
) -> list[Observed]:
    return [
        of(OUT + STEADY, sent, task="source"),
        of(ARRIVALS, arriving, task="source"),
        of(TRUE, source_true, task="source"),
        of(IN + STEADY, taken, task="window"),
        of(TRUE, true, task="window"),
    ]


def rates(*observed: Observed, topology: tuple[Vertex, ...] = (SOURCE, BEHIND)) -> dict[str, float]:
    found = vertices.feed(job_of(*observed), around({}, *topology))
    return {one.about.task: one.given["rate"] for one in found if isinstance(one, Fed)}


def test_a_vertex_behind_a_source_gets_what_the_source_would_send_it() -> None:
    found = rates(*chain(300))
    assert found["window"] == pytest.approx(found["source"])
    half = rates(*chain(300, taken=50))
    assert half["window"] == pytest.approx(half["source"] / 2, rel=0.01)


@pytest.mark.parametrize(
    "unlike",
    [
        {"observed": chain(105)},
        {"observed": chain(300), "topology": ()},
        {"observed": [*chain(300), of(OUT + STEADY, 5, task="source2"), of(TRUE, 9, task="source2")]},
        {"observed": [*chain(300)[:-1], of(BUSY, 800, task="window")]},
        {"observed": [*chain(300)[:2], *chain(300)[3:], of(BUSY, 800, task="source")]},
        {"observed": chain(300, sent=0)},
    ],
)
def test_a_vertex_keeps_its_own_rate_where_its_source_shows_no_more(unlike: dict[str, object]) -> None:
    found = rates(*unlike["observed"], topology=unlike.get("topology", (SOURCE, BEHIND)))  # type: ignore[misc,arg-type]
    alone = rates(*(one for one in unlike["observed"] if one.group.task == "window"))  # type: ignore[attr-defined]
    assert found["window"] == alone["window"]


def test_the_source_itself_and_the_text_of_the_remark() -> None:
    found = [one for one in vertices.feed(job_of(*chain(300)), around({}, SOURCE, BEHIND)) if isinstance(one, Fed)]
    source, behind = found
    assert not any("its source receives" in one for one in source.remarks)
    (text,) = (one for one in behind.remarks if "its source receives" in one)
    assert text.endswith("that alone requires 20 subtasks")
    assert behind.figures["rate"].statistic == "from the source's demand"


def test_what_lacks_rates_is_told_before_the_rest() -> None:
    found = list(vertices.feed(job_of(of(IN, 0, task="a"), of(IN, 5, task="b"), of(TRUE, 9, task="b")), around()))
    assert [type(one) for one in found] == [Lacking, Fed]
