"""The data that `flint recommend --report` writes to a page: recommendations and their evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import inputs_of
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    DAY,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    YES_NO,
    Unit,
    counted,
    significant,
    spell_count,
    spell_duration,
    spell_fraction,
)
from flink_flint.calculators.history.backtest import score_report as backtests
from flink_flint.calculators.history.pipeline.read_store import Groups, Observed, paths_of, read_groups
from flink_flint.calculators.history.pipeline.staging import slice_of
from flink_flint.calculators.history.recommend.current_configuration import overlaid, recorded
from flink_flint.calculators.history.recommend.recommendation import Missing, Plan, Recommendation, Recommended
from flink_flint.calculators.history.samples import (
    JOB,
    JOBMANAGER,
    OPERATOR,
    TASK,
    TASKMANAGER,
    Record,
    SeriesKey,
)
from flink_flint.calculators.history.store.layout import SLICES, Manifest, Store
from flink_flint.calculators.pages.backtest_page import judged_of
from flink_flint.calculators.pages.charts import Chart, HeatMap, NamedLine, SeriesChart
from flink_flint.calculators.pages.history_page import (
    OK,
    SEVERITIES,
    Advice,
    JobSection,
    Lack,
    OtherJob,
    Page,
    Pair,
    Subject,
    WouldRow,
)
from flink_flint.calculators.recommend.counterfactual import sustained_rate, would_have
from flink_flint.calculators.recommend.observed_charts import chart_of, heat_map_of, line_of, shown
from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.model.masking import settings_without_secrets

MAX_JOBS = 40
"""The maximum number of jobs with a detailed section in a report; further jobs are rows of a table."""
_MAX_MISSING = 200
_SLICES_AT_ONCE = 4
_UNITS = {unit.name: unit for unit in (SECONDS, BYTES, COUNT, PER_SECOND, BYTES_PER_SECOND, FRACTION, NUMBER)}
_WEIGHTS = {"raise": 8.0, "change": 4.0, "lower": 2.0, "unset": 0.5, "ok": 0.0}
_SURE = {"high": 1.0, "medium": 0.8, "low": 0.5}

_OF_JOB = ("lastCheckpointDuration", "lastCheckpointFullSize", "lastCheckpointSize", "numRestarts")
_OF_SOURCE = ("arrivalRate", "pendingRecords", "records-lag-max", "millisBehindLatest")
_OF_TASK = ("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond", "busySkew")
_OF_OPERATOR = ("inFlight", "inFlightTime")
_OF_PROCESS = ("Status.JVM.Memory.Heap.Used", "gcTimeShare", "Status.JVM.Memory.Metaspace.Used")
_MAX_TASKS = 4
"""The maximum number of a job's tasks whose observations are drawn, the busiest first."""

_HELPING = frozenset((*_OF_JOB, *_OF_SOURCE, *_OF_TASK, *_OF_OPERATOR, *_OF_PROCESS, "heapLiveSet", "serviceRate"))


# -- reading


def groups_of(store: Store, manifest: Manifest, days: Sequence[str], recommended: Recommended) -> Groups:
    """Return the observations that a report draws, read from the store for jobs with a detailed section."""
    required = {(cluster, sanitized(job)) for cluster, job in worst(recommended)[:MAX_JOBS]}
    required |= {(cluster, "") for cluster, _ in required}
    metrics = metrics_of(recommended)
    histograms, rollups = (paths_of(store, manifest, days, table) for table in ("histograms", "rollups"))
    found: Groups = {}
    for first in range(0, SLICES, _SLICES_AT_ONCE):
        slices = range(first, first + _SLICES_AT_ONCE)
        if not any(_slice_of(*one) in slices for one in required):
            continue
        read = read_groups(
            histograms, rollups, slices, (days[0], days[-1]), half_life=2.0, metrics=metrics,
            time_series=metrics,
        )  # fmt: skip
        found.update((group, one) for group, one in read.items() if (group.cluster, group.job) in required)
    return found


def _slice_of(cluster: str, job: str) -> int:
    """Return the slice of a store for a job, or for the processes of a cluster."""
    return slice_of(SeriesKey("", JOB if job else TASKMANAGER, cluster, job))


def metrics_of(recommended: Recommended) -> Collection[str]:
    """Return the names of the metrics that a report draws."""
    return _HELPING | {str(one.evidence["metric"]) for one in recommended.recommendations}


# -- the page


