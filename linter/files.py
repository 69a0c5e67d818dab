"""The one place where files of a tree are opened for reading: regular files only, never more of one than a limit.

A tree may come from a stranger. It may hold a pipe that nobody writes to, a link to a device without an end, or a link
to a file outside, whose content would then be shown. What is refused raises OSError with a message for the person.
"""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def read_bytes(path: str, limit: int) -> bytes:
    """Return at most the first `limit` bytes of a regular file, following links. Raises OSError."""
    # Looked at before it is opened: opening a device, or a pipe with a reader behind it, can already do something.
    refuse_special(os.stat(path), path)
    descriptor = os.open(path, _FLAGS)
    with open(descriptor, "rb") as stream:
        refuse_special(os.fstat(descriptor), path)
        return stream.read(limit)


def refuse_special(status: os.stat_result, path: str) -> None:
    """Raise OSError unless the status is that of a regular file."""
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "Not a regular file", path)
