"""The answer of a calculator: values, the constraint that decides, settings, warnings and reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flink_flint.calculators.formulas.quantity import Unit
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.text.named_tuple import NamedTuple


class Value(NamedTuple):
    """One number of an answer."""

    name: str
    """In snake case: ``timeout``, ``calls_per_thread``."""
    value: Any
    """In the unit's base; None where there is no such value."""
    unit: Unit
    explanation: str
    """What it is or where it comes from, as one phrase."""
    present: Any = None
    """The current value, where the inputs have it."""

    @property
    def title(self) -> str:
        """The name of the value, for people."""
        return self.name.replace("_", " ")

    @property
    def text(self) -> str:
        """The value with its unit, for people."""
        return "none" if self.value is None else self.unit.spell(self.value)


class Snippet(NamedTuple):
    """Code or a property to write where Flink has no option: a call in the job, a connector or broker property."""

    where: str
    """``job source (Java)``, ``properties of FlinkKinesisConsumer``, ``broker``."""
    text: str


class Series(NamedTuple):
    """A line of a chart."""

    label: str
    points: tuple[tuple[float, float], ...]


class Point(NamedTuple):
    """A marked point of a chart: ``now``, ``recommended``."""

    label: str
    x: float
    y: float


class Chart(NamedTuple):
    """The chart of an answer, with numbers in base units."""

    title: str
    x: str
    x_unit: Unit
    y: str
    y_unit: Unit
    series: tuple[Series, ...]
    points: tuple[Point, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The complete answer of a calculator."""

    values: tuple[Value, ...]
    """The answer itself first."""
    binding: str
    """Which constraint decides the answer, as one sentence with its numbers."""
    steps: tuple[str, ...]
    """The reasoning: sentences with the formula and the numbers put in, in order."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What to set: primary keys of the newest release, values typed: seconds (float) for durations, bytes (int)
    for sizes, else int, float, bool, str. `linter.flink.release_spelling` spells them for a release."""
    remove: tuple[str, ...] = ()
    """Keys (primary ones of the newest release) that must not be set together with them."""
    elsewhere: tuple[Snippet, ...] = ()
    """What to write where no option of Flink holds it."""
    errors: tuple[str, ...] = ()
    """What breaks with the current values, or why there is no answer, as sentences."""
    warnings: tuple[str, ...] = ()
    chart: Chart | None = None
    memory: TaskManagerMemory | JobManagerMemory | None = None
    """The memory breakdown that belongs to the answer."""

    def value(self, name: str) -> Any:
        """Return a value by name; raise KeyError if there is none."""
        for value in self.values:
            if value.name == name:
                return value.value
        raise KeyError(name)
