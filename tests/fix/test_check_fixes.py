"""`flint check --fix` and `--diff` on the command line: output and exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT, Flint

OLD = "akka.framesize: 20971520b\n"
NEW = "pekko.framesize: 20971520b\n"
WORDS = ("--flink-version", "1.18", "--select", "deprecated-key")
PUBLISHED = """\
services:
  jobmanager:
    image: flink:1.20.1
    command: jobmanager
    ports:
      - "0.0.0.0:18081:8081/tcp"
"""


def test_a_fix_that_would_do_harm_is_left_out_and_reported(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(PUBLISHED)
    result = flint("check", ".", "--fix", "--unsafe-fixes", "--select", "rest-exposed", "--profile", "production")
    assert b"0.0.0.0:127" not in (tmp_path / "compose.yaml").read_bytes()
    if (tmp_path / "compose.yaml").read_text() == PUBLISHED:
        assert "was not fixed: it would also change" in result.stderr


def test_what_keeps_a_diff_from_being_applied_is_reported(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(OLD + "s3.secret-key: hush-7f3a-91bc\n")
    result = flint("check", ".", "--diff", *WORDS)
    assert result.returncode == 1
    assert "hush" not in result.stdout + result.stderr
    assert "flink-conf.yaml: secrets or control characters next to a change" in result.stderr
    done = subprocess.run(
        ["git", "apply", "--unidiff-zero"], cwd=tmp_path, input=result.stdout.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "flink-conf.yaml").read_text() == NEW + "s3.secret-key: hush-7f3a-91bc\n"


def test_a_diff_keeps_bytes_that_are_no_text(tmp_path: Path, flint: Flint) -> None:
    data = b"# \xe9\xff\r\n" + OLD.encode().replace(b"\n", b"\r\n")
    (tmp_path / "flink-conf.yaml").write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-m", "flink_flint", "check", ".", "--diff", *WORDS],
        cwd=tmp_path, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 1
    subprocess.run(["git", "apply"], cwd=tmp_path, input=done.stdout, check=True)
    assert (tmp_path / "flink-conf.yaml").read_bytes() == data.replace(b"akka", b"pekko")


def test_the_diff_of_standard_input_bears_the_name_it_is_given(flint: Flint) -> None:
    result = flint("check", "-", "--diff", "--stdin-filename", "conf/flink-conf.yaml", *WORDS, stdin=OLD)
    assert result.returncode == 1
    assert result.stdout.startswith("--- a/conf/flink-conf.yaml\n+++ b/conf/flink-conf.yaml\n")


def test_a_diff_of_what_cannot_be_read_ends_with_2(flint: Flint) -> None:
    result = flint("check", "nowhere", "--diff")
    assert result.returncode == 2
    assert "nowhere: no such file or folder" in result.stderr


def test_what_was_fixed_is_counted_and_listed_where_wanted(flint: Flint, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "flink-conf.yaml").write_text(OLD)
    (tmp_path / "a" / "flink-conf.yaml").write_text(OLD + "jobmanager.archive.fs.dir: s3://a/b\n")
    listed = flint("check", ".", "--fix", "--show-fixes", *WORDS).stdout
    assert "Fixed 2 in 2 files:\n" in listed
    assert "  b/flink-conf.yaml:\n    FLK003 deprecated-key: write pekko.framesize\n" in listed
    (tmp_path / "b" / "flink-conf.yaml").write_text(OLD)
    assert flint("check", ".", "--fix", *WORDS).stdout.endswith("Fixed 1 in 1 file.\n")


def test_a_file_with_a_link_to_it_is_one_file_in_a_diff_and_when_counted(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").write_text(OLD)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "flink-conf.yaml").symlink_to("../conf/flink-conf.yaml")
    (tmp_path / "link").symlink_to("conf")
    for named in (".", "link", "a/flink-conf.yaml"):
        shown = flint("check", named, "--diff", *WORDS)
        assert shown.returncode == 1
        done = subprocess.run(["git", "apply", "--check"], cwd=tmp_path, input=shown.stdout.encode(), check=False)
        assert done.returncode == 0
        assert shown.stdout.count("--- a/conf/flink-conf.yaml\n") == 1
    assert flint("check", ".", "--fix", *WORDS).stdout.endswith("Fixed 1 in 1 file.\n")
    assert (tmp_path / "conf" / "flink-conf.yaml").read_text() == NEW
    assert (tmp_path / "a" / "flink-conf.yaml").is_symlink()
