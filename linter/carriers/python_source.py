"""A Flink job's source in Python."""

from __future__ import annotations

from linter.carriers.source.carrier import SourceCarrier
from linter.carriers.source.tree import Program
from linter.patterns import regex

_IMPORT = regex(r"(?m)^[ \t\f]*+(?:from|import)\s+pyflink\b")


class PythonSourceCarrier(SourceCarrier):
    """Python that imports PyFlink."""

    comments = ("#",)

    def recognise(self, name: str, head: str) -> bool:
        """By the ending and an import of PyFlink."""
        return name.endswith(".py") and _IMPORT.search(head) is not None

    def program(self, path: str, text: str) -> Program:
        """The program in a file."""
        from linter.carriers.source.python import PythonReader

        return PythonReader(text).program()


CARRIER = PythonSourceCarrier()
