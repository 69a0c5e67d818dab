"""What rules on folders that clusters and jobs share say of Flink, on real releases: one JVM each."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.live.distribution import flink_home

pytestmark = pytest.mark.flink


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_shared_folders(version: str) -> None:
    program = Path(__file__).with_name("SharedFolders.java")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", f"{flink_home(version)}/lib/*", str(program)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    answers = dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
    # A cluster that cleans up takes the blobs of another one of its name, whatever its namespace, along.
    assert (answers["blobs of one name"], answers["blobs of two names"]) == ("0", "1")
    # Without folders of their own the first checkpoints of two jobs are in one place.
    assert (answers["checkpoints with folders"], answers["checkpoints without folders"]) == ("false", "true")
    assert "Could not find a file system implementation for scheme 's3'" in answers["s3 without plugin"]
