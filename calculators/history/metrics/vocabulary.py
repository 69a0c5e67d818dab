"""Normalization of metric names: one name for each of Flink's metrics in all reporters and releases.

A reporter spells a metric its own way: ``flink_taskmanager_job_task_Shuffle_Netty_Input_Buffers_inPoolUsage``
(Prometheus), ``taskmanager_job_task_buffers_inPoolUsage`` (InfluxDB, an older release),
``host.taskmanager.tm.job.task.0.buffers.inPoolUsage`` (StatsD, Graphite, Slf4j), ``0.buffers.inPoolUsage`` (REST).
All become ``Shuffle.Netty.Input.Buffers.inPoolUsage`` at the scope ``task``. The table of `flink_metric_names` shows
what an underscore replaced; a name that is not in it is kept as spelled.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from flink_flint.calculators.history.metrics import flink_metric_names as metric_names
from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.text.named_tuple import NamedTuple

_JOBMANAGER, _JOB, _TASKMANAGER, _TASK, _OPERATOR = "jobmanager", "job", "taskmanager", "task", "operator"
"""The scopes, repeated here because importing `calculators.history.samples`, which defines them, would load numpy."""


class Name(NamedTuple):
    """A resolved metric name: Flink's own name, the scope, and the part of the scope, such as a Kinesis shard."""

    metric: str
    """Flink's dotted name of the metric, as the newest release spells it; as reported if flint does not know it."""
    scope: str
    """The scope of the metric: ``jobmanager``, ``job``, ``taskmanager``, ``task`` or ``operator``."""
    part: str = ""
    """The part of the scope that has the value: a RocksDB state, ``<stream>/<shard>``, ``<topic>/<partition>``, ..."""
    counter: bool = False
    """Whether the metric's value only grows until its reporter restarts."""
    known: bool = True
    """Whether the name is one of Flink's own metrics."""


def _names(groups: Mapping[str, str]) -> Iterator[str]:
    for group, names in groups.items():
        for name in names.split():
            yield f"{group}.{name}" if group else name


_COLLECTED = [
    f"Status.JVM.GarbageCollector.{collector}.{name}"
    for collector in metric_names.COLLECTORS
    for name in metric_names.COLLECTOR_METRICS.split()
]
_ROCKSDB = [f"rocksdb.{name}" for name in metric_names.ROCKSDB.split()]
_TASK_ONLY = frozenset(_names(metric_names.TASK)) - frozenset(_names(metric_names.OPERATOR))
_BOTH = frozenset(_names(metric_names.TASK_AND_OPERATOR))
_HISTOGRAMS = frozenset(metric_names.HISTOGRAMS.split())
_COUNTERS = frozenset(metric_names.COUNTERS.split())
_MINUS_ONE = frozenset(metric_names.MINUS_ONE.split())
_WATERMARKS = frozenset(metric_names.WATERMARKS.split())
_WORDS = frozenset(metric_names.WORDS.split())


def _table() -> dict[str, str]:
    """Return the newest spelling of every known metric by its sanitized spellings, old and new."""
    names = [*_COLLECTED, *_ROCKSDB, *_HISTOGRAMS, *metric_names.CHANGELOG_UPLOAD.split()]
    for groups in (
        metric_names.PROCESS,
        metric_names.JOBMANAGER,
        metric_names.JOB,
        metric_names.TASKMANAGER,
        metric_names.TASK,
        metric_names.TASK_AND_OPERATOR,
        metric_names.OPERATOR,
    ):
        names.extend(_names(groups))
    # These names contain no other special characters, and replacing is several times faster than `sanitized`.
    table = {name.replace(".", "_").replace(" ", "_").replace("-", "_"): name for name in names}
    table.update((old.replace(".", "_"), new) for old, new in metric_names.OLDER.items())
    return table


_KNOWN = _table()

_SCOPES = (
    ("taskmanager_job_task_operator_", _OPERATOR),
    ("taskmanager_job_task_", _TASK),
    ("taskmanager_job_", _TASKMANAGER),
    ("taskmanager_", _TASKMANAGER),
    ("jobmanager_job_operator_", _OPERATOR),
    ("jobmanager_job_", _JOB),
    ("jobmanager_", _JOBMANAGER),
)
"""Prefixes of reporters' names, longest first. A job's metrics on a TaskManager belong to the TaskManager's scope."""

