"""The entry point of this package: all signals of one day, computed before its samples are reduced.

A histogram of a rate and one of a busy share cannot show what a subtask processes in a second of work. So the
quotients, sums and phases that calculators read are computed here, from the samples of one day, and stored as separate
series. Values of a single metric are left to its histogram.

Signals of a subtask have neither attempt nor TaskManager, so they continue across restarts.

Flink's meters and its busy time are means of the last 60 s; a counter's growth is exact over the step. Therefore the
meter is divided by the busy time, and the counter's growth, if there is one, is separated by phase.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from flink_flint.calculators.history.samples import JOB, JOBMANAGER, OPERATOR, TASK, TASKMANAGER
from flink_flint.calculators.history.signals.checkpoints import checkpoint_share
from flink_flint.calculators.history.signals.heap import of_process
from flink_flint.calculators.history.signals.in_flight import held_by, in_flight
from flink_flint.calculators.history.signals.phases import Phases
from flink_flint.calculators.history.signals.processing_rates import capacity
from flink_flint.calculators.history.signals.time_steps import Instants, Line
from flink_flint.calculators.history.signals.vertices import Vertex, counted


def signals(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the signals derived from one day's metric series, given all series of a job's tasks and operators together.

    ``trueProcessingRate``, ``trueProcessingRate.vertex``, ``busySkew``, ``recordsSkew``, ``arrivalRate``,
    ``catchingUp``, ``numRecordsInPerSecond.steady`` and its variants (task), ``inFlight``, ``inFlightTime``,
    ``serviceRate``, ``serviceRate.vertex`` (operator), ``checkpointShare`` (job), ``heapLiveSet``, ``gcTimeShare``
    (TaskManager, JobManager).
    Values are finite, times ascend. A signal is omitted if its metrics are missing.
    """
    jobs: defaultdict[tuple[str, str], list[Line]] = defaultdict(list)
    processes: defaultdict[tuple[str, str, str], list[Line]] = defaultdict(list)
    for line in lines:
        if not len(line.times):
            continue
        key = line.key
        if key.scope in (TASK, OPERATOR, JOB):
            jobs[key.cluster, key.job].append(line)
        elif key.scope in (TASKMANAGER, JOBMANAGER):
            processes[key.scope, key.cluster, key.tm].append(line)
    works = [(_of_job, run) for gathered in jobs.values() for run in _runs(gathered)]
    works += [(of_process, gathered) for gathered in processes.values()]
    for make, gathered in works:
        # Extreme values can make a quotient that is not finite, which is omitted.
        with np.errstate(all="ignore"):
            made = list(make(gathered))
        yield from made


def _runs(lines: list[Line]) -> Iterator[list[Line]]:
    """Yield the lines of a job name, separated by job id if two jobs with that name ran at the same time.

    A job that was restarted continues with another id; its day is kept together, as a catch-up is recognized by what
    was before it.
    """
    spans: dict[str, tuple[int, int]] = {}
    for line in lines:
        first, last = spans.get(line.key.job_id, (int(line.times[0]), int(line.times[-1])))
        spans[line.key.job_id] = min(first, int(line.times[0])), max(last, int(line.times[-1]))
    ordered = sorted(spans.values())
    if all(before[1] <= after[0] for before, after in pairwise(ordered)):
        yield lines
        return
    for job_id in spans:
        yield [line for line in lines if line.key.job_id == job_id]


def _of_job(lines: list[Line]) -> Iterator[Line]:
    instants = Instants(lines)
    # Signals are named after the job's last run of the day.
    lines = sorted(lines, key=lambda line: int(line.times[-1]))
    vertices: defaultdict[str, Vertex] = defaultdict(Vertex)
    of_job: defaultdict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.key.scope == JOB:
            of_job[line.key.metric].append(line)
        else:
            vertices[line.key.task_id or line.key.task].add(line)
    yield from checkpoint_share(of_job)
    saturated = np.zeros(instants.count, bool)
    holding = []
    for vertex in vertices.values():
        yield from capacity(instants, vertex)
        for metrics in vertex.operators.values():
            held = held_by(instants, vertex, metrics)
            if held is not None:
                saturated |= held.plateau.any(axis=0)
                holding.append((metrics, held))
                yield from in_flight(instants, held)
    phases = Phases(instants)
    for vertex in vertices.values():
        if vertex.is_source:
            yield from phases.of_source(vertex, saturated)
    phases.catching |= saturated
    for vertex in vertices.values():
        if (rates := counted(instants, *vertex.flow)) is not None:
            yield from phases.split(vertex.named(""), *rates, vertex=True)
    for metrics, held in holding:
        if (rates := counted(instants, "numRecordsIn", metrics)) is not None:
            yield from phases.split(held.key, *rates)
