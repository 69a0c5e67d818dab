"""`flint backtest`: reading traces and printing the scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flink_flint.calculators.history.backtest.score_report import backtest
from flink_flint.calculators.history.backtest.traces import read_traces
from flink_flint.calculators.history.methods.demand import Demand

FORMATS = ("text", "json")


def run(folder: Path, output_format: str) -> str:
    """Run the backtest over a folder of CSV traces and return it as `text` or `json`.

    `ValueError` for another format, for a bad line (with file and line) and for traces too short to judge by.
    """
    return render(read_traces(folder), output_format)


def render(series: Mapping[str, Demand], output_format: str) -> str:
    """Run the backtest over the given series and return it as `text` or `json`; raises errors as `run` does."""
    if output_format not in FORMATS:
        raise ValueError(f"{output_format} is not an output format of a backtest; one of {', '.join(FORMATS)} is")
    result = backtest(series)
    return result.as_json() if output_format == "json" else result.as_text()
