"""What is measured is what it is said to be (how long it takes is no test)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.finding import Severity
from tests.benchmarks.hook import installed
from tests.benchmarks.inputs import MIXED, bad_files, many_files, many_keys, mixed_files, stock_folder
from tests.benchmarks.measuring import ROOT, cost
from tests.benchmarks.rule_costs import SHARED


def checked(folder: Path) -> Report:
    return check(find([str(folder)]), Options())


def test_stock_file_is_sound(tmp_path: Path) -> None:
    report = checked(stock_folder(tmp_path / "stock"))
    assert report.files == 1
    assert [finding for finding in report.findings if finding.severity > Severity.INFO] == []


def test_files_are_all_flinks_and_the_same_each_time(tmp_path: Path) -> None:
    folders = [many_files(tmp_path / name, 30) for name in ("a", "b")]
    assert checked(folders[0]).files == 30
    texts = [sorted((path.name, path.read_text()) for path in folder.rglob("*.yaml")) for folder in folders]
    assert texts[0] == texts[1]


def test_bad_files_have_a_finding_each(tmp_path: Path) -> None:
    report = check(find([str(bad_files(tmp_path / "bad", 12))]), Options())
    assert len(report.findings) == report.files == 12


def test_the_size_of_packages_has_all_files_but_those_of_pip(tmp_path: Path) -> None:
    files = {
        "one/a.py": 3_000, "one/deep/b.so": 4_000, "one-1.0.dist-info/RECORD": 1_000, "single.py": 500,
        "pip/c.py": 9_000, "setuptools-65.dist-info/RECORD": 9_000, "distutils-precedence.pth": 9_000,
    }  # fmt: skip
    for name, size in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(size))
    assert installed(tmp_path) == {"one": 7_000, "one-1.0.dist-info": 1_000, "single.py": 500}


def test_mixed_files_are_all_recognized_and_have_no_errors(tmp_path: Path) -> None:
    report = checked(mixed_files(tmp_path / "mixed", 10))
    assert report.files == 10
    assert len({one.document.kind for one in report.documents}) == len(MIXED)
    assert [finding for finding in report.findings if finding.severity == Severity.ERROR] == []


@pytest.mark.parametrize("name", ["flink-conf.yaml", "config.yaml"])
def test_long_file_has_as_many_settings_and_no_errors(tmp_path: Path, name: str) -> None:
    report = checked(many_keys(tmp_path / "long", name, 200))
    (judged,) = report.documents
    assert len(judged.document.effective) == 200
    assert [finding for finding in report.findings if finding.severity is Severity.ERROR] == []


def test_the_time_of_a_run_is_divided_among_its_rules(tmp_path: Path) -> None:
    folder = mixed_files(tmp_path / "mixed", 10)
    command = [sys.executable, "-m", "tests.benchmarks.rule_costs", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    costs = json.loads(done.stdout)
    assert {"FLK001", SHARED} < set(costs["by_rule"])
    assert 0 < sum(costs["by_rule"].values()) < costs["whole"]


def test_cost_of_a_command_that_breaks_is_not_taken(tmp_path: Path) -> None:
    assert cost((sys.executable, "-c", "raise SystemExit(1)"), tmp_path, runs=1).milliseconds > 0
    with pytest.raises(RuntimeError, match="exit status 2"):
        cost((sys.executable, "-c", "raise SystemExit(2)"), tmp_path, runs=1)
