"""The expected demand of the next day, and the capacity with the lowest cost.

## The idea
Each day of the history is one way the next day may go; recent days weigh more. So is a day on which the last hours
just go on, for a level that has changed tends to stay. None of them comes back exactly: each is taken larger and
smaller too, by a factor whose logarithm follows Student's t. Its spread is a share of how much the series' own daily
peaks move from one day to the next, so a steady series gets a narrow margin and a restless one a wide one; few days say
little of that, so a prior keeps the spread of short histories wide, and less than a whole day widens it further. Where
daily means and daily peaks agree that the series grows, the days are first carried along the growth.

From that follow, for each capacity, the share that will stand idle and what will be missed: the time over the capacity,
the time more than 300 s behind, the chance that the day goes over it at all. The chosen capacity makes
`idle share + prices x what is missed` smallest. The prices are those of the tier and the same for every series: they
say how many idle days a missed day is worth. A bursty series, where headroom costs little of the idle share, therefore
gets more of it than a steady one automatically.

## What was tried and left out
None of these was better on real traces by more than one trace left out or put in makes: days of the same weekday
weighing more, seasonal forecasts of the peak, spreads chosen by replaying each series' own past, and the weights of
several experts fitted together.

## Sources
- The one-day-ahead problem with unequal costs is the newsvendor's; spreading each past day is a kernel density estimate
  on the logarithm. The defaults are judged by rolling origins (`flint backtest`).
- Slope and test of growth: Theil-Sen and Kendall, <https://en.wikipedia.org/wiki/Theil%E2%80%93Sen_estimator>
"""

from __future__ import annotations

import math

import numpy as np

from flink_flint.calculators.formulas.quantity import spell_fraction
from flink_flint.calculators.history.methods.demand import DAY_SECONDS, HOUR_SECONDS, Demand, PastDay, Values, past_days
from flink_flint.calculators.history.methods.method import Learned, Spell
from flink_flint.linter.text.named_tuple import NamedTuple

LAG_LIMIT_SECONDS = 300
"""A consumer further behind than this lags."""

STEP = 0.02
"""Candidate capacities lie 2 % apart."""

REACH = 1.8
"""Days are spread up to a factor of `e ** 1.8`, which is 6, up and down."""


class Beliefs(NamedTuple):
    """Assumptions that hold for every series; nothing here is fitted to a single one."""

    half_life_days: float = 3.0
    """A day this much older weighs half."""
    lasting_hours: float = 6.0
    """The last hours that, going on for a whole day, weigh as much as the youngest day."""
    min_spread: float = 0.015
    """Even a series that repeated itself moves by this much, as a logarithm."""
    spread_share: float = 0.4
    """The spread of a day, as a share of the typical step from one daily peak to the next."""
    prior_step: float = 0.2
    """The step from peak to peak, as a logarithm, that is assumed before any was seen."""
    prior_weight: float = 1.0
    """The prior counts as this many observed steps."""
    tail: float = 3.0
    """Degrees of freedom of Student's t: less is a heavier tail."""
    growth_agreement: float = 0.6
    """Kendall's tau, 0 to 1, that daily means and daily peaks must both reach before growth is believed."""
    fastest_growth: float = 0.06
    """Growth beyond this, as a logarithm a day, is not carried on."""
    max_headroom: float = 2.0
    """No capacity is more than this many times the largest sample of the history carried along its growth."""


class Prices(NamedTuple):
    """The cost of exceeding the capacity, in idle days."""

    over: float
    """A day of demand above the capacity."""
    lag: float
    """A day of being more than `LAG_LIMIT_SECONDS` behind."""
    broken: float = 0.0
    """Going over the capacity at all in a day."""
    max_broken: float = 1.0
    """A capacity with a greater chance (0 to 1) of being gone over in a day is not for sale."""


