"""Evaluates parsed Go templates (text/template); the output keeps the origins of its parts.

What depends on an unknown value is not guessed: such a value is written as a template tag, and of a block with an
unknown condition all branches are written, with tags around them, so that readers treat them as those of any template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from flink_flint.linter.formats.helm.rendering.functions.all_functions import FUNCTIONS, UNKNOWN, Function
from flink_flint.linter.formats.helm.rendering.go_printing import printed
from flink_flint.linter.formats.helm.rendering.go_values import (
    Map,
    Struct,
    Unknown,
    Unset,
    is_bool,
    is_int,
    origin_of,
    tag,
    text_argument,
    truth,
    type_name,
    why_unknown,
    with_origin,
)
from flink_flint.linter.formats.helm.rendering.limits import (
    MAX_DEPTH,
    Budget,
    LimitExceeded,
    NotEvaluated,
    NotRendered,
)
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText, joined, replaced, sliced
from flink_flint.linter.formats.helm.rendering.template_nodes import (
    Action,
    Branch,
    Call,
    Chain,
    Command,
    Dot,
    Field,
    Include,
    Literal,
    Operand,
    Part,
    Pipeline,
    Place,
    Template,
    Text,
    Variable,
)
from flink_flint.linter.formats.helm.rendering.template_parsing import parse
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin

_NO_VALUE = "<no value>"
_CHANGING = ("set", "unset", "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite")
"""Functions that change their first argument."""
_ASKING = frozenset(
    ("default", "empty", "not", "eq", "ne", "coalesce", "ternary", "hasKey", "kindIs", "kindOf", "typeIs", "has", "len")
)
"""Functions that ask something of their arguments, or replace those that are absent."""
_CONDITION = "depends on a condition that is unknown"


class MethodSet(Map):
    """A map that also has methods, such as `.Files`."""

    __slots__ = ("methods",)
    methods: Mapping[str, Callable[..., object]]


class _Method(NamedTuple):
    """A method that is about to be called."""

    name: str
    body: Callable[..., object]


class _Jumped(Exception):  # noqa: N818 - it says what happened
    """Raised by ``break`` and ``continue``."""

    def __init__(self, keyword: str) -> None:
        self.keyword = keyword


class _Slot:
    """A variable, with the number of unknown conditions around its declaration."""

    __slots__ = ("name", "uncertain", "value")

    def __init__(self, name: str, value: object, uncertain: int) -> None:
        self.name, self.value, self.uncertain = name, value, uncertain


class _Frame:
    """The execution of one template: its text, its variables, and what it has written."""

    def __init__(self, template: Template, dot: object) -> None:
        self.source = template.source
        self.variables = [_Slot("$", dot, 0)]
        self.out: list[str] = []
        self.size = 0

    def origin(self, place: Place) -> Origin | None:
        """Return the origin of a span of the template's text."""
        text = sliced(self.source, place.start, place.end)
        return text.origin() if isinstance(text, MarkedText) else None


