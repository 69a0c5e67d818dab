"""Numbered lines of text files from reporters and loggers, and the times found in lines and file names."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache

from flink_flint.calculators.history.file_access import open_bytes, place_of
from flink_flint.calculators.history.samples import Gathering
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.sources.rejection_reasons import BREAKS_OFF, EARLIEST, LATEST


def numbered_lines(path: str, gathering: Gathering) -> Iterator[tuple[int, str]]:
    """Yield each line's number, starting at 1, and its text including the line end; invalid UTF-8 becomes U+FFFD.

    If a compressed file is truncated, the lines before are yielded and the rest is rejected.
    """
    number = 0
    with io.TextIOWrapper(open_bytes(path), "utf-8", "replace", newline="\n") as lines:
        try:
            for line in lines:
                number += 1
                yield number, line
        except (EOFError, OSError, zlib.error) as error:
            gathering.reject(f"{path}:{number + 1}", BREAKS_OFF, str(error))


def lines_of_bytes(path: str, broken: Callable[[int], None]) -> Iterator[tuple[int, bytes]]:
    """Yield each line's number, starting at 1, and its bytes; call `broken` with the number of a truncated line."""
    number = 0
    with open_bytes(path) as stream:
        while True:
            try:
                line = stream.readline()
            except (EOFError, OSError, zlib.error):
                broken(number + 1)
                return
            if not line:
                return
            number += 1
            yield number, line


_CALENDAR_IN_NAME = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)[T_ -]?(\d\d)[:_-]?(\d\d)[:_-]?(\d\d)?(?!\d)")
_EPOCH_IN_NAME = re.compile(r"(?<!\d)(\d{13}|\d{10})(?!\d)")


def time_in(name: str) -> int:
    """Return the time that the file name `name` contains, in milliseconds since the epoch; 0 if it contains none."""
    for found in _CALENDAR_IN_NAME.finditer(name):
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
        try:
            time = int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() * 1000)
        except ValueError:
            continue
        if EARLIEST <= time < LATEST:
            return time
    for found in _EPOCH_IN_NAME.finditer(name):
        time = int(found[1]) * (1 if len(found[1]) == 13 else 1000)
        if EARLIEST <= time < LATEST:
            return time
    return 0


def time_of(path: str, options: Options) -> int:
    """Return the time for a file's samples that have no time of their own, in milliseconds since the epoch.

    It is the time given on the command line, otherwise that in the file's name, otherwise the file's last change.
    """
    if found := options.time or time_in(path.rstrip("/").rpartition("/")[2]):
        return found
    system, within = place_of(path)
    return int(system.get_file_info(within).mtime_ns or 0) // 1_000_000


_CALENDAR = re.compile(
    r"[\[(]?(\d{4}|\d\d)([-/])(\d\d)\2(\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?[ ]?(Z|[+-]\d\d:?\d\d)?[\])]?(?!\d)"
)
_EPOCH = re.compile(r"[\[(]?(?:(\d{10})(?:\.(\d{1,9}))?|(\d{13}))[\])]?(?![\d.])")


@lru_cache(maxsize=1024)
def _seconds(text: str) -> int | None:
    """Return seconds since the epoch of an ISO 8601 time, None if it is invalid; cached, as many lines share theirs."""
    try:
        return int(datetime.fromisoformat(text).timestamp())
    except ValueError:
        return None


def leading_time(line: str, start: int = 0) -> tuple[int, int] | None:
    """Return the time that begins at `start` in a line and the position after it; None if there is no valid time.

    The time is in milliseconds since the epoch. A calendar time (``2026-11-20 16:09:55,149``,
    ``2026-11-20T16:09:55.149Z``, ``26/11/20 16:09:55``) without a time zone is UTC; seconds and milliseconds since the
    epoch are recognized too.
    """
    if not line[start : start + 3].strip("[(")[:1].isdecimal():
        return None
    if found := _CALENDAR.match(line, start):
        year, _, month, day, clock, fraction, zone = found.groups()
        whole = _seconds(f"{'20' if len(year) == 2 else ''}{year}-{month}-{day}T{clock}{zone or 'Z'}")
        return None if whole is None else (whole * 1000 + int(f"{fraction or 0:0<3}"[:3]), found.end())
    if found := _EPOCH.match(line, start):
        seconds, fraction, milliseconds = found.groups()
        epoch = int(milliseconds) if milliseconds else int(seconds) * 1000 + int(f"{fraction or 0:0<3}"[:3])
        return epoch, found.end()
    return None