class Outlook(NamedTuple):
    """The expectation for the next day at each candidate capacity, in shares of 0 to 1."""

    capacities: Values
    idle: Values
    over: Values
    lag: Values
    broken: Values
    """The chance that the day goes over the capacity at all."""
    spread: float
    """The scale of the factor on a past day, as a logarithm."""
    growth: float
    """The growth that was carried on, as a logarithm a day."""
    days: float
    """Days of samples in the history: what is missing does not count."""


def growth_a_day(days: list[PastDay], beliefs: Beliefs) -> float:
    """Return the slope of daily means and peaks, as a logarithm per day.

    It is the smaller of both, and 0 unless both clearly grow.
    """
    if len(days) < 6:
        return 0.0
    ages = np.array([day.age for day in days], dtype=np.float64)
    newer, older = np.triu_indices(len(days), 1)
    slopes: list[float] = []
    for level in ([float(day.values.mean()) for day in days], [float(day.values.max()) for day in days]):
        if min(level) <= 0:
            return 0.0
        logs = np.log(np.array(level))
        pairs = (logs[newer] - logs[older]) / (ages[older] - ages[newer])
        if float(np.mean(np.sign(pairs))) < beliefs.growth_agreement:
            return 0.0
        slopes.append(float(np.median(pairs)))
    return min(beliefs.fastest_growth, *slopes)


def spread_of_days(days: list[PastDay], beliefs: Beliefs) -> float:
    """Return the scale of the factor on a past day, as a logarithm, from the changes between daily peaks."""
    highest = max(float(day.values.max()) for day in days)
    peaks = np.log([max(float(day.values.max()), highest * 1e-3) for day in days])
    steps = np.abs(np.diff(peaks))
    # The median absolute step of normal steps is 0.6745 standard deviations, and a step has the variance of two days.
    typical = float(np.median(steps)) / 0.6745 / math.sqrt(2) if len(steps) else 0.0
    weighed = (len(steps) * typical + beliefs.prior_weight * beliefs.prior_step) / (len(steps) + beliefs.prior_weight)
    # Less than a day in all has not seen every hour.
    seen = min(1.0, sum(day.coverage for day in days))
    return math.hypot(beliefs.min_spread, beliefs.spread_share * weighed) / seen


