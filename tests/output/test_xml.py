"""JUnit's and Checkstyle's XML: well-formed for any message or path, and unchanged when read back."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.discovery import Problem
from flink_flint.linter.output.xml_text import content, opening
from tests.output.odd_files import ODD, checked, rendered, write

HOSTILE = "a\x00\x1b[31m\ufffe\ud800<b c=\"d\" e='f'>&amp;]]>\r\n\tg 😀"
FINDING = "a\\u0000\\u001b[31m\ufffd\\ud800<b c=\"d\" e='f'>&amp;]]>\n\tg 😀"
"""The text of a finding, escaped once before it is written as XML."""
SHOWN = "a\ufffd\ufffd[31m\ufffd\ufffd<b c=\"d\" e='f'>&amp;]]>\r\n\tg 😀"


@pytest.fixture
def report(tmp_path: Path) -> Report:
    write(tmp_path, ODD)
    report = checked(tmp_path)
    for finding in report.findings:
        finding.message = finding.help = HOSTILE
    return report._replace(problems=[Problem(HOSTILE, HOSTILE)])


def test_junit(report: Report, tmp_path: Path) -> None:
    root = ElementTree.fromstring(rendered("junit", report, tmp_path).encode("utf-8"))
    failures = root.findall(".//failure")
    assert {failure.get("message") for failure in failures} == {FINDING}
    assert all(FINDING in (failure.text or "") for failure in failures)
    totals = {key: root.get(key) for key in ("tests", "failures", "errors")}
    assert totals == {"tests": "21", "failures": "20", "errors": "1"}
    for suite in root.findall("testsuite"):
        assert suite.get("tests") == str(len(suite.findall("testcase")))
    assert [error.get("message") for error in root.findall(".//error")] == [SHOWN]


def test_checkstyle(report: Report, tmp_path: Path) -> None:
    root = ElementTree.fromstring(rendered("checkstyle", report, tmp_path).encode("utf-8"))
    assert {error.get("message") for error in root.findall(".//error")} == {f"{FINDING}; {FINDING}", SHOWN}
    assert {error.get("severity") for error in root.findall(".//error")} == {"error", "warning", "info"}
    assert [file.get("name") for file in root.findall("file")][-1] == SHOWN
    assert "wide letters/run.sh" in {file.get("name") for file in root.findall("file")}


@given(st.text(st.characters()))
def test_any_text_comes_back(text: str) -> None:
    document = opening("a", {"b": text}) + f">{content(text)}</a>"
    element = ElementTree.fromstring(document)
    shown = "".join(
        char
        if char in "\t\n\r" or " " <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd" or char > "\uffff"
        else "\ufffd"
        for char in text
    )
    assert (element.get("b"), element.text or "") == (shown, shown)