# Plain text: `re` compiles a pattern at its first use and caches it, so that importing this module stays fast.
_ROCKSDB_NAME = r"(?:(?P<state>.+)[._])?rocksdb[._](?P<name>[A-Za-z0-9_-]+)"
_SHARD_NAME = (
    r"(?:.*[._])?stream[._](?:(?P<stream>.+)[._])?shardId[._]"
    r"(?:(?P<shard>shardId[-_]\d+|[^._]+)[._])?(?P<name>[A-Za-z]+)"
)
_PARTITION_NAME = (
    r"(?:.*[._])?topic[._](?:(?P<topic>.+)[._])?partition[._](?:(?P<partition>\d+)[._])?(?P<name>[A-Za-z]+)"
)
_SPLIT_NAME = r"(?:.*[._])?split[._](?:(?P<split>.+)[._])?(?P<name>watermark[._][A-Za-z]+)"
_LATENCY_NAME = (
    r"(?:(?P<before>.*)\.)?latency[._](?:source_id[._](?:(?P<source>[0-9a-f]+)[._])?)?"
    r"(?:source_subtask_index[._](?:(?P<index>\d{1,9})[._])?)?operator_id[._](?:(?P<operator>[0-9a-f]+)[._])?"
    r"operator_subtask_index[._](?:(?P<subtask>\d{1,9})[._])?(?P<name>latency(?:[._]\w+)?)"
)
_STATE_NAME = (
    r"(?P<state>.+)[._](?P<name>(?:state|(?:value|list|map|aggregating|reducing)State)[A-Za-z]*Latency(?:[._]\w+)?)"
)
_KAFKA_NAME = r"(?:KafkaSourceReader[._])?KafkaConsumer[._](?P<name>.+)"
_STATISTIC = r"(?P<name>.+)[._](?P<statistic>count|min|max|mean|median|stddev|p\d+)"


def _joined(*parts: str | None) -> str:
    return "/".join(part for part in parts if part)


_LONGEST = 1000
"""Maximum length of a metric name that is parsed; longer ones are not metrics, and would be slow to parse."""


def _part(name: str) -> tuple[str, str] | None:
    """Return the metric and the part of a name that contains the name of a state, a shard, a partition or a split."""
    if len(name) > _LONGEST:
        return None
    if "rocksdb" in name and (found := re.fullmatch(_ROCKSDB_NAME, name)):
        state = found["state"] or ""
        metric = _KNOWN.get("rocksdb_" + sanitized(found["name"])) or "rocksdb." + found["name"].replace("_", "-")
        return metric, "" if state == "column_family" else state.removeprefix("column_family.")
    if "shardId" in name and (found := re.fullmatch(_SHARD_NAME, name)):
        return found["name"], _joined(found["stream"], found["shard"])
    if "partition" in name and (found := re.fullmatch(_PARTITION_NAME, name)):
        return found["name"], _joined(found["topic"], found["partition"])
    if "split" in name and (found := re.fullmatch(_SPLIT_NAME, name)):
        return found["name"], found["split"] or ""
    if "latency" in name and (found := re.fullmatch(_LATENCY_NAME, name)):
        return found["name"], _joined(*found.group("source", "index", "operator", "subtask"))
    if "Latency" in name and (found := re.fullmatch(_STATE_NAME, name)):
        state = found["state"]
        return found["name"], "" if state == "state_name" else state.removeprefix("state_name.")
    if "KafkaConsumer" in name and (found := re.fullmatch(_KAFKA_NAME, name)):
        return "KafkaSourceReader.KafkaConsumer." + found["name"], ""
    return None


def _known(name: str) -> str | None:
    """Return the newest spelling of a metric (``mailboxLatencyMs.count`` for ``mailboxLatencyMs_count``), or None."""
    found = _KNOWN.get(sanitized(name))
    if found is not None:
        return found
    statistic = re.fullmatch(_STATISTIC, name)
    if statistic and (histogram := _KNOWN.get(sanitized(statistic["name"]))) in _HISTOGRAMS:
        given = statistic["statistic"]
        return f"{histogram}.{'p50' if given == 'median' else given}"
    return None


@lru_cache(maxsize=1 << 16)
def of_metric(metric: str, scope: str) -> Name:
    """Resolve a metric name without its scope, spelled with dots (``buffers.inPoolUsage``) or underscores.

    Names of REST, of archives and of older releases become the newest spelling; unknown ones are kept.
    """
    found = _known(metric)
    if found is not None:
        return Name(found, scope, "", is_counter(found), True)
    parted = _part(metric)
    if parted is None:
        return Name(metric, scope, "", is_counter(metric), False)
    found = _known(parted[0])
    return Name(found or parted[0], scope, parted[1], is_counter(found or parted[0]), found is not None)


@lru_cache(maxsize=1 << 16)
def of_reporter(name: str) -> Name | None:
    """Resolve a name that includes its scope, like ``flink_jobmanager_job_numRestarts``; None if it is not Flink's.

    The prefix ``flink_`` is optional. The spelling is that of the reporters for Prometheus and InfluxDB; the dots of
    OpenTelemetry and JMX are accepted too.
    """
    scope, rest = _scope_of(name)
    if not rest:
        return None
    found = of_metric(rest, scope)
    if found.metric.startswith("latency") and found.known:
        # It belongs to the operator at which latencies end, whatever scope a release reports.
        return found._replace(scope=_OPERATOR)
    return found