def page_of(
    recommended: Recommended,
    groups: Mapping[Any, Observed],
    records: Sequence[Record],
    plan: Plan,
    *,
    made: float,
    backtest: backtests.Backtest | None = None,
) -> Page:
    """Return the data of a recommendation report; `made` is its creation time in seconds since the epoch."""
    index = _Index(groups.values())
    sections = worst(recommended)
    rows = _by_section(recommended.recommendations)
    return Page(
        store=recommended.store,
        window=index.span or _dates(recommended),
        made=made,
        jobs=tuple(
            _section(cluster, job, rows.get((cluster, job), []), index, records, plan)
            for cluster, job in sections[:MAX_JOBS]
        ),
        others=tuple(_other(cluster, job, rows.get((cluster, job), [])) for cluster, job in sections[MAX_JOBS:]),
        backtest=None if backtest is None else judged_of(backtest),
        missing=tuple(_lacks(recommended.missing)),
    )


def worst(recommended: Recommended) -> list[tuple[str, str]]:
    """Return the sections as (cluster, job), most urgent changes first; an empty job means the cluster's processes."""
    rows = _by_section(recommended.recommendations)

    def urgency(section: tuple[str, str]) -> float:
        return sum(_WEIGHTS[one.severity] * _SURE[one.confidence] for one in rows.get(section, ()))

    sections = {*recommended.jobs, *rows}
    return sorted(sections, key=lambda section: (-urgency(section), section))


def _by_section(rows: Iterable[Recommendation]) -> dict[tuple[str, str], list[Recommendation]]:
    found: dict[tuple[str, str], list[Recommendation]] = {}
    for one in rows:
        found.setdefault((one.cluster, one.job), []).append(one)
    return found


def _dates(recommended: Recommended) -> tuple[float, float]:
    first, last = (
        datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp() for date in (recommended.first, recommended.last)
    )
    return first, last + DAY


class _Index:
    """An index of observations by cluster, job, task and operator."""

    def __init__(self, groups: Iterable[Observed]) -> None:
        self._of: dict[tuple[str, str], dict[tuple[str, str, str], dict[str, Observed]]] = {}
        self.span: tuple[float, float] | None = None
        for one in groups:
            group = one.group
            of_job = self._of.setdefault((group.cluster, group.job), {})
            of_job.setdefault((group.scope, group.task, group.operator), {})[group.metric] = one
            first, last = one.first / 1000, one.latest / 1000
            self.span = (first, last) if self.span is None else (min(self.span[0], first), max(self.span[1], last))

    def subjects(self, cluster: str, job: str) -> dict[tuple[str, str, str], dict[str, Observed]]:
        """Return the observations by metric, for each scope, task and operator (sanitized)."""
        return self._of.get((cluster, sanitized(job) if job else ""), {})

    def is_alone(self, cluster: str, job: str) -> bool:
        """Return whether the job is the only one on its cluster, so that the cluster's processes are the job's."""
        return not any(held_cluster == cluster and held not in ("", sanitized(job)) for held_cluster, held in self._of)

    def find(self, row: Recommendation, metric: str) -> Observed | None:
        """Return the observation of a metric for the subject of a recommendation."""
        if row.calculator.startswith(("taskmanager", "network")):
            return self.subjects(row.cluster, "").get((TASKMANAGER, "", ""), {}).get(metric)
        if row.calculator.startswith(("jobmanager", "kubernetes", "yarn")):
            return self.subjects(row.cluster, "").get((JOBMANAGER, "", ""), {}).get(metric)
        subjects = self.subjects(row.cluster, row.job)
        if not row.operator:
            own = subjects.get((JOB, "", ""), {}).get(metric)
            return own or next((held[metric] for held in subjects.values() if metric in held), None)
        name = sanitized(row.operator)
        for scope in (OPERATOR, TASK):
            for (of_scope, task, operator), held in subjects.items():
                if of_scope == scope and name == (operator if scope == OPERATOR else task) and metric in held:
                    return held[metric]
        return None


def _section(
    cluster: str, job: str, rows: Sequence[Recommendation], index: _Index, records: Sequence[Record], plan: Plan
) -> JobSection:
    drawn: set[int] = set()
    advice = tuple(_advice(row, index, drawn) for row in _in_order(rows))
    return JobSection(
        name=job or f"(cluster {cluster or 'default'})",
        cluster=cluster if job and cluster != job else "",
        summary=_summary(index, cluster, job),
        settings=tuple(_settings(records, plan, cluster, job)),
        advice=advice,
        operators=tuple(_observed(index, cluster, job, drawn)),
    )


def _in_order(rows: Sequence[Recommendation]) -> list[Recommendation]:
    """Return the rows by urgency, so that a metric's chart appears with the most urgent change."""
    return sorted(rows, key=lambda one: SEVERITIES.index(one.severity))


