"""Finds the values that builds written in Scala (sbt) define for versions, by the blocks in which they are defined."""

from __future__ import annotations

import re
from itertools import islice

from flink_flint.linter.text.lazy_regex import regex

_SIGNS = regex(r'"(?:\\.|[^"\\\n])*+"|//[^\n]*+|[{}]')
_OBJECT = regex(r"\bobject[ \t]++(\w++)")
_ENDS = regex(r"[{}\n]")
_MAX_DEFINITIONS = 50


def value_of(variable: str, version: str, text: str, use: int | None = None) -> str | None:
    """Return the version that a file gives a variable such as `version` or `Versions.flink`; None if it is unclear.

    `version` is a pattern with one group. Of several definitions that of the object which the variable names counts,
    otherwise the one in the innermost block around the offset `use`, otherwise none unless all are the same.
    """
    holder, _, name = variable.rpartition(".")
    definition = rf"\bval\s+{re.escape(name)}(?:\s*:\s*String)?\s*=\s*\"{version}"
    matches = islice(re.finditer(definition, text), _MAX_DEFINITIONS)
    found = [(_blocks(text, match.start()), match[1]) for match in matches]
    named = [value for blocks, value in found if holder and blocks and _name(text, blocks[-1]) == holder.split(".")[-1]]
    if named:
        return named[0]
    around = [] if use is None else _blocks(text, use)
    visible = [(len(blocks), value) for blocks, value in found if use is not None and around[: len(blocks)] == blocks]
    if visible:
        return max(visible, key=lambda one: one[0])[1]
    return found[0][1] if len({value for _, value in found}) == 1 else None


def _blocks(text: str, place: int) -> list[int]:
    """Return where the blocks around a place open, the outermost first."""
    opened: list[int] = []
    for match in _SIGNS.finditer(text, 0, place):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            opened.pop()
    return opened


def _name(text: str, block: int) -> str | None:
    match = _OBJECT.search(_ENDS.split(text[max(0, block - 200) : block])[-1])
    return None if match is None else match[1]
