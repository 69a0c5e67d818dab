"""The names of restart strategies that Flink accepts and refuses (tried on 1.13 to 2.3)."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.restart_strategy_names import strategy_named


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("none", "none"),
        ("Off", "none"),
        ("disable", "none"),
        ("Fixed-Delay", "fixed-delay"),
        ("fixeddelay", "fixed-delay"),
        ("failurerate", "failure-rate"),
        ("exponential-delay", "exponential-delay"),
        ("exponentialdelay", "exponential-delay"),
    ],
)
def test_accepted(text: str, strategy: str) -> None:
    assert strategy_named(text) == strategy


@pytest.mark.parametrize("text", ["", "fixed_delay", "no-restart", "default", "fallback", "fixed", "com.example.Mine"])
def test_refused(text: str) -> None:
    assert strategy_named(text) is None
