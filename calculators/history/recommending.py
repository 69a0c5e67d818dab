"""From what a history holds to recommendations: every calculator whose metrics exist is fed and asked.

`recommend` is pure; `recommend_slice` does the work of an executor, JSON in and JSON out; `recommend_store` gives the
slices of a store to executors and puts their rows in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from calculators.answer import Answer
from calculators.calculator import NAMES
from calculators.declaration import BadInput
from calculators.history.evidence import SHORT_DAYS, Job, Processes, gathered, is_throughput
from calculators.history.expecting import METHOD_HALF_LIFE, SCORED_DAYS, MethodScore, scored
from calculators.history.feeding import Answered, Fed, Feeds, Lacking, Surroundings, Wanted, asked, vertices_of
from calculators.history.feeds import async_io, checkpoints, clusters, jobs, parallelism
from calculators.history.in_force import InForce, overlaid, plain, recorded
from calculators.history.reading import Observed, paths_of, read_groups, window_of
from calculators.history.sample import Record
from calculators.history.store import SLICES, File, Manifest, Store
from calculators.history.vocabulary import sanitised
from calculators.quantity import COUNT, Unit, counted, spell_count, spell_duration
from calculators.spelling import value_text
from linter.flink.options import Option
from linter.flink.releases import NEWEST, Release, parse_release, release_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOT_SET = "not set"
HALF_LIFE = 2.0
"""Days: of percentiles of throughput and durations. Memory is told by its peaks, which its method weighs itself."""
WINDOW = 30
"""Days that are looked at, counted back from the last one."""
_HYSTERESIS = 0.1
"""A change by less is none."""
_ROUNDING = 0.02
"""What whole steps may add to a value that stays."""
_SHRINK = 0.4
"""The most that one step takes away from memory."""
_SEEN_DAYS = 1.0
"""From less than a day nothing is said of what memory could do without."""
_MIB = 1 << 20
_UNLIMITED = 1 << 62
_PROCESS, _METASPACE = ".memory.process.size", ".jvm-metaspace.size"
_SURE_DAYS = 14.0
_PIECES = 8

_JOB_FEEDS: tuple[tuple[tuple[str, ...], Callable[[Job, Surroundings], Feeds]], ...] = (
    (("async-io",), async_io.feed),
    (("parallelism",), parallelism.feed),
    (("checkpoint", "kafka-transactions"), checkpoints.feed),
    (("restart",), jobs.restart),
    (("storage",), jobs.storage),
    (("catch-up",), jobs.catch_up),
    (("rpc-size",), jobs.rpc_size),
    (("rocksdb",), jobs.rocksdb),
    (("kinesis",), jobs.kinesis),
)
_CLUSTER_FEEDS: tuple[tuple[str, Callable[[Processes, Surroundings], Feeds]], ...] = (
    ("taskmanager-memory", clusters.taskmanager_memory),
    ("jobmanager-memory", clusters.jobmanager_memory),
    ("network-buffers", clusters.network_buffers),
    ("kubernetes-ha", clusters.kubernetes_ha),
    ("yarn", clusters.yarn),
)

COURSES = frozenset(
    [
        "numRecordsInPerSecond.vertex.steady",
        "numRecordsOutPerSecond.vertex.steady",
        "numRecordsInPerSecond.steady",
        "numRecordsOutPerSecond.steady",
        "numRecordsInPerSecond",
        "numRecordsOutPerSecond",
        "arrivalRate",
        "heapLiveSet",
        "trueProcessingRate",
    ]
)
"""Metrics whose course is looked at, slot by slot."""
METRICS = COURSES | frozenset(
    [
        "busyTimeMsPerSecond",
        "backPressuredTimeMsPerSecond",
        "trueProcessingRate.vertex",
        "catchingUp",
        "numRecordsIn",
        "numRecordsInPerSecond.catchup",
        "numRecordsOutPerSecond.vertex.catchup",
        "numBytesIn",
        "numBytesInPerSecond",
        "inFlight",
        "inFlightTime",
        "serviceRate",
        "checkpointAlignmentTime",
        "checkpointStartDelayNanos",
        "lastCheckpointDuration",
        "lastCheckpointSize",
        "lastCheckpointFullSize",
        "lastCheckpointMetadataSize",
        "checkpointFinalizationTime",
        "numRestarts",
        "rate(numRestarts)",
        "rate(numberOfCompletedCheckpoints)",
        "restartingTime",
        "pendingRecords",
        "millisBehindLatest",
        "averageRecordSizeBytes",
        "KafkaProducer.txn-commit-time-ns-total",
        "KafkaProducer.txn-begin-time-ns-total",
        "rocksdb.block-cache-usage",
        "rocksdb.cur-size-all-mem-tables",
        "rocksdb.estimate-num-keys",
        "rocksdb.estimate-live-data-size",
        "rocksdb.block-cache-hit",
        "rocksdb.block-cache-miss",
        "Status.JVM.Memory.Heap.Used",
        "Status.JVM.Memory.Metaspace.Used",
        "Status.Flink.Memory.Managed.Used",
        "Status.Flink.Memory.Managed.Total",
        "Status.Shuffle.Netty.TotalMemory",
        "Status.Shuffle.Netty.RequestedMemoryUsage",
        "numRunningJobs",
        "numRegisteredTaskManagers",
    ]
)
"""Metrics that recommendations are made of; nothing else is read."""


# -- what is said


class Recommendation(NamedTuple):
    """One value, as it is and as it should be."""

    cluster: str
    job: str
    """As the source spells it; of a cluster's processes the only job that ran there, else empty."""
    operator: str
    calculator: str
    key: str
    """The option, or a name for what stands in code: ``async-io.capacity``."""
    current: Any
    """In the unit's base; None where it is not known."""
    recommended: Any
    unit: str
    current_text: str
    """As it would be written; ``not set``, or empty where nothing is known of it."""
    recommended_text: str
    severity: str
    """``ok``, ``raise``, ``lower``, ``change`` (a word), ``unset`` (nothing tells what is in force)."""
    direction: int
    """1 up, -1 down, 0 neither."""
    evidence: dict[str, Any]
    confidence: str
    """``high``, ``medium``, ``low``."""
    reason: str
    """One sentence with the numbers."""
    remove: tuple[str, ...] = ()
    """Options in force that must not stand beside it."""

    def as_json(self) -> dict[str, Any]:
        return self._asdict() | {"remove": list(self.remove)}


