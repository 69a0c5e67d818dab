"""Valid names of new rules: a rule's name is also the name of its file and function, and a value of `--select`."""

from __future__ import annotations

import ast
import builtins
import keyword
import os
from collections.abc import Iterator
from string import Template

from flink_flint.linter.engine.declarative_rules import OWN
from flink_flint.linter.engine.registry import PACKAGE, PEDANTIC, registry
from flink_flint.linter.model.rule import FAMILIES
from flink_flint.linter.text.lazy_regex import regex

TEMPLATES = os.path.join(os.path.dirname(PACKAGE), "templates")
_NAME = regex(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LIKE_A_CODE = regex(r"flk[0-9]*|[a-z]+[0-9]{3,}")
_LONGEST_NAME = 60


def rule_name(text: str) -> str:
    """Return `text` as the name of a new rule, in lower case with hyphens; raise ValueError if it cannot be one."""
    name = text.replace("_", "-").lower()
    function = name.replace("-", "_")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise ValueError(
            f"{text!r} is not a valid rule name: use words of letters and digits with single hyphens between "
            f"them, at most {_LONGEST_NAME} characters"
        )
    if _LIKE_A_CODE.fullmatch(name):
        raise _refused(name, "looks like the code of a rule")
    if function in FAMILIES:
        raise _refused(name, "is the name of a family of rules")
    if name in ("all", PEDANTIC, OWN):
        raise _refused(name, "has a meaning of its own in --select")
    if keyword.iskeyword(function) or hasattr(builtins, function):
        raise _refused(name, "is a word of Python")
    if function in _template_names():
        raise _refused(name, "is used for something else in the file of a rule")
    if (other := registry().find(name)) is not None:
        raise ValueError(f"{name} is already the name of {other.code}: use another name")
    return name


def _refused(name: str, why: str) -> ValueError:
    return ValueError(f"{name!r} cannot be the name of a rule, because it {why}: use several words with hyphens")


def _template_names() -> set[str]:
    """Return the names that the code of a new rule defines or uses."""
    return {name for kind in ("check", "project") for name in _names_in(template_of(kind))}


def template_of(kind: str) -> Template:
    """Return the template for a new rule of the given kind (`toml`, `check` or `project`)."""
    with open(os.path.join(TEMPLATES, f"new_rule_{kind}.txt"), encoding="utf-8") as stream:
        return Template(stream.read())


def _names_in(template: Template) -> Iterator[str]:
    text = template.substitute(code="", function="_", since="")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.FunctionDef, ast.alias)):
            yield node.name
