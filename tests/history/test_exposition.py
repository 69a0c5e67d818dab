"""Text exposition: scrapes, federation, dumps."""

from __future__ import annotations

import gzip
import math
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.file_access import head_of
from flink_flint.calculators.history.samples import Bad, SeriesKey
from flink_flint.calculators.history.sources import exposition
from flink_flint.calculators.history.sources.exposition import labels_of
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.sources.text_lines import time_in

FIXTURES = Path(__file__).parent / "fixtures" / "exposition"
TASKMANAGER = FIXTURES / "scrape_tm_1795190700.txt.gz"
JOBMANAGER = FIXTURES / "scrape_jm_20261120T160500Z.txt.gz"

Samples = dict[SeriesKey, list[tuple[int, float]]]


def read(path: Path, options: Options | None = None) -> tuple[Samples, list[Bad]]:
    samples: Samples = {}
    bad: list[Bad] = []
    for batch in exposition.read(str(path), options or Options()):
        for place, time, value in zip(batch.index, batch.times, batch.values, strict=True):
            samples.setdefault(batch.keys[place], []).append((int(time), float(value)))
        bad += batch.bad
    return samples, bad


def of_text(folder: Path, text: str | bytes, name: str = "x.txt", time: int = 0) -> tuple[Samples, list[Bad]]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path, Options(time=time))


def test_scrapes_of_a_real_cluster_are_read_whole() -> None:
    for path, lines in ((TASKMANAGER, 1021), (JOBMANAGER, 79)):
        samples, bad = read(path)
        assert sum(map(len, samples.values())) == lines
        assert bad == []
    assert {key.scope for key in read(TASKMANAGER)[0]} == {"taskmanager", "task", "operator"}
    assert {key.scope for key in read(JOBMANAGER)[0]} == {"jobmanager", "job"}


def test_flinks_trailing_comma_and_its_numbers_are_understood() -> None:
    samples, _ = read(TASKMANAGER)
    busy = [rows for key, rows in samples.items() if key.metric == "accumulateBusyTimeMs" and "src_1_" in key.task]
    assert [math.isnan(rows[0][1]) for rows in busy] == [True, True]
    key, rows = next((key, rows) for key, rows in samples.items() if key.metric == "Status.JVM.Memory.Heap.Used")
    assert key == SeriesKey("Status.JVM.Memory.Heap.Used", "taskmanager", tm="localhost:43645_144ccf")
    raw = gzip.decompress(TASKMANAGER.read_bytes()).decode()
    (line,) = (one for one in raw.splitlines() if one.startswith("flink_taskmanager_Status_JVM_Memory_Heap_Used{"))
    assert rows[0][1] == float(line.split()[-1])


def test_a_summary_has_its_quantiles_and_its_count() -> None:
    samples, _ = read(TASKMANAGER)
    assert {key.metric for key in samples if key.metric.startswith("mailboxLatencyMs")} == {
        f"mailboxLatencyMs.{one}" for one in ("p50", "p75", "p95", "p98", "p99", "p999", "count")
    }


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("scrape-1795190147.txt", 1795190147000),
        ("1795190147630.prom", 1795190147630),
        ("scrape_20261120T155547Z_9249.txt", 1795190147000),
        ("tm 2026-11-20 15:55:47.txt", 1795190147000),
        ("tm-2026-11-20T15-55.txt", 1795190100000),
        ("20261120-155547.txt", 1795190147000),
        ("20261399T995547Z.txt", 0),
        ("scrape_9251.txt", 0),
        ("0000000012.txt", 0),
    ],
)
def test_a_files_name_tells_the_time(name: str, time: int) -> None:
    assert time_in(name) == time


def test_a_sample_without_a_time_has_the_one_given_or_the_names_or_the_files(tmp_path: Path) -> None:
    text = "flink_jobmanager_numRunningJobs 1\n"

    def time(name: str, given: int = 0) -> int:
        ((found, _),) = of_text(tmp_path, text, name, given)[0].popitem()[1]
        return found

    assert time("a_1795190147.txt", 1795190000000) == 1795190000000
    assert time("a_1795190147.txt") == 1795190147000
    (tmp_path / "plain.txt").write_text(text)
    os.utime(tmp_path / "plain.txt", ns=(0, 1795190147_630_000_000))
    assert list(read(tmp_path / "plain.txt")[0].values()) == [[(1795190147630, 1.0)]]


def test_times_are_milliseconds_or_openmetrics_seconds(tmp_path: Path) -> None:
    text = (
        'flink_jobmanager_numRunningJobs{role="a"} 1 1795190147630\n'
        'flink_jobmanager_numRunningJobs{role="a"} 2 1795190147.631\n'
        "flink_jobmanager_numRunningJobs\t3\t1795190148\n"
        '{__name__="flink_jobmanager_numRunningJobs", role="a"} 4 1795190149630\n'
        '{"flink_jobmanager_numRunningJobs",role="a"} 5 1795190150630\n'
        'flink_jobmanager_numRunningJobs{} 6 1795190151 # {trace_id="}"} 0.5 1795190140\n'
        'flink_jobmanager_numRunningJobs { role = "a" , } 7 1795190152\n'
        "# EOF\n"
    )
    samples, bad = of_text(tmp_path, text)
    assert bad == []
    assert list(samples.values()) == [
        [
            (1795190147630, 1.0), (1795190147631, 2.0), (1795190148000, 3.0), (1795190149630, 4.0),
            (1795190150630, 5.0), (1795190151000, 6.0), (1795190152000, 7.0),
        ]
    ]  # fmt: skip


