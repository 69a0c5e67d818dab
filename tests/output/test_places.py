"""Locations in the units of each format refer to the same text when read back from the files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.output.repository_paths import Paths, uri
from tests.output.odd_files import ODD, checked, inside, rendered, write


def expected(report: Report) -> list[str]:
    """Return the text of each finding."""
    texts = {one.document.path: one.document.text for one in report.documents}
    return [texts[finding.path][finding.span.start : finding.span.end] for finding in report.findings]


def test_sarif_counts_characters_of_the_text_without_its_mark(report: Report, folder: Path) -> None:
    run = json.loads(rendered("sarif", report, folder))["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    found = []
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        text = ODD[unquote(place["artifactLocation"]["uri"])].decode("utf-8-sig")
        region = place["region"]
        assert region["startLine"] == region["endLine"]
        line = re.split(r"\r\n|\n", text)[region["startLine"] - 1]
        found.append(line[region["startColumn"] - 1 : region["endColumn"] - 1])
    assert found == expected(report)


def test_rdjson_counts_bytes(report: Report, folder: Path) -> None:
    found = []
    for diagnostic in json.loads(rendered("rdjson", report, folder))["diagnostics"]:
        range_ = diagnostic["location"]["range"]
        line = ODD[diagnostic["location"]["path"]].split(b"\n")[range_["start"]["line"] - 1]
        found.append(line[range_["start"]["column"] - 1 : range_["end"]["column"] - 1].decode())
    assert found == expected(report)


def test_json_counts_characters(report: Report, folder: Path) -> None:
    found = []
    for finding in json.loads(rendered("json", report, folder))["findings"]:
        line = ODD[finding["path"]].decode().split("\n")[finding["start"]["line"] - 1]
        found.append(line[finding["start"]["column"] - 1 : finding["end"]["column"] - 1])
    assert found == expected(report)


def test_malformed_bytes_count_as_they_stand_in_the_file(tmp_path: Path) -> None:
    data = b"# \xff\n? \xe9\xff \xf0\x9f\x98\x80 : x\nenv.x\xff: \xe9\nakka.framesize: 20971520b\xff\n"
    write(tmp_path, {"flink-conf.yaml": data})
    report = checked(tmp_path, "alias-conflict", "deprecated-key", "unknown-key", flink_version="1.18")
    for diagnostic in json.loads(rendered("rdjson", report, tmp_path))["diagnostics"]:
        range_ = diagnostic["location"]["range"]
        line = data.split(b"\n")[range_["start"]["line"] - 1]
        assert 1 <= range_["start"]["column"] <= range_["end"]["column"] <= len(line) + 1
    assert any("akka.framesize" in finding.message for finding in report.findings)


def uris(log: Any) -> set[str]:
    return {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["runs"][0]["results"]
        for place in (*result["locations"], *result.get("relatedLocations", ()))
    }


def test_paths_start_at_the_root_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """flint runs in a folder of the repository that the forge does not know."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy to").mkdir()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path.parent))
    write(tmp_path / "deploy to", ODD)
    report = checked(tmp_path / "deploy to")
    where = tmp_path / "deploy to"
    assert "deploy%20to/wide%20letters/run.sh" in uris(json.loads(rendered("sarif", report, where)))
    issues = json.loads(rendered("gitlab", report, where))
    assert "deploy to/wide letters/run.sh" in {issue["location"]["path"] for issue in issues}
    assert "file=deploy to/wide letters/run.sh," in rendered("github", report, where)
    # reviewdog runs in the same folder and adds its path.
    diagnostics = json.loads(rendered("rdjson", report, where))["diagnostics"]
    assert "wide letters/run.sh" in {diagnostic["location"]["path"] for diagnostic in diagnostics}


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_without_git_the_job_says_where_the_root_is(variable: str, tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    with inside(tmp_path / "a" / "b"):
        assert Paths({variable: str(tmp_path)})("x.yaml") == "a/b/x.yaml"
        assert Paths({variable: str(tmp_path)})("../x.yaml") == "a/x.yaml"
        assert Paths({})("./x.yaml") == "x.yaml"


def test_a_link_is_reported_by_the_file_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "root" / ".git").mkdir(parents=True)
    (tmp_path / "root" / "real.yaml").touch()
    (tmp_path / "outside.yaml").touch()
    (tmp_path / "root" / "link.yaml").symlink_to("real.yaml")
    (tmp_path / "other").symlink_to("root")
    with inside(tmp_path / "other"):
        paths = Paths({})
        assert paths("link.yaml") == "real.yaml"
        assert paths(str(tmp_path / "other" / "real.yaml")) == "real.yaml"
        assert paths(str(tmp_path / "outside.yaml")) == str(tmp_path / "outside.yaml")


def test_uris_are_percent_encoded() -> None:
    assert uri("a b/数据#1?.yaml") == "a%20b/%E6%95%B0%E6%8D%AE%231%3F.yaml"
    assert uri("100%.yaml") == "100%25.yaml"
    assert uri("a:b/c.yaml") == "a%3Ab/c.yaml"
    assert uri("/etc/flink conf.yaml") == "file:///etc/flink%20conf.yaml"
    assert uri("\udcff.yaml") == "%FF.yaml"
