"""Atomic writing of files."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from itertools import count

from flink_flint.linter.filesystem.reading import is_open_stream, read_named, refuse_way_out


class Changed(Exception):  # noqa: N818 - it names what happened
    """Raised if a file has changed since it was read."""


def write_whole(path: str, data: bytes) -> None:
    """Write a file atomically through a temporary file in the same folder; if that fails, the file is unchanged.

    A link is followed unless it leads out of its tree; the mode is kept, and the owner if permitted. A path that is not
    a regular file (a device, a pipe) cannot be replaced and is written to; a pipe without a reader is rejected.
    """
    refuse_way_out(path)
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        _write_special(path, data)
        return
    path = os.path.realpath(path)  # not earlier: if /dev/stdout is a pipe, its link has no valid target
    if old is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    # The content may be private, so the file is unreadable to others until it has the mode of the old one.
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
    """Write to a path that is not a regular file; raise OSError, also for a pipe without a reader."""
    place: str | int = path
    if not is_open_stream(path) and hasattr(os, "O_NONBLOCK"):
        try:
            place = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise OSError(errno.ENXIO, "A pipe without a reader", path) from None
            raise
        os.set_blocking(place, True)
    with open(place, "wb") as stream:
        stream.write(data)


def replace_whole(path: str, old: bytes, new: bytes) -> None:
    """Write `new` to a file that was read as `old`; raise `Changed` if the file now has other content.

    Raises OSError as `write_whole` does, and if the file is gone. A path that is not a regular file cannot be read
    again and is written to directly.
    """
    if os.path.isfile(path) or not os.path.exists(path):
        now = read_named(path, max(len(old), len(new)) + 1)
        if now == new:
            return
        if now != old:
            raise Changed
    write_whole(path, new)


def write_scratch(path: str, data: bytes) -> None:
    """Write a file in a temporary folder, not atomically, and without following a link at `path`.

    Creates missing parent folders. Raises OSError.
    """
    os.makedirs(os.path.dirname(path), exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, 0o600), "wb") as stream:
        stream.write(data)


def create(path: str, mode: int) -> None:
    """Create an empty file with the given mode; raise OSError if that fails or the path already exists."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))


def create_private(path: str) -> None:
    """Create an empty file that only its owner can read, unless it already exists; raise OSError if that fails."""
    with suppress(FileExistsError):
        create(path, 0o600)


def _temporary(folder: str, mode: int) -> tuple[str, int]:
    """Create a file in a folder and open it; its name is short because the target may have the longest possible one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for number in count():
        path = os.path.join(folder, f".flint-{os.getpid()}-{number}")
        try:
            return path, os.open(path, flags, mode)
        except FileExistsError:
            continue
    raise AssertionError


def _take_after(path: str, old: os.stat_result) -> None:
    """Copy the owner and the mode of another file to a file."""
    new = os.stat(path)  # on Windows, which has no `chown`, all owners are 0
    if new.st_gid != old.st_gid:
        with suppress(OSError):
            os.chown(path, -1, old.st_gid)
    if new.st_uid != old.st_uid:
        with suppress(OSError):
            os.chown(path, old.st_uid, -1)
    os.chmod(path, stat.S_IMODE(old.st_mode))


def save(path: str, data: bytes, what: str) -> None:
    """Write an output file of a command; if that fails, raise ValueError with a message that calls the file `what`."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise ValueError(f"{path}: cannot write {what}: {(error.strerror or str(error)).lower()}") from None


def print_or_save(text: str, output_file: str | None, what: str) -> None:
    """Save `text` to `output_file`, or print it if that is None or `-`; bytes that are not UTF-8 are kept."""
    data = text.encode("utf-8", "surrogateescape")
    if output_file is not None and output_file != "-":
        save(output_file, data, what)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
