"""Observations of a job, its tasks and operators, or of a cluster's processes.

Values are in Flink's own units here. A metric that was observed for less than ten minutes, or with fewer than 60
samples, is known to exist, but its values are not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from flink_flint.calculators.formulas.quantity import counted, spell_count
from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.samples import JOB, JOBMANAGER, OPERATOR, STREAM, TASK, TASKMANAGER
from flink_flint.linter.text.named_tuple import NamedTuple

MIN_SAMPLES = 60
MIN_MINUTES = 10.0
MIN_SIGNAL_SAMPLES = 3
"""The minimum number of samples required of a signal that occurs only rarely (a full queue, a catch-up)."""
MIN_PHASE_SAMPLES = 30
"""The minimum number of samples required of a metric in one phase of the job, such as ``steady``."""


class Figure(NamedTuple):
    """A statistic of a metric, with the peak, number and times of its samples."""

    metric: str
    statistic: str
    """The name of the statistic, such as ``p95``, ``max`` or ``need of the next day``."""
    value: float
    peak: float
    """The largest sample in the window, in the unit of `value`."""
    samples: int
    days: float
    """The number of days that the samples cover, with fractions; gaps do not count."""
    first: int
    """The time of the first sample in milliseconds since the epoch; `latest` is the time of the last one."""
    latest: int

    def scaled(self, factor: float) -> Figure:
        """Return the statistic multiplied by a factor, to convert it to another unit."""
        return self._replace(value=self.value * factor, peak=self.peak * factor)

    def becomes(self, statistic: str, value: float) -> Figure:
        """Return a `Figure` for the same samples with another statistic and value."""
        return self._replace(statistic=statistic, value=value)


def figure(observed: Observed, statistic: str, value: float) -> Figure:
    """Return a `Figure` for an observation, with the given statistic and its value."""
    return Figure(
        observed.group.metric, statistic, value, observed.peak, observed.samples, days_of(observed), observed.first,
        observed.latest,
    )  # fmt: skip


def days_of(observed: Observed) -> float:
    """Return the number of days with samples, including fractions of days; gaps do not count."""
    return observed.slots * 300 / 86_400


def shortfall(observed: Observed) -> str:
    """Return a phrase with the numbers of available and required samples; empty if there are enough samples."""
    if observed.samples >= MIN_SAMPLES and observed.minutes >= MIN_MINUTES:
        return ""
    minutes = counted(round(observed.minutes), "minute")
    least = f"at least {MIN_SAMPLES} over {counted(round(MIN_MINUTES), 'minute')} are needed"
    return f"{counted(observed.samples, 'sample')} in {minutes} ({least})"


@dataclass(frozen=True)
class Evidence:
    """The metrics of one task, operator or job, or of a cluster's JobManagers or TaskManagers."""

    cluster: str
    job: str
    """The sanitized name of the job; empty for a cluster's processes."""
    scope: str
    task: str
    operator: str
    name: str
    """The name of the task, operator, job or process as the source spells it."""
    metrics: Mapping[str, Observed]

    def seen(self, metric: str) -> Observed | None:
        """Return the observation of a metric, however few its samples; None if there is no observation."""
        return self.metrics.get(metric)

    def known(self, metric: str) -> Observed | None:
        """Return the observation of a metric; None if it has too few samples."""
        found = self.metrics.get(metric)
        return found if found is not None and not shortfall(found) else None

    def signal(self, metric: str) -> Observed | None:
        """Return the observation of a rarely reported metric; None if it has fewer than three samples."""
        found = self.metrics.get(metric)
        return found if found is not None and found.samples >= MIN_SIGNAL_SAMPLES else None

    def phase(self, metric: str, name: str) -> Observed | None:
        """Return the observation of a metric in the phase called `name`; None if it has too few samples."""
        base = metric.removesuffix(".vertex")
        found = self.metrics.get(f"{metric}.{name}")
        enough = found is not None and found.samples >= MIN_PHASE_SAMPLES
        return found if enough and (base not in self.metrics or self.known(base) is not None) else None

    def lacks(self, metric: str) -> str:
        """Return a phrase that says why a metric is unusable; empty if it is usable."""
        found = self.metrics.get(metric)
        if found is None:
            return f"no {metric}"
        short = shortfall(found)
        return f"{metric} has only {short}" if short else ""

    def percentile(self, metric: str, share: float) -> Figure | None:
        """Return a percentile (`share` from 0 to 1) of a metric; None if the metric has too few samples."""
        found = self.known(metric)
        return None if found is None else percentile(found, share)

    def peak(self, metric: str) -> Figure | None:
        """Return the largest sample of a metric; None if the metric has too few samples."""
        found = self.known(metric)
        return None if found is None else figure(found, "max", found.peak)

    def mean(self, metric: str) -> Figure | None:
        """Return the mean of the samples of a metric; None if the metric has too few samples."""
        found = self.known(metric)
        return None if found is None else figure(found, "mean", found.mean)

    def live_set(self) -> Figure | None:
        """Return the heap in use after garbage collections: the maximum of its ten-minute minimums; None if unknown."""
        heap, lows = self.known(HEAP_USED), self.seen("heapLiveSet")
        if heap is None or lows is None:
            return None
        return figure(heap, "max", lows.peak)._replace(metric="heapLiveSet", peak=lows.peak)

    def demand(self, metric: str, column: str = "total") -> Demand | None:
        """Return a metric's time series, from the column `total` (for rates) or `max` (for memory); None if unknown."""
        found = self.seen(metric)
        return None if found is None else demand_of(found, column)


