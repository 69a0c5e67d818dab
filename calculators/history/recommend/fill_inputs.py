"""Calculator inputs filled from a history, by the metric and statistic that each input declares.

Inputs that need more than one metric are computed by the modules of `calculators.history.recommend.feeds`. Inputs that
neither a metric nor the configuration provides are assumed, and the assumption is reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import Way, calculator
from flink_flint.calculators.answering.declaration import BadInput, Input, inputs_of, missing, values_in_use
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.formulas.quantity import COUNT, FRACTION, Unit
from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.recommend.current_configuration import CurrentConfiguration
from flink_flint.calculators.history.recommend.evidence import Evidence, Figure
from flink_flint.linter.text.named_tuple import NamedTuple

Tier = Literal["safe", "elastic", ""]

_FACTORS = {
    "busyTimeMsPerSecond": 1e-3,
    "millisBehindLatest": 1e-3,
    "restartingTime": 1e-3,
    "lastCheckpointDuration": 1e-3,
    "inFlightTime": 1e-3,
    "checkpointAlignmentTime": 1e-9,
    "checkpointStartDelayNanos": 1e-9,
}
"""Factor that converts a metric from Flink's unit to the unit of calculators."""


class Vertex(NamedTuple):
    """A vertex of a job, from its recorded topology."""

    id: str
    name: str
    """The sanitized name of the vertex."""
    parallelism: int
    max_parallelism: int
    """The max parallelism; -1 if it is unknown."""
    inputs: tuple[tuple[str, str], ...]
    """The inputs of the vertex: pairs of the upstream vertex's ID and the way in which records are distributed."""


class Surroundings(NamedTuple):
    """The configuration and the topology of a job or cluster."""

    configuration: CurrentConfiguration
    vertices: tuple[Vertex, ...] = ()
    """The vertices of the job; for a cluster, the vertices of all its jobs."""

    def vertex(self, task: str) -> Vertex | None:
        """Return the vertex whose task has the sanitized name `task`; None if it is unknown."""
        return next((one for one in self.vertices if one.name == task), None)


class Required(NamedTuple):
    """A value of a calculator's answer that becomes a recommendation."""

    key: str
    """The key of the recommended option, or a name for a value that is set in code: ``async-io.capacity``."""
    value: str = ""
    """The name of the value in the answer; empty if the value is the answer's setting for `key`."""
    current: Any = None
    """The current value if no option sets it; None to use the current value of the option `key`."""
    step: int = 0
    """The granularity to which the value is rounded up; 0 to keep the calculator's value."""
    of: Callable[[Answer], Any] | None = None
    """A function that computes the value from the answer; None if the answer contains the value itself."""
    unit: Unit | None = None
    """The unit of the value that `of` returns."""
    is_estimate: bool = False
    """Whether the value is only an estimate, such as an expected catch-up time, rather than the value of an option."""
    only_up: bool = False
    """Whether only an increase of the current value may be recommended."""
    doubts: int = 0
    """The number of assumptions that this value depends on, in addition to those of the whole answer."""


@dataclass(frozen=True, kw_only=True)
class Fed:
    """A calculator's inputs from a history, and the evidence for these inputs."""

    calculator: str
    about: Evidence
    surroundings: Surroundings
    given: Mapping[str, Any]
    """The values of the calculator's inputs by field name, in base units."""
    figures: Mapping[str, Figure]
    """The statistics of metrics that supply inputs, by field name, in base units."""
    main: Figure
    """The statistic on which the recommendation is mainly based."""
    unit: Unit
    """The unit of `main`."""
    meaning: str
    """The description of `main` at the beginning of the reason: ``Time of a checkpoint``."""
    wanted: tuple[Required, ...]
    assumed: tuple[str, ...] = ()
    """The assumptions for inputs that have no known value, as phrases."""
    doubts: int = 0
    """The number of assumptions that the answer depends on; each lowers the confidence of the recommendation."""
    margin: float = 1.0
    """The demand to plan for, divided by the largest sample; 1 if the inputs have no margin."""
    demand: Demand | None = None
    """The time series of the demand to plan for, in the unit of `main`; None if there is none."""
    tier: Tier = ""
    because: tuple[str, ...] = ()
    """Additional facts that determine the recommendation, as phrases for its reason."""
    remarks: tuple[str, ...] = ()
    """Remarks on the recommendation as phrases, such as about a seasonal peak or growth."""
    is_memory: bool = False
    """Whether the recommended values are memory sizes, which are reduced step by step."""


