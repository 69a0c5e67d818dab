"""Every regular expression takes a number of steps proportional to the length of the text, for any text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.regexes import Found, find_expressions, growth

ROOT = Path(__file__).parents[1]
PARTS = 2

SHORT = {
    "linter/formats/containers/dockerfile.py": (r"(?i)(?:.*[._-])?(?:dockerfile|containerfile)", "the name of a file"),
    "linter/formats/helm/helm_values.py": (r"(?:.*[-_.])?values(?:[-_.].*)?", "the name of a file"),
    "linter/formats/source/program.py": (
        r"[\[({<\-!~](?:[ \t\r\n]*+[\[({<\-!~]){399}",
        "400 times at most from each place",
    ),
}
"""The beginning of each expression that may grow faster, by module, and what limits its text."""


@cache
def expressions() -> list[Found]:
    return sorted(set(find_expressions(ROOT, ("linter", "rules", "calculators"))))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.slow
def test_every_expression_is_linear(part: int) -> None:
    slow = []
    for where, pattern, flags, mode in expressions()[part::PARTS]:
        short = SHORT.get(where.rpartition(":")[0])
        if pattern.startswith("dynamic: ") or (short is not None and pattern.startswith(short[0])):
            continue
        found = growth(pattern, flags, mode)
        if found is not None:
            slow.append(f"{where}: {mode} of {pattern!r} takes {found[0]:.1f} times as long for twice {found[1]}")
    assert not slow, "\n".join(slow)


@pytest.mark.slow
def test_all_expressions_are_found() -> None:
    found = expressions()
    assert len(found) > 400
    assert all(any(pattern.startswith(begins) for _, pattern, _, _ in found) for begins, _ in SHORT.values())


@pytest.mark.parametrize(
    ("pattern", "mode"),
    [
        (r"\$\{(!?)\s*([^{}]*?)\s*\}", "search"),
        (r"(a+)+b", "match"),
        (r"(?:a|a)*b", "fullmatch"),
        (r"\s+#", "search"),
        (r"/\*.*?\*/", "search"),
        (r"(?:.*/)?[\w.-]*flink[\w.-]*(?::.*)?", "fullmatch"),
    ],
)
def test_an_expression_that_is_not_linear_is_caught(pattern: str, mode: str) -> None:
    assert growth(pattern, 0, mode) is not None


@pytest.mark.parametrize(
    ("pattern", "mode"),
    [
        (r"(?<!\s)\s++#", "search"),
        (r"(?:a++)+b", "match"),
        (r"[^,]*,", "match"),
        (r"(?>a|ab)*c", "match"),
        (r"a{0,9}b", "search"),
    ],
)
def test_a_linear_expression_is_not(pattern: str, mode: str) -> None:
    assert growth(pattern, 0, mode) is None