class Missing(NamedTuple):
    """A calculator that could not be asked, and what it lacks."""

    cluster: str
    job: str
    operator: str
    calculator: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


Row = Recommendation | Missing


class Recommended(NamedTuple):
    """What a store recommends."""

    store: str
    first: str
    """The first date looked at, and the last."""
    last: str
    recommendations: list[Recommendation]
    missing: list[Missing]
    jobs: list[tuple[str, str]]
    """Cluster and name of each job that was seen."""

    def as_json(self) -> dict[str, Any]:
        """The contract of ``flint recommend --output-format json``."""
        return {
            "version": 1,
            "store": self.store,
            "window": {"from": self.first, "to": self.last},
            "recommendations": [one.as_json() for one in self.recommendations],
            "missing": [one.as_json() for one in self.missing],
        }


@dataclass(frozen=True)
class Plan:
    """What is asked for; plain JSON, so that executors get it."""

    flink_version: str = ""
    """Empty: the newest."""
    half_life: float = HALF_LIFE
    calculators: tuple[str, ...] = ()
    """All if empty, as `jobs`."""
    jobs: tuple[str, ...] = ()
    """By name, as the source or a reporter spells it."""
    cluster: str = ""
    given: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Settings that count over what was recorded, by cluster; those of every cluster under an empty name."""
    until: int = 0
    """Milliseconds since the epoch: what was recorded later does not count (0: everything does)."""

    @property
    def release(self) -> Release:
        return (parse_release(self.flink_version) if self.flink_version else None) or release_at(NEWEST)

    def wants(self, *calculators: str) -> bool:
        return not self.calculators or any(one in self.calculators for one in calculators)

    def wants_job(self, job: str) -> bool:
        """Whether a job, by its sanitised name, is asked for."""
        return not self.jobs or job in {sanitised(one) for one in self.jobs}


# -- what is recommended


def recommend(groups: Iterable[Observed], records: Sequence[Record], plan: Plan) -> Iterator[Row]:
    """What the observations of jobs and clusters recommend, job by job. Pure."""
    found = gathered(one for one in groups if not plan.cluster or one.group.cluster == plan.cluster)
    for job in found.jobs:
        if not plan.wants_job(job.job):
            continue
        around = _around(records, plan, job.cluster, job.job)
        made: list[Row] = []
        for names, feed in _JOB_FEEDS:
            if plan.wants(*names):
                made += _rows(feed(job, around), plan, job.name)
        yield from _default_of_all(made, around)
    for processes in found.processes:
        around = _around(records, plan, processes.cluster, "")
        for name, feed_cluster in _CLUSTER_FEEDS:
            if plan.wants(name):
                yield from _rows(feed_cluster(processes, around), plan, "")


def _around(records: Sequence[Record], plan: Plan, cluster: str, job: str) -> Surroundings:
    until = plan.until or max((record.time for record in records), default=0)
    settings = recorded(records, cluster, job, until)
    for given in (plan.given.get(""), plan.given.get(cluster)):
        settings = overlaid(settings, given or {}, plan.release)
    return Surroundings(InForce(settings, plan.release), vertices_of(_topologies(records, cluster, job, until)))


def _topologies(records: Sequence[Record], cluster: str, job: str, until: int) -> Iterator[Mapping[str, Any]]:
    """The latest topology of a job, or of each job of a cluster."""
    latest: dict[str, Record] = {}
    for record in records:
        name = sanitised(record.job or record.job_id)
        if record.kind != "topology" or record.cluster != cluster or record.time > until or (job and name != job):
            continue
        if name not in latest or record.time >= latest[name].time:
            latest[name] = record
    return (record.body for _, record in sorted(latest.items()))


def _rows(feeds: Feeds, plan: Plan, job: str) -> Iterator[Row]:
    for fed in feeds:
        about = fed.about
        operator = about.name if about.task else ""
        if not plan.wants(fed.calculator):
            continue
        if isinstance(fed, Lacking):
            yield Missing(about.cluster, job, operator, fed.calculator, fed.reason)
            continue
        try:
            answered = asked(fed)
        except BadInput as bad:
            yield Missing(about.cluster, job, operator, fed.calculator, bad.message)
            continue
        yield from _recommendations(fed, answered, plan, job, operator)


class _Value(NamedTuple):
    """A value of an answer beside the one in force."""

    wanted: Wanted
    current: Any
    recommended: Any
    unit: Unit | str
    option: Option | None

    @property
    def unit_name(self) -> str:
        return self.unit if isinstance(self.unit, str) else self.unit.name

    def is_default(self, in_force: InForce) -> bool:
        """Whether what is recommended is the release's default."""
        if self.option is None or in_force.configuration.default(self.option) is None:
            return False
        default = plain(in_force.configuration.default(self.option), self.wanted.key)
        return bool(str(default).lower() == str(self.recommended).lower())

    def text(self, value: Any) -> str:
        """As people write it for the option, or read it."""
        if value is None:
            return ""
        if self.wanted.key.endswith(".framesize"):
            return f"{value}b"
        if self.option is not None:
            unlimited = self.option.type == "MemorySize" and value >= _UNLIMITED
            return "unlimited" if unlimited else value_text(self.option, value)
        return value if isinstance(self.unit, str) else self.unit.spell(value)


