"""Flink jobs in Java, Scala, and Kotlin source files."""

from __future__ import annotations

import os

from flink_flint.linter.formats.source.program import ProgramFormat
from flink_flint.linter.formats.source.program_tree import Program
from flink_flint.linter.text.lazy_regex import regex

_LANGUAGES = {".java": "java", ".scala": "scala", ".sc": "scala", ".kt": "kotlin", ".kts": "kotlin"}
_IMPORT = regex(
    r"(?m)(?:^|;)[ \t\f]*+import\s+(?:static\s+)?"
    r"(?:org\.apache\.flink\b|org\.apache\.flinkx\b|org\.apache\.beam\.runners\.flink\b|software\.amazon\.kinesis\.connectors\.flink\b)"
)
_FILE_CLASS = regex(r"(?m)^[ \t]*+@file[ \t]*+:[ \t]*+(?:\[[ \t]*+)?JvmName\([ \t]*+\"([\w$]+)\"")
_NO_LETTER = regex(r"\W")


class JvmProgramFormat(ProgramFormat):
    """Java, Scala, and Kotlin sources that import Flink."""

    kind = "source"
    comments = ("//",)

    def recognize(self, name: str, head: str) -> bool:
        """Return whether `name` has the file name extension of a JVM language and `head` imports Flink classes."""
        return name[name.rfind(".") :] in _LANGUAGES and _IMPORT.search(head) is not None

    def program(self, path: str, text: str) -> Program:
        """Parse a source file in the language of its file name extension; if that is unknown, as Java."""
        language = _LANGUAGES.get(path[path.rfind(".") :], "java")
        if language == "java":
            from flink_flint.linter.formats.source.languages.java_grammar import JavaReader

            program = JavaReader(text).program()
        elif language == "scala":
            from flink_flint.linter.formats.source.languages.scala_grammar import ScalaReader

            program = ScalaReader(text).program()
        else:
            from flink_flint.linter.formats.source.languages.kotlin_grammar import KotlinReader

            program = KotlinReader(text).program()
            program.class_of_functions = _class_of_file(path, text)
        program.language = language
        return program


def _class_of_file(path: str, text: str) -> str:
    """Return the class that Kotlin compiles the functions of a file to, without the ending ``Kt`` of its name."""
    given = _FILE_CLASS.search(text)
    if given is not None:
        return given[1].removesuffix("Kt")
    stem = _NO_LETTER.sub("_", os.path.basename(path).rpartition(".")[0])
    return stem[:1].upper() + stem[1:]


FILE_FORMAT = JvmProgramFormat()
