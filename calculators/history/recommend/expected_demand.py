"""The expected demand of the next day: learned from a long history, or a short history's peak with a margin."""

from __future__ import annotations

import numpy as np

from flink_flint.calculators.formulas.quantity import NUMBER, Unit
from flink_flint.calculators.history.backtest.rolling_origin import Origin
from flink_flint.calculators.history.backtest.score import judge
from flink_flint.calculators.history.methods.demand import DAY_SECONDS, Demand
from flink_flint.calculators.history.methods.elastic import BELIEFS, ELASTIC
from flink_flint.calculators.history.methods.method import MIN_SAMPLES, Method
from flink_flint.calculators.history.methods.safe import SAFE
from flink_flint.calculators.history.recommend.evidence import Figure, widened
from flink_flint.linter.text.named_tuple import NamedTuple

LEARNING_DAYS = 14
"""The number of most recent days of a series that a method learns from."""
SCORED_DAYS = 28
"""The number of most recent days of a series used for scores; older samples usually belong to another job."""
_SCORED_STEP = 1800
_SCORED_BACK = (1, 3, 5, 7)
"""Days, counted back from the last, that a method is scored on, each learned from the days before it. More days would
show little more and take longer."""
_HOUR = 3600
_WEEK_HOURS = 168
_SEASON_DAYS = 14
_SEASON_ABOVE = 1.05
"""Ratio to the ordinary need below which a recurring hour is ignored."""
_SHORT_MARGIN = 1.2
"""Margin on the peak of a history that is too short to learn from, before it is widened."""

METHOD_HALF_LIFE = BELIEFS.half_life_days

METHODS = {"elastic": ELASTIC, "safe": SAFE}


class Expected(NamedTuple):
    """The demand to plan for, with its margin and reasons."""

    figure: Figure
    margin: float
    """The demand to plan for, divided by the largest sample."""
    remarks: tuple[str, ...]
    """Phrases that explain why this demand was chosen."""


def expected(demand: Demand, figure: Figure, tier: str, unit: Unit = NUMBER) -> Expected:
    """Return the expected demand of the next day; `figure` is any statistic of the same series, in `unit`.

    With fewer than 60 slots no method can learn: the demand is then the peak with a margin, which is wider for a short
    history.
    """
    past = demand.between(demand.end - LEARNING_DAYS * DAY_SECONDS, demand.end)
    largest = float(past.values.max()) if len(past) else figure.peak
    if len(past) < MIN_SAMPLES:
        margin = widened(_SHORT_MARGIN, figure.days)
        return Expected(figure.becomes("peak with a margin", largest * margin), margin, ())
    learned = METHODS[tier].learn(past)
    margin = widened(learned.margin, figure.days) if learned.margin > 1 else learned.margin
    need, remarks = largest * margin, [learned.basis(unit.spell)]
    season = weekly_peak(demand)
    if season is not None and season.value > need * _SEASON_ABOVE:
        remarks.append(
            f"the same hour of the week ({season.hour}) reached {unit.spell(season.value)} in {season.weeks} weeks"
        )
        need, margin = season.value, season.value / largest if largest else 1.0
    return Expected(figure.becomes("need of the next day", need)._replace(peak=largest), margin, tuple(remarks))


class Season(NamedTuple):
    """The hour of the week in which demand regularly is highest."""

    hour: str
    """The hour of the week as text: ``Mon 03:00``."""
    value: float
    weeks: int


_WEEKDAYS = ("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed")
"""The epoch began on a Thursday."""


def weekly_peak(demand: Demand) -> Season | None:
    """Return the hour of the week with the highest recurring demand in four weeks; None for less than two weeks.

    Each hour of the week counts with the median of its peaks, so a single peak is ignored.
    """
    if demand.span < _SEASON_DAYS * DAY_SECONDS:
        return None
    recent = demand.between(demand.end - SCORED_DAYS * DAY_SECONDS, demand.end)
    hours = recent.times // _HOUR
    starts = np.flatnonzero(np.diff(hours, prepend=hours[0] - 1))
    peaks = np.maximum.reduceat(recent.values, starts)
    of_week, week = hours[starts] % _WEEK_HOURS, (demand.end // _HOUR - 1 - hours[starts]) // _WEEK_HOURS
    table = np.full((_WEEK_HOURS, int(week.max()) + 1), np.nan)
    table[of_week, week] = peaks
    known = np.isfinite(table).sum(axis=1)
    often = np.flatnonzero(known >= 2)
    if not len(often):
        return None
    ordered = np.sort(table[often], axis=1)  # NaN come last
    counts = known[often]
    # The lower median: of two weeks, both must have reached it.
    middle = ordered[np.arange(len(often)), (counts - 1) // 2]
    best = int(np.argmax(middle))
    hour = int(often[best])
    return Season(f"{_WEEKDAYS[hour // 24]} {hour % 24:02d}:00 UTC", float(middle[best]), int(counts[best]))


class MethodScore(NamedTuple):
    """The score of a method on past days, as shares from 0 to 1."""

    over: float
    lag: float
    slack: float
    days: int


def scored(demand: Demand, tier: str) -> MethodScore | None:
    """Return the score of a method on past days of a series; None if no day has enough history before it.

    It uses at most the last 28 days, in half hours, and scores four days of the last week that have enough history.
    """
    series = coarser(demand.between(demand.end - SCORED_DAYS * DAY_SECONDS, demand.end), _SCORED_STEP)
    method = METHODS[tier]
    scores = [
        judge(origin.day, method.learn(origin.past).capacity, origin.step) for origin in _last_days(series, method)
    ]
    if not scores:
        return None
    over, lag, slack = (float(np.mean([getattr(score, name) for score in scores])) for name in ("over", "lag", "slack"))
    return MethodScore(over, lag, slack, len(scores))


def _last_days(series: Demand, method: Method) -> list[Origin]:
    found: list[Origin] = []
    for back in _SCORED_BACK:
        start = series.end - back * DAY_SECONDS
        past = series.between(start - LEARNING_DAYS * DAY_SECONDS, start)
        day = series.between(start, start + DAY_SECONDS)
        if len(past) < MIN_SAMPLES:
            break
        if len(day):
            found.append(Origin(start, past, day, series.step))
    return found


def coarser(demand: Demand, step: int) -> Demand:
    """Return the demand averaged over intervals of `step` seconds; unchanged if its own steps are at least as long."""
    if not len(demand) or demand.step >= step:
        return demand
    slots = demand.times // step
    starts = np.flatnonzero(np.diff(slots, prepend=slots[0] - 1))
    counts = np.diff(np.append(starts, len(slots)))
    return Demand(slots[starts] * step, np.add.reduceat(demand.values, starts) / counts)
