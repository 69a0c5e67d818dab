"""Workflow commands: what the GitHub Actions runner reads, and that nothing else can be injected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.model.safe_text import neutral
from flink_flint.linter.text.spans import Position
from tests.conftest import Flint
from tests.output.odd_files import ODD, checked, rendered, write


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return the commands in a log as the runner reads them: name, properties and data, unescaped."""
    found = []
    for line in re.split(r"\r\n|\r|\n", text):
        match = re.match(r"\s*::(\S+?)(?: (.*?))?::(.*)$", line)
        if match is None:
            assert "##[" not in line, "the runner's older mark counts anywhere in a line"
            continue
        properties = dict(pair.split("=", 1) for pair in (match[2] or "").split(",") if pair)
        unescaped = {
            name: value.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",")
            .replace("%25", "%") for name, value in properties.items()
        }  # fmt: skip
        data = match[3].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        found.append((match[1], unescaped, data))
    return found


@pytest.fixture
def report(tmp_path: Path) -> Report:
    write(tmp_path, ODD)
    return checked(tmp_path)


def test_the_ten_worst_are_annotated_and_the_rest_is_counted(report: Report, tmp_path: Path) -> None:
    read = commands(rendered("github", report, tmp_path))
    annotations = [one for one in read if one[1].get("file")]
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
    ordered = [words[finding.severity] for finding in sorted(report.findings, key=lambda f: -f.severity)]
    assert [name for name, _, _ in annotations] == ordered[:10]
    (notice,) = [data for name, properties, data in read if name == "notice" and properties == {"title": "flint"}]
    assert notice.startswith(f"{len(report.findings) - 10} info more")
    listed = [line for line in rendered("github", report, tmp_path).splitlines() if line.startswith("- ")]
    assert len(listed) == len(report.findings) - 10


def test_an_annotation_has_its_place(report: Report, tmp_path: Path) -> None:
    name, properties, data = commands(rendered("github", report, tmp_path))[0]
    assert (name, properties) == (
        "error",
        {
            "title": "FLK025 bad-number-or-boolean", "file": "wide letters/config.yaml",
            "line": "1", "endLine": "1", "col": "57", "endColumn": "60",
        },
    )  # fmt: skip
    assert data.splitlines()[0] == report.findings[15].message


def test_no_more_than_ten_need_no_notice(tmp_path: Path) -> None:
    write(tmp_path, {"east/flink-conf.yaml": ODD["east/flink-conf.yaml"]})
    text = rendered("github", checked(tmp_path), tmp_path)
    assert [name for name, _, _ in commands(text)] == ["notice", "notice"]
    assert "::group::" not in text


def test_columns_are_left_out_over_several_lines(report: Report, tmp_path: Path) -> None:
    finding = report.findings[0]
    finding.severity = Severity.ERROR
    finding.where = finding.where._replace(start=Position(2, 5), end=Position(4, 1))
    properties = commands(rendered("github", report, tmp_path))[0][1]
    assert (properties["line"], properties["endLine"]) == ("2", "3")
    assert not {"col", "endColumn"} & set(properties)


HOSTILE = (
    "a\n::set-output name=x::y", "b\r::error::c", "::add-mask::d", "50% of e%0A::stop-commands::f", "##[add-path]/tmp",
    "g\x85::warning::h\u2028::error::i", "j,line=1::k", "\n##[set-env name=A]B",
)  # fmt: skip


def test_no_message_is_a_command_of_its_own(report: Report, tmp_path: Path) -> None:
    for number, finding in enumerate(report.findings):
        finding.message = HOSTILE[number % len(HOSTILE)]
        finding.help = HOSTILE[(number + 3) % len(HOSTILE)]
        finding.rule = HOSTILE[(number + 5) % len(HOSTILE)]
    read = commands(rendered("github", report, tmp_path))
    assert {name for name, _, _ in read} == {"error", "warning", "notice", "group", "endgroup"}
    assert len(read) == 10 + 1 + 2
    messages = {data.partition("\n")[0] for name, properties, data in read if properties.get("file")}
    assert messages <= {neutral(text).partition("\n")[0] for text in HOSTILE}


def test_no_path_is_a_command_of_its_own(tmp_path: Path) -> None:
    hostile = "a\n::set-output name=x::y, line=3"
    write(tmp_path, {f"{hostile}/{number}/config.yaml": b"akka.framesize: 20971520b\n" for number in range(12)})
    read = commands(rendered("github", checked(tmp_path), tmp_path))
    assert {name for name, _, _ in read} == {"notice", "group", "endgroup"}
    assert {properties["file"].rpartition("/")[0][:-2].rstrip("/") for _, properties, _ in read if "file" in properties}
    assert all(properties["file"].startswith(hostile) for _, properties, _ in read if "file" in properties)


def test_github_is_the_format_in_its_actions(tmp_path: Path, flint: Flint) -> None:
    write(tmp_path, {"config.yaml": b"akka.framesize: 20971520b\n"})
    arguments = ("check", ".", "--select", "deprecated-key", "--flink-version", "1.20")
    assert flint(*arguments, GITHUB_ACTIONS="true").stdout.startswith(
        "::notice title=FLK003 deprecated-key,file=config"
    )
    assert flint(*arguments, GITHUB_ACTIONS="").stdout.startswith("info[FLK003]")
    named = flint(*arguments, "--output-format", "concise", GITHUB_ACTIONS="true").stdout
    assert named.startswith("config.yaml:1:1: ")
    (tmp_path / "flint.toml").write_text('output-format = "concise"\n')
    assert flint(*arguments, GITHUB_ACTIONS="true").stdout == named
