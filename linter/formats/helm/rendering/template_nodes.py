"""The parts of a parsed Go template."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.text.named_tuple import NamedTuple


class Place(NamedTuple):
    """A span of the template's text."""

    start: int
    end: int


class Literal(NamedTuple):
    """A constant: a text (with its place), a number, a bool or nil."""

    value: object


class Dot(NamedTuple):
    """The current value, written ``.``."""


class Field(NamedTuple):
    """Fields of the current value: ``.Values.a``."""

    names: Sequence[str]


class Variable(NamedTuple):
    """A variable, perhaps with fields: ``$x.a``."""

    name: str
    names: Sequence[str]


class Call(NamedTuple):
    """The name of a function."""

    name: str
    place: Place


class Chain(NamedTuple):
    """Fields of a value in parentheses: ``(dict "a" 1).a``."""

    operand: Pipeline
    names: Sequence[str]


Operand = Literal | Dot | Field | Variable | Call | Chain


class Command(NamedTuple):
    """An operand with its arguments."""

    operands: Sequence[Operand | Pipeline]
    place: Place


class Pipeline(NamedTuple):
    """Commands, each of which receives the result of the one before it, and the variables that get the result."""

    variables: Sequence[str]
    is_declaration: bool
    commands: Sequence[Command]
    place: Place


class Text(NamedTuple):
    """Text outside of actions, with its origins."""

    text: str


class Action(NamedTuple):
    """A pipeline whose result is written."""

    pipeline: Pipeline
    place: Place


class Branch(NamedTuple):
    """An ``if``, ``with`` or ``range`` (`keyword`) with its two bodies."""

    keyword: str
    pipeline: Pipeline
    body: Sequence[Part]
    otherwise: Sequence[Part]
    place: Place


class Jump(NamedTuple):
    """A ``break`` or ``continue``."""

    keyword: str


class Include(NamedTuple):
    """A ``template`` action (or the one that a ``block`` implies)."""

    name: str
    pipeline: Pipeline | None
    place: Place


Part = Text | Action | Branch | Jump | Include


class Template(NamedTuple):
    """A named template: its source text, to which all spans refer, and its parsed parts."""

    name: str
    source: str
    parts: Sequence[Part]

    @property
    def is_blank(self) -> bool:
        """Whether the template has only white space; such a definition does not replace another one."""
        return all(isinstance(part, Text) and not part.text.strip() for part in self.parts)
