"""`make mutation`: breaks conditions of rules and packages, and prints which of that no case or test notices.

    python -m tests.mutation [--at-least 80] [--every N] [--sample MODULES] [--survivors] [RULE | FAMILY | MODULE]...
    python -m tests.mutation [--at-least 85] [--sample 60] [--seed 1] [--killed FILE] [--survivors] PACKAGE...

Prints a line for each module of rules below the mark with its survivors (of every module with ``--survivors``), and the
score of each family or package and of all; exit status 1 where one is below the mark, 2 where the cases or tests fail
to begin with. `packages` stands for all packages. With ``--killed``, a run that was stopped goes on where it was, and
after new tests only survivors are tried.
"""

from __future__ import annotations

import argparse
import ast
import gc
import multiprocessing
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from flink_flint.linter.engine import registry
from tests.mutation.excuses import Excuse, read_excuses, unused
from tests.mutation.modules import Modules
from tests.mutation.mutants import Mutant
from tests.mutation.packages import FailingTestsError, packages, sampled, trials
from tests.mutation.trial import Outcome, outcomes, passes

SAMPLE = 60
"""Mutants of a package."""

AT_LEAST = 80.0
"""Per cent of the mutants that cases must notice."""


class Score(NamedTuple):
    """How the cases of one module did."""

    module: str
    killed: int
    survivors: tuple[Mutant, ...]
    excused: tuple[Mutant, ...] = ()

    @property
    def family(self) -> str:
        """The family it belongs to."""
        return self.module.split(".")[2]

    @property
    def tried(self) -> int:
        """How many mutants count."""
        return self.killed + len(self.survivors)


def main(arguments: Sequence[str]) -> int:
    """Run the mutants and print the table; the exit status."""
    options = _options(arguments)
    if options.rules and all(word in ("packages", *packages()) for word in options.rules):
        return _of_packages(options)
    modules, excuses = Modules(), read_excuses()
    try:
        chosen = _chosen(modules, options.rules)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.sample is not None:
        chosen = random.Random(options.seed).sample(sorted(chosen), min(options.sample, len(chosen)))
    failed = passes(list({judge.code: judge for name in chosen for judge in modules.judges(name)}.values()))
    if failed:
        print(f"cases fail without any mutant: {' '.join(failed)}; fix them first", file=sys.stderr)
        return 2
    scores = []
    for score in run(modules, chosen, options.every):
        score = excuse(score, excuses)
        scores.append(score)
        low = score.tried and percent([score]) < options.at_least
        if low or (options.survivors and score.survivors):
            print(f"{_named(modules, score.module)}  {score.killed}/{score.tried}  {percent([score]):.0f} %")
            print("".join(map(str, score.survivors)), flush=True)
    for family in sorted({score.family for score in scores}):
        print(_line(family, [score for score in scores if score.family == family]))
    print(_line("all", scores))
    stale = unused(excuses, (one for score in scores for one in score.excused), chosen) if options.every == 1 else []
    for one in stale:
        print(f"equivalent.toml excuses what does not survive: {one.module}: {one.line}", file=sys.stderr)
    return 1 if stale or percent(scores) < options.at_least else 0


def _of_packages(options: argparse.Namespace) -> int:
    """Break a sample of the conditions of packages; the exit status."""
    excuses, scores = read_excuses(), []
    killed = set(
        options.killed.read_text(encoding="utf-8").split() if options.killed and options.killed.exists() else ()
    )
    for package in packages() if "packages" in options.rules else dict.fromkeys(options.rules):
        outcomes: list[Outcome] = []
        survivors = []
        try:
            chosen = sampled(package, options.sample or SAMPLE, options.seed)
            left = [mutant for mutant in chosen if _mark(mutant) not in killed]
            outcomes += [Outcome.KILLED] * (len(chosen) - len(left))
            for mutant, outcome in trials(package, left):
                outcomes.append(outcome)
                if options.killed and outcome is Outcome.KILLED:
                    with options.killed.open("a", encoding="utf-8") as stream:
                        stream.write(f"{_mark(mutant)}\n")
                if outcome is Outcome.SURVIVED:
                    survivors.append(mutant)
                    if options.survivors:
                        print(mutant, end="", flush=True)
        except FailingTestsError as error:
            print(error, file=sys.stderr)
            return 2
        score = excuse(Score(package, outcomes.count(Outcome.KILLED), tuple(survivors)), excuses)
        scores.append(score)
        print(_line(package, [score]), flush=True)
        if not options.survivors and percent([score]) < options.at_least:
            print("".join(map(str, score.survivors)), flush=True)
    print(_line("all", scores))
    return 1 if any(percent([score]) < options.at_least for score in scores) else 0


