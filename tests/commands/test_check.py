"""How `flint check` chooses its output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flink_flint.linter.commands import main
from flink_flint.linter.engine.baseline import DEFAULT_FILE
from flink_flint.linter.output import FORMATS
from tests.conftest import ROOT, Flint


def test_annotations_are_the_format_of_github_actions_unless_another_is_named(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n")
    annotated = flint("check", GITHUB_ACTIONS="true")
    assert annotated.stdout == flint("check", "--output-format", "github").stdout
    assert annotated.stdout.startswith("::warning ")
    named = flint("check", "--output-format", "json", GITHUB_ACTIONS="true")
    assert json.loads(named.stdout)["findings"]
    into_a_file = flint("check", "--output-file", "report.txt", GITHUB_ACTIONS="true")
    assert into_a_file.stdout == ""
    assert "::warning" not in (tmp_path / "report.txt").read_text()
    elsewhere = flint("check", GITHUB_ACTIONS="false")
    assert elsewhere.stdout.startswith("warning[FLK101]")
    (tmp_path / "flint.toml").write_text('output-format = "concise"\n')
    preferred = flint("check", GITHUB_ACTIONS="true")
    assert preferred.stdout.startswith("flink-conf.yaml:1:25: warning[FLK101]")


def test_the_help_names_every_format(flint: Flint) -> None:
    shown = flint("check", "--help").stdout
    assert [name for name in FORMATS if name not in shown] == []


@pytest.mark.slow
def test_the_flint_config_take_every_format(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n")
    for name in FORMATS:
        (tmp_path / "flint.toml").write_text(f'output-format = "{name}"\n')
        assert flint("check").stdout == flint("check", "--output-format", name).stdout


BAD = "blob.storage.directory: /tmp/blobs\n"


def test_a_report_that_cannot_be_written_is_reported_and_keeps_none_of_the_others_back(
    flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / "flink-conf.yaml").write_text(BAD)
    pairs = ("--output-format=json", "-o", "no/such.json", "--output-format=sarif", "-o", "flint.sarif")
    result = flint("check", *pairs, "--output-format=concise")
    assert result.returncode == 2
    assert result.stderr == "error: no/such.json: cannot write the report: no such file or directory\n"
    assert json.loads((tmp_path / "flint.sarif").read_text())["runs"]
    assert "FLK101" in result.stdout


def test_a_report_overwrites_neither_a_checked_file_nor_another_report(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(BAD)
    (tmp_path / "link").symlink_to("flink-conf.yaml")
    for name in ("flink-conf.yaml", "link"):
        refused = flint("check", "flink-conf.yaml", "-o", name)
        assert refused.returncode == 2
        assert f"{name}: a report would overwrite a file that is checked" in refused.stderr
        assert (tmp_path / "flink-conf.yaml").read_text() == BAD
    twice = flint("check", "--output-format", "json", "-o", "a", "--output-format", "sarif", "-o", "./a")
    assert twice.returncode == 2
    assert "./a: two reports would be written there" in twice.stderr
    assert not (tmp_path / "a").exists()
    unset = flint("check", "-o", "")
    assert unset.returncode == 2
    assert "the value of --output-file is empty" in unset.stderr


def test_a_dash_as_output_file_is_standard_output(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(BAD)
    shown = flint("check", "--output-format", "json", "-o", "-", "--output-format", "sarif", "-o", "flint.sarif")
    assert json.loads(shown.stdout)["findings"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flink-conf.yaml", "flint.sarif"]


@pytest.mark.parametrize("option", ["--diff", "--write-baseline", "--show-files", "--show-flint-config"])
def test_what_writes_no_report_refuses_a_file_for_one(flint: Flint, tmp_path: Path, option: str) -> None:
    (tmp_path / "flink-conf.yaml").write_text(BAD)
    result = flint("check", option, "--output-file", "report.txt")
    assert result.returncode == 2
    assert f"--output-file cannot be used with {option}" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["flink-conf.yaml"]


@pytest.mark.parametrize("options", [(), ("--fix",)])
def test_standard_input_and_a_file_of_one_name_are_not_mixed_up(
    flint: Flint, tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "flink-conf.yaml").write_text("# disk\nakka.framesize: 20m\n")
    result = flint("check", "-", ".", "--flink-version=1.20", *options, stdin="state.backend: rocksdb\n")
    assert result.returncode == 2
    assert "flink-conf.yaml: standard input and a file both have this name" in result.stderr
    assert result.stdout == ""
    assert (tmp_path / "flink-conf.yaml").read_text() == "# disk\nakka.framesize: 20m\n"
    named = ("--stdin-filename", "other/flink-conf.yaml", "--output-format=concise")
    both = flint("check", "-", ".", "--flink-version=1.20", *named, stdin="\nstate.backend: rocksdb\n")
    assert "other/flink-conf.yaml:2:1: info[FLK003]" in both.stdout
    assert "\nflink-conf.yaml:2:1: info[FLK003]" in f"\n{both.stdout}"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [("check",), ("check", "--diff", "--unsafe-fixes"), ("explain", "FLK101")])
def test_a_full_disk_is_reported_and_is_no_failure_of_flint(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "flink-conf.yaml").write_text(BAD + "akka.framesize: 20m\n")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "flink_flint", *words],
            stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert b"standard output: cannot write: no space left on device\n" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_a_report_goes_into_a_pipe_that_is_named(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(BAD)
    result = flint("check", "--output-format", "json", "-o", "/dev/stdout")
    assert result.returncode == 1, result.stderr
    assert json.loads(result.stdout)["findings"]


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
@pytest.mark.parametrize(("text", "status"), [(BAD, 1), ("rest.port: 8081\n", 0)])
def test_the_exit_status_counts_where_the_output_is_closed(tmp_path: Path, text: str, status: int) -> None:
    (tmp_path / "flink-conf.yaml").write_text(text)
    command = [sys.executable, "-m", "flink_flint", "check", "--select", "FLK101", "flink-conf.yaml"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command],
        stderr=subprocess.PIPE, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (status, b"")


def test_a_file_is_what_its_first_document_with_settings_is(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: flink}\n"
        'rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]\n---\n'
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: flink-config}\ndata:\n  flink-conf.yaml: |\n"
        "    parallelism.default: 2\n"
    )
    output = json.loads(flint("check", ".", "--show-files", "--output-format", "json").stdout)
    (row,) = output["files"]
    assert row["kind"] == "configmap"
    assert [one["kind"] for one in row["documents"]] == ["other-cr", "configmap"]


Check = Callable[..., Result]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Run `flint check` with arguments in this process, in a folder with one bad file."""
    (tmp_path / "flink-conf.yaml").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(main.check, list(arguments))


