"""The modules that the Python functions of a job import, which their workers need as well."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_IMPORT = regex(
    r"(?m)^[ \t]{0,8}(?:from[ \t]+([A-Za-z_][\w.]{0,80})[ \t]+import[ \t]+(\([^()]{1,500}\)|[^\n#]{1,200})"
    r"|import[ \t]+([A-Za-z_][\w.]{0,80})(?:[ \t]+as[ \t]+(\w{1,60}))?)"
)
_NAME = regex(r"(\w{1,80})(?:[ \t]+as[ \t]+(\w{1,80}))?")
_TAKES = ("map", "flatMap", "filter", "process", "keyBy", "reduce", "aggregate", "apply", "udf", "udtf", "udaf")
_REGISTERS = ("createTemporaryFunction", "createTemporarySystemFunction", "registerFunction")
_SHIPS = regex(
    r"add_python_file|add_python_archive|python\.files|python\.archives|python\.pythonpath|register_pickle_by_value|"
    r"PYTHONPATH|pyfs\b"
)
_OF_OTHERS = ("pyflink", "typing", "apache_beam")


def module_elements(objects: Objects) -> Iterator[Element]:
    """Yield a ``worker-module`` for each module that functions of the workers use, in a program that ships none."""
    text = objects.program.text
    if objects.program.language != "python" or _SHIPS.search(text) is not None:
        return
    imported = dict(_imported(text))
    if not imported:
        return
    from flink_flint.linter.formats.source.languages.python_tree import camel

    called = {camel(name): module for name, module in imported.items()}
    seen: set[str] = set()
    for function in _functions(objects):
        for node in function.walk():
            if node.kind not in ("name", "call") or (node.kind == "call" and node.target is not None):
                continue
            module = (called if node.kind == "call" else imported).get(node.name)
            if module is not None and module[0] not in seen:
                seen.add(module[0])
                where = function.name or "a lambda"
                yield Element("worker-module", module[0], module[1], {"function": Attribute(where, node.span)})


def _imported(text: str) -> Iterator[tuple[str, tuple[str, Span]]]:
    """Yield the names that a program imports, each with its module and where that is named."""
    for match in _IMPORT.finditer(text):
        group = 1 if match[1] else 3
        module, span = match[group], Span(match.start(group), match.end(group))
        if module.partition(".")[0] in _OF_OTHERS:
            continue
        if group == 3:
            yield match[4] or module.partition(".")[0], (module, span)
            continue
        for name in _NAME.finditer(match[2].strip("()")):
            yield name[2] or name[1], (module, span)


def _functions(objects: Objects) -> Iterator[Node]:
    """Yield what the workers run: the functions and classes given to streams, and those of tables."""
    from flink_flint.linter.formats.source.languages.python_tree import camel

    for name in (*_TAKES, *_REGISTERS):
        for call in objects.program.calls.get(name, ()):
            if call.target is None and name not in ("udf", "udtf", "udaf"):
                continue
            for argument in call.args:
                yield argument
                if argument.kind in ("name", "call"):
                    yield from objects.program.functions.get(camel(argument.name), ())
                    if argument.name in objects.program.classes:
                        yield objects.program.classes[argument.name]
    for functions in objects.program.functions.values():
        for one in functions:
            before = objects.program.text[max(0, one.span.start - 300) : one.span.start + 1]
            if "@ud" in before.rpartition("\n\n")[2]:
                yield one
    for body in objects.program.classes.values():
        if any(one.endswith("Function") for one in body.supers):
            yield body