def _summary(index: _Index, cluster: str, job: str) -> str:
    held = [one for metrics in index.subjects(cluster, job).values() for one in metrics.values()]
    if not held:
        return "The store holds no samples of it in this window."
    first, last = min(one.first for one in held) / 1000, max(one.latest for one in held) / 1000
    days = max(one.slots for one in held) * 300
    series = counted(len(held), "metric")
    return f"{_time(first)} to {_time(last)} UTC: {series} read, {spell_duration(days)} with samples."


def _time(time: float) -> str:
    at = datetime.fromtimestamp(time, UTC)
    return f"{at.day} {at:%b %Y %H:%M}"


def _settings(records: Sequence[Record], plan: Plan, cluster: str, job: str) -> Iterator[Pair]:
    until = plan.until or max((record.time for record in records), default=0)
    settings: Mapping[str, object] = recorded(records, cluster, sanitized(job) if job else "", until)
    for given in (plan.given.get(""), plan.given.get(cluster)):
        settings = overlaid(settings, given or {}, plan.release)
    for key, value in sorted(settings_without_secrets(settings).items()):
        yield Pair(key, value)


def _lacks(missing: Sequence[Missing]) -> Iterator[Lack]:
    for one in missing[:_MAX_MISSING]:
        yield Lack(one.job or f"(cluster {one.cluster or 'default'})", one.operator, one.calculator, one.reason)
    if len(missing) > _MAX_MISSING:
        more = f"{counted(len(missing) - _MAX_MISSING, 'more question')} without an answer"
        yield Lack("", "", "", f"{more}: `flint recommend --output-format json` lists them all")


def _other(cluster: str, job: str, rows: Sequence[Recommendation]) -> OtherJob:
    counts = tuple(sum(one.severity == severity for one in rows) for severity in SEVERITIES)
    first = next((one for one in _in_order(rows) if one.severity != OK), None)
    text = "" if first is None else f"{first.key}: {first.current_text or 'not known'} → {first.recommended_text}"
    return OtherJob(job or f"(cluster {cluster or 'default'})", cluster if job and cluster != job else "", counts, text)


# -- one recommendation


def _advice(row: Recommendation, index: _Index, drawn: set[int]) -> Advice:
    def find(metric: str) -> Observed | None:
        return index.find(row, metric)

    rows: tuple[WouldRow, ...] = () if row.severity == OK else would_have(row, find)
    return Advice(
        calculator=row.calculator,
        key=row.key,
        operator=row.operator,
        current=row.current_text,
        recommended=row.recommended_text,
        reason=row.reason,
        confidence=row.confidence,
        severity=row.severity,
        evidence=tuple(_evidence(row)),
        charts=() if row.severity == OK else tuple(_charts(row, index, drawn)),
        would_have=rows,
        notes=(*_removals(row), *_score(row)),
    )


def _charts(row: Recommendation, index: _Index, drawn: set[int]) -> Iterator[Chart]:
    """Yield the chart of a recommendation's metric, with current and recommended value as lines."""
    for metric, lines in _drawn_with(row):
        observed = index.find(row, metric)
        if observed is None or id(observed) in drawn:
            continue
        chart = chart_of(observed, lines=lines)
        if chart is None:
            continue
        drawn.add(id(observed))
        yield chart


def _drawn_with(row: Recommendation) -> Iterator[tuple[str, list[NamedLine]]]:
    both = (("now", row.current, "set"), ("recommended", row.recommended, "advice"))
    bounds = [line for one in both for line in line_of(*one)]
    metric = str(row.evidence["metric"])
    if row.calculator == "parallelism":
        rate = sustained_rate(row)
        yield (
            metric,
            [
                line._replace(about=f"{counted(round(line.value), 'subtask')}, up to", value=line.value * rate)
                for line in bounds
                if rate is not None
            ],
        )
    elif row.key == "async-io.capacity":
        yield "inFlight", bounds
        yield metric, []
    elif row.key == "async-io.timeout":
        yield "inFlightTime", bounds
    elif row.key in ("execution.checkpointing.timeout", "execution.checkpointing.interval"):
        word = row.key.rpartition(".")[2]
        yield metric, [line._replace(name=f"{word} {line.name}") for line in bounds]
    elif metric == "heapLiveSet":
        yield metric, line_of(str(row.evidence["statistic"]), row.evidence["value"], "advice")
    else:
        yield metric, []


def _removals(row: Recommendation) -> Iterator[str]:
    if row.remove:
        yield f"Also remove: {', '.join(row.remove)}."


def _score(row: Recommendation) -> Iterator[str]:
    score = row.evidence.get("method_score")
    if score and score["U"] is not None and score["lag"] is not None and score["slack"] is not None:
        idle = spell_fraction(float(f"{score['slack']:.2g}"))
        yield (
            f"On the last {counted(score['days'], 'day')}, with only the previous days known each time, the method "
            f"would have been too low for {spell_fraction(score['U'])} of the time, more than 5 min behind for "
            f"{spell_fraction(score['lag'])}, and idle for {idle}."
        )


