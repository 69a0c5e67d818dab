"""The nodes of a parsed Go template."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.text.named_tuple import NamedTuple


class Place(NamedTuple):
    """A span in the source text of a template."""

    start: int
    end: int


class Literal(NamedTuple):
    """A constant: a string (with its position), a number, a bool, or nil."""

    value: object


class Dot(NamedTuple):
    """The current value, written ``.``."""


class Field(NamedTuple):
    """A field access on the current value, such as ``.Values.a``."""

    names: Sequence[str]


class Variable(NamedTuple):
    """A variable, optionally with fields: ``$x.a``."""

    name: str
    names: Sequence[str]


class Call(NamedTuple):
    """A function in a command, by its name."""

    name: str
    place: Place


class Chain(NamedTuple):
    """A field access on a value in parentheses: ``(dict "a" 1).a``."""

    operand: Pipeline
    names: Sequence[str]


Operand = Literal | Dot | Field | Variable | Call | Chain


class Command(NamedTuple):
    """A command of a pipeline: an operand, such as a function, with its arguments."""

    operands: Sequence[Operand | Pipeline]
    place: Place


class Pipeline(NamedTuple):
    """A chain of commands, each of which receives the previous result, and the variables that get the final result."""

    variables: Sequence[str]
    is_declaration: bool
    commands: Sequence[Command]
    place: Place


class Text(NamedTuple):
    """Text outside of template actions, with its origins."""

    text: str


class Action(NamedTuple):
    """A pipeline whose result is written to the output."""

    pipeline: Pipeline
    place: Place


class Branch(NamedTuple):
    """An ``if``, ``with``, or ``range`` action (`keyword`) with its two bodies."""

    keyword: str
    pipeline: Pipeline
    body: Sequence[Part]
    otherwise: Sequence[Part]
    place: Place


class Jump(NamedTuple):
    """A ``break`` or ``continue`` action."""

    keyword: str


class Include(NamedTuple):
    """A ``template`` action, or the one that a ``block`` implies."""

    name: str
    pipeline: Pipeline | None
    place: Place


Part = Text | Action | Branch | Jump | Include


class Template(NamedTuple):
    """A named template: its source text, which all spans refer to, and its parsed nodes."""

    name: str
    source: str
    parts: Sequence[Part]

    @property
    def is_blank(self) -> bool:
        """Whether the template has only white space; such a definition does not replace an existing one."""
        return all(isinstance(part, Text) and not part.text.strip() for part in self.parts)
