"""Access to the files of metric stores and sources, at local paths or any address that pyarrow supports."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from pyarrow import fs

ABOUT_STORE = "flint-history.json"
"""The name of the file that marks a folder as a history store."""

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://")
_GZIP = b"\x1f\x8b"


def place_of(path: str) -> tuple[fs.FileSystem, str]:
    """Return a path's file system (local, or that of ``s3://``, ``gs://`` or ``hdfs://``), and the path within it.

    Raises ValueError for an address that no file system supports.
    """
    if not _ADDRESS.match(path):
        return fs.LocalFileSystem(), str(Path(path).absolute())
    try:
        system, within = fs.FileSystem.from_uri(path)
    except (ValueError, OSError) as error:
        known = "; supported are s3://, gs://, hdfs:// and abfs://" if "Unrecognized filesystem" in str(error) else ""
        raise ValueError(f"{path}: {error}{known}") from None
    return system, within


def absolute(path: str) -> str:
    """Make a local path absolute, because executors have a different working directory; leave URIs unchanged."""
    return path if _ADDRESS.match(path) else str(Path(path).absolute())


def join(folder: str, *names: str) -> str:
    """Join a folder and names into a path, separated by slashes."""
    return "/".join((folder.rstrip("/"), *names))


def files_inside(path: str) -> Iterator[str]:
    """Yield the files under a folder, sorted, or the path itself if it is a file; raise ValueError if it is neither.

    Hidden files, hidden folders and stores are skipped. On this machine links are followed, and each folder is entered
    once; a folder that cannot be listed is yielded itself, so that the reader reports it.
    """
    system, within = place_of(path)
    kind = system.get_file_info(within)
    if kind.type == fs.FileType.NotFound:
        raise ValueError(f"{path}: no such file or folder")
    if kind.type == fs.FileType.File:
        yield path
        return
    if kind.type == fs.FileType.Unknown:
        raise ValueError(f"{path}: not a regular file")
    if isinstance(system, fs.LocalFileSystem):
        found = sorted(_files_of(within))
    else:
        found = sorted(info.path for info in system.get_file_info(fs.FileSelector(within, recursive=True))
                       if info.type == fs.FileType.File)  # fmt: skip
    start = len(within.rstrip("/")) + 1
    stores = {file[: -len(ABOUT_STORE)] for file in found if file.rpartition("/")[2] == ABOUT_STORE}
    for file in found:
        below = file[start:]
        hidden = any(part.startswith(".") for part in below.split("/"))
        if not hidden and not any(file.startswith(store) for store in stores):
            yield join(path, below) if below else path


def _files_of(folder: str) -> Iterator[str]:
    """Yield the files below a folder of this machine."""
    entered = set()
    refused: list[str] = []
    for here, folders, names in os.walk(
        folder, followlinks=True, onerror=lambda error: refused.append(str(error.filename))
    ):
        # Through links the same folder can be met again, even within itself.
        status = os.stat(here)
        if (status.st_dev, status.st_ino) in entered:
            folders.clear()
            continue
        entered.add((status.st_dev, status.st_ino))
        folders.sort()
        # A name that is not UTF-8 can be reported, but not opened.
        yield from (
            os.fsencode(file).decode("utf-8", "replace") for name in names if _is_file(file := join(here, name))
        )
    yield from refused


def _is_file(path: str) -> bool:
    """Return whether the path is a file, or a link that leads to one or nowhere.

    Pipes and sockets are excluded, as reading them would block.
    """
    return os.path.isfile(path) or (os.path.islink(path) and not os.path.exists(path))


def size_of(path: str) -> int:
    """Return the size of a file in bytes; 0 if it is missing."""
    system, within = place_of(path)
    return int(system.get_file_info(within).size or 0)


def open_bytes(path: str) -> BinaryIO:
    """Open a file for reading, decompressed if its content is gzip; raise ValueError if it cannot be opened."""
    system, within = place_of(path)
    try:
        raw = system.open_input_file(within)
        packed = raw.read(2) == _GZIP
        raw.seek(0)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {reason_of(error)}") from None
    buffered = io.BufferedReader(raw, 1 << 20)
    return cast(BinaryIO, gzip.open(buffered)) if packed else cast(BinaryIO, buffered)


def head_of(path: str, size: int = 4096) -> bytes:
    """Return the first bytes of a file, decompressed; raise ValueError if it cannot be read."""
    head = b""
    with open_bytes(path) as stream:
        try:
            # A single read would lose what was decompressed before a corrupt part.
            while len(head) < size and (part := stream.read1(size - len(head))):  # type: ignore[attr-defined]
                head += part
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return head
        except OSError as error:
            raise ValueError(f"{path}: cannot be read: {reason_of(error)}") from None
    return head


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file as they are stored; raise FileNotFoundError if it is missing."""
    system, within = place_of(path)
    with system.open_input_file(within) as stream:
        return bytes(stream.read())


def reason_of(error: OSError) -> str:
    """Return the reason why a file could not be read or written, as a phrase."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "no space is left on the device"
    return os.strerror(error.errno) if error.errno else (str(error).splitlines() or [type(error).__name__])[0][:500]
