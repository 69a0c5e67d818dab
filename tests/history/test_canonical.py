"""The canonical long form in CSV and JSON lines: what is read, what is set aside and why."""

from __future__ import annotations

import gzip
import json
import math
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flink_flint.calculators.history.file_access import head_of
from flink_flint.calculators.history.samples import Bad, SeriesKey
from flink_flint.calculators.history.sources import rejection_reasons as limits
from flink_flint.calculators.history.sources.canonical import csv_rows as canonical_csv
from flink_flint.calculators.history.sources.canonical import json_lines_rows as canonical_json_lines
from flink_flint.calculators.history.sources.canonical import rows as canonical
from flink_flint.calculators.history.sources.recognition import Options

PLAIN = Options()
T0 = 1_795_190_400_000
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


def read(module, path: Path, options: Options = PLAIN) -> tuple[list[tuple[SeriesKey, int, float]], list[Bad]]:
    samples, bad = [], []
    for batch in module.read(str(path), options):
        samples += [
            (batch.keys[place], time, value)
            for place, time, value in zip(
                batch.index.tolist(), batch.times.tolist(), batch.values.tolist(), strict=True
            )
        ]
        bad += batch.bad
    return samples, bad


def csv_of(folder: Path, text: str | bytes, options: Options = PLAIN):
    path = folder / "samples.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(canonical_csv, path, options)


def lines_of(folder: Path, *rows: object, options: Options = PLAIN):
    path = folder / "samples.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return read(canonical_json_lines, path, options)


def test_every_column_has_a_type_that_arrow_knows():
    assert {name: str(canonical.type_of(name)) for name in canonical.COLUMNS} == {
        name: str(pa.bool_()) if kind == "bool" else kind for name, kind in canonical.COLUMNS.items()
    }
    assert set(canonical.REQUIRED) < set(canonical.COLUMNS)


def test_a_row_with_all_columns_is_one_sample(tmp_path):
    header = (
        "ts,metric,value,cluster,job,job_id,scope,task,task_id,operator,operator_id,subtask,attempt,tm,part,counter"
    )
    row = f"{T0},numRecordsIn,5,prod,a,ab,operator,t,tt,o,oo,3,2,tm-1,p,true"
    samples, bad = csv_of(tmp_path, f"{header}\n{row}\n")
    assert not bad
    assert samples == [
        (
            SeriesKey("numRecordsIn", "operator", "prod", "a", "ab", "t", "tt", "o", "oo", 3, 2, "tm-1", "p", True),
            T0,
            5.0,
        )
    ]


@pytest.mark.parametrize(
    ("columns", "cells", "scope"),
    [
        ("job,task,operator", "j,t,o", "operator"),
        ("job,task,operator", "j,t,", "task"),
        ("job,tm", "j,tm-1", "taskmanager"),
        ("job_id,tm", "j,", "job"),
        ("job,tm", ",", "jobmanager"),
    ],
)
def test_the_scope_is_guessed_from_what_is_filled_in(tmp_path, columns, cells, scope):
    samples, bad = csv_of(tmp_path, f"ts,metric,value,{columns}\n{T0},anything,1,{cells}\n")
    assert not bad
    assert samples[0][0].scope == scope


def test_older_names_become_the_newest_and_counters_are_known(tmp_path):
    samples, _ = csv_of(tmp_path, f"ts,metric,value,job\n{T0},fullRestarts,1,j\n{T0},uptime,1,j\n")
    assert [(key.metric, key.counter) for key, _, _ in samples] == [("numRestarts", True), ("uptime", False)]