def _scope_of(name: str) -> tuple[str, str]:
    """Return the scope and the rest of a name; empty texts if it is not one of Flink's."""
    spelled = sanitized(name)
    cut = 6 if spelled.startswith("flink_") else 0
    for prefix, scope in _SCOPES:
        if spelled.startswith(prefix, cut):
            return scope, name[cut + len(prefix) :]
    return "", ""


_IDENTITY_LABELS = (
    "job_id job_name task_id task_name task_attempt_id task_attempt_num operator_id operator_name subtask_index tm_id "
    "host quantile operator_subtask_index accountId region"
)
_IDENTITY = frozenset(_IDENTITY_LABELS.split())


def of_series(name: str, labels: Mapping[str, str]) -> Name | None:
    """Resolve a name like `of_reporter`, and add the group (shard, partition, state) and the quantile from `labels`.

    A group that a user or connector added is part of the name, and its value is a label with the same name, which
    distinguishes it from the labels of the scraper: ``operator_endpoint_calls{endpoint="a"}`` has the part ``a``.
    ``{quantile="0.99"}`` turns ``latency`` into ``latency.p99``.

    Returns None if the name is not one of Flink's.
    """
    found = of_reporter(name)
    if found is None:
        return None
    quantile = labels.get("quantile")
    if quantile:
        found = found._replace(metric=f"{found.metric}.{percentile_name(quantile)}", counter=False)
    if not found.part and len(labels) > 1:
        rest = f"_{sanitized(_scope_of(name)[1])}"
        places = sorted((rest.find(f"_{label}_"), value) for label, value in labels.items() if label not in _IDENTITY)
        part = "/".join(value for place, value in places if place >= 0)
        if part:
            found = found._replace(part=part)
    return found


def percentile_name(quantile: str) -> str:
    """Return ``p99`` for the quantile 0.99, ``p999`` for 0.999, ``p50`` for 0.5; unchanged if it is not a fraction."""
    whole, _, digits = quantile.partition(".")
    return f"p{digits:0<2}" if whole in ("", "0") and digits.isdigit() else quantile


def is_counter(metric: str) -> bool:
    """Return whether a metric (newest spelling) only grows until its process or task restarts.

    Reporters expose counters as gauges, so only the name identifies them.
    """
    if metric in _COUNTERS:
        return True
    if metric.startswith("Status.JVM.GarbageCollector."):
        return metric.endswith((".Count", ".Time"))
    return metric.endswith(".count") and metric[:-6] in _HISTOGRAMS


def is_histogram(metric: str) -> bool:
    """Return whether a metric (newest spelling) is one of Flink's histograms, reported as several numbers."""
    return metric in _HISTOGRAMS


_LONG = float(1 << 63)


def placeholders(metric: str) -> tuple[float, ...]:
    """Return the values of a metric (newest spelling) that mean "not known": -1, or the extremes of a watermark."""
    if metric in _MINUS_ONE:
        return (-1.0,)
    if metric in _WATERMARKS:
        return (-_LONG, _LONG)
    return ()


def means_nothing(metric: str, value: float) -> bool:
    """Return whether a value means "not known", as -1 does for ``lastCheckpointSize`` before the first checkpoint."""
    return value in placeholders(metric)


def is_meaningless(metric: str) -> bool:
    """Return whether a metric's value is a string, which numeric reporters write as 0.0."""
    return metric in _WORDS


class Identifier(NamedTuple):
    """The parts of an identifier (``host.taskmanager.tm.job.task.0.metric``) in Flink's default scope formats."""

    name: Name
    """The name of the metric; its scope is ``task`` if both a task and an operator may report it (see `either`)."""
    tm: str = ""
    job: str = ""
    holder: str = ""
    """The name of the task or operator that reports the metric; the identifier does not show which of the two it is."""
    subtask: int = -1
    either: bool = False
    """Whether the metric may belong to either a task or an operator."""
    operator_id: str = ""
    """The ID of the operator, which latency metrics have instead of names; empty for other metrics."""


_PROCESS = r"(?s)(?:(?P<host>.+?)\.)?(?P<process>jobmanager|taskmanager)\.(?P<rest>.+)"
_TM_ID = r"(?s)(?P<tm>[^ ]+?[:-]\d+-[0-9a-f]{6,}|[^.]+)\.(?P<rest>.+)"
"""Flink's own ids end in the port and six hexadecimal digits, and may contain dots; those of pods do not."""
_SUBTASK = r"\.(\d{1,9})(?=\.)"
_LONGEST_IDENTIFIER = 20_000
"""Maximum length of an identifier; the task names of SQL jobs can be long."""
_SQL_JOB = r"insert-into_[^.]+\.[^.]+\.[^.]+"
"""The name that Flink SQL gives to a job, which contains the dots of the table's path."""


