"""A backtest as an HTML page and as a section of a history page: tables of methods and trade-off curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flink_flint.calculators.formulas.quantity import FRACTION, counted
from flink_flint.calculators.pages.charts import Curve, CurvePoint
from flink_flint.calculators.pages.html_page import whole_page
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.calculators.history.backtest.score_report import Backtest, Figures


class Method(NamedTuple):
    """A method's row in the table of scores; `number` identifies the method's mark in the chart."""

    number: int
    name: str
    figures: tuple[str, ...]
    is_ours: bool = False


class Series(NamedTuple):
    """The scores of flint's method on one time series."""

    name: str
    days: int
    figures: tuple[str, ...]


class Tier(NamedTuple):
    """The scores of all methods for one kind of setting, with their trade-off curve."""

    title: str
    curve: Curve
    columns: tuple[str, ...]
    methods: tuple[Method, ...]
    series: tuple[Series, ...] = ()


class Judged(NamedTuple):
    """The scores of all methods on days that they did not learn from."""

    summary: str
    tiers: tuple[Tier, ...]


class _Kind(NamedTuple):
    name: str
    title: str
    paid: str
    """The field of figures that measures the cost."""
    words: str


_TIERS = (
    _Kind("safe", "Hard limits: memory", "over", "time over"),
    _Kind("elastic", "Throughput: parallelism, rates", "lag", "time behind"),
)


def backtest_page(backtest: Backtest, source: str) -> str:
    """Render a backtest as an HTML page; raise ValueError if Jinja2 is not installed."""
    return whole_page("backtest.html.j2", source=source, judged=judged_of(backtest))


def judged_of(backtest: Backtest) -> Judged:
    """Return the scores of a backtest with their trade-off curves."""
    summary = (
        f"{counted(backtest.traces, 'series', 'series')}, {counted(backtest.days, 'day')}: each day was scored with "
        "what was learned from the days before it. In the charts, down and to the left is better. All figures are "
        "percent: U is the time with more demand than capacity; lag the time that a queue is more than 5 min behind; "
        "slack the unused capacity; xs the slack beyond that of the day's own maximum; under how far the capacity "
        "falls short of the day's p99; days U>1 and days lag are the days with U above 1 % and with any lag."
    )
    return Judged(summary, tuple(_tier(backtest, kind) for kind in _TIERS))


def _tier(backtest: Backtest, kind: _Kind) -> Tier:
    from flink_flint.calculators.history.backtest.score_report import COLUMNS, OURS

    ours = {method.name for method in OURS}
    rows = [row for row in backtest.methods if row.tier == kind.name]
    places: dict[str, list[tuple[float, float]]] = {}
    for point in backtest.curve:
        if point.tier == kind.name and point.name in ours:
            places.setdefault(point.name, []).append((point.slack / 100, getattr(point, kind.paid) / 100))
    points = tuple(
        CurvePoint(number, row.name, row.figures.slack / 100, getattr(row.figures, kind.paid) / 100, row.name in ours)
        for number, row in enumerate(rows, 1)
    )
    curve = Curve(
        title=f"{kind.words.capitalize()} against slack",
        x="slack",
        x_unit=FRACTION,
        y=kind.words,
        y_unit=FRACTION,
        lines=tuple((name, tuple(line)) for name, line in places.items()),
        points=points,
        note="The line is flint's method with its capacity multiplied by factors; each mark is a method of the table.",
    )
    methods = tuple(
        Method(number, row.name, _spelled(row.figures), row.name in ours) for number, row in enumerate(rows, 1)
    )
    series = tuple(
        Series(row.trace, row.days, _spelled(row.figures))
        for row in backtest.per_trace
        if row.tier == kind.name and row.name in ours
    )
    return Tier(kind.title, curve, COLUMNS, methods, series)


def _spelled(figures: Figures) -> tuple[str, ...]:
    return tuple(f"{value:.2f}" for value in figures)
