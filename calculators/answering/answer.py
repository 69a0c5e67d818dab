"""The answer of a calculator: values, the binding constraint, settings, warnings and reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flink_flint.calculators.formulas.quantity import Unit
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.text.named_tuple import NamedTuple


class Value(NamedTuple):
    """A named value of an answer, with its unit and an explanation."""

    name: str
    """The name of the value in snake case: ``timeout``, ``calls_per_thread``."""
    value: Any
    """The value in its base unit, such as seconds or bytes; None if there is no such value."""
    unit: Unit
    explanation: str
    """The meaning or the origin of the value, as one phrase."""
    present: Any = None
    """The current value, for comparison; None if the inputs do not include it."""

    @property
    def title(self) -> str:
        """The name of the value in words: ``calls per thread``."""
        return self.name.replace("_", " ")

    @property
    def text(self) -> str:
        """The value formatted with its unit."""
        return "none" if self.value is None else self.unit.spell(self.value)


class Snippet(NamedTuple):
    """A Java call in the job, or a connector or broker property, for a setting that has no Flink option."""

    where: str
    """The place for the snippet: ``job source (Java)``, ``properties of FlinkKinesisConsumer``, ``broker``."""
    text: str


class Series(NamedTuple):
    """A line of a chart: its label and its points."""

    label: str
    points: tuple[tuple[float, float], ...]


class Point(NamedTuple):
    """A marked point in a chart, with a label such as ``now`` or ``recommended``."""

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
    """The complete answer of a calculator: values, settings, errors, warnings, reasoning and a chart."""

    values: tuple[Value, ...]
    """All values of the answer, the main one first."""
    binding: str
    """The constraint that determines the answer, as one sentence with its numbers."""
    steps: tuple[str, ...]
    """The steps of the calculation, in order, as sentences with formulas and numbers."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings to write, as typed values by the option's primary key in the newest release.

    Durations are seconds (float), sizes bytes (int), other values int, float, bool or str.
    `linter.flink.release_spelling` spells them for a release.
    """
    remove: tuple[str, ...] = ()
    """The keys (primary keys in the newest release) that must not be set together with `settings`."""
    elsewhere: tuple[Snippet, ...] = ()
    """The code or properties to write for settings that have no Flink option."""
    errors: tuple[str, ...] = ()
    """The errors, as sentences: what fails with the current values, or why there is no answer."""
    warnings: tuple[str, ...] = ()
    chart: Chart | None = None
    memory: TaskManagerMemory | JobManagerMemory | None = None
    """The memory components of the sized process; None if the answer is not about process memory."""

    def value(self, name: str) -> Any:
        """Return the number (or None) of the `Value` called `name`; raise KeyError if there is no such value."""
        for value in self.values:
            if value.name == name:
                return value.value
        raise KeyError(name)
