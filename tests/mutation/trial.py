"""Whether the cases notice a mutant.

The mutants of a module run in a process forked from one that has everything imported and every cache warm, so that one
costs little more than the cases that run before the first of them fails. A mutant that hangs or crashes takes the
process down with it, and the next begins in a new one.
"""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
import tempfile
import tomllib
import types
from collections.abc import Collection, Sequence
from enum import Enum
from pathlib import Path

from flink_flint.linter.engine import registry, selection
from flink_flint.linter.engine.declarative_rules import DeclarationError, declared_rule
from flink_flint.linter.model.rule import Rule
from tests.mutation.modules import Cases, path_of
from tests.mutation.mutants import Mutant
from tests.rules.cases import assert_case

SECONDS = 10.0
"""Processor time after which a mutant counts as hanging. All cases of one rule take less than one second."""
_MEMORY = 4 << 30


class Outcome(Enum):
    """What became of a mutant."""

    SURVIVED = 0
    KILLED = 1
    NO_PROGRAM = 2
    """What the operator wrote does not compile, or declares nothing one could judge by: it is no mutant at all."""


def passes(rules: Sequence[Cases]) -> list[str]:
    """Run the cases of rules as they are; tells which fail. Afterwards whatever they need is in memory."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for one in rules:
            rule = registry.rule_of(one.module)
            assert rule is not None
            if not _all_pass(one, rule, Path(folder, one.code)):
                failed.append(one.code)
    return failed


def outcomes(
    mutants: Sequence[Mutant], judges: Sequence[Cases], importers: Collection[str], seconds: float = SECONDS
) -> list[Outcome]:
    """What becomes of a module's mutants under the cases that judge it; `importers` are the modules that use it."""
    known: list[Outcome] = []
    while len(known) < len(mutants):
        told = _in_a_process(mutants[len(known) :], judges, importers, seconds)
        known += map(Outcome, told)
        if len(known) < len(mutants):
            known.append(Outcome.KILLED)  # it hung, or took the process down
    return known


def _in_a_process(
    mutants: Sequence[Mutant], judges: Sequence[Cases], importers: Collection[str], seconds: float
) -> bytes:
    """The outcomes of mutants, one byte each, as far as the process came."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = os.fork()
        if process == 0:
            try:
                _limit()
                for mutant in mutants:
                    signal.setitimer(signal.ITIMER_PROF, seconds)  # of processor time: a busy machine changes nothing
                    became = _try(mutant, judges, importers, Path(folder))
                    os.write(writing, bytes([became.value]))
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, "rb") as stream:
            told = stream.read()
        os.waitpid(process, 0)
    return told


def _limit() -> None:
    """Bound what a mutant may do."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _try(mutant: Mutant, judges: Sequence[Cases], importers: Collection[str], folder: Path) -> Outcome:
    """Run the cases that judge a mutant, until one fails."""
    try:
        _install(mutant)
        for name in importers:
            sys.modules.pop(name, None)
        for judge in judges:
            if not _all_pass(judge, _declare(judge), folder / judge.code):
                return Outcome.KILLED
    except (SyntaxError, DeclarationError):
        return Outcome.NO_PROGRAM
    except BaseException:
        return Outcome.KILLED
    return Outcome.SURVIVED


def _install(mutant: Mutant) -> None:
    """Put a mutant in the place of the module; raises SyntaxError or DeclarationError for what is none."""
    name = mutant.module
    if mutant.ending == registry.DECLARED:
        *_, family, rule = name.split(".")
        said = tomllib.loads(mutant.source)
        declared_rule({"name": rule.replace("_", "-"), **said}, family=family, module=name)
        return
    code = compile(mutant.source, mutant.path, "exec")
    module = types.ModuleType(name)
    module.__file__ = str(path_of(name))
    module.__package__ = name.rpartition(".")[0]
    sys.modules[name] = module
    exec(code, module.__dict__)


def _declare(judge: Cases) -> Rule:
    """The rule that its module, as it is now, declares, in the registry in place of the one there."""
    found = next(value for value in vars(importlib.import_module(judge.module)).values() if isinstance(value, Rule))
    declaration = registry.declare(found)
    known = registry.registry()
    known.declarations = sorted([*(one for one in known.declarations if one.code != judge.code), declaration])
    known.by_code[judge.code] = known.by_name[found.name] = declaration
    registry._LOADED[judge.code] = found
    selection._readers.cache_clear()
    selection.called_by.cache_clear()
    selection.project_rules.cache_clear()
    return found


def _all_pass(judge: Cases, rule: Rule, folder: Path) -> bool:
    for number, case in enumerate(judge.cases):
        place = folder / str(number)
        place.mkdir(parents=True, exist_ok=True)  # the same files as for the mutant before
        try:
            assert_case(rule, case, place)
        except Exception:  # assertions, and whatever else a mutant may raise
            return False
    return True