class Evaluator:
    """Evaluates the templates of one chart; `absent` is the reason why templates may be missing, if any.

    `functions` are those that the templates can call, apart from the ones that run templates. `unknown_values` is the
    reason why values may be missing, if any: what fails without them is unknown.
    """

    def __init__(
        self,
        templates: Mapping[str, Template],
        budget: Budget,
        absent: str = "",
        functions: Mapping[str, Function] = FUNCTIONS,
        unknown_values: str = "",
    ) -> None:
        self.templates, self.budget, self.absent, self.functions = templates, budget, absent, functions
        self.unknown_values = unknown_values
        self._depth = self._uncertain = 0
        self._active: list[str] = []
        """The names of the templates that are being executed."""

    def rendered(self, name: str, dot: object) -> str:
        """Return the output of the template called `name` for the value `dot`; raise `NotRendered` if it fails."""
        self._depth = self._uncertain = 0
        self._active = []
        try:
            return _without_no_value(self._executed(self.templates[name], dot))
        except RecursionError:
            raise LimitExceeded("templates are nested too deeply") from None

    def _executed(self, template: Template, dot: object) -> str:
        if self._depth >= MAX_DEPTH:
            raise LimitExceeded("templates are nested too deeply")
        if self._uncertain and template.name in self._active:
            raise NotEvaluated(f"the template {template.name} includes itself on a condition that is unknown")
        self._depth += 1
        self._active.append(template.name)
        frame = _Frame(template, dot)
        try:
            self._parts(frame, dot, template.parts)
        finally:
            self._depth -= 1
            self._active.pop()
        return joined(frame.out)

    # Parts

    def _parts(self, frame: _Frame, dot: object, parts: Sequence[Part]) -> None:
        for part in parts:
            self.budget.spend(1)
            if isinstance(part, Text):
                self._write(frame, part.text)
            elif isinstance(part, Action):
                self._action(frame, dot, part)
            elif isinstance(part, Branch):
                self._branch(frame, dot, part)
            elif isinstance(part, Include):
                self._include_part(frame, dot, part)
            else:
                raise _Jumped(part.keyword)

    def _write(self, frame: _Frame, text: str) -> None:
        if not text:
            return
        frame.size += len(text)
        self.budget.text(frame.size)
        self.budget.spend(len(text.fragments) if isinstance(text, MarkedText) else 1)
        frame.out.append(text)

    def _action(self, frame: _Frame, dot: object, part: Action) -> None:
        value = self._pipeline(frame, dot, part.pipeline)
        if part.pipeline.variables:
            return
        text = _NO_VALUE if value is None else printed([value], self.budget)
        if origin_of(text) is None and text:
            text = MarkedText((Fragment(str(text), frame.origin(part.place)),), why_unknown(text))
        self._write(frame, text)

    def _include_part(self, frame: _Frame, dot: object, part: Include) -> None:
        value = None if part.pipeline is None else self._pipeline(frame, dot, part.pipeline)
        template = self.templates.get(part.name)
        if template is not None:
            try:
                self._write(frame, self._executed(template, value))
            except NotEvaluated as failure:
                self._write(frame, self._unknown(frame, part.place, str(failure)).text)
        elif self.absent:
            expression = sliced(frame.source, part.place.start + 2, part.place.end - 2)
            self._write(frame, Unknown(self.absent, str(expression).strip("- "), frame.origin(part.place)).text)
        else:
            raise NotRendered(f"template {part.name!r} is not defined", frame.origin(part.place))

    def _branch(self, frame: _Frame, dot: object, part: Branch) -> None:
        mark = len(frame.variables)
        pipeline = part.pipeline
        if part.keyword == "range" and pipeline.variables:
            pipeline = pipeline._replace(variables=())
        value = _or_nil(self._pipeline(frame, dot, pipeline))
        if reason := why_unknown(value):
            self._uncertain_branch(frame, dot, part, reason)
        elif part.keyword == "range":
            self._range(frame, dot, part, value)
        elif truth(value):
            self._parts(frame, value if part.keyword == "with" else dot, part.body)
        else:
            self._parts(frame, dot, part.otherwise)
        del frame.variables[mark:]

    def _range(self, frame: _Frame, dot: object, part: Branch, value: object) -> None:
        pairs: list[tuple[object, object]] = []
        if isinstance(value, dict):
            pairs = [(key, value[key]) for key in sorted(value)]
        elif isinstance(value, list):
            pairs = list(enumerate(value))
        elif is_int(value):
            assert isinstance(value, int)
            self.budget.items(value)
            pairs = [(number, number) for number in range(value)]
        elif value is not None:
            raise NotRendered(f"range can't iterate over {type_name(value)}", frame.origin(part.place))
        self.budget.items(len(pairs))
        if not pairs:
            self._parts(frame, dot, part.otherwise)
            return
        mark = len(frame.variables)
        for key, one in pairs:
            self._iterate(frame, part.pipeline, key, one)
            try:
                self._parts(frame, one, part.body)
            except _Jumped as jump:
                if jump.keyword == "break":
                    break
            del frame.variables[mark:]

    def _iterate(self, frame: _Frame, pipeline: Pipeline, key: object, value: object) -> None:
        names = pipeline.variables
        assigned = [(names[0], value)] if len(names) == 1 else list(zip(names, (key, value), strict=False))
        for name, one in assigned:
            self._assign(frame, name, one, is_declaration=pipeline.is_declaration)

    def _uncertain_branch(self, frame: _Frame, dot: object, part: Branch, reason: str) -> None:
        """Write all branches of a block whose condition is unknown, with template tags around them."""
        in_lines = any(isinstance(one, Text) and "\n" in one.text for one in (*part.body, *part.otherwise))
        origin = frame.origin(part.place)
        expression = str(sliced(frame.source, part.pipeline.place.start, part.pipeline.place.end))
        unknown = Unknown(reason, expression, origin_of(expression) or origin)
        inner = dot if part.keyword == "if" else unknown
        if part.keyword == "range":
            self._iterate(frame, part.pipeline, unknown, unknown)
        self._uncertain += 1
        try:
            self._mark(frame, f"{part.keyword} {expression}", reason, origin, in_lines=in_lines)
            self._guarded(frame, inner, part.body, part.place)
            if part.otherwise:
                self._mark(frame, "else", reason, origin, in_lines=in_lines)
                self._guarded(frame, dot, part.otherwise, part.place)
            self._mark(frame, "end", reason, origin, in_lines=in_lines)
        finally:
            self._uncertain -= 1

    def _mark(self, frame: _Frame, text: str, reason: str, origin: Origin | None, *, in_lines: bool) -> None:
        if in_lines and frame.out and not frame.out[-1].rstrip(" ").endswith("\n"):
            self._write(frame, "\n")
        self._write(frame, MarkedText((Fragment(tag(text), origin),), reason))

    def _guarded(self, frame: _Frame, dot: object, parts: Sequence[Part], place: Place) -> None:
        """Write a branch that may not be taken: if it fails, what it writes is unknown."""
        mark = len(frame.variables)
        try:
            self._parts(frame, dot, parts)
        except LimitExceeded:
            raise
        except NotRendered as failure:
            self._write(frame, Unknown(failure.reason, "fail", failure.origin or frame.origin(place)).text)
        except _Jumped:
            raise NotRendered("a loop ends on a condition that is unknown", frame.origin(place)) from None
        del frame.variables[mark:]

    # Pipelines

    def _pipeline(self, frame: _Frame, dot: object, pipeline: Pipeline) -> object:
        given: tuple[object, ...] = ()
        value: object = None
        for command in pipeline.commands:
            value = self._command(frame, dot, command, given)
            given = (value,)
        for name in pipeline.variables:
            self._assign(frame, name, value, is_declaration=pipeline.is_declaration)
        return value

    def _assign(self, frame: _Frame, name: str, value: object, *, is_declaration: bool) -> None:
        if is_declaration:
            frame.variables.append(_Slot(name, value, self._uncertain))
            return
        slot = self._slot(frame, name)
        if slot.uncertain < self._uncertain:
            value = Unknown(_CONDITION, name, origin_of(value))
        slot.value = value

    def _slot(self, frame: _Frame, name: str) -> _Slot:
        for slot in reversed(frame.variables):
            if slot.name == name:
                return slot
        raise NotRendered(f"undefined variable {name!r}")

    def _command(self, frame: _Frame, dot: object, command: Command, given: tuple[object, ...]) -> object:
        self.budget.spend(1)
        try:
            return self._value(frame, dot, command, given)
        except LimitExceeded:
            raise
        except NotRendered as failure:
            if self.unknown_values:
                return self._unknown(frame, command.place, self.unknown_values)
            if failure.origin is None:
                failure.origin = frame.origin(command.place)
            raise
        except NotEvaluated as failure:
            return self._unknown(frame, command.place, str(failure))

    def _unknown(self, frame: _Frame, place: Place, reason: str) -> Unknown:
        expression = sliced(frame.source, place.start, place.end)
        return Unknown(reason, str(expression), frame.origin(place))

    def _value(self, frame: _Frame, dot: object, command: Command, given: tuple[object, ...]) -> object:
        first, arguments = command.operands[0], command.operands[1:]
        if isinstance(first, Call):
            return self._call(frame, dot, first, command, given)
        value = self._operand(frame, dot, first, calls=False)
        if isinstance(value, _Method):
            evaluated = [self._operand(frame, dot, argument) for argument in arguments]
            return self._method(frame, command.place, value, (*evaluated, *given))
        if (arguments or given) and not isinstance(value, Unknown):
            raise NotRendered("can't give arguments to what is not a function")
        return value

    def _operand(self, frame: _Frame, dot: object, operand: Operand | Pipeline, *, calls: bool = True) -> object:
        if isinstance(operand, Literal):
            return operand.value
        if isinstance(operand, Dot):
            return dot
        value: object
        if isinstance(operand, Pipeline):
            value = self._pipeline(frame, dot, operand)
        elif isinstance(operand, Field):
            value = self._fields(dot, operand.names)
        elif isinstance(operand, Variable):
            value = self._fields(self._slot(frame, operand.name).value, operand.names)
        elif isinstance(operand, Chain):
            value = self._fields(self._pipeline(frame, dot, operand.operand), operand.names)
        else:
            return self._call(frame, dot, operand, None, ())
        if calls and isinstance(value, _Method):
            return self._method(frame, None, value, ())
        return value

    def _fields(self, value: object, names: Sequence[str]) -> object:
        if value is None:
            return None  # what has no value from the start, such as (.Values.absent).field, has no fields without error
        for name in names:
            self.budget.spend(1)
            if isinstance(value, _Method):
                value = value.body()
            if isinstance(value, Unknown):
                return value
            value = _field(value, name)
        return value

    def _method(self, frame: _Frame, place: Place | None, method: _Method, values: tuple[object, ...]) -> object:
        if reason := next(filter(None, map(why_unknown, values)), ""):
            return Unknown(reason, method.name, None) if place is None else self._unknown(frame, place, reason)
        try:
            return method.body(*values)
        except TypeError:
            raise NotRendered(f"wrong number of args for {method.name}") from None

    # Functions

    def _call(
        self, frame: _Frame, dot: object, call: Call, command: Command | None, given: tuple[object, ...]
    ) -> object:
        name = call.name
        operands = command.operands[1:] if command is not None else ()
        place = command.place if command is not None else call.place
        if name in ("and", "or"):
            return self._logic(frame, dot, name, operands, given)
        values = (*(self._operand(frame, dot, operand) for operand in operands), *given)
        if name in UNKNOWN:
            return self._unknown(frame, place, f"{name} {UNKNOWN[name]}")
        if name in ("include", "tpl", "lookup"):
            return self._helm(frame, name, place, values)
        function = self.functions.get(name)
        if function is None:
            return self._unknown(frame, place, f"the function {name} is not known")
        if not function.least <= len(values) <= (len(values) if function.most is None else function.most):
            raise NotRendered(f"wrong number of args for {name}: {len(values)}")
        return self._applied(frame, name, function, place, values)

    def _applied(
        self, frame: _Frame, name: str, function: Function, place: Place, values: tuple[object, ...]
    ) -> object:
        if name in _ASKING:
            values = tuple(map(_or_nil, values))
        reason = next(filter(None, map(why_unknown, values)), "")
        if reason and not function.passes_unknown:
            return self._unknown(frame, place, reason)
        if self._uncertain and name in _CHANGING:
            if name != "set":
                raise NotRendered(f"{name} changes values on a condition that is unknown")
            values = (*values[:2], Unknown(_CONDITION, str(values[1]), origin_of(values[2])))
        value = function.body(self.budget, *values)
        if isinstance(value, Unknown) and value.origin is None:
            return self._unknown(frame, place, value.reason)
        if isinstance(value, str | int | float) or is_bool(value):
            if isinstance(value, str):
                self.budget.text(len(value))
                self.budget.spend(len(value.fragments) if isinstance(value, MarkedText) else 1)
            return with_origin(value, self._deciding(frame, values))
        return value

    def _deciding(self, frame: _Frame, values: tuple[object, ...]) -> Origin | None:
        """Return the place that decides a function's result: of the first argument from outside of the template."""
        own = frame.origin(Place(0, 1))
        found = [origin for value in values if (origin := origin_of(value)) is not None]
        return next((origin for origin in found if own is None or origin.path != own.path), next(iter(found), None))

    def _logic(
        self, frame: _Frame, dot: object, name: str, operands: Sequence[Operand | Pipeline], given: tuple[object, ...]
    ) -> object:
        """Return the first argument that decides `and` or `or`, or the last; the others are not evaluated."""
        value: object = None
        unknown: object = None
        for number in range(len(operands) + len(given)):
            is_operand = number < len(operands)
            value = self._operand(frame, dot, operands[number]) if is_operand else given[0]
            if why_unknown(value) and not isinstance(value, Unset):
                unknown = unknown or value
                continue
            if truth(_or_nil(value)) == (name == "or"):
                return value if unknown is None else self._decided(name, unknown, value)
        return value if unknown is None else unknown

    def _decided(self, name: str, unknown: object, value: object) -> object:
        """Return what an unknown argument before a deciding one allows: `and` is false then, whichever it is."""
        return value if name == "and" and not truth(value) and is_bool(value) else unknown

    def _helm(self, frame: _Frame, name: str, place: Place, values: tuple[object, ...]) -> object:
        if name == "lookup":
            return Map()  # what `helm template` returns
        if len(values) != 2:
            raise NotRendered(f"wrong number of args for {name}: {len(values)}")
        if isinstance(values[0], Unknown) or (name == "include" and why_unknown(values[0])):
            return self._unknown(frame, place, why_unknown(values[0]))
        text = text_argument(values[0])
        return self._include(frame, text, values[1], place) if name == "include" else self._tpl(text, values[1])

    def _include(self, frame: _Frame, name: str, dot: object, place: Place) -> object:
        template = self.templates.get(name)
        if template is not None:
            return self._executed(template, dot)
        if self.absent:
            return self._unknown(frame, place, self.absent)
        raise NotRendered(f"template {str(name)!r} is not defined")

    def _tpl(self, text: str, dot: object) -> object:
        if "{{" not in text:
            return text
        if reason := why_unknown(text):
            raise NotEvaluated(reason)
        self.budget.spend(1 + len(text) // 8)
        own, *defined = parse("tpl", text)
        outer = self.templates
        if defined:
            self.budget.spend(len(outer))
            self.templates = {**outer, **{template.name: template for template in defined}}
        try:
            return _without_no_value(self._executed(own, dot))
        finally:
            self.templates = outer


def _or_nil(value: object) -> object:
    """Return a value as conditions take it: nil if nothing that is known sets it."""
    return None if isinstance(value, Unset) else value


def _field(value: object, name: str) -> object:
    """Return a field of a value; raise `NotRendered` if it cannot have any."""
    if isinstance(value, MethodSet) and name in value.methods:
        return _Method(name, value.methods[name])
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, Struct):
        if name in value.fields:
            return value.fields[name]
        if name in value.methods:
            return _Method(name, value.methods[name])
        raise NotRendered(f"can't evaluate field {name} in type {value.name}")
    if value is None:
        raise NotRendered(f"nil pointer evaluating interface {{}}.{name}")
    raise NotRendered(f"can't evaluate field {name} in type {type_name(value)}")


def _without_no_value(text: str) -> str:
    """Return a text without what Go writes for nil, which Helm removes from its output."""
    at = text.find(_NO_VALUE)
    if at < 0:
        return text
    edits: list[tuple[int, int, str]] = []
    while at >= 0:
        edits.append((at, at + len(_NO_VALUE), ""))
        at = text.find(_NO_VALUE, at + len(_NO_VALUE))
    return replaced(text, edits)