def _evidence(row: Recommendation) -> Iterator[Pair]:
    held = row.evidence
    unit = _UNITS.get(str(held.get("unit", "")), NUMBER)

    def spelled(value: Any) -> str:
        return unit.spell(value) if isinstance(value, (int, float)) else "not known"

    yield Pair("Window", f"{held['from']} to {held['to']}")
    yield Pair("Samples", f"{spell_count(held['samples'])} over {spell_duration((held['days'] or 0) * DAY)}")
    yield Pair("Metric", str(held["metric"]))
    yield Pair(str(held["statistic"]), spelled(held["value"]))
    yield Pair("Peak", spelled(held["peak"]))
    margin, half_life = held.get("margin"), held.get("half_life_days")
    if margin is not None and margin != 1:
        yield Pair("Margin", f"{significant(margin)} × the largest sample")
    if half_life:
        yield Pair("Half-life of a sample's weight", spell_duration(half_life * DAY))
    units = {one.name: one.unit for one in inputs_of(calculator(row.calculator).forward.inputs)}
    for name, one in held.get("inputs", {}).items():
        yield Pair(f"{name.replace('_', ' ')} ({one['from']})", _spelled(one["value"], units.get(name, NUMBER)))
    for title, texts in (("Assumed", held.get("assumed")), ("Noted", held.get("notes"))):
        for text in texts or ():
            yield Pair(title, text)
    for number, step in enumerate(held.get("reasoning", ()), 1):
        yield Pair(f"Step {number}", step)


def _spelled(value: Any, unit: Unit) -> str:
    if isinstance(value, bool):
        return YES_NO.spell(value)
    return unit.spell(value) if isinstance(value, (int, float)) else str(value)


# -- other observations


def _observed(index: _Index, cluster: str, job: str, drawn: set[int]) -> Iterator[Subject]:
    subjects = index.subjects(cluster, job)
    if not job or index.is_alone(cluster, job):
        processes = index.subjects(cluster, "")
        for scope, name in ((TASKMANAGER, "TaskManagers"), (JOBMANAGER, "JobManager")):
            yield from _subject(name, processes.get((scope, "", ""), {}), ("heapLiveSet", *_OF_PROCESS), drawn)
    if not job:
        return
    load = _load(subjects)
    if load is not None:
        yield Subject("Load", (load,))
    yield from _subject("The job", subjects.get((JOB, "", ""), {}), _OF_JOB, drawn)
    tasks = [held for (scope, _, _), held in subjects.items() if scope in (TASK, OPERATOR)]
    for held in tasks:
        name = next(iter(held.values())).name
        yield from _subject(name, held, _OF_SOURCE, drawn)
    busy = [held for held in tasks if "busyTimeMsPerSecond" in held]
    for held in sorted(busy, key=lambda one: -one["busyTimeMsPerSecond"].mean)[:_MAX_TASKS]:
        yield from _subject(held["busyTimeMsPerSecond"].name, held, _OF_TASK, drawn)
    for held in tasks:
        yield from _subject(next(iter(held.values())).name, held, _OF_OPERATOR, drawn)


_LOADS = (
    "arrivalRate",
    "numRecordsInPerSecond.vertex.steady",
    "numRecordsOutPerSecond.vertex.steady",
    "numRecordsInPerSecond",
)
"""The metrics that show the load of a job, the best first."""


def _load(subjects: Mapping[tuple[str, str, str], Mapping[str, Observed]]) -> HeatMap | None:
    """Return the load of a job by hour of the week: the arrivals at its busiest operator."""
    for metric in _LOADS:
        found = [held[metric] for held in subjects.values() if metric in held]
        for observed in sorted(found, key=lambda one: -one.mean):
            title = f"{shown(metric).title} at {observed.name}, by hour of the week"
            if (heat := heat_map_of(observed, title)) is not None:
                return heat
    return None


def _subject(name: str, held: Mapping[str, Observed], metrics: Sequence[str], drawn: set[int]) -> Iterator[Subject]:
    charts = tuple(_of(held, metrics, drawn))
    if charts:
        yield Subject(name, charts)


def _of(held: Mapping[str, Observed], metrics: Sequence[str], drawn: set[int]) -> Iterator[SeriesChart]:
    for metric in metrics:
        observed = held.get(metric)
        # A value that is always zero is not drawn.
        if observed is None or id(observed) in drawn or observed.peak == observed.least == 0:
            continue
        chart = chart_of(observed)
        if chart is not None:
            drawn.add(id(observed))
            yield chart
