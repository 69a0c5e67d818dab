"""Missing inputs are prompted for on an interactive terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT

LONGEST = 30
"""Seconds after which a terminal without output is given up."""


class Terminal:
    """`flint` at a terminal that a test types into."""

    def __init__(self, folder: Path, *arguments: str, piped: bool = False, path: Path = ROOT) -> None:
        self.master, slave = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "flink_flint", *arguments],
            stdin=slave, stdout=subprocess.PIPE if piped else slave, stderr=slave, cwd=folder,
            env={**environment, "PYTHONPATH": f"{path}:{ROOT}", "COLUMNS": "80", "NO_COLOR": "1"},
            # Its controlling terminal, so that Ctrl-C is one.
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self.text = ""

    def until(self, words: str) -> str:
        """Read until the words come, from where the last reading ended."""
        start = len(self.text)
        while words not in self.text[start:]:
            assert self._read(), self.text
        return self.text[start:]

    def _read(self) -> bool:
        """Take in what was written; False at the end."""
        ready, _, _ = select.select([self.master], [], [], LONGEST)
        assert ready, f"silent after {self.text!r}"
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.text += data.decode().replace("\r\n", "\n")
        return bool(data)

    def wait_for_reading(self) -> None:
        """Wait until the process sleeps: Python notices Ctrl-C just before it reads only with the next key."""
        state = Path(f"/proc/{self.process.pid}/stat")
        while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "S":
            time.sleep(0.01)

    def type(self, line: str) -> None:
        os.write(self.master, line.encode())

    def end(self) -> int:
        """Read what is left; the exit status."""
        while self._read():
            pass
        os.close(self.master)
        return self.process.wait(LONGEST)


def test_each_missing_input_is_asked_for_with_meaning_range_and_example(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "size", "async-io", "--parallelism", "4")
    asked = terminal.until("\nread timeout: ")
    assert "The client's read timeout: the longest a response may take\n" in asked
    assert "  a time with its unit, above 0 s; such as 2s (--read-timeout)\n" in asked
    terminal.type("2s\n")
    assert "Records per second that reach the operator" in terminal.until("\nrate: ")
    terminal.type("3k/s\n")
    terminal.until("\nlatency: ")
    terminal.type("40ms\n")
    assert terminal.end() == 0
    assert "timeout: 6 s" in terminal.text
    assert re.search(r"--parallelism +4", terminal.text)


def test_a_bad_value_is_told_and_asked_for_again(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "size", "async-io", "--rate", "3k/s", "--latency", "40ms")
    terminal.until("\nread timeout: ")
    terminal.type("2\n")
    assert "'2' has no unit" in terminal.until("\nread timeout: ")
    terminal.type("0s\n")
    assert "out of range; allowed: above 0 s" in terminal.until("\nread timeout: ")
    terminal.type("2s\n")
    assert terminal.end() == 0


def test_who_does_not_know_is_told_where_to_look(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "size", "async-io", "--read-timeout", "2s", "--latency", "40ms")
    terminal.until("\nrate: ")
    terminal.type("?\n")
    told = " ".join(terminal.until("\nrate: ").split())
    assert "there is no default for --rate" in told
    assert "numRecordsInPerSecond (p95)" in told
    terminal.type("3k/s\n")
    assert terminal.end() == 0


@pytest.mark.slow
@pytest.mark.parametrize("key", ["\x04", "\x03"])
def test_who_gives_up_is_left_in_peace(key: str, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "size", "async-io", "--parallelism", "4")
    terminal.until("\nread timeout: ")
    terminal.wait_for_reading()
    terminal.type(key)
    assert terminal.end() == 130
    assert terminal.text.endswith("\nerror: aborted\n")


@pytest.mark.slow
def test_questions_do_not_get_into_what_is_piped_on(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "size", "async-io", "--rate", "3k/s", "--latency", "40ms", piped=True)
    terminal.until("\nread timeout: ")
    terminal.type("2s\n")
    assert terminal.process.stdout is not None
    answer = terminal.process.stdout.read().decode()
    assert terminal.end() == 0
    assert answer.startswith("Async I/O: capacity, timeout and pool")
    assert "read timeout: \n" not in answer


# -- the form


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["size"], ["size", "async-io"]])
def test_a_name_alone_or_none_opens_the_form(arguments: list[str], tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, *arguments)
    terminal.until("\x1b[?1049h")  # the screen of a full-screen program
    terminal.process.terminate()
    assert terminal.end() != 2


@pytest.fixture
def without_textual(tmp_path: Path) -> Path:
    """A folder of packages where Textual is one that is not there."""
    package = tmp_path / "packages" / "textual"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ModuleNotFoundError('no module', name='textual')\n")
    return package.parent


def test_without_the_forms_packages_it_is_told_how_to_get_them(tmp_path: Path, without_textual: Path) -> None:
    terminal = Terminal(tmp_path, "size", path=without_textual)
    assert terminal.end() == 2
    assert "pip install 'flink-flint[tui]'" in " ".join(terminal.text.split())
    assert "flint size CALCULATOR --help" in terminal.text


def test_without_them_a_named_calculator_asks_line_by_line(tmp_path: Path, without_textual: Path) -> None:
    terminal = Terminal(tmp_path, "size", "async-io", path=without_textual)
    assert "pip install 'flink-flint[tui]'" in terminal.until("\nread timeout: ")
    terminal.type("\x04")
    assert terminal.end() == 130
