"""The modules below `rules/`: which are made of which, and by whose cases each is judged."""

from __future__ import annotations

import ast
import importlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import libcst as cst

from flink_flint.linter.engine import registry
from flink_flint.linter.model.rule import Case, Rule
from tests.mutation.declarations import declared_mutants
from tests.mutation.judged import Judged, judge
from tests.mutation.mutants import Mutant, mutants


class Cases(NamedTuple):
    """A rule by its module, with the cases that stand in its file."""

    module: str
    code: str
    family: str
    cases: tuple[Case, ...]


class Modules:
    """All modules of rules and what they share, read once."""

    def __init__(self) -> None:
        self.rules: dict[str, Cases] = {}
        for name in registry.modules():
            rule = registry.rule_of(name)
            if rule is not None and rule.scope != "crash":
                self.rules[name] = cases_of(name, rule)
        self.sources = {name: path_of(name).read_text(encoding="utf-8") for name in (*self.rules, *_shared())}
        self._imports = {
            name: set() if _is_declared(name) else imported(source) & self.sources.keys()
            for name, source in self.sources.items()
        }
        self._wanted: dict[str, set[str]] = {name: set() for name in self.sources}
        self._users: dict[str, set[str]] = {name: set() for name in self.sources}
        for name in self._users_first():
            for module, wanted in self._judge(name).uses if self._imports[name] else ():
                if module in self.sources:
                    self._wanted[module].add(wanted)
                    self._users[module].add(name)

    def mutants(self, name: str) -> list[Mutant]:
        """The mutants of a module."""
        source = self.sources[name]
        return declared_mutants(name, source) if _is_declared(name) else mutants(name, source, self._wanted[name])

    def judges(self, name: str) -> list[Cases]:
        """The rules whose cases judge a module: its own, then those made of it, the one with fewest cases first."""
        users = sorted((rule for rule in map(self.rules.get, self._reaching(name, self._users)) if rule is not None),
                       key=lambda rule: (len(rule.cases), rule.code))  # fmt: skip
        return [*([self.rules[name]] if name in self.rules else []), *users]

    def importers(self, name: str) -> set[str]:
        """The modules to be imported anew with a mutant of this one."""
        return self._reaching(name, self._importers())

    def _judge(self, name: str) -> Judged:
        return judge(cst.parse_module(self.sources[name]), self._wanted[name])

    def _users_first(self) -> list[str]:
        """All modules, each before those that it imports."""
        order: list[str] = []

        def visit(name: str) -> None:
            if name not in order:
                for other in sorted(self._imports[name]):
                    visit(other)
                order.append(name)

        for name in sorted(self.sources):
            visit(name)
        return order[::-1]

    def _importers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {name: set() for name in self.sources}
        for name, others in self._imports.items():
            for other in others:
                found[other].add(name)
        return found

    @staticmethod
    def _reaching(name: str, edges: dict[str, set[str]]) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            new = edges[waiting.pop()] - found
            found |= new
            waiting += new
        return found - {name}


def cases_of(name: str, rule: Rule) -> Cases:
    """The cases in a rule's file."""
    return Cases(name, rule.code, rule.family, tuple(importlib.import_module(name).cases()))


def imported(source: str) -> set[str]:
    """The modules that a module takes names from."""
    return {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.module}


def path_of(name: str) -> Path:
    """A module's file: a program, or a declaration."""
    path = Path(os.path.dirname(registry.PACKAGE), *name.split(".")[1:])
    declaration = path.with_suffix(registry.DECLARED)
    return declaration if declaration.exists() else path.with_suffix(".py")


def _is_declared(name: str) -> bool:
    return path_of(name).suffix == registry.DECLARED


def _shared() -> Iterable[str]:
    """The modules that families share, which declare no rule."""
    for family in sorted(os.listdir(registry.PACKAGE)):
        for path in sorted(Path(registry.PACKAGE, family).glob("_*.py")):
            if path.name != "__init__.py":
                yield f"flink_flint.rules.{family}.{path.stem}"
