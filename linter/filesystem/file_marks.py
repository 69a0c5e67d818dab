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


def is_settled(changed: int) -> bool:
    """Return whether something that was changed at a time cannot change again without another time."""
    return time.time_ns() - changed >= TOO_RECENT
