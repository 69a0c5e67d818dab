"""Histories with known truth: jobs whose load, capacity and faults are chosen, and the samples they would leave.

Each job is a source, an asynchronous enrichment, a window and a sink. Its load has days, weeks, growth and launches;
outages leave a backlog that is drained at the known capacity; subtasks are skewed, counters start over with each
attempt, scrapes are missing, older sources show no busy time. All of it follows from the seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flink_flint.calculators.history.samples import JOB, JOBMANAGER, OPERATOR, TASK, TASKMANAGER, Batch, SeriesKey
from flink_flint.calculators.history.signals.time_steps import Line

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

START = 1_767_225_600_000
"""The first midnight of all histories, in milliseconds since the epoch: a Thursday."""
DAY = 86_400
UTILIZATION = 0.7
"""The share of time the window's fullest subtask should be busy."""
SOURCE, ENRICH, WINDOW, SINK = "Source: events", "enrich", "window", "Sink: store"

_PER_SUBTASK = 17
_PER_JOB = 6
_BANDWIDTH = 200.0 * 2**20


class Outage(NamedTuple):
    """The job is down from `start` to `end`, seconds after `START`, and runs as another attempt from then on."""

    start: int
    end: int


class Job(NamedTuple):
    """What a job is; rates in records a second, times in seconds, sizes in bytes."""

    name: str
    number: int
    seed: int
    days: int
    step: int
    parallelism: int
    base: float
    """The rate that arrives on a weekday, over the day, before growth and launches."""
    swing: float
    """How far the day's peak is above that, as a share."""
    peak_hour: float
    weekend: float
    """The rate on Saturday and Sunday over that of other days."""
    growth: float
    """A day, as a share."""
    appears: int
    """When the job first runs, seconds after `START`."""
    launch: int
    """When its load steps up, seconds after `START`."""
    launch_factor: float
    weights: tuple[float, ...]
    """The share of records of each of the window's subtasks, times the parallelism."""
    true_rate: float
    """What one subtask of the window processes when busy all the time."""
    threads: int
    """Calls that each subtask of the enrichment makes at once."""
    latency: float
    capacity: int
    """Records in flight that each subtask of the enrichment allows."""
    legacy: bool
    """Whether the source shows no busy time."""
    live_set: float
    """Heap in use in each TaskManager after a collection."""
    state: float
    """The size of a checkpoint at the start; it grows as the load does."""
    bandwidth: float
    interval: int
    """Between checkpoints."""
    outages: tuple[Outage, ...]

    @property
    def service_rate(self) -> float:
        """What the enrichment of all subtasks gives at most."""
        return self.parallelism * self.threads / self.latency

    @property
    def vertex_rate(self) -> float:
        """What the window gives at most: its fullest subtask is the end of it."""
        return self.parallelism * self.true_rate / max(self.weights)

    @property
    def reading_rate(self) -> float:
        """What the job gives at most, as while it drains a backlog."""
        return min(self.service_rate, self.vertex_rate)


class Truth(NamedTuple):
    """What a recommendation about a job should come to, had it seen all of the history."""

    demand_p95: float
    demand_peak: float
    needed_parallelism: int
    """Of the window, for the demand's 95th percentile at `UTILIZATION`, skew included."""
    true_rate: float
    vertex_rate: float
    reading_rate: float
    service_rate: float
    capacity: int
    latency: float
    live_set: float
    checkpoint_p99: float
    """Seconds."""
    skew: float
    caught_up: tuple[tuple[int, int], ...]
    """From when to when each backlog was drained, milliseconds since the epoch."""


def jobs_of(jobs: int = 40, days: int = 90, seed: int = 1, *, step: int = 60, series: int = 60) -> list[Job]:
    """The jobs of a history. `series`: about how many a job has at most, by which its parallelism is bounded."""
    return [_job(number, days, seed, step, series) for number in range(jobs)]


def generate(jobs: int = 40, days: int = 90, seed: int = 1, step: int = 60, *, series: int = 60) -> Iterator[Batch]:
    """One batch a job and day, days outermost. `step`: seconds between scrapes."""
    runs = [_Run(job) for job in jobs_of(jobs, days, seed, step=step, series=series)]
    for day in range(days):
        for run in runs:
            yield run.day(day)


