"""Flink's logs: blocks of the Slf4j reporter, checkpoints, messages that are too large."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.samples import SeriesKey
from flink_flint.calculators.history.sources import slf4j_log
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.sources.text_lines import leading_time
from tests.history.test_statsd import read as read_with

_FIXTURES = Path(__file__).parent / "fixtures" / "slf4j_log"
_TIME = 1_795_190_995_149
_JOB = "7d46" * 8
_TM = "10.0.0.1.taskmanager.10.0.0.1:37611-8565ec.shop"
_SLF4J = "2026-11-20 16:09:55,149 INFO  org.apache.flink.metrics.slf4j.Slf4jReporter                 [] - \n"
_START = f"{'=' * 27} Starting metrics report {'=' * 27}\n"
_FINISH = f"{'=' * 27} Finished metrics report {'=' * 27}\n"


def block(gauges: str = "", counters: str = "", meters: str = "", histograms: str = "") -> str:
    """A report as the reporter writes it."""
    sections = {"Counters": counters, "Gauges": gauges, "Meters": meters, "Histograms": histograms}
    text = "".join(f"\n-- {name} {'-' * 40}\n{lines}" for name, lines in sections.items() if lines)
    return f"{_SLF4J}{_START}{text}\n{_FINISH}\n"


def of_text(folder: Path, text: str) -> tuple[dict[SeriesKey, list[tuple[int, float]]], list[tuple[str, str]]]:
    path = folder / "flink.log"
    path.write_text(text, "utf-8")
    samples, bad = read_with(path, source=slf4j_log.SOURCE)
    return samples, [(row.where.rpartition(":")[2], row.reason) for row in bad]


def test_every_line_of_a_real_report_is_used() -> None:
    for name, scopes in (
        ("taskmanager.log.gz", {"taskmanager", "task", "operator"}),
        ("jobmanager.log.gz", {"jobmanager", "job", "operator"}),
    ):
        samples, bad = read_with(_FIXTURES / name, source=slf4j_log.SOURCE)
        assert bad == []
        assert {key.scope for key in samples} == scopes
        assert slf4j_log.recognizes(name, gzip.decompress((_FIXTURES / name).read_bytes())[:4096])


def test_completed_checkpoints_are_samples_of_the_job() -> None:
    samples, _ = read_with(_FIXTURES / "jobmanager.log.gz", source=slf4j_log.SOURCE)
    told = {key.metric: values for key, values in samples.items() if key.job_id}
    assert set(told) == {"lastCheckpointSize", "lastCheckpointDuration", "checkpointFinalizationTime"}
    assert len({len(values) for values in told.values()}) == 1
    assert all(value > 0 for key, values in told.items() for _, value in values if key != "checkpointFinalizationTime")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f"Completed checkpoint 1 for job {_JOB} (21488 bytes, checkpointDuration=206 ms, finalizationTime=4 ms).",
            {"lastCheckpointSize": 21488, "lastCheckpointDuration": 206, "checkpointFinalizationTime": 4},
        ),
        (
            f"Completed checkpoint 7 for job {_JOB} (21488 bytes in 206 ms).",
            {"lastCheckpointSize": 21488, "lastCheckpointDuration": 206},
        ),
    ],
)
def test_both_spellings_of_a_completed_checkpoint_are_read(
    tmp_path: Path, line: str, expected: dict[str, float]
) -> None:
    text = f"2026-11-20 16:09:55,149 INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator    [] - {line}\n"
    samples, bad = of_text(tmp_path, text)
    assert bad == []
    assert {key.metric: value for key, ((_, value),) in samples.items()} == expected
    assert {(key.scope, key.job_id) for key in samples} == {("job", _JOB)}


@pytest.mark.parametrize(
    "message",
    [
        (
            "org.apache.pekko.remote.OversizedPayloadException: Discarding oversized payload sent to "
            "Actor[pekko.tcp://flink@127.0.0.1:35721/user/rpc/jobmanager_20#893945860]: max allowed size 10485760 "
            "bytes, actual size of encoded class org.apache.flink.runtime.rpc.messages.RemoteFencedMessage was "
            "11204872 bytes."
        ),
        "Caused by: java.io.IOException: The rpc invocation size 11204872 exceeds the maximum akka framesize.",
    ],
)
def test_a_message_that_is_too_large_is_told_once_with_its_sender(tmp_path: Path, message: str) -> None:
    text = (
        "2026-11-20 16:00:00,000 INFO  org.apache.flink.runtime.taskexecutor.TaskManagerRunner [] - "
        "Starting TaskManager with ResourceID: 127.0.0.1:37261-3c525f\n"
        "2026-11-20 16:09:55,149 ERROR org.apache.pekko.remote.EndpointWriter [] - Transient association error\n"
        f"{message}\n\tat org.example.Class.method(Class.java:1)\n{message}\n"
    )
    samples, bad = of_text(tmp_path, text)
    assert bad == []
    assert samples == {SeriesKey("rpcMessageSize", "taskmanager", tm="127.0.0.1:37261-3c525f"): [(_TIME, 11_204_872.0)]}


def test_the_sections_tell_counters_meters_and_histograms_apart(tmp_path: Path) -> None:
    samples, bad = of_text(
        tmp_path,
        block(
            f"{_TM}.Map.0.isBackPressured: true\n10.0.0.1.jobmanager.shop.lastCheckpointExternalPath: file:/a\n",
            f"{_TM}.Map.0.numRecordsIn: 5\n",
            f"{_TM}.Map.0.numRecordsInPerSecond: 0.5\n",
            f"{_TM}.Map.0.mailboxLatencyMs: count=14, min=0, max=7, p99=6.5\n",
        ),
    )
    assert bad == []
    assert {key.metric: value for key, ((_, value),) in samples.items()} == {
        "isBackPressured": 1,
        "numRecordsIn": 5,
        "numRecordsInPerSecond": 0.5,
        "mailboxLatencyMs.count": 14,
        "mailboxLatencyMs.min": 0,
        "mailboxLatencyMs.max": 7,
        "mailboxLatencyMs.p99": 6.5,
    }
    assert {(key.tm, key.job, key.task) for key in samples} == {("10.0.0.1:37611-8565ec", "shop", "Map")}


def test_values_that_cannot_be_told_apart_are_kept_aside(tmp_path: Path) -> None:
    lines = "".join(f"{_TM}.Map.0.{metric}\n" for metric in ("currentOutputWatermark: 5", "currentOutputWatermark: 6"))
    samples, bad = of_text(tmp_path, block(lines))
    assert samples == {}
    assert bad == [("2", "identifier belongs to more than one series")] * 2


def test_equal_identifiers_of_task_and_operator_become_both(tmp_path: Path) -> None:
    roles = f"{_TM}.enrich.1.busyTimeMsPerSecond: 10\n{_TM}.enrich.1.currentOutputWatermark: 7\n"
    counters = f"{_TM}.enrich.1.numBytesOut: 0\n{_TM}.enrich.1.numBytesOut: 1080836\n"
    samples, bad = of_text(tmp_path, block(roles, counters))
    assert bad == []
    assert {key.scope: value for key, ((_, value),) in samples.items() if key.metric == "numBytesOut"} == {
        "task": 1_080_836,
        "operator": 0,
    }


def test_reports_that_are_cut_are_told_and_used_as_far_as_they_go(tmp_path: Path) -> None:
    whole = block(f"{_TM}.Map.0.busyTimeMsPerSecond: 10\n")
    _head, tail = whole.split("Map.0", 1)
    other = "2026-11-20 16:10:00,000 INFO  org.apache.flink.runtime.Other [] - hello\n"
    samples, bad = of_text(tmp_path, f"Map.0{tail}{whole.partition(_FINISH)[0]}{other}{whole.partition(_FINISH)[0]}")
    assert [value for values in samples.values() for _, value in values] == [10.0, 10.0]
    assert [reason for _, reason in bad] == [
        "report begins in another file",
        "report is truncated",
        "the file is truncated",
    ]


@pytest.mark.parametrize("before", ["16:09:55,149 INFO  Slf4jReporter - \n", ""])
def test_a_report_without_a_date_is_kept_aside(tmp_path: Path, before: str) -> None:
    text = block(f"{_TM}.Map.0.busyTimeMsPerSecond: 10\n").replace(_SLF4J, before)
    samples, bad = of_text(tmp_path, text)
    assert samples == {}
    assert [reason for _, reason in bad] == ["report has no time with a date"]


def test_what_a_container_runtime_puts_before_lines_does_not_matter(tmp_path: Path) -> None:
    text = block(f"{_TM}.Map.0.busyTimeMsPerSecond: 10\n")
    prefixed = "".join(f"2026-11-20T16:09:56.000000001Z stdout F {line}\n" for line in text.splitlines())
    assert of_text(tmp_path, prefixed) == of_text(tmp_path, text)
    assert of_text(tmp_path, text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20 16:09:55,149 INFO",
        "2026-11-20 16:09:55.149 [main]",
        "[2026-11-20T16:09:55,149Z] INFO",
        "2026-11-20T18:09:55.149+0200 x",
        "2026/11/20 16:09:55.149 x",
        "26/11/20 16:09:55.149 INFO",
        "1795190995149 x",
        "1795190995.149 x",
    ],
)
def test_the_usual_patterns_of_times_are_read(text: str) -> None:
    found = leading_time(text)
    assert found
    assert found[0] == _TIME


@pytest.mark.parametrize("text", ["16:09:55,149 INFO", "2026-13-45 16:09:55,149", "", "12345", "x 2026-11-20 16:09:55"])
def test_what_is_no_time_with_a_date_is_none(text: str) -> None:
    assert leading_time(text) is None


def test_the_time_of_a_container_runtime_counts_where_the_log_has_no_date(tmp_path: Path) -> None:
    text = block(f"{_TM}.Map.0.busyTimeMsPerSecond: 10\n").replace(_SLF4J, "16:09:55,149 INFO  Slf4jReporter - \n")
    prefixed = "".join(f"2026-11-20T16:09:55.149000001Z stdout F {line}\n" for line in text.splitlines())
    samples, bad = of_text(tmp_path, prefixed)
    assert bad == []
    assert list(samples.values()) == [[(_TIME, 10.0)]]


def test_a_log_that_tells_nothing_is_empty(tmp_path: Path) -> None:
    assert of_text(tmp_path, "2026-11-20 16:09:55,149 INFO  org.apache.flink.X [] - hello\n") == ({}, [])
    assert not slf4j_log.recognizes("x", b"2026-11-20 16:09:55,149 INFO  org.example.X - hello\n")
    assert slf4j_log.recognizes("x", b"2026-11-20 16:09:55,149 INFO  org.apache.flink.X [] - hello\n")


@given(st.binary(max_size=300), st.integers(0, 6000))
def test_no_bytes_are_too_odd(tmp_path_factory: pytest.TempPathFactory, some: bytes, cut: int) -> None:
    path = tmp_path_factory.mktemp("odd") / "log"
    real = gzip.decompress((_FIXTURES / "taskmanager.log.gz").read_bytes())[:cut]
    for content in (some, real + some, gzip.compress(real)[: len(some)]):
        path.write_bytes(content)
        try:
            list(slf4j_log.read(str(path), Options()))
        except ValueError:
            continue
