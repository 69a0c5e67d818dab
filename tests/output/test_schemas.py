"""Every machine-readable format against its published schema, and against the findings it contains."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.discovery import Problem
from tests.output.odd_files import MACHINES, SECRET, checked, rendered, write

SCHEMAS = Path(__file__).parent / "schemas"


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def troubled(report: Report) -> Report:
    """Return the same run with an unreadable file and a crashed rule."""
    return report._replace(problems=[Problem("no such/数据.yaml", "no such file or folder")], crashed=True)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("sound")
    write(path, {"config.yaml": b"parallelism.default: 2\n"})
    return checked(path)


JSON_SCHEMAS = {"sarif": "sarif-2.1.0.json", "rdjson": "rdformat.json", "gitlab": "gitlab-code-quality.json"}
XML_SCHEMAS = {"junit": "junit-10.xsd", "checkstyle": "checkstyle.xsd"}


@pytest.mark.parametrize("name", JSON_SCHEMAS)
@pytest.mark.parametrize("which", ["report", "troubled", "empty"])
def test_json_formats_fit_their_schemas(name: str, which: str, folder: Path, request: pytest.FixtureRequest) -> None:
    text = rendered(name, request.getfixturevalue(which), folder)
    definition = schema(JSON_SCHEMAS[name])
    jsonschema.validators.validator_for(definition)(definition).validate(json.loads(text))


@pytest.mark.parametrize("name", XML_SCHEMAS)
@pytest.mark.parametrize("which", ["report", "troubled", "empty"])
def test_xml_formats_fit_their_schemas(name: str, which: str, folder: Path, request: pytest.FixtureRequest) -> None:
    text = rendered(name, request.getfixturevalue(which), folder)
    xmlschema.XMLSchema(SCHEMAS / XML_SCHEMAS[name]).validate(ElementTree.fromstring(text))


def counts(report: Report, folder: Path) -> dict[str, int]:
    def read(name: str) -> Any:
        return json.loads(rendered(name, report, folder))

    def tags(name: str, tag: str) -> int:
        return len(ElementTree.fromstring(rendered(name, report, folder)).findall(f".//{tag}"))

    return {
        "json": len(read("json")["findings"]),
        "sarif": sum(len(run["results"]) for run in read("sarif")["runs"]),
        "gitlab": len(read("gitlab")),
        "rdjson": len(read("rdjson")["diagnostics"]),
        "junit": tags("junit", "failure"),
        "checkstyle": tags("checkstyle", "error"),
        "markdown": rendered("markdown", report, folder).count("\n```text\n"),
        "github": sum(
            line.startswith(("::error ", "::warning ", "::notice title=FLK", "- "))
            for line in rendered("github", report, folder).splitlines()
        ),
    }


def test_every_format_tells_every_finding(report: Report, folder: Path) -> None:
    assert len(report.findings) > 15
    assert set(counts(report, folder).values()) == {len(report.findings)}


def test_no_format_has_findings_where_there_are_none(empty: Report, folder: Path) -> None:
    assert set(counts(empty, folder).values()) == {0}
    assert "nothing found in 1 file" in rendered("markdown", empty, folder)
    assert rendered("github", empty, folder) == "All checks passed in 1 file.\n"


@pytest.mark.parametrize("name", MACHINES)
def test_no_format_shows_a_secret(name: str, report: Report, folder: Path) -> None:
    text = rendered(name, report, folder)
    assert "FLK945" in text
    assert SECRET not in text
    assert "wide letters/" in text or "wide%20letters/" in text


@pytest.mark.parametrize("name", MACHINES)
def test_a_format_is_written_in_parts(name: str, report: Report, folder: Path) -> None:
    from flink_flint.linter.output import Context, report_format

    parts = list(report_format(name).render(report, Context()))
    assert "".join(parts).endswith("\n")
    assert max(map(len, parts)) < len("".join(parts)) or name == "json"


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


@pytest.mark.parametrize("which", ["report", "troubled", "empty"])
def test_sarif_has_no_empty_text(which: str, folder: Path, request: pytest.FixtureRequest) -> None:
    """GitHub rejects a log with an empty text."""
    log = json.loads(rendered("sarif", request.getfixturevalue(which), folder))
    assert all(strings(log))


def test_gitlab_fingerprints_are_unique_and_stay(report: Report, folder: Path) -> None:
    issues = json.loads(rendered("gitlab", report, folder))
    fingerprints = [issue["fingerprint"] for issue in issues]
    assert fingerprints == [finding.fingerprint for finding in report.findings]
    doubled = report._replace(findings=[finding for finding in report.findings for _ in range(3)])
    many = [issue["fingerprint"] for issue in json.loads(rendered("gitlab", doubled, folder))]
    assert len(set(many)) == len(many) == 3 * len(fingerprints)
    assert many == [issue["fingerprint"] for issue in json.loads(rendered("gitlab", doubled, folder))]
