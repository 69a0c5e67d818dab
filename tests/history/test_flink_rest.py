"""Answers of Flink's REST interface: saved ones of five releases, snapshots, and a live cluster asked over HTTP.

The answers are distilled from those of real clusters; the metrics' values that the server below gives are made up.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import math
import tarfile
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flink_flint.calculators.history.file_access import head_of
from flink_flint.calculators.history.samples import Bad, Batch, Gathering, Record, SeriesKey
from flink_flint.calculators.history.sources import rejection_reasons as limits
from flink_flint.calculators.history.sources.flink_rest import live as flink_rest_live
from flink_flint.calculators.history.sources.flink_rest import responses as flink_responses
from flink_flint.calculators.history.sources.flink_rest import saved_responses as flink_rest
from flink_flint.calculators.history.sources.flink_rest.live import Access, poll
from flink_flint.calculators.history.sources.recognition import Options

FIXTURES = Path(__file__).parent / "fixtures" / "flink_rest"
RELEASES = ("1.15.4", "1.18.1", "1.20.5", "2.0.2", "2.3.0")
PLAIN = Options()
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
BAD_JOB = "d74e43c09f426bcbbbf028700b046bff"
SQL_JOB = "1ae05aaf22f9bbe1af03d0d716ebde4b"

Series = dict[SeriesKey, list[tuple[int, float]]]
IdentifiedName = tuple[Series, list[Record], list[Bad]]


def fixture(name: str) -> dict[str, Any]:
    return json.loads(gzip.decompress((FIXTURES / f"{name}.json.gz").read_bytes()))


def told(batches: Iterable[Batch]) -> IdentifiedName:
    series: Series = defaultdict(list)
    records, bad = [], []
    for batch in batches:
        for place, time, value in zip(batch.index.tolist(), batch.times.tolist(), batch.values.tolist(), strict=True):
            series[batch.keys[place]].append((time, value))
        records += batch.records
        bad += batch.bad
    return series, records, bad


def unpacked(folder: Path, answers: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, answer in answers.items():
        (folder / name).write_text(json.dumps(answer))
    return folder


def read(path: Path | str, options: Options = PLAIN) -> IdentifiedName:
    return told(flink_rest.read(str(path), options))


def of_metric(series: Series, metric: str) -> Series:
    return {key: samples for key, samples in series.items() if key.metric == metric}


# Saved answers


@pytest.mark.parametrize("release", RELEASES)
def test_all_answers_of_a_release_are_known_and_tell_what_they_can(tmp_path, release):
    folder = unpacked(tmp_path, fixture(f"answers_{release}"))
    found: dict[str, IdentifiedName] = {}
    for path in sorted(folder.iterdir()):
        assert flink_rest.recognizes(str(path), head_of(str(path))), path.name
        found[path.name] = read(path)
    bad = [one for _, _, rejected in found.values() for one in rejected]
    # No file next to it says which task the saved back pressure is of.
    assert [(one.where.rpartition("/")[2], one.reason) for one in bad] == [
        ("backpressure_v0.json", flink_responses.NO_TASK)
    ]
    kinds = sorted(record.kind for _, records, _ in found.values() for record in records)
    assert kinds == [
        "checkpointing", "configuration", "configuration", "run", "taskmanager", "taskmanager", "topology"
    ]  # fmt: skip
    jobs = {(key.job, len(key.job_id)) for key in found["checkpoints.json"][0]}
    assert jobs == {("sql-window-agg", 32)}
    (run,) = found["job.json"][1][:1]
    assert (run.kind, run.body["state"], run.body["end"]) == ("run", "RUNNING", None)


def test_what_a_release_does_not_say_is_left_out(tmp_path):
    runs, settings_said, memory = {}, {}, {}
    for release in RELEASES:
        folder = unpacked(tmp_path / release, fixture(f"answers_{release}"))
        runs[release] = read(folder / "job.json")[1][0].body
        settings_said[release] = read(folder / "checkpoints_config.json")[1][0].body
        memory[release] = {key.metric for key in read(folder / "taskmanager.json")[0]}
    assert runs["2.3.0"]["scheduler"] == "Default"
    assert "scheduler" not in runs["2.0.2"]
    assert (runs["1.20.5"]["type"], runs["1.15.4"].get("type")) == ("STREAMING", None)
    assert "accumulateIdleTimeMs" not in runs["1.15.4"]["tasks"][0]
    assert "accumulateIdleTimeMs" in runs["1.18.1"]["tasks"][0]
    assert "state.changelog.enabled" not in settings_said["1.15.4"]
    assert settings_said["2.3.0"]["state.changelog.enabled"] == "false"
    # 2.0 dropped the older fields of network memory, which said the same.
    assert all("Status.Shuffle.Netty.TotalMemorySegments" in names for names in memory.values())
    assert "Status.JVM.GarbageCollector.All.Count" in memory["2.3.0"] - memory["1.15.4"]


def test_a_taskmanagers_record_has_its_memory_and_slots(tmp_path):
    folder = unpacked(tmp_path, fixture("answers_1.20.5"))
    (record,) = read(folder / "taskmanagers.json")[1]
    assert (record.kind, record.job, record.body["slots"]) == ("taskmanager", "", 4)
    assert record.body["memory"]["managedMemory"] == 665719939
    assert record.time == fixture("answers_1.20.5")["taskmanagers.json"]["taskmanagers"][0]["timeSinceLastHeartbeat"]


def test_answers_of_the_same_folder_say_whose_an_answer_is(tmp_path):
    folder = unpacked(tmp_path, fixture("snapshot_catchup"))
    prefix = "job_sql_window_agg_RUNNING"
    series, _, bad = read(folder / f"{prefix}_checkpoints.json")
    assert not bad
    assert {(key.job, key.job_id) for key in series} == {("sql-window-agg", SQL_JOB)}
    series, _, bad = read(folder / f"{prefix}_v1_backpressure.json")
    assert not bad
    busy = of_metric(series, "busyTimeMsPerSecond")
    assert {(key.job, key.task, key.subtask) for key in busy} == {
        ("sql-window-agg", "GlobalWindowAggregate[6] -> Calc[7] -> bh[8]: Writer", subtask) for subtask in (0, 1)
    }
    assert sorted(value for samples in busy.values() for _, value in samples) == [527.0, 573.0]
    idle = of_metric(series, "idleTimeMsPerSecond")
    assert sorted(value for samples in idle.values() for _, value in samples) == [427.0, 473.0]
    # Tasks whose source cannot show its busy time say "NaN".
    (samples,) = of_metric(
        read(folder / "job_async_naive_RUNNING_v0_backpressure.json")[0], "busyTimeMsPerSecond"
    ).values()
    assert math.isnan(samples[0][1])


def test_an_answer_that_names_no_job_is_refused(tmp_path):
    answers = fixture("answers_1.20.5")
    folder = unpacked(tmp_path, {"checkpoints.json": answers["checkpoints.json"]})
    series, _, bad = read(folder / "checkpoints.json")
    assert not series
    assert [one.reason for one in bad] == [flink_responses.NO_JOB]


def test_folders_as_the_historyserver_unpacks_them_say_it_in_their_paths(tmp_path):
    answers = fixture("snapshot_end")
    job = answers["job_async_naive_FAILED.json"]
    jobs = tmp_path / "jobs"
    checkpoints = unpacked(jobs / BAD_JOB, {"checkpoints.json": answers["job_async_naive_FAILED_checkpoints.json"]})
    unpacked(jobs, {"overview.json": answers["jobs_overview.json"], f"{BAD_JOB}.json": job})
    vertex = answers["job_async_naive_FAILED_v1.json"]
    vertices = unpacked(jobs / BAD_JOB / "vertices", {f"{vertex['id']}.json": vertex})
    for path in (checkpoints / "checkpoints.json", vertices / f"{vertex['id']}.json"):
        series, _, bad = read(path)
        assert not bad
        assert {(key.job, key.job_id) for key in series} == {("async-naive", BAD_JOB)}


def test_an_overview_says_no_more_of_a_job_whose_details_are_there(tmp_path):
    answers = fixture("snapshot_catchup")
    folder = unpacked(tmp_path, answers)
    assert read(folder / "jobs_overview.json")[1] == []
    assert read(folder / "job_sql_window_agg_RUNNING_plan.json")[1] == []
    alone = unpacked(tmp_path / "alone", {"jobs_overview.json": answers["jobs_overview.json"]})
    runs = {record.job: record for record in read(alone / "jobs_overview.json")[1]}
    assert runs.keys() == {"sql-window-agg", "async-naive"}
    assert (runs["sql-window-agg"].body["state"], runs["sql-window-agg"].body["end"]) == ("RUNNING", None)


def test_a_job_that_ended_has_its_end_in_the_overview(tmp_path):
    answers = fixture("snapshot_end")
    folder = unpacked(tmp_path, {"jobs_overview.json": answers["jobs_overview.json"]})
    ends = {record.body["state"]: record.body["end"] for record in read(folder / "jobs_overview.json")[1]}
    listed = {job["state"]: job["end-time"] for job in answers["jobs_overview.json"]["jobs"]}
    assert {state: end or -1 for state, end in ends.items()} == listed


def test_a_snapshot_of_one_job_in_an_archive_is_about_this_job(tmp_path):
    answers = fixture("snapshot_catchup")
    overview, checkpoints = answers["jobs_overview.json"], answers["job_sql_window_agg_RUNNING_checkpoints.json"]
    folders = []
    for job in overview["jobs"]:
        alone = {"jobs_overview.json": {"jobs": [job]}, "checkpoints.json": checkpoints}
        folders.append((f"rest/{job['name']}", alone))
    series, _, bad = read(tar_of(tmp_path / "rest.tar.gz", *folders))
    assert not bad
    assert {key.job for key in series} == {job["name"] for job in overview["jobs"]}


def test_metrics_of_a_job_are_added_by_its_id_or_its_name():
    time = 1_795_190_400_000
    for about in (flink_responses.About(job="orders", time=time), flink_responses.About(job_id=SQL_JOB, time=time)):
        gathering = Gathering()
        flink_responses.Responses(gathering, PLAIN).metrics([("numRestarts", "3")], about)
        series, _, _ = told([gathering.take()])
        assert [(key.job, key.job_id, samples) for key, samples in series.items()] == [
            (about.job, about.job_id, [(time, 3.0)])
        ]


def test_settings_of_a_cluster_are_of_the_time_that_answers_beside_them_say(tmp_path):
    answers = fixture("snapshot_catchup")
    folder = unpacked(tmp_path, answers)
    (record,) = read(folder / "jobmanager_config.json")[1]
    assert (record.kind, record.job) == ("configuration", "")
    assert record.time == max(answer.get("now", 0) for answer in answers.values() if isinstance(answer, dict))
    assert record.body["taskmanager.numberOfTaskSlots"] == "4"
    (record,) = read(folder / "jobmanager_config.json", Options(time=1_700_000_000_000))[1]
    assert record.time == 1_700_000_000_000


def test_means_over_subtasks_are_no_samples(tmp_path):
    folder = unpacked(tmp_path, fixture("snapshot_catchup"))
    series, records, bad = read(folder / "job_sql_window_agg_RUNNING_v1_subtaskmetrics.json")
    assert (series, records, bad) == ({}, [], [])


def test_watermarks_of_subtasks_are_samples_of_the_task(tmp_path):
    folder = unpacked(tmp_path, fixture("snapshot_catchup"))
    series, _, bad = read(folder / "job_sql_window_agg_RUNNING_v2_watermarks.json")
    assert not bad
    assert {(key.metric, key.scope, key.subtask) for key in series} == {
        ("currentInputWatermark", "task", 0), ("currentInputWatermark", "task", 1)
    }  # fmt: skip


def tar_of(path: Path, *folders: tuple[str, dict[str, Any]]) -> Path:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for folder, answers in folders:
            entry = tarfile.TarInfo(folder)
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
            for name, answer in answers.items():
                text = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
                entry = tarfile.TarInfo(f"{folder}/{name}")
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text))
    path.write_bytes(gzip.compress(content.getvalue()))
    return path


def test_snapshots_in_a_tar_archive_repeat_nothing(tmp_path):
    path = tar_of(
        tmp_path / "rest.tar.gz", ("rest/end", fixture("snapshot_end")), ("rest/catchup", fixture("snapshot_catchup"))
    )
    assert flink_rest.recognizes(str(path), head_of(str(path)))
    series, records, bad = read(path)
    assert not bad
    for metric in ("lastCheckpointDuration", "numberOfFailedCheckpoints"):
        for samples in of_metric(series, metric).values():
            times = [time for time, _ in samples]
            assert len(times) == len(set(times))
    states = [(record.job, record.body["state"]) for record in records if record.kind == "run"]
    # In the order in which they were taken, not as they lie in the archive.
    assert states == [
        ("async-naive", "RUNNING"),
        ("sql-window-agg", "RUNNING"),
        ("async-naive", "FAILED"),
    ]
    assert [record.kind for record in records].count("taskmanager") == 2
    failed = next(
        samples for key, samples in of_metric(series, "numberOfFailedCheckpoints").items() if key.job_id == BAD_JOB
    )
    assert max(failed)[1] == 3.0


def test_a_tar_archive_that_breaks_off_gives_what_came_before(tmp_path):
    path = tar_of(tmp_path / "a.tar.gz", ("s", fixture("snapshot_catchup")))
    path.write_bytes(path.read_bytes()[:-3000])
    series, _, bad = read(path)
    assert series
    assert limits.BREAKS_OFF in [one.reason for one in bad]


def test_an_answer_in_a_tar_archive_that_is_no_json_is_named(tmp_path):
    path = tar_of(tmp_path / "a.tar.gz", ("s", {**fixture("answers_1.20.5"), "broken.json": '{"jobs": ['}))
    assert (f"{path}#s/broken.json", flink_rest.NO_JSON) in [(one.where, one.reason) for one in read(path)[2]]


@pytest.mark.parametrize(
    "head",
    [b'{"archive":[{"path":"/jobs/overview","json":"{\\"jobs\\":[{\\"jid\\":\\"a\\"}]}"}]}',
     b'{"status":"success","data":{}}',
     b'{"metric":{"job_id":"a"},"values":[1],"timestamps":[1]}', b"ts,metric,value\n", b"", b'[{"id": 5}]',
     b'{"MetricDataResults":[]}', b'{"phases":[{"jid":"a","at":1}]}'],
)  # fmt: skip
def test_files_of_other_kinds_are_not_taken_for_answers(head):
    assert not flink_rest.recognizes("x.json", head)


@pytest.mark.parametrize(
    "text", ['{"jobs":[]}', '{"jobs":[{"id":"a","status":"RUNNING"}]}', "[]", '[{"id":"numRestarts"}]']
)
def test_answers_that_tell_nothing_are_known_and_quiet(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    assert flink_rest.recognizes(str(path), head_of(str(path)))
    assert read(path) == ({}, [], [])


def test_a_file_that_is_no_json_is_refused(tmp_path):
    (tmp_path / "a.json").write_text('{"jid": ')
    with pytest.raises(ValueError, match=r"a\.json: not a response of Flink's REST interface"):
        read(tmp_path / "a.json")


ANSWERS = [answer for release in ("1.15.4", "2.3.0") for answer in fixture(f"answers_{release}").values()]
ANSWERS += list(fixture("snapshot_end").values())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@SHARED
@given(answer=st.sampled_from(ANSWERS), data=st.data())
def test_no_change_of_an_answer_makes_it_raise(tmp_path, answer, data):
    answer = spot = json.loads(json.dumps(answer))
    while isinstance(spot, dict | list) and spot:
        key = data.draw(st.sampled_from(list(spot) if isinstance(spot, dict) else list(range(len(spot)))))
        if not isinstance(spot[key], dict | list) or data.draw(st.booleans()):
            spot[key] = data.draw(JSON)
            break
        spot = spot[key]
    (tmp_path / "a.json").write_text(json.dumps(answer))
    series, _, _ = read(tmp_path / "a.json")
    assert all(limits.EARLIEST <= time < limits.LATEST for samples in series.values() for time, _ in samples)


# A live cluster


class Cluster:
    """A server on the loopback that answers as a cluster does."""

    def __init__(self) -> None:
        snapshot = fixture("snapshot_catchup")
        self.round = 0
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.longest = 0
        self.faults: dict[str, list[int]] = {}
        self.missing = ""
        self.answers: dict[str, Any] = {
            "/jobs/overview": snapshot["jobs_overview.json"],
            "/jobmanager/config": snapshot["jobmanager_config.json"],
            "/taskmanagers": snapshot["taskmanagers.json"],
            "/jobmanager/metrics": snapshot["jobmanager_metrics.json"],
        }
        names = snapshot["taskmanager_0_metrics_names.json"]
        for one in snapshot["taskmanagers.json"]["taskmanagers"]:
            self.answers[f"/taskmanagers/{one['id']}/metrics"] = names
        for job in (BAD_JOB, SQL_JOB):
            stem = f"job_{'async_naive' if job == BAD_JOB else 'sql_window_agg'}_RUNNING"
            path = f"/jobs/{job}"
            self.answers[path] = snapshot[f"{stem}.json"]
            self.answers[f"{path}/config"] = snapshot[f"{stem}_config.json"]
            self.answers[f"{path}/checkpoints/config"] = snapshot[f"{stem}_checkpoints_config.json"]
            self.answers[f"{path}/checkpoints"] = snapshot[f"{stem}_checkpoints.json"]
            self.answers[f"{path}/exceptions"] = snapshot[f"{stem}_exceptions.json"]
            self.answers[f"{path}/metrics"] = snapshot[f"{stem}_metrics_names.json"]
            for number in range(3):
                vertex = snapshot[f"{stem}_v{number}.json"]
                self.answers[f"{path}/vertices/{vertex['id']}"] = vertex
                self.answers[f"{path}/vertices/{vertex['id']}/metrics"] = [
                    {"id": f"{subtask}.{name}"}
                    for subtask in range(vertex["parallelism"])
                    for name in ("busyTimeMsPerSecond", "buffers.inPoolUsage", "Source__my_source[1].numRecordsOut",
                                 "Map.state-a.rocksdb.block-cache-usage")
                ]  # fmt: skip

    def answer(self, path: str, query: str, headers: dict[str, str]) -> tuple[int, bytes]:
        self.requests.append(path)
        self.headers.append(headers)
        self.longest = max(self.longest, len(path) + len(query))
        faults = self.faults.get(path)
        if faults:
            fault = faults.pop(0)
            return (fault, b"<html>") if fault == 200 else (fault, b'{"errors":["later"]}')
        if path not in self.answers:
            return 404, b'{"errors":["Not found."]}'
        answer = self.answers[path]
        if query.startswith("get="):
            names = unquote(query.removeprefix("get=")).split(",")
            if self.missing in names:
                answer = []
            else:
                answer = [{"id": name, "value": self.value(name)} for name in names]
        return 200, json.dumps(answer).encode()

    def value(self, name: str) -> str:
        return "file:/checkpoints" if name == "lastCheckpointExternalPath" else str(len(name) + self.round)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            status, body = cluster.answer(unquote(parts.path), parts.query, dict(self.headers))
            if status == 0:
                self.close_connection = True
                return
            self.send_response(status)
            if status == 307:
                self.send_header("Location", "http://leader:8081/jobs/overview?token=a")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    cluster.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    yield cluster
    server.shutdown()
    thread.join()
    server.server_close()


class Clock:
    """Time that passes only while somebody waits."""

    def __init__(self, cluster: Cluster) -> None:
        self.at = 1_795_190_500.0
        self.waited: list[float] = []
        self._cluster = cluster

    def now(self) -> float:
        return self.at

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.at += seconds
        self._cluster.round += 1


def polled(cluster: Cluster, *, span: float = 0.0, access: Access = flink_rest_live.ANYONE, options: Options = PLAIN):
    clock = Clock(cluster)
    batches = list(
        poll(cluster.url, options, every=10.0, span=span, access=access, wait=clock.wait, now=clock.now)  # type: ignore[attr-defined]
    )
    return batches, clock


@pytest.mark.slow
def test_one_round_brings_the_metrics_of_all_scopes(cluster):
    batches, _ = polled(cluster, options=Options(cluster="prod"))
    series, records, bad = told(batches)
    assert not bad
    assert {key.cluster for key in series} == {"prod"}
    heap = {(key.scope, key.tm) for key in of_metric(series, "Status.JVM.Memory.Heap.Used")}
    assert heap == {
        ("jobmanager", ""),
        ("taskmanager", "localhost:43645-144ccf"),
        ("taskmanager", "localhost:35139-640571"),
    }
    assert {key.job for key in of_metric(series, "uptime")} == {"sql-window-agg", "async-naive"}
    window = {key for key in of_metric(series, "busyTimeMsPerSecond") if key.task.startswith("GlobalWindow")}
    assert {(key.scope, key.subtask, key.attempt, key.tm) for key in window} == {
        ("task", 0, 0, "localhost:43645-144ccf"), ("task", 1, 0, "localhost:43645-144ccf")
    }  # fmt: skip
    pool = next(iter(of_metric(series, "Shuffle.Netty.Input.Buffers.inPoolUsage")))
    assert (pool.scope, pool.operator) == ("task", "")
    out = next(key for key in of_metric(series, "numRecordsOut") if key.operator)
    assert (out.scope, out.operator, out.counter) == ("operator", "Source__my_source[1]", True)
    cache = next(iter(of_metric(series, "rocksdb.block-cache-usage")))
    assert (cache.scope, cache.operator, cache.part) == ("operator", "Map", "state-a")
    # Texts among the metrics are no samples.
    assert not of_metric(series, "lastCheckpointExternalPath")
    assert {record.kind for record in records} == {"run", "topology", "configuration", "checkpointing", "taskmanager"}


@pytest.mark.slow
def test_requests_fit_the_line_that_flinks_server_takes(cluster):
    vertex = next(path for path in cluster.answers if path.endswith("/metrics") and "/vertices/" in path)
    cluster.answers[vertex] = [{"id": f"{subtask}.{'operator[1]' * 9}.numRecordsIn"} for subtask in range(200)]
    series, _, bad = told(polled(cluster)[0])
    assert not bad
    assert sum(key.operator.startswith("operator[1]") for key in series) == 200
    assert cluster.longest < 4000


@pytest.mark.slow
def test_rounds_keep_to_the_clock_and_records_are_told_once(cluster):
    batches, clock = polled(cluster, span=30.0)
    assert len(batches) == 4
    assert clock.waited == [10.0, 10.0, 10.0]
    series, records, _ = told(batches)
    samples = next(iter(of_metric(series, "uptime").values()))
    assert samples == [(1_795_190_500_000 + 10_000 * step, 6.0 + step) for step in range(4)]
    assert all(not batch.records for batch in batches[1:])
    assert len([record for record in records if record.kind == "topology"]) == 2


@pytest.mark.slow
def test_checkpoints_are_told_once_by_their_history_and_not_by_the_lagging_gauges(cluster):
    series, _, _ = told(polled(cluster, span=20.0)[0])
    for metric in ("lastCheckpointDuration", "numberOfFailedCheckpoints"):
        for key, samples in of_metric(series, metric).items():
            path = f"/jobs/{key.job_id}/checkpoints"
            ended = [one for one in cluster.answers[path]["history"] if one["status"] != "IN_PROGRESS"]
            assert len(samples) <= len(ended) + 1
            assert all(time < 1_795_190_500_000 for time, _ in samples)


@pytest.mark.slow
def test_a_job_that_ended_is_told_once_more_and_then_left_alone(cluster):
    path = f"/jobs/{BAD_JOB}"
    clock = Clock(cluster)
    batches = poll(cluster.url, PLAIN, every=10.0, span=30.0, wait=clock.wait, now=clock.now)  # type: ignore[attr-defined]
    next(batches)
    end = fixture("snapshot_end")
    cluster.answers["/jobs/overview"] = end["jobs_overview.json"]
    cluster.answers[path] = end["job_async_naive_FAILED.json"]
    cluster.answers[f"{path}/exceptions"] = end["job_async_naive_FAILED_exceptions.json"]
    _, records, _ = told([next(batches)])
    assert [(record.kind, record.body.get("state")) for record in records if record.kind == "run"] == [
        ("run", "FAILED")
    ]
    assert "TimeoutException" in json.dumps([record.body for record in records if record.kind == "exception"])
    cluster.requests.clear()
    list(batches)
    assert not [one for one in cluster.requests if one.startswith(path)]


@pytest.mark.slow
def test_a_metric_that_is_gone_does_not_take_the_others_with_it(cluster):
    cluster.missing = "Status.JVM.CPU.Load"
    series, _, bad = told(polled(cluster)[0])
    assert not bad
    names = {one["id"] for one in cluster.answers["/jobmanager/metrics"]}
    got = {key.metric for key in series if key.scope == "jobmanager"}
    assert len(got) == len(names) - 1
    assert "Status.JVM.CPU.Load" not in got


def test_what_vanishes_between_two_requests_is_left_out(cluster):
    del cluster.answers[f"/jobs/{BAD_JOB}"]
    series, _, bad = told(polled(cluster)[0])
    assert not bad
    assert {key.job_id for key in of_metric(series, "uptime")} == {SQL_JOB}


@pytest.mark.parametrize("faults", [[503, 503, 500], [429], [0, 0]])
@pytest.mark.slow
def test_answers_that_fail_for_a_moment_are_asked_for_again(cluster, faults):
    cluster.faults = {"/jobs/overview": list(faults), "/jobmanager/metrics": list(faults)}
    batches, clock = polled(cluster)
    series, _, bad = told(batches)
    assert not bad
    assert of_metric(series, "Status.JVM.CPU.Load")
    assert clock.waited == [0.5, 1.0, 2.0][: len(faults)] * 2


@pytest.mark.slow
def test_one_answer_that_keeps_failing_is_named_and_the_others_are_read(cluster):
    path = f"/jobs/{SQL_JOB}/checkpoints"
    cluster.faults = {path: [500] * 4}
    series, _, bad = told(polled(cluster)[0])
    assert [(one.where.removeprefix(cluster.url), one.reason) for one in bad] == [(path, flink_rest_live.AN_ERROR)]
    assert of_metric(series, "uptime")


@pytest.mark.slow
def test_a_cluster_that_is_away_for_a_while_leaves_a_gap_that_is_told(cluster):
    clock = Clock(cluster)
    batches = poll(cluster.url, PLAIN, every=10.0, span=20.0, wait=clock.wait, now=clock.now)  # type: ignore[attr-defined]
    next(batches)
    cluster.faults = {"/jobs/overview": [0] * 4}
    gap = next(batches)
    assert [one.reason for one in gap.bad] == [flink_rest_live.NO_RESPONSE]
    assert not len(gap.times)
    assert len(next(batches).times) > 0


def test_a_cluster_that_never_answers_is_an_error_that_says_so(cluster):
    cluster.faults = {"/jobs/overview": [0] * 4}
    with pytest.raises(ValueError, match=r"127\.0\.0\.1:[0-9]+: does not respond"):
        polled(cluster)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (401, "denies access .401.: specify a user and password"),
        (403, "denies access"),
        (307, "redirects to another address .http://leader:8081/jobs/overview.: use that one"),
        (200, "responds, but not like Flink's REST API"),
    ],
)
def test_what_trying_again_does_not_change_is_an_error_at_once(cluster, fault, message):
    cluster.faults = {"/jobs/overview": [fault]}
    with pytest.raises(ValueError, match=message):
        polled(cluster)
    assert cluster.requests == ["/jobs/overview"]


def test_a_server_that_is_not_flink_is_an_error(cluster):
    cluster.answers = {"/jobs/overview": {"data": []}}
    with pytest.raises(ValueError, match="not like Flink's REST"):
        polled(cluster)


@pytest.mark.slow
def test_users_and_tokens_are_sent(cluster):
    polled(cluster, access=Access(user="ann", password="s3cret"))
    assert cluster.headers[-1]["Authorization"] == "Basic " + base64.b64encode(b"ann:s3cret").decode()
    polled(cluster, access=Access(token="abc"))
    assert cluster.headers[-1]["Authorization"] == "Bearer abc"
    polled(cluster)
    assert "Authorization" not in cluster.headers[-1]


@pytest.mark.parametrize("url", ["ftp://host", "http://", "http://host:port", "http:///x"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ValueError, match="not the address of a cluster"):
        list(poll(url, PLAIN))


def test_a_period_of_nothing_is_refused():
    with pytest.raises(ValueError, match="polling interval"):
        list(poll("http://127.0.0.1:1", PLAIN, every=0))


def test_a_file_of_certificates_that_is_missing_is_named():
    with pytest.raises(ValueError, match="/nowhere: no certificates that can be used"):
        list(poll("https://127.0.0.1:1", PLAIN, access=Access(ca="/nowhere")))


@pytest.mark.slow
def test_a_path_before_the_interface_is_kept(cluster):
    cluster.answers = {f"/proxy/app{path}": answer for path, answer in cluster.answers.items()}
    cluster.url += "/proxy/app/"  # type: ignore[attr-defined]
    assert of_metric(told(polled(cluster)[0])[0], "uptime")
