"""What JSON contains for other tools that show findings: lines, memory, and the lines that a fix touches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Flint

SECRET = "hush-7f3a9c21"


@pytest.fixture
def check(tmp_path: Path, flint: Flint) -> Any:
    """Return the report of one file."""

    def run(name: str, text: str, *arguments: str) -> dict[str, Any]:
        (tmp_path / name).write_bytes(text.encode())
        done = flint("check", name, "--output-format", "json", *arguments)
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    return run


def _one(report: dict[str, Any], rule: str) -> dict[str, Any]:
    (found,) = [one for one in report["findings"] if one["rule"] == rule]
    return found  # type: ignore[no-any-return]


def test_an_excerpt_has_the_lines_and_the_columns_to_underline(check: Any) -> None:
    excerpt = _one(check("flink-conf.yaml", "# é\nblob.storage.directory: /tmp/ä\n"), "blob-storage-in-tmp")["excerpt"]
    assert excerpt == {"line": 2, "lines": ["blob.storage.directory: /tmp/ä"], "start": 25, "end": 31}
    assert excerpt["lines"][0][excerpt["start"] - 1 : excerpt["end"] - 1] == "/tmp/ä"


def test_an_excerpt_hides_secrets(check: Any) -> None:
    report = check("flink-conf.yaml", f"s3.secret-key: {SECRET}\nblob.storage.directory: /tmp/{SECRET}\n")
    found = _one(report, "blob-storage-in-tmp")
    assert found["excerpt"]["lines"] == ["blob.storage.directory: /tmp/******"]
    assert SECRET not in json.dumps(report)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_fix_tells_the_whole_lines_it_touches(check: Any, ends: str) -> None:
    text = f'state.backend: rocksdb{ends}taskmanager.numberOfTaskSlots: "8"{ends}'
    found = _one(check("flink-conf.yaml", text), "quoted-value-in-flink-conf")
    assert found["fix"]["before"] == {"line": 2, "lines": ['taskmanager.numberOfTaskSlots: "8"']}


def test_a_fix_that_deletes_a_line_touches_that_line_alone(check: Any) -> None:
    text = "akka.framesize: 10mb\nakka.framesize: 10mb\npekko.framesize: 20mb\n"
    fixes = [one["fix"] for one in check("flink-conf.yaml", text, "--flink-version", "1.18")["findings"] if one["fix"]]
    deleting = [one for one in fixes if one["edits"][0]["end"]["column"] == 1]
    assert deleting
    for one in deleting:
        assert len(one["before"]["lines"]) == one["edits"][0]["end"]["line"] - one["edits"][0]["start"]["line"]


def test_lines_with_a_secret_are_not_reported(check: Any) -> None:
    report = check("flink-conf.yaml", f'taskmanager.numberOfTaskSlots: "8" # password: {SECRET}\n')
    fix = _one(report, "quoted-value-in-flink-conf")["fix"]
    assert (fix["edits"][0]["text"], fix["before"]) == ("8", None)
    assert SECRET not in json.dumps(report)


def test_whole_documents_tell_their_memory_as_show_does(tmp_path: Path, flint: Flint, check: Any) -> None:
    report = check("config.yaml", "taskmanager.memory.process.size: 2g\njobmanager.memory.process.size: 1x\n")
    (output,) = report["deployments"]
    shown = json.loads(flint("show", "config.yaml", "--output-format", "json").stdout)
    assert output["memory"] == shown["documents"][0]["memory"]
    assert output["memory"]["taskmanager"]["process_size"] == 2 * 1024**3
    assert output["memory"]["jobmanager"]["process_size"] is None
    assert (output["path"], output["document"]) == ("config.yaml", None)
    assert output["flink_version"] == shown["flink_version"]


def test_what_starts_no_process_tells_no_memory(check: Any) -> None:
    report = check("run.sh", "flink run -Dparallelism.default=x job.jar\n")
    assert (report["files"], report["deployments"]) == (1, [])


def test_a_number_that_says_how_bad_it_is_may_be_absent(check: Any) -> None:
    assert "measure" in _one(check("flink-conf.yaml", "blob.storage.directory: /tmp\n"), "blob-storage-in-tmp")


@pytest.mark.parametrize("name", ["json", "sarif"])
def test_the_name_of_a_document_has_no_invisible_characters(name: str, tmp_path: Path, flint: Flint) -> None:
    text = (
        'apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: "or\\u202eders"}\n'
        "spec: {flinkVersion: v1_20, flinkConfiguration: {blob.storage.directory: /tmp}}\n"
    )
    (tmp_path / "manifest.yaml").write_text(text)
    done = flint("check", "manifest.yaml", "--output-format", name)
    shown = json.dumps(json.loads(done.stdout), ensure_ascii=False)
    assert r"or\\u202eders" in shown
    assert "\u202e" not in shown
