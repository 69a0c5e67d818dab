"""Inputs for the parallelism of vertices: arrival rate, true processing rate, and the demand of upstream sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import draft, with_defaults
from flink_flint.calculators.answering.given_inputs import values_for
from flink_flint.calculators.formulas.autoscaling import (
    CATCH_UP,
    RESTART,
    SCALE_DOWN_LIMIT,
    UTILIZATION,
    Stage,
    chain_parallelism,
    exact_capacity,
    observed_true_rate,
    scalability_of,
    subtasks_for,
    true_rate,
    unlimited_factor,
)
from flink_flint.calculators.formulas.key_groups import default_max_parallelism, skew
from flink_flint.calculators.formulas.quantity import PER_SECOND, counted, spell_rate
from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.default_parallelism import VERTEX
from flink_flint.calculators.history.recommend.evidence import Evidence, Figure, Job, figure
from flink_flint.calculators.history.recommend.expected_demand import Expected, expected
from flink_flint.calculators.history.recommend.feeds.async_operators import is_async
from flink_flint.calculators.history.recommend.fill_inputs import (
    Fed,
    Feeds,
    Lacking,
    Required,
    Surroundings,
    Vertex,
    supplied,
    values_of,
)
from flink_flint.calculators.inputs.parallelism import Parallelism

_HEADROOM = exact_capacity(1.0, UTILIZATION, catch_up=CATCH_UP, restart=RESTART)
"""Factor that the calculator applies to a rate, for peaks and for the backlog of a rescaling."""
_SETTLED = 12
"""Minimum number of slots with the same parallelism that show its rate."""
_CLEARLY = 1.2
"""Ratio to its usual rate from which a source counts as reading at full speed."""
_EVEN = 1.05
"""Ratio of the fullest subtask to the average up to which the distribution counts as even."""
_KEYED = ("HASH", "KEYED")


def feed(job: Job, around: Surroundings) -> Feeds:
    """Yield, for each task of a job, the inputs for its parallelism, or what is missing to compute them."""
    found: list[Fed] = []
    for task in job.tasks.values():
        fed = _fed(job, task, around)
        if isinstance(fed, Lacking):
            yield fed
        elif fed is not None:
            found.append(fed)
    yield from _chained(found, around)


def is_source(task: Evidence) -> bool:
    """Return whether a task is a source: it has no input from other tasks, and its output records are counted."""
    return task.seen("catchingUp") is not None or task.seen("numRecordsOutPerSecond.vertex.steady") is not None


def rate_metric(task: Evidence) -> str:
    """Return the name of the metric for a task's arrival rate, excluding catch-ups if they can be separated."""
    name = "numRecordsOutPerSecond" if is_source(task) else "numRecordsInPerSecond"
    return f"{name}.vertex.steady" if task.phase(f"{name}.vertex", "steady") is not None else name


def _rate(task: Evidence) -> Observed | None:
    metric = rate_metric(task)
    return task.seen(metric) if ".vertex" in metric else task.known(metric)


def demand_on(task: Evidence) -> tuple[Figure, Demand | None] | None:
    """Return the 95th percentile and the time series of a task's arrival rate; None if too little is known."""
    metric = rate_metric(task)
    observed = _rate(task)
    if observed is None:
        return None
    arrivals = task.known("arrivalRate")
    if arrivals is not None and arrivals.percentile(0.5) > 0:
        # The arrival rate does not depend on how fast the job reads.
        observed = arrivals
    # The expected demand of the next day accounts for a short history.
    p95 = figure(observed, "p95", observed.percentile(0.95, decayed=True))
    if ".vertex" not in metric and observed is not arrivals:
        p95 = p95._replace(value=p95.value * observed.series, peak=p95.peak * observed.series)
    return p95, task.demand(observed.group.metric)


