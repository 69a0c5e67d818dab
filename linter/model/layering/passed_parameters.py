"""Finds what deployments pass for the parameters and variables whose defaults programs take for settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layering.layer_graph import by_repository, repository_of_document
from flink_flint.linter.text.lazy_regex import regex

_PLAIN = regex(r"-?\d{1,18}|true|false")
_VARIABLE = regex(r"[A-Z][A-Z0-9_]{2,}")
_WITH_WORDS = ("kubernetes-object", "container", "command", "image")
_VARIABLES = "environment."


def passed_values(
    documents: Sequence[Document], lower: Mapping[int, Sequence[Document]]
) -> Mapping[int, Mapping[str, str | None]]:
    """Return, by the id of the program's document, the settings whose defaults deployments replace.

    Each is the text of its new value; None if that is unknown: what passes the parameter is not known to run the
    program, or passes no plain value. `lower` are the documents that each program overrides.
    """
    found: dict[int, Mapping[str, str | None]] = {}
    deployments: Mapping[str | None, Sequence[Document]] | None = None
    for program in documents:
        parameters = program.elements_of(("parameter",))
        if not parameters:
            continue
        if deployments is None:
            deployments = by_repository(one for one in documents if one.kind not in ("source", "sql"))
        around = [*deployments.get(repository_of_document(program), ()), *lower.get(id(program), ())]
        passed: dict[str, str | None] = {}
        for parameter in parameters:
            values = {
                value if any(document is one for one in lower.get(id(program), ())) else None
                for document in around
                for value in _passed(document, parameter.name)
            }
            if values:
                value = values.pop() if len(values) == 1 else None
                key = str(parameter.value("key"))
                passed[key] = None if key in passed else _as_setting(parameter, value)
        if passed:
            found[id(program)] = passed
    return found


def _as_setting(parameter: Element, value: str | None) -> str | None:
    """Return the text of a setting whose default a value replaces; None if the value is unknown or becomes another."""
    default = parameter.value("default")
    if value is None or not isinstance(default, str) or _PLAIN.fullmatch(value) is None:
        return None
    number, space, unit = default.partition(" ")
    return f"{value}{space}{unit}" if _PLAIN.fullmatch(number) is not None else None


def _passed(document: Document, name: str) -> Iterator[str | None]:
    """Yield the values that a document passes for a parameter or variable; None if it passes an unknown one."""
    if not document.mentions(name):
        return
    is_found = False
    for element in document.elements_of(_WITH_WORDS):
        words = [
            one.value
            for list_name in ("spec.job.args", "args", "arguments", "entrypoint")
            for one in element.listed(list_name)
        ]
        for place, word in enumerate(words):
            if not isinstance(word, str) or not word.startswith("-"):
                continue
            key, equals, value = word.lstrip("-").removeprefix("D").partition("=")
            if name not in (key, word.lstrip("-")):
                continue
            following = words[place + 1] if place + 1 < len(words) else None
            is_found = True
            yield value if equals else following if isinstance(following, str) else None
        if f"{_VARIABLES}{name}" in element.attributes:
            is_found = True
            variable = element.value(f"{_VARIABLES}{name}")
            yield variable if isinstance(variable, str) else None
    if not is_found and _names(document.text, name):
        yield None


def _names(text: str, name: str) -> bool:
    """Return whether a text passes a parameter somewhere, such as in a command, or names a variable."""
    before = r"(?<!\w)" if _VARIABLE.fullmatch(name) is not None else r"(?<!\w)--?"
    return re.search(rf"{before}{re.escape(name)}(?![\w.-])", text) is not None
