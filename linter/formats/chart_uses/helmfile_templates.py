"""Evaluates the Go templates of helmfile: what it does with its own functions, in the repository's files alone.

Commands are not run, variables of the environment are not read, and no file outside of the repository is: what a
template makes of them is unknown. An unknown part of the result is written as a variable, which is valid in YAML.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from flink_flint.linter.formats.chart_uses.chart_use import inside
from flink_flint.linter.formats.helm.rendering.chart_files import Read, file_text
from flink_flint.linter.formats.helm.rendering.functions.all_functions import FUNCTIONS, Function
from flink_flint.linter.formats.helm.rendering.go_values import (
    OpenMap,
    Struct,
    Unknown,
    text_argument,
    why_unknown,
)
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotEvaluated
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText
from flink_flint.linter.formats.helm.rendering.template_evaluation import Evaluator
from flink_flint.linter.formats.helm.rendering.template_nodes import Template
from flink_flint.linter.formats.helm.rendering.template_parsing import parse
from flink_flint.linter.text.rendered_text import Fragment, Origin

VARIABLE = "$unknown_to_helmfile"
"""What is written for an unknown part of a text."""
BEGIN, END = "#\ue000", "#\ue001"
"""The comments around lines that are there on a condition that is unknown."""
_OUTSIDE = "a file outside of the repository"


class Templates:
    """The templates of one helmfile, whose paths are relative to its folder."""

    def __init__(self, folder: str, names: Sequence[str], read: Read, budget: Budget) -> None:
        """`names` are the paths of all files in the repository."""
        self.folder, self.names, self.read, self.budget = folder, names, read, budget
        self._helpers: dict[str, dict[str, Template]] = {}

    def rendered(self, text: str, data: object, folder: str | None = None) -> str:
        """Return what a template makes of `data`; paths in it are relative to `folder`, else to the helmfile's.

        Raises `NotRendered` if the template is not valid, or fails whatever the unknown values are.
        """
        if "{{" not in text:
            return text
        self.budget.text(len(text))
        self.budget.spend(1 + len(text) // 8)
        place = self.folder if folder is None else folder
        templates = dict(self._helpers_in(place))
        for template in parse("helmfile", text):
            templates[template.name] = template
        return _Evaluator(templates, self.budget, "no file defines it", self._functions(place)).rendered(
            "helmfile", data
        )

    def _helpers_in(self, folder: str) -> dict[str, Template]:
        """Return the templates that the files called `_*.tpl` in a folder define."""
        found = self._helpers.get(folder)
        if found is None:
            found = self._helpers[folder] = {}
            for path in self.names:
                name = posixpath.basename(path)
                if name.startswith("_") and name.endswith(".tpl") and posixpath.dirname(path) == folder:
                    for template in parse(path, file_text(path, self.read(path) or b""))[1:]:
                        found[template.name] = template
        return found

    def _functions(self, folder: str) -> Mapping[str, Function]:
        def read_file(budget: Budget, path: object) -> object:
            place = path_inside(folder, text_argument(path))
            data = self.read(place) if place is not None else None
            if place is None or data is None:
                raise NotEvaluated(_OUTSIDE)
            return file_text(place, data)

        def is_file(budget: Budget, path: object) -> object:
            place = path_inside(folder, text_argument(path))
            if place is None:
                raise NotEvaluated(_OUTSIDE)
            return self.read(place) is not None

        return {
            **FUNCTIONS,
            "sprigGet": FUNCTIONS["get"],
            "get": Function(_get, True, 2, 3),
            "getOrNil": Function(_get_or_nil, True, 2, 2),
            "readFile": Function(read_file, False, 1, 1),
            "isFile": Function(is_file, False, 1, 1),
        }


def path_inside(folder: str, path: str) -> str | None:
    """Return the repository path for a path relative to `folder`; None if it is, or may be, outside the repository."""
    return None if path.startswith(("/", "~")) or "::" in path else inside(folder, path)


class _Evaluator(Evaluator):
    """Writes unknown parts so that the result is valid YAML."""

    def _write(self, frame: Any, text: str) -> None:
        super()._write(frame, _with_variables(text) if why_unknown(text) else text)

    def _mark(self, frame: Any, text: str, reason: str, origin: Origin | None, *, in_lines: bool) -> None:
        if not in_lines:
            self._write(frame, MarkedText((Fragment(VARIABLE, origin),)))
            return
        written = "".join(frame.out[-3:])
        last = written.rstrip("\n ").rpartition("\n")[2]
        line = written.rpartition("\n")[2]
        indent = " " * (
            len(last) - len(last.lstrip(" "))
        )  # as much as the line before, which may be in a block of text
        start = "\n" + indent if line.strip(" ") else indent[len(line) :]
        mark = END if text == "end" else BEGIN if text != "else" else "#"
        self._write(frame, MarkedText((Fragment(start + mark + "\n", origin),)))


def _with_variables(text: str) -> str:
    """Return a text with a variable instead of each unknown part."""
    if not isinstance(text, MarkedText):
        return text
    return MarkedText(
        Fragment(VARIABLE if one.text.startswith("{{") else one.text, one.origin) for one in text.fragments
    )


def _entry(holder: object, key: str) -> tuple[object, bool]:
    """Return an entry of a map or struct, and whether there is one."""
    if isinstance(holder, Struct):
        return holder.fields.get(key), key in holder.fields
    if not isinstance(holder, dict):
        return None, False
    if key not in holder and isinstance(holder, OpenMap) and not holder.keys_are_known:
        return holder.missing(key), True
    return (holder[key], True) if key in holder else (None, False)


def _get(budget: Budget, path: object, *values: object) -> object:
    """Return the value at a path with dots in the last argument, or else the one before it."""
    holder = values[-1]
    if reason := why_unknown(path):
        raise NotEvaluated(reason)
    for key in text_argument(path).split(".") if path else ():
        if isinstance(holder, Unknown):
            return holder
        holder, is_there = _entry(holder, key)
        if not is_there:
            if len(values) == 1:
                raise NotEvaluated(f"no value for {key}")
            return values[0]
    return holder


def _get_or_nil(budget: Budget, path: object, holder: object) -> object:
    return _get(budget, path, None, holder)
