"""Descriptions of when a conditional input is required, found by varying the other inputs.

A declaration says with a predicate whether an input is needed given the others. The inputs that the predicate reads are
tried one at a time, and in pairs if no single one changes the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from flink_flint.calculators.answering.declaration import (
    Given,
    Input,
    Inputs,
    draft,
    flag_of,
    inputs_of,
    values_in_use,
    with_defaults,
)
from flink_flint.linter.text.named_tuple import NamedTuple


class _Supposed(NamedTuple):
    """An input with a trial value."""

    name: str
    value: Any
    words: str
    """The flag as typed, without the value if any value has the effect."""


def _watched(declaration: type[Inputs], values: Given, seen: set[str]) -> Inputs:
    """Return inputs that record in `seen` the names of the fields that are read."""

    class Watched(declaration):  # type: ignore[valid-type,misc] # of a calculator
        def __getattribute__(self, name: str) -> Any:
            seen.add(name)
            return super().__getattribute__(name)

    made = draft(declaration, values)
    object.__setattr__(made, "__class__", Watched)
    return made


_Ways = list[tuple[_Supposed, ...]]


def condition(declaration: type[Inputs], declared: Input) -> str:
    """Return the condition under which an input is required: ``with --rate``, ``unless --live-set is given``.

    The text is empty if the input is always or never required, or if its condition needs more than a few words.
    """
    if (declared.required and declared.when is None) or (not declared.required and declared.needed is None):
        return ""
    given = {
        one.name: one.unit.read(one.example)
        for one in inputs_of(declaration)
        if one.required and one.when is None and one.name != declared.name
    }
    if _is_required(declaration, declared, given):
        return _unless(_ways(declaration, declared, given, wanted=False))
    on = _ways(declaration, declared, given, wanted=True)
    if not on:
        return ""
    beside = {**given, **{one.name: one.value for one in on[0]}}
    off = [
        way
        for way in _ways(declaration, declared, beside, wanted=False)
        if not {one.name for one in way} & {one.name for one in on[0]}
    ]
    return f"with {_listed(on)}, {_unless(off)}" if off else f"with {_listed(on)}"


def instead(declaration: type[Inputs], given: Given, declared: Input) -> str:
    """Return the flags that can replace a missing input, such as ``--live-set``; empty if there are none."""
    known = {name: value for name, value in given.items() if value is not None}
    if not _is_required(declaration, declared, known):
        return ""
    defaults = with_defaults(declaration, {})
    ways = [
        way
        for way in _ways(declaration, declared, known, wanted=False)
        # A user who gave a value is not advised to remove it.
        if all(known.get(one.name) in (None, defaults[one.name]) for one in way)
    ]
    return _listed(ways)


def _unless(ways: _Ways) -> str:
    if not ways:
        return ""
    return f"unless {_listed(ways)} {'is' if len(ways[0]) == 1 else 'are'} given"


def _listed(ways: _Ways) -> str:
    """Return ``--a or --b``, ``--a and --b``, ``--a, and --b or --c``."""
    words = [[one.words for one in way] for way in ways]
    if len(words) < 2:
        return " and ".join(words[0]) if words else ""
    common = [word for word in words[0] if all(word in way for way in words)]
    others = " or ".join(" and ".join(word for word in way if word not in common) for way in words)
    return f"{' and '.join(common)}, and {others}" if common else others


def _ways(declaration: type[Inputs], declared: Input, given: Mapping[str, Any], *, wanted: bool) -> _Ways:
    """Return the smallest sets of one or two inputs that make another one required or not required."""
    candidates = list(_candidates(declaration, declared, given))
    for size in (1, 2):
        found = [
            way
            for way in combinations(candidates, size)
            if len({one.name for one in way}) == size and _plays_and_makes(declaration, declared, given, way, wanted)
        ]
        if found:
            return found
    return []


def _plays_and_makes(
    declaration: type[Inputs], declared: Input, given: Mapping[str, Any], way: tuple[_Supposed, ...], wanted: bool
) -> bool:
    """Return whether a set of inputs affects the answer and changes whether the other one is required."""
    values = {**given, **{one.name: one.value for one in way}}
    left = values_in_use(declaration, values)
    return all(one.name in left for one in way) and _is_required(declaration, declared, values) == wanted


def _is_required(declaration: type[Inputs], declared: Input, given: Given) -> bool:
    values = values_in_use(declaration, given)
    return values.get(declared.name) is None and declared.is_required(
        draft(declaration, with_defaults(declaration, values))
    )


def _candidates(declaration: type[Inputs], declared: Input, given: Given) -> Iterator[_Supposed]:
    """Yield sample values of the other inputs that the conditions of `declared` read, directly or indirectly."""
    declarations = {one.name: one for one in inputs_of(declaration)}
    names = _looked_at(declaration, declared, given)
    names |= {
        more for name in names & declarations.keys() for more in _looked_at(declaration, declarations[name], given)
    }
    known = with_defaults(declaration, given)
    for one in declarations.values():
        if one.name not in names or one.name == declared.name:
            continue
        flag = flag_of(one.name)
        if one.unit.choices:
            yield from (
                _Supposed(one.name, word, f"{flag} {word}") for word in one.unit.choices if word != known[one.name]
            )
        elif "boolean" in one.unit.json_types:
            yield _Supposed(one.name, not known[one.name], f"{flag} no" if known[one.name] else flag)
        elif given.get(one.name) is None:
            yield _Supposed(one.name, one.unit.read(one.example), flag)


def _looked_at(declaration: type[Inputs], declared: Input, given: Given) -> set[str]:
    """Return the names of all inputs that the conditions of an input can read."""
    found: set[str] = set()
    conditions = [one for one in (declared.when, declared.needed) if one is not None]
    examples = {one.name: one.unit.read(one.example) for one in inputs_of(declaration)}
    words = {one.name: one.unit.choices for one in inputs_of(declaration)}
    known = with_defaults(declaration, given)
    todo: list[dict[str, Any]] = [known]
    while todo:
        values = todo.pop()
        for one in conditions:
            seen: set[str] = set()
            one(_watched(declaration, values, seen))
            for name in (seen - found) & examples.keys():
                found.add(name)
                # A condition may read some inputs only for certain values of the inputs it reads first.
                todo += [{**known, name: None}, {**known, name: examples[name]}]
                todo += [{**known, name: word} for word in words[name]]
    return found
