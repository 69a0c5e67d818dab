"""The mutants of a rule that is data: its TOML, with one condition broken in one place each."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flink_flint.linter.engine.registry import DECLARED
from flink_flint.linter.model.rule import CATALOGUED
from tests.mutation.mutants import Mutant, mutant_of

_TURNED = {
    "above": "below", "below": "above", "at-least": "at-most", "at-most": "at-least",
    "matches": "matches-not", "matches-not": "matches",
}  # fmt: skip
_NEXT = {"above": "at-least", "at-least": "above", "below": "at-most", "at-most": "below"}
"""The limit that differs at the bound alone."""
_TESTS = frozenset({"set", "is", "is-not", *_TURNED})
_SWITCHES = ("or-default", "every-release", "of-scale")
_ITEM = re.compile(r"^( +)\S", re.MULTILINE)
_AMOUNT = re.compile(r"[0-9]+(?:\.[0-9]+)?")

_Change = tuple[str, Mapping[str, Any]]
"""A statement or test by its name, and what stands in its place: nothing, itself with another value, or another one."""


def declared_mutants(module: str, source: str) -> list[Mutant]:
    """All mutants of a declaration, in the order of its text."""
    statements = list(_statements(source))
    found: dict[str, Mutant] = {}
    for name, instead in _changes(tomllib.loads(source)):
        after = "".join(text if one != name else _written(instead, text) for one, text in statements)
        if after != source:
            found.setdefault(after, mutant_of(module, source, after, DECLARED))
    return sorted(found.values(), key=lambda mutant: (mutant.line, mutant.before, mutant.after))


def _changes(said: Mapping[str, Any]) -> Iterator[_Change]:
    """Each statement that decides something, beside what it is broken into."""
    for name, instead in _broken(said):
        yield name, instead or {"set": True}
    for name in ("also", "unless"):
        conditions = said.get(name, [])
        for place, condition in enumerate(conditions):
            yield name, _items(name, [*conditions[:place], *conditions[place + 1 :]])
            for test, instead in _broken(condition):
                changed = _put(condition, test, instead)
                if _tested(changed) and not (name == "unless" and changed.get("is") == []):  # else it is as left out
                    yield name, {name: [*conditions[:place], changed, *conditions[place + 1 :]]}
    yield from _unbound(said)


def _broken(condition: Mapping[str, Any]) -> Iterator[_Change]:
    """The tests of one option, each left out, turned round, or of another value."""
    for name in _tested(condition):
        value = condition[name]
        if name != "is-not":  # which is left out where it names nothing
            yield name, {}
        if name == "set":
            yield name, {name: not value}
        elif name in ("is", "is-not"):
            yield name, {name: []}
            for place in range(len(value)):
                yield name, {name: [*value[:place], *value[place + 1 :]]}
        else:
            yield name, {_TURNED[name]: value}
        if name in _NEXT:
            yield name, {_NEXT[name]: value}
            yield name, {name: _doubled(value)}


def _unbound(said: Mapping[str, Any]) -> Iterator[_Change]:
    """What bounds the whole rule, left out or negated."""
    flink = said.get("flink", CATALOGUED)
    if flink != CATALOGUED:
        yield "flink", {}
        bounds = flink.split(",")
        for place in range(len(bounds) if len(bounds) > 1 else 0):
            yield "flink", {"flink": ",".join([*bounds[:place], *bounds[place + 1 :]])}
    platforms = said.get("platform", [])
    if platforms:
        yield "platform", {}
    for platform in platforms:
        yield "platform", _items("platform", [other for other in platforms if other != platform])
    for name in _SWITCHES:
        if name in said and not (name == "of-scale" and said["severity"] == "info"):  # no scale makes advice milder
            yield name, {name: not said[name]}


def _tested(condition: Mapping[str, Any]) -> list[str]:
    return [name for name in condition if name in _TESTS]


def _put(condition: Mapping[str, Any], test: str, instead: Mapping[str, Any]) -> dict[str, Any]:
    """A condition with something else in the place of one of its tests."""
    changed: dict[str, Any] = {}
    for name, value in condition.items():
        changed |= instead if name == test else {name: value}
    return changed


def _items(name: str, rest: Sequence[Any]) -> Mapping[str, Any]:
    """A list of what is left; without any, no statement at all."""
    return {name: rest} if rest else {}


def _doubled(value: Any) -> Any:
    """Twice a number, or an amount with its unit; 1 for the number 0."""
    if not isinstance(value, str):
        return value * 2 or 1
    return _AMOUNT.sub(lambda match: f"{float(match.group()) * 2:.15g}", value, count=1)


def _statements(source: str) -> Iterator[tuple[str, str]]:
    """A declaration's text by its statements; what is none, and all from the first case on, has no name."""
    begun = ""
    lines = iter(source.splitlines(keepends=True))
    for line in lines:
        begun += line
        try:
            (name,) = tomllib.loads(begun) or ("",)
        except tomllib.TOMLDecodeError:
            continue  # it goes on in the next line
        if name == "case":
            break
        yield name, begun
        begun = ""
    yield "", begun + "".join(lines)


def _written(instead: Mapping[str, Any], text: str) -> str:
    """What stands in the place of a statement, its items in lines of their own where they are so there."""
    indented = _ITEM.search(text)
    lines = []
    for name, value in instead.items():
        if indented and isinstance(value, list):
            lines += [f"{name} = [\n", *(f"{indented.group(1)}{_toml(one)},\n" for one in value), "]\n"]
        else:
            lines.append(f"{name} = {_toml(value)}\n")
    return "".join(lines)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(one)}' for name, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
