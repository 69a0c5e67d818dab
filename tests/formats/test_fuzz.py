"""A bounded run of the fuzzer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.tools
def test_the_fuzzer_finds_nothing_in_a_bounded_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.formats.fuzz", "-atheris_runs=4000", "-seed=1"]
    command.append(f"-artifact_prefix={tmp_path}/")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Done 4000" in done.stderr or "DONE" in done.stderr, done.stderr[-500:]
