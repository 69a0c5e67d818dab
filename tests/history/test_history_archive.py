"""Archives of the HistoryServer, distilled from those a real cluster of 1.20.5 wrote."""

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
from flink_flint.calculators.history.samples import Bad, Record, SeriesKey
from flink_flint.calculators.history.sources import rejection_reasons as limits
from flink_flint.calculators.history.sources.flink_rest import history_archive
from flink_flint.calculators.history.sources.flink_rest import responses as flink_responses
from flink_flint.calculators.history.sources.flink_rest import settings as flink_settings
from flink_flint.calculators.history.sources.recognition import Options

FIXTURES = Path(__file__).parent / "fixtures" / "history_archive"
FAILED = FIXTURES / "d74e43c09f426bcbbbf028700b046bff.gz"
SQL = FIXTURES / "1ae05aaf22f9bbe1af03d0d716ebde4b.gz"
JOB = "d74e43c09f426bcbbbf028700b046bff"
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)

PLAIN = Options()
Series = dict[SeriesKey, list[tuple[int, float]]]


def read(path: Path, options: Options = PLAIN) -> tuple[Series, list[Record], list[Bad]]:
    series: Series = defaultdict(list)
    records, bad = [], []
    for batch in history_archive.read(str(path), options):
        for place, time, value in zip(batch.index.tolist(), batch.times.tolist(), batch.values.tolist(), strict=True):
            series[batch.keys[place]].append((time, value))
        records += batch.records
        bad += batch.bad
    return series, records, bad


def of_metric(series: Series, metric: str) -> Series:
    return {key: samples for key, samples in series.items() if key.metric == metric}


def only(series: Series, metric: str) -> tuple[SeriesKey, list[tuple[int, float]]]:
    ((key, samples),) = of_metric(series, metric).items()
    return key, sorted(samples)


def body_of(records: list[Record], kind: str) -> dict[str, Any]:
    (record,) = (record for record in records if record.kind == kind)
    return record.body


def archive(folder: Path, *entries: tuple[str, object]) -> Path:
    path = folder / "archive"
    path.write_text(json.dumps({"archive": [{"path": where, "json": json.dumps(answer)} for where, answer in entries]}))
    return path


def changed(folder: Path, change) -> Path:
    """The archive of the failed job with its answers changed."""
    document = json.loads(gzip.decompress(FAILED.read_bytes()))
    for entry in document["archive"]:
        answer = json.loads(entry["json"])
        change(entry["path"], answer)
        entry["json"] = json.dumps(answer)
    path = folder / "changed"
    path.write_text(json.dumps(document))
    return path


def test_archives_are_known_by_their_start():
    assert history_archive.recognizes("x", head_of(str(FAILED)))
    assert history_archive.recognizes("x", b' {"archive" : [ {"path"')
    assert not history_archive.recognizes("x", b'{"jid": "a", "archive": []}')


def test_each_completed_checkpoint_of_the_history_is_a_sample_when_it_completed():
    series, _, bad = read(FAILED)
    assert not bad
    key, samples = only(series, "lastCheckpointDuration")
    assert (key.scope, key.job, key.job_id) == ("job", "async-naive", JOB)
    assert samples == [
        (1795190330773, 60.0), (1795190340722, 14.0), (1795190350753, 45.0), (1795190361311, 603.0),
        (1795190370733, 25.0), (1795190380729, 21.0), (1795190390726, 16.0),
    ]  # fmt: skip
    assert only(series, "lastCheckpointFullSize")[1][-1] == (1795190390726, 541.0)
    others = {"lastCheckpointSize", "lastCheckpointProcessedData", "lastCheckpointPersistedData"}
    assert others < {key.metric for key in series}


def test_failures_are_counted_when_they_happened():
    series, _, _ = read(FAILED)
    key, samples = only(series, "numberOfFailedCheckpoints")
    assert key.counter
    assert samples[0] == (1795190330713, 0.0)
    assert samples[-4:] == [(1795190390726, 0.0), (1795190402852, 1.0), (1795190413406, 2.0), (1795190423350, 3.0)]
    assert only(series, "numberOfCompletedCheckpoints")[1][0] == (1795190330713, 17.0)
    assert only(series, "numberOfCompletedCheckpoints")[1][-1] == (1795190423350, 24.0)


def test_savepoints_are_no_checkpoints(tmp_path):
    def change(path: str, answer: Any) -> None:
        for checkpoint in answer.get("history", ()) if isinstance(answer, dict) else ():
            checkpoint["is_savepoint"] = checkpoint["id"] == 21

    series, _, _ = read(changed(tmp_path, change))
    assert 603.0 not in [value for _, value in only(series, "lastCheckpointDuration")[1]]