def test_escaped_label_values_are_unescaped() -> None:
    assert labels_of(rb'x{job_name="a\"b}\\c\nd",task_name=" , # {",}') == {
        "__name__": "x", "job_name": 'a"b}\\c\nd', "task_name": " , # {",
    }  # fmt: skip


@pytest.mark.parametrize("text", [b"x{", b"x}", b"x{a=b}", b'x{a="b" c="d"}', b"a b", b"a.b", b'x{a="b}', b"x{}y"])
def test_what_is_no_series_is_none(text: bytes) -> None:
    assert labels_of(text) is None


def test_a_label_with_a_remark_in_it_is_a_label(tmp_path: Path) -> None:
    samples, bad = of_text(tmp_path, 'flink_jobmanager_job_numRestarts{job_name="a # b {c}",} 3 1795190147630\n')
    assert [(key.job, rows) for key, rows in samples.items()] == [("a # b {c}", [(1795190147630, 3.0)])]
    assert bad == []


def test_what_cannot_be_used_is_told_with_line_and_reason(tmp_path: Path) -> None:
    text = (
        "# HELP flink_jobmanager_numRunningJobs numRunningJobs (scope: jobmanager)\n"
        "flink_jobmanager_numRunningJobs many 1795190147630\n"
        "flink_jobmanager_numRunningJobs\n"
        "flink_jobmanager_numRunningJobs 1 12\n"
        "flink_jobmanager_numRunningJobs 1 NaN\n"
        "one, two\n"
        "go_goroutines 12\n"
        "go_goroutines 13\n"
        "\n"
        "flink_jobmanager_numRunningJobs 1 1795190147630\n"
    )
    samples, bad = of_text(tmp_path, text)
    assert list(samples.values()) == [[(1795190147630, 1.0)]]
    assert [(one.where.rpartition(":")[2], one.reason) for one in bad] == [
        ("2", "value is not a number"),
        ("3", "value is not a number"),
        ("4", "time is out of range"),
        ("5", "time is out of range"),
        ("6", "line is not a sample"),
        ("7", "metric is not one of Flink's"),
    ]


def test_a_scrape_that_breaks_off_does_not_believe_its_last_number(tmp_path: Path) -> None:
    whole = gzip.decompress(TASKMANAGER.read_bytes())
    samples, bad = of_text(tmp_path, whole[:-3], time=1795190147000)
    assert sum(map(len, samples.values())) == 1020
    assert [one.reason for one in bad] == ["the file is truncated"]
    samples, bad = of_text(tmp_path, TASKMANAGER.read_bytes()[:-3000], time=1795190147000)
    assert 500 < sum(map(len, samples.values())) < 1021
    assert [one.reason for one in bad] == ["the file is truncated"]


@pytest.mark.parametrize(
    "head",
    [
        head_of(str(TASKMANAGER)),
        b"# by cron\n\nflink_jobmanager_numRunningJobs 1\n",
        b'flink_x{a="b",} NaN\n',
        b'{__name__="flink_x", a="b"} 1 1795190147630\n',
        b"# EOF\n",
        b"up +Inf 1795190147.5\n",
    ],
)
def test_expositions_are_recognized(head: bytes) -> None:
    assert exposition.recognizes("x", head)


@pytest.mark.parametrize(
    "head",
    [
        b"", b"{}", b'{"status":"success"}', b"host.taskmanager.tm.job.task.0.numRecordsIn:1|g\n",
        b"host.jobmanager.numRunningJobs 1 1795190147\n", b"# Remarks\nkey: value\n",
        b'taskmanager_job_x,host=a,job="{a=\\"b\\"}" count=1i 1795190147630000000\n',
        b"2026-11-20 15:55:47,630 INFO  org.apache.flink - Completed 1\n", b"ts,metric,value\n", b"a b c\n",
    ],
)  # fmt: skip
def test_what_is_no_exposition_is_not_taken_for_one(head: bytes) -> None:
    assert not exposition.recognizes("x", head)


_value = st.floats(width=64)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(["job_name", "task_name", "tm_id"]), st.text(max_size=10), min_size=1),
            _value,
            st.integers(631_152_000_000, 4_102_444_799_999),
        )
    ),
    st.booleans(),
    st.integers(0, 150),
)
def test_what_is_written_is_read_and_no_cut_of_it_does_harm(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[dict[str, str], float, int]], comma: bool, cut: int
) -> None:
    lines = [
        "flink_taskmanager_job_task_numRecordsIn{"
        + ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
        + f"{',' if comma else ''}}} {value!r} {time}\n"
        for labels, value, time in told
    ]
    folder = tmp_path_factory.mktemp("scrape")
    text = "".join(lines)
    samples, bad = of_text(folder, text.encode("utf-8", "replace"))
    assert bad == []

    def names(labels: dict[str, str]) -> tuple[str, ...]:
        return tuple(labels.get(n, "").encode("utf-8", "replace").decode() for n in ("job_name", "task_name", "tm_id"))

    found = Counter(
        ((key.job, key.task, key.tm), time, repr(value)) for key, rows in samples.items() for time, value in rows
    )
    assert found == Counter((names(labels), time, repr(value)) for labels, value, time in told)
    of_text(folder, text.encode("utf-8", "replace")[: max(0, len(text) - cut)])


@given(st.binary(max_size=300), st.sampled_from([b"", b'flink_x{a="', b"flink_x 1 ", b"flink_x{} "]))
def test_no_bytes_raise_anything(tmp_path_factory: pytest.TempPathFactory, noise: bytes, before: bytes) -> None:
    exposition.recognizes("x", before + noise)
    of_text(tmp_path_factory.mktemp("noise"), b" " + before + noise)
