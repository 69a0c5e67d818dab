"""What is shown while executors work, and to whom."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from flink_flint.calculators.history.store.progress import Meter, leave_mark, line_of, rate_of


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_line_tells_pieces_days_samples_rate_and_time_left() -> None:
    assert line_of("reading", 7, 14, (12_034_000, 3), 10.0) == (
        "reading  7/14  3 days  12 034 000 samples  1.2 M/s  10 s left"
    )


def test_the_line_leaves_out_what_is_not_known_yet() -> None:
    assert line_of("reading", 0, 14, (0, 0), 3.0) == "reading  0/14"
    assert line_of("counting", 1, 1, (60, 1), 2.0) == "counting  1/1  1 day  60 samples  30/s"


@pytest.mark.parametrize(("seconds", "told"), [(50, "50 s left"), (120, "2 min left"), (7200, "2.0 h left")])
def test_the_time_left_is_in_the_unit_people_use(seconds: float, told: str) -> None:
    assert line_of("reading", 1, 2, (10, 0), seconds).endswith(told)


@pytest.mark.parametrize(
    ("rate", "told"),
    [(0.2, "0"), (7, "7"), (999, "999"), (999.7, "1.0 k"), (34_000, "34.0 k"), (999_990, "1.0 M"), (2.5e6, "2.5 M")],
)
def test_a_rate_is_short(rate: float, told: str) -> None:
    assert rate_of(rate) == told


def test_marks_of_executors_are_counted_on_a_terminal(tmp_path: Path) -> None:
    stream = Terminal()
    with Meter(str(tmp_path / "staging"), "reading", 2, stream) as meter:
        leave_mark(meter.folder, 1000, 1)
        leave_mark(meter.folder, 500, 0)
    last = stream.getvalue().rpartition("\r\x1b[2K")[2]
    assert last.startswith("reading  2/2  1 day  1 500 samples")
    assert last.endswith("\n")


def test_nothing_is_shown_and_no_mark_is_left_without_a_terminal(tmp_path: Path) -> None:
    stream = io.StringIO()
    with Meter(str(tmp_path / "staging"), "reading", 2, stream) as meter:
        leave_mark(meter.folder, 1000, 1)
    assert stream.getvalue() == ""
    assert not list(tmp_path.iterdir())


def test_a_mark_that_cannot_be_left_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    leave_mark(str(tmp_path / "file" / "marks"), 10, 1)
    assert (tmp_path / "file").read_text() == ""


_SHOWN = """
import sys
from flink_flint.calculators.history.store.progress import Meter, leave_mark
with Meter(sys.argv[1], "reading", 1) as meter:
    leave_mark(meter.folder, 123456789, 1)
"""


def on_terminal(command: list[str], columns: int) -> str:
    """What a command writes to standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        assert process.stdout
        assert process.stdout.read() == b""
    told = b""
    with suppress(OSError):  # the end of a terminal
        while part := os.read(ours, 4096):
            told += part
    os.close(ours)
    return told.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "told"),
    [(100, "reading  1/1  1 day  123 456 789 samples  "), (20, "reading  1/1  1 day"), (0, "samples")],
)
def test_a_real_terminal_is_written_to_within_its_width(tmp_path: Path, columns: int, told: str) -> None:
    command = [sys.executable, "-c", _SHOWN, str(tmp_path / "staging")]
    lines = on_terminal(command, columns).replace("\r\n", "").split("\r\x1b[2K")[1:]
    assert told in lines[-1]
    assert max(map(len, lines)) < (columns or 80)
    quiet = subprocess.run(command, capture_output=True, check=True)
    assert quiet.stderr == b""
