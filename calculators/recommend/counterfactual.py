"""The effects that the recommended and the current value of a setting would have had on the history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flink_flint.calculators.formulas.quantity import (
    counted,
    spell_count,
    spell_duration,
    spell_fraction,
    spell_rate,
    spell_size,
)
from flink_flint.calculators.history.backtest.score import lag_share, over_share
from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.recommendation import Recommendation
from flink_flint.calculators.history.store.histogram import codes_of
from flink_flint.calculators.pages.history_page import WouldRow
from flink_flint.calculators.recommend.observed_charts import column_of

_DAY = 86_400

Find = Callable[[str], Observed | None]
"""A function that returns an operator's, job's or process's observation of a named metric; None if there is none."""


def sustained_rate(recommendation: Recommendation) -> float | None:
    """Return the records per second that one subtask of a vertex sustains; None if the evidence does not show it."""
    inputs = recommendation.evidence.get("inputs", {})

    def number(name: str) -> float | None:
        value = inputs[name]["value"] if name in inputs else None
        return float(value) if isinstance(value, (int, float)) and value > 0 else None

    subtasks, true_rate = number("parallelism"), number("true_rate")
    processed, busy = number("processed"), number("busy")
    if true_rate is None and processed is not None and busy is not None:
        true_rate = processed / busy
    return true_rate / subtasks if true_rate is not None and subtasks is not None else None


def would_have(recommendation: Recommendation, find: Find) -> tuple[WouldRow, ...]:
    """Return the effects of a setting's recommended and current value on the history; empty if it cannot show them."""
    key = recommendation.key
    if recommendation.calculator == "parallelism":
        return _parallelism(recommendation, find)
    if key == "async-io.capacity":
        return _capacity(recommendation, find)
    if key == "async-io.timeout":
        return _limit("Calls in flight for longer than the timeout", recommendation, find("inFlightTime"), 1e-3)
    if key == "execution.checkpointing.timeout":
        return _limit("Checkpoints that would take longer than the timeout", recommendation,
                      find("lastCheckpointDuration"), 1e-3)  # fmt: skip
    if key == "execution.checkpointing.interval":
        return _interval(recommendation, find("lastCheckpointDuration"))
    if key.endswith("memory.process.size"):
        return _processes(recommendation, find("heapLiveSet"))
    return ()


def _both(measure: str, recommendation: Recommendation, spell: Callable[[float], str]) -> WouldRow:
    return WouldRow(measure, *(spell(value) if _is_number(value) else "" for value in _values(recommendation)))


def _values(recommendation: Recommendation) -> tuple[Any, Any]:
    return recommendation.current, recommendation.recommended


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


def share_above(observed: Observed, value: float) -> float:
    """Return the share of samples above `value`; values within 1 % of each other may count as equal."""
    histogram = observed.histogram
    if value >= observed.peak or not len(histogram.codes):
        return 0.0
    above = histogram.codes > int(codes_of(np.array([value]))[0])
    return float(histogram.counts[above].sum() / histogram.total)


def _limit(
    measure: str, recommendation: Recommendation, observed: Observed | None, factor: float
) -> tuple[WouldRow, ...]:
    if observed is None:
        return ()
    rows = [_both(measure, recommendation, lambda value: _share(share_above(observed, value / factor)))]
    rows.append(
        _both(
            "The longest observed, as part of the timeout",
            recommendation,
            lambda value: spell_fraction(float(f"{observed.peak * factor / value:.2g}")),
        )
    )
    return tuple(rows)


def _share(share: float) -> str:
    return "never" if share == 0 else spell_fraction(float(f"{share:.2g}"))


def _parallelism(recommendation: Recommendation, find: Find) -> tuple[WouldRow, ...]:
    observed, rate = find(recommendation.evidence["metric"]), sustained_rate(recommendation)
    if observed is None or observed.time_series is None or rate is None:
        return ()
    line = column_of(observed)
    finite = np.isfinite(line) & (line >= 0)
    line, times, steps = line[finite], observed.time_series.times[finite], observed.time_series.steps[finite]
    if not len(line):
        return ()
    step = int(np.median(steps))
    days = np.unique(times // _DAY)

    def quiet(capacity: float) -> str:
        over = np.unique(times[line > capacity] // _DAY)
        return f"{spell_count(len(days) - len(over))} of {counted(len(days), 'day')}"

    def capacity(spell: Callable[[float], str]) -> Callable[[float], str]:
        return lambda subtasks: spell(rate * subtasks)

    return tuple(
        _both(measure, recommendation, capacity(spell))
        for measure, spell in (
            ("Records it sustains", lambda carries: spell_rate(float(f"{carries:.4g}"))),
            ("Of that in use, on average", lambda carries: spell_fraction(float(f"{line.mean() / carries:.2g}"))),
            ("Time with more demand than that", lambda carries: _share(over_share(line, carries))),
            ("Time more than 5 min behind", lambda carries: _share(lag_share(line, carries, step))),
            ("Days that stay below it", quiet),
        )
    )


def _capacity(recommendation: Recommendation, find: Find) -> tuple[WouldRow, ...]:
    rows = []
    answered, flying = find("serviceRate"), find("inFlight")
    if answered is not None and (rate := answered.percentile(0.5)) > 0:
        rows.append(
            _both(
                "A record waits in a full queue",
                recommendation,
                lambda capacity: spell_duration(float(f"{capacity / rate:.3g}")),
            )
        )
    if flying is not None:
        rows.append(
            _both(
                "Time at the limit, which slows the source",
                recommendation,
                lambda capacity: _share(share_above(flying, 0.98 * capacity)),
            )
        )
    return tuple(rows)


def _interval(recommendation: Recommendation, observed: Observed | None) -> tuple[WouldRow, ...]:
    if observed is None:
        return ()
    return (
        _both(
            "Time that checkpoints run",
            recommendation,
            lambda interval: spell_fraction(float(f"{min(1.0, observed.mean * 1e-3 / interval):.2g}")),
        ),
        _both(
            "Checkpoints longer than the interval",
            recommendation,
            lambda interval: _share(share_above(observed, interval * 1e3)),
        ),
    )


def _processes(recommendation: Recommendation, observed: Observed | None) -> tuple[WouldRow, ...]:
    count = observed.series if observed is not None else 1
    if count < 2:
        return ()
    return (
        _both(f"All {spell_count(count)} processes together", recommendation, lambda size: spell_size(size * count)),
    )