HEAP_USED = "Status.JVM.Memory.Heap.Used"


def percentile(observed: Observed, share: float) -> Figure:
    """Return a percentile of an observation, weighting recent days more for throughput but not for durations.

    In a history of less than a week it is moved toward the peak; for a history of one day or less it is the peak.
    """
    value = observed.percentile(share, decayed=is_throughput(observed.group.metric))
    days = days_of(observed)
    if days < SHORT_DAYS:
        value += (observed.peak - value) * min(1.0, 1 / days) if np.isfinite(observed.peak) else 0.0
    return figure(observed, f"p{spell_count(round(share * 100))}", value)


def is_throughput(metric: str) -> bool:
    """Return whether a metric follows the daily load; durations do not, so all their days count equally."""
    return metric.startswith(("num", "arrivalRate", "busyTime", "trueProcessingRate", "backPressured"))


SHORT_DAYS = 7.0
"""The number of days below which a history counts as short, since it does not cover every weekday."""


def widened(margin: float, days: float) -> float:
    """Return `margin` (a factor of at least 1), increased if a history of `days` days is shorter than a week.

    The part above 1 is multiplied by ``1 + 1/days``, at most doubled.

    The factor is that of the upper bound of Kubernetes' Vertical Pod Autoscaler; a week covers every weekday.
    """
    return margin if days >= SHORT_DAYS else 1 + (margin - 1) * (1 + 1 / max(1.0, days))


def demand_of(observed: Observed, column: str) -> Demand | None:
    """Return the time series of an observation as a `Demand`; None if the series has no usable values."""
    time_series = observed.time_series
    if time_series is None:
        return None
    values = np.asarray(getattr(time_series, column), np.float64)
    usable = np.isfinite(values) & (values >= 0)
    return Demand(time_series.times[usable], values[usable]) if usable.any() else None


@dataclass
class Job:
    """The observations of a job, its tasks and its operators."""

    cluster: str
    job: str
    """The sanitized name of the job."""
    name: str
    own: Evidence
    tasks: dict[str, Evidence] = field(default_factory=dict)
    """The evidence for the job's tasks, by sanitized name."""
    operators: dict[tuple[str, str], Evidence] = field(default_factory=dict)
    """The evidence for the job's operators, by pairs of sanitized names: task and operator."""

    @property
    def latest(self) -> int:
        """The time of the job's last sample in milliseconds since the epoch; 0 without samples."""
        of_all = (self.own, *self.tasks.values(), *self.operators.values())
        return max((one.latest for evidence in of_all for one in evidence.metrics.values()), default=0)

    def operators_of(self, task: str) -> list[Evidence]:
        """Return the operators chained in a task."""
        return [evidence for (of_task, _), evidence in self.operators.items() if of_task == task]


@dataclass
class Processes:
    """The observations of a cluster's JobManager and TaskManagers, and of streams outside Flink."""

    cluster: str
    jobmanager: Evidence
    taskmanager: Evidence
    streams: list[Evidence] = field(default_factory=list)
    """The evidence for streams and topics outside Flink, such as Kinesis streams."""


class Gathered(NamedTuple):
    """The observations of a store, by job and by cluster."""

    jobs: list[Job]
    processes: list[Processes]


def gathered(groups: Iterable[Observed]) -> Gathered:
    """Return the observations of a store, grouped by job and cluster in a fixed order."""
    of_subject: dict[tuple[str, str, str, str, str], dict[str, Observed]] = {}
    for observed in groups:
        group = observed.group
        of_subject.setdefault(group[:5], {})[group.metric] = observed
    jobs: dict[tuple[str, str], Job] = {}
    processes: dict[str, Processes] = {}
    for (cluster, job, scope, task, operator), metrics in sorted(of_subject.items()):
        name = next(iter(metrics.values())).name
        evidence = Evidence(cluster, job, scope, task, operator, name, metrics)
        if not job:
            held = processes.setdefault(
                cluster,
                Processes(
                    cluster,
                    Evidence(cluster, "", JOBMANAGER, "", "", "", {}),
                    Evidence(cluster, "", TASKMANAGER, "", "", "", {}),
                ),
            )
            if scope == JOBMANAGER:
                held.jobmanager = evidence
            elif scope == TASKMANAGER:
                held.taskmanager = evidence
            elif scope == STREAM:
                held.streams.append(evidence)
            continue
        found = jobs.get((cluster, job))
        if found is None:
            found = jobs[cluster, job] = Job(cluster, job, job, Evidence(cluster, job, JOB, "", "", job, {}))
        if scope == JOB:
            found.own, found.name = evidence, evidence.name or job
        elif scope == TASK:
            found.tasks[task] = evidence
        elif scope == OPERATOR:
            found.operators[task, operator] = evidence
    return Gathered(list(jobs.values()), list(processes.values()))
