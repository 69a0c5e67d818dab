"""The expected demand of the next day, and the capacity with the lowest cost.

## The idea
Each day of the history is a scenario for the next day; recent days weigh more. Another scenario repeats the last hours
for a whole day, because a level that has changed tends to persist. No scenario recurs exactly, so each is also scaled
up and down by a factor whose logarithm follows Student's t distribution. The spread of this factor is a share of how
much the series' own daily peaks change from one day to the next, so a steady series gets a narrow margin and an erratic
one a wide margin. Few days reveal little about these changes, so a prior keeps the spread of short histories wide, and
less than a whole day widens it further. If daily means and daily peaks agree that the series grows, the days are first
extrapolated along that growth.

The scenarios give, for each capacity, the share that will be idle and what will be missed: the time over the capacity,
the time more than 300 s behind, and the chance that the day exceeds the capacity at all. The chosen capacity minimizes
`idle share + prices x what is missed`. The prices are those of the tier and the same for every series: they define how
many idle days a missed day is worth. A bursty series, where headroom costs little of the idle share, therefore
automatically gets more headroom than a steady one.

## What was tried and left out
None of these improved the results on real traces by more than adding or removing a single trace does: weighing days of
the same weekday more, seasonal forecasts of the peak, spreads chosen by replaying each series' own past, and fitting
the weights of several estimates together.

## Sources
- The one-day-ahead problem with unequal costs is the newsvendor problem; scaling each past day is a kernel density
  estimate on the logarithm. The defaults are evaluated with rolling origins (`flint backtest`).
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
"""The lag in seconds above which a consumer counts as lagging."""

STEP = 0.02
"""The relative distance between neighboring candidate capacities: 2 %."""

REACH = 1.8
"""The logarithm of the largest factor by which past days are scaled: factors range from about 1/6 to 6."""


class Beliefs(NamedTuple):
    """Assumptions that apply to every series; no assumption is fitted to a single series."""

    half_life_days: float = 3.0
    """The age in days at which a past day weighs half as much as the youngest one."""
    lasting_hours: float = 6.0
    """The number of hours at the end of the history that, repeated for a whole day, count as one more past day."""
    min_spread: float = 0.015
    """The minimum spread, as a logarithm, of the factor that scales past days, even if all past days are equal."""
    spread_share: float = 0.4
    """The spread of the factor that scales past days, as a share of the typical change between daily peaks."""
    prior_step: float = 0.2
    """The change between consecutive daily peaks, as a logarithm, that is assumed before any change is observed."""
    prior_weight: float = 1.0
    """The weight of `prior_step`, as a number of observed changes."""
    tail: float = 3.0
    """The degrees of freedom of Student's t distribution for the logarithm of the factor that scales past days."""
    growth_agreement: float = 0.6
    """The minimum Kendall's tau (0 to 1), of both daily means and daily peaks, at which growth is assumed."""
    fastest_growth: float = 0.06
    """The maximum growth that is extrapolated, as a logarithm per day."""
    max_headroom: float = 2.0
    """The maximum ratio of a capacity to the largest sample, which is first extrapolated along the growth."""


class Prices(NamedTuple):
    """The costs of exceeding the capacity, in days of idle capacity."""

    over: float
    """The cost, in days of idle capacity, of a full day with a demand above the capacity."""
    lag: float
    """The cost, in days of idle capacity, of a full day with a lag of more than `LAG_LIMIT_SECONDS`."""
    broken: float = 0.0
    """The cost, in days of idle capacity, of a day on which the demand exceeds the capacity even once."""
    max_broken: float = 1.0
    """The maximum chance (0 to 1) that the next day exceeds the capacity; riskier capacities are not chosen."""


class Outlook(NamedTuple):
    """The expected results for the next day at each candidate capacity, as shares from 0 to 1."""

    capacities: Values
    idle: Values
    over: Values
    lag: Values
    broken: Values
    """The chance that the next day exceeds each candidate capacity at any time."""
    spread: float
    """The spread, as a logarithm, of the random factor that scales past days."""
    growth: float
    """The growth along which past days were extrapolated, as a logarithm per day."""
    days: float
    """The number of days that the samples of the history cover, with fractions; gaps do not count."""


