"""`flint check` reads the project around the files it is given, and reports what a named file takes part in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Flint

JOB = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: acme/orders:7
  flinkVersion: v1_20
  serviceAccount: flink
  jobManager: {resource: {memory: 2g, cpu: 1}}
  taskManager: {resource: {memory: 4g, cpu: 1}}
  flinkConfiguration:
    execution.checkpointing.interval: 5min
    execution.checkpointing.max-concurrent-checkpoints: "2"
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    parallelism: 2
    upgradeMode: savepoint
"""

DEFAULTS = """\
image:
  repository: ghcr.io/apache/flink-kubernetes-operator
defaultConfiguration:
  create: true
  append: true
  config.yaml: |+
    execution.checkpointing.dir: s3://acme/checkpoints
    high-availability.type: kubernetes
    high-availability.storageDir: s3://acme/ha
    {line}
"""

SAVEPOINTS = "execution.checkpointing.savepoint-dir: s3://acme/savepoints"

Findings = set[tuple[str, ...]]


def found(flint: Flint, *arguments: str, cwd: Path, stdin: str | None = None) -> Findings:
    """Return the findings of a run, by all that identifies one."""
    report = json.loads(flint("check", "--output-format", "json", *arguments, cwd=cwd, stdin=stdin).stdout)
    return {_identity(finding) for finding in report["findings"]}


def _identity(finding: dict[str, Any]) -> tuple[str, ...]:
    names = ("code", "path", "severity", "message", "location", "fingerprint")
    return tuple(str(finding.get(name)) for name in names)


def errors(findings: Findings) -> set[tuple[str, str]]:
    return {(code, path) for code, path, severity, *_ in findings if severity == "error"}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def operated(root: Path, line: str) -> Path:
    write(root, {"jobs/orders.yaml": JOB, "operator/values.yaml": DEFAULTS.format(line=line), ".git/HEAD": ""})
    return root


def test_a_job_alone_is_judged_with_the_defaults_of_the_operator(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, SAVEPOINTS)
    with_project = found(flint, "jobs/orders.yaml", cwd=root)
    assert ("FLK704", "jobs/orders.yaml") not in errors(with_project)
    (root / ".git/HEAD").unlink()
    (root / ".git").rmdir()
    assert ("FLK704", "jobs/orders.yaml") in errors(found(flint, "jobs/orders.yaml", cwd=root))


@pytest.mark.parametrize(
    ("line", "code"),
    [("execution.checkpointing.unaligned.enabled: true", "FLK306"), ("taskmanager.numberOfTaskSlots: 2", "FLK704")],
)
def test_who_edits_the_defaults_hears_of_the_job_they_break(flint: Flint, tmp_path: Path, line: str, code: str) -> None:
    root = operated(tmp_path, line)
    assert (code, "jobs/orders.yaml") in errors(found(flint, "operator/values.yaml", cwd=root))


def test_findings_of_other_files_are_neither_reported_nor_counted(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, SAVEPOINTS)
    write(root, {"other/flink-conf.yaml": "akka.framesize: 10mb\n"})
    reported = found(flint, "jobs/orders.yaml", "--extend-select", "FLK318", cwd=root)
    assert {path for _, path, *_ in reported} == {"jobs/orders.yaml"}
    assert flint("check", "jobs/orders.yaml", cwd=root).returncode == 0
    assert flint("check", "other/flink-conf.yaml", cwd=root).returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["session", "shop", "sound"])
