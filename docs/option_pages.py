"""The index by option, docs/options.md, and descriptions of options for the pages of rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import groupby

from docs.markdown import table
from flink_flint.linter.engine.registry import Declaration
from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.output.option_facts import spell_default

PAGE = "options.md"

_SMALL = 4
"""Sections with fewer options are joined under one heading."""


def anchor_of(read: str) -> str:
    """Return the anchor of an option or of a prefix on the page."""
    return "option-" + re.sub(r"[^a-z0-9-]+", "-", read.lower()).strip("-") + ("-any" if read.endswith(".") else "")


def spelled(read: str) -> str:
    """Return an option as code; a prefix ends with `*`."""
    return f"`{read}*`" if read.endswith(".") else f"`{read}`"


@cache
def _newest(key: str) -> tuple[int, Option] | None:
    """Return the newest release that knows an option and the option there; None if no release knows it."""
    for index in range(NEWEST, -1, -1):
        option = catalogue().option(key, index)
        if option is not None:
            return index, option
    return None


def summary_of(read: str) -> str:
    """Describe the type and default of an option in the newest release that knows it."""
    if read.endswith("."):
        return "every option whose key begins with this prefix"
    found = _newest(read)
    if found is None:
        return "passed through by Flink" if catalogue().passes_through(read) else "not an option of any release"
    index, option = found
    default = _default(option)
    until = "" if index == NEWEST else f", up to Flink {MINORS[index]}"
    return f"{option.type}, {default}{until}"


def _default(option: Option) -> str:
    if not option.has_default or option.default is None:
        return "no default"
    return f"default `{spell_default(option)}`" if option.default != "" else "empty by default"


def index_page(declarations: Iterable[Declaration]) -> str:
    """Return the index by option, in sections by the first part of the key."""
    rules = list(declarations)
    reads = sorted({read for rule in rules for read in rule.reads}, key=str.lower)
    lines = [
        "# Rules by option",
        "",
        (
            f"{len(reads)} options and groups of options that rules read, with type and default in the newest "
            "release that knows them. `heartbeat.*` is every option whose key begins with `heartbeat.`; its rules "
            "also read the options listed below it. Old spellings count as their current option. `flint explain "
            "OPTION` shows more about any option: its values, old names, defaults by release, all rules that read it."
        ),
        "",
        (
            "Rules about programs, SQL, Kubernetes objects and observed metrics are triggered by these, and rules "
            "about a type by every option of that type:"
        ),
        "",
        *_types(rules),
        "",
        "[All rules by family](rules/README.md)",
    ]
    for title, members in _sections(reads):
        rows = (
            (
                f'<a id="{anchor_of(read)}"></a>{spelled(read)}',
                summary_of(read),
                ", ".join(_link(rule) for rule in rules if read in rule.reads),
            )
            for read in members
        )
        lines += ["", f"## {title}", "", *table(("option", "type and default", "rules"), rows)]
    return "\n".join(lines) + "\n"


def _types(rules: list[Declaration]) -> list[str]:
    kinds = sorted({when for rule in rules for when in rule.when if when.startswith("type:")})
    rows = (
        (f"`{kind.removeprefix('type:')}`", ", ".join(_link(rule) for rule in rules if kind in rule.when))
        for kind in kinds
    )
    return table(("type", "rules"), rows)


def _link(rule: Declaration) -> str:
    return f"[{rule.name}](rules/{rule.name}.md)"


def _sections(reads: list[str]) -> list[tuple[str, list[str]]]:
    """Group the options by the first part of the key, with small groups joined at the end."""
    parts = [(prefix, list(members)) for prefix, members in groupby(reads, lambda read: read.partition(".")[0])]
    large = [(prefix, members) for prefix, members in parts if len(members) >= _SMALL]
    small = [read for _, members in parts if len(members) < _SMALL for read in members]
    return [*large, *([("others", small)] if small else [])]
