"""Filling a calculator's inputs from a history, by the metric and statistic that each input declares.

What a calculator needs beyond that is worked out by the modules of `calculators.history.recommend.feeds`. What
neither a metric nor the configuration shows is assumed, and named.
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
"""What a metric in Flink's own unit is multiplied by to be in a calculator's."""


class Vertex(NamedTuple):
    """A vertex of a job, from its recorded topology."""

    id: str
    name: str
    """Sanitized."""
    parallelism: int
    max_parallelism: int
    """-1 where it is not known."""
    inputs: tuple[tuple[str, str], ...]
    """Ids of the vertices it reads from, and how records are dealt out."""


class Surroundings(NamedTuple):
    """Facts about a job or cluster other than metrics."""

    configuration: CurrentConfiguration
    vertices: tuple[Vertex, ...] = ()
    """Of the job; of all jobs of a cluster at once."""

    def vertex(self, task: str) -> Vertex | None:
        """Return the vertex of a task by its sanitized name."""
        return next((one for one in self.vertices if one.name == task), None)


class Required(NamedTuple):
    """A value of an answer that becomes a recommendation."""

    key: str
    """The setting's key, or a name for what stands in code: ``async-io.capacity``."""
    value: str = ""
    """The answer's value by its name; empty for a setting of the answer."""
    current: Any = None
    """The current values that no option holds."""
    step: int = 0
    """Recommended in whole steps of this, rounded up; 0: as the calculator has it."""
    of: Callable[[Answer], Any] | None = None
    """What becomes of the answer, where it is not one of its values."""
    unit: Unit | None = None
    """Of what `of` gives."""
    is_estimate: bool = False
    """Whether it is an estimate that sets nothing."""
    only_up: bool = False
    """Whether a value below the current one is never recommended."""
    doubts: int = 0
    """How many assumptions this value depends on besides those of the whole answer."""


@dataclass(frozen=True, kw_only=True)
class Fed:
    """A calculator's inputs, and the evidence for them."""

    calculator: str
    about: Evidence
    surroundings: Surroundings
    given: Mapping[str, Any]
    """By field name, in base units."""
    figures: Mapping[str, Figure]
    """Inputs that metrics reported, in base units."""
    main: Figure
    """What the recommendation stands on first of all."""
    unit: Unit
    """Of `main`."""
    meaning: str
    """What the main figure is, in words that begin the reason: ``Time of a checkpoint``."""
    wanted: tuple[Required, ...]
    assumed: tuple[str, ...] = ()
    """Inputs that nothing supplied, as phrases."""
    doubts: int = 0
    """How many of these the answer hangs on; each makes it less sure."""
    margin: float = 1.0
    """The factor on the main figure."""
    demand: Demand | None = None
    """The series it provides for, in the unit of the main figure."""
    tier: Tier = ""
    because: tuple[str, ...] = ()
    """What decides besides the main figure, as phrases of the reason."""
    remarks: tuple[str, ...] = ()
    """What else there is to say, as phrases: a season, a growth."""
    is_memory: bool = False
    """Whether the values are sizes of memory, which shrink in steps."""


class Lacking(NamedTuple):
    """A calculator that cannot run, and the reason."""

    calculator: str
    about: Evidence
    reason: str
    """What is missing, as a phrase."""


Feeds = Iterator[Fed | Lacking]


def scaled(figure: Figure) -> Figure:
    """Return a figure of a metric in the unit of calculators."""
    return figure.scaled(_FACTORS.get(figure.metric, 1.0))


def statistic(evidence: Evidence, metric: str, statistic: str) -> Figure | None:
    """Return a statistic of a metric as an input declares it, in the unit of calculators; None if it is unknown."""
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
    """Return the inputs of a calculator that metrics supply, by field name; the first source with a metric counts."""
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
    """Return a number as an input accepts it: whole counts and bytes, rounded up."""
    if declared.unit.name in (COUNT.name, "bytes") and math.isfinite(value):
        return math.ceil(round(value, 6))
    return min(1.0, value) if declared.unit.name == FRACTION.name else value


def values_of(way: Way, figures: Mapping[str, Figure]) -> dict[str, Any]:
    """Return figures as values for inputs."""
    return {one.name: typed(one, figures[one.name].value) for one in inputs_of(way.inputs) if one.name in figures}


class Answered(NamedTuple):
    """A calculator's run: its values, their origins and its answer."""

    answer: Answer
    inputs: dict[str, Any]
    """The values that play a part."""
    sources: dict[str, str]
    """By input: ``observed``, ``set``, ``default`` (of the release), ``assumed``, ``derived``."""


def asked(fed: Fed) -> Answered:
    """Run the calculator; raises BadInput if there is no answer.

    What was observed counts before what is set, that before the release's default, that before the declared one. An
    observation that contradicts another one and is not required is left out.
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
    """Run a calculator with values in base units; those named in `figures` were observed. Raises BadInput."""
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
    from flink_flint.linter.flink.reporter_names import sanitised

    return tuple(
        Vertex(
            str(vertex["id"]),
            sanitised(str(vertex.get("name", ""))),
            int(vertex.get("parallelism", 0)),
            int(vertex.get("max_parallelism", -1)),
            tuple((str(one["id"]), str(one.get("ship", ""))) for one in vertex.get("inputs", ())),
        )
        for body in bodies
        for vertex in body.get("vertices", ())
    )