def test_times_of_subtasks_are_told_in_the_units_of_flinks_metrics(tmp_path):
    def change(path: str, answer: Any) -> None:
        if "/subtasks/" in path and "/checkpoints/" in path:
            answer["subtasks"][0] |= {
                "start_delay": 75,
                "alignment": {"duration": 3},
                "checkpoint": {"sync": 2, "async": 33},
            }
            answer["subtasks"][0] |= {"status": "completed", "ack_timestamp": 1795190422513, "index": 0}

    series, _, bad = read(changed(tmp_path, change))
    assert not bad
    parse = "a0bcbe636c3291fd3f45c25deb2b0823"
    told = {
        key.metric: {value for _, value in samples}
        for key, samples in series.items()
        if key.task_id == parse and key.metric.startswith("checkpoint")
    }
    assert told == {
        "checkpointStartDelayNanos": {75e6},
        "checkpointAlignmentTime": {3e6},
        "checkpointSyncDuration": {2.0},
        "checkpointAsyncDuration": {33.0},
    }
    assert {key.task for key in series if key.task_id == parse} == {"parse"}


def test_what_a_subtask_counted_is_one_sample_at_its_end_and_no_series():
    series, _, _ = read(FAILED)
    counted = of_metric(series, "numRecordsOut")
    assert {(key.task, key.subtask, key.attempt, key.tm) for key in counted} == {
        ("Source: telemetry-source", 0, 3, "localhost:43645-144ccf"),
        ("parse", 0, 3, "localhost:43645-144ccf"),
        ("async-enrich -> Sink: store", 0, 3, "localhost:43645-144ccf"),
    }
    assert all(len(samples) == 1 and key.counter for key, samples in counted.items())
    # A source without busy time reports "NaN", which is no count.
    assert {key.task for key in of_metric(series, "accumulateBusyTimeMs")} == {"parse", "async-enrich -> Sink: store"}


def test_totals_that_are_not_complete_are_left_out(tmp_path):
    def change(path: str, answer: Any) -> None:
        if "/vertices/" in path:
            answer["subtasks"][0]["metrics"]["read-records-complete"] = False

    series, _, _ = read(changed(tmp_path, change))
    assert not of_metric(series, "numRecordsIn")
    assert of_metric(series, "numRecordsOut")


def test_the_settings_of_checkpoints_are_spelled_as_options():
    body = body_of(read(FAILED)[1], "checkpointing")
    assert body["execution.checkpointing.interval"] == "10000 ms"
    assert body["execution.checkpointing.mode"] == "EXACTLY_ONCE"
    assert body["execution.checkpointing.externalized-checkpoint-retention"] == "RETAIN_ON_CANCELLATION"
    assert body["state.backend.type"] == "hashmap"
    assert body["execution.checkpointing.unaligned.enabled"] == "false"
    assert body["execution.checkpointing.max-concurrent-checkpoints"] == "1"


def test_an_interval_of_no_periodic_checkpoints_is_no_setting():
    never = {"mode": "exactly_once", "interval": 2**63 - 1, "min_pause": 0, "max_concurrent": 1}
    assert "execution.checkpointing.interval" not in flink_settings.settings_of_checkpoints(never)


def test_the_configuration_of_a_job_is_its_clusters_with_its_own_above():
    records = read(FAILED)[1]
    body = body_of(records, "configuration")
    assert body["restart-strategy.fixed-delay.attempts"] == "3"
    assert body["taskmanager.memory.process.size"] == "2048m"
    assert body["pipeline.object-reuse"] == "false"
    assert next(record.time for record in records if record.kind == "configuration") == 1795190157606


def test_secrets_never_leave_the_archive(tmp_path):
    def change(path: str, answer: Any) -> None:
        if path.endswith("/jobmanager/config"):
            answer += [
                {"key": "s3.secret-key", "value": "hunter2hunter2"},
                {"key": "env.java.opts.all", "value": "-Djavax.net.ssl.trustStorePassword=hunter2hunter2 -Xmx1g"},
            ]
        if path.endswith(f"{JOB}/config"):
            answer["execution-config"]["user-config"] = {"db.password": "hunter2hunter2", "topic": "orders"}
        if path.endswith("/exceptions"):
            entry = answer["exceptionHistory"]["entries"][0]
            entry["stacktrace"] = (
                "java.io.IOException: jdbc:x://u:hunter2hunter2@host\nCaused by: a.B: token=hunter2hunter2"
            )

    _, records, bad = read(changed(tmp_path, change))
    body = body_of(records, "configuration")
    assert "hunter2" not in json.dumps([records, bad])
    assert body["s3.secret-key"] == "******"
    assert body["env.java.opts.all"].startswith("-Djavax.net.ssl.trustStorePassword=******")
    assert body["pipeline.global-job-parameters"] == "db.password:******,topic:orders"


def test_the_topology_has_vertices_and_how_records_go_between_them():
    vertices = {one["name"]: one for one in body_of(read(SQL)[1], "topology")["vertices"]}
    source = next(one for name, one in vertices.items() if name.startswith("Source"))
    window = next(one for name, one in vertices.items() if name.startswith("GlobalWindow"))
    assert (window["parallelism"], window["max_parallelism"]) == (2, 128)
    assert window["inputs"] == [{"id": source["id"], "ship": "HASH"}]
    assert source["inputs"] == []


