"""Reads and writes `summary.json`, the small file from which a check reads the metrics of a history store.

The file is one JSON object, laid out in lines so that a reader decodes only what it needs. The first line lists the
clusters and where each one's directory begins. A directory has the metrics of the cluster's processes, the names of its
jobs and operators, and the places of the columns of their metrics; a column is one statistic of one metric for all
jobs, or all operators, in the directory's order. Places are byte offsets after the first line. The place of a column
comes with its smallest and largest number: a rule that looks for a 99th percentile above some bound decodes one line
or none, however many jobs and metrics there are.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping, Sequence
from typing import Any

from flink_flint.linter.filesystem.reading import open_named
from flink_flint.linter.text.named_tuple import NamedTuple

NAME = "summary.json"
FORMAT = 1
COLUMNS = ("samples", "minutes", "min", "p50", "p95", "p99", "max", "mean", "last", "total", "days")
"""The names of the statistics that a summary contains for each metric, in the order of its columns."""
MIN_SAMPLES = 60
"""The minimum number of samples that a metric needs to be included in a summary; `EVENTS` need only one."""
MIN_MINUTES = 10
"""The minimum number of minutes with samples that a metric needs to be in a summary; `EVENTS` are exempt."""
EVENTS = frozenset({"taskmanager/rpcMessageSize", "job/rpcMessageSize"})
"""The metrics that are reported only when something goes wrong, for which a single sample is sufficient."""

_OPENING = b'{"format":'
_PARTS = b',"parts":['
_DIGITS = 6

JOBS, OPERATORS = "job", "operator"
"""The kinds of entities that metrics belong to: jobs, and operators (for the scopes ``task`` and ``operator``)."""

Row = Sequence[float | None]


def holders_of(metric: str) -> str | None:
    """Return the kind of holder of a metric, by its scope: `JOBS`, `OPERATORS`, or None for the whole cluster."""
    return {"job": JOBS, "task": OPERATORS, "operator": OPERATORS}.get(metric.partition("/")[0])


# -- writing


def write_summary(summary: Mapping[str, Any]) -> bytes:
    """Return `summary` encoded as the content of a `summary.json` file.

    `summary` has ``flint`` (the version that wrote it), ``until`` (ms since the epoch) and ``clusters``: name ->
    ``from``, ``until`` (ms), ``metrics`` and ``jobs``; a job (by its sanitized name) has ``name``, ``from``,
    ``until``, ``metrics`` and ``operators``; an operator (by its sanitized name) ``name``, ``parallelism`` and
    ``metrics``. Metrics are ``scope/name`` -> a row of numbers or None in the order of `COLUMNS`, in Flink's own
    units. Rows with too little data are left out.
    """
    parts: list[bytes] = []
    clusters, place = {}, 0
    for name, cluster in summary["clusters"].items():
        columns, directory = _cluster(cluster)
        places: dict[str, dict[str, list[float]]] = {}
        for (metric, statistic), values in columns.items():
            text = _compact(values)
            known = [value for value in values if value is not None]
            places.setdefault(metric, {})[statistic] = [place, len(text), min(known), max(known)]
            parts.append(text)
            place += len(text) + 2
        text = _compact({**directory, "columns": places})
        clusters[name] = {
            "from": cluster["from"], "until": cluster["until"], "at": [place, len(text)],
            "jobs": [job[0] for job in directory["jobs"]],
        }  # fmt: skip
        parts.append(text)
        place += len(text) + 2
    head = {"format": FORMAT, "flint": summary["flint"], "until": summary["until"], "columns": COLUMNS}
    first = _compact({**head, "clusters": clusters})[:-1] + _PARTS + b"\n"
    return first + b",\n".join(parts) + (b"\n]}\n" if parts else b"]}\n")


def _compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def _cluster(cluster: Mapping[str, Any]) -> tuple[dict[tuple[str, str], list[float | None]], dict[str, Any]]:
    """Return the columns of a cluster's jobs and operators, and its directory without their places."""
    jobs: list[list[Any]] = []
    operators: list[list[Any]] = []
    of_jobs: dict[str, dict[int, Row]] = {}
    of_operators: dict[str, dict[int, Row]] = {}
    for key, job in cluster["jobs"].items():
        _sort_in(of_jobs, len(jobs), job["metrics"])
        for name, operator in job["operators"].items():
            _sort_in(of_operators, len(operators), operator["metrics"])
            operators.append([len(jobs), name, operator["name"], operator["parallelism"]])
        jobs.append([key, job["name"], job["from"], job["until"]])
    columns: dict[tuple[str, str], list[float | None]] = {}
    for rows_of, count in ((of_jobs, len(jobs)), (of_operators, len(operators))):
        for metric, rows in sorted(rows_of.items()):
            for place, statistic in enumerate(COLUMNS):
                column = [_rounded(rows[holder][place]) if holder in rows else None for holder in range(count)]
                if any(value is not None for value in column):
                    columns[metric, statistic] = column
    metrics = {m: [_rounded(value) for value in row] for m, row in cluster["metrics"].items() if _is_enough(m, row)}
    return columns, {"metrics": metrics, "jobs": jobs, "operators": operators}


