"""Lazily compiled patterns: all of them are compiled here."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

import flink_flint.linter
import flink_flint.rules
from flink_flint.linter.text.lazy_regex import _Pattern, regex


def _expressions() -> Iterator[tuple[str, _Pattern]]:
    for package in (flink_flint.linter, flink_flint.rules):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                for name, value in vars(import_module(module.name)).items():
                    if isinstance(value, _Pattern):
                        yield f"{module.name}.{name}", value


def test_every_expression_of_every_module_compiles() -> None:
    found = dict(_expressions())
    assert len(found) > 100
    for name, expression in found.items():
        assert isinstance(expression.pattern, (str, bytes)), name
        expression.search(expression.pattern[:0])


def test_an_expression_answers_as_a_compiled_one_does() -> None:
    ours, theirs = regex(r"(?P<key>\w+)=(\d+)", re.ASCII), re.compile(r"(?P<key>\w+)=(\d+)", re.ASCII)
    text = "a=1, b=22, ä=3"
    assert ours.findall(text) == theirs.findall(text)
    assert ours.sub(r"\2", text) == theirs.sub(r"\2", text)
    assert [found.span() for found in ours.finditer(text)] == [found.span() for found in theirs.finditer(text)]
    assert (ours.groups, ours.groupindex, ours.flags) == (theirs.groups, theirs.groupindex, theirs.flags)
    assert ours.fullmatch("a=1") is not None
    assert ours.match("=1") is None


def test_a_wrong_expression_is_refused_when_it_is_used() -> None:
    wrong = regex("(")
    with pytest.raises(re.error):
        wrong.search("")
