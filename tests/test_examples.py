"""The examples have the findings that they are meant to show."""

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


def told(name: str, *flags: str, status: tuple[int, ...] = (0, 1)) -> dict[str, Any]:
    """Return the JSON output of a check of an example."""
    command = [sys.executable, "-m", "flink_flint", "check", f"examples/{name}", *flags, "--output-format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in status, done.stderr
    assert done.stderr == ""
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def findings(name: str) -> list[dict[str, Any]]:
    report = told(name)
    assert report["files"] == 1
    found: list[dict[str, Any]] = report["findings"]
    return found


def test_nothing_is_wrong_with_the_sound_cluster() -> None:
    assert [finding for finding in findings("sound") if finding["severity"] != "info"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["session", "migration"])
def test_much_is_wrong_with_the_others(name: str) -> None:
    found = findings(name)
    assert sum(finding["severity"] == "error" for finding in found) >= 3
    assert len({finding["code"] for finding in found}) >= 6


def test_all_kinds_of_files_of_the_shop_are_read() -> None:
    files = told("shop", "--show-files", status=(0,))["files"]
    shop = ROOT / "examples" / "shop"
    there = {str(path.relative_to(ROOT)) for path in shop.rglob("*") if path.is_file()}
    passed_over = {path.rpartition("/")[2] for path in there - {one["path"] for one in files}}
    assert passed_over == {"flint.toml", "README.md", "kustomization.yaml"}
    assert {kind for one in files for kind in (one["kind"], *(each["kind"] for each in one.get("documents", ())))} == {
        "build", "compose", "flinkdeployment", "flinksessionjob", "helm", "logging", "msf", "source", "sql",
    }  # fmt: skip
    # Every document but the chart's and the logging of an IDE finds the release it is for.
    assert {one["kind"] for one in files if not (one["flink_version"] or "").startswith("1.20")} <= {"helm", "logging"}


def test_what_is_wrong_in_the_shop_shows_where_files_meet() -> None:
    found = told("shop")["findings"]
    meeting = {
        (one["code"], one["path"].rpartition("/")[2], other["path"].rpartition("/")[2])
        for one in found
        for other in one["related"]
        if other["path"] != one["path"]
    }
    assert meeting >= {
        ("FLK306", "payments.yaml", "payments.yaml"),
        ("FLK802", "PaymentsJob.java", "values.yaml"),
        ("FLK814", "baskets.sql", "PaymentsJob.java"),
        ("FLK880", "PaymentsJob.java", "FraudLookup.java"),
    }
    assert {one["code"] for one in found} >= {"FLK029", "FLK113", "FLK708", "FLK719", "FLK770", "FLK901"}


def test_the_shop_shows_where_each_setting_is_from() -> None:
    command = [sys.executable, "-m", "flink_flint", "show", "examples/shop", "--output-format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    shown = {one["path"].rpartition("examples/shop/")[2]: one for one in json.loads(done.stdout)["documents"]}
    production = shown["k8s/production/payments.yaml"]
    assert production["settings"]["parallelism.default"] == "16"
    assert production["layers"]["execution.checkpointing.unaligned.enabled"].startswith("base, ")
    assert production["layers"]["execution.checkpointing.timeout"].startswith("default of the operator, ")
    assert shown["sql/baskets.sql"]["layers"]["high-availability.type"].startswith("linked in flint.toml, ")
    job = shown["payments/src/main/java/org/example/shop/payments/PaymentsJob.java"]
    assert job["layers"]["high-availability.type"].startswith("runs its class, ")


@pytest.mark.slow
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
    assert done.stdout.count("\n$ flint ") == 13
    assert "FLK101" in done.stdout
    assert "::: examples/shop/payments/src/main/java" in done.stdout
    assert "TaskManager memory" in done.stdout
    assert "JobManager and TaskManagers need the same" in done.stdout
    # The rest is about the history: its contents, the check against it, and the recommendations.
    *_, status, checked, recommended = done.stdout.split("\n$ flint ")
    assert all(job in status for job in ("enrich_naive", "enrich_bounded", "enrich_sized", "sql_window_agg"))
    assert "FLK678" in checked
    assert "execution.checkpointing.interval" in recommended
    (report,) = tmp_path.glob("flint-tour-*/report.html")
    assert report.as_uri() in recommended
    assert "</html>" in report.read_text(encoding="utf-8")


def test_the_readme_shows_what_flint_really_says() -> None:
    """Each excerpt is exactly in the output of the command in the comment above it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    excerpts = re.findall(r"<!-- from `flint ([^`]+)` -->\n```\n(.+?)```", readme, re.DOTALL)
    assert len(excerpts) == 3
    said: dict[str, str] = {}
    for command, excerpt in excerpts:
        if command not in said:
            said[command] = subprocess.run(
                [sys.executable, "-m", "flink_flint", *command.split()],
                cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "100"},
            ).stdout  # fmt: skip
        assert excerpt in said[command]
