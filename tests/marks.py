"""Marks for parameters: `make test` runs a few of many that are slow, `make test-all` the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_slow(values: Iterable[Any], every: int) -> list[Any]:
    """Return the parameters, with all marked as slow except the first and each `every`-th after it."""
    return [
        one if number % every == 0 else pytest.param(one, marks=pytest.mark.slow) for number, one in enumerate(values)
    ]