def _fed(job: Job, task: Evidence, around: Surroundings) -> Fed | Lacking | None:
    metric = rate_metric(task)
    if task.seen(metric) is None:
        return None
    found = demand_on(task)
    if found is None:
        return Lacking("parallelism", task, task.lacks(metric))
    p95, demand = found
    if p95.value <= 0:
        return Lacking("parallelism", task, "no records reach it")
    needed = Expected(p95, 1.0, ()) if demand is None else expected(demand, p95, "elastic", PER_SECOND)
    # The calculator leaves room above a usual rate; the expected demand of the next day already includes it.
    rate = max(p95, needed.figure.scaled(1 / _HEADROOM), key=lambda one: one.value)
    vertex = around.vertex(task.task)
    parallelism = _parallelism(task, vertex)
    given = values_for(Parallelism, rate=rate.value, parallelism=parallelism)
    figures = {"rate": rate}
    assumed: list[str] = []
    true = _true_rate(task, p95)
    if true is not None:
        given |= values_for(Parallelism, true_rate=true.value)
        figures["true_rate"] = true
    else:
        busy = supplied(calculator("parallelism").forward, (task,))
        kept: dict[str, Figure] = {name: one for name, one in busy.items() if name in ("busy", "processed")}
        if "busy" not in kept:
            return Lacking("parallelism", task, f"{task.lacks('trueProcessingRate.vertex')}, {_no_busy(task)}")
        if "processed" in kept and not is_source(task):
            kept["processed"] = kept["processed"].scaled(parallelism)
        else:
            kept["processed"] = p95.becomes("mean", _mean(task, metric))
        given |= values_of(calculator("parallelism").forward, kept)
        figures |= kept
    given |= _shape(task, vertex, assumed)
    if (part := _scalability(task)) < 1:
        given |= values_for(Parallelism, scalability=part)
    known = draft(Parallelism, with_defaults(Parallelism, given))
    needed_subtasks = _needed(known)
    if _is_even(known, needed_subtasks):
        given |= values_for(Parallelism, alignment="off")
    if needed_subtasks < (1 - SCALE_DOWN_LIMIT) * parallelism:
        given |= values_for(Parallelism, scale_down_limit=SCALE_DOWN_LIMIT)
    waits = any(is_async(operator) for operator in job.operators_of(task.task))
    return Fed(
        calculator="parallelism",
        about=task,
        surroundings=around,
        given=given,
        figures=figures,
        main=needed.figure if needed.figure.value >= p95.value else p95,
        unit=PER_SECOND,
        meaning="Records that reach the vertex" if not is_source(task) else "Records that the source receives",
        wanted=(Required(VERTEX, "parallelism", parallelism, only_up=waits),),
        assumed=tuple(assumed),
        doubts=int(true is None),
        margin=needed.margin,
        demand=demand,
        tier="elastic",
        remarks=(*needed.remarks, *_beyond_busy(waits), *_covers(rate, needed.figure)),
    )


def _beyond_busy(waits: bool) -> Iterator[str]:
    if waits:
        yield "its calls to a service do not count as busy time, which cannot show whether fewer subtasks are enough"


def _covers(rate: Figure, need: Figure) -> Iterator[str]:
    if rate.statistic == "p95" and need.value > rate.value:
        yield f"the usual peak of {spell_rate(rate.value)} and the room above it cover that need"


def _needed(inputs: Parallelism) -> int:
    """Return the minimum number of subtasks for the rate, before limits and alignment."""
    true = inputs.true_rate
    if not true:
        assert inputs.processed is not None
        assert inputs.busy is not None
        true = true_rate(inputs.processed, inputs.busy)
    factor = unlimited_factor(_HEADROOM * inputs.rate, true, inputs.scalability)
    return subtasks_for(inputs.parallelism, factor)


def _is_even(inputs: Parallelism, subtasks: int) -> bool:
    """Return whether `subtasks` subtasks share key groups evenly, so that none are added for alignment."""
    groups = inputs.max_parallelism or default_max_parallelism(inputs.parallelism)
    return inputs.keyed and subtasks <= groups and skew(groups, subtasks) <= _EVEN


def _no_busy(task: Evidence) -> str:
    return task.lacks("busyTimeMsPerSecond") or "it is hardly ever busy"


def _mean(task: Evidence, metric: str) -> float:
    observed = _rate(task)
    if observed is None:
        return 0.0
    return observed.mean * (1 if ".vertex" in metric else observed.series)


def _parallelism(task: Evidence, vertex: Vertex | None) -> int:
    """Return the number of subtasks: from the topology, otherwise the number that reported recently."""
    if vertex is not None and vertex.parallelism > 0:
        return vertex.parallelism
    for metric in ("busyTimeMsPerSecond", "numRecordsIn", "numRecordsOutPerSecond", "numRecordsInPerSecond"):
        found = task.seen(metric)
        if found is not None:
            slots = found.time_series
            return int(slots.series[-_SETTLED:].max()) if slots is not None and len(slots.times) else found.series
    return 1


