"""Answers of Prometheus' query API kept in files."""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.file_access import head_of
from flink_flint.calculators.history.samples import Bad, SeriesKey
from flink_flint.calculators.history.sources.prometheus import saved_responses as prometheus_answers
from flink_flint.calculators.history.sources.prometheus.labels import key_of
from flink_flint.calculators.history.sources.recognition import Options

FIXTURES = Path(__file__).parent / "fixtures"
ANSWERS = FIXTURES / "prometheus" / "query_range.json.gz"

Samples = dict[SeriesKey, list[tuple[int, float]]]


def read(path: Path, options: Options | None = None) -> tuple[Samples, list[Bad]]:
    samples: Samples = {}
    bad: list[Bad] = []
    for batch in prometheus_answers.read(str(path), options or Options()):
        for place, time, value in zip(batch.index, batch.times, batch.values, strict=True):
            samples.setdefault(batch.keys[place], []).append((int(time), float(value)))
        bad += batch.bad
    return samples, bad


def of_text(folder: Path, text: str | bytes) -> tuple[Samples, list[Bad]]:
    path = folder / "answer.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


def answer(*series: object, kind: str = "matrix") -> dict[str, object]:
    return {"status": "success", "data": {"resultType": kind, "result": list(series)}}


def series(values: list[object], name: str = "flink_jobmanager_numRunningJobs", **labels: str) -> dict[str, object]:
    return {"metric": {"__name__": name, **labels}, "values": values}


def test_answers_of_a_real_cluster_are_read_whole() -> None:
    samples, bad = read(ANSWERS)
    told = [json.loads(line) for line in gzip.decompress(ANSWERS.read_bytes()).splitlines()]
    series = [one for answer in told for one in answer["data"]["result"] if one["metric"]["__name__"] != "up"]
    assert Counter(repr(row) for rows in samples.values() for row in rows) == Counter(
        repr((round(time * 1000), float(value))) for one in series for time, value in one["values"]
    )
    assert Counter(key.scope for key in samples) == {
        "task": 40, "operator": 10, "job": 8, "jobmanager": 1, "taskmanager": 2,
    }  # fmt: skip
    assert [(one.reason, one.text) for one in bad] == [("metric is not one of Flink's", "up")]


def test_labels_become_the_series() -> None:
    samples, _ = read(ANSWERS, Options(cluster_label="role"))
    key = next(key for key in samples if key.metric == "busyTimeMsPerSecond" and key.job == "async_bounded")
    assert key == SeriesKey(
        metric="busyTimeMsPerSecond", scope="task", cluster="taskmanager", job="async_bounded",
        job_id="09ba9881f698e1d92d3e3bd3693c4375", task="async_enrich____Sink:_store",
        task_id=key.task_id, subtask=0, attempt=0, tm="localhost:43645_144ccf",
    )  # fmt: skip
    assert len(key.task_id) == 32


def test_quantiles_are_metrics_and_states_are_parts() -> None:
    samples, _ = read(ANSWERS)
    assert {key.metric for key in samples if key.metric.startswith("mailbox")} == {
        f"mailboxLatencyMs.{one}" for one in ("p50", "p75", "p95", "p98", "p99", "p999", "count")
    }
    assert {key.part for key in samples if key.metric == "rocksdb.estimate-live-data-size"} == {"accState"}


def test_an_older_name_and_its_newer_one_are_the_same_counter() -> None:
    samples, _ = read(ANSWERS)
    restarts = {key: times for key, times in samples.items() if key.metric in ("numRestarts", "fullRestarts")}
    assert {key.metric for key in restarts} == {"numRestarts"}
    assert all(key.counter for key in restarts)


def test_the_cluster_said_wins_over_its_label() -> None:
    labels = {"__name__": "flink_jobmanager_numRunningJobs", "k8s": "west"}
    assert [key_of(labels, options).cluster for options in (  # type: ignore[union-attr]
        Options(), Options(cluster_label="k8s"), Options("east", "k8s"), Options(cluster_label="gone"),
    )] == ["", "west", "east", ""]  # fmt: skip


