"""SARIF beyond its schema: requirements of GitHub's code scanning, viewers and reviewdog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter import __version__
from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.discovery import Problem
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.output import sarif
from tests.output.odd_files import ODD, checked, rendered, write


@pytest.fixture
def report(tmp_path: Path) -> Report:
    write(tmp_path, ODD)
    return checked(tmp_path)


def run_of(report: Report, folder: Path) -> Any:
    log = json.loads(rendered("sarif", report, folder))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return run


def test_rules_are_those_with_findings_with_their_pages(report: Report, tmp_path: Path) -> None:
    run = run_of(report, tmp_path)
    driver = run["tool"]["driver"]
    assert driver["semanticVersion"] == __version__
    assert [rule["id"] for rule in driver["rules"]] == sorted({finding.code for finding in report.findings})
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    rule = next(rule for rule in driver["rules"] if rule["id"] == "FLK101")
    assert rule["name"] == "blob-storage-in-tmp"
    assert rule["shortDescription"]["text"] == "the blob server stores job jars where the system cleans up"
    assert rule["fullDescription"]["text"].startswith("Works out where the blob server stores the jars")
    assert rule["help"]["text"].startswith("Set blob.storage.directory to a folder")
    assert "\n## Why it matters\n" in rule["help"]["markdown"]
    assert rule["helpUri"].endswith("/blob-storage-in-tmp.md")
    assert rule["defaultConfiguration"] == {"level": "warning"}
    assert rule["properties"] == {
        "tags": ["flink", "configuration", "storage"], "precision": "high", "problem.severity": "warning",
    }  # fmt: skip


def test_security_severity_is_for_the_rules_on_security(report: Report, tmp_path: Path) -> None:
    rules = run_of(report, tmp_path)["tool"]["driver"]["rules"]
    rated = {rule["id"]: rule["properties"]["security-severity"] for rule in rules
             if "security-severity" in rule["properties"]}  # fmt: skip
    assert rated == {"FLK945": "5.5"}
    assert next(rule for rule in rules if rule["id"] == "FLK945")["properties"]["tags"][-1] == "security"


def test_the_page_of_every_rule_fits(report: Report, tmp_path: Path) -> None:
    """GitHub rejects descriptions above 1024 characters and empty ones."""
    finding = report.findings[0]
    findings = []
    for declaration in registry().declarations:
        one = type(finding)(finding.message, finding.span)
        one.code, one.rule, one.family, one.path = declaration.code, declaration.name, declaration.family, finding.path
        one.where = finding.where
        findings.append(one)
    rules = run_of(report._replace(findings=findings), tmp_path)["tool"]["driver"]["rules"]
    assert len(rules) == len(registry().declarations)
    for rule in rules:
        for text in (rule["shortDescription"]["text"], rule["fullDescription"]["text"], rule["help"]["text"]):
            assert text
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert "`" not in rule["help"]["text"]
        assert rule["help"]["markdown"].startswith(rule["help"]["markdown"].lstrip())


def test_a_finding_is_known_again_by_its_identity(tmp_path: Path) -> None:
    write(tmp_path, {"flink-conf.yaml": b"blob.storage.directory: /tmp/a\n"})
    first = run_of(checked(tmp_path), tmp_path)["results"]
    write(tmp_path, {"flink-conf.yaml": b"# moved\n\nrest.port: 1\nblob.storage.directory:   /tmp/b\n"})
    second = run_of(checked(tmp_path), tmp_path)["results"]
    assert first[0]["partialFingerprints"] == second[0]["partialFingerprints"]
    assert "primaryLocationLineHash" in first[0]["partialFingerprints"]


def test_a_related_place_in_another_file(report: Report, tmp_path: Path) -> None:
    run = run_of(report, tmp_path)
    (result,) = [result for result in run["results"] if result["ruleId"] == "FLK411"]
    (related,) = result["relatedLocations"]
    address = related["physicalLocation"]["artifactLocation"]
    assert address["uri"] == "east/flink-conf.yaml"
    assert run["artifacts"][address["index"]]["location"]["uri"] == "east/flink-conf.yaml"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "west/flink-conf.yaml"


def test_every_file_is_an_artifact(report: Report, tmp_path: Path) -> None:
    artifacts = [artifact["location"]["uri"] for artifact in run_of(report, tmp_path)["artifacts"]]
    assert sorted(artifacts) == sorted(path.replace(" ", "%20") for path in ODD)


def test_a_fix_says_when_it_changes_what_flink_does(report: Report, tmp_path: Path) -> None:
    fixes = {
        result["ruleId"]: result["fixes"][0]["description"]["text"]
        for result in run_of(report, tmp_path)["results"]
        if "fixes" in result
    }
    assert fixes["FLK025"].endswith("(changes what Flink does)")
    assert fixes["FLK006"] == "delete akka.framesize"


def test_what_could_not_be_read_is_a_notification(report: Report, tmp_path: Path) -> None:
    (invocation,) = run_of(report, tmp_path)["invocations"]
    assert invocation == {"executionSuccessful": True}
    problems = [Problem("no such/数据.yaml", "no such file or folder")]
    (invocation,) = run_of(report._replace(problems=problems, crashed=True), tmp_path)["invocations"]
    assert invocation["executionSuccessful"] is False
    unread, crashed = invocation["toolExecutionNotifications"]
    assert unread["message"]["text"] == "no such file or folder"
    address = unread["locations"][0]["physicalLocation"]["artifactLocation"]
    assert address == {"uri": "no%20such/%E6%95%B0%E6%8D%AE.yaml", "uriBaseId": "%SRCROOT%"}
    assert "rule failed" in crashed["message"]["text"]


def test_above_the_limit_the_worst_stay_and_the_log_says_so(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sarif.MAX_RESULTS == 25_000
    monkeypatch.setattr(sarif, "MAX_RESULTS", 4)
    run = run_of(report, tmp_path)
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning", "warning"]
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert said["level"] == "warning"
    assert said["message"]["text"] == "16 results left out (5 warning, 11 info): a run has at most 4, the most severe"
    assert run["invocations"][0]["executionSuccessful"]


def test_a_rule_nobody_declared_is_reported_as_well(report: Report, tmp_path: Path) -> None:
    """Users' rules have no page here."""
    finding = report.findings[0]
    finding.code, finding.rule, finding.family, finding.url = "FLK999", "own-rule", "", None
    finding.severity = Severity.ERROR
    rule = run_of(report._replace(findings=[finding]), tmp_path)["tool"]["driver"]["rules"][0]
    assert rule["help"] == {"text": "own-rule", "markdown": "own-rule"}
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert "helpUri" not in rule


def test_a_rule_that_failed_is_reported_with_its_place(report: Report, tmp_path: Path) -> None:
    finding = report.findings[0]
    finding.code, finding.rule, finding.message = "FLK000", "internal-error", "FLK101 failed: KeyError"
    (invocation,) = run_of(report._replace(crashed=True), tmp_path)["invocations"]
    (said,) = invocation["toolExecutionNotifications"]
    assert said["message"]["text"] == "FLK101 failed: KeyError"
    assert said["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "east/flink-conf.yaml"
    assert invocation["executionSuccessful"] is False
