"""Every output format against golden files, and the guarantees of the JSON contract."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from flink_flint.linter import __version__
from flink_flint.linter.output import FORMATS
from tests.conftest import ROOT, Flint
from tests.output.odd_files import MACHINES, RULES, SECRET
from tests.output.odd_files import ODD as ODD_FILES
from tests.output.odd_files import write as write_files

Golden = Callable[[str, str], None]

ODD = {
    "wide/flink-conf.yaml": "# a long line is cut around what it is about\n"
    f"env.java.opts: {'-Dsome.property=value ' * 12}\nblob.storage.directory: {'/tmp/a' * 30}\n",
    "letters/config.yaml": 'blob.storage.directory: "/tmp/数据 réseau"  # é\n',
    "secret/flink-conf.yaml": "s3.secret-key:hush-7f3a\nblob.storage.directory: /tmp/hush-7f3a\n",
    "tab/flink-conf.yaml": "blob.storage.directory: /tmp/a\tb\n",
}

POSITION = {
    "type": "object",
    "required": ["line", "column"],
    "additionalProperties": False,
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
}
FINDING: dict[str, Any] = {
    "type": "object",
    "required": [
        "code", "rule", "family", "severity", "confidence", "message", "help", "url", "path", "start", "end",
        "document", "key", "flink_version", "fingerprint", "related", "evidence", "fix",
    ],
    "properties": {
        "code": {"pattern": "^FLK\\d{3}$"},
        "rule": {"pattern": "^[a-z0-9-]+$"},
        "severity": {"enum": ["error", "warning", "info"]},
        "confidence": {"enum": ["low", "medium", "high"]},
        "message": {"type": "string", "minLength": 10},
        "start": POSITION,
        "end": POSITION,
        "fingerprint": {"pattern": "^[0-9a-f]{32}$"},
        "fix": {
            "anyOf": [
                {"type": "null"},
                {
                    "type": "object",
                    "required": ["safety", "title", "edits"],
                    "properties": {
                        "safety": {"enum": ["safe", "unsafe"]},
                        "edits": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "required": ["path", "start", "end", "text"],
                                "properties": {"start": POSITION, "end": POSITION, "text": {"type": "string"}},
                            },
                        },
                    },
                },
            ]
        },
    },
}  # fmt: skip


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The example of a bad session cluster, copied to its own folder."""
    shutil.copytree(ROOT / "examples" / "session", tmp_path / "session")
    return tmp_path


def readable(name: str, text: str) -> str:
    """Return a report for a golden file: without the version, indented, without rule pages."""
    text = text.replace(f'"{__version__}"', '"0"')
    if name not in ("sarif", "gitlab", "rdjson"):
        return text
    report = json.loads(text)
    if name == "sarif":
        for rule in report["runs"][0]["tool"]["driver"]["rules"]:
            rule["fullDescription"] = rule["help"] = "…"
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", FORMATS)
def test_the_example_in_every_format(name: str, session: Path, flint: Flint, golden: Golden) -> None:
    result = flint("check", "session", "--output-format", name, COLUMNS="80")
    assert (result.returncode, result.stderr) == (1, "")
    golden(f"session.{name}.txt", readable(name, result.stdout))


def test_odd_files_in_every_format_in_one_run(tmp_path: Path, flint: Flint, golden: Golden) -> None:
    """Writing several pairs of format and file gives the same as each on standard output."""
    write_files(tmp_path, ODD_FILES)
    rules = ("--select", ",".join(RULES), "--flink-version", "1.20")
    pairs = [word for name in FORMATS for word in ("--output-format", name, "--output-file", f"out/{name}.txt")]
    (tmp_path / "out").mkdir()
    result = flint("check", ".", *rules, *pairs)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "")
    for name in FORMATS:
        text = (tmp_path / "out" / f"{name}.txt").read_bytes().decode("utf-8")
        assert SECRET not in text
        if name in MACHINES and name != "json":
            golden(f"odd.{name}.txt", readable(name, text))
    shown = flint("check", ".", *rules, "--output-format", "rdjson", "--exclude", "out")
    assert (tmp_path / "out" / "rdjson.txt").read_text(encoding="utf-8") == shown.stdout


def test_in_color_and_on_a_wide_terminal(session: Path, flint: Flint, golden: Golden) -> None:
    result = flint("check", "session", "--statistics", COLUMNS="200", FORCE_COLOR="1")
    golden("session.color.txt", result.stdout)
    plain = flint("check", "session", "--statistics", COLUMNS="200", FORCE_COLOR="1", NO_COLOR="1")
    assert re.sub(r"\x1b\[[\d;]*m", "", result.stdout) == plain.stdout


def test_odd_lines(tmp_path: Path, flint: Flint, golden: Golden) -> None:
    for path, text in ODD.items():
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text)
    result = flint("check", ".", "--select", "FLK101", COLUMNS="80")
    assert "hush-7f3a" not in result.stdout
    assert max(len(line) for line in result.stdout.splitlines() if " |" in line) <= 80
    golden("odd.txt", result.stdout)


def test_json_keeps_the_contract(session: Path, flint: Flint) -> None:
    report = json.loads(flint("check", "session", "--output-format", "json").stdout)
    assert (report["version"], report["files"]) == (1, 1)
    for finding in report["findings"]:
        jsonschema.validate(finding, FINDING)
    lines = flint("check", "session", "--output-format", "json-lines").stdout.splitlines()
    assert [json.loads(line) for line in lines] == report["findings"]


def test_places_in_json_are_where_the_text_is(tmp_path: Path, flint: Flint) -> None:
    (tmp_path / "config.yaml").write_text(ODD["letters/config.yaml"])
    (finding,) = json.loads(flint("check", ".", "--select", "FLK101", "--output-format", "json").stdout)["findings"]
    line = ODD["letters/config.yaml"].splitlines()[finding["start"]["line"] - 1]
    assert line[finding["start"]["column"] - 1 : finding["end"]["column"] - 1] == '"/tmp/数据 réseau"'


def test_several_outputs_in_one_run(session: Path, flint: Flint) -> None:
    arguments = ("--output-format", "json", "--output-file", "r.json", "--output-format", "concise")
    result = flint("check", "session", *arguments)
    assert result.returncode == 1
    findings = json.loads((session / "r.json").read_text())["findings"]
    assert len([line for line in result.stdout.splitlines() if line.startswith("session/")]) == len(findings)
    assert not list(session.glob("*.flint-*"))


def test_a_report_that_cannot_be_written_is_an_error(session: Path, flint: Flint) -> None:
    result = flint("check", "session", "-o", "no/such/folder/r.txt")
    assert result.returncode == 2
    assert "no/such/folder/r.txt: cannot write the report: no such file or directory" in result.stderr


def test_the_name_of_a_file_makes_no_line_of_its_own(tmp_path: Path, flint: Flint) -> None:
    folder = tmp_path / "a\n::error::forged"
    folder.mkdir()
    (folder / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/a\n", encoding="utf-8")
    said = flint("check", "--output-format", "concise", "--exit-zero").stdout
    assert "FLK101" in said
    assert not any(line.startswith("::") for line in said.splitlines())
