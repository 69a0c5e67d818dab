"""Numbers are ASCII digits: other numbers that Python accepts are rejected."""

from __future__ import annotations

import pytest

from flink_flint.linter.text.ascii_numbers import number, whole


@pytest.mark.parametrize("text", ["٣", "３", "²", "1_000", "", " 1", "+1", "-1", "1.0", "nan", "9" * 5000])
def test_no_whole_number(text: str) -> None:
    assert whole(text) is None


@pytest.mark.parametrize("text", ["٣", "３", "²", "1_000", "", "nan", "infinity", "1e999", "0x10", "1 2", "9" * 5000])
def test_no_number(text: str) -> None:
    assert number(text) is None


def test_numbers() -> None:
    assert (whole("0012"), number(" -1.5e3\n"), number(".5"), number("7.")) == (12, -1500.0, 0.5, 7.0)


def test_the_longest_numbers() -> None:
    assert whole("9" * 400) == int("9" * 400)
    assert number("0" * 399 + "7") == 7.0
    assert number("0" * 400 + "7") is None
