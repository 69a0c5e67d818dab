"""Prometheus as a Spark data source, on a session of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from flink_flint.calculators.history.samples import Bad, Batch, SeriesKey
from flink_flint.calculators.history.sources.prometheus.spark_source import (
    PrometheusDataSource,
    access_of,
    record_batches,
)

from .prometheus_server import Server, serving
from .test_prometheus_http import END, NAMES, SERIES, START, expected

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(SERIES) as found:
        found.always = lambda handler: (
            handler.headers.get("Authorization") != "Bearer t0ken" and handler.fail(401, "who?")
        )
        found.warnings = ("store 10.0.0.1 is gone",)
        yield found


@pytest.fixture(scope="module")
def token(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("secrets") / "token"
    path.write_text("t0ken\n")
    return str(path)


@pytest.fixture(scope="module")
def read(spark: SparkSession, server: Server, token: str) -> Callable[..., DataFrame]:
    """A frame of the server's samples, with more options as named."""
    spark.dataSource.register(PrometheusDataSource)
    span = {"start": "2026-11-19T22:00:00Z", "end": "2026-11-20T02:00:00Z"}

    def frame(**options: str) -> DataFrame:
        told = {"url": server.url, **span, "token_file": token, **options}
        return spark.read.format("prometheus").options(**told).load()

    return frame


@pytest.mark.slow
def test_rows_are_the_samples_and_what_the_server_warned_of(read: Callable[..., DataFrame]) -> None:
    rows = read(cluster="west").collect()
    samples: dict[SeriesKey, list[tuple[int, float]]] = {}
    told = []
    for row in rows:
        found = row.asDict(recursive=True)
        bad, ts, value = found.pop("bad"), found.pop("ts"), found.pop("value")
        if bad:
            told.append((bad["reason"], bad["text"]))
            assert not any([ts, value, *found.values()])
        else:
            samples.setdefault(SeriesKey(**found), []).append((round(ts.timestamp() * 1000), value))
    wanted = {key._replace(cluster="west"): rows for key, rows in expected(SERIES, START, END).items()}
    assert {key: sorted(rows) for key, rows in samples.items()} == wanted
    assert set(told) == {("the server warned", "store 10.0.0.1 is gone")}


@pytest.mark.slow
def test_executors_fetch_days_and_metrics_apart(read: Callable[..., DataFrame]) -> None:
    from pyspark.sql import functions as of

    found = read().where("bad is null").groupBy(of.spark_partition_id(), of.to_date("ts")).count()
    assert sorted(row[1].isoformat() for row in found.collect()) == ["2026-11-19", "2026-11-20"]


@pytest.mark.slow
def test_no_secret_stands_in_a_plan(read: Callable[..., DataFrame], capsys: pytest.CaptureFixture[str]) -> None:
    read().explain("extended")
    shown = capsys.readouterr().out
    assert "prometheus" in shown
    assert "t0ken" not in shown


@pytest.mark.slow
def test_trouble_reaches_the_driver_in_a_sentence(read: Callable[..., DataFrame]) -> None:
    from pyspark.errors import PySparkException

    for wrong, told in (
        ({"selector": '{job_id="none"}'}, r"no metric flink_\.\+ .*reporter"),
        ({"start": "yesterday"}, "'yesterday' is not a time"),
        ({"password": "s3cret"}, "the option password would be visible in plans"),
    ):
        with pytest.raises(PySparkException, match=told) as raised:
            read(**wrong).collect()
        assert "s3cret" not in str(raised.value)


def test_options_are_checked() -> None:
    access = access_of({"url": "http://h", "STEP": "30", "timeout": "2.5", "insecure": "True", "start": "x"})
    assert (access.url, access.step, access.timeout, access.insecure) == ("http://h", 30, 2.5, True)
    for wrong, told in (
        ({}, "the option url is missing"),
        ({"url": "x", "token": "s3cret"}, "the option token would be visible.*FLINT_PROMETHEUS_TOKEN.*token_file"),
        ({"url": "x", "stepp": "3"}, "unknown option stepp: valid options are"),
        ({"url": "x", "step": "1m"}, "step must be a number, not '1m'"),
        ({"url": "x", "tries": "0"}, "tries must be a number above zero"),
    ):
        with pytest.raises(ValueError, match=told):
            access_of(wrong)


def test_a_batch_becomes_rows_of_the_long_form() -> None:
    keys = [SeriesKey(NAMES[0], "jobmanager"), SeriesKey("numRestarts", "job", job="orders", counter=True)]
    count = 100_001
    batch = Batch(
        keys, np.arange(count, dtype=np.int32) % 2, np.arange(count, dtype=np.int64), np.zeros(count), [],
        [Bad("here", "because", "this")],
    )  # fmt: skip
    found = list(record_batches(batch))
    assert [one.num_rows for one in found] == [100_000, 1, 1]
    row = found[0].slice(1, 1).to_pylist()[0]
    assert (row["metric"], row["job"], row["counter"], row["subtask"]) == ("numRestarts", "orders", True, -1)
    assert row["ts"].timestamp() == 0.001
    assert found[2].to_pylist()[0]["bad"] == {"where": "here", "reason": "because", "text": "this"}
