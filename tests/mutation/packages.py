"""Mutants of the packages outside `rules/`, which the tests in the folder of the same name judge.

Each mutant is written into a copy of the repository, where pytest runs until the first test fails: the module's own
test file first, then the tests of its package's folders that run the broken line, then the cases of all rules if these
go through the package, and last the slow tests of the module's file.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Self

from tests.mutation.covering import Covering
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.trial import Outcome

ROOT = Path(__file__).parents[2]
_QUICK = "not flink and not tools and not live and not slow"
_SLOW = "slow and not flink and not tools and not live"
_PASS = {0, 5}
"""The exit statuses of pytest if all tests pass, and if it selects none."""
_NO_SUCH_TEST = 4
_TESTS = {
    "calculators": ["tests/calculators"],
    "calculators.history": ["tests/history"],
    "calculators.interactive": ["tests/interactive"],
    "calculators.recommend": ["tests/recommend"],
    "linter.commands": ["tests/commands", "tests/command_line"],
}
"""Where the tests of a package are, if not in `tests/` under its last name or in `tests/calculators`."""
_CASES = ["tests/rules/test_cases.py"]
_JUDGED_BY_CASES = {
    "calculators.formulas", "linter.engine", "linter.fix", "linter.flink", "linter.formats", "linter.model",
    "linter.text",
}  # fmt: skip
"""The packages that every case of a rule goes through."""


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
    """Return `count` mutants of a package's conditions, drawn by `seed`, or all if there are fewer.

    Whether one is drawn depends on what it breaks, and hardly on the rest of the package: a change of the code leaves
    the sample of the other conditions as it was.
    """

    def lot(mutant: Mutant) -> bytes:
        return sha256("\0".join((str(seed), mutant.module, mutant.before, mutant.after)).encode()).digest()

    found = [mutant for path in _modules(package) for mutant in _conditions(path)]
    return sorted(sorted(found, key=lot)[:count], key=lambda mutant: (mutant.module, mutant.line, mutant.after))


def trials(package: str, chosen: Sequence[Mutant]) -> Iterator[tuple[Mutant, Outcome]]:
    """Run the tests of a package against mutants, on all processors; raises FailingTestsError."""
    if not chosen:
        return
    # Tests that start processes wait for them, so that more workers than processors are faster.
    workers = min(2 * (os.cpu_count() or 1), len(chosen))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        copies: SimpleQueue[_Copy] = SimpleQueue()
        for number in range(workers):
            copies.put(opened.enter_context(_Copy(Path(folder, str(number)))))

        def run(mutant: Mutant) -> Outcome:
            copy = copies.get()
            try:
                return copy.outcome(mutant, package, covering, seconds)
            finally:
                copies.put(copy)

        first = copies.get()
        begun = time.monotonic()
        measured = Path(folder, "coverage")
        if first.run(folders_of(package), seconds=3600, measured=measured) != 0:
            raise FailingTestsError(f"the tests of {package} fail without any mutant: {' '.join(folders_of(package))}")
        seconds = time.monotonic() - begun
        covering = Covering(first.folder, measured)
        copies.put(first)
        with ThreadPoolExecutor(workers) as pool:
            yield from zip(chosen, pool.map(run, chosen), strict=True)


class _Copy:
    """A copy of the repository with a process that runs pytest in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        _copy_to(folder)
        environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        self._server = subprocess.Popen(
            [sys.executable, "tests/mutation/forked_pytest.py"],
            cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()  # ends it, as its input ends

    def run(self, tests: Sequence[str], seconds: float, marked: str = _QUICK, measured: Path | None = None) -> int:
        """Run tests with some marks until one fails, and write what they cover if wanted; return the exit status."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        arguments = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", marked, *tests]
        request = {"arguments": arguments, "seconds": seconds, "coverage": measured and str(measured)}
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def outcome(self, mutant: Mutant, package: str, covering: Covering, seconds: float) -> Outcome:
        """Write a mutant and run the tests of its package, which take some seconds; put the original back."""
        try:
            compile(mutant.source, mutant.path, "exec")
        except SyntaxError:
            return Outcome.NO_PROGRAM
        path = self.folder / mutant.path
        original = path.read_text(encoding="utf-8")
        path.write_text(mutant.source, encoding="utf-8")
        # A busy machine is no reason to call a mutant hanging.
        limit = 120 + 4 * seconds
        cases = _CASES if package in _JUDGED_BY_CASES else []
        covered = covering.tests_of(mutant)
        nearest = _nearest(package, mutant)
        # Tests that start processes are not known to run a line.
        covered = folders_of(package) if covered is None else covered
        rounds = ((nearest, _QUICK), (covered, _QUICK), (cases, _QUICK), (nearest, _SLOW))
        try:
            runs = (self.run(tests, limit, marked) for tests, marked in rounds if tests)
            status = next((status for status in runs if status not in _PASS), 0)
        finally:
            path.write_text(original, encoding="utf-8")
        assert status != _NO_SUCH_TEST, f"tests named for {mutant.path} that pytest does not know"
        return Outcome.KILLED if status else Outcome.SURVIVED


def _modules(package: str) -> list[Path]:
    """Return the modules of a package; those directly in `calculators` alone, whose packages are listed apart."""
    folder = ROOT.joinpath(*package.split("."))
    return sorted(folder.rglob("*.py") if "." in package else folder.glob("*.py"))


def _conditions(path: Path) -> list[Mutant]:
    module = ".".join(("flink_flint", *path.relative_to(ROOT).with_suffix("").parts))
    return mutants(module, path.read_text(encoding="utf-8"), conditions_only=True)


def _copy_to(target: Path) -> None:
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


def _nearest(package: str, mutant: Mutant) -> list[str]:
    """Return the test files named like the module or a folder of it."""
    names = [f"test_{part}.py" for part in reversed(mutant.module.split(".")[2:])]
    found = [path for name in names for folder in folders_of(package) for path in (ROOT / folder).rglob(name)]
    return [str(path.relative_to(ROOT)) for path in found]
