"""What VictoriaMetrics exports."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.file_access import head_of
from flink_flint.calculators.history.samples import Bad, SeriesKey
from flink_flint.calculators.history.sources.prometheus import victoriametrics_export
from flink_flint.calculators.history.sources.recognition import Options

EXPORT = Path(__file__).parent / "fixtures" / "victoriametrics" / "export.jsonl.gz"

Samples = dict[SeriesKey, list[tuple[int, float]]]


def read(path: Path) -> tuple[Samples, list[Bad]]:
    samples: Samples = {}
    bad: list[Bad] = []
    for batch in victoriametrics_export.read(str(path), Options()):
        for place, time, value in zip(batch.index, batch.times, batch.values, strict=True):
            samples.setdefault(batch.keys[place], []).append((int(time), float(value)))
        bad += batch.bad
    return samples, bad


def of_text(folder: Path, text: str | bytes) -> tuple[Samples, list[Bad]]:
    path = folder / "export.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


def line(values: list[object], times: list[object], name: str = "flink_jobmanager_numRunningJobs") -> str:
    return json.dumps({"metric": {"__name__": name, "job": "flink"}, "values": values, "timestamps": times}) + "\n"


def test_a_real_export_is_read_whole() -> None:
    samples, bad = read(EXPORT)
    lines = [json.loads(one) for one in gzip.decompress(EXPORT.read_bytes()).splitlines()]
    assert len(samples) == len(lines) == 19
    assert sum(map(len, samples.values())) == sum(len(one["values"]) for one in lines)
    assert bad == []
    (running,) = (rows for key, rows in samples.items() if key.metric == "numRunningJobs")
    told = next(one for one in lines if one["metric"]["__name__"] == "flink_jobmanager_numRunningJobs")
    assert running == list(zip(told["timestamps"], told["values"], strict=True))


def test_empty_lines_are_no_samples(tmp_path: Path) -> None:
    one = line([1.5], [1795190147000])
    samples, bad = of_text(tmp_path, f"{one}\n  \n{one}")
    assert bad == []
    assert sum(map(len, samples.values())) == 2


def test_null_and_infinite_values_are_read(tmp_path: Path) -> None:
    times: list[object] = [1795190147000 + n for n in range(4)]
    samples, bad = of_text(tmp_path, line([1.5, None, "Infinity", "-Infinity"], times))
    (rows,) = samples.values()
    assert [time for time, _ in rows] == times
    assert math.isnan(rows[1][1])
    assert [rows[n][1] for n in (0, 2, 3)] == [1.5, math.inf, -math.inf]
    assert bad == []


def test_pieces_of_a_series_are_one_series(tmp_path: Path) -> None:
    text = line([1], [1795190147000]) + "\n" + line([2], [1795190148000])
    samples, _ = of_text(tmp_path, text)
    assert list(samples.values()) == [[(1795190147000, 1.0), (1795190148000, 2.0)]]


def test_what_cannot_be_used_is_told_with_line_and_reason(tmp_path: Path) -> None:
    text = (
        line([1, "many", {}], [1795190147000, 1795190148000, 1795190149000])
        + line([1, 2], [1795190147000])
        + "{}\nno json\n"
        + line([1], [1795190147])
        + line([1], [1795190147000], "go_goroutines")
    )
    samples, bad = of_text(tmp_path, text)
    assert sum(map(len, samples.values())) == 1
    assert [(one.where.rpartition(":")[2], one.reason) for one in bad] == [
        ("1", "value is not a number"),
        ("1", "value is not a number"),
        ("2", "values and timestamps differ in number"),
        ("3", "line is not a series of an export"),
        ("4", "line is not a series of an export"),
        ("5", "time is out of range"),
        ("6", "metric is not one of Flink's"),
    ]


def test_an_export_that_breaks_off_yields_what_came_before(tmp_path: Path) -> None:
    whole = gzip.decompress(EXPORT.read_bytes())
    samples, bad = of_text(tmp_path, whole[:-100])
    assert len(samples) == 18
    assert [one.reason for one in bad] == ["the file is truncated"]
    _, bad = of_text(tmp_path, EXPORT.read_bytes()[:-100])
    assert [one.reason for one in bad] == ["the file is truncated"]


def test_an_export_is_recognized() -> None:
    assert victoriametrics_export.recognizes(str(EXPORT), head_of(str(EXPORT)))


@pytest.mark.parametrize("head", [b"", b'{"metric":"numRestarts","value":1}', b'{"metric_stream_name":"x"}', b"a 1\n"])
def test_what_is_no_export_is_not_taken_for_one(head: bytes) -> None:
    assert not victoriametrics_export.recognizes("x", head)


_rows = st.lists(
    st.tuples(
        st.integers(631_152_000_000, 4_102_444_799_999),
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**6), 10**6)),
    )
)


@given(_rows, st.integers(0, 200))
def test_what_is_written_is_read_and_no_cut_of_it_does_harm(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, float | None]], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("export")
    text = line([value for _, value in rows], [time for time, _ in rows])
    samples, bad = of_text(folder, text)
    assert bad == []
    found = [row for all_rows in samples.values() for row in all_rows]
    assert repr(found) == repr([(time, math.nan if value is None else float(value)) for time, value in rows])
    of_text(folder, text[: max(0, len(text) - cut)])


@given(st.binary(max_size=300), st.sampled_from([b"", b'{"metric":{},"values":[', b'{"metric":{"__name__":"flink_x"}']))
def test_no_bytes_raise_anything(tmp_path_factory: pytest.TempPathFactory, noise: bytes, before: bytes) -> None:
    victoriametrics_export.recognizes("x", noise)
    of_text(tmp_path_factory.mktemp("noise"), b" " + before + noise)