def _mark(mutant: Mutant) -> str:
    """Return what identifies a mutant as long as the code of its module stays the same, whatever its docstrings are."""
    try:
        code = ast.dump(_WithoutDocstrings().visit(ast.parse(mutant.source)))
    except SyntaxError:
        code = mutant.source
    return sha256(f"{mutant.module}\0{code}".encode()).hexdigest()[:24]


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node


def run(modules: Modules, chosen: Iterable[str], every: int = 1) -> Iterator[Score]:
    """Try every `every`-th mutant of modules, on all processors; the scores in order of the modules' names."""
    tasks = [(name, every) for name in sorted(chosen)]
    gc.collect()
    gc.freeze()  # what is there is never copied for the processes to come
    context = multiprocessing.get_context("fork")
    with context.Pool(os.cpu_count(), initializer=_begin, initargs=(modules,)) as pool:
        yield from pool.imap(_score, tasks)


def excuse(score: Score, excuses: Sequence[Excuse]) -> Score:
    """A score without the survivors that are the same by construction."""
    excused = tuple(mutant for mutant in score.survivors if any(one.fits(mutant) for one in excuses))
    return score._replace(survivors=tuple(one for one in score.survivors if one not in excused), excused=excused)


def percent(scores: Iterable[Score]) -> float:
    """How many of the mutants cases noticed."""
    scores = list(scores)
    tried = sum(score.tried for score in scores)
    return 100.0 * sum(score.killed for score in scores) / tried if tried else 100.0


_modules: Modules


def _begin(modules: Modules) -> None:
    global _modules
    _modules = modules


def _score(task: tuple[str, int]) -> Score:
    name, every = task
    judges, importers = _modules.judges(name), _modules.importers(name)
    mutants = _modules.mutants(name)[::every] if judges else []
    became = outcomes(mutants, judges, importers)
    survivors = (one._replace(source="") for one, what in zip(mutants, became, strict=True) if what is Outcome.SURVIVED)
    return Score(name, became.count(Outcome.KILLED), tuple(survivors))


def _chosen(modules: Modules, words: Sequence[str]) -> list[str]:
    """The modules that words mean: a rule's code or name, a family, a module that rules share."""
    if not words:
        return list(modules.sources)
    chosen: dict[str, None] = {}
    for word in words:
        codes = registry.registry().selected(word)
        found = [name for name, rule in modules.rules.items() if rule.code in codes]
        found += [name for name in modules.sources if word in (name, name.rpartition(".")[2])]
        found += [name for name in modules.sources if name.split(".")[2] == word]
        if not found:
            raise ValueError(f"{word} is no rule, no family and no module below rules/")
        chosen |= dict.fromkeys(found)
    return list(chosen)


def _named(modules: Modules, name: str) -> str:
    rule = modules.rules.get(name)
    return name if rule is None else f"{rule.code} {name}"


def _line(title: str, scores: Sequence[Score]) -> str:
    killed, tried = sum(score.killed for score in scores), sum(score.tried for score in scores)
    excused = sum(len(score.excused) for score in scores)
    return f"{title:<18} {killed:>6}/{tried:<6} {percent(scores):5.1f} %{f'  ({excused} excused)' if excused else ''}"


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="Mutation tests.")
    parser.add_argument(
        "rules", nargs="*", metavar="RULE", help="a code, a name, a family or a module; all if none; or packages"
    )
    parser.add_argument("--sample", type=int, metavar="N", help="modules of rules (all) or mutants of a package (60)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="selects the sample (1)")
    parser.add_argument("--at-least", type=float, default=AT_LEAST, metavar="PERCENT", help="the mark (80)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th mutant of each module alone")
    parser.add_argument(
        "--killed",
        type=Path,
        metavar="FILE",
        help="mutants of packages that tests noticed: read, not tried again, added to",
    )
    parser.add_argument("--survivors", action="store_true", help="survivors of modules above the mark as well")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