def _recommendations(fed: Fed, answered: Answered, plan: Plan, job: str, operator: str) -> Iterator[Recommendation]:
    values = [one for wanted in fed.wanted if (one := _value(fed, wanted, answered.answer)) is not None]
    if not values:
        return
    score = scored(fed.demand, fed.tier) if fed.demand is not None and fed.tier else None
    evidence = _evidence(fed, answered, plan, score)
    confidence = _confidence(fed)
    # Sizes of one process hang together: where one of them changes, none is left a little too small.
    moves = fed.is_memory and any(_ratio(one) is not None and abs(_ratio(one) or 0) >= _HYSTERESIS for one in values)
    set_now = fed.surroundings.in_force
    remove = tuple(key for key in answered.answer.remove if set_now.is_set(key))
    whole = next((_judged(fed, one, moves)[0] for one in values if one.wanted.key.endswith(_PROCESS)), "")
    for value in values:
        if value.current is None and value.is_default(set_now):
            continue  # nothing tells what is in force, and there is nothing to set
        severity, recommended, held = _judged(fed, value, moves)
        if whole == "ok" and severity != "ok" and not value.wanted.key.endswith(_METASPACE):
            continue  # the parts of a smaller process, which is not to be
        told = _reason(fed, answered.answer, held)
        yield Recommendation(
            cluster=fed.about.cluster,
            job=job,
            operator=operator,
            calculator=fed.calculator,
            key=value.wanted.key,
            current=value.current,
            recommended=recommended,
            unit=value.unit_name,
            current_text=value.text(value.current)
            or (NOT_SET if value.option is not None and set_now.is_known else ""),
            recommended_text=value.text(recommended),
            severity=severity,
            direction={"raise": 1, "lower": -1}.get(severity, 0),
            evidence=evidence,
            confidence=confidence,
            reason=told,
            remove=remove if severity != "ok" else (),
        )


