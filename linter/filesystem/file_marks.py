"""Marks of files that reveal changes, by which a cache knows what it need not read again."""

from __future__ import annotations

import os
import stat
import time

Mark = list[int]
"""The state of a file that reveals changes: its size, modification time and change time (in nanoseconds)."""

TOO_RECENT = 2_000_000_000
"""The age, in nanoseconds, below which a file may change again without a new modification time."""


def mark_of(path: str) -> Mark | None:
    """Return the mark of a regular file; None for others and for links, whose targets change on their own."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns] if stat.S_ISREG(found.st_mode) else None


MISSING: Mark = [-1, 0, 0]
"""The mark behind a path that leads to nothing."""

FOLDER = -2
"""The size in the mark of a folder, of which only the time of modification counts."""


def mark_behind(path: str) -> Mark:
    """Return the mark of what a path leads to; of a folder it is when its names changed."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return MISSING
    if stat.S_ISDIR(found.st_mode):
        return [FOLDER, found.st_mtime_ns, 0]
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def is_settled(changed: int) -> bool:
    """Return whether something that was changed at a time cannot change again without another time."""
    return time.time_ns() - changed >= TOO_RECENT
