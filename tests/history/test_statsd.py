"""StatsD's and Graphite's lines: identifiers without labels, and mostly without a time."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.metrics.flink_metric_names import OLDER
from flink_flint.calculators.history.samples import Bad, SeriesKey
from flink_flint.calculators.history.sources import influx, slf4j_log, statsd
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.linter.flink.reporter_names import sanitized

_FIXTURES = Path(__file__).parent / "fixtures"
_TIME = 1_795_190_995_149
_JOB = "127_0_0_1.taskmanager.127_0_0_1-37611-8565ec.job"


def read(
    path: Path, options: Options | None = None, source: Source = statsd.SOURCE
) -> tuple[dict[SeriesKey, list[tuple[int, float]]], list[Bad]]:
    """The samples of a file by series, and its bad rows."""
    samples: dict[SeriesKey, list[tuple[int, float]]] = {}
    bad: list[Bad] = []
    for batch in source.read(str(path), options or Options()):
        bad.extend(batch.bad)
        for index, time, value in zip(batch.index.tolist(), batch.times.tolist(), batch.values.tolist(), strict=True):
            samples.setdefault(batch.keys[index], []).append((time, value))
    return samples, bad


def of_text(folder: Path, text: str) -> tuple[dict[SeriesKey, list[tuple[int, float]]], list[Bad]]:
    path = folder / "lines.txt"
    path.write_text(text, "utf-8")
    return read(path, Options(time=_TIME))


def plain(samples: dict[SeriesKey, list[tuple[int, float]]]) -> dict[tuple[str, str, str, int, str], list[float]]:
    """Values by what all reporters include in a series, names without the characters that one of them replaces."""

    def name(key: SeriesKey) -> str:
        named = key.operator if key.scope == "operator" and "latency" not in key.metric else key.task
        latency = key.operator_id if "latency." in key.metric and key.scope == "operator" else ""
        return sanitized(latency or named).replace("_", "").replace(":", "")

    found: dict[tuple[str, str, str, int, str], list[float]] = {}
    for key, values in samples.items():
        told = (key.scope, sanitized(key.metric), name(key), key.subtask, key.part)
        found.setdefault(told, []).extend(value for _, value in values)
    return found


def of_one_run() -> Iterator[tuple[str, dict[tuple[str, str, str, int, str], list[float]], list[Bad]]]:
    """The reports of all reporters for the same seconds of one job."""
    for name in ("async.txt.gz", "async_graphite.txt.gz"):
        samples, bad = read(_FIXTURES / "statsd" / name)
        yield name, plain(samples), bad
    both: dict[SeriesKey, list[tuple[int, float]]] = {}
    rows: list[Bad] = []
    for name in ("taskmanager.log.gz", "jobmanager.log.gz"):
        samples, bad = read(_FIXTURES / "slf4j_log" / name, source=slf4j_log.SOURCE)
        both |= samples
        rows += bad
    yield "logs", plain(both), rows


def test_the_reporters_without_labels_tell_the_same_series_as_the_one_with_labels() -> None:
    labelled, _ = read(_FIXTURES / "influx" / "async.txt.gz", source=influx.SOURCE)
    expected = plain(labelled)
    assert len(expected) > 200
    for name, found, bad in of_one_run():
        assert bad == [], name
        assert set(expected) <= set(found), name
        extra = {metric for _, metric, _, _, _ in set(found) - set(expected)}
        # Graphite keeps counters whose names clash, and only the log has the finalization.
        assert extra <= {"numBytesOut", "numRecordsOut", "checkpointFinalizationTime"}, name


def test_the_reporters_agree_on_what_does_not_change() -> None:
    labelled, _ = read(_FIXTURES / "influx" / "async.txt.gz", source=influx.SOURCE)
    steady = {key: values[0] for key, values in plain(labelled).items() if len(set(values)) == 1}
    assert len(steady) > 80
    for name, found, _ in of_one_run():
        for key, value in steady.items():
            near = min(found[key], key=lambda one: abs(one - value))
            assert near == pytest.approx(value, rel=0.3, abs=1), (name, key)


def test_every_line_of_a_real_reporter_is_understood() -> None:
    samples, bad = read(_FIXTURES / "statsd" / "enrichment.txt.gz", Options(time=_TIME))
    assert {row.reason for row in bad} == {"value has no time, and a later line repeats the metric"}
    assert {key.scope for key in samples} == {"jobmanager", "job", "taskmanager", "task", "operator"}
    assert {key.job for key in samples} == {"", "shop job #1 (demo)"}
    assert {time for values in samples.values() for time, _ in values} == {_TIME}
    twice = {key.metric for key, values in samples.items() if len(values) > 1}
    assert twice <= set(OLDER.values())  # this release shows them in the older spelling as well


def test_a_task_and_its_only_operator_are_told_apart() -> None:
    samples, _ = read(_FIXTURES / "statsd" / "enrichment.txt.gz", Options(time=_TIME))
    found = {
        (key.scope, key.metric): values[0][1]
        for key, values in samples.items()
        if "enrich(rest)" in (key.task, key.operator) and key.subtask == 1
    }
    assert found["task", "numBytesOut"] == 528_336
    assert found["operator", "numBytesOut"] == 0
    assert found["task", "numRecordsIn"] == found["operator", "numRecordsIn"] == 42_200


def test_a_negative_gauge_is_not_the_zero_that_is_sent_before_it(tmp_path: Path) -> None:
    line = f"{_JOB}.Map.0.currentOutputWatermark"
    samples, bad = of_text(tmp_path, f"{line}:0|g\n{line}:-9223372036854775808|g\n{line}:-9223372036854775808|g\n")
    assert bad == []
    assert list(samples.values()) == [[(_TIME, -9223372036854775808.0)]]


def test_a_gauge_that_is_sent_twice_counts_once() -> None:
    lines = np.array([1, 2, 5, 6, 9])
    readings = statsd.Readings(lines, np.full(5, -1), np.array([4.0, 4.0, 4.0, np.nan, np.nan]))
    assert statsd.once(readings).lines.tolist() == [1, 5, 6, 9]


@pytest.mark.parametrize(
    "before",
    [
        "2026-11-20T16:09:55.149Z {}",
        "2026-11-20 17:09:55.149+01:00 {}",
        "1795190995.149 {}",
        "1795190995149 {}",
        "> 2026/11/20 16:09:55.149123  length=60 from=0 to=59\n{}",
        "2026-11-20 16:09:55.149000 IP 10.0.0.1.4711 > 10.0.0.2.8125: UDP, length 60\nE..X..@.@.0{}",
    ],
)
def test_the_time_may_stand_before_a_line(tmp_path: Path, before: str) -> None:
    line = f"{_JOB}.Map.0.busyTimeMsPerSecond:{{}}|g\n"
    later = before.replace("55.149", "57.649").replace("95.149", "97.649").replace("995149", "997649")
    samples, bad = of_text(tmp_path, before.format(line.format(5)) + later.format(line.format(7)))
    assert bad == []
    assert list(samples.values()) == [[(_TIME, 5.0), (_TIME + 2500, 7.0)]]


def test_graphite_tells_the_time_behind_the_value(tmp_path: Path) -> None:
    prefix = "h.taskmanager.tm.my-job.Map.0"
    samples, bad = of_text(
        tmp_path,
        f"{prefix}.numRecordsIn.count 42 1795190995\n"
        f"{prefix}.numRecordsInPerSecond.m1_rate 1.50 1795190995\n"
        f"{prefix}.numRecordsInPerSecond.m5_rate 0.00 1795190995\n"
        f"{prefix}.numRecordsInPerSecond.count 42 1795190995\n",
    )
    assert bad == []
    assert {key.metric: values for key, values in samples.items()} == {
        "numRecordsIn": [(1_795_190_995_000, 42.0)],
        "numRecordsInPerSecond": [(1_795_190_995_000, 1.5)],
    }


def test_bad_rows_are_kept_aside_and_cost_no_other(tmp_path: Path) -> None:
    _, bad = of_text(
        tmp_path,
        f"{_JOB}.Map.0.busyTimeMsPerSecond:5|g\n"
        f"{_JOB}.Map.0.busyTimeMsPerSecond:much|g\n"
        "page.views:1|c\n"
        "what is this\n"
        f"1234567890 {_JOB}.Map.0.idleTimeMsPerSecond:5|g\n"
        f"0001-01-01 00:00:00 {_JOB}.Map.0.idleTimeMsPerSecond:5|g\n"
        f"{_JOB}.Map.0.idleTime",
    )
    assert sorted(row.reason for row in bad) == [
        "line is neither StatsD nor Graphite",
        "metric is not one of Flink's",
        "the file is truncated",
        "time is out of range",
        "value is not a number",
    ]


def test_two_operators_of_one_name_are_not_mixed(tmp_path: Path) -> None:
    line = f"1795190995.{{}} {_JOB}.Map.0.currentOutputWatermark:{{}}|g\n"
    samples, bad = of_text(tmp_path, line.format(100, 5) + line.format(110, 8))
    assert samples == {}
    assert [row.reason for row in bad] == ["identifier belongs to more than one series"] * 2


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no line is from Flink's reporters"):
        of_text(tmp_path, "page.views:1|c\n")
    assert not statsd.recognizes("x", b"page.views:1|c\n")
    assert statsd.recognizes("x", f"{_JOB}.Map.0.busyTimeMsPerSecond:5|g\n".encode())
    assert statsd.recognizes("x", b"h.jobmanager.taskSlotsTotal 4 1795190995\n")


@given(st.binary(max_size=300), st.integers(0, 4000))
def test_no_bytes_are_too_odd(tmp_path_factory: pytest.TempPathFactory, some: bytes, cut: int) -> None:
    path = tmp_path_factory.mktemp("odd") / "lines"
    real = gzip.decompress((_FIXTURES / "statsd" / "async.txt.gz").read_bytes())[:cut]
    for content in (some, real + some, gzip.compress(real)[: len(some)]):
        path.write_bytes(content)
        try:
            read(path)
        except ValueError:
            continue
