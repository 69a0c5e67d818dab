"""Numbers drawn three lines high, for the result of a calculator."""

from __future__ import annotations

import re

HEIGHT = 3

_GLYPHS = {
    "0": ("┏━┓", "┃ ┃", "┗━┛"), "1": (" ╻ ", " ┃ ", " ╹ "), "2": ("╺━┓", "┏━┛", "┗━╸"), "3": ("╺━┓", " ━┫", "╺━┛"),
    "4": ("╻ ╻", "┗━┫", "  ╹"), "5": ("┏━╸", "┗━┓", "╺━┛"), "6": ("┏━╸", "┣━┓", "┗━┛"), "7": ("╺━┓", "  ┃", "  ╹"),
    "8": ("┏━┓", "┣━┫", "┗━┛"), "9": ("┏━┓", "┗━┫", "╺━┛"), ".": (" ", " ", "."), "-": ("   ", "╺━╸", "   "),
}  # fmt: skip


def large(text: str, width: int) -> str:
    """Draw `text` three lines high, with large digits and words on the last line; in normal size if it does not fit.

    `width` is the available number of columns.
    """
    lines = [""] * HEIGHT
    for part in re.findall(r"[\d.]+(?: \d{3})*|[^\d]+", text):
        figures = part[0].isdigit()
        for place in range(HEIGHT):
            if figures:
                lines[place] += "".join(_GLYPHS.get(sign, ("  ",) * HEIGHT)[place] for sign in part)
            else:
                lines[place] += part if place == HEIGHT - 1 else " " * len(part)
    if max(map(len, lines)) > width or not any(sign.isdigit() for sign in text):
        return f"\n{text}\n"
    return "\n".join(line.rstrip() for line in lines)