def test_flinks_own_label_is_found_under_the_name_a_scraper_moved_it_to() -> None:
    key = key_of(
        {"__name__": "flink_jobmanager_job_numRestarts", "job_name": "scraper", "exported_job_name": "orders"},
        Options(),
    )
    assert key is not None
    assert key.job == "orders"


def test_a_group_with_a_value_is_a_part_and_the_scrapers_labels_are_not() -> None:
    key = key_of(
        {
            "__name__": "flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_currentOffset",
            "topic": "orders", "partition": "3", "job": "flink", "pod": "tm-0", "instance": "10.0.0.1:9249",
        },
        Options(),
    )  # fmt: skip
    assert key is not None
    assert key.part == "orders/3"


@pytest.mark.parametrize("number", [3, 2_000])
def test_values_that_are_no_finite_numbers_stay_what_they_are(tmp_path: Path, number: int) -> None:
    special = ["NaN", "+Inf", "-Inf", "1e+06", "-0.5"]
    values: list[object] = [[1795190147.63 + n, special[n % 5]] for n in range(number * 5)]
    samples, bad = of_text(tmp_path, json.dumps(answer(series(values)), separators=(",", ":")))
    (found,) = samples.values()
    assert [time for time, _ in found] == [1795190147630 + 1000 * n for n in range(number * 5)]
    assert math.isnan(found[0][1])
    assert [value for _, value in found[1:5]] == [math.inf, -math.inf, 1e6, -0.5]
    assert bad == []


def test_any_spelling_of_the_json_is_read(tmp_path: Path) -> None:
    told = answer(series([[1795190147.63, "1"], [1795190152.63, "2"]], role="a}]]{\"'"), series([[1795190147, "3"]]))
    plain, none = of_text(tmp_path, json.dumps(told, separators=(",", ":")))
    assert sum(map(len, plain.values())) == 3
    assert none == []
    turned = {"data": {"result": [dict(reversed(one.items())) for one in told["data"]["result"]]}}  # type: ignore[index]
    for text in (json.dumps(told), json.dumps(told, indent=2), json.dumps(turned), json.dumps([told], indent=1)):
        assert of_text(tmp_path, text) == (plain, [])


def test_a_vector_is_read_and_a_scalar_told(tmp_path: Path) -> None:
    vector = answer({"metric": {"__name__": "flink_jobmanager_numRunningJobs"}, "value": [1795190147, "2"]})
    scalar = {"status": "success", "data": {"resultType": "scalar", "result": [1795190147, "2"]}}
    samples, bad = of_text(tmp_path, f"{json.dumps(vector)}\n{json.dumps(scalar)}\n{json.dumps(vector)}\n")
    assert list(samples.values()) == [[(1795190147000, 2.0), (1795190147000, 2.0)]]
    assert [one.reason for one in bad] == ["response is neither a matrix nor a vector"]


def test_what_cannot_be_used_is_told_with_its_reason(tmp_path: Path) -> None:
    told = answer(
        series([[1795190147, "many"], [1795190148, "1"], [1, "2"], ["x"], 7]),
        series([[1795190147, "1"]], name=""),
        {"values": []},
        {"metric": {"__name__": "flink_jobmanager_numRunningJobs"}, "histograms": [[1795190147, {}]]},
    )
    samples, bad = of_text(tmp_path, json.dumps(told))
    assert sum(map(len, samples.values())) == 1
    assert Counter(one.reason for one in bad) == {
        "value is not a number": 3, "time is out of range": 1, "series has no metric name": 1,
        "series is not a series of a response": 1, "native histograms are not read": 1,
    }  # fmt: skip
    assert all(one.where.startswith(str(tmp_path / "answer.json")) for one in bad)


def test_errors_and_warnings_of_the_server_are_told(tmp_path: Path) -> None:
    error = {"status": "error", "errorType": "execution", "error": "too many samples\nin line 1"}
    warned = {**answer(series([[1795190147, "1"]])), "warnings": ['a store is "gone"', "and another"]}
    partial = {"status": "success", "isPartial": True, "data": {"resultType": "matrix", "result": []}}
    samples, bad = of_text(tmp_path, "\n".join(map(json.dumps, (error, warned, partial))))
    assert sum(map(len, samples.values())) == 1
    assert [(one.reason, one.text) for one in bad] == [
        ("the server responded with an error", "too many samples"),
        ("the server warned", 'a store is "gone"'),
        ("the server warned", "and another"),
        ("the server warned", "the response is partial"),
    ]


