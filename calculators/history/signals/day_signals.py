"""Signals computed from several metrics or subtasks at one instant, before samples are reduced.

A histogram of a rate and one of a busy share can no longer show what a subtask does in a second of work. So the
quotients, sums and phases that calculators read are formed here, from the samples of one day, and kept as series of
their own. What one metric shows by itself is left to its histogram.

Signals of a subtask have neither attempt nor TaskManager: they go on over restarts.

Flink's meters and its busy time are means of the last 60 s; a counter's growth is exact over the step. What is
divided by the busy time is therefore the meter, and what is distinguished by phase is the counter's growth, where
there is one.
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
    """Return the joint signals of one day; the lines of a job (task, operator and job scope) are passed together.

    ``trueProcessingRate``, ``trueProcessingRate.vertex``, ``busySkew``, ``recordsSkew``, ``arrivalRate``,
    ``catchingUp``, ``numRecordsInPerSecond.steady`` and its variants (task), ``inFlight``, ``inFlightTime``,
    ``serviceRate``, ``serviceRate.vertex`` (operator), ``checkpointShare`` (job), ``heapLiveSet``, ``gcTimeShare``
    (TaskManager, JobManager).
    Values are finite, times ascend. A signal whose metrics are missing is missing too.
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
        # What numbers beyond all sense make of a quotient is not finite, and left out as such.
        with np.errstate(all="ignore"):
            made = list(make(gathered))
        yield from made


def _runs(lines: list[Line]) -> Iterator[list[Line]]:
    """Return the lines of a job's name, separated by job id if two jobs of that name ran at once.

    A job that was restarted goes on under another id; its day is one, as a catch-up is recognized by what was before.
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
