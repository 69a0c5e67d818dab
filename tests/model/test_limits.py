"""A file beyond the limits is checked in part, and the run always reports that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model import limits
from flink_flint.linter.model.finding import Severity
from tests.conftest import Flint

NAME = "flink-conf.yaml"


def judged(text: str, name: str = NAME, **options: object) -> Report:
    file_format = file_format_of(name, text[: 64 * 1024])
    assert file_format is not None
    return check([Source(name, text.encode(), file_format)], Options(**options))  # type: ignore[arg-type]


def in_part(report: Report) -> list[str]:
    return [one.message for one in report.findings if one.rule == "judged-in-part"]


PADDED = "rest.port: often\n" + "# padding\n" * (limits.CHARACTERS // 10 + 1)


def test_the_first_part_of_a_long_file_is_checked() -> None:
    report = judged(PADDED + "parallelism.default: often\n")
    assert "the first 1,048,576 are read" in in_part(report)[0]
    (warning,) = [one for one in report.findings if one.rule == "judged-in-part"]
    assert (warning.severity, warning.code) == (Severity.WARNING, "FLK047")
    assert [one.key for one in report.findings if one.rule != "judged-in-part"] == ["rest.port"]
    assert all(one.proposed is None for one in report.findings)


def test_a_file_within_the_limits_is_judged_in_full() -> None:
    assert in_part(judged("rest.port: 8081\n" + "# padding\n" * 1_000)) == []


def test_settings_beyond_the_limit_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SETTINGS", 3)
    text = "".join(f"metrics.reporter.r{n}.interval: often\n" for n in range(5))
    report = judged(text)
    assert len(in_part(report)) == 1
    assert len({one.key for one in report.findings if one.key}) == 3
    monkeypatch.setattr(limits, "SETTINGS", 5)
    assert in_part(judged(text)) == []


def test_elements_beyond_the_limit_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "".join(f"CREATE TABLE t{n} (a INT) WITH ('connector' = 'kafka');\n" for n in range(5))
    (whole,) = judged(script, "tables.sql").documents
    assert [one.name for one in whole.document.elements_of(["table"])] == ["t0", "t1", "t2", "t3", "t4"]
    monkeypatch.setattr(limits, "ELEMENTS", 3)
    report = judged(script, "tables.sql")
    assert [len(one.document.elements) for one in report.documents] == [3]
    assert len(in_part(report)) == 1


def test_documents_beyond_the_limit_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DOCUMENTS", 2)
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{}\ndata:\n  flink-conf.yaml: |\n    rest.port: often\n"
    report = judged("---\n".join(map(one.format, range(3))), "maps.yaml")
    assert [document.document.name for document in report.documents] == ["ConfigMap default/c0", "ConfigMap default/c1"]
    assert len(in_part(report)) == 1


def test_findings_of_one_rule_beyond_the_limit_are_counted() -> None:
    report = judged("".join(f"taskmanager.memroy.{n}: 1\n" for n in range(5)), max_findings=2)
    assert "only the first 2 of 5 findings of FLK001 are reported" in in_part(report)[0]
    assert len([one for one in report.findings if one.code == "FLK001"]) == 2


def test_keys_are_compared_until_the_budget_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"taskmanager.memory.proces{n}.size: 1g\n" for n in range(5))
    assert all(one.help and "did you mean" in one.help for one in judged(text, select=("FLK001",)).findings)
    monkeypatch.setattr(limits, "COMPARISONS", 400)
    report = judged(text, select=("FLK001",))
    suggested = [one for one in report.findings if one.code == "FLK001" and "did you mean" in (one.help or "")]
    assert 0 < len(suggested) < 5
    assert "400 pairs of keys" in in_part(report)[0]


def test_programs_and_terraform_that_are_not_read_are_reported() -> None:
    java = "import org.apache.flink.x.Y;\nclass J { int a = 1; }\n" + "// padding\n" * 40_000
    assert "programs of more than 400,000 characters" in in_part(judged(java, "J.java"))[0]
    terraform = (
        'resource "aws_emr_cluster" "o" {\n  a = jsonencode([{ Classification = "flink-conf" }])\n}\n'
        + "# padding\n" * 30_000
    )
    assert "Terraform of more than 262,144 characters" in in_part(judged(terraform, "main.tf"))[0]


@pytest.mark.slow
def test_nothing_in_the_tree_suppresses_the_notice(flint: Flint, tmp_path: Path) -> None:
    comments = "# flint: file-ignore[FLK047] x\n# flint: file-ignore\n"
    (tmp_path / NAME).write_text(comments + PADDED)
    (tmp_path / "flint.toml").write_text('ignore = ["FLK047", "settings"]\n[severity]\nFLK047 = "info"\n')
    run = flint("check", ".", "--output-format", "json")
    (finding,) = [one for one in json.loads(run.stdout)["findings"] if one["code"] == "FLK047"]
    assert finding["severity"] == "warning"
    assert run.returncode == 1
    entry = {"path": NAME, "code": "FLK047", "rule": "judged-in-part", "document": None, "key": None, "ordinal": 0}
    (tmp_path / "b.json").write_text(json.dumps({"version": 1, "findings": [entry]}))
    shown = json.loads(flint("check", ".", "--baseline", "b.json", "--output-format", "json").stdout)["findings"]
    assert "FLK047" in [one["code"] for one in shown]
    flint("check", ".", "--write-baseline", "c.json")
    assert "FLK047" not in (tmp_path / "c.json").read_text() if (tmp_path / "c.json").exists() else True
    hidden = json.loads(flint("check", ".", "--ignore", "FLK047", "--output-format", "json").stdout)["findings"]
    assert "FLK047" not in [one["code"] for one in hidden]


@pytest.mark.parametrize("ends", [b"\n", b"", "é".encode()])
def test_a_file_is_cut_between_lines_or_at_least_between_characters(ends: bytes) -> None:
    data = b"a" * 9 + ends * 10 + b"b"
    assert limits.cut(data, 12).decode() in ("a" * 9 + "\n" * 3, "a" * 9 + "b", "aaaaaaaaaé")


@pytest.mark.parametrize("data", [b"\x80" * 13, b"a" + b"\x80" * 12, b"\n" + b"\x80" * 12])
def test_a_file_of_bytes_that_begin_no_character_is_cut(data: bytes) -> None:
    cut = limits.cut(data, 12)
    assert data.startswith(cut)
    assert cut


def test_variables_that_contain_each_other_twice_do_not_grow_forever() -> None:
    lines = "".join(f"ENV A{n + 1}=$A{n}$A{n}\n" for n in range(200))
    report = judged(f"FROM flink:1.20\nENV A0=ab\n{lines}ENV FLINK_PROPERTIES=$A200\n", "Dockerfile")
    (document,) = [one.document for one in report.documents]
    longest = max(len(str(a.value)) for e in document.elements for a in e.attributes.values() if a.value)
    assert longest <= 2 * 256


def test_the_first_of_many_yaml_documents_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flink_flint.linter.formats.syntax.yaml_tree._MAX_TREES", 2)
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{}\ndata:\n  flink-conf.yaml: |\n    rest.port: 1\n"
    assert "the first 2 documents are read" in in_part(judged("---\n".join(map(one.format, range(3))), "m.yaml"))[0]


def test_a_file_below_more_folders_than_python_has_calls_is_judged(flint: Flint, tmp_path: Path) -> None:
    folder = tmp_path / ("d/" * 600)
    folder.mkdir(parents=True)
    (folder / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/x\n", encoding="utf-8")
    (folder / "Job.java").write_text(
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "class Job { void main() { StreamExecutionEnvironment.getExecutionEnvironment().enableCheckpointing(10); } }\n",
        encoding="utf-8",
    )
    (folder / "orders.yaml").write_text(
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\n"
        "spec:\n  job:\n    entryClass: Job\n",
        encoding="utf-8",
    )
    found = flint("check", ".", "--output-format", "json")
    assert (found.returncode, found.stderr) == (1, "")
    report = json.loads(found.stdout)
    assert report["coverage"]["read"] == 3
    assert "FLK101" in {one["code"] for one in report["findings"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["deployment.yaml", "deployment.json", "emr.json", "template.yaml", "values.yaml"])
def test_a_file_nested_too_deep_to_be_read_does_not_pass(name: str) -> None:
    emr = '{{"Classification": "flink-conf", "Properties": {{}}, "Configurations": {}}}'
    frames = {
        "emr.json": f"[{emr}]",
        "template.yaml": f'{{{{"Resources": {{{{"C": {{{{"Type": "AWS::EMR::Cluster", "Properties": {emr}}}}}}}}}}}}}',
        "values.yaml": '{{"flinkConfiguration": {{"blob.storage.directory": "/tmp"}}, "x": {}}}',
    }
    object_ = '{{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "spec": {}}}'
    text = frames.get(name, object_).format("[" * 3_000 + "]" * 3_000)
    assert "nested too deep" in in_part(judged(text, name))[0]
