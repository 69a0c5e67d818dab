"""The pictures of the forms in the documentation."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from flink_flint.calculators.answering.calculator import NAMES

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.slow
def test_a_picture_is_the_same_each_time_shows_the_answer_and_fetches_nothing() -> None:
    picture = runpy.run_path(str(DOCS / "pictures.py"))["picture"]
    drawn = picture("async-io")
    assert drawn == picture("async-io")
    assert "2&#160;calls&#160;are&#160;queued" in drawn
    assert not re.search(r"url\(\s*[\"']?http|href=[\"']http", drawn)


def test_every_calculator_has_its_picture() -> None:
    assert {path.stem for path in (DOCS / "calculators").glob("*.svg")} == set(NAMES)
