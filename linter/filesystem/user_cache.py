"""The user's cache directory, whose files are safe to delete and never inside a checked tree."""

from __future__ import annotations

import json
import os
import sys
import zlib
from contextlib import suppress
from typing import Any

from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.filesystem.writing import create_private, write_whole

LARGEST = 64 * 1024**2
"""The maximum size of a cache file, in bytes; larger files are neither read nor written."""


MAX_FILES = 60
"""The maximum number of cache files; there are up to three for each project and flint version."""

_BEGINNING = "files-"
_is_off = False


def turn_off() -> None:
    """Do without cache files from now on: none has a path."""
    global _is_off
    _is_off = True


def cache_folder() -> str | None:
    """Return flint's cache folder: `FLINT_CACHE_DIR` or the platform's default; None without a home directory."""
    if named := os.environ.get("FLINT_CACHE_DIR"):
        return os.path.abspath(named)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return os.path.join(local, "flint", "Cache") if local else None
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the specification says to ignore a relative one
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, "Library", "Caches") if sys.platform == "darwin" else os.path.join(home, ".cache")
    return os.path.join(base, "flint")


def cache_file(root: str, version: str) -> str | None:
    """Return the path of a tree's cache file for a version of flint; None without a cache folder outside of the tree.

    A tree may be untrusted, so nothing in it is ever read as a cache. Trees that are spelled in different ways, such as
    by relative paths, have files of their own.
    """
    folder = cache_folder()
    if folder is None or _is_off:
        return None
    real, tree = os.path.realpath(folder), os.path.realpath(root)
    if real == tree or real.startswith(os.path.join(tree, "")):
        return None
    # A tree whose path has the same two checksums is harmless: its content is not that of the tree named in the file.
    name = os.fsencode(tree) + b"\0" + os.fsencode(root)
    return os.path.join(real, f"{_BEGINNING}{version}-{zlib.crc32(name):08x}{zlib.adler32(name):08x}.json")


def read_cache(path: str, tree: str) -> Any:
    """Return the content of a tree's cache file; None if it is missing, corrupt or belongs to another tree.

    `tree` is anything that identifies the tree, as in `write_cache`.
    """
    try:
        data = read_named(path, LARGEST + 1)
        head, _, body = data.partition(b"\n")
        return json.loads(body) if len(data) <= LARGEST and head == _head(body, tree) else None
    except (OSError, ValueError, RecursionError):
        return None


def write_cache(path: str, tree: str, content: object) -> None:
    """Write the cache file of a tree atomically, readable only by the user.

    A failure is ignored, since only time is lost. The oldest files are deleted if there are many.
    """
    body = json.dumps(content, separators=(",", ":")).encode()
    data = b"%b\n%b" % (_head(body, tree), body)
    if len(data) > LARGEST:
        return
    with suppress(OSError):
        folder = os.path.dirname(path)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.path.exists(path):
            create_private(path)
        write_whole(path, data)
        _delete_oldest(folder)


def _head(body: bytes, tree: str) -> bytes:
    """Return the first line of a cache file, which is right only for this body and tree."""
    return b"%08x %b" % (zlib.crc32(body), json.dumps(tree).encode())


def _delete_oldest(folder: str) -> None:
    """Delete the oldest of the cache files in a folder, except for the newest `MAX_FILES`."""
    with os.scandir(folder) as entries:
        found = [one for one in entries if one.name.startswith(_BEGINNING) and one.name.endswith(".json")]
    if len(found) > MAX_FILES:
        found.sort(key=lambda one: one.stat().st_mtime_ns)
        for one in found[:-MAX_FILES]:
            with suppress(OSError):
                os.unlink(one.path)
