"""Writing a file whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from itertools import count

from flink_flint.linter.filesystem.reading import is_handed_over, read_named, refuse_way_out


class Changed(Exception):  # noqa: N818 - it names what happened
    """A file is not what it was when it was read."""


def write_whole(path: str, data: bytes) -> None:
    """Write a temporary file beside the file and put it in its place; raises OSError and then leaves nothing behind.

    A link is followed unless it leads out of the tree it lies in; the mode is kept, and the owner where the system lets
    us. What is no regular file (a device, a pipe) cannot be replaced and is written to; a pipe that nobody reads is
    refused.
    """
    refuse_way_out(path)
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        _write_special(path, data)
        return
    path = os.path.realpath(path)  # not sooner: where /dev/stdout is a pipe, its link leads to no name
    if old is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    # What the file may hold is nobody else's until it has the old one's mode.
    temporary, descriptor = _temporary(os.path.dirname(path), 0o666 if old is None else 0o600)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
        if old is not None:
            _take_after(temporary, old)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _write_special(path: str, data: bytes) -> None:
    """Write to what is no regular file. Raises OSError, also for a pipe that nobody has open for reading."""
    place: str | int = path
    if not is_handed_over(path) and hasattr(os, "O_NONBLOCK"):
        try:
            place = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise OSError(errno.ENXIO, "A pipe that nobody reads", path) from None
            raise
        os.set_blocking(place, True)
    with open(place, "wb") as stream:
        stream.write(data)


def replace_whole(path: str, old: bytes, new: bytes) -> None:
    """Write a file that was read as `old` anew; raises `Changed` where it is neither that any more nor `new` already.

    Raises OSError as `write_whole` does, and where the file is gone. What is no regular file cannot be read again, and
    is just written to.
    """
    if os.path.isfile(path) or not os.path.exists(path):
        now = read_named(path, max(len(old), len(new)) + 1)
        if now == new:
            return
        if now != old:
            raise Changed
    write_whole(path, new)


def write_scratch(path: str, data: bytes) -> None:
    """Write a file in a temporary folder, without the care that a person's file gets, and through no link.

    Folders above it are made. Raises OSError.
    """
    os.makedirs(os.path.dirname(path), exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, 0o600), "wb") as stream:
        stream.write(data)


def create(path: str, mode: int) -> None:
    """Make an empty file of a mode. Raises OSError, also where there is something already."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))


def _temporary(folder: str, mode: int) -> tuple[str, int]:
    """A new file in a folder, open for writing; its name is short, as the other file's may be the longest possible."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for number in count():
        path = os.path.join(folder, f".flint-{os.getpid()}-{number}")
        try:
            return path, os.open(path, flags, mode)
        except FileExistsError:
            continue
    raise AssertionError


def _take_after(path: str, old: os.stat_result) -> None:
    """Give a file the owner and the mode of another."""
    if hasattr(os, "chown"):
        new = os.stat(path)
        if new.st_gid != old.st_gid:
            with suppress(OSError):
                os.chown(path, -1, old.st_gid)
        if new.st_uid != old.st_uid:
            with suppress(OSError):
                os.chown(path, old.st_uid, -1)
    os.chmod(path, stat.S_IMODE(old.st_mode))


def save(path: str, data: bytes, what: str) -> None:
    """Write what a command made for its user; raises ValueError, naming `what` it is, where it cannot be written."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise ValueError(f"{path}: cannot write {what}: {(error.strerror or str(error)).lower()}") from None


def put_out(text: str, output_file: str | None, what: str) -> None:
    """Print a text, or save it in a named file (not `-`); bytes of a file that are no UTF-8 stay what they are."""
    data = text.encode("utf-8", "surrogateescape")
    if output_file is not None and output_file != "-":
        save(output_file, data, what)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