def test_the_files_alone_find_in_sum_what_the_project_finds(flint: Flint, tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    shutil.copytree(ROOT / "examples" / name, root)
    (root / ".git").mkdir()
    _assert_sum_is_whole(flint, root)


@pytest.mark.slow
def test_the_files_alone_find_in_sum_what_a_project_with_layers_finds(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, "execution.checkpointing.unaligned.enabled: true")
    copy = JOB.replace("name: orders", "name: payments").replace("5min", "1s")
    write(root, {"jobs/payments.yaml": copy, "conf/flink-conf.yaml": "akka.framesize: 10mb\n"})
    _assert_sum_is_whole(flint, root)


def _assert_sum_is_whole(flint: Flint, root: Path) -> None:
    listed = json.loads(flint("check", "--show-files", "--output-format", "json", cwd=root).stdout)
    paths = [row["path"] for row in listed["files"]]
    whole = found(flint, cwd=root)
    alone = [found(flint, "--", path, cwd=root) for path in paths]
    assert whole
    assert set().union(*alone) == whole


@pytest.mark.slow
def test_a_path_says_the_same_from_every_folder(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, "execution.checkpointing.unaligned.enabled: true")
    from_root = {(code, message) for code, _, _, message, *_ in found(flint, "jobs/orders.yaml", cwd=root)}
    from_folder = {(code, message) for code, _, _, message, *_ in found(flint, "orders.yaml", cwd=root / "jobs")}
    absolute = found(flint, str(root / "jobs/orders.yaml"), cwd=root / "operator")
    assert from_root == from_folder == {(code, message) for code, _, _, message, *_ in absolute}


def test_standard_input_replaces_the_file_of_its_name(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, SAVEPOINTS)
    edited = DEFAULTS.format(line="execution.checkpointing.unaligned.enabled: true")
    seen = found(flint, "--stdin-filename", "operator/values.yaml", "-", cwd=root, stdin=edited)
    assert {("FLK306", "jobs/orders.yaml"), ("FLK704", "jobs/orders.yaml")} <= errors(seen)


def test_standard_input_without_a_name_is_part_of_the_project_of_the_current_folder(
    flint: Flint, tmp_path: Path
) -> None:
    root = operated(tmp_path, SAVEPOINTS)
    (root / "jobs/orders.yaml").unlink()
    assert "FLK704" not in {code for code, *_ in found(flint, "-", cwd=root, stdin=JOB)}


def test_fixes_change_named_files_only(flint: Flint, tmp_path: Path) -> None:
    old = "akka.framesize: 10mb\n"
    write(tmp_path, {".git/HEAD": "", "a/flink-conf.yaml": old, "b/flink-conf.yaml": old})
    flint("check", "--fix", "a/flink-conf.yaml", cwd=tmp_path)
    assert (tmp_path / "a/flink-conf.yaml").read_text() == "akka.framesize: 10485760b\n"
    assert (tmp_path / "b/flink-conf.yaml").read_text() == old


def test_only_named_files_are_listed(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, SAVEPOINTS)
    listed = json.loads(flint("check", "--show-files", "--output-format", "json", "jobs", cwd=root).stdout)
    assert [row["path"] for row in listed["files"]] == ["jobs/orders.yaml"]


def test_an_unreadable_file_of_the_project_is_no_problem_of_another(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, SAVEPOINTS)
    (root / "conf").mkdir()
    (root / "conf/flink-conf.yaml").write_text("parallelism.default: 2\n" + "#" * 11 * 1024**2)
    assert flint("check", cwd=root).returncode == 2
    alone = flint("check", "jobs/orders.yaml", cwd=root)
    assert (alone.returncode, alone.stderr) == (0, "")


def test_nothing_around_is_read_for_a_file_that_is_not_flinks(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, SAVEPOINTS)
    (root / "notes.yaml").write_text("a: 1\n")
    assert flint("check", "notes.yaml", cwd=root).stderr == ("warning: no Flink configuration found in notes.yaml\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "output_format", ["full", "concise", "junit", "sarif", "gitlab", "markdown", "github", "rdjson"]
)
def test_a_finding_in_another_file_can_be_shown_in_every_format(
    flint: Flint, tmp_path: Path, output_format: str
) -> None:
    root = operated(tmp_path, "execution.checkpointing.unaligned.enabled: true")
    done = flint("check", "--output-format", output_format, "operator/values.yaml", cwd=root)
    assert (done.returncode, done.stderr) == (1, "")
    assert "jobs/orders.yaml" in done.stdout


def test_a_baseline_keeps_the_entries_of_files_that_were_not_named(flint: Flint, tmp_path: Path) -> None:
    root = operated(tmp_path, SAVEPOINTS)
    write(root, {"other/flink-conf.yaml": "akka.framesize: 10mb\n"})
    flint("check", "--write-baseline", "--baseline", "known.json", cwd=root)
    before = json.loads((root / "known.json").read_text())
    done = flint("check", "--baseline", "known.json", "jobs/orders.yaml", cwd=root)
    assert done.returncode == 0
    assert found(flint, "--baseline", "known.json", "jobs/orders.yaml", cwd=root) == set()
    flint("check", "--write-baseline", "--baseline", "known.json", "jobs/orders.yaml", cwd=root)
    assert json.loads((root / "known.json").read_text()) == before