@pytest.mark.parametrize(
    "said",
    [str(T0), str(T0 // 1000), f"{T0 // 1000}.0", "2026-11-20T16:00:00Z", "2026-11-20 16:00:00",
     "2026-11-20T17:00:00+01:00", "2026-11-20T16:00:00.000Z"],
)  # fmt: skip
def test_times_are_iso_or_seconds_or_milliseconds(tmp_path, said):
    expected = int(datetime(2026, 11, 20, 16, tzinfo=UTC).timestamp() * 1000)
    assert expected == T0
    samples, bad = csv_of(tmp_path, f"ts,metric,value\n{said},m,1\n")
    assert (samples[0][1], bad) == (T0, [])
    samples, bad = lines_of(tmp_path, {"ts": said, "metric": "m", "value": 1})
    assert (samples[0][1], bad) == (T0, [])


def test_times_of_several_forms_may_be_in_one_file(tmp_path):
    samples, bad = csv_of(tmp_path, f"ts,metric,value\n{T0},m,1\n2026-11-20T16:00:01Z,m,2\n{T0 // 1000 + 2},m,3\n")
    assert not bad
    assert [time - T0 for _, time, _ in samples] == [0, 1000, 2000]
    samples, bad = lines_of(
        tmp_path,
        {"ts": T0, "metric": "m", "value": 1},
        {"ts": "2026-11-20T16:00:01Z", "metric": "m", "value": 2},
        {"ts": T0 / 1000 + 2.5, "metric": "m", "value": 3},
    )
    assert not bad
    assert [time - T0 for _, time, _ in samples] == [0, 1000, 2500]


def test_values_that_are_no_finite_numbers_stay_as_they_are(tmp_path):
    samples, bad = csv_of(tmp_path, f"ts,metric,value\n{T0},m,NaN\n{T0},m,+Inf\n{T0},m,-1e3\n")
    assert not bad
    assert math.isnan(samples[0][2])
    assert [value for _, _, value in samples[1:]] == [math.inf, -1000.0]
    samples, bad = lines_of(
        tmp_path, {"ts": T0, "metric": "m", "value": "NaN"}, f'{{"ts": {T0}, "metric": "m", "value": NaN}}'
    )
    assert [math.isnan(value) for _, _, value in samples] == [True, True]
    assert not bad


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("yesterday,m,1,j,0,true", canonical.NO_TIME),
        ("12,m,1,j,0,true", limits.OUT_OF_RANGE),
        ("1989-12-31T23:59:59Z,m,1,j,0,true", limits.OUT_OF_RANGE),
        ("9999999999999999,m,1,j,0,true", limits.OUT_OF_RANGE),
        ("nan,m,1,j,0,true", limits.OUT_OF_RANGE),
        (f"{T0},m,much,j,0,true", limits.NO_NUMBER),
        (f"{T0},m,,j,0,true", limits.NO_NUMBER),
        (f"{T0},m,1_0,j,0,true", limits.NO_NUMBER),
        (f"{T0},,1,j,0,true", canonical.NO_METRIC),
        (f"{T0},m,1,j,one,true", canonical.NO_INDEX),
        (f"{T0},m,1,j,0,perhaps", canonical.NO_FLAG),
        (f"{T0},m,1,j", canonical_csv.NO_ROW),
        (f'{T0},m,1,"j,0,true', canonical_csv.NO_ROW),
    ],
)
def test_a_bad_row_is_named_with_its_line_and_the_others_are_read(tmp_path, row, reason):
    good = f"{T0},m,1,j,0,true\n"
    samples, bad = csv_of(tmp_path, f"ts,metric,value,job,subtask,counter\n{good}{row}\n{good * 2}")
    assert len(samples) == 3
    assert bad == [Bad(f"{tmp_path / 'samples.csv'}:3", reason, row)]


def test_a_scope_that_is_none_is_refused(tmp_path):
    samples, bad = csv_of(tmp_path, f"ts,metric,value,scope\n{T0},m,1,galaxy\n{T0},m,1,job\n")
    assert [key.scope for key, _, _ in samples] == ["job"]
    assert bad[0].reason == canonical.NO_SCOPE


def test_bad_rows_deep_in_a_large_file_are_found_at_their_lines(tmp_path):
    rows = [f"{T0 + number},m,{number},job{number % 7}" for number in range(20_000)]
    for number in (0, 9_999, 19_999):
        rows[number] = f"{T0},m,?,j"
    samples, bad = csv_of(tmp_path, "ts,metric,value,job\n" + "\n".join(rows))
    assert len(samples) == 19_997
    assert sorted(value for _, _, value in samples)[-1] == 19_998
    assert [int(one.where.rpartition(":")[2]) for one in bad] == [2, 10_001, 20_001]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_and_line_ends_are_found_out(tmp_path, separator, end):
    text = end.join(separator.join(cells) for cells in (("TS", " metric ", "value"), (str(T0), "m", "1.5"))) + end
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert canonical_csv.recognizes(str(path), head_of(str(path)))
    samples, bad = read(canonical_csv, path)
    assert [value for _, _, value in samples] == [1.5]
    assert not bad


def test_quoted_names_keep_their_separators(tmp_path):
    samples, bad = csv_of(tmp_path, f'ts,metric,value,task\n{T0},m,1,"Source: a, ""b"""\n')
    assert not bad
    assert samples[0][0].task == 'Source: a, "b"'


def test_quotes_that_are_left_open_never_swallow_rows(tmp_path):
    samples, bad = csv_of(tmp_path, f'ts,metric,value,task\n{T0},m,1,"a\n{T0},m,2,b\n{T0},m,3,c"\n{T0},m,4,d\n')
    assert [value for _, _, value in samples if value in (2, 4)] == [2, 4]
    assert len(samples) + len(bad) == 4


def test_unknown_columns_are_ignored(tmp_path):
    samples, bad = csv_of(tmp_path, f"weather,ts,metric,value\nfine,{T0},m,1\n")
    assert (len(samples), bad) == (1, [])
    samples, bad = lines_of(tmp_path, {"ts": T0, "metric": "m", "value": 1, "weather": {"sun": [1]}})
    assert (len(samples), bad) == (1, [])


