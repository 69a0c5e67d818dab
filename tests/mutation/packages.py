"""Mutants of the packages outside `rules/`, which the tests in the folder of the same name judge.

Each mutant is written into a copy of the repository, where pytest runs until the first test fails: the module's own
test file first, then the folder of its package, then the slow tests.
"""

from __future__ import annotations

import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutation.mutants import Mutant, mutants
from tests.mutation.trial import Outcome

ROOT = Path(__file__).parents[2]
_FAST = "not flink and not tools and not live and not slow"
_SLOW = "not flink and not tools and not live and slow"
_NO_TESTS = 5
"""The exit status of pytest if it selects none."""
_TESTS = {
    "calculators": ["tests/calculators"],
    "calculators.history": ["tests/history"],
    "calculators.interactive": ["tests/interactive"],
    "calculators.recommend": ["tests/recommend"],
    "linter.commands": ["tests/commands", "tests/command_line"],
    "linter.revisions": ["tests/pull_request"],
}
"""Where the tests of a package are, if not in `tests/` under its last name or in `tests/calculators`."""


class FailingTestsError(Exception):
    """The tests of a package fail without any mutant."""


def packages() -> list[str]:
    """Return the packages of `linter` and `calculators`, and `calculators` for the modules directly in it."""
    found = [
        f"{top}.{path.name}"
        for top in ("linter", "calculators")
        for path in sorted((ROOT / top).iterdir())
        if (path / "__init__.py").exists()
    ]
    return ["calculators", *found]


def folders_of(package: str) -> list[str]:
    """Return the folders whose tests judge a package."""
    name = package.rpartition(".")[2]
    if package in _TESTS:
        return _TESTS[package]
    return [f"tests/{name}"] if (ROOT / "tests" / name).is_dir() else ["tests/calculators"]


def sampled(package: str, count: int, seed: int) -> list[Mutant]:
    """Return `count` mutants of a package's conditions, drawn by `seed`, or all if there are fewer."""
    found = [mutant for path in _modules(package) for mutant in _conditions(path)]
    drawn = random.Random(seed).sample(found, min(count, len(found)))
    return sorted(drawn, key=lambda mutant: (mutant.module, mutant.line, mutant.after))


def trials(package: str, chosen: Sequence[Mutant]) -> Iterator[tuple[Mutant, Outcome]]:
    """Run the tests of a package against mutants, on all processors; raises FailingTestsError."""
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(min(workers, len(chosen))):
            copies.put(_copied(Path(folder, str(number))))
        first = copies.get()
        seconds = _without_mutant(first, package)
        copies.put(first)

        def run(mutant: Mutant) -> Outcome:
            copy = copies.get()
            try:
                return _outcome(copy, mutant, package, seconds)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(workers) as pool:
            yield from zip(chosen, pool.map(run, chosen), strict=True)


def _modules(package: str) -> list[Path]:
    """Return the modules of a package; those directly in `calculators` alone, whose packages are listed apart."""
    folder = ROOT.joinpath(*package.split("."))
    return sorted(folder.rglob("*.py") if "." in package else folder.glob("*.py"))


def _conditions(path: Path) -> list[Mutant]:
    module = ".".join(("flink_flint", *path.relative_to(ROOT).with_suffix("").parts))
    return mutants(module, path.read_text(encoding="utf-8"), conditions_only=True)


def _copied(target: Path) -> Path:
    """Copy the files that git knows or would add, links as links."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0"):
        if name and os.path.lexists(ROOT / name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)
    # Bytecode is found by its source's hash: two mutants of one size may be written within a second.
    compiled = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "linter", "rules", "calculators"]
    subprocess.run([sys.executable, *compiled], cwd=target, check=True)
    subprocess.run(["git", "init", "-q"], cwd=target, check=True)
    return target


def _without_mutant(copy: Path, package: str) -> float:
    """Run the tests as they are; the seconds they took."""
    begun = time.monotonic()
    run = _pytest(copy, _FAST, folders_of(package), timeout=None)
    if run.returncode != 0:
        raise FailingTestsError(f"the tests of {package} fail without any mutant:\n{run.stdout[-2000:]}")
    return time.monotonic() - begun


def _outcome(copy: Path, mutant: Mutant, package: str, seconds: float) -> Outcome:
    try:
        compile(mutant.source, mutant.path, "exec")
    except SyntaxError:
        return Outcome.NO_PROGRAM
    path = copy / mutant.path
    original = path.read_text(encoding="utf-8")
    path.write_text(mutant.source, encoding="utf-8")
    try:
        # A busy machine is no reason to call a mutant hanging.
        tests, timeout = _nearest_first(package, mutant), 60 + 3 * seconds
        if _pytest(copy, _FAST, tests, timeout).returncode != 0:
            return Outcome.KILLED
        survives = _pytest(copy, _SLOW, tests, 10 * timeout).returncode in (0, _NO_TESTS)
        return Outcome.SURVIVED if survives else Outcome.KILLED
    except subprocess.TimeoutExpired:
        return Outcome.KILLED
    finally:
        path.write_text(original, encoding="utf-8")


def _nearest_first(package: str, mutant: Mutant) -> list[str]:
    """Return what pytest is to run: the test file named like the module or its folder, then the package's folders."""
    names = [f"test_{part}.py" for part in reversed(mutant.module.split(".")[2:])]
    folders = folders_of(package)
    near = [str(path.relative_to(ROOT)) for name in names for folder in folders for path in (ROOT / folder).rglob(name)]
    return [*near, *folders]


def _pytest(copy: Path, marks: str, tests: Sequence[str], timeout: float | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", "-m", marks]
    return subprocess.run(
        [*command, *tests], cwd=copy, env=environment, capture_output=True, text=True, errors="replace", timeout=timeout
    )
