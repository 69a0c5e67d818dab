"""Messages in a narrow terminal."""

from __future__ import annotations

import pytest

from flink_flint.calculators.command_line.wrapped_messages import fitted

MESSAGE = "requires 2 inputs:\n  --rate 3/s   records per second\n  --latency 40ms   the time from sending to answer"


def test_only_lines_that_do_not_fit_are_wrapped_so_that_columns_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert fitted(MESSAGE).splitlines() == [
        "requires 2 inputs:",
        "  --rate 3/s   records per second",
        "  --latency 40ms the time from sending",
        "    to answer",
    ]


@pytest.mark.parametrize(("used", "parts"), [(2, 1), (3, 2)])
def test_what_stands_before_the_first_line_counts(used: int, parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert len(fitted("requires two inputs", used - 1).splitlines()) == parts
