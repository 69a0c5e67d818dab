"""Files of a store and of sources, wherever they are: a local path, or any address pyarrow knows."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from pyarrow import fs

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://")
_GZIP = b"\x1f\x8b"


def place_of(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of a path and the path within it: a local one, or ``s3://``, ``gs://``, ``hdfs://`` …

    Raises ValueError for an address no file system is known for.
    """
    if not _ADDRESS.match(path):
        return fs.LocalFileSystem(), str(Path(path).absolute())
    try:
        system, within = fs.FileSystem.from_uri(path)
    except (ValueError, OSError) as error:
        raise ValueError(f"{path}: {error}") from None
    return system, within


def join(folder: str, *names: str) -> str:
    """A path below a folder."""
    return "/".join((folder.rstrip("/"), *names))


def files_below(path: str) -> Iterator[str]:
    """The files below a folder, sorted, or the path itself where it is a file; raises ValueError where nothing is.

    Hidden files and folders are left out.
    """
    system, within = place_of(path)
    kind = system.get_file_info(within)
    if kind.type == fs.FileType.NotFound:
        raise ValueError(f"{path}: no such file or folder")
    if kind.type == fs.FileType.File:
        yield path
        return
    start = len(within.rstrip("/")) + 1
    found = system.get_file_info(fs.FileSelector(within, recursive=True))
    for info in sorted(found, key=lambda one: str(one.path)):
        below = info.path[start:]
        if info.type == fs.FileType.File and not any(part.startswith(".") for part in below.split("/")):
            yield join(path, below)


def size_of(path: str) -> int:
    """The bytes of a file; 0 where it is missing."""
    system, within = place_of(path)
    return int(system.get_file_info(within).size or 0)


def open_bytes(path: str) -> BinaryIO:
    """A file's bytes, unpacked where it is gzip (by its first bytes, not its name); raises ValueError."""
    system, within = place_of(path)
    try:
        raw = system.open_input_file(within)
        packed = raw.read(2) == _GZIP
        raw.seek(0)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from None
    buffered = io.BufferedReader(raw, 1 << 20)
    return cast(BinaryIO, gzip.open(buffered)) if packed else cast(BinaryIO, buffered)


def head_of(path: str, size: int = 4096) -> bytes:
    """The first bytes of a file, unpacked; raises ValueError where it cannot be read or is cut short."""
    with open_bytes(path) as stream:
        try:
            return stream.read(size)
        except (EOFError, OSError) as error:
            raise ValueError(f"{path}: cannot be unpacked: {error}") from None


def read_bytes(path: str) -> bytes:
    """A whole file as it is stored; raises FileNotFoundError."""
    system, within = place_of(path)
    with system.open_input_file(within) as stream:
        return bytes(stream.read())
