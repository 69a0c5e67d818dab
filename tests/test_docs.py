"""What the pages under docs say is what the code does: generated ones are fresh, examples are read as they say."""

from __future__ import annotations

import configparser
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from linter.carriers import carriers

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


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


FILES = (DOCS / "files.md").read_text(encoding="utf-8")


def sections() -> dict[str, str]:
    """The sections of the page on files that say what flint makes of something, by title."""
    parts = [part.partition("\n") for part in re.split(r"^#+ ", FILES, flags=re.MULTILINE)]
    return {title: text for title, _, text in parts if "<!-- from `flint " in text}


@pytest.mark.parametrize("title", sections())
def test_files_are_read_as_the_page_says(title: str, tmp_path: Path) -> None:
    """Each excerpt stands in what the command above it says, run beside the files of its section, to the letter."""
    text = sections()[title]
    for name, content in re.findall(r"<!-- file (\S+) -->\n```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    excerpts = re.findall(r"<!-- from `flint ([^`]+)` -->\n```\n(.+?)^```$", text, re.DOTALL | re.MULTILINE)
    assert excerpts
    for command, excerpt in excerpts:
        done = subprocess.run(
            [sys.executable, "-m", "linter", *shlex.split(command)],
            cwd=ROOT if "examples/" in command else tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        said = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
        assert excerpt in said, done.stderr


def test_the_page_on_files_has_all_kinds() -> None:
    table = FILES[FILES.index("| kind, ") :].partition("\n\n")[0]
    schema = {
        "flink-conf", "config.yaml", "flinkdeployment", "flinksessionjob", "bluegreen", "other-cr", "ververica",
        "configmap", "helm", "compose", "emr", "msf", "sql", "source", "properties", "logging", "shell",
    }  # fmt: skip
    told = {name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert told == schema
    assert {carrier.kind for carrier in carriers()} <= schema


def test_links_to_sections_lead_somewhere() -> None:
    titles = re.findall(r"^#+ (.+)$", FILES, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    assert set(re.findall(r"\]\(#([^)]+)\)", FILES)) <= anchors


def test_the_order_of_releases_on_the_page_is_that_of_the_code() -> None:
    """The page's list has what `linter.target` looks at, in its order."""
    part = FILES[FILES.index("1. `--flink-version`") :].partition("\n\n")[0]
    wanted = ("--flink-version", "spec.flinkVersion", "belongs to", "pom.xml", "preferences", "Dockerfile")
    assert [part.index(word) for word in wanted] == sorted(part.index(word) for word in wanted)


def test_the_order_of_imports_is_the_contract() -> None:
    """The list in the architecture has the layers of .importlinter, in their order."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    for contract, first, prefix in (("linter", "linter.__main__", "linter."), ("history", "recommending_stores\n", "")):
        layers = contracts[f"importlinter:contract:{contract}"]["layers"].strip().splitlines()
        due = [{name.strip().rpartition(".")[2] for name in layer.split("|")} for layer in layers]
        block = page[page.index(f"```\n{first}") + 4 :].partition("```")[0]
        told = [
            {word.removeprefix(prefix).removeprefix(".") for word in line.split()}
            for line in block.splitlines()
            if line.strip() not in ("rules", "calculators")
        ]
        assert [set(layer) for layer in told] == due
