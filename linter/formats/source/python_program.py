"""Flink jobs and Beam pipelines for Flink in Python source files."""

from __future__ import annotations

from flink_flint.linter.formats.source.program import ProgramFormat
from flink_flint.linter.formats.source.program_tree import Program
from flink_flint.linter.text.lazy_regex import regex

_IMPORT = regex(r"(?m)^[ \t\f]*+(?:from|import)\s+pyflink\b")
_BEAM = regex(r"(?m)^[ \t\f]*+(?:from|import)\s+apache_beam\b")
_ON_FLINK = regex(r"\bFlinkRunner\b|\bflink_master\b|\bFlinkRunnerOptions\b")


class PythonProgramFormat(ProgramFormat):
    """Python sources that import PyFlink, or run a pipeline of Apache Beam on Flink."""

    comments = ("#",)

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a Python file imports PyFlink, or Beam for a pipeline on Flink."""
        if not name.endswith(".py"):
            return False
        if _IMPORT.search(head) is not None:
            return True
        on_flink = _ON_FLINK.search(head) is not None or ("PortableRunner" in head and "flink" in head.lower())
        return on_flink and _BEAM.search(head) is not None

    def program(self, path: str, text: str) -> Program:
        """Parse a Python file as a program."""
        from flink_flint.linter.formats.source.languages.python_tree import PythonReader

        program = PythonReader(text).program()
        program.language = "python"
        return program


FILE_FORMAT = PythonProgramFormat()
