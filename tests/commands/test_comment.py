"""`flint comment`: which inputs it accepts, the check that it starts, and the forge that it asks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.commands.comment import CommentArguments, run_comment
from tests.pull_request.reports import finding, report, save

NOTHING = CommentArguments(
    reports=(), base=(), check=(), diff_base=None, forge=None, repository=None, number=None, template=None, name="",
    no_inline=True, dry_run=True,
)  # fmt: skip

Started = list[Sequence[str]]


def errors_of(environ: dict[str, str] | None = None, **given: Any) -> list[str]:
    """Run the command and return its errors; the exit status is 2 if there are any."""
    said: list[str] = []
    assert run_comment(NOTHING._replace(**given), environ or {}, said.append) == (2 if said else 0)
    return said


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Started:
    """Stand in for the processes that check: list their commands, and write a report with one finding."""
    commands: Started = []

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        compared = {"comparison": {"revision": "main", "hidden": 0}} if "--diff-base=main" in command else {}
        Path(command[command.index("--output-file") + 1]).write_text(json.dumps(report(finding(1)) | compared))
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.chdir(tmp_path)
    return commands


@pytest.mark.parametrize("given", [{}, {"reports": ("report.json",), "check": (".",)}])
def test_either_reports_or_paths_to_check_are_needed(given: dict[str, Any], started: Started) -> None:
    (error,) = errors_of(**given)
    assert error.startswith("name reports of `flint check --output-format json`, or with --check the paths")
    assert started == []


def test_findings_are_new_or_remaining_by_the_report_of_the_base(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = save(tmp_path / "head.json", finding(1), finding(2))
    base = save(tmp_path / "base.json", finding(2), finding(3))
    assert errors_of(reports=(head,), base=(base,)) == []
    assert "### flint: 1 new finding, 1 fixed, 1 remaining\n" in capsys.readouterr().out


def test_a_check_without_a_revision_compares_with_none(started: Started, capsys: pytest.CaptureFixture[str]) -> None:
    assert errors_of(check=("conf", "charts")) == []
    (command,) = started
    assert [one for one in command if one.startswith("--diff-base")] == []
    assert command[-3:] == ["--", "conf", "charts"]
    assert "### flint: 1 finding\n" in capsys.readouterr().out


def _no_repository(_: Path) -> None:
    """Leave the folder as it is."""


@pytest.mark.parametrize("make", [lambda folder: (folder / ".git").mkdir(), _no_repository])
def test_a_check_against_a_revision_starts_at_the_top_of_a_repository_or_outside_of_any(
    make: Callable[[Path], None], started: Started, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path)
    assert errors_of(check=("conf",), diff_base="main") == []
    assert "--diff-base=main" in started[0]
    assert "### flint: 1 new finding\n" in capsys.readouterr().out


def test_a_check_against_a_revision_does_not_start_below_the_top_of_a_repository(
    started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "conf").mkdir()
    monkeypatch.chdir(tmp_path / "conf")
    (error,) = errors_of(check=("flink-conf.yaml",), diff_base="main")
    assert error == f"with --diff-base, run `flint comment` in {tmp_path.resolve()}: links need paths from there"
    assert started == []


@pytest.mark.parametrize(
    ("environ", "forge", "missing"),
    [
        ({"GITLAB_CI": "true"}, None, "GITLAB_TOKEN"),
        ({"GITHUB_ACTIONS": "true"}, None, "GITHUB_TOKEN"),
        ({"GITHUB_ACTIONS": "true"}, "gitlab", "GITLAB_TOKEN"),
        ({}, "github", "GITHUB_TOKEN"),
    ],
)
def test_the_named_forge_is_asked_or_the_one_whose_job_runs(
    environ: dict[str, str], forge: str | None, missing: str, tmp_path: Path
) -> None:
    head = save(tmp_path / "head.json", finding(1))
    (error,) = errors_of(environ, reports=(head,), forge=forge, repository="o/r", number=1, dry_run=False)
    assert missing in error.partition(":")[0]
