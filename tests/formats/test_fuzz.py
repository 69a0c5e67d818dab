"""A bounded run of the fuzzer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.tools
def test_the_fuzzer_finds_nothing_in_a_bounded_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.formats.fuzz", "-atheris_runs=4000", "-seed=1"]
    command.append(f"-artifact_prefix={tmp_path}/")
    # Which code an input reaches, and so which input is next, depends on the order of sets.
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    found = [f"{one.name}: {one.read_bytes()!r}" for one in tmp_path.iterdir()]
    assert done.returncode == 0, "\n".join([*found, done.stdout[-3000:], done.stderr[-500:]])
    assert "Done 4000" in done.stderr or "DONE" in done.stderr, done.stderr[-500:]
