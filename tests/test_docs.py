"""The pages under docs/rules and docs/calculators are what the rules and calculators say now."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_are_fresh(generator: ModuleType) -> None:
    there = {
        f"{folder}/{path.name}": path.read_bytes().decode("utf-8")
        for folder in generator.FOLDERS
        for path in (DOCS / folder).glob("*.md")
    }
    due = generator.pages()
    stale = sorted(name for name in {*there, *due} if there.get(name) != due.get(name))
    assert stale == [], "run `make docs`"


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(DOCS.parent)}: {link}"
        for page in [*DOCS.rglob("*.md"), DOCS.parent / "CONTRIBUTING.md", DOCS.parent / "README.md"]
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []
