"""Colours of a terminal, when it has any, and text fitted into its width."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TextIO

from flink_flint.linter.model.finding import Finding, Severity

# Of the 256-colour table, middling in lightness: they read on light and on dark ground alike.
BOLD, DIM = "1", "2"
GOOD = "1;38;5;28"
_SEVERITIES = {Severity.ERROR: "1;38;5;160", Severity.WARNING: "1;38;5;172", Severity.INFO: "1;38;5;30"}
FRAME = "38;5;32"
"""Line numbers and the rules around an excerpt."""


class Style:
    """Paints text, or leaves it plain."""

    def __init__(self, color: bool) -> None:
        self.color = color

    def paint(self, codes: str, text: str) -> str:
        """The text in a colour (SGR codes), each line for itself, as pagers forget colours at line ends."""
        if not self.color or not text:
            return text
        return "\n".join(f"\x1b[{codes}m{line}\x1b[0m" for line in text.split("\n"))

    def severity(self, severity: Severity, text: str) -> str:
        """The text in the colour of a severity."""
        return self.paint(_SEVERITIES[severity], text)


PLAIN = Style(False)


def uses_color(stream: TextIO = sys.stdout) -> bool:
    """Whether to colour: `NO_COLOR` forbids, `FORCE_COLOR` demands, otherwise on a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO = sys.stdout) -> int:
    """Columns to fill: `COLUMNS`, the terminal's width, or 100 where there is no terminal.

    Standard error and input still lead to the terminal when the output goes through a pipe to a pager.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) > 0:
        return int(columns)
    for candidate in (stream, sys.stderr, sys.stdin):
        try:
            return os.get_terminal_size(candidate.fileno()).columns or 100
        except (OSError, ValueError):
            continue
    return 100


def wrap(text: str, width: int, indent: str, *, used: int = 0) -> str:
    """A paragraph broken between words to fit the width; later lines start with `indent`.

    `used` columns of the first line are taken by what stands before the text.
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        # The mark of a list item stays with the word behind it, however long that is.
        if line not in ("", "-") and len(line) + 1 + len(word) > width - (len(indent) if lines else used):
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return f"\n{indent}".join([*lines, line])


def count(number: int, noun: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def counted(findings: Iterable[Finding], style: Style = PLAIN) -> str:
    """``2 errors, 1 warning and 3 info``: those that there are, of one finding or more."""
    numbers = Counter(finding.severity for finding in findings)
    parts = [
        style.severity(severity, f"{number} info" if severity == Severity.INFO else count(number, severity.word))
        for severity, number in sorted(numbers.items(), reverse=True)
    ]
    return listed(parts)


def listed(parts: Sequence[str]) -> str:
    """``a, b and c``, of one part or more."""
    *some, last = parts
    return f"{', '.join(some)} and {last}" if some else last