def test_the_flint_config_is_shown_and_nothing_is_checked(check: Check, tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text('ignore = ["FLK003"]\n')
    result = check("--show-flint-config")
    assert result.exit_code == 0
    shown = json.loads(result.stdout)
    assert shown["flint-config"]["ignore"] == ["FLK003"]
    assert Path(shown["path"]).name == "flint.toml"


@pytest.mark.parametrize("configured", ["", 'baseline = "old.json"\n'])
def test_how_to_use_a_new_baseline_is_said_unless_the_flint_config_names_it(
    configured: str, check: Check, tmp_path: Path
) -> None:
    (tmp_path / "flint.toml").write_text(configured)
    result = check("--write-baseline", "--baseline=old.json")
    assert result.exit_code == 0
    hint = "use it with --baseline old.json, or set baseline in flint.toml\n"
    assert (hint in result.stderr) == (not configured)


def test_a_baseline_without_a_name_has_the_usual_one(check: Check, tmp_path: Path) -> None:
    assert check("--write-baseline").exit_code == 0
    usual = tmp_path / DEFAULT_FILE
    assert len(json.loads(usual.read_text())["findings"]) == 1
    (tmp_path / "flink-conf.yaml").write_text("rest.port: 8081\n")
    assert check("--prune-baseline").exit_code == 0
    assert json.loads(usual.read_text())["findings"] == []


def test_the_fixes_are_shown_beside_a_report_for_programs(check: Check, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("akka.framesize: 20m\n")
    result = check("--fix", "--show-fixes", "--flink-version=1.20", "--output-format=json")
    assert json.loads(result.stdout)["version"] == 1
    assert "Fixed 1 in 1 file:\n  flink-conf.yaml:\n" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs programs without an extension")
@pytest.mark.parametrize("program", ["helm", "kustomize", "kubectl", ""])
def test_charts_are_rendered_with_any_of_the_programs(
    program: str, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    if program:
        (programs / program).write_text("")
        (programs / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    result = check("--render", "--select=FLK101", "flink-conf.yaml")
    if program:
        assert "blob-storage-in-tmp" in result.stdout
    else:
        assert str(result.exception) == "--render needs helm or kustomize in PATH"
