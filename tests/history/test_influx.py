"""InfluxDB's line protocol as Flink's reporter and InfluxDB's export write it."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.samples import Bad, SeriesKey
from flink_flint.calculators.history.sources import influx
from flink_flint.calculators.history.sources.recognition import Options

_FIXTURES = Path(__file__).parent / "fixtures" / "influx"
_TIME = 1_795_190_995_149
"""Milliseconds since the epoch, as `_STAMP` says in nanoseconds."""
_STAMP = f"{_TIME}000000"
_TASK = "taskmanager_job_task_numRecordsInPerSecond,host=h,job_id=j,job_name=a\\ job,subtask_index=1,task_name=Map"


def read(path: Path, options: Options | None = None) -> tuple[dict[SeriesKey, list[tuple[int, float]]], list[Bad]]:
    """The samples of a file by series, and its bad rows."""
    samples: dict[SeriesKey, list[tuple[int, float]]] = {}
    bad: list[Bad] = []
    for batch in influx.read(str(path), options or Options()):
        bad.extend(batch.bad)
        for index, time, value in zip(batch.index.tolist(), batch.times.tolist(), batch.values.tolist(), strict=True):
            samples.setdefault(batch.keys[index], []).append((time, value))
    return samples, bad


def of_text(folder: Path, text: str) -> tuple[dict[SeriesKey, list[tuple[int, float]]], list[Bad]]:
    path = folder / "lines.txt"
    path.write_text(text, "utf-8")
    return read(path, Options(time=_TIME))


@pytest.mark.parametrize("name", ["enrichment.txt.gz", "async.txt.gz"])
def test_every_line_of_a_real_reporter_is_used(name: str) -> None:
    samples, bad = read(_FIXTURES / name)
    assert bad == []
    assert len(samples) > 200
    known = {"jobmanager", "job", "taskmanager", "task", "operator"}
    assert {key.scope for key in samples} == known
    assert influx.recognizes(name, gzip.decompress((_FIXTURES / name).read_bytes())[:4096])


def test_the_real_names_come_back_unescaped() -> None:
    samples, _ = read(_FIXTURES / "enrichment.txt.gz")
    key = next(key for key in samples if key.metric == "mailboxLatencyMs.p99" and "->" in key.task)
    assert (key.job, key.task) == ("shop job #1 (demo)", "count per key -> Sink: discard: Writer")
    assert (key.tm, key.attempt, key.counter) == ("127.0.0.1:37611-8565ec", 0, False)
    assert len(key.task_id) == len(key.job_id) == 32


def test_task_and_operator_keep_their_own_values() -> None:
    samples, _ = read(_FIXTURES / "enrichment.txt.gz")
    last = {
        key.scope: values[-1][1]
        for key, values in samples.items()
        if key.metric == "numBytesOut" and "enrich(rest)" in (key.operator or key.task) and key.subtask == 1
    }
    assert last["operator"] == 0
    assert last["task"] > 1_000_000


def test_truths_are_numbers_and_paths_are_left_out() -> None:
    samples, _ = read(_FIXTURES / "enrichment.txt.gz")
    pressed = [value for key, values in samples.items() if key.metric == "isBackPressured" for _, value in values]
    assert set(pressed) <= {0.0, 1.0}
    assert pressed
    assert not any(key.metric == "lastCheckpointExternalPath" for key in samples)


def test_a_meter_is_its_rate_and_a_counter_its_count(tmp_path: Path) -> None:
    counter = _TASK.replace("InPerSecond", "In")
    samples, bad = of_text(tmp_path, f"{_TASK} count=30i,rate=1.5 {_STAMP}\n{counter} count=30i {_STAMP}\n")
    assert bad == []
    assert {(key.metric, key.counter): values for key, values in samples.items()} == {
        ("numRecordsInPerSecond", False): [(_TIME, 1.5)],
        ("numRecordsIn", True): [(_TIME, 30.0)],
    }


def test_a_users_histogram_is_told_in_its_numbers(tmp_path: Path) -> None:
    samples, _ = of_text(tmp_path, f"taskmanager_job_task_operator_callMs,job_id=j count=2i,max=7i,p99=6.5 {_STAMP}\n")
    assert {key.metric: (values[0][1], key.counter) for key, values in samples.items()} == {
        "callMs.count": (2.0, True),
        "callMs.max": (7.0, False),
        "callMs.p99": (6.5, False),
    }


def test_an_export_with_one_field_a_line_means_the_same(tmp_path: Path) -> None:
    lines = f"# DML\n# CONTEXT-DATABASE:flink\n{_TASK} count=30i {_STAMP}\n{_TASK} rate=1.5 {_STAMP}\n"
    samples, bad = of_text(tmp_path, lines)
    assert bad == []
    assert [(key.metric, values) for key, values in samples.items()] == [("numRecordsInPerSecond", [(_TIME, 1.5)])]


@pytest.mark.parametrize("stamp", [_STAMP, f"{_TIME}000", f"{_TIME}", f"{_TIME // 1000}", ""])
def test_the_size_of_a_time_tells_its_precision(tmp_path: Path, stamp: str) -> None:
    samples, _ = of_text(tmp_path, f"{_TASK} rate=1 {stamp}\n")
    ((time, _),) = next(iter(samples.values()))
    assert time // 1000 == _TIME // 1000


def test_the_cluster_is_the_one_given_or_that_of_a_tag(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text(f"{_TASK},cluster=blue rate=1 {_STAMP}\n")
    assert next(iter(read(path, Options(cluster_label="cluster"))[0])).cluster == "blue"
    assert next(iter(read(path, Options(cluster="red", cluster_label="cluster"))[0])).cluster == "red"
    assert next(iter(read(path)[0])).cluster == ""


def test_bad_rows_are_kept_aside_and_cost_no_other(tmp_path: Path) -> None:
    samples, bad = of_text(
        tmp_path,
        f"{_TASK} rate=1 {_STAMP}\n"
        f"{_TASK} rate=quick {_STAMP}\n"
        f"{_TASK} rate=1 99999999999999999999999\n"
        "no line at all\n"
        f"{_TASK},broken rate=1 {_STAMP}\n"
        f"cpu,host=a usage=1 {_STAMP}\n"
        f"cpu,host=a usage=2 {_STAMP}\n"
        f"{_TASK} rate=2 {_STAMP}\n",
    )
    assert [value for values in samples.values() for _, value in values] == [1.0, 2.0]
    assert [row.reason for row in bad] == [
        "value is not a number",
        "time is out of range",
        "line is not in the line protocol",
        "line is not in the line protocol",
        "metric is not one of Flink's",
    ]
    assert bad[0].where.endswith("lines.txt:2")


def test_a_file_cut_short_yields_what_came_before(tmp_path: Path) -> None:
    packed = (_FIXTURES / "async.txt.gz").read_bytes()
    path = tmp_path / "cut.gz"
    path.write_bytes(packed[: len(packed) // 2])
    samples, bad = read(path)
    assert samples
    assert bad[-1].reason == "the file is truncated"
    _, bad = of_text(tmp_path, f"{_TASK} rate=1 {_STAMP}\n{_TASK} rate=2 {_STAMP[:-1]}")
    assert [row.reason for row in bad] == ["the file is truncated"]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "else"
    path.write_text("hello\n")
    with pytest.raises(ValueError, match="no line is in InfluxDB's line protocol"):
        read(path)
    assert not influx.recognizes("else", b"taskmanager_x 1 2\ncpu,host=a usage=1 1\n")


_TEXT = st.text(st.characters(exclude_characters="\\\n\r", exclude_categories=("Cs",)), min_size=1)


@given(_TEXT, _TEXT, st.floats(allow_nan=False, allow_infinity=False))
def test_names_with_commas_blanks_and_equals_come_back(job: str, task: str, value: float) -> None:
    def escaped(text: str) -> str:
        return text.replace(",", "\\,").replace("=", "\\=").replace(" ", "\\ ")

    series = f"taskmanager_job_task_x,job_name={escaped(job)},task_name={escaped(task)}"
    measurement, tags = influx.unescaped_parts(series)
    assert (measurement, tags) == ("taskmanager_job_task_x", {"job_name": job, "task_name": task})
    ((field, text),) = influx.fields_of(f"value={value!r}")
    assert field == "value"
    assert influx.value_of(text) == value


@given(st.integers(-(2**63), 2**63 - 1))
def test_whole_numbers_come_back(value: int) -> None:
    assert influx.value_of(f"{value}i") == float(value)


def test_values_that_are_not_finite_stay_what_they_are() -> None:
    value = influx.value_of("NaN")
    assert value is not None
    assert math.isnan(value)
    assert influx.value_of("+Inf") == math.inf


@given(st.binary(max_size=300), st.integers(0, 4000))
def test_no_bytes_are_too_odd(tmp_path_factory: pytest.TempPathFactory, some: bytes, cut: int) -> None:
    path = tmp_path_factory.mktemp("odd") / "lines"
    real = gzip.decompress((_FIXTURES / "async.txt.gz").read_bytes())[:cut]
    for content in (some, real + some, gzip.compress(real)[: len(some)]):
        path.write_bytes(content)
        try:
            read(path)
        except ValueError:
            continue
