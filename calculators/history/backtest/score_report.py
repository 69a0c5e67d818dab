"""The report of a backtest: the scores of all methods, overall and per trace, and a trade-off curve."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from flink_flint.calculators.history.backtest.rolling_origin import capacity_for, origins
from flink_flint.calculators.history.backtest.score import Score, judge
from flink_flint.calculators.history.methods.baselines import BASELINES
from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.methods.elastic import ELASTIC
from flink_flint.calculators.history.methods.method import Method, Tier
from flink_flint.calculators.history.methods.safe import SAFE
from flink_flint.linter.text.named_tuple import NamedTuple

OURS = (SAFE, ELASTIC)
METHODS = (*OURS, *BASELINES)

FACTORS = (0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0)
"""The factors by which a method's capacity is multiplied for the points of its trade-off curve."""

BAD_DAY = 0.01
"""The maximum share (0 to 1) of samples above the capacity on a day that does not count as bad."""


class Figures(NamedTuple):
    """Mean scores over equally weighted days, in percent (slack and excess from -100 to 100)."""

    over: float
    lag: float
    slack: float
    excess: float
    under: float
    bad_days_over: float
    """The percentage of days with more than 1 % of their samples above the capacity."""
    bad_days_lag: float
    """The percentage of days on which the queued work is more than 300 s behind at any time."""

    def as_json(self) -> dict[str, float]:
        """Return the rounded scores by their names in the JSON report."""
        names = ("U", "lag", "slack", "xs", "under", "bad_days_u", "bad_days_lag")
        return {name: round(value, 4) for name, value in zip(names, self, strict=True)}


class Row(NamedTuple):
    """The mean scores of a method over all days."""

    name: str
    tier: Tier
    figures: Figures


class TraceRow(NamedTuple):
    """The mean scores of a method over the days of one trace."""

    trace: str
    name: str
    tier: Tier
    days: int
    figures: Figures


class Point(NamedTuple):
    """A point on the trade-off curve: a method's mean scores when its capacity is multiplied by a factor."""

    name: str
    tier: Tier
    factor: float
    over: float
    lag: float
    slack: float


class Backtest(NamedTuple):
    """The scores of all methods over all series."""

    traces: int
    days: int
    """The number of scored days over all traces."""
    methods: tuple[Row, ...]
    per_trace: tuple[TraceRow, ...]
    curve: tuple[Point, ...]

    def as_text(self) -> str:
        """Return two tables for each tier (kind of setting): all methods, and flint's own method trace by trace."""
        parts = [f"{self.traces} traces, {self.days} recommendation-days; means over days, in percent"]
        for tier, title in (("safe", "Safe tier: hard limits"), ("elastic", "Elastic tier: throughput")):
            rows = [row for row in self.methods if row.tier == tier]
            parts.append(table(title, [(row.name, row.figures) for row in rows]))
            ours = [row for row in self.per_trace if row.tier == tier and row.name in {own.name for own in OURS}]
            if ours:
                names = [(f"{row.trace} ({row.days} d)", row.figures) for row in ours]
                parts.append(table(f"{ours[0].name}, trace by trace", names))
        return "\n\n".join(parts) + "\n"

    def as_json(self) -> str:
        """Return the scores and the trade-off curve as JSON text; all shares are in percent."""
        return json.dumps(
            {
                "version": 1,
                "unit": "percent",
                "traces": self.traces,
                "days": self.days,
                "methods": [{"name": row.name, "tier": row.tier, **row.figures.as_json()} for row in self.methods],
                "per_trace": [
                    {
                        "trace": row.trace,
                        "name": row.name,
                        "tier": row.tier,
                        "days": row.days,
                        **row.figures.as_json(),
                    }
                    for row in self.per_trace
                ],
                "curve": [
                    {
                        "name": point.name,
                        "tier": point.tier,
                        "factor": point.factor,
                        "U": round(point.over, 4),
                        "lag": round(point.lag, 4),
                        "slack": round(point.slack, 4),
                    }
                    for point in self.curve
                ],
            },
            indent=2,
        )


COLUMNS = ("U", "lag", "slack", "xs", "under", "days U>1", "days lag")


def table(title: str, rows: Sequence[tuple[str, Figures]]) -> str:
    """Return a text table of scores under a title."""
    width = max(len(title), *(len(name) for name, _ in rows)) if rows else len(title)
    lines = [f"{title:<{width}}" + "".join(f"{column:>10}" for column in COLUMNS)]
    lines += [f"{name:<{width}}" + "".join(f"{value:>10.2f}" for value in figures) for name, figures in rows]
    return "\n".join(lines)


def figures(scores: Iterable[Score]) -> Figures:
    """Return the mean scores over all given days; raise `ValueError` if there are no days."""
    listed = list(scores)
    if not listed:
        raise ValueError("no days to average over")
    over, lag, slack, excess, under = (float(mean) * 100 for mean in np.mean(np.array(listed), axis=0))
    bad_over = 100 * sum(score.over > BAD_DAY for score in listed) / len(listed)
    bad_lag = 100 * sum(score.lag > 0 for score in listed) / len(listed)
    return Figures(over, lag, slack, excess, under, bad_over, bad_lag)


def backtest(series: Mapping[str, Demand], methods: Sequence[Method] = METHODS) -> Backtest:
    """Score each method on each day of each series; raise `ValueError` if no series is long enough to score a day."""
    days = {name: list(origins(demand)) for name, demand in series.items()}
    days = {name: listed for name, listed in days.items() if listed}
    count = sum(len(listed) for listed in days.values())
    if not count:
        raise ValueError("no series has a week of samples followed by a whole day to score")
    rows: list[Row] = []
    per_trace: list[TraceRow] = []
    curve: list[Point] = []
    for method in methods:
        scores: list[Score] = []
        learned = {name: [capacity_for(method, origin) for origin in listed] for name, listed in days.items()}
        for name, listed in days.items():
            judged = [
                judge(origin.day, capacity, origin.step) for origin, capacity in zip(listed, learned[name], strict=True)
            ]
            per_trace.append(TraceRow(name, method.name, method.tier, len(judged), figures(judged)))
            scores += judged
        row = Row(method.name, method.tier, figures(scores))
        rows.append(row)
        for factor in FACTORS if method in OURS else (1.0,):
            mean = row.figures
            if factor != 1.0:
                mean = figures(
                    judge(origin.day, capacity * factor, origin.step)
                    for name, listed in days.items()
                    for origin, capacity in zip(listed, learned[name], strict=True)
                )
            curve.append(Point(method.name, method.tier, factor, mean.over, mean.lag, mean.slack))
    return Backtest(len(days), count, tuple(rows), tuple(per_trace), tuple(curve))