_UNITS = {
    "Duration": "seconds", "MemorySize": "bytes", "Integer": "count", "Long": "count", "Double": "number",
    "Float": "number", "Boolean": "yes/no",
}  # fmt: skip


def _value(fed: Fed, wanted: Wanted, answer: Answer) -> _Value | None:
    """A value of the answer and the one in force; None where the answer has none."""
    in_force = fed.surroundings.in_force
    option = in_force.configuration.resolve(wanted.key).option
    unit: Unit | str = "text"
    present = None
    if wanted.of is not None:
        recommended, unit = wanted.of(answer), wanted.unit or COUNT
    elif wanted.value:
        found = next((one for one in answer.values if one.name == wanted.value), None)
        if found is None:
            return None
        recommended, unit, present = found.value, found.unit, found.present
    else:
        recommended = answer.settings.get(wanted.key)
        unit = _UNITS.get(option.type if option is not None else "", "text")
        if isinstance(recommended, float) and unit == "text":
            unit = "seconds"
    if recommended is None or (isinstance(recommended, float) and not math.isfinite(recommended)):
        return None
    if wanted.step and not isinstance(recommended, str):
        recommended = math.ceil(recommended / wanted.step) * wanted.step
    current = wanted.current
    if current is None and option is not None:
        current = in_force.current(wanted.key)
        if current is None and present is not None and in_force.is_known:
            current = present
    return _Value(wanted, current, recommended, unit, option)


def _ratio(value: _Value) -> float | None:
    """By how much the recommended number is above the one in force, as a part of it; None without two numbers."""
    numbers = (value.current, value.recommended)
    if any(isinstance(one, bool) or not isinstance(one, (int, float)) for one in numbers):
        return None
    if value.current == 0:
        return 0.0 if value.recommended == 0 else math.inf
    return float(value.recommended / value.current - 1)


def _judged(fed: Fed, value: _Value, moves: bool) -> tuple[str, Any, str]:
    """The severity, what is recommended then, and what held it back, as a phrase."""
    if value.wanted.is_estimate:
        return "ok", value.recommended, ""
    if value.current is None:
        return "unset", value.recommended, ""
    ratio = _ratio(value)
    if ratio is None:
        same = str(value.current).lower() == str(value.recommended).lower()
        return ("ok", value.current, "") if same else ("change", value.recommended, "")
    if value.wanted.only_up and ratio <= 0:
        return "ok", value.current, ""
    if abs(ratio) < _HYSTERESIS and not (moves and ratio > _ROUNDING):
        return "ok", value.current, ""
    if fed.is_memory and ratio < 0 and fed.main.days < _SEEN_DAYS:
        return "ok", value.current, f"{value.text(value.recommended)} may do, but a day was not seen to its end"
    if fed.is_memory and ratio < -_SHRINK and value.current < _UNLIMITED:
        step = value.wanted.step or _MIB
        least = math.ceil(value.current * (1 - _SHRINK) / step) * step
        if least >= value.current:
            return "ok", value.current, ""
        held = f"{value.text(value.recommended)} would do, but memory goes down by {_SHRINK:.0%} at most in one step"
        return "lower", least, held
    return ("raise" if ratio > 0 else "lower"), value.recommended, ""


def _confidence(fed: Fed) -> str:
    days = fed.main.days
    level = 2 if days >= _SURE_DAYS else 1 if days >= SHORT_DAYS else 0
    return ("low", "medium", "high")[max(0, level - fed.doubts)]


def _evidence(fed: Fed, answered: Answered, plan: Plan, score: MethodScore | None) -> dict[str, Any]:
    main = fed.main
    names = {**fed.figures}
    return {
        "from": _instant(main.first),
        "to": _instant(main.latest),
        "samples": main.samples,
        "days": _short(main.days),
        "metric": main.metric,
        "statistic": main.statistic,
        "value": _short(main.value),
        "peak": _short(main.peak),
        "unit": fed.unit.name,
        "margin": _short(fed.margin),
        "half_life_days": _half_life(fed, plan),
        "method_score": None
        if score is None
        else {"U": _short(score.over), "lag": _short(score.lag), "slack": _short(score.slack), "days": score.days},
        "inputs": {
            name: {"value": _plain(value), "from": names[name].metric if name in names else answered.sources[name]}
            for name, value in answered.inputs.items()
            if answered.sources[name] in ("observed", "derived", "set")
        },
        "assumed": list(fed.assumed),
        "notes": [*_short_history(main.days), *fed.told, *_notes(answered.answer)],
        "reasoning": list(answered.answer.steps),
    }