def lines_of(batch: Batch) -> list[Line]:
    """The series of a batch as the reduction hands them on: without NaN, and without what means nothing."""
    used = np.isfinite(batch.values)
    lines = []
    for place, key in enumerate(batch.keys):
        kept = used & (batch.index == place)
        if key.metric.startswith("lastCheckpoint"):
            kept &= batch.values != -1
        if kept.any():
            lines.append(Line(key, batch.times[kept], batch.values[kept]))
    return lines


def truth(job: Job) -> Truth:
    """What is known of a job."""
    run = _Run(job)
    demands, durations, drained = [], [], []
    for day in range(job.days):
        state = run.advance(day)
        demands.append(state.demand[state.launched])
        durations.append(state.checkpoint[state.running])
        drained.append(state.running & (state.backlog_before > 0))
    demand, duration = np.concatenate(demands), np.concatenate(durations)
    p95 = float(np.quantile(demand, 0.95)) if len(demand) else 0.0
    edges = np.flatnonzero(np.diff(np.concatenate(([0], np.concatenate(drained).astype(np.int8), [0]))))
    return Truth(
        p95,
        float(demand.max()) if len(demand) else 0.0,
        max(1, math.ceil(p95 * max(job.weights) / (job.true_rate * UTILIZATION))),
        job.true_rate,
        job.vertex_rate,
        job.reading_rate,
        job.service_rate,
        job.capacity,
        job.latency,
        job.live_set,
        float(np.quantile(duration, 0.99)) if len(duration) else 0.0,
        max(job.weights),
        tuple((START + a * job.step * 1000, START + b * job.step * 1000) for a, b in edges.reshape(-1, 2).tolist()),
    )


