"""The only module that opens files for reading: regular files only, and never more than a limit.

A tree may be untrusted. It may contain a pipe without a writer, a link to an endless device, or a link to a file
elsewhere, whose content would then be shown. A file that the user *named* is read wherever it is. One that was *found*,
because it is in a tree or a file of the tree names it, is read only inside of the repository, or inside of its own
folder if there is no repository.

A file that is rejected raises OSError with a readable reason.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from flink_flint.linter.filesystem.folders import looked_at
from flink_flint.linter.filesystem.repository import repository_of

LARGEST_SIDE_FILE = 1 << 20
"""The maximum number of bytes read from an auxiliary file, such as a build file, a `.gitignore` or a variables file."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_OPEN_STREAMS = ("/dev/fd", "/proc/self/fd")


class LeadsOut(OSError):  # noqa: N818 - it names what happened
    """Raised if a symbolic link in a tree points outside the tree."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EPERM, "A link that leads out of the repository", path)


def open_named(path: str) -> BinaryIO:
    """Open a file that the user named; raise OSError if it cannot be opened or is not a regular file.

    Streams from a shell (`/dev/stdin`, `<(...)`) and the null device are opened, too.
    """
    if is_open_stream(path):
        return open(path, "rb")
    looked_at(path)
    # Check the type first: even opening a device, or a pipe that another process has open, can have effects.
    _refuse_special(os.stat(path), path)
    descriptor = os.open(path, _FLAGS)
    try:
        _refuse_special(os.fstat(descriptor), path)
    except OSError:
        os.close(descriptor)
        raise
    return open(descriptor, "rb")


def open_found(path: str, top: str | None = None) -> BinaryIO:
    """Open a file found in a tree; a link must not lead out of `top` (by default its repository or folder).

    `top` is an absolute path without links. Raises OSError, also if it is not a regular file, and its subclass
    `LeadsOut`.
    """
    looked_at(path)
    if os.path.islink(path) and not is_inside(path, top):
        raise LeadsOut(path)
    _refuse_special(os.stat(path), path)
    return open_named(path)


def read_named(path: str, limit: int) -> bytes:
    """Return at most `limit` bytes of a file that the user named; raise OSError if that fails or it is not regular."""
    with open_named(path) as stream:
        return stream.read(limit)


def read_found(path: str, limit: int = LARGEST_SIDE_FILE) -> bytes:
    """Return at most `limit` bytes of a file found in a tree; raise OSError if that fails or a link leads outside."""
    with open_found(path) as stream:
        return stream.read(limit)


def read_inside(top: str, path: str, limit: int = LARGEST_SIDE_FILE) -> bytes | None:
    """Return at most `limit` bytes of the file at a relative path (with ``/``) in `top`; None if it cannot be read.

    Returns None if there is no such file, it is not a regular file, or links of it or its folders lead out of `top`.
    """
    try:
        real = os.path.realpath(os.path.join(top, path))
        looked_at(real)
        return read_named(real, limit) if _is_inside(real, top) else None
    except (OSError, ValueError):  # ValueError: a NUL in a path from a file
        return None


def found_text(path: str) -> str | None:
    """Return the text of an auxiliary file found in a tree, with LF line endings; None if it cannot be read."""
    try:
        data = read_found(path)
    except (OSError, ValueError):  # ValueError: a NUL in a path from a file
        return None
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def is_inside(path: str, top: str | None = None) -> bool:
    """Return whether a path, with links resolved, is inside `top` (by default its repository, or else its folder)."""
    try:
        folder = os.path.realpath(os.path.dirname(path))
        top = top or repository_of(folder) or folder
        return _is_inside(os.path.realpath(path), top)
    except (OSError, ValueError):
        return False


def path_in_repository(folder: str, path: str) -> str | None:
    """Return `folder` joined with `path`; None if the result is outside the repository (or, without one, `folder`)."""
    try:
        here = os.path.realpath(folder)
        named = os.path.join(folder, path)
        return named if _is_inside(os.path.realpath(named), repository_of(here) or here) else None
    except (OSError, ValueError):  # a NUL, another drive
        return None


def refuse_way_out(path: str) -> None:
    """Raise `LeadsOut` if writing to a path would follow a link from inside a tree to the outside.

    The tree is the repository that contains the link, or the current folder. Other links are the user's own.
    """
    if is_open_stream(path):
        return
    here = os.path.realpath(os.curdir)
    drive, below = os.path.splitdrive(os.path.join(os.getcwd(), path))
    real = os.path.realpath(drive + os.sep)
    for part in below.replace(os.altsep or os.sep, os.sep).split(os.sep):
        if part == os.pardir:  # the parent of the target of a preceding link, not of the link itself
            real = os.path.dirname(real)
            continue
        top = repository_of(real) or (here if _is_inside(real, here) else None)
        real = os.path.realpath(os.path.join(real, part))
        if top is not None and not _is_inside(real, top):
            raise LeadsOut(path)


def is_open_stream(path: str) -> bool:
    """Return whether a path is an open stream, such as a shell's process substitution, or the null device."""
    return path in ("/dev/stdin", "/dev/stdout", "/dev/stderr", os.devnull) or os.path.dirname(path) in _OPEN_STREAMS


def _is_inside(path: str, top: str) -> bool:
    return path == top or path.startswith(os.path.join(top, ""))


def _refuse_special(status: os.stat_result, path: str) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "Not a regular file", path)
