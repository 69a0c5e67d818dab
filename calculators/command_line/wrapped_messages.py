"""Messages on standard error, wrapped to the width of the terminal."""

from __future__ import annotations

import os
import sys

from flink_flint.linter.output.terminal_style import terminal_width, wrap


def fitted(message: str, used: int = 0) -> str:
    """Return a message with long lines wrapped; the first line has `used` fewer columns.

    Unchanged if standard error is not a terminal, so that other programs can search it line by line.
    """
    if not (sys.stderr.isatty() or os.environ.get("COLUMNS")):
        return message
    width = terminal_width(sys.stderr)
    lines = []
    for number, line in enumerate(message.split("\n")):
        before = 0 if number else used
        indent = line[: len(line) - len(line.lstrip())]
        if before + len(line) <= width:
            lines.append(line)
        else:
            lines.append(indent + wrap(line, width, f"{indent}  ", used=before + len(indent)))
    return "\n".join(lines)
