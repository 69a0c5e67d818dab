"""Progress of executors: they leave a mark for each finished piece of work, and the waiting driver counts the marks."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import TextIO
from uuid import uuid4

from pyarrow import fs

from flink_flint.calculators.formulas.quantity import spell_count
from flink_flint.calculators.history.file_access import join, place_of, read_bytes

_EVERY = 0.5
_USUAL = 80
"""Columns of a terminal that does not report its size."""


def leave_mark(folder: str, samples: int, days: int = 0) -> None:
    """Write a file to `folder` that marks a piece of work as done; do nothing if `folder` is empty.

    It runs on an executor.
    """
    if not folder:
        return
    system, within = place_of(folder)
    with suppress(OSError):  # the work is done anyway
        system.create_dir(within, recursive=True)
        with system.open_output_stream(join(within, f"{uuid4().hex}.json")) as stream:
            stream.write(json.dumps([samples, days]).encode())


class Meter:
    """A context manager that shows a progress line; nothing is shown if standard error is not a terminal."""

    def __init__(self, folder: str, title: str, pieces: int, stream: TextIO | None = None, shown: bool | None = None):
        self._stream = stream or sys.stderr
        shown = self._stream.isatty() if shown is None else shown
        self.folder = join(folder, uuid4().hex) if shown and pieces else ""
        """Folder in which executors leave marks; empty if nothing is shown."""
        self._title = title
        self._pieces = pieces
        self._done = threading.Event()
        self._seen: dict[str, tuple[int, int]] = {}
        self._began = time.monotonic()

    def __enter__(self) -> Meter:
        if self.folder:
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.folder:
            self._done.set()
            self._thread.join()
            self._show()
            self._write("\n")

    def _watch(self) -> None:
        while not self._done.wait(_EVERY):
            self._show()

    def _show(self) -> None:
        system, within = place_of(self.folder)
        try:
            for info in system.get_file_info(fs.FileSelector(within, allow_not_found=True)):
                if info.path not in self._seen and info.size:
                    samples, days = json.loads(read_bytes(join(self.folder, info.base_name)))
                    self._seen[info.path] = (samples, days)
        except (OSError, ValueError):
            return  # a mark is only half written; it is read next time
        took = time.monotonic() - self._began
        line = line_of(self._title, len(self._seen), self._pieces, self._totals(), took)
        # A line that wraps could not be overwritten.
        self._write("\r\x1b[2K" + line[: _columns(self._stream) - 1])

    def _write(self, text: str) -> None:
        with suppress(OSError):  # the terminal is gone, the work is not
            self._stream.write(text)
            self._stream.flush()

    def _totals(self) -> tuple[int, int]:
        return sum(one[0] for one in self._seen.values()), sum(one[1] for one in self._seen.values())


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL
    except (OSError, ValueError):
        return _USUAL


def line_of(title: str, done: int, pieces: int, totals: tuple[int, int], seconds: float) -> str:
    """Return the progress line, such as ``reading  7/14  3 days  12 034 000 samples  1.2 M/s  10 s left``."""
    samples, days = totals
    parts = [title, f"{done}/{pieces}"]
    if days:
        parts.append(f"{days} day" + ("s" if days > 1 else ""))
    if samples:
        parts.append(f"{spell_count(samples)} samples")
    if seconds > 0 and samples:
        parts.append(f"{rate_of(samples / seconds)}/s")
    if 0 < done < pieces:
        parts.append(f"{_lasts(seconds / done * (pieces - done))} left")
    return "  ".join(parts)


def _lasts(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def rate_of(number: float) -> str:
    """Return a number with a metric prefix: ``1.2 M``, ``34.0 k``, ``7``."""
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if number >= size * 0.9995:  # also what would round up to it
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}"
