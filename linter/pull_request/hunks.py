"""Parses the unified diff of one file into the lines of the new file that it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flink_flint.linter.text.named_tuple import NamedTuple

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class ShownLine(NamedTuple):
    """A line of the new file, as shown in a diff."""

    old: int
    """The line number in the old file; for an added line, the number of the next old line (0 in a new file)."""
    added: bool


def added_lines(shown: Mapping[int, ShownLine]) -> frozenset[int]:
    """Return the numbers of the added lines among those that a diff shows."""
    return frozenset(number for number, line in shown.items() if line.added)


def shown_lines(diff: str) -> dict[int, ShownLine]:
    """Return the lines of the new file that a unified diff shows, by number; the diff has no file headers."""
    lines: dict[int, ShownLine] = {}
    old = new = old_left = new_left = 0
    # Not splitlines(): a form feed or U+2028 does not end a line of a diff.
    for line in diff.split("\n"):
        if not old_left and not new_left:
            if hunk := _HUNK.match(line):
                old, new = int(hunk[1]), int(hunk[3])
                old_left, new_left = int(hunk[2] or 1), int(hunk[4] or 1)
        elif line.startswith("+"):
            lines[new] = ShownLine(old, added=True)
            new, new_left = new + 1, new_left - 1
        elif line.startswith("-"):
            old, old_left = old + 1, old_left - 1
        elif not line.startswith("\\"):
            lines[new] = ShownLine(old, added=False)
            old, old_left = old + 1, old_left - 1
            new, new_left = new + 1, new_left - 1
    return lines
