"""Prometheus as a Spark data source: executors fetch different metrics and days in parallel.

::

    spark.dataSource.register(PrometheusDataSource)
    spark.read.format("prometheus").option("url", "https://prometheus.example.com")
        .option("start", "2026-11-01").option("end", "2026-11-20").option("selector", '{namespace="streaming"}').load()

Rows are the canonical long form, one sample each, with one additional column: `bad` (where, reason, text) is set on
rows that report an unusable part or a warning of the server, and all other columns are null on these rows.

Options are visible in plans and in Spark's UI, so none accepts a secret: executors read ``FLINT_PROMETHEUS_TOKEN`` (or
``…_USER`` and ``…_PASSWORD``) from their environment (``spark.executorEnv.…``) or the files that ``token_file`` and
``password_file`` name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from flink_flint.calculators.history.samples import Batch
from flink_flint.calculators.history.sources.prometheus.http import NAME, Access, Portion, fetch, moment, portions
from flink_flint.calculators.history.sources.recognition import Options

SCHEMA = (
    "ts timestamp, metric string, value double, cluster string, job string, job_id string, scope string, task string, "
    "task_id string, operator string, operator_id string, subtask int, attempt int, tm string, part string, "
    "counter boolean, bad struct<where: string, reason: string, text: string>"
)

_STRING, _WHOLE = pa.string(), pa.int32()
_BAD = pa.struct([("where", _STRING), ("reason", _STRING), ("text", _STRING)])
_ARROW = pa.schema(
    [
        ("ts", pa.timestamp("us", "UTC")), ("metric", _STRING), ("value", pa.float64()), ("cluster", _STRING),
        ("job", _STRING), ("job_id", _STRING), ("scope", _STRING), ("task", _STRING), ("task_id", _STRING),
        ("operator", _STRING), ("operator_id", _STRING), ("subtask", _WHOLE), ("attempt", _WHOLE), ("tm", _STRING),
        ("part", _STRING), ("counter", pa.bool_()), ("bad", _BAD),
    ]
)  # fmt: skip
_ROWS = 100_000
"""Maximum number of rows of a record batch."""

_TEXTS = (
    "url", "selector", "metrics", "tenant", "dedup", "partial_response", "token_file", "user", "password_file",
    "ca_file", "certificate", "key",
)  # fmt: skip
_NUMBERS: Mapping[str, type] = {"step": int, "timeout": float, "tries": int, "wait": float}
_OTHERS = ("insecure", "start", "end", "cluster", "cluster_label", "path")
_SECRETS = {"token": "token_file", "password": "password_file"}


def access_of(options: Mapping[str, str]) -> Access:
    """Return the server access settings given as data source options.

    Raises ValueError for an invalid option or one that contains a secret.
    """
    entries = {name.lower(): value for name, value in options.items()}
    for name, file in _SECRETS.items():
        if name in entries:
            raise ValueError(
                f"the option {name} would be visible in plans: set FLINT_PROMETHEUS_{name.upper()} on the executors, "
                f"or {file}"
            )
    unknown = sorted(set(entries) - {*_TEXTS, *_NUMBERS, *_OTHERS})
    if unknown:
        valid = ", ".join(sorted({*_TEXTS, *_NUMBERS, *_OTHERS}))
        raise ValueError(f"unknown option {unknown[0]}: valid options are {valid}")
    if not entries.get("url"):
        raise ValueError("the option url is missing: write http://host:9090")
    values: dict[str, Any] = {name: entries[name] for name in _TEXTS if name in entries}
    for name, kind in _NUMBERS.items():
        if name in entries:
            try:
                values[name] = kind(entries[name])
            except ValueError:
                raise ValueError(f"{name} must be a number, not {entries[name]!r}") from None
            if values[name] <= 0:
                raise ValueError(f"{name} must be a number above zero, not {entries[name]!r}")
    return Access(**values, insecure=entries.get("insecure", "").lower() == "true")


class _Work(InputPartition):
    def __init__(self, portion: Portion) -> None:
        super().__init__(portion)
        self.portion = portion


class PrometheusDataSource(DataSource):
    """The Spark data source that ``spark.read.format("prometheus")`` uses.

    Its options are those of `Access`, and ``start``, ``end``, ``cluster`` and ``cluster_label``.
    """

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return NAME

    def schema(self) -> str:
        """Return the schema of the rows as a DDL string."""
        return SCHEMA

    def reader(self, schema: StructType) -> PrometheusReader:
        """Return a reader configured by the data source's options."""
        entries = {name.lower(): value for name, value in self.options.items()}
        access = access_of(entries)
        for name in ("start", "end"):
            if not entries.get(name):
                raise ValueError(f"the option {name} is missing: write 2026-11-20 or 2026-11-20T16:00:00Z")
        options = Options(entries.get("cluster", ""), entries.get("cluster_label", ""))
        return PrometheusReader(access, moment(entries["start"]), moment(entries["end"]), options)


class PrometheusReader(DataSourceReader):
    """A reader that plans the parts of an import on the driver and fetches them on executors."""

    def __init__(self, access: Access, start: int, end: int, options: Options) -> None:
        self._access = access
        self._span = start, end
        self._options = options

    def partitions(self) -> Sequence[InputPartition]:
        """Return a partition for each part of the import."""
        return [_Work(portion) for portion in portions(self._access, *self._span)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition."""
        assert isinstance(partition, _Work)
        for batch in fetch(self._access, partition.portion, self._options):
            yield from record_batches(batch)


def record_batches(batch: Batch) -> Iterator[pa.RecordBatch]:
    """Yield the samples and unusable rows of a batch as Arrow record batches in the canonical long form."""
    names = [name for name in _ARROW.names if name not in ("ts", "value", "bad")]
    columns = {
        name: pa.array([getattr(key, name) for key in batch.keys], _ARROW.field(name).type) for name in names
    }  # fmt: skip
    for start in range(0, len(batch.times), _ROWS):
        index = pa.array(batch.index[start : start + _ROWS])
        rows = len(index)
        yield pa.RecordBatch.from_arrays(
            [
                _times(batch, start) if field.name == "ts"
                else pa.array(batch.values[start : start + _ROWS]) if field.name == "value"
                else pa.nulls(rows, _BAD) if field.name == "bad"
                else columns[field.name].take(index)
                for field in _ARROW
            ],
            schema=_ARROW,
        )  # fmt: skip
    for first in range(0, len(batch.bad), _ROWS):
        entries = [one._asdict() for one in batch.bad[first : first + _ROWS]]
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(entries, _BAD) if field.name == "bad" else pa.nulls(len(entries), field.type)
                for field in _ARROW
            ],
            schema=_ARROW,
        )  # fmt: skip


def _times(batch: Batch, start: int) -> pa.Array:
    return pa.array(batch.times[start : start + _ROWS] * np.int64(1000)).cast(pa.timestamp("us", "UTC"))
