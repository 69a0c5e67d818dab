"""Blocks of code in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TICKS = re.compile("`+")


def fence(lines: Sequence[str], info: str = "") -> str:
    """A fenced block that none of its lines closes; `info` is ours. Lines are without line ends."""
    ticks = "`" * max(3, longest_run("\n".join(lines)) + 1)
    return "\n".join([ticks + info, *lines, ticks])


def longest_run(text: str) -> int:
    """How many backticks stand in a row, at most."""
    return max(map(len, _TICKS.findall(text)), default=0)
