"""The scores of a backtest as its page shows them."""

from __future__ import annotations

from flink_flint.calculators.history.backtest.score_report import OURS, Backtest, Figures, Point, Row, TraceRow
from flink_flint.calculators.pages.backtest_page import judged_of
from flink_flint.calculators.pages.charts import CurvePoint

SAFE = next(method.name for method in OURS if method.tier == "safe")
ELASTIC = next(method.name for method in OURS if method.tier == "elastic")


def figures(slack: float, over: float, lag: float) -> Figures:
    return Figures(over, lag, slack, 0.5, 0.25, 2.0, 3.0)


BACKTEST = Backtest(
    traces=2,
    days=30,
    methods=(
        Row("p99", "safe", figures(60, 2, 4)), Row(SAFE, "safe", figures(50, 1, 3)),
        Row("p99", "elastic", figures(70, 5, 6)), Row(ELASTIC, "elastic", figures(80, 7, 8)),
    ),
    per_trace=(
        TraceRow("shop", SAFE, "safe", 20, figures(51, 1, 3)), TraceRow("shop", "p99", "safe", 20, figures(52, 1, 3)),
        TraceRow("taxi", ELASTIC, "elastic", 10, figures(53, 1, 3)),
    ),
    curve=(
        Point(SAFE, "safe", 0.9, 10, 11, 40), Point(SAFE, "safe", 1.1, 1, 2, 60), Point("p99", "safe", 1.1, 3, 4, 60),
        Point(ELASTIC, "elastic", 1.0, 5, 6, 70),
    ),
)  # fmt: skip


def test_each_tier_has_its_methods_series_and_curve() -> None:
    judged = judged_of(BACKTEST)
    assert judged.summary.startswith("2 series, 30 days")
    safe, elastic = judged.tiers
    assert [(one.number, one.name, one.is_ours) for one in safe.methods] == [(1, "p99", False), (2, SAFE, True)]
    assert [(one.number, one.name, one.is_ours) for one in elastic.methods] == [(1, "p99", False), (2, ELASTIC, True)]
    assert [(one.name, one.days) for one in safe.series] == [("shop", 20)]
    assert [(one.name, one.days) for one in elastic.series] == [("taxi", 10)]
    # Time over a hard limit, time behind a rate.
    assert safe.curve.lines == ((SAFE, ((0.4, 0.1), (0.6, 0.01))),)
    assert elastic.curve.lines == ((ELASTIC, ((0.7, 0.06),)),)
    assert safe.curve.points == (CurvePoint(1, "p99", 0.6, 0.02, False), CurvePoint(2, SAFE, 0.5, 0.01, True))
    assert elastic.curve.points == (CurvePoint(1, "p99", 0.7, 0.06, False), CurvePoint(2, ELASTIC, 0.8, 0.08, True))


def test_figures_have_two_decimals() -> None:
    judged = judged_of(BACKTEST)
    assert judged.tiers[0].methods[1].figures[:3] == ("1.00", "3.00", "50.00")
