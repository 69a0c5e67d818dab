"""Readers for a folder of traces: one CSV file per series, with the header `timestamp,value`."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path

from flink_flint.calculators.history.methods.demand import Demand


def instant(text: str) -> int:
    """Return the epoch seconds of a timestamp: a number such as `1424986973`, or ISO 8601, in UTC if it has no zone."""
    try:
        return int(float(text))
    except ValueError:
        moment = datetime.fromisoformat(text)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def read_trace(path: Path) -> Demand:
    """Read one trace; raise `ValueError` with file and line for a malformed line or an infinite or negative value."""
    times: list[int] = []
    values: list[float] = []
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.reader(lines)
        if next(rows, None) is None:
            raise ValueError(f"{path}: the file is empty; a header and lines of timestamp,value are expected")
        for row in rows:
            if not row:
                continue
            try:
                time, value = instant(row[0].strip()), float(row[1])
                if not 0 <= value < float("inf"):
                    raise ValueError(f"a demand must be a finite number of 0 or more, not {row[1].strip()}")
            except (ValueError, IndexError, OverflowError) as problem:
                reason = "expected timestamp,value" if isinstance(problem, IndexError) else str(problem)
                raise ValueError(f"{path}:{rows.line_num}: {reason}") from None
            times.append(time)
            values.append(value)
    return Demand.of(times, values)


def read_traces(folder: Path) -> dict[str, Demand]:
    """Read all `*.csv` files of a folder, keyed by file name without extension; raise `ValueError` if it has none."""
    paths = sorted(folder.glob("*.csv"))
    if not paths:
        raise ValueError(f"{folder}: no *.csv file to read a trace from")
    return {path.stem: read_trace(path) for path in paths}
