"""`flint check --watch`: a real process watching a folder, saved files, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest

from tests.conftest import ROOT, Flint

BLOB = "blob.storage.directory: /tmp/blobs\n"
SECRET = "s3.secret-key: hunter2hunter2\n"

_PATIENCE = 60
"""Seconds until a test fails; no test depends on timing."""


class Watched:
    """A watching flint process and its output."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: Queue[str] = Queue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)

    def report(self) -> str:
        """Return the output until it waits again."""
        said = ""
        while "Waiting for a file to be saved" not in said:
            said += self._lines.get(timeout=_PATIENCE)
        return said

    def interrupt(self) -> int:
        """Return its exit status after Ctrl-C."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(_PATIENCE)


@contextmanager
def watching(folder: Path, *arguments: str, **environment: str) -> Iterator[Watched]:
    process = subprocess.Popen(
        [sys.executable, "-m", "flink_flint", "check", *arguments, "--watch"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    try:
        yield Watched(process)
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_saved_file_is_checked_again_and_ctrl_c_ends_in_peace(tmp_path: Path) -> None:
    path = tmp_path / "conf" / "flink-conf.yaml"
    path.parent.mkdir()
    path.write_text(BLOB)
    with watching(tmp_path) as watched:
        first = watched.report()
        assert "checking ." in first
        assert "warning[FLK101]" in first
        assert "FLK945" not in first
        assert "\x1b" not in first, "no terminal, no clearing"
        path.write_text(BLOB + SECRET)
        assert "warning[FLK945]" in watched.report()
        path.write_text("rest.port: 8081\n")
        assert "All checks passed in 1 file." in watched.report()
        (tmp_path / "conf" / "notes.md").write_text("nothing that flint reads")
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "flink-conf.yaml").write_text(SECRET)
        assert "more/flink-conf.yaml" in watched.report(), "a file that was not there at first"
        (tmp_path / "more").rename(tmp_path.parent / f"{tmp_path.name}-away")
        assert "All checks passed in 1 file." in watched.report(), "a folder that went as a whole"
        assert watched.interrupt() == 0


@pytest.mark.slow
def test_a_named_file_that_an_editor_replaces_is_checked_again(tmp_path: Path) -> None:
    path = tmp_path / "flink-conf.yaml"
    path.write_text(BLOB)
    with watching(tmp_path, "flink-conf.yaml", "--output-format", "concise") as watched:
        assert "flink-conf.yaml:1:25: warning[FLK101]" in watched.report()
        for text, expected in ((SECRET, "FLK945"), (BLOB, "FLK101")):
            new = tmp_path / "flink-conf.yaml~"
            new.write_text(text + "# of another size\n" * len(expected))
            new.replace(path)
            assert expected in watched.report()
        assert watched.interrupt() == 0


@pytest.mark.slow
def test_saved_flint_config_count_and_broken_ones_are_reported(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").write_text(BLOB + SECRET)
    with watching(tmp_path, "conf") as watched:
        assert "FLK101" in watched.report()
        flint_config = tmp_path / "flint.toml"
        flint_config.write_text('ignore = ["FLK101"]\n')
        second = watched.report()
        assert "FLK101" not in second
        assert "FLK945" in second
        flint_config.write_text("ignored = []\n")
        assert "unknown key 'ignored'; did you mean 'ignore'?" in watched.report()
        assert watched.interrupt() == 0


@pytest.mark.slow
def test_what_is_saved_can_be_fixed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "flink-conf.yaml"
    path.write_text("rest.port: 8081\n")
    with watching(tmp_path, "--fix", "--flink-version", "1.20") as watched:
        watched.report()
        path.write_text("restart-strategy: none\n")
        assert "Fixed 1" in watched.report()
        assert path.read_text() == "restart-strategy.type: none\n"
        assert watched.interrupt() == 0


def test_the_format_for_annotations_is_not_for_those_who_watch(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(BLOB)
    with watching(tmp_path, GITHUB_ACTIONS="true") as watched:
        assert "::warning" not in watched.report()
        assert watched.interrupt() == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--diff",),
        ("--output-file", "report.txt"),
        ("--output-format", "json"),
        ("-",),
        ("--show-files",),
        ("--write-baseline",),
        ("missing.yaml",),
    ],
)
def test_what_makes_no_sense_again_and_again_is_refused(flint: Flint, arguments: tuple[str, ...]) -> None:
    result = flint("check", "--watch", *arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
    assert result.stdout == ""


def test_without_its_package_the_way_to_get_it_is_reported(flint: Flint, tmp_path: Path) -> None:
    # A module of this name that fails like a missing one, found before the real one.
    (tmp_path / "lacking").mkdir()
    (tmp_path / "lacking" / "watchfiles.py").write_text("raise ModuleNotFoundError('gone', name='watchfiles')\n")
    result = flint("check", "--watch", PYTHONPATH=f"{tmp_path / 'lacking'}{os.pathsep}{ROOT}")
    assert result.returncode == 2
    assert "pip install 'flink-flint[watch]'" in result.stderr
