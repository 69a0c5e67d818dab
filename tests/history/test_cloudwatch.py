"""Answers of CloudWatch and its metric streams, in the shapes its reference and its command line give them."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flink_flint.calculators.history.file_access import head_of
from flink_flint.calculators.history.samples import Bad, SeriesKey
from flink_flint.calculators.history.sources import cloudwatch
from flink_flint.calculators.history.sources import rejection_reasons as limits
from flink_flint.calculators.history.sources.canonical import rows as canonical
from flink_flint.calculators.history.sources.cloudwatch_metrics import FLINK, KINESIS, NO_OWNER, NO_STATISTIC
from flink_flint.calculators.history.sources.recognition import Options

PLAIN = Options()
T0 = 1_795_190_400_000
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)

Series = dict[SeriesKey, list[tuple[int, float]]]


def read(path: Path, options: Options = PLAIN) -> tuple[Series, list[Bad]]:
    series: Series = defaultdict(list)
    bad = []
    for batch in cloudwatch.read(str(path), options):
        for place, time, value in zip(batch.index.tolist(), batch.times.tolist(), batch.values.tolist(), strict=True):
            series[batch.keys[place]].append((time, value))
        bad += batch.bad
    return series, bad


def written(folder: Path, content: Any, name: str = "answer.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return path


def query(metric: str, stat: str, period: int = 60, namespace: str = FLINK, **dimensions: str) -> dict[str, Any]:
    owner = {"Application": "orders"} if namespace == FLINK else {"StreamName": "clicks"}
    said = [{"Name": name, "Value": value} for name, value in {**owner, **dimensions}.items()]
    return {
        "Id": "m1",
        "MetricStat": {
            "Metric": {"Namespace": namespace, "MetricName": metric, "Dimensions": said},
            "Period": period,
            "Stat": stat,
        },
    }


def answer(values: list[Any], times: list[Any] | None = None, label: str = "", number: str = "m1") -> dict[str, Any]:
    said = [f"2026-11-20T16:0{minute}:00+00:00" for minute in range(len(values))] if times is None else times
    result = {"Id": number, "Label": label, "Timestamps": said, "Values": values, "StatusCode": "Complete"}
    return {"MetricDataResults": [result], "Messages": []}


def asked(folder: Path, one: dict[str, Any], values: list[Any]) -> tuple[SeriesKey, list[tuple[int, float]]]:
    """The only series of an answer that has its query next to it."""
    series, bad = read(written(folder, {"MetricDataQueries": [one], **answer(values)}))
    assert not bad
    ((key, samples),) = series.items()
    return key, samples


def streamed(metric: str, namespace: str = FLINK, *, minute: int = 0, value: Any = None, **dimensions: str) -> str:
    owner = {"Application": "orders"} if namespace == FLINK else {"StreamName": "clicks"}
    return json.dumps(
        {
            "metric_stream_name": "all",
            "account_id": "123456789012",
            "region": "eu-west-1",
            "namespace": namespace,
            "metric_name": metric,
            "dimensions": {**owner, **dimensions},
            "timestamp": T0 + minute * 60_000,
            "value": value or {"count": 8.0, "sum": 2400.0, "max": 900.0, "min": 100.0},
            "unit": "Milliseconds",
        }
    )


def named(series: Series) -> dict[str, float]:
    return {key.metric: samples[0][1] for key, samples in series.items()}


def test_an_answer_with_its_queries_is_a_series_of_a_job(tmp_path):
    key, samples = asked(tmp_path, query("lastCheckpointDuration", "Maximum"), [1200.0, 900.0])
    assert key == SeriesKey("lastCheckpointDuration", "job", "orders", "orders")
    assert samples == [(T0, 1200.0), (T0 + 60_000, 900.0)]


@pytest.mark.parametrize(
    ("metric", "dimensions", "expected"),
    [
        ("fullRestarts", {}, ("numRestarts", "job", True)),
        ("managedMemoryUsed", {}, ("Status.Flink.Memory.Managed.Used", "taskmanager", False)),
        ("managedMemoryUsed", {"Task": "Map"}, ("managedMemoryUsed", "task", False)),
        ("cpuUtilization", {}, ("cpuUtilization", "taskmanager", False)),
        ("taskmanagerFileDescriptorsOpen", {"tm_id": "1"}, ("Status.JVM.FileDescriptor.Open", "taskmanager", False)),
        ("busyTimeMsPerSecond", {"Task": "Map", "Operator": "Map"}, ("busyTimeMsPerSecond", "operator", False)),
        ("KPUs", {}, ("KPUs", "job", False)),
        ("my_own", {"Task": "Map"}, ("my_own", "task", False)),
    ],
)
def test_names_and_scopes_become_flinks(tmp_path, metric, dimensions, expected):
    key, _ = asked(tmp_path, query(metric, "Average", **dimensions), [1.0])
    assert (key.metric, key.scope, key.counter) == expected


def test_dimensions_say_task_subtask_and_shard(tmp_path):
    one = query("millisBehindLatest", "Maximum", Task="Source", Parallelism="3", ShardId="shardId-7", Stream="clicks")
    key, _ = asked(tmp_path, one, [5.0])
    assert (key.task, key.subtask, key.part) == ("Source", 3, "clicks/shardId-7")


def test_the_sum_of_a_managed_metric_is_divided_by_its_snapshots(tmp_path):
    # Four snapshots a minute of two subtasks with 100 records a second each.
    key, samples = asked(tmp_path, query("numRecordsInPerSecond", "Sum", Task="Map"), [800.0])
    assert (key.metric, samples[0][1]) == ("numRecordsInPerSecond", 200.0)
    key, samples = asked(tmp_path, query("numRecordsInPerSecond", "Sum", 300, Task="Map"), [4000.0])
    assert samples[0][1] == 200.0


@pytest.mark.parametrize(
    ("metric", "stat", "expected"),
    [
        ("busyTimeMsPerSecond", "Average", "busyTimeMsPerSecond"),
        ("busyTimeMsPerSecond", "Maximum", "busyTimeMsPerSecond.max"),
        ("numRecordsIn", "Sum", "numRecordsIn"),
        ("numRecordsIn", "Average", "numRecordsIn.avg"),
        ("millisBehindLatest", "Maximum", "millisBehindLatest"),
        ("millisBehindLatest", "Average", "millisBehindLatest.avg"),
        ("currentOutputWatermark", "Minimum", "currentOutputWatermark"),
        ("lastCheckpointSize", "Average", "lastCheckpointSize"),
        ("lastCheckpointSize", "Maximum", "lastCheckpointSize"),
        ("heapMemoryUtilization", "p99", "heapMemoryUtilization.p99"),
    ],
)
def test_the_statistic_that_means_the_metric_bears_its_name(tmp_path, metric, stat, expected):
    assert asked(tmp_path, query(metric, stat), [1.0])[0].metric == expected


@pytest.mark.parametrize(
    ("metric", "stat", "dimensions", "expected"),
    [
        ("IncomingBytes", "Sum", {}, ("IncomingBytesPerSecond", "clicks", 2.0)),
        ("ReadProvisionedThroughputExceeded", "Sum", {}, ("ReadProvisionedThroughputExceededPerSecond", "clicks", 2.0)),
        ("OutgoingRecords", "Sum", {"ShardId": "shardId-1"}, ("OutgoingRecordsPerSecond", "clicks/shardId-1", 2.0)),
        ("GetRecords.IteratorAgeMilliseconds", "Maximum", {}, ("GetRecords.IteratorAgeMilliseconds", "clicks", 120.0)),
        ("IteratorAgeMilliseconds", "Maximum", {"ShardId": "s"},
         ("GetRecords.IteratorAgeMilliseconds", "clicks/s", 120.0)),
        ("SubscribeToShardEvent.MillisBehindLatest", "Maximum", {"ConsumerName": "flink"},
         ("SubscribeToShardEvent.MillisBehindLatest", "clicks/flink", 120.0)),
        ("GetRecords.Latency", "Average", {}, ("GetRecords.Latency", "clicks", 120.0)),
        ("IncomingBytes", "Average", {}, ("IncomingBytes.avg", "clicks", 120.0)),
    ],
)  # fmt: skip
def test_what_kinesis_counts_becomes_a_rate_of_the_stream(tmp_path, metric, stat, dimensions, expected):
    key, samples = asked(tmp_path, query(metric, stat, 60, KINESIS, **dimensions), [120.0])
    assert (key.scope, key.job) == ("stream", "")
    assert (key.metric, key.part, samples[0][1]) == expected


def test_queries_may_lie_in_a_file_beside_the_answer(tmp_path):
    written(tmp_path, [query("lastCheckpointSize", "Maximum"), {"Id": "e1", "Expression": "m1/4"}], "queries.json")
    for name in ("b.queries.json", "z.queries.json"):
        written(tmp_path, {"MetricDataQueries": [query("uptime", "Maximum")]}, name)
    of_all, of_b = written(tmp_path, answer([7.0]), "a.json"), written(tmp_path, answer([8.0]), "b.json")
    assert named(read(of_all)[0]) == {"lastCheckpointSize": 7.0}
    assert named(read(of_b)[0]) == {"uptime": 8.0}
    beside = tmp_path / "queries.json"
    assert cloudwatch.recognizes(str(beside), head_of(str(beside)))
    assert read(beside) == ({}, [])


def test_a_label_that_cloudwatch_made_names_metric_and_application(tmp_path):
    series, bad = read(written(tmp_path, answer([3.0], label="orders lastCheckpointDuration")))
    assert not bad
    assert next(iter(series)) == SeriesKey("lastCheckpointDuration", "job", "orders", "orders")


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("lastCheckpointDuration", NO_OWNER),
        ("orders busyTimeMsPerSecond", NO_STATISTIC),
        ("clicks IncomingBytes", NO_STATISTIC),
        ("how late we are", cloudwatch.NO_METRIC),
    ],
)
def test_a_label_that_says_too_little_is_refused_with_what_it_lacks(tmp_path, label, reason):
    path = written(tmp_path, answer([3.0], label=label))
    series, bad = read(path)
    assert not series
    assert [(one.where, one.reason) for one in bad] == [(f"{path}:1#m1", reason)]


def test_metrics_of_other_services_are_refused(tmp_path):
    path = written(
        tmp_path, {"MetricDataQueries": [query("CPUUtilization", "Average", 60, "AWS/EC2")], **answer([1.0])}
    )
    assert [one.reason for one in read(path)[1]] == [cloudwatch.NO_NAMESPACE]


def test_pages_and_times_in_seconds_are_read(tmp_path):
    pages = [answer([1.0], [T0 / 1000]), answer([2.0], [T0 / 1000 + 60])]
    text = "\n".join(
        json.dumps({"MetricDataQueries": [query("uptime", "Maximum")], **page}, indent=1) for page in pages
    )
    series, bad = read(written(tmp_path, text))
    assert not bad
    assert list(series.values()) == [[(T0, 1.0), (T0 + 60_000, 2.0)]]
    listed = [{"MetricDataQueries": [query("uptime", "Maximum")], **page} for page in pages]
    assert list(read(written(tmp_path, listed))[0].values()) == [[(T0, 1.0), (T0 + 60_000, 2.0)]]


def test_a_point_that_cannot_be_used_is_named_and_the_others_are_read(tmp_path):
    times = ["2026-11-20T16:00:00Z", "soon", "2026-11-20T16:02:00Z", "1970-01-01T00:00:00Z"]
    document = {"MetricDataQueries": [query("uptime", "Maximum")], **answer([1.0, 2.0, None, 4.0], times)}
    series, bad = read(written(tmp_path, document))
    assert list(series.values()) == [[(T0, 1.0)]]
    assert [one.reason for one in bad] == [canonical.NO_TIME, limits.NO_NUMBER, limits.OUT_OF_RANGE]
    document = {"MetricDataQueries": [query("uptime", "Maximum")], **answer([1.0], [])}
    assert [one.reason for one in read(written(tmp_path, document))[1]] == [cloudwatch.NOT_PAIRED]


def test_statistics_with_the_request_added_are_read(tmp_path):
    points = [
        {"Timestamp": "2026-11-20T16:00:00Z", "Average": 300.0, "Maximum": 900.0, "Sum": 2400.0, "SampleCount": 8.0,
         "Unit": "Milliseconds", "ExtendedStatistics": {"p99": 890.0}},
    ]  # fmt: skip
    request = {
        "Namespace": FLINK,
        "Dimensions": [{"Name": "Application", "Value": "orders"}],
        "Period": 60,
    }
    document = {**request, "Label": "heapMemoryUtilization", "Datapoints": points}
    series, bad = read(written(tmp_path, document))
    assert not bad
    assert named(series) == {
        "heapMemoryUtilization": 300.0, "heapMemoryUtilization.max": 900.0, "heapMemoryUtilization.p99": 890.0
    }  # fmt: skip
    alone = {"Label": "heapMemoryUtilization", "Datapoints": points}
    assert [one.reason for one in read(written(tmp_path, alone))[1]] == [NO_OWNER]


def test_a_metric_stream_tells_the_mean_and_the_hottest(tmp_path):
    series, bad = read(written(tmp_path, streamed("busyTimeMsPerSecond", Task="Map") + "\n", "a.jsonl"))
    assert not bad
    assert named(series) == {"busyTimeMsPerSecond": 300.0, "busyTimeMsPerSecond.max": 900.0}
    series, _ = read(written(tmp_path, streamed("numRecordsInPerSecond", Task="Map"), "a.jsonl"))
    assert named(series) == {"numRecordsInPerSecond": 600.0}
    series, _ = read(written(tmp_path, streamed("IncomingBytes", KINESIS), "a.jsonl"))
    assert named(series) == {"IncomingBytesPerSecond": 40.0}


@pytest.mark.parametrize("between", ["\n", "", " ", ",\n"])
def test_objects_of_a_metric_stream_need_nothing_between_them(tmp_path, between):
    text = between.join(streamed("uptime", minute=minute) for minute in range(7000))
    path = written(tmp_path, text, "a.json")
    assert path.stat().st_size > 2 << 20
    assert cloudwatch.recognizes(str(path), head_of(str(path)))
    series, bad = read(path)
    assert not bad
    ((key, samples),) = series.items()
    assert (key.metric, key.job) == ("uptime", "orders")
    assert [time for time, _ in samples] == [T0 + minute * 60_000 for minute in range(7000)]


@pytest.mark.parametrize("between", ["\n", ""])
def test_an_object_that_is_damaged_costs_only_itself(tmp_path, between):
    objects = [streamed("uptime", minute=minute) for minute in range(5)]
    objects[2] = objects[2][:150]
    series, bad = read(written(tmp_path, between.join(objects), "a.json"))
    assert [len(samples) for samples in series.values()] == [4]
    assert [one.reason for one in bad] == [cloudwatch.NO_JSON]
    assert bad[0].where.endswith(":3" if between else ":1")


@pytest.mark.slow
def test_a_stream_that_breaks_off_gives_what_came_before(tmp_path):
    text = "\n".join(streamed("uptime", minute=minute) for minute in range(50))
    series, bad = read(written(tmp_path, text[:-40], "a.json"))
    assert [len(samples) for samples in series.values()] == [49]
    assert [one.reason for one in bad] == [limits.BREAKS_OFF]
    packed = tmp_path / "a.gz"
    packed.write_bytes(
        gzip.compress("\n".join(streamed("uptime", minute=minute) for minute in range(50_000)).encode())[:-900]
    )
    series, bad = read(packed)
    assert 1000 < sum(map(len, series.values())) < 50_000
    assert bad[-1].reason == limits.BREAKS_OFF


def test_rows_of_a_stream_that_cannot_be_used_are_named(tmp_path):
    lines = [
        streamed("uptime"),
        streamed("uptime", value={"count": 1}),
        streamed("uptime").replace(str(T0), "12"),
        streamed("uptime").replace('"orders"', '""'),
        json.dumps({"metric_name": "a"}),
    ]
    series, bad = read(written(tmp_path, "\n".join(lines), "a.jsonl"))
    assert len(series) == 1
    assert [(one.where.rpartition(":")[2], one.reason) for one in bad] == [
        ("2", cloudwatch.NO_SHAPE), ("3", limits.OUT_OF_RANGE), ("4", NO_OWNER),
        ("5", cloudwatch.NO_SHAPE),
    ]  # fmt: skip


def test_an_application_is_a_cluster_of_its_own_unless_another_was_said(tmp_path):
    path = written(tmp_path, streamed("cpuUtilization"), "a.jsonl")
    assert {key.cluster for key in read(path)[0]} == {"orders"}
    assert {key.cluster for key in read(path, Options(cluster="prod"))[0]} == {"prod"}
    assert {key.cluster for key in read(path, Options(cluster_label="region"))[0]} == {"eu-west-1"}
    path = written(tmp_path, streamed("IncomingBytes", KINESIS), "a.jsonl")
    assert {key.cluster for key in read(path)[0]} == {""}


@pytest.mark.parametrize(
    "head", [b"", b"ts,metric,value\n", b'{"status":"success"}', b'{"ts":1,"metric":"m","value":1}', b'{"jobs":[]}']
)
def test_files_of_other_kinds_are_not_taken_for_cloudwatchs(head):
    assert not cloudwatch.recognizes("x", head)


def test_a_file_without_json_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not a response of CloudWatch"):
        read(written(tmp_path, "hello\nworld\n"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = [
    {"MetricDataQueries": [query("uptime", "Sum")], **answer([1.0, 2.0])},
    json.loads(streamed("busyTimeMsPerSecond", Task="Map")),
    {"Namespace": KINESIS, "Label": "IncomingBytes", "Dimensions": [{"Name": "StreamName", "Value": "a"}],
     "Datapoints": [{"Timestamp": T0, "Average": 1.0, "SampleCount": 3.0}]},
]  # fmt: skip


@SHARED
@given(document=st.sampled_from(DOCUMENTS), data=st.data())
def test_no_change_of_a_document_makes_it_raise(tmp_path, document, data):
    document = spot = json.loads(json.dumps(document))
    while isinstance(spot, dict | list) and spot:
        key = data.draw(st.sampled_from(list(spot) if isinstance(spot, dict) else list(range(len(spot)))))
        if not isinstance(spot[key], dict | list) or data.draw(st.booleans()):
            spot[key] = data.draw(JSON)
            break
        spot = spot[key]
    series, _ = read(written(tmp_path, document))
    assert all(limits.EARLIEST <= time < limits.LATEST for samples in series.values() for time, _ in samples)


@SHARED
@given(noise=st.binary(max_size=200).filter(lambda noise: noise[:2] != b"\x1f\x8b"))
def test_noise_before_a_stream_is_set_aside_and_never_raises(tmp_path, noise):
    path = tmp_path / "a.json"
    path.write_bytes(noise + b"\n" + streamed("uptime").encode())
    try:
        series, _ = read(path)
    except ValueError:
        return
    assert sum(map(len, series.values())) <= 1