def _true_rate(task: Evidence, p95: Figure) -> Figure | None:
    """Return the median records per second of all subtasks together if they were always busy.

    At least the rate at which they were observed to process: for a task that works little, or in bursts, the quotients
    are less reliable.
    """
    found = task.known("trueProcessingRate.vertex")
    if found is not None:
        true = figure(found, "median", found.percentile(0.5, decayed=True))
        seen = _processed(task, p95)
        return true if true.value >= seen else p95.becomes("p99, observed", seen)
    if not is_source(task):
        return None
    pressed, read = task.known("backPressuredTimeMsPerSecond"), task.signal("numRecordsOutPerSecond.vertex.catchup")
    if pressed is None or read is None or read.percentile(0.5) < _CLEARLY * p95.value:
        return None
    value = observed_true_rate(read.percentile(0.5), min(1.0, pressed.percentile(0.5) / 1000))
    return figure(read, "median while catching up", value) if np.isfinite(value) else None


def _processed(task: Evidence, p95: Figure) -> float:
    """Return the 99th percentile of records per second that all subtasks of a task received."""
    metric = rate_metric(task)
    observed = _rate(task)
    if observed is None or ".vertex" not in metric:
        return p95.value
    return max(p95.value, observed.percentile(0.99))


def _shape(task: Evidence, vertex: Vertex | None, assumed: list[str]) -> dict[str, Any]:
    """Return the constraints of the parallelism."""
    if vertex is not None:
        keyed = any(ship.upper() in _KEYED for _, ship in vertex.inputs)
        most = vertex.max_parallelism if vertex.max_parallelism > 0 else None
        return values_for(Parallelism, keyed=keyed, max_parallelism=most)
    if is_source(task):
        return values_for(Parallelism, keyed=False)
    assumed.append("it follows a keyBy, as no topology is known")
    return values_for(Parallelism, keyed=True)


def _scalability(task: Evidence) -> float:
    """Return the share of linear growth that the job's past rescalings achieved."""
    rates = task.seen("trueProcessingRate")
    if rates is None or rates.time_series is None:
        return 1.0
    return scalability_of(_rescalings(rates))


def _rescalings(rates: Observed) -> list[tuple[int, float]]:
    """Return the parallelism and true rate of each period with constant parallelism."""
    time_series = rates.time_series
    assert time_series is not None
    changes = [0, *(np.flatnonzero(np.diff(time_series.series)) + 1).tolist(), len(time_series.times)]
    return [
        (int(time_series.series[start]), float(np.median(time_series.total[start:end])))
        for start, end in pairwise(changes)
        if end - start >= _SETTLED
    ]


def _chained(found: list[Fed], around: Surroundings) -> Feeds:
    """Yield the inputs with the demand that each vertex would receive if upstream vertices kept up with the source.

    A vertex after a slow one never shows its demand. It is what the source receives, times the records that reached the
    vertex for each record of the source (the reasoning of DS2).
    """
    sources = [fed for fed in found if is_source(fed.about)]
    source = sources[0] if len(sources) == 1 and around.vertices else None
    for fed in found:
        yield fed if source is None or fed is source else _behind(fed, source)


def _behind(fed: Fed, source: Fed) -> Fed:
    seen, sent = (_mean(one.about, rate_metric(one.about)) for one in (fed, source))
    true = source.given.get("true_rate"), fed.given.get("true_rate")
    if not sent or not seen or None in true:
        return fed
    ratio = seen / sent
    arriving = source.given["rate"] * ratio
    if arriving <= 1.1 * fed.given["rate"]:
        return fed
    stages = [
        Stage(float(source.given["true_rate"]), ratio, int(source.given["parallelism"])),
        Stage(float(fed.given["true_rate"]), 1.0, int(fed.given["parallelism"])),
    ]
    least = chain_parallelism(source.given["rate"], stages)[1]
    text = (
        f"its source receives {spell_rate(source.given['rate'])} and would send it {spell_rate(arriving)}, more than "
        f"it was observed to receive; that alone requires {counted(least, 'subtask')}"
    )
    figures = {**fed.figures, "rate": fed.figures["rate"].becomes("from the source's demand", arriving)}
    given = {**fed.given, **values_for(Parallelism, rate=arriving)}
    return replace(fed, given=given, figures=figures, remarks=(*fed.remarks, text))