def _half_life(fed: Fed, plan: Plan) -> float | None:
    """With which the main figure weighs its days; None where all of the window counts alike."""
    if fed.demand is not None and fed.main.statistic.startswith("need"):
        return METHOD_HALF_LIFE
    return plan.half_life if is_throughput(fed.main.metric) else None


def _short_history(days: float) -> Iterator[str]:
    if days < SHORT_DAYS:
        seen = spell_duration(days * 86_400)
        yield f"{seen} with samples are less than a week: margins are wider, and nothing is sure"


def _notes(answer: Answer) -> Iterator[str]:
    """What the answer warns of, less the advice to give flags."""
    yield from answer.errors
    yield from (one for one in answer.warnings if "--" not in one)


def _instant(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _short(value: float) -> float | int | None:
    """A number with the digits that mean something."""
    if not math.isfinite(value):
        return None
    short = float(f"{value:.5g}") if abs(value) < 1e5 else float(round(value))
    return int(short) if short.is_integer() else short


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return _short(value)
    return value if isinstance(value, (int, str)) else str(value)


def _reason(fed: Fed, answer: Answer, held: str) -> str:
    main = fed.main
    unit = fed.unit
    peak = (
        "" if main.peak <= main.value * 1.005 and main.peak >= main.value * 0.995 else f", peak {unit.spell(main.peak)}"
    )
    seen = f"{counted(main.samples, 'sample')} over {spell_duration(main.days * 86_400)}"
    told = f"{main.metric}: {main.statistic} {unit.spell(main.value)}{peak} ({seen})"
    parts = [*fed.because, *([answer.binding] if answer.binding else [])]
    parts += [held] if held else []
    return f"{told}: {'; '.join(parts)}" if parts else told


def _default_of_all(rows: list[Row], around: Surroundings) -> Iterator[Row]:
    """The rows of a job; the largest vertex that has the default parallelism sets it, the others stand in code."""
    vertices = [one for one in rows if isinstance(one, Recommendation) and one.key == "parallelism.vertex"]
    default = around.in_force.current("parallelism.default")
    largest = max(vertices, key=lambda one: int(one.recommended), default=None)
    for row in rows:
        if row is largest and (default is None or default == row.current):
            yield row._replace(key="parallelism.default")
        else:
            yield row


# -- over a store


def recommend_slice(piece: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """On an executor: the rows of the jobs and clusters of some slices.

    `piece`: ``store``, ``histograms`` and ``rollups`` (paths), ``slices`` and ``days`` (first and last), ``records``
    (files of the store) and ``plan``. Yields one object with ``recommendations``, ``missing`` and ``jobs``.
    """
    from calculators.history.importing import read_records

    settings = piece["plan"]
    plan = Plan(
        **{**settings, "calculators": tuple(settings["calculators"]), "jobs": tuple(settings["jobs"])},
    )
    groups = read_groups(
        piece["histograms"], piece["rollups"], range(*piece["slices"]), (piece["days"][0], piece["days"][1]),
        half_life=plan.half_life, metrics=METRICS, courses=COURSES,
    )  # fmt: skip
    manifest = Manifest(records=[File(*one) for one in piece["records"]])
    clusters = {group.cluster for group in groups}
    records = [one for one in read_records(Store(piece["store"]), manifest) if one.cluster in clusters]
    rows = list(recommend(groups.values(), records, plan))
    yield {
        "recommendations": [list(one) for one in rows if isinstance(one, Recommendation)],
        "missing": [list(one) for one in rows if isinstance(one, Missing)],
        "jobs": sorted({(job.cluster, job.job, job.name) for job in gathered(groups.values()).jobs}),
        "clusters": sorted(clusters),
    }


def recommend_store(
    spark: SparkSession, store: Store, plan: Plan, *, window: int = WINDOW, until: str = ""
) -> Recommended:
    """What a store recommends, over the last `window` days (0: all) up to a date (empty: the last one held).

    Raises ValueError for a store that holds nothing, and for a cluster or a job it does not know.
    """
    from calculators.history.session import run_pieces

    manifest = store.manifest()
    days = window_of(manifest, window, until)
    if not days:
        told = f" up to {until}" if until else ""
        raise ValueError(
            f"{store.path}: holds no day{told}; `flint history import SOURCE --into {store.path}` adds some"
        )
    results = run_pieces(spark, pieces_of(store, manifest, days, plan), recommend_slice)
    return merged(store.path, days, plan, results)


def clusters_of(store: Store) -> dict[str, list[str]]:
    """The clusters that a store saw lately, with the sanitised names of their jobs."""
    from calculators.history.staging import read_slices

    manifest = store.manifest()
    paths = paths_of(store, manifest, window_of(manifest, WINDOW), "series")
    pairs: set[tuple[str, str]] = set()
    for path in paths:
        for table in read_slices(path, range(SLICES), ["slice", "cluster", "job", "job_id"]):
            columns = (table.column(name).to_pylist() for name in ("cluster", "job", "job_id"))
            pairs.update((cluster, sanitised(job or job_id)) for cluster, job, job_id in zip(*columns, strict=True))
    found: dict[str, list[str]] = {}
    for cluster, job in sorted(pairs):
        found.setdefault(cluster, []).extend([job] if job else [])
    return found


def pieces_of(store: Store, manifest: Manifest, days: Sequence[str], plan: Plan) -> list[dict[str, Any]]:
    """The work of `recommend_slice`, for all slices of a store."""
    histograms = paths_of(store, manifest, days, "histograms")
    rollups = paths_of(store, manifest, days[-SCORED_DAYS:], "rollups")
    step = SLICES // _PIECES
    plain = {**asdict(plan), "given": {name: _texts(given) for name, given in plan.given.items()}}
    return [
        {
            "store": store.path, "histograms": histograms, "rollups": rollups, "slices": [first, first + step],
            "days": [days[0], days[-1]], "records": [list(file) for file in manifest.records], "plan": plain,
        }
        for first in range(0, SLICES, step)
    ]  # fmt: skip


def _texts(settings: Mapping[str, object]) -> dict[str, object]:
    """Settings as JSON keeps them."""
    return {
        key: value if isinstance(value, bool | int | float | str) else str(value) for key, value in settings.items()
    }


def merged(path: str, days: Sequence[str], plan: Plan, results: Iterable[Mapping[str, Any]]) -> Recommended:
    """The rows of all slices in a fixed order. Raises ValueError for a cluster or a job that none of them has."""
    results = list(results)
    seen = sorted({(one[0], one[1], one[2]) for result in results for one in result["jobs"]})
    _check(path, plan, seen, {name for result in results for name in result["clusters"]})
    only = {cluster: [name for held, _, name in seen if held == cluster] for cluster, _, _ in seen}
    recommendations, missing = [], []
    for result in results:
        for row in result["recommendations"]:
            one = Recommendation(*row)
            recommendations.append(one._replace(job=_job_of(one, only), remove=tuple(one.remove)))
        for row in result["missing"]:
            lacking = Missing(*row)
            missing.append(lacking._replace(job=_job_of(lacking, only)))
    if plan.jobs:
        wanted = {name for _, job, name in seen if plan.wants_job(job)}
        recommendations = [one for one in recommendations if one.job in wanted]
        missing = [one for one in missing if one.job in wanted]
    jobs = [(cluster, name) for cluster, job, name in seen if plan.wants_job(job)]
    return Recommended(path, days[0], days[-1], sorted(recommendations, key=_order), sorted(missing, key=_order), jobs)


def _check(path: str, plan: Plan, seen: Sequence[tuple[str, str, str]], held: set[str]) -> None:
    if plan.cluster and plan.cluster not in held:
        raise ValueError(f"{path}: has no cluster {plan.cluster!r}; it has {_listed(sorted(held))}")
    known = {job for _, job, _ in seen}
    for wanted in plan.jobs:
        if sanitised(wanted) not in known:
            raise ValueError(f"{path}: has no job {wanted!r}; it has {_listed([name for _, _, name in seen])}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {spell_count(len(names) - 10)} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more if names else "none"


def _job_of(row: Row, only: Mapping[str, Sequence[str]]) -> str:
    """The job of a row; of a cluster's own the only job that ran there."""
    ran = only.get(row.cluster, ())
    return row.job or (ran[0] if len(ran) == 1 else "")


def _order(row: Row) -> tuple[object, ...]:
    key = row.key if isinstance(row, Recommendation) else row.reason
    return row.cluster, row.job, NAMES.index(row.calculator), row.operator, key
