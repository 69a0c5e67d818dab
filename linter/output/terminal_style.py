"""Terminal colors, and text wrapped to the terminal's width."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TextIO

from flink_flint.linter.model.finding import Finding, Severity

# From the 256-color table, with medium lightness: readable on light and dark backgrounds.
BOLD, DIM = "1", "2"
GOOD = "1;38;5;28"
_SEVERITIES = {Severity.ERROR: "1;38;5;160", Severity.WARNING: "1;38;5;172", Severity.INFO: "1;38;5;30"}
FRAME = "38;5;32"
"""The terminal color code for line numbers and for the frame around an excerpt."""


class Style:
    """Adds colors to text, or returns it unchanged if colors are off."""

    def __init__(self, color: bool) -> None:
        self.color = color

    def paint(self, codes: str, text: str) -> str:
        """Return the text in a color (SGR codes), line by line because pagers reset colors at line ends."""
        if not self.color or not text:
            return text
        return "\n".join(f"\x1b[{codes}m{line}\x1b[0m" for line in text.split("\n"))

    def severity(self, severity: Severity, text: str) -> str:
        """Return the text in the color of a severity."""
        return self.paint(_SEVERITIES[severity], text)


PLAIN = Style(False)


def uses_color(stream: TextIO = sys.stdout) -> bool:
    """Return whether to use colors: never with `NO_COLOR`, always with `FORCE_COLOR`, otherwise on a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO = sys.stdout) -> int:
    """Return the terminal width to use: `COLUMNS`, the terminal's own width, or 100 without a terminal.

    Standard error and input are still connected to the terminal when the output is piped to a pager.
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
    """Wrap a paragraph to `width` columns; lines after the first start with `indent`.

    `used` columns of the first line are occupied by preceding text.
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        # The bullet of a list item stays with the following word, however long.
        if line not in ("", "-") and len(line) + 1 + len(word) > width - (len(indent) if lines else used):
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return f"\n{indent}".join([*lines, line])


def count(number: int, noun: str) -> str:
    """Return a count with its noun: ``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def counted(findings: Iterable[Finding], style: Style = PLAIN) -> str:
    """Return the number of findings by severity, such as ``2 errors, 1 warning and 3 info``, omitting zeros."""
    numbers = Counter(finding.severity for finding in findings)
    parts = [
        style.severity(severity, f"{number} info" if severity == Severity.INFO else count(number, severity.word))
        for severity, number in sorted(numbers.items(), reverse=True)
    ]
    return listed(parts)


def listed(parts: Sequence[str]) -> str:
    """Return one or more parts joined as a list: ``a, b and c``."""
    *some, last = parts
    return f"{', '.join(some)} and {last}" if some else last