def test_the_cluster_that_was_said_is_that_of_all_samples(tmp_path):
    text = f"ts,metric,value,cluster\n{T0},m,1,a\n"
    assert csv_of(tmp_path, text)[0][0][0].cluster == "a"
    assert csv_of(tmp_path, text, Options(cluster="b"))[0][0][0].cluster == "b"


def test_a_header_that_lacks_a_column_says_which(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("ts,value\n1,2\n")
    assert not canonical_csv.recognizes(str(path), head_of(str(path)))
    with pytest.raises(ValueError, match=r"a\.csv:1: the header lacks metric"):
        list(canonical_csv.read(str(path), Options()))
    path.write_text("ts,metric,value,value\n")
    with pytest.raises(ValueError, match="value twice"):
        list(canonical_csv.read(str(path), Options()))


@pytest.mark.parametrize("module", [canonical_csv, canonical_json_lines])
def test_a_packed_file_that_breaks_off_gives_what_came_before(tmp_path, module):
    if module is canonical_csv:
        text = "ts,metric,value\n" + "".join(f"{T0 + n},m,{n * 7919 % 1000}\n" for n in range(50_000))
    else:
        text = "".join(
            json.dumps({"ts": T0 + n, "metric": "m", "value": n * 7919 % 1000}) + "\n" for n in range(50_000)
        )
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(text.encode())[:-5000])
    samples, bad = read(module, path)
    assert 1000 < len(samples) < 50_000
    assert bad[-1].reason == limits.BREAKS_OFF


def test_lines_that_are_no_objects_are_named(tmp_path):
    samples, bad = lines_of(
        tmp_path, {"ts": T0, "metric": "m", "value": 1}, "", "[1]", '{"ts": 1', {"ts": T0, "metric": ["m"], "value": 1}
    )
    assert len(samples) == 1
    assert [(one.where.rpartition(":")[2], one.reason) for one in bad] == [
        ("3", canonical_json_lines.NO_JSON),
        ("4", canonical_json_lines.NO_JSON),
        ("5", canonical.NO_NAME),
    ]


def test_json_lines_are_known_by_their_first_line():
    row = json.dumps({"ts": 1, "metric": "m", "value": 2}).encode()
    assert canonical_json_lines.recognizes("a", row + b"\n{")
    assert canonical_json_lines.recognizes("a", b'{"ts": 1, "metric": "m", "value": 2, "task": "' + b"x" * 4000)
    assert not canonical_json_lines.recognizes("a", b'{"metric": {"__name__": "m"}, "values": [1], "timestamps": [1]}')
    assert not canonical_json_lines.recognizes("a", b"ts,metric,value\n")


def test_a_file_without_a_line_of_json_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("hello\nworld\n")
    with pytest.raises(ValueError, match=r"a\.jsonl: no JSON lines"):
        list(canonical_json_lines.read(str(path), Options()))


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=12)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "ts": st.integers(limits.EARLIEST, limits.LATEST - 1).filter(lambda time: time >= 100_000_000_000),
            "metric": st.sampled_from(["numRecordsIn", "uptime", "my metric"]),
            "value": st.floats(allow_nan=False),
        },
        optional={"job": NAMES, "task": NAMES, "subtask": st.integers(0, 1000), "tm": NAMES},
    ),
    min_size=1,
    max_size=30,
)


@SHARED
@given(rows=ROWS)
def test_what_is_written_as_csv_or_json_lines_is_read_back_alike(tmp_path, rows):
    columns = ["ts", "metric", "value", "job", "task", "subtask", "tm"]

    def cell(value: object) -> str:
        return '"' + str(value).replace('"', '""') + '"' if isinstance(value, str) else str(value)

    text = (
        ",".join(columns) + "\n" + "".join(",".join(cell(row.get(name, "")) for name in columns) + "\n" for row in rows)
    )
    from_csv, bad_csv = csv_of(tmp_path, text)
    from_json, bad_json = lines_of(tmp_path, *rows)
    assert not bad_csv
    assert not bad_json
    assert sorted(from_csv) == sorted(from_json)
    assert sorted((time, value) for _, time, value in from_csv) == sorted((row["ts"], row["value"]) for row in rows)


@SHARED
@given(noise=st.binary(max_size=300))
def test_noise_below_a_header_is_set_aside_and_never_raises(tmp_path, noise):
    samples, bad = csv_of(tmp_path, b"ts,metric,value\n" + noise + f"\n{T0},m,1\n".encode())
    assert samples[-1][1:] == (T0, 1.0)
    assert all(one.reason and len(one.text) <= 200 for one in bad)


@SHARED
@given(noise=st.binary(max_size=300).filter(lambda noise: noise[:2] != b"\x1f\x8b"))
def test_noise_among_json_lines_is_set_aside_and_never_raises(tmp_path, noise):
    path = tmp_path / "a.jsonl"
    path.write_bytes(noise + b"\n" + json.dumps({"ts": T0, "metric": "m", "value": 1}).encode())
    samples, _ = read(canonical_json_lines, path)
    assert samples[-1][1:] == (T0, 1.0)
