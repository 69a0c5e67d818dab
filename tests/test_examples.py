"""The examples show what they are said to show."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def findings(name: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "linter", "check", f"examples/{name}", "--output-format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    assert report["files"] == 1
    found: list[dict[str, Any]] = report["findings"]
    return found


def test_nothing_is_wrong_with_the_sound_cluster() -> None:
    assert [finding for finding in findings("sound") if finding["severity"] != "info"] == []


@pytest.mark.parametrize("name", ["session", "migration"])
def test_much_is_wrong_with_the_others(name: str) -> None:
    found = findings(name)
    assert sum(finding["severity"] == "error" for finding in found) >= 3
    assert len({finding["code"] for finding in found}) >= 6


def test_the_tour_goes_to_its_end(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "100"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (excerpt,) = re.findall(r"<!-- an excerpt of what `make demo` recommends -->\n```\n(.+?)```", readme, re.DOTALL)
    assert excerpt in done.stdout
    assert done.stdout.count("\n$ flint ") == 10
    assert "FLK101" in done.stdout
    assert "TaskManager memory" in done.stdout
    assert "JobManager and TaskManagers need the same" in done.stdout
    # From here on it is the history: what it holds, what it holds against the configuration, and what instead.
    *_, status, checked, recommended = done.stdout.split("\n$ flint ")
    assert all(job in status for job in ("enrich_naive", "enrich_bounded", "enrich_sized", "sql_window_agg"))
    assert "FLK678" in checked
    assert "execution.checkpointing.interval" in recommended
    (report,) = tmp_path.glob("flint-tour-*/report.html")
    assert report.as_uri() in recommended
    assert "</html>" in report.read_text(encoding="utf-8")


def test_the_readme_shows_what_flint_really_says() -> None:
    """Each excerpt stands in the output of the command that the comment above it names, to the letter."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    excerpts = re.findall(r"<!-- from `flint ([^`]+)` -->\n```\n(.+?)```", readme, re.DOTALL)
    assert len(excerpts) == 2
    for command, excerpt in excerpts:
        done = subprocess.run(
            [sys.executable, "-m", "linter", *command.split()],
            cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "100"},
        )  # fmt: skip
        assert excerpt in done.stdout
