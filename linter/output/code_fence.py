"""Code blocks in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TICKS = re.compile("`+")


def fence(lines: Sequence[str], info: str = "") -> str:
    """Return `lines` (without line ends) as a fenced block that none of them can close; `info` must be trusted."""
    ticks = "`" * max(3, longest_run("\n".join(lines)) + 1)
    return "\n".join([ticks + info, *lines, ticks])


def longest_run(text: str) -> int:
    """Return the length of the longest run of backticks in `text`."""
    return max(map(len, _TICKS.findall(text)), default=0)
