"""Reader for responses of Flink's REST interface, whether live, saved, or in an archive.

A response is recognized by its fields, so it needs no path; its subject is in the path or next to it (`About`). The
forms are those of 1.15 to 2.3; a field that a release lacks is omitted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any

from flink_flint.calculators.history.metrics import vocabulary
from flink_flint.calculators.history.samples import (
    JOB,
    JOBMANAGER,
    OPERATOR,
    TASK,
    TASKMANAGER,
    Gathering,
    Record,
    SeriesKey,
)
from flink_flint.calculators.history.sources.canonical.rows import UnusableError, number_of
from flink_flint.calculators.history.sources.flink_rest.response_metrics import (
    OF_CHECKPOINT,
    OF_OVERVIEW,
    OF_TASKMANAGER,
    RATIOS,
    counted,
)
from flink_flint.calculators.history.sources.flink_rest.settings import (
    settings_of_checkpoints,
    settings_of_cluster,
    settings_of_job,
    without_secrets,
)
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.sources.rejection_reasons import EARLIEST, LATEST, OUT_OF_RANGE
from flink_flint.linter.text.named_tuple import NamedTuple

Json = Any

NO_SHAPE = "response does not have the form that Flink gives it"
NO_JOB = "response does not name its job"
NO_TASK = "response does not name its task"
NO_OWNER = "response does not name the owner of its metrics"

_CUT = 200
_NS_PER_MS = 1_000_000


class About(NamedTuple):
    """The subject of a response (cluster, job, task), as far as its location shows."""

    job: str = ""
    """The name of the job that the response is about; empty if unknown."""
    job_id: str = ""
    task: str = ""
    task_id: str = ""
    tm: str = ""
    """The ID of the TaskManager that the response is about; empty if unknown."""
    jobmanager: bool = False
    """Whether the response is about the JobManager."""
    time: int = 0
    """The time, in milliseconds since the epoch, to use for a response that contains no time."""


class Place(NamedTuple):
    """The attempt and TaskManager of a subtask."""

    attempt: int
    tm: str


NOWHERE = Place(-1, "")
"""The `Place` of a subtask whose attempt and TaskManager are unknown."""


class Responses:
    """Reads responses of Flink's REST API and adds their contents to a `Gathering`."""

    def __init__(self, gathering: Gathering, options: Options) -> None:
        self._gathering = gathering
        self._options = options
        self._checkpoints: set[tuple[str, str, int]] = set()
        self._last: dict[tuple[str, str, str], object] = {}
        self.detailed: set[str] = set()
        """Ids of jobs whose details are available, so that an overview or a plan would only repeat some of them."""

    def add(self, response: Json, about: About, where: str) -> None:
        """Add the contents of a response; an unrecognized response is rejected with its location."""
        try:
            if isinstance(response, dict):
                self._add_object(response, about, where)
            elif isinstance(response, list):
                self._add_list(response, about, where)
            else:
                raise TypeError
        except UnusableError as error:
            self._gathering.reject(where, str(error), _cut(str(response)))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
            self._gathering.reject(where, NO_SHAPE, _cut(without_secrets(str(response)[:2000])))

    def _add_object(self, response: dict[str, Any], about: About, where: str) -> None:
        for keys, method in _SHAPES:
            if all(key in response for key in keys):
                method(self, response, about)
                return
        if not any(key in response for key in _SILENT):
            raise TypeError

    def _add_list(self, response: list[Any], about: About, where: str) -> None:
        if not response:
            return
        first = response[0]
        if "key" in first and "value" in first:
            self._cluster_settings(response, about)
        elif "id" not in first:
            raise TypeError
        elif "value" in first:
            self.metrics(((one["id"], one["value"]) for one in response), about)
        # Lists of names contain no values; a minimum, mean or sum over subtasks is not a reported sample.

    # Jobs

    def _job(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid``: the run and the vertices of the job."""
        about = about._replace(job=response["name"], job_id=response["jid"])
        start, state = int(response["start-time"]), str(response["state"])
        end = int(response["end-time"]) if int(response["end-time"]) > 0 else None
        entered = {name: int(time) for name, time in response.get("timestamps", {}).items() if int(time) > 0}
        body: dict[str, Any] = {
            "state": state,
            "start": start,
            "end": end,
            "entered": entered,
            "durations": _durations(entered, end or int(response.get("now", 0))),
            "tasks": [_totals(vertex) for vertex in response["vertices"]],
        }
        body |= _said(response, {"job-type": "type", "schedulerType": "scheduler"})
        self._record("run", about, start, body, same=(state, end))
        edges = {node["id"]: node for node in response.get("plan", {}).get("nodes", ())}
        vertices = [
            {
                "id": vertex["id"],
                "name": vertex["name"],
                "parallelism": int(vertex["parallelism"]),
                "max_parallelism": int(vertex.get("maxParallelism", -1)),
                "inputs": _inputs(edges.get(vertex["id"], {})),
            }
            for vertex in response["vertices"]
        ]
        # The topology of a job that was rescaled applies since it last began to run.
        self._record("topology", about, max(start, entered.get("RUNNING", 0)), {"vertices": vertices})

    def _jobs(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/overview`` (``/jobs`` has only ids and states, without a time)."""
        for job in response["jobs"]:
            if "jid" not in job or job["jid"] in self.detailed:
                continue
            start, end = int(job["start-time"]), int(job["end-time"])
            body = {"state": job["state"], "start": start, "end": end if end > 0 else None}
            given = about._replace(job=job["name"], job_id=job["jid"])
            self._record("run", given, start, body, same=(body["state"], body["end"]))

    def _plan(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid/plan``, which lacks names of vertices and their maximum parallelism."""
        plan = response["plan"]
        about = about._replace(job=plan["name"], job_id=plan["jid"])
        if plan["jid"] in self.detailed:
            return
        vertices = [
            {
                "id": node["id"],
                "name": "",
                "parallelism": int(node["parallelism"]),
                "max_parallelism": -1,
                "inputs": _inputs(node),
            }
            for node in plan["nodes"]
        ]
        self._record("topology", about, about.time, {"vertices": vertices})

    def _job_settings(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid/config``: the execution configuration of the job."""
        about = about._replace(job=response["name"], job_id=response["jid"])
        self._record("configuration", about, about.time, settings_of_job(response))

    def _cluster_settings(self, response: list[Any], about: About) -> None:
        """Read ``/jobmanager/config``, and that of a job."""
        self._record("configuration", about, about.time, settings_of_cluster(response), said="cluster")

    def _checkpoint_settings(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid/checkpoints/config``."""
        _needs_job(about)
        self._record("checkpointing", about, about.time, settings_of_checkpoints(response))

    def _exceptions(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid/exceptions``; 2.0 has only the history."""
        _needs_job(about)
        history = response.get("exceptionHistory") or {}
        entries = [
            entry for root in history.get("entries", ()) for entry in (root, *(root.get("concurrentExceptions") or ()))
        ]
        for entry in entries:
            self._exception(about, entry["exceptionName"], entry["stacktrace"], entry)
        if entries:
            return
        for entry in response.get("all-exceptions") or ():
            self._exception(about, "", entry["exception"], entry)
        if not response.get("all-exceptions") and response.get("root-exception"):
            self._exception(about, "", response["root-exception"], response)

    def _exception(self, about: About, kind: str, stack: str, entry: Mapping[str, Any]) -> None:
        first = stack.partition("\n")[0].strip()
        named, _, message = first.partition(": ")
        body: dict[str, Any] = {"type": kind or named, "message": _cut(without_secrets(message))}
        causes = re.findall(r"^Caused by: (.+)$", stack, re.MULTILINE)
        if causes:
            body["cause"] = _cut(without_secrets(causes[-1].strip()))
        task = entry.get("taskName") or entry.get("task")
        if task:
            body["task"] = task
        if entry.get("taskManagerId"):
            body["tm"] = entry["taskManagerId"]
        time = int(entry["timestamp"])
        self._record("exception", about, time, body, said=f"{time} {body['type']} {task or ''}")

    # Checkpoints

    def _checkpoints_of(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid/checkpoints``: the last checkpoints (ten unless ``web.checkpoints.history`` is set)."""
        _needs_job(about)
        latest = response.get("latest") or {}
        found = {}
        for checkpoint in (*(latest.get(name) for name in ("completed", "failed")), *response.get("history", ())):
            if checkpoint and checkpoint["status"] in ("COMPLETED", "FAILED"):
                found[int(checkpoint["id"])] = checkpoint
        for checkpoint in found.values():
            self._checkpoint(checkpoint, about)
        kept = {int(one["id"]) for one in response.get("history", ())}
        self._counts(response["counts"], [one for number, one in found.items() if number in kept], about)
        restored = latest.get("restored")
        if restored and int(restored["restore_timestamp"]) > 0:
            time = int(restored["restore_timestamp"])
            if self._first("restored", about, time):
                self._sample("lastCheckpointRestoreTimestamp", JOB, about, time, time)

    def _checkpoint(self, response: dict[str, Any], about: About) -> None:
        """Add a checkpoint that completed; savepoints and failures do not measure its duration or size."""
        _needs_job(about)
        if response["status"] != "COMPLETED" or response.get("is_savepoint"):
            return
        if not self._first("checkpoint", about, int(response["id"])):
            return
        time = int(response["latest_ack_timestamp"])
        for field, metric in OF_CHECKPOINT.items():
            if response.get(field) is not None:
                self._sample(metric, JOB, about, time, number_of(response[field]))

    def _counts(self, counts: Mapping[str, Any], found: Iterable[Mapping[str, Any]], about: About) -> None:
        """Add the numbers of completed and failed checkpoints at the end of each one, counted backward from now."""
        completed, failed = int(counts["completed"]), int(counts["failed"])
        ended = sorted(((_ended(one), one) for one in found), key=lambda one: one[0])
        fresh = self._first("counts", about, 0)
        for time, checkpoint in reversed(ended):
            if self._first("count", about, int(checkpoint["id"])):
                self._sample("numberOfCompletedCheckpoints", JOB, about, time, completed)
                self._sample("numberOfFailedCheckpoints", JOB, about, time, failed)
            if checkpoint["status"] == "FAILED":
                failed -= 1
            else:
                completed -= 1
        if ended and fresh and completed >= 0 and failed >= 0:
            # Without the counts before it, the result of the oldest would be unknown.
            time = int(ended[0][1]["trigger_timestamp"])
            if time < ended[0][0]:
                self._sample("numberOfCompletedCheckpoints", JOB, about, time, completed)
                self._sample("numberOfFailedCheckpoints", JOB, about, time, failed)

    def _first(self, kind: str, about: About, number: int) -> bool:
        """Return whether something of a job is reported for the first time; snapshots repeat the checkpoint history."""
        key = (kind, about.job_id or about.job, number)
        if key in self._checkpoints:
            return False
        self._checkpoints.add(key)
        return True

    def _checkpoint_subtasks(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid/checkpoints/details/:checkpointid/subtasks/:vertexid``, in milliseconds."""
        _needs_task(about)
        for subtask in response["subtasks"]:
            if subtask.get("status") != "completed":
                continue
            time, index = int(subtask["ack_timestamp"]), int(subtask["index"])
            phases, alignment = subtask.get("checkpoint") or {}, subtask.get("alignment") or {}
            for metric, value, factor in (
                ("checkpointAlignmentTime", alignment.get("duration"), _NS_PER_MS),
                ("checkpointStartDelayNanos", subtask.get("start_delay"), _NS_PER_MS),
                ("checkpointSyncDuration", phases.get("sync"), 1),
                ("checkpointAsyncDuration", phases.get("async"), 1),
            ):
                # Flink reports -1 for unknown values.
                if value is not None and number_of(value) >= 0:
                    self._sample(metric, TASK, about, time, number_of(value) * factor, subtask=index)

    # Tasks

    def _vertex(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid/vertices/:vertexid``: the counters of each subtask's current attempt."""
        about = about._replace(task=response["name"], task_id=response["id"])
        _needs_job(about)
        for subtask in response["subtasks"]:
            end = int(subtask.get("end-time", -1))
            time = end if end > 0 else int(response["now"])
            place = Place(int(subtask.get("attempt", -1)), subtask.get("taskmanager-id", ""))
            for metric, value in counted(subtask.get("metrics", {})):
                self._sample(metric, TASK, about, time, value, subtask=int(subtask["subtask"]), place=place)

    def _backpressure(self, response: dict[str, Any], about: About) -> None:
        """Read ``/jobs/:jobid/vertices/:vertexid/backpressure``; a ratio of 1 is 1000 ms per second."""
        _needs_task(about)
        if "end-timestamp" not in response:
            return
        time = int(response["end-timestamp"])
        for subtask in response.get("subtasks", ()):
            for field, metric in RATIOS.items():
                if field in subtask:
                    value = number_of(subtask[field]) * 1000
                    self._sample(metric, TASK, about, time, value, subtask=int(subtask["subtask"]))

    # Processes

    def _overview(self, response: dict[str, Any], about: About) -> None:
        """Read ``/overview``, which repeats gauges of the JobManager."""
        for field, metric in OF_OVERVIEW.items():
            if field in response:
                self._sample(metric, JOBMANAGER, About(), about.time, number_of(response[field]))

    def _taskmanagers(self, response: dict[str, Any], about: About) -> None:
        """Read ``/taskmanagers``."""
        for one in response["taskmanagers"]:
            if "memoryConfiguration" in one:
                self._taskmanager(one, about)

    def _taskmanager(self, response: dict[str, Any], about: About) -> None:
        """Read ``/taskmanagers/:taskmanagerid``. Its ``timeSinceLastHeartbeat`` is the time of the last heartbeat."""
        heartbeat = int(response.get("timeSinceLastHeartbeat", 0))
        time = heartbeat if EARLIEST <= heartbeat < LATEST else about.time
        body = {"id": response["id"], "slots": int(response["slotsNumber"]), "memory": response["memoryConfiguration"]}
        body |= _said(response, {"hardware": "hardware", "totalResource": "resources"})
        self._record("taskmanager", About(), time, body, said=response["id"], same=response["memoryConfiguration"])
        metrics = dict(response.get("metrics", {}))
        given = About(tm=response["id"])
        for collector in metrics.pop("garbageCollectors", ()):
            for field, metric in (("count", "Count"), ("time", "Time")):
                name = f"Status.JVM.GarbageCollector.{collector['name']}.{metric}"
                self._sample(name, TASKMANAGER, given, time, number_of(collector[field]))
        for field, value in metrics.items():
            if field in OF_TASKMANAGER:
                self._sample(OF_TASKMANAGER[field], TASKMANAGER, given, time, number_of(value))

    # Metrics

    def metrics(
        self, values: Iterable[tuple[str, Any]], about: About, places: Mapping[int, Place] | None = None
    ) -> None:
        """Add metrics by their REST names, ignoring text values; `places` locates a task's subtasks.

        A task's names start with the subtask (``0.busyTimeMsPerSecond``), an operator's then with its name
        (``0.Map.numRecordsIn``); a name without a subtask is aggregated over all of them (``agg=avg``).
        """
        for name, given in values:
            try:
                value = number_of(given)
            except UnusableError:
                continue
            if about.task_id or about.task:
                self._of_task(name, value, about, places or {})
            elif about.tm:
                self._sample(name, TASKMANAGER, About(tm=about.tm), about.time, value)
            elif about.job_id or about.job:
                self._sample(name, JOB, about, about.time, value)
            elif about.jobmanager:
                self._sample(name, JOBMANAGER, About(), about.time, value)
            else:
                raise UnusableError(NO_OWNER)

    def _of_task(self, name: str, value: float, about: About, places: Mapping[int, Place]) -> None:
        number, dot, rest = name.partition(".")
        if dot and number.isdecimal() and len(number) < 9:
            subtask = int(number)
        else:
            subtask, rest = -1, name
        place = places.get(subtask, NOWHERE)
        operator, dot, metric = rest.partition(".")
        if dot and operator not in _GROUPS_OF_TASKS:
            operator = _operators(about.task).get(operator, operator)
            self._sample(metric, OPERATOR, about, about.time, value, operator=operator, subtask=subtask, place=place)
        else:
            self._sample(rest, TASK, about, about.time, value, subtask=subtask, place=place)

    # Output

    def _sample(
        self,
        metric: str,
        scope: str,
        about: About,
        time: int,
        value: float,
        *,
        operator: str = "",
        subtask: int = -1,
        place: Place = NOWHERE,
    ) -> None:
        _within(time)
        name = vocabulary.of_metric(metric, scope)
        below = scope in (TASK, OPERATOR)
        key = SeriesKey(
            metric=name.metric,
            scope=name.scope,
            cluster=self._options.cluster,
            job=about.job,
            job_id=about.job_id,
            task=about.task if below else "",
            task_id=about.task_id if below else "",
            operator=operator,
            subtask=subtask,
            attempt=place.attempt,
            tm=about.tm or place.tm,
            part=name.part,
            counter=name.counter,
        )
        self._gathering.add(self._gathering.series(key), time, float(value))

    def _record(
        self, kind: str, about: About, time: int, body: dict[str, Any], *, said: str = "", same: object = None
    ) -> None:
        """Add a record, unless the last one of its kind (and of `said`) had an equal `same`, or an equal body."""
        _within(time)
        key, value = (kind, about.job_id or about.job, said), body if same is None else same
        if key in self._last and self._last[key] == value:
            return
        self._last[key] = value
        self._gathering.record(Record(kind, self._options.cluster, about.job, about.job_id, time, body))

    def configuration(self, settings: dict[str, Any], about: About, where: str) -> None:
        """Record the settings that apply to a job, including the cluster's settings."""
        try:
            self._record("configuration", about, about.time, settings)
        except UnusableError as error:
            self._gathering.reject(where, str(error), "")


_Method = Callable[[Responses, dict[str, Any], About], None]

_SHAPES: tuple[tuple[tuple[str, ...], _Method], ...] = (
    (("jid", "vertices", "timestamps"), Responses._job),
    (("jid", "execution-config"), Responses._job_settings),
    (("plan",), Responses._plan),
    (("jobs",), Responses._jobs),
    (("counts", "history"), Responses._checkpoints_of),
    (("min_pause", "max_concurrent"), Responses._checkpoint_settings),
    (("summary", "subtasks", "num_subtasks"), Responses._checkpoint_subtasks),
    (("trigger_timestamp", "end_to_end_duration"), Responses._checkpoint),
    (("exceptionHistory",), Responses._exceptions),
    (("root-exception",), Responses._exceptions),
    (("slots-total",), Responses._overview),
    (("memoryConfiguration", "id"), Responses._taskmanager),
    (("maxParallelism", "subtasks", "now"), Responses._vertex),
    (("status", "backpressure-level"), Responses._backpressure),
    (("status", "backpressureLevel"), Responses._backpressure),
    (("taskmanagers",), Responses._taskmanagers),
)
"""Fields by which a response is recognized, the most specific first."""

_SILENT = frozenset(
    ("flink-version", "jvm", "job-accumulators", "user-accumulators", "subtasks", "now", "status", "errors",
     "attempt", "logs", "operatorsMetrics", "threadInfos")
)  # fmt: skip
"""Fields of Flink's responses that contain nothing to keep."""

_GROUPS_OF_TASKS = frozenset(("Shuffle", "buffers", "Network", "Status", "Netty"))
"""First parts of dotted metrics of tasks; any other first part is an operator, as names have ``_`` for dots."""

_CHAINED = re.compile(r" -> |, |[()]")
_REPLACED = re.compile(r"[ .:,]")


@lru_cache(maxsize=4096)
def _operators(task: str) -> dict[str, str]:
    """Return the operators chained in a task by their names in REST metrics, which have ``_`` for ``" .:,"``.

    Reporters keep colons, so without this an operator would have two names.
    """
    return {_REPLACED.sub("_", name): name for part in _CHAINED.split(task) if (name := part.strip())}


def _totals(vertex: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counters of `COUNTED` of a task's run, summed over its subtasks, and their duration."""
    return {
        "id": vertex["id"],
        "name": vertex["name"],
        "status": vertex.get("status", ""),
        "duration": int(vertex.get("duration", -1)),
        **{metric: value for metric, value in counted(vertex.get("metrics", {})) if isfinite(value)},
    }


def _inputs(node: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"id": one["id"], "ship": one.get("ship_strategy", "")} for one in node.get("inputs", ())]


def _durations(entered: Mapping[str, int], end: int) -> dict[str, int]:
    """Return the milliseconds in each state, as far as they are certain.

    Flink keeps the last time a state was entered: times before a restart are lost, except the start.
    """
    restarted = entered.get("RESTARTING", 0)
    order = sorted(entered.items(), key=lambda one: one[1])
    spans = zip(order, [*order[1:], ("", end)], strict=True)
    return {
        state: until - since
        for (state, since), (following, until) in spans
        if until >= since and (since >= restarted or (state, following) == ("INITIALIZING", "CREATED"))
    }


def _ended(checkpoint: Mapping[str, Any]) -> int:
    """Return the time at which a checkpoint completed or failed, in milliseconds since the epoch."""
    given = checkpoint.get("failure_timestamp") if checkpoint["status"] == "FAILED" else None
    return int(given if given is not None else checkpoint["latest_ack_timestamp"])


def _needs_job(about: About) -> None:
    if not (about.job or about.job_id):
        raise UnusableError(NO_JOB)


def _needs_task(about: About) -> None:
    _needs_job(about)
    if not (about.task or about.task_id):
        raise UnusableError(NO_TASK)


def _within(time: int) -> None:
    if not EARLIEST <= time < LATEST:
        raise UnusableError(OUT_OF_RANGE)


def _cut(text: str) -> str:
    return text[:_CUT]


def _said(response: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: response[field] for field, name in names.items() if response.get(field) not in (None, "")}
