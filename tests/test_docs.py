"""The pages under docs agree with the code: generated pages are fresh, examples have the output that they show."""

from __future__ import annotations

import ast
import configparser
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from docs import command_page, flint_config_page, generate, option_pages
from docs.markdown import anchor_of
from flink_flint.linter.config.flint_config import read_flint_config, schema
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.formats import file_formats

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]


@pytest.mark.slow
def test_pages_are_fresh() -> None:
    due = generate.pages()
    names = {*due, *(f"{folder}/{path.name}" for folder in generate.FOLDERS for path in (DOCS / folder).glob("*.md"))}
    there = {name: (DOCS / name).read_bytes().decode("utf-8") for name in names if (DOCS / name).exists()}
    stale = sorted(name for name in names if there.get(name) != due.get(name))
    assert stale == [], "run `make docs`"


@cache
def without_code(path: Path) -> str:
    return re.sub(r"^(`{3,}).*?^\1`*\s*?$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def anchors_of(path: Path) -> list[str]:
    """Return the anchors of a page on GitHub: of headings (numbered if repeated), and those set in HTML."""
    seen: Counter[str] = Counter()
    found = re.findall(r'<a id="([^"]+)">', without_code(path))
    for title in re.findall(r"^#+ (.+)$", without_code(path), re.MULTILINE):
        anchor = anchor_of(title)
        found.append(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def links_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the links of a page to other pages and sections as file and anchor."""
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]+`", "", without_code(path))):
        if "://" not in link:
            file, _, anchor = link.partition("#")
            yield file, anchor


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for file, anchor in links_of(page):
            target = page.parent / file if file else page
            if not target.exists() or (anchor and anchor not in anchors_of(target.resolve())):
                broken.append(f"{page.relative_to(ROOT)}: {file}#{anchor}")
    assert broken == []


def test_no_anchor_stands_for_two_things() -> None:
    assert [name for name, times in Counter(anchors_of(DOCS / option_pages.PAGE)).items() if times > 1] == []


def test_every_page_is_in_the_navigation() -> None:
    """The site's hook adds rules and calculators."""
    listed = set(
        re.findall(r"[\w/-]+\.md", json.dumps(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    )
    there = {path.relative_to(DOCS).as_posix() for path in PAGES if path.is_relative_to(DOCS)}
    there -= {name for name in there if name.startswith(("rules/", "calculators/")) and not name.endswith("README.md")}
    assert listed == there


def test_the_page_of_each_rule_shows_its_finding() -> None:
    assert [
        name for name, rule in registry().by_name.items() if rule.scope != "crash" and not shows_finding(name)
    ] == []


def shows_finding(name: str) -> bool:
    """Return whether the output of flint on the page has a finding of the rule."""
    page = (DOCS / "rules" / f"{name}.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"^```console\n\$ flint check (.+?)^```$", page, re.DOTALL | re.MULTILINE)
    code = registry().by_name[name].code
    return re.search(rf"^(error|warning|info)\[{code}\] {name}:\s", printed, re.MULTILINE) is not None


def test_the_page_of_each_rule_leads_to_its_options() -> None:
    for name, rule in registry().by_name.items():
        path = DOCS / "rules" / f"{name}.md"
        headings = re.findall(r"^#+ (.+)$", without_code(path), re.MULTILINE)
        assert headings[0] == f"{rule.code} {name}"
        due = {"What it does", "Why it matters", "What to do", "Sources"}
        assert due <= set(headings), name
        anchors = {anchor for file, anchor in links_of(path) if file == f"../{option_pages.PAGE}"}
        assert anchors == {option_pages.anchor_of(read) for read in rule.reads}, name


def test_the_example_of_flint_toml_can_be_read_and_has_them_all(tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text(flint_config_page.example(), encoding="utf-8")
    read = read_flint_config(str(tmp_path / "flint.toml"))
    assert read is not None
    assert set(read.values) == set(schema()["properties"])
    assert flint_config_page.example() in (DOCS / flint_config_page.PAGE).read_text(encoding="utf-8")


def test_the_defaults_of_flint_toml_change_nothing(tmp_path: Path) -> None:
    defaults = {name: one["default"] for name, one in schema()["properties"].items() if "default" in one}
    (tmp_path / "flink-conf.yaml").write_text(
        "blob.storage.directory: /tmp\nparallelism.defualt: 2\n", encoding="utf-8"
    )
    said = []
    for flint_config in ({}, defaults):
        (tmp_path / ".flint.yaml").write_text(json.dumps(flint_config), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "flink_flint", "check"],
            cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        said.append((done.returncode, done.stdout, done.stderr))
    assert said[0] == said[1]
    assert said[0][0] == 1


_GIT = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CEILING_DIRECTORIES"}
"""Set by git itself for its hooks."""


def test_every_environment_variable_that_is_read_is_told() -> None:
    sources = [path for folder in ("linter", "calculators") for path in (ROOT / folder).rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources if "generate" not in path.parts)
    spelled = (
        r'environ(?:\.get\(|\[)\s*"([A-Z\d_]+)"',
        r'"([A-Z\d_]+)" (?:not )?in (?:os\.)?environ',
        r'"(_?(?:FLINT|GITHUB|GITLAB|GH|CI)_[A-Z\d_]+)"',
    )
    names = {name for one in spelled for name in re.findall(one, text)}
    # Not for users: what PySpark's launcher passes to PySpark, where Python finds its modules, what Windows needs.
    assert names - {"PYSPARK_GATEWAY_PORT", "PYTHONPATH", "PATH", "SYSTEMROOT", *_GIT} == set(command_page.VARIABLES)


@pytest.mark.slow
def test_the_front_page_shows_what_flint_really_says() -> None:
    """Each excerpt is exactly in the output of the command in the comment above it."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    excerpts = re.findall(r"<!-- from `flint ([^`]+)` -->\n```\n(.+?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(excerpts) == 3
    for command, excerpt in excerpts:
        done = subprocess.run(
            [sys.executable, "-m", "flink_flint", *shlex.split(command)],
            cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "76"},
        )  # fmt: skip
        assert excerpt in done.stdout, done.stderr


FILES = (DOCS / "files.md").read_text(encoding="utf-8")


def sections() -> dict[str, str]:
    """Return the sections of the page on files that show output of flint, by title."""
    parts = [part.partition("\n") for part in re.split(r"^#+ ", FILES, flags=re.MULTILINE)]
    return {title: text for title, _, text in parts if "<!-- from `flint " in text}


@pytest.mark.slow
@pytest.mark.parametrize("title", sections())
def test_files_are_read_as_the_page_says(title: str, tmp_path: Path) -> None:
    """Each excerpt is exactly in the output of the command above it, run with the files of its section."""
    text = sections()[title]
    for name, content in re.findall(r"<!-- file (\S+) -->\n```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    excerpts = re.findall(r"<!-- from `flint ([^`]+)` -->\n```\n(.+?)^```$", text, re.DOTALL | re.MULTILINE)
    assert excerpts
    for command, excerpt in excerpts:
        done = subprocess.run(
            [sys.executable, "-m", "flink_flint", *shlex.split(command)],
            cwd=ROOT if "examples/" in command else tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        said = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
        assert excerpt in said, done.stderr


def test_the_page_on_files_has_all_kinds() -> None:
    table = FILES[FILES.index("| kind, ") :].partition("\n\n")[0]
    told = {name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert told == {file_format.kind for file_format in file_formats()} | kinds_of_documents()


def kinds_of_documents() -> set[str]:
    """Return the kinds that the code of formats gives to documents: arguments `kind` of calls, defaults of parameters
    `kind`, and the values of tables `_KINDS` by Kubernetes' kind."""
    found: set[str] = set()
    for path in (ROOT / "linter" / "formats").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("Document", "_document"):
                given = [word.value for word in node.keywords if word.arg == "kind"]
            elif isinstance(node, ast.FunctionDef) and node.name == "_document":
                arguments = [*node.args.args, *node.args.kwonlyargs]
                defaults = [*node.args.defaults, *node.args.kw_defaults]
                pairs = zip(reversed(arguments), reversed(defaults), strict=False)
                given = [default for argument, default in pairs if argument.arg == "kind" and default is not None]
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "_KINDS":
                given = [node.value]
            else:
                continue
            found |= {text for one in given for text in texts_of(one)}
    return found


def texts_of(node: ast.expr) -> set[str]:
    """Return the texts that an expression may result in."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return texts_of(node.body) | texts_of(node.orelse)
    return {text for value in node.values for text in texts_of(value)} if isinstance(node, ast.Dict) else set()


def test_the_order_of_releases_on_the_page_is_that_of_the_code() -> None:
    """The page's list has the sources of `linter.model.target`, in the same order."""
    part = FILES[FILES.index("1. `--flink-version`") :].partition("\n\n")[0]
    wanted = ("--flink-version", "spec.flinkVersion", "belongs to", "pom.xml", "flint.toml", "Dockerfile")
    assert [part.index(word) for word in wanted] == sorted(part.index(word) for word in wanted)


def test_the_order_of_imports_is_the_contract() -> None:
    """The lists in the architecture have the layers of .importlinter, in the same order."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    for contract, first in (("linter", "__main__"), ("calculators", "interactive")):
        layers = contracts[f"importlinter:contract:{contract}"]["layers"].strip().splitlines()
        due = [{name.strip() for name in layer.replace(":", "|").split("|")} for layer in layers]
        block = page[page.index(f"```\n{first}") + 4 :].partition("```")[0]
        assert [set(line.split()) for line in block.splitlines()] == due