class Lacking(NamedTuple):
    """A calculator that cannot run because the history lacks something that it requires."""

    calculator: str
    about: Evidence
    reason: str
    """What the calculator lacks in order to run, as a phrase."""


Feeds = Iterator[Fed | Lacking]


def scaled(figure: Figure) -> Figure:
    """Return a statistic converted from its metric's unit to the calculators' unit."""
    return figure.scaled(_FACTORS.get(figure.metric, 1.0))


def statistic(evidence: Evidence, metric: str, statistic: str) -> Figure | None:
    """Return a statistic (``max``, ``p95``) of a metric, converted to the calculators' unit; None if unknown."""
    if statistic == "max of minima":
        return evidence.live_set()
    if statistic == "max":
        found = evidence.peak(metric)
    elif statistic == "mean":
        found = evidence.mean(metric)
    else:
        found = evidence.percentile(metric, float(statistic.removeprefix("p")) / 100)
    return None if found is None else scaled(found)


def supplied(way: Way, sources: Sequence[Evidence]) -> dict[str, Figure]:
    """Return a calculator's inputs that metrics supply, by field name, each from the first source with the metric."""
    found: dict[str, Figure] = {}
    for declared in inputs_of(way.inputs):
        if not declared.metric:
            continue
        for evidence in sources:
            result = statistic(evidence, declared.metric, declared.statistic)
            if result is not None and _fits(declared, result.value):
                found[declared.name] = result
                break
    return found


def _fits(declared: Input, value: float) -> bool:
    try:
        declared.check(typed(declared, value))
    except BadInput:
        return False
    return True


def typed(declared: Input, value: float) -> Any:
    """Convert a number to the form that an input accepts: counts and bytes rounded up, fractions limited to 1."""
    if declared.unit.name in (COUNT.name, "bytes") and math.isfinite(value):
        return math.ceil(round(value, 6))
    return min(1.0, value) if declared.unit.name == FRACTION.name else value


def values_of(way: Way, figures: Mapping[str, Figure]) -> dict[str, Any]:
    """Return the values of statistics in the form that a calculator's inputs accept, by field name."""
    return {one.name: typed(one, figures[one.name].value) for one in inputs_of(way.inputs) if one.name in figures}


class Answered(NamedTuple):
    """The answer of a calculator, with its input values and their origins."""

    answer: Answer
    inputs: dict[str, Any]
    """The values of the calculator's inputs by field name."""
    sources: dict[str, str]
    """The origin of each input: ``observed``, ``set``, ``default`` (of the release), ``assumed`` or ``derived``."""


def run_calculator(fed: Fed) -> Answered:
    """Run a calculator on its inputs, without contradictory observations; raise BadInput if there is no answer.

    Observed values override settings, which override the release's default, which overrides the declared default. An
    observation that contradicts another one and is not required is dropped.
    """
    way = calculator(fed.calculator).forward
    given = dict(fed.given)
    while True:
        try:
            return answered(way, given, fed.surroundings.configuration, fed.figures)
        except BadInput as bad:
            if bad.name not in fed.figures or given.pop(bad.name, None) is None:
                raise


def answered(
    way: Way, given: Mapping[str, Any], current: CurrentConfiguration, figures: Container[str] = ()
) -> Answered:
    """Run a calculator with values in base units; `figures` contains the names of the observed values.

    Raises BadInput if a required input is missing or a value is unusable.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for declared in inputs_of(way.inputs):
        name = declared.name
        if given.get(name) is not None:
            values[name], sources[name] = given[name], "observed" if name in figures else "derived"
        elif (found := current.supplied(declared)) is not None:
            values[name], sources[name] = found
        elif declared.default is not None:
            values[name], sources[name] = declared.default, "assumed"
    values = values_in_use(way.inputs, values)
    lacking = missing(way.inputs, values)
    if lacking:
        raise BadInput(lacking[0].name, f"no source has {lacking[0].meaning}")
    answer = way.answer(collect(way.inputs, values), current.release)
    return Answered(answer, values, {name: sources[name] for name in values})


def vertices_of(bodies: Iterable[Mapping[str, Any]]) -> tuple[Vertex, ...]:
    """Return the vertices of recorded topologies."""
    from flink_flint.linter.flink.reporter_names import sanitized

    return tuple(
        Vertex(
            str(vertex["id"]),
            sanitized(str(vertex.get("name", ""))),
            int(vertex.get("parallelism", 0)),
            int(vertex.get("max_parallelism", -1)),
            tuple((str(one["id"]), str(one.get("ship", ""))) for one in vertex.get("inputs", ())),
        )
        for body in bodies
        for vertex in body.get("vertices", ())
    )
