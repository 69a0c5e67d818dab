"""Runs sizing vectors through the calculators: `make sizing-vectors VECTORS=FILE`.

A vector is one line of JSON: ``{"calculator": …, "inputs": {…}, "expect": {…}}``, in short names that the modules of
`tests.calculators.table` map to the calculators' own. Numbers agree to 0.5 %.
"""

from __future__ import annotations

import json
import math
import pkgutil
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tests.calculators import table

TOLERANCE = 0.005


class Outcome(NamedTuple):
    """What became of one vector."""

    line: int
    vector: dict[str, Any]
    trouble: str
    """What differs; empty where nothing does."""


def tables() -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
    """All short names of calculators."""
    found: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {}
    for module in pkgutil.iter_modules(table.__path__):
        found |= import_module(f"{table.__name__}.{module.name}").TABLE
    return found


def run(lines: list[str]) -> Iterator[Outcome]:
    known = tables()
    for number, line in enumerate(lines, 1):
        if line.strip():
            vector = json.loads(line)
            yield Outcome(number, vector, _trouble(vector, known))


def _trouble(vector: dict[str, Any], known: dict[str, Callable[[dict[str, Any]], dict[str, Any]]]) -> str:
    answer = known.get(vector["calculator"])
    if answer is None:
        return f"no calculator answers to {vector['calculator']}"
    try:
        found = answer(vector["inputs"])
    except (ValueError, KeyError, TypeError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"
    return "; ".join(
        f"{name} is {found.get(name)!r}, not {wanted!r}"
        for name, wanted in vector["expect"].items()
        if not same(found.get(name), wanted)
    )


def same(found: Any, wanted: Any) -> bool:
    """Whether a result is the expected one, numbers to 0.5 %."""
    if isinstance(wanted, bool) or isinstance(found, bool):
        return found is wanted
    if wanted == "inf":
        return found == "inf" or (isinstance(found, float) and math.isinf(found))
    if isinstance(wanted, (int, float)) and isinstance(found, (int, float)):
        return math.isclose(found, wanted, rel_tol=TOLERANCE)
    return bool(found == wanted)


def main(path: str) -> int:
    outcomes = list(run(Path(path).read_text(encoding="utf-8").splitlines()))
    for outcome in outcomes:
        if outcome.trouble:
            print(
                f"{path}:{outcome.line}: {outcome.vector['calculator']} {outcome.vector['inputs']}: {outcome.trouble}"
            )
    passed = sum(not outcome.trouble for outcome in outcomes)
    print(f"{passed}/{len(outcomes)}")
    return int(passed != len(outcomes))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.calculators.sizing_vectors FILE")
    sys.exit(main(sys.argv[1]))
