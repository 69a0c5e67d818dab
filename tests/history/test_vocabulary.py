"""Metric names of every reporter and release become one vocabulary."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.history.metrics import flink_metric_names as metric_names
from flink_flint.calculators.history.metrics.identifiers import Names
from flink_flint.calculators.history.metrics.reporter_values import field_name, number_of
from flink_flint.calculators.history.metrics.vocabulary import (
    Name,
    is_counter,
    is_meaningless,
    job_of,
    means_nothing,
    of_identifier,
    of_metric,
    of_reporter,
    of_series,
    percentile_name,
)
from flink_flint.linter.flink.reporter_names import sanitized

_NAMES = Path(__file__).parent / "fixtures" / "vocabulary" / "names.tsv.gz"
_USERS = {"asyncInFlight", "asyncLastLatencyMs"}
"""Gauges of the observed job itself."""


def observed() -> list[tuple[str, str, str]]:
    """The names that clusters of 1.15 to 2.3 exposed to Prometheus, each with its own name and the logical scope."""
    with gzip.open(_NAMES, "rt") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return [(row[0], row[1], row[2]) for row in rows]


def test_every_name_of_every_observed_release_is_known() -> None:
    unknown = {name for name, _, _ in observed() if not (found := of_reporter(name)) or not found.known}
    assert len(observed()) > 200
    assert unknown == {f"flink_taskmanager_job_task_operator_{name}" for name in _USERS}


def test_the_scope_is_the_one_that_the_reporter_tells() -> None:
    scopes = {
        "jobmanager": "jobmanager",
        "jobmanager_job": "job",
        "taskmanager": "taskmanager",
        "taskmanager_job_task": "task",
        "taskmanager_job_task_operator": "operator",
    }
    for name, _, scope in observed():
        told = max((prefix for prefix in scopes if scope.startswith(prefix)), key=len, default="")
        if told:
            found = of_reporter(name)
            assert found
            assert found.scope == scopes[told], name


def test_the_dotted_name_is_the_one_that_the_reporter_explains() -> None:
    for name, own, scope in observed():
        found = of_reporter(name)
        assert found
        older = any(sanitized(f"{scope}_{own}").endswith(f"_{sanitized(old)}") for old in metric_names.OLDER)
        if own and not older:
            assert found.metric == own or found.metric.endswith("." + own), name


@pytest.mark.parametrize(
    ("older", "newest"),
    [
        ("jobmanager_job_fullRestarts", "numRestarts"),
        ("taskmanager_Status_Network_TotalMemorySegments", "Status.Shuffle.Netty.TotalMemorySegments"),
        ("taskmanager_job_task_buffers_outPoolUsage", "Shuffle.Netty.Output.Buffers.outPoolUsage"),
        ("taskmanager_job_task_operator_numRecordsOutErrors", "numRecordsSendErrors"),
    ],
)
def test_an_older_spelling_becomes_the_newest(older: str, newest: str) -> None:
    assert of_reporter(older) == of_reporter("flink_" + older)
    found = of_reporter(older)
    assert found
    assert found.metric == newest


@pytest.mark.parametrize(
    ("metric", "newest"),
    [
        ("buffers.inPoolUsage", "Shuffle.Netty.Input.Buffers.inPoolUsage"),
        (
            "Status.JVM.GarbageCollector.G1_Young_Generation.Count",
            "Status.JVM.GarbageCollector.G1 Young Generation.Count",
        ),
        ("mailboxLatencyMs_p99", "mailboxLatencyMs.p99"),
        ("mailboxLatencyMs_median", "mailboxLatencyMs.p50"),
        ("KafkaConsumer.records-lag-max", "KafkaSourceReader.KafkaConsumer.records-lag-max"),
        ("KafkaSourceReader_KafkaConsumer_records_lag_max", "KafkaSourceReader.KafkaConsumer.records-lag-max"),
    ],
)
def test_names_of_rest_become_the_newest_spelling(metric: str, newest: str) -> None:
    assert of_metric(metric, "task").metric == newest


def test_every_known_name_is_found_by_its_sanitized_spelling_and_stays_what_it_is() -> None:
    for groups in (metric_names.PROCESS, metric_names.JOB, metric_names.TASK, metric_names.OPERATOR):
        for group, names in groups.items():
            for name in names.split():
                dotted = f"{group}.{name}" if group else name
                assert of_metric(sanitized(dotted), "task").metric == dotted
                assert of_metric(dotted, "task") == Name(dotted, "task", "", is_counter(dotted), True)


@pytest.mark.parametrize(
    ("name", "metric", "part"),
    [
        ("operator_window_aggs_rocksdb_block_cache_usage", "rocksdb.block-cache-usage", "window_aggs"),
        ("operator_rocksdb_bytes_read", "rocksdb.bytes-read", ""),
        ("operator_s_rocksdb_num_files_at_level0", "rocksdb.num-files-at-level0", "s"),
        ("operator_s_valueStateGetLatency_count", "valueStateGetLatency.count", "s"),
    ],
)
def test_the_name_of_a_state_is_the_part(name: str, metric: str, part: str) -> None:
    found = of_reporter(f"flink_taskmanager_job_task_{name}")
    assert found
    assert (found.metric, found.part) == (metric, part)


@pytest.mark.parametrize(
    ("name", "labels", "metric", "part"),
    [
        (
            "KinesisConsumer_stream_shardId_millisBehindLatest",
            {"stream": "s", "shardId": "1"},
            "millisBehindLatest",
            "s/1",
        ),
        (
            "KinesisStreamSource_accountId_region_stream_shardId_millisBehindLatest",
            {"accountId": "12", "region": "eu", "stream": "s", "shardId": "1"},
            "millisBehindLatest",
            "s/1",
        ),
        ("KafkaSourceReader_topic_partition_currentOffset", {"topic": "t", "partition": "3"}, "currentOffset", "t/3"),
        ("column_family_rocksdb_estimate_num_keys", {"column_family": "f"}, "rocksdb.estimate-num-keys", "f"),
        ("state_name_mapStatePutLatency", {"state_name": "m", "quantile": "0.99"}, "mapStatePutLatency.p99", "m"),
        ("endpoint_calls", {"endpoint": "a", "pod": "tm-1", "instance": "i:1"}, "endpoint_calls", "a"),
    ],
)
def test_the_value_of_a_group_is_the_part(name: str, labels: dict[str, str], metric: str, part: str) -> None:
    found = of_series(f"flink_taskmanager_job_task_operator_{name}", {"job_id": "x", **labels})
    assert found
    assert (found.metric, found.part) == (metric, part)


def test_latencies_belong_to_the_operator_they_end_at() -> None:
    labels = {"source_id": "ab", "operator_id": "cd", "operator_subtask_index": "1", "quantile": "0.999"}
    for scope in ("taskmanager_job", "taskmanager_job_task"):
        name = f"flink_{scope}_latency_source_id_operator_id_operator_subtask_index_latency"
        assert of_series(name, labels) == Name("latency.p999", "operator", "ab", False, True)


def test_a_metric_that_is_not_known_stays_as_it_is_spelled() -> None:
    found = of_reporter("flink_taskmanager_job_task_operator_my_own_metric")
    assert found == Name("my_own_metric", "operator", "", False, False)


@pytest.mark.parametrize("name", ["up", "flink_", "taskmanager", "flink_jobmanager_", "node_cpu_seconds_total", ""])
def test_names_of_others_are_none_of_flinks(name: str) -> None:
    assert of_reporter(name) is None


@pytest.mark.parametrize(("quantile", "name"), [("0.5", "p50"), (".99", "p99"), ("0.999", "p999"), ("0.75", "p75")])
def test_quantiles_are_named_as_reporters_name_percentiles(quantile: str, name: str) -> None:
    assert percentile_name(quantile) == name


def test_counters_are_known_by_name_alone() -> None:
    assert is_counter("numRecordsIn")
    assert is_counter("Status.JVM.GarbageCollector.ZGC Pauses.Time")
    assert is_counter("mailboxLatencyMs.count")
    assert is_counter("rocksdb.bytes-written")
    assert not is_counter("numRecordsInPerSecond")
    assert not is_counter("Status.JVM.Threads.Count")
    assert not is_counter("lastCompletedCheckpointId")
    assert not is_counter("initializationTime")


def test_placeholders_mean_nothing_and_measured_values_do() -> None:
    assert means_nothing("lastCheckpointSize", -1)
    assert not means_nothing("lastCheckpointSize", 0)
    assert means_nothing("currentInputWatermark", -9223372036854775808.0)
    assert means_nothing("currentOutputWatermark", 9.223372036854776e18)
    assert not means_nothing("currentInputWatermark", 1795190995149.0)
    assert not means_nothing("watermarkLag", -1)
    assert is_meaningless("lastCheckpointExternalPath")
    assert not is_meaningless("lastCheckpointSize")


@pytest.mark.parametrize(
    ("identifier", "tm", "job", "holder", "subtask", "metric"),
    [
        ("h.taskmanager.tm_1.job.Map.3.busyTimeMsPerSecond", "tm_1", "job", "Map", 3, "busyTimeMsPerSecond"),
        (
            "10.0.0.1.taskmanager.10.0.0.1:4711-8565ec.a job.Source: x -> Y.0.Shuffle.Netty.Input.Buffers.inPoolUsage",
            "10.0.0.1:4711-8565ec", "a job", "Source: x -> Y", 0, "Shuffle.Netty.Input.Buffers.inPoolUsage",
        ),
        (
            "h.taskmanager.tm.insert-into_c.db.sink.Sink: c.db.sink.1.numRecordsSend",
            "tm", "insert-into_c.db.sink", "Sink: c.db.sink", 1, "numRecordsSend",
        ),
        ("h.taskmanager.tm.job.v1.2.3.0.currentOutputWatermark", "tm", "job", "v1.2.3", 0, "currentOutputWatermark"),
        ("h.taskmanager.tm.Status.JVM.Memory.Heap.Used", "tm", "", "", -1, "Status.JVM.Memory.Heap.Used"),
        ("h.taskmanager.tm.job.Map.0.my.calls", "tm", "job", "Map", 0, "my.calls"),
        ("h.jobmanager.my.dotted.job.lastCheckpointSize", "", "my.dotted.job", "", -1, "lastCheckpointSize"),
        ("h.jobmanager.taskSlotsTotal", "", "", "", -1, "taskSlotsTotal"),
        (
            "h.jobmanager.job.Source: a.b.coordinator.enumerator.unassignedSplits",
            "", "job", "Source: a.b", -1, "coordinator.enumerator.unassignedSplits",
        ),
        (
            "h.taskmanager.tm.job.Source.0.KafkaSourceReader.topic.a.b.partition.7.currentOffset",
            "tm", "job", "Source", 0, "currentOffset",
        ),
        ("h.taskmanager.tm.job.Map.0.a.b.rocksdb.bytes-read", "tm", "job", "Map", 0, "rocksdb.bytes-read"),
    ],
)  # fmt: skip
def test_an_identifier_is_taken_apart_where_the_metric_says(
    identifier: str, tm: str, job: str, holder: str, subtask: int, metric: str
) -> None:
    found = of_identifier(identifier)
    assert found
    assert (found.tm, found.job, found.holder, found.subtask, found.name.metric) == (tm, job, holder, subtask, metric)


def test_the_name_of_a_job_with_dots_is_learned_from_the_jobmanager() -> None:
    job = job_of("h.jobmanager.shop.orders.v2.uptime")
    assert job == "shop.orders.v2"
    found = of_identifier("h.taskmanager.tm.shop.orders.v2.Map.0.numRecordsIn", {job})
    assert found
    assert (found.job, found.holder) == (job, "Map")


def test_a_latency_names_its_operator_by_id() -> None:
    found = of_identifier(
        "h.taskmanager.tm.job.Source: a.0.latency.source_id.ab.operator_id.cd.operator_subtask_index.4.latency"
    )
    assert found
    assert (found.name, found.job, found.subtask, found.operator_id) == (
        Name("latency", "operator", "ab", False, True),
        "job",
        4,
        "cd",
    )


@pytest.mark.parametrize("identifier", ["", "servers.cpu.load", "taskmanager", "h.taskmanager.tm", "jobmanager."])
def test_identifiers_of_others_are_none(identifier: str) -> None:
    assert of_identifier(identifier) is None


def test_a_name_that_only_tasks_explain_is_a_tasks() -> None:
    names = Names()
    bytes_out = "h.taskmanager.tm.job.Map.0.numBytesOut"
    names.learn([bytes_out, "h.taskmanager.tm.job.Map.0.busyTimeMsPerSecond"])
    told = names.resolved(bytes_out)
    assert told
    assert names.assigned(told.identifier, [7.0]) == [("task", 7.0)]
    assert names.assigned(told.identifier, [7.0, 8.0]) is None


def test_a_task_and_an_operator_of_one_name_are_told_apart_by_what_they_count() -> None:
    names = Names()
    prefix = "h.taskmanager.tm.job."
    of_both = ("busyTimeMsPerSecond", "currentOutputWatermark", "numBytesIn", "numBytesOut", "numRecordsIn")
    names.learn(f"{prefix}{holder}.0.{metric}" for holder in ("Map", "Source: a") for metric in of_both)

    def assigned(metric: str, *values: float) -> list[tuple[str, float]] | None:
        told = names.resolved(prefix + metric)
        assert told
        return names.assigned(told.identifier, values)

    assert assigned("Map.0.numBytesOut", 0, 9) == [("task", 9), ("operator", 0)]
    assert assigned("Source: a.0.numBytesIn", 9, 0) == [("task", 0), ("operator", 9)]
    assert assigned("Source: a.0.numBytesOut", 9, 0) == [("task", 9), ("operator", 0)]
    assert assigned("Map.0.numRecordsIn", 5, 6) == [("task", 6), ("operator", 6)]
    assert assigned("Map.0.numBytesOut", 3, 9) is None
    assert assigned("Map.0.numBytesOut", 9) is None


def test_a_meters_count_repeats_a_counter_of_flinks_own() -> None:
    known = of_metric("numRecordsInPerSecond", "task")
    own = of_metric("calls", "operator")
    assert field_name(known, "count", several=True) is None
    assert field_name(known, "m1_rate") == known
    assert field_name(own, "count", several=True) == Name("calls.count", "operator", "", True, False)
    assert field_name(own, "count") == Name("calls", "operator", "", True, False)
    assert field_name(of_metric("mailboxLatencyMs", "task"), "p99") == Name("mailboxLatencyMs.p99", "task")


def test_truths_are_numbers_and_other_texts_are_not() -> None:
    assert (number_of("true"), number_of("False"), number_of("-1.5E3")) == (1.0, 0.0, -1500.0)
    assert number_of("file:/a") is None
    assert number_of("") is None


def test_the_vocabulary_brings_neither_numpy_nor_pyarrow() -> None:
    code = (
        "import sys, flink_flint.calculators.history.metrics.vocabulary; "
        "print({'numpy', 'pyarrow', 'pyspark'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


@given(st.text(), st.text(alphabet="abc._:- 0123456789"))
def test_no_text_is_too_odd(some: str, dotted: str) -> None:
    for text in (some, dotted):
        for name in (
            text,
            f"flink_taskmanager_job_task_operator_{text}",
            f"h.taskmanager.{text}",
            f"jobmanager.{text}",
        ):
            of_reporter(name)
            of_identifier(name)
            of_metric(name, "task")


_WORD = st.text(alphabet="abcXYZ :>-()#", min_size=1).filter(lambda word: word.strip() == word)


@given(_WORD, _WORD, st.integers(0, 4000), st.sampled_from(sorted(metric_names.TASK[""].split())))
def test_an_identifier_of_names_without_dots_is_read_back(job: str, task: str, subtask: int, metric: str) -> None:
    found = of_identifier(f"1_2_3_4.taskmanager.1_2_3_4-37611-8565ec.{job}.{task}.{subtask}.{metric}")
    assert found
    assert (found.tm, found.job, found.holder, found.subtask) == ("1_2_3_4-37611-8565ec", job, task, subtask)
    assert (found.name.metric, found.name.scope) == (metric, "task")