def of_identifier(identifier: str, jobs: Collection[str] = ()) -> Identifier | None:
    """Return the parts of an identifier of the StatsD, Graphite or Slf4j reporter; None if it is not Flink's.

    Names may contain dots and nothing is escaped. So the metric shows where the names end (a known one is preferred),
    and `jobs`, the job names that `job_of` found, show where the job's name ends; otherwise it ends at the first dot.
    """
    process = re.fullmatch(_PROCESS, identifier)
    if not process or len(identifier) > _LONGEST_IDENTIFIER:
        return None
    rest = process["rest"]
    if process["process"] == _JOBMANAGER:
        return _of_jobmanager(rest, jobs)
    split = re.fullmatch(_TM_ID, rest)
    if not split:
        return None
    tm, rest = split["tm"], split["rest"]
    if latency := ".operator_subtask_index." in rest and re.fullmatch(_LATENCY_NAME, rest):
        part = _joined(*latency.group("source", "index"))
        name = of_metric(latency["name"], _OPERATOR)._replace(part=part)
        job, _ = _job_and_rest(f"{latency['before']}.", jobs)
        return Identifier(name, tm, job, "", int(latency["subtask"] or -1), operator_id=latency["operator"] or "")
    whole = of_metric(rest, _TASKMANAGER)
    if _known(rest) or rest.startswith(("Status.", "System.")):
        return Identifier(whole, tm)
    place = _subtask_place(rest)
    if place is None:
        job, metric = _job_and_rest(rest, jobs)
        return Identifier(of_metric(metric, _TASKMANAGER), tm, job) if metric else Identifier(whole, tm)
    before, subtask, metric = place
    job, holder = _job_and_rest(before, jobs)
    if not holder:
        job, holder = "", before
    name = of_metric(metric, _TASK)
    if not (name.metric in _TASK_ONLY or name.metric in _BOTH):
        return Identifier(_at_task_or_operator(name, metric), tm, job, holder, subtask)
    return Identifier(name, tm, job, holder, subtask, name.metric in _BOTH)


def _at_task_or_operator(name: Name, metric: str) -> Name:
    """Return the meaning of a metric that only a task or only an operator has; mailbox histograms are the task's."""
    return name if name.metric.rpartition(".")[0] in _TASK_ONLY else of_metric(metric, _OPERATOR)


def _of_jobmanager(rest: str, jobs: Collection[str]) -> Identifier:
    whole = of_metric(rest, _JOBMANAGER)
    if _known(rest) or "." not in rest or rest.startswith(("Status.", "System.")):
        return Identifier(whole)
    if job := job_of("x.jobmanager." + rest):
        return Identifier(of_metric(rest[len(job) + 1 :], _JOB), "", job)
    job, below = _job_and_rest(rest, jobs)
    holder, mark, metric = below.partition(".coordinator.")
    if mark:
        return Identifier(of_metric("coordinator." + metric, _OPERATOR), "", job, holder)
    return Identifier(of_metric(below, _JOB), "", job)


def job_of(identifier: str) -> str:
    """Return the job name in a JobManager's identifier: the text before a metric that only jobs have; empty if none."""
    found = re.fullmatch(_PROCESS, identifier)
    if not found or found["process"] != _JOBMANAGER:
        return ""
    job, _, metric = found["rest"].rpartition(".")
    return job if _KNOWN.get(metric, metric) in _JOB_METRICS or metric in metric_names.OLDER else ""


_JOB_METRICS = frozenset(_names(metric_names.JOB))


def _job_and_rest(text: str, jobs: Collection[str]) -> tuple[str, str]:
    job = max((job for job in jobs if text.startswith(job + ".")), key=len, default="")
    if not job and (sql := re.match(_SQL_JOB, text)):
        job = sql[0]
    if job:
        return job, text[len(job) + 1 :]
    job, _, rest = text.partition(".")
    return job, rest


def _subtask_place(rest: str) -> tuple[str, int, str] | None:
    """Return the names before the subtask's index, the index, and the metric after it; None if there is no index.

    A name may contain ``.3.`` as well: the first index followed by a known metric is used, otherwise the last one.
    """
    place: tuple[str, int, str] | None = None
    for found in re.finditer(_SUBTASK, rest):
        place = rest[: found.start()], int(found[1]), rest[found.end() + 1 :]
        if of_metric(place[2], _TASK).known:
            return place
    return place