def lasting_day(past: Demand, beliefs: Beliefs, coverage: float) -> PastDay:
    """Return the last hours of a history, repeated until they fill a day."""
    start = past.end - int(beliefs.lasting_hours * HOUR_SECONDS)
    last = past.between(start, past.end).values
    samples = max(len(last), DAY_SECONDS // past.step)
    return PastDay(0, np.resize(last, samples), coverage)


def outlook(past: Demand, beliefs: Beliefs) -> Outlook:
    """Return the expectation for the 24 hours after a history of two samples or more, not all of them 0."""
    days = past_days(past)
    growth = growth_a_day(days, beliefs)
    # Everything is computed in units of the largest sample, so that the unit of the demand cannot matter.
    largest = float(past.values.max())
    scenarios = [*days, lasting_day(past, beliefs, days[0].coverage)]
    grown = [day.values / largest * math.exp(growth * (day.age + 1)) for day in scenarios]
    weights = np.array([0.5 ** (day.age / beliefs.half_life_days) * day.coverage for day in scenarios])
    weights /= weights.sum()
    mean = float(weights @ [float(day.mean()) for day in grown])
    peak = max(float(day.max()) for day in grown)

    # Above the peak nothing is missed, and far below the mean everything: only what lies between is computed.
    # Half a step keeps the candidates off the largest sample, where rounding would decide.
    lowest = math.floor(math.log(max(mean / 4, peak / 400)) / STEP) + 0.5
    grid = np.exp(np.arange(lowest, math.ceil(math.log(peak) / STEP) + 1) * STEP)
    over, lag = missed_shares(grown, weights, grid, past.step)
    # The last hours are not a whole day, and their peak is not that of one.
    peaks = np.array([float(day.max()) for day in grown[:-1]])
    broken = (weights[:-1] / weights[:-1].sum()) @ (peaks[:, np.newaxis] > grid)

    spread = spread_of_days(days, beliefs)
    width = math.ceil(REACH / STEP)
    factors = np.arange(-width, width + 1) * STEP
    kernel = (1 + (factors / spread) ** 2 / beliefs.tail) ** (-(beliefs.tail + 1) / 2)
    kernel /= kernel.sum()
    above = math.ceil(math.log(beliefs.max_headroom) / STEP)

    def spread_out(shares: Values) -> Values:
        padded = np.concatenate([np.full(width, shares[0]), shares, np.zeros(above + width)])
        return np.convolve(padded, kernel, "valid")

    capacities = np.exp((lowest + np.arange(len(grid) + above)) * STEP)
    useful = (capacities >= mean) & (capacities <= beliefs.max_headroom * peak)
    return Outlook(
        capacities[useful] * largest,
        1 - mean / capacities[useful],
        spread_out(over)[useful],
        spread_out(lag)[useful],
        spread_out(broken)[useful],
        spread,
        growth,
        sum(day.coverage for day in days),
    )


def missed_shares(days: list[Values], weights: Values, capacities: Values, step: int) -> tuple[Values, Values]:
    """Return the weighted shares of samples over each capacity, and of samples at which its queue is too far behind."""
    over = np.zeros(len(capacities))
    longest = max(len(day) for day in days)
    # A day that ends early is followed by minus infinity: its queue is empty then, and nothing more counts.
    demand = np.full((longest, len(days), 1), -np.inf)
    for number, (day, weight) in enumerate(zip(days, weights, strict=True)):
        over += weight * (1 - np.searchsorted(np.sort(day), capacities, side="right") / len(day))
        demand[: len(day), number, 0] = day
    backlog = np.zeros((len(days), len(capacities)))
    behind = np.zeros((len(days), len(capacities)))
    limit = LAG_LIMIT_SECONDS / step * capacities
    for sample in demand:
        backlog += sample
        backlog -= capacities
        np.maximum(backlog, 0.0, out=backlog)
        behind += backlog > limit
    lengths = np.array([len(day) for day in days], dtype=np.float64)
    return over, (weights / lengths) @ behind


def cheapest(expected: Outlook, prices: Prices) -> float:
    """Return the candidate capacity whose idle and missed shares cost least over the next 24 hours."""
    missed = prices.over * expected.over + prices.lag * expected.lag + prices.broken * expected.broken
    for_sale = expected.broken <= prices.max_broken
    for_sale[-1] = True
    return float(expected.capacities[np.argmin(np.where(for_sale, expected.idle + missed, np.inf))])


def explained(past: Demand, expected: Outlook, capacity: float) -> Learned:
    """Return the capacity with a sentence about what is expected at it."""
    largest = float(past.values.max())

    def basis(spell: Spell) -> str:
        def at(shares: Values) -> str:
            return _percent(float(np.interp(capacity, expected.capacities, shares)))

        grows = f", growing by {_percent(math.expm1(expected.growth))} a day" if expected.growth else ""
        return (
            f"{expected.days:.3g} days of samples peak at {spell(largest)}{grows}, and days like them come back up to "
            f"{_percent(math.expm1(2 * expected.spread))} larger; {spell(capacity)} has a {at(expected.broken)} chance "
            f"to be gone over in a day, and is expected to be too little for {at(expected.over)} of the time, to lag "
            f"for {at(expected.lag)} and to leave {at(expected.idle)} idle"
        )

    return Learned(capacity, capacity / largest, basis)


def _percent(share: float) -> str:
    return spell_fraction(float(f"{share:.2g}"))


def nothing_demanded(past: Demand) -> Learned:
    """Return the result for a history of zeros."""
    return Learned(0.0, 1.0, lambda spell: f"nothing was demanded in {len(past)} samples")