def test_the_run_tells_states_totals_and_only_durations_that_are_sure():
    body = body_of(read(FAILED)[1], "run")
    assert (body["state"], body["start"], body["end"]) == ("FAILED", 1795190157606, 1795190433111)
    # The job ran before its last restart too, but Flink keeps the last time of each state alone.
    assert body["durations"] == {"INITIALIZING": 23, "RESTARTING": 5014, "RUNNING": 4709, "FAILING": 40, "FAILED": 0}
    assert {task["name"]: task.get("accumulateBusyTimeMs") for task in body["tasks"]} == {
        "Source: telemetry-source": None, "parse": 22.0, "async-enrich -> Sink: store": 2225.0
    }  # fmt: skip


def test_exceptions_have_their_type_first_line_cause_and_time():
    exceptions = [record for record in read(FAILED)[1] if record.kind == "exception"]
    assert len(exceptions) == 5
    assert exceptions[0].body["type"] == "org.apache.flink.runtime.JobException"
    assert exceptions[0].body["message"].startswith("Recovery is suppressed by FixedDelay")
    # The concurrent exception names the task.
    assert exceptions[1].body == {
        "type": "java.lang.Exception",
        "message": "Could not complete the stream element: Record @ (undef) : 32643.",
        "cause": "java.util.concurrent.TimeoutException: Async function call has timed out.",
        "task": "async-enrich -> Sink: store (1/1) - execution #3",
        "tm": "localhost:43645-144ccf",
    }
    assert exceptions[1].time == 1795190433053


def test_exceptions_of_before_the_history_are_read_as_well(tmp_path):
    path = archive(
        tmp_path,
        (f"/jobs/{JOB}/config", {"jid": JOB, "name": "j", "execution-config": {}}),
        (f"/jobs/{JOB}/exceptions", {"root-exception": "a.B: it broke\n\tat c", "timestamp": 1795190433053}),
    )
    (record,) = (record for record in read(path)[1] if record.kind == "exception")
    assert (record.body, record.job, record.time) == ({"type": "a.B", "message": "it broke"}, "j", 1795190433053)


def test_the_cluster_that_was_said_is_that_of_all(tmp_path):
    series, records, _ = read(FAILED, Options(cluster="prod"))
    assert {key.cluster for key in series} == {"prod"}
    assert {record.cluster for record in records} == {"prod"}


def test_an_archive_that_breaks_off_gives_what_came_before(tmp_path):
    text = gzip.decompress(FAILED.read_bytes())
    path = tmp_path / "cut"
    path.write_bytes(text[: len(text) * 2 // 3])
    series, records, bad = read(path)
    assert [one.reason for one in bad] == [limits.BREAKS_OFF]
    assert series
    assert records
    path.write_bytes(FAILED.read_bytes()[:-900])
    assert [one.reason for one in read(path)[2]] == [limits.BREAKS_OFF]


def test_answers_of_another_shape_are_set_aside_and_the_rest_is_read(tmp_path):
    def change(path: str, answer: Any) -> None:
        if path.endswith("/checkpoints"):
            answer["history"][3]["latest_ack_timestamp"] = "soon"

    series, records, bad = read(changed(tmp_path, change))
    assert [(one.where.partition("#")[2], one.reason) for one in bad] == [
        (f"/jobs/{JOB}/checkpoints", flink_responses.NO_SHAPE)
    ]
    assert of_metric(series, "numRecordsOut")
    assert records


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"jobs": []}')
    with pytest.raises(ValueError, match=r"a\.json: not an archive of the HistoryServer"):
        list(history_archive.read(str(path), Options()))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@SHARED
@given(data=st.data())
@pytest.mark.slow
def test_no_change_of_an_answer_makes_it_raise(tmp_path, data):
    """Any value anywhere in an answer may be anything."""

    def change(path: str, answer: Any) -> None:
        spot = answer
        while isinstance(spot, dict | list) and spot:
            keys = list(spot) if isinstance(spot, dict) else list(range(len(spot)))
            key = data.draw(st.sampled_from(keys))
            if not isinstance(spot[key], dict | list) or data.draw(st.booleans()):
                spot[key] = data.draw(JSON)
                return
            spot = spot[key]

    series, _, bad = read(changed(tmp_path, change))
    assert all(limits.EARLIEST <= time < limits.LATEST for samples in series.values() for time, _ in samples)
    assert all(len(one.text) <= 200 for one in bad)


@SHARED
@given(cut=st.integers(20, 20_000), noise=st.binary(max_size=20))
def test_no_cut_or_noise_makes_it_raise(tmp_path, cut, noise):
    text = gzip.decompress(FAILED.read_bytes())
    path = tmp_path / "noisy"
    path.write_bytes(text[:cut] + noise + text[cut + len(noise) :])
    read(path)
