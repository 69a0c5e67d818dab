"""Flink jobs in Python source files."""

from __future__ import annotations

from flink_flint.linter.formats.source.program import ProgramFormat
from flink_flint.linter.formats.source.program_tree import Program
from flink_flint.linter.text.lazy_regex import regex

_IMPORT = regex(r"(?m)^[ \t\f]*+(?:from|import)\s+pyflink\b")


class PythonProgramFormat(ProgramFormat):
    """Python sources that import PyFlink."""

    comments = ("#",)

    def recognize(self, name: str, head: str) -> bool:
        """Return whether `name` has the file name extension of Python and `head` imports PyFlink."""
        return name.endswith(".py") and _IMPORT.search(head) is not None

    def program(self, path: str, text: str) -> Program:
        """Parse a Python file as a program."""
        from flink_flint.linter.formats.source.languages.python_tree import PythonReader

        return PythonReader(text).program()


FILE_FORMAT = PythonProgramFormat()
