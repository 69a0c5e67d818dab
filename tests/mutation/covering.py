"""Which test runs which line, so that a mutant is tried with the tests that can notice it and no others."""

from __future__ import annotations

from pathlib import Path

from coverage import CoverageData

from tests.mutation.mutants import Mutant


class Covering:
    """What a run of tests covered in a copy of the repository."""

    def __init__(self, folder: Path, measured: Path) -> None:
        self._folder = folder.resolve()
        self._data = CoverageData(basename=str(measured))
        self._data.read()

    def tests_of(self, mutant: Mutant) -> list[str] | None:
        """Return the test functions that run a mutant's lines, as pytest names them.

        None if that is unknown: a line runs at import, in a fixture or a thread, or only in other processes.
        """
        by_line = self._data.contexts_by_lineno(str(self._folder / mutant.path))
        lines = range(mutant.line, mutant.line + max(1, mutant.before.count("\n")))
        names = {name for line in lines for name in by_line.get(line, ())}
        if not names or not all(self._is_test(name) for name in names):
            return None
        return sorted(self._node(name) for name in names)

    def _is_test(self, name: str) -> bool:
        path, _, function = self._node(name).partition("::")
        return function.startswith("test_") and self._folder.joinpath(path).is_file()

    @staticmethod
    def _node(name: str) -> str:
        module, _, function = name.rpartition(".")
        return f"{module.replace('.', '/')}.py::{function}"