def test_a_file_that_breaks_off_yields_what_came_before(tmp_path: Path) -> None:
    whole = gzip.decompress(ANSWERS.read_bytes())
    all_samples, _ = read(ANSWERS)
    samples, bad = of_text(tmp_path, whole[: len(whole) // 2])
    assert 0 < sum(map(len, samples.values())) < sum(map(len, all_samples.values()))
    assert [one.reason for one in bad] == ["the file is truncated"]
    samples, bad = of_text(tmp_path, ANSWERS.read_bytes()[:-2000])
    assert sum(map(len, samples.values())) > 0
    assert bad[-1].reason == "the file is truncated"


@pytest.mark.slow
def test_a_series_of_many_blocks_is_read(tmp_path: Path) -> None:
    values: list[object] = [[1795190147 + n, str(n / 7)] for n in range(150_000)]
    told = answer(series(values), series([[1795190147, "5"]], role="b"))
    for text in (json.dumps(told, separators=(",", ":")), json.dumps(told)):
        samples, bad = of_text(tmp_path, text)
        assert sorted(map(len, samples.values())) == [150_001]
        assert bad == []


def test_answers_are_recognized() -> None:
    assert prometheus_answers.recognizes(str(ANSWERS), head_of(str(ANSWERS)))
    assert prometheus_answers.recognizes("x.json", json.dumps(answer(), indent=4).encode())
    assert prometheus_answers.recognizes("x.json", b'{"status":"error","errorType":"bad_data"}')


@pytest.mark.parametrize(
    "head",
    [b"", b"{}", b'{"jobs":[]}', b'{"status":"success","data":["a"]}', b'{"metric":{"__name__":"x"}}', b"flink_x 1\n"],
)
def test_what_is_no_answer_is_not_taken_for_one(head: bytes) -> None:
    assert not prometheus_answers.recognizes("x.json", head)


_texts = st.text(st.characters(codec="utf-8"), max_size=12)
_values = st.floats(width=64).map(lambda value: "NaN" if math.isnan(value) else repr(value).replace("inf", "Inf"))
_times = st.integers(631_152_000_000, 4_102_444_799_999)


@given(
    st.lists(st.tuples(st.dictionaries(st.text("abcxyz_", min_size=1), _texts), st.lists(st.tuples(_times, _values)))),
    st.sampled_from([None, 2]),
    st.integers(0, 400),
)
@pytest.mark.slow
def test_what_is_written_is_read_and_no_cut_of_it_does_harm(
    tmp_path_factory: pytest.TempPathFactory,
    told: list[tuple[dict[str, str], list[tuple[int, str]]]],
    indent: int | None,
    cut: int,
) -> None:
    folder = tmp_path_factory.mktemp("answers")
    shaped = answer(
        *(
            series(
                [[time / 1000, value] for time, value in rows],
                **{f"label_{name}": text for name, text in labels.items()},
            )
            for labels, rows in told
        )
    )
    text = json.dumps(shaped, separators=(",", ":") if indent is None else None, indent=indent)
    samples, bad = of_text(folder, text)
    assert bad == []
    found = [row for rows in samples.values() for row in rows]
    expected = [(time, float(value)) for _, rows in told for time, value in rows]
    assert repr(found) == repr(expected)
    short, _ = of_text(folder, text[: max(0, len(text) - cut)])
    assert repr([row for rows in short.values() for row in rows]) == repr(found[: sum(map(len, short.values()))])


@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b'{"data":{"result":[', b'{"data":{"result":[{"metric":{"a":"b"},"values":[[']),
)
def test_no_bytes_raise_anything(tmp_path_factory: pytest.TempPathFactory, noise: bytes, before: bytes) -> None:
    prometheus_answers.recognizes("x", noise)
    of_text(tmp_path_factory.mktemp("noise"), b" " + before + noise)
