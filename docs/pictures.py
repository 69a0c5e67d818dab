"""A picture of each calculator's form with its worked example: docs/calculators/NAME.svg. `make docs` runs this."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.interactive.app import Form
from flink_flint.linter.flink.releases import NEWEST, parse_release, release_at

FOLDER = Path(__file__).resolve().parent / "calculators"
SIZE = (120, 40)
"""Columns and lines: form, answer and chart stand side by side."""


def picture(name: str) -> str:
    """The form of a calculator as SVG; the same text from the same form."""
    return asyncio.run(_picture(name))


async def _picture(name: str) -> str:
    shown_for = calculator(name).forward.release
    form = Form(name, release=parse_release(shown_for) if shown_for else release_at(NEWEST))
    async with form.run_test(size=SIZE) as pilot:
        await pilot.press("ctrl+g")
        await pilot.pause()
        # The mouse and the cursor are nobody's here.
        form.screen.set_focus(None)
        await pilot.pause()
        drawn = form.export_screenshot(title=f"flint size {name}")
    # A picture fetches no font from elsewhere: every reader has one whose letters are equally wide.
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


def main() -> None:
    """Draw all forms anew."""
    FOLDER.mkdir(exist_ok=True)
    for name in NAMES:
        (FOLDER / f"{name}.svg").write_text(picture(name), encoding="utf-8")


if __name__ == "__main__":
    main()
