"""Draw the form of each calculator with its worked example to docs/calculators/NAME.svg; `make docs` runs this."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.interactive.app import Form
from flink_flint.linter.flink.releases import NEWEST, parse_release, release_at

FOLDER = Path(__file__).resolve().parent / "calculators"
SIZE = (120, 40)
"""Columns and lines, wide enough for form, answer and chart side by side."""


def picture(name: str) -> str:
    """Return the form of a calculator as SVG; the same form yields the same text."""
    return asyncio.run(_picture(name))


async def _picture(name: str) -> str:
    shown_for = calculator(name).forward.release
    form = Form(name, release=parse_release(shown_for) if shown_for else release_at(NEWEST))
    async with form.run_test(size=SIZE) as pilot:
        await pilot.press("ctrl+g")
        await pilot.pause()
        # Show neither focus nor cursor.
        form.screen.set_focus(None)
        await pilot.pause()
        drawn = form.export_screenshot(title=f"flint size {name}")
    # The picture must not load a web font: every reader has a monospaced one.
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


def main() -> None:
    """Draw all forms."""
    FOLDER.mkdir(exist_ok=True)
    for name in NAMES:
        (FOLDER / f"{name}.svg").write_text(picture(name), encoding="utf-8")


if __name__ == "__main__":
    main()
