"""The export format of VictoriaMetrics (``/api/v1/export``): one JSON object with raw samples per line.

``{"metric":{"__name__":…},"values":[1.5,null],"timestamps":[1795190147630,…]}``; times are milliseconds, a value that
is not a number is ``null``, infinite ones are texts
(https://docs.victoriametrics.com/victoriametrics/single-server-victoriametrics/#how-to-export-data-in-json-line-format).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from flink_flint.calculators.history.samples import Batch
from flink_flint.calculators.history.sources.prometheus.labels import Collecting
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import BREAKS_OFF, NO_NUMBER
from flink_flint.calculators.history.sources.text_lines import lines_of_bytes

_KNOWN = re.compile(rb'^\s*\{\s*"metric"\s*:\s*\{\s*["}]')


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file's first bytes (`head`) look like a line of the export format."""
    return _KNOWN.match(head) is not None


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield batches of samples from an export, with a `Bad` for each unusable line.

    Raises ValueError if the file cannot be read at all.
    """
    collecting = Collecting(options)
    for number, line in lines_of_bytes(path, lambda number: collecting.reject(f"{path}:{number}", BREAKS_OFF, "")):
        if not line.isspace():
            _line(collecting, f"{path}:{number}", line)
        if collecting.full:
            yield collecting.take()
    yield collecting.take()


def _line(collecting: Collecting, where: str, line: bytes) -> None:
    try:
        found = json.loads(line)
        labels = {str(name): str(value) for name, value in found["metric"].items()}
        values, times = found["values"], found["timestamps"]
        if not isinstance(values, list) or not isinstance(times, list):
            raise TypeError("no lists")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        # Only the last line of a file has no line end: what was being written when the export stopped.
        reason = "line is not a series of an export" if line.endswith(b"\n") else BREAKS_OFF
        collecting.reject(where, reason, line[:200].decode("utf-8", "replace"))
        return
    if len(values) != len(times):
        collecting.reject(where, "values and timestamps differ in number", f"{labels}: {len(values)}, {len(times)}")
        return
    try:
        collecting.add(where, labels, np.array(times, np.float64), np.array(values, np.float64))
    except (ValueError, TypeError, OverflowError):
        _with_care(collecting, where, labels, times, values)


def _with_care(collecting: Collecting, where: str, labels: dict[str, str], times: list[Any], values: list[Any]) -> None:
    """Add the samples that are numbers, and reject the others."""
    kept: list[tuple[float, float]] = []
    for time, value in zip(times, values, strict=True):
        try:
            kept.append((float(time), float("nan") if value is None else float(value)))
        except (ValueError, TypeError, OverflowError):
            collecting.reject(where, NO_NUMBER, f"{labels.get('__name__', '')} {value} {time}")
    both = np.array(kept, np.float64).reshape(-1, 2)
    collecting.add(where, labels, both[:, 0], both[:, 1])


SOURCE = Source("victoriametrics-export", "VictoriaMetrics' export", 60, recognizes, read)
