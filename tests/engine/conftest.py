"""The command with some rules only, so that a new rule does not change what these tests compare."""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path

import pytest

from flink_flint.linter.engine.registry import registry
from tests.conftest import Flint

NEEDED = {
    "test_baseline.py": ("FLK020", "FLK025"),
    "test_check_run.py": ("FLK001", "FLK402", "FLK408"),
    "test_compare.py": ("FLK007", "FLK043", "FLK313", "FLK604"),
    "test_discovery.py": ("FLK043",),
}
"""Rules that a test file needs without naming them."""


@cache
def rules_of(path: Path) -> str:
    """Return the codes of the rules that a test file names by code or name, or needs, separated by blanks."""
    words = {*re.findall(r"[\w-]+", path.read_text(encoding="utf-8")), *NEEDED.get(path.name, ())}
    return " ".join(one.code for one in registry().declarations if one.code in words or one.name in words)


@pytest.fixture
def flint(flint: Flint, request: pytest.FixtureRequest) -> Flint:
    """Run `flint` as if it had only the rules that the test file names or needs."""
    return partial(flint, TESTED_RULES=rules_of(request.path))