def growth_a_day(days: list[PastDay], beliefs: Beliefs) -> float:
    """Return the daily growth of means and peaks, as a logarithm; 0 unless both clearly grow.

    It is the smaller of both slopes, limited to `fastest_growth`.
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
    """Return the spread, as a logarithm, of the factor that scales past days; derived from changes of daily peaks."""
    highest = max(float(day.values.max()) for day in days)
    peaks = np.log([max(float(day.values.max()), highest * 1e-3) for day in days])
    steps = np.abs(np.diff(peaks))
    # The median absolute step of normal steps is 0.6745 standard deviations, and a step has the variance of two days.
    typical = float(np.median(steps)) / 0.6745 / math.sqrt(2) if len(steps) else 0.0
    weighed = (len(steps) * typical + beliefs.prior_weight * beliefs.prior_step) / (len(steps) + beliefs.prior_weight)
    # A history of less than a day does not cover every hour.
    seen = min(1.0, sum(day.coverage for day in days))
    return math.hypot(beliefs.min_spread, beliefs.spread_share * weighed) / seen


def lasting_day(past: Demand, beliefs: Beliefs, coverage: float) -> PastDay:
    """Return a 24-hour day that repeats the last hours (`lasting_hours`) of a history."""
    start = past.end - int(beliefs.lasting_hours * HOUR_SECONDS)
    last = past.between(start, past.end).values
    samples = max(len(last), DAY_SECONDS // past.step)
    return PastDay(0, np.resize(last, samples), coverage)


def outlook(past: Demand, beliefs: Beliefs) -> Outlook:
    """Return the expected results for the 24 hours after a history of at least two samples, not all of them 0."""
    days = past_days(past)
    growth = growth_a_day(days, beliefs)
    # Everything is computed in units of the largest sample, so that the unit of the demand does not matter.
    largest = float(past.values.max())
    scenarios = [*days, lasting_day(past, beliefs, days[0].coverage)]
    grown = [day.values / largest * math.exp(growth * (day.age + 1)) for day in scenarios]
    weights = np.array([0.5 ** (day.age / beliefs.half_life_days) * day.coverage for day in scenarios])
    weights /= weights.sum()
    mean = float(weights @ [float(day.mean()) for day in grown])
    peak = max(float(day.max()) for day in grown)

    # Above the peak nothing is missed, and far below the mean everything: only the range between is computed.
    # Half a step keeps the candidates off the largest sample, where rounding would decide.
    lowest = math.floor(math.log(max(mean / 4, peak / 400)) / STEP) + 0.5
    grid = np.exp(np.arange(lowest, math.ceil(math.log(peak) / STEP) + 1) * STEP)
    over, lag = missed_shares(grown, weights, grid, past.step)
    # The last hours are not a whole day, and their peak is not a daily peak.
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
    """Return, for each capacity, the weighted shares of samples above it and of samples whose queue lags too far."""
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
    """Return the candidate capacity with the lowest expected cost of idle capacity and missed demand."""
    missed = prices.over * expected.over + prices.lag * expected.lag + prices.broken * expected.broken
    is_allowed = expected.broken <= prices.max_broken
    is_allowed[-1] = True
    return float(expected.capacities[np.argmin(np.where(is_allowed, expected.idle + missed, np.inf))])


def explained(past: Demand, expected: Outlook, capacity: float) -> Learned:
    """Return the result for `capacity`, with a sentence that explains how often it is expected to be exceeded."""
    largest = float(past.values.max())

    def basis(spell: Spell) -> str:
        def at(shares: Values) -> str:
            return _percent(float(np.interp(capacity, expected.capacities, shares)))

        grows = f", growing by {_percent(math.expm1(expected.growth))} a day" if expected.growth else ""
        return (
            f"{expected.days:.3g} days of samples peak at {spell(largest)}{grows}, and similar days may be up to "
            f"{_percent(math.expm1(2 * expected.spread))} larger; {spell(capacity)} has a {at(expected.broken)} chance "
            f"of being exceeded in a day, and is expected to be too low for {at(expected.over)} of the time, to lag "
            f"for {at(expected.lag)} and to leave {at(expected.idle)} idle"
        )

    return Learned(capacity, capacity / largest, basis)


def _percent(share: float) -> str:
    return spell_fraction(float(f"{share:.2g}"))


def nothing_demanded(past: Demand) -> Learned:
    """Return a capacity of 0 for a history in which all samples are 0."""
    return Learned(0.0, 1.0, lambda spell: f"no demand in {len(past)} samples")
