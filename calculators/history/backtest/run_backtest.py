"""The implementation of `flint backtest`, which scores all methods on a folder of traces."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flink_flint.calculators.history.backtest.score_report import backtest
from flink_flint.calculators.history.backtest.traces import read_traces
from flink_flint.calculators.history.methods.demand import Demand

FORMATS = ("text", "json")


def run(folder: Path, output_format: str) -> str:
    """Run the backtest over a folder of CSV traces; return the report in `output_format`, ``text`` or ``json``.

    Raises `ValueError` for another format, for a bad line (with file and line) and for traces that are too short.
    """
    return render(read_traces(folder), output_format)


def render(series: Mapping[str, Demand], output_format: str) -> str:
    """Run the backtest over the given series; return the report in `output_format`, ``text`` or ``json``.

    Raises `ValueError` for another format and for series that are too short.
    """
    if output_format not in FORMATS:
        raise ValueError(f"{output_format} is not an output format of a backtest; use one of {', '.join(FORMATS)}")
    result = backtest(series)
    return result.as_json() if output_format == "json" else result.as_text()