def _sort_in(rows_of: dict[str, dict[int, Row]], holder: int, metrics: Mapping[str, Row]) -> None:
    for metric, row in metrics.items():
        if _is_enough(metric, row):
            rows_of.setdefault(metric, {})[holder] = row


def _is_enough(metric: str, row: Row) -> bool:
    samples, minutes = row[0] or 0, row[1] or 0
    return bool(samples) if metric in EVENTS else samples >= MIN_SAMPLES and minutes >= MIN_MINUTES


def _rounded(value: float | None) -> float | None:
    """Return a number in six significant digits, which keeps the file small; more digits make no difference."""
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() else short


# -- reading


class ClusterEntry(NamedTuple):
    """A cluster as listed in the first line of a summary."""

    name: str
    first: int
    """The start of the cluster's observed period in milliseconds since the epoch; `last` is its end."""
    last: int
    place: tuple[int, int]
    jobs: Sequence[str]
    """The sanitized names of the cluster's jobs."""


class Column(NamedTuple):
    """The position of a column in the file, and the smallest and largest number in the column."""

    start: int
    length: int
    smallest: float
    largest: float


class Directory(NamedTuple):
    """A cluster's own metrics, its jobs and operators, and the positions of the columns with their metrics."""

    metrics: Mapping[str, Row]
    jobs: Sequence[tuple[str, str, int, int]]
    """The cluster's jobs: sanitized name, name, and first and last observed time in milliseconds since the epoch."""
    operators: Sequence[tuple[int, str, str, int]]
    """The cluster's operators: index of the job in `jobs`, sanitized name, name and parallelism."""
    columns: Mapping[str, Mapping[str, Sequence[Any]]]
    """The positions of the columns with job and operator metrics: `Column` fields by metric and statistic."""


class SummaryFile:
    """An open `summary.json`, whose parts are decoded on demand.

    `path` is the store's folder, or the file itself. Raises ValueError, with a remedy, if the file is missing, damaged
    or was written by a newer flint.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._data = _opened(path)
        end = self._data.find(b"\n") + 1
        head = self._data[:end].rstrip()
        if not head.startswith(_OPENING):
            raise self._damaged("it does not start like a summary")
        written = head[len(_OPENING) :].lstrip()
        number = int(digits) if (digits := written[: len(written) - len(written.lstrip(b"0123456789"))]) else 0
        if number > FORMAT:
            raise ValueError(
                f"{path}: its {NAME} has format {number}, and this version of flint reads up to {FORMAT}: use the "
                "version that imported it, or a newer one"
            )
        self._start = end
        decoded = self._decode(head.removesuffix(_PARTS) + b"}")
        try:
            self.clusters = {
                name: ClusterEntry(name, one["from"], one["until"], tuple(one["at"]), one["jobs"])
                for name, one in decoded["clusters"].items()
            }
            self.until = int(decoded["until"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._damaged("its first line does not name clusters") from None

    def directory(self, cluster: ClusterEntry) -> Directory:
        """Return the `Directory` of a cluster: its own metrics, its jobs and operators, and their columns."""
        part = self._part(cluster.place)
        try:
            return Directory(part["metrics"], part["jobs"], part["operators"], part["columns"])
        except (KeyError, TypeError):
            raise self._damaged(f"the directory of cluster {cluster.name!r} is not where it should be") from None

    def column(self, column: Column) -> list[float | None]:
        """Return the numbers of a column, with None for missing numbers."""
        part = self._part((column.start, column.length))
        if not isinstance(part, list):
            raise self._damaged("a column is not where it should be")
        return part

    def _part(self, place: tuple[int, int]) -> Any:
        start, length = place
        return self._decode(self._data[self._start + start : self._start + start + length])

    def _decode(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except ValueError as error:
            raise self._damaged(str(error)) from None

    def _damaged(self, why: str) -> ValueError:
        return ValueError(f"{self.path}: its {NAME} is damaged ({why}): write it again with `flint history import`")


def _opened(path: str) -> mmap.mmap:
    """Return the memory-mapped file: only what is read is loaded, and replacing the file does not affect it."""
    if "://" in path:
        raise ValueError(f"{path}: a check reads a local folder; copy {NAME} of the store to one and name that folder")
    file = os.path.join(path, NAME) if os.path.isdir(path) else path
    try:
        with open_named(file) as stream:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        made = "; `flint history import SOURCE --into STORE` creates one"
        what = f"not a history store: it has no {NAME}" if os.path.isdir(path) else "no such history store"
        raise ValueError(f"{path}: {what}{made}") from None
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValueError:
        raise ValueError(f"{path}: its {NAME} is empty: write it again with `flint history import`") from None