def _job(number: int, days: int, seed: int, step: int, series: int) -> Job:
    chance = np.random.default_rng((seed, number))
    most = max(1, (series - _PER_JOB) // _PER_SUBTASK)
    parallelism = int(chance.integers(1, most + 1))
    base = float(np.exp(chance.uniform(math.log(200), math.log(5000))))
    swing, growth = float(chance.uniform(0.2, 0.7)), float(chance.choice([0.0, 0.0, 0.002, 0.005]))
    appears = int(chance.integers(1, max(2, days // 3))) * DAY + 10 * 3600 if number % 5 == 4 and days > 3 else 0
    launches = number % 4 == 1 and days > 3
    launch = int(chance.integers(days // 2, days)) * DAY + 9 * 3600 if launches else days * DAY
    factor = float(chance.uniform(1.3, 1.8)) if launches else 1.0
    weights = np.ones(parallelism)
    if number % 3 == 2 and parallelism > 1:
        weights[0] = chance.uniform(1.3, 1.8)
        weights[1:] = (parallelism - weights[0]) / (parallelism - 1)
    highest = base * (1 + swing) * (1 + growth) ** days * factor
    ample = highest * chance.uniform(1.3, 2.5)
    scarce = highest * chance.uniform(1.15, 1.3)
    window, service = (ample, scarce) if number % 2 else (scarce, ample)
    state = float(chance.uniform(0.05, 20)) * 2**30
    writes = state * (1 + growth) ** days / _BANDWIDTH
    interval = max(int(chance.choice([60, 120, 300])), 60 * math.ceil(writes / 15))
    latency = float(chance.uniform(0.02, 0.2))
    threads = max(1, math.ceil(service / parallelism * latency))
    outages = []
    begin = appears + int(chance.uniform(0.3, 1.2) * DAY)
    while begin < (days - 0.2) * DAY:
        lasts = int(chance.choice([150, 1200, 3600, 5400]))
        outages.append(Outage(begin, begin + lasts))
        begin += lasts + int(chance.uniform(2, 20) * DAY)
    return Job(
        f"job-{number:02d}", number, seed, days, step, parallelism, base, swing, float(chance.uniform(9, 21)),
        float(chance.uniform(0.5, 1.0)), growth, appears, launch, factor,
        tuple(float(weight) for weight in weights), float(window * max(weights) / parallelism), threads, latency,
        threads * int(chance.integers(4, 30)), number % 4 == 3, float(chance.uniform(0.2, 2.0)) * 2**30,
        state, _BANDWIDTH, interval,
        tuple(outages),
    )  # fmt: skip


class _State(NamedTuple):
    """A job's day, one value a scrape."""

    seconds: NDArray[np.int64]
    """After `START`."""
    launched: Flags
    running: Flags
    attempt: NDArray[np.int64]
    demand: Floats
    processed: Floats
    """Records a second since the scrape before."""
    backlog_before: Floats
    backlog: Floats
    saturated: Flags
    """Whether the enrichment is as full as it gets."""
    checkpoint: Floats
    """How long the last one took, in seconds."""
    chance: np.random.Generator


class _Run:
    """A job on its way through the days."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._backlog = 0.0
        self._attempt = 0
        self._records = 0.0
        self._completed = 0.0

    def advance(self, day: int) -> _State:
        """Return the next day; days must be generated in order."""
        job = self.job
        chance = np.random.default_rng((job.seed, job.number, day))
        seconds = day * DAY + np.arange(0, DAY, job.step)
        launched = seconds >= job.appears
        running = launched.copy()
        attempt = np.zeros(len(seconds), np.int64)
        for outage in job.outages:
            running &= ~((seconds >= outage.start) & (seconds < outage.end))
            attempt += seconds >= outage.end
        days, hours = seconds / DAY, seconds % DAY / 3600
        level = job.base * (1 + job.swing * np.cos((hours - job.peak_hour) / 24 * 2 * math.pi))
        level *= np.where((3 + seconds // DAY) % 7 >= 5, job.weekend, 1.0) * (1 + job.growth) ** days
        level *= np.where(seconds >= job.launch, job.launch_factor, 1.0)
        demand = level * np.exp(chance.normal(0, 0.03, len(seconds))) * launched
        change = (demand - job.reading_rate * running) * job.step
        sums = self._backlog + np.cumsum(change)
        backlog = sums - np.minimum(np.minimum.accumulate(sums), 0.0)
        backlog[backlog < 1e-6] = 0.0
        before = np.concatenate(([self._backlog], backlog[:-1]))
        processed = np.maximum(demand - (backlog - before) / job.step, 0.0) * running
        self._backlog = float(backlog[-1])
        saturated = running & (backlog > 0) & (job.service_rate <= job.vertex_rate)
        size = job.state * (1 + job.growth) ** days
        took = (0.2 + size / job.bandwidth) * np.exp(chance.normal(0, 0.15, len(seconds)))
        took *= np.where(running & (before > 0), 3.0, 1.0)
        return _State(seconds, launched, running, attempt, demand, processed, before, backlog, saturated, took, chance)

    def day(self, day: int) -> Batch:
        """The samples of the next day."""
        job, state = self.job, self.advance(day)
        samples = _Samples(state, job)
        for attempt in np.unique(state.attempt[state.running]).tolist():
            at = state.running & (state.attempt == attempt)
            self._tasks(samples, state, at, attempt)
        self._processes(samples, state)
        return samples.batch()

    def _tasks(self, samples: _Samples, state: _State, at: Flags, attempt: int) -> None:
        job, chance = self.job, state.chance
        if attempt != self._attempt:
            self._attempt, self._records = attempt, 0.0
        rate = state.processed[at]
        records = self._records + np.cumsum(rate * job.step)
        self._records = float(records[-1])
        nothing = np.zeros(len(rate))
        for subtask, weight in enumerate(job.weights):
            share = weight / job.parallelism
            even = records / job.parallelism
            key = SeriesKey("", TASK, job=job.name, job_id=f"{job.number:032x}", subtask=subtask, attempt=attempt,
                            tm=f"tm-{subtask}")  # fmt: skip
            source = key._replace(task=SOURCE, task_id="1")
            samples.add(source, at, "numRecordsIn", nothing, counter=True)
            samples.add(source, at, "numRecordsOut", np.floor(even), counter=True)
            samples.add(source, at, "numRecordsOutPerSecond", rate / job.parallelism)
            busy = nothing + np.nan if job.legacy else np.clip(rate / job.reading_rate * 150, 0, 1000)
            samples.add(source, at, "busyTimeMsPerSecond", busy)
            reader = source._replace(scope=OPERATOR, operator=SOURCE, operator_id="1")
            samples.add(reader, at, "pendingRecords", np.floor(state.backlog[at] / job.parallelism))

            enrich = key._replace(task=ENRICH, task_id="2")
            full = state.saturated[at]
            held = np.where(full, job.capacity + chance.integers(0, 3, len(rate)),
                            chance.poisson(rate / job.parallelism * job.latency))  # fmt: skip
            samples.add(enrich, at, "numRecordsInPerSecond", rate / job.parallelism)
            samples.add(enrich, at, "busyTimeMsPerSecond", np.where(full, 1000.0, rate / job.service_rate * 200))
            operator = enrich._replace(scope=OPERATOR, operator=ENRICH, operator_id="2")
            came = np.floor(even)
            gone = np.maximum.accumulate(np.maximum(came - held, 0))
            samples.add(operator, at, "numRecordsIn", came, counter=True)
            samples.add(operator, at, "numRecordsOut", gone, counter=True)

            window = key._replace(task=WINDOW, task_id="3")
            samples.add(window, at, "numRecordsIn", np.floor(records * share), counter=True)
            samples.add(window, at, "numRecordsInPerSecond", rate * share)
            samples.add(window, at, "numRecordsOutPerSecond", rate * share / 10)
            samples.add(window, at, "busyTimeMsPerSecond", np.clip(rate * share / job.true_rate * 1000, 0, 1000))

            sink = key._replace(task=SINK, task_id="4")
            samples.add(sink, at, "numRecordsInPerSecond", rate / 10 / job.parallelism)
            samples.add(sink, at, "busyTimeMsPerSecond", rate / job.reading_rate * 100)

    def _processes(self, samples: _Samples, state: _State) -> None:
        job, chance = self.job, state.chance
        launched = state.launched
        number = len(state.seconds)
        for subtask in range(job.parallelism):
            key = SeriesKey("", TASKMANAGER, tm=f"{job.name}-tm-{subtask}")
            garbage = job.live_set * chance.uniform(0, 1, number)
            garbage[:: max(1, 300 // job.step)] = 0
            samples.add(key, launched, "Status.JVM.Memory.Heap.Used", (job.live_set + garbage)[launched])
            share = chance.uniform(5, 15, number)
            samples.add(key, launched, "Status.JVM.GarbageCollector.All.TimeMsPerSecond", share[launched])
        master = SeriesKey("", JOBMANAGER)
        used = 0.4 * 2**30 * (1 + 0.5 * chance.uniform(0, 1, number))
        samples.add(master, launched, "Status.JVM.Memory.Heap.Used", used[launched])
        key = SeriesKey("", JOB, job=job.name, job_id=f"{job.number:032x}")
        done = self._completed + np.cumsum(np.where(state.running, job.step / job.interval, 0.0))
        self._completed = float(done[-1])
        first = np.floor(done) < 1
        # A checkpoint's figures stand until the next one is done.
        last = np.searchsorted(np.floor(done), np.floor(done))
        samples.add(key, launched, "numberOfCompletedCheckpoints", np.floor(done)[launched], counter=True)
        samples.add(key, launched, "lastCheckpointDuration",
                    np.where(first, -1.0, np.floor(state.checkpoint[last] * 1000))[launched])  # fmt: skip
        size = job.state * (1 + job.growth) ** (state.seconds / DAY)
        samples.add(key, launched, "lastCheckpointSize", np.where(first, -1.0, np.floor(size))[launched])
        restarts = state.attempt.astype(np.float64)
        samples.add(key, launched, "numRestarts", restarts[launched])


class _Samples:
    """Gathers series of one day; scrapes of a TaskManager that failed are left out."""

    def __init__(self, state: _State, job: Job) -> None:
        self._times = START + state.seconds * 1000
        self._keys: list[SeriesKey] = []
        self._parts: list[tuple[NDArray[np.int64], Floats]] = []
        chance = np.random.default_rng((job.seed, job.number, int(state.seconds[0]), 7))
        number = len(state.seconds)
        self._job = job
        self._scraped: list[Flags] = []
        for _ in range(job.parallelism):
            scraped = chance.uniform(0, 1, number) > 0.001
            if chance.uniform() < 0.3:
                start = int(chance.integers(0, number))
                scraped[start : start + int(chance.integers(180, 2400)) // job.step] = False
            self._scraped.append(scraped)

    def add(self, key: SeriesKey, at: Flags, metric: str, values: Floats, *, counter: bool = False) -> None:
        times = self._times[at]
        if key.scope in (TASK, OPERATOR):
            kept = self._scraped[key.subtask][at]
            times, values = times[kept], values[kept]
        if not len(times):
            return
        self._keys.append(key._replace(metric=metric, cluster=self._job.name, counter=counter))
        self._parts.append((times, values))

    def batch(self) -> Batch:
        index = np.repeat(np.arange(len(self._keys), dtype=np.int32), [len(times) for times, _ in self._parts])
        return Batch(
            self._keys,
            index,
            np.concatenate([np.empty(0, np.int64), *(times for times, _ in self._parts)]),
            np.concatenate([np.empty(0), *(values for _, values in self._parts)]),
            [],
            [],
        )
