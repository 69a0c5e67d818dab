"""The user's cache directory: plain JSON files that are safe to delete, never in a tree that is checked."""

from __future__ import annotations

import json
import os
import sys
import zlib
from contextlib import suppress
from typing import Any

from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.filesystem.writing import write_whole

LARGEST = 64 * 1024**2
"""The maximum number of bytes of a cache file; a larger one is neither read nor written."""


def cache_folder() -> str | None:
    """Return the folder for flint's caches: `FLINT_CACHE_DIR` or the platform's; None if the user has no home."""
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
    """Return the cache file for a tree and a version of flint; None if it would be in the tree itself.

    A tree may be untrusted, so nothing in it is ever read as a cache.
    """
    folder = cache_folder()
    if folder is None:
        return None
    real, tree = os.path.realpath(folder), os.path.realpath(root)
    if real == tree or real.startswith(os.path.join(tree, "")):
        return None
    # A tree whose path has the same two checksums is harmless: entries count only for files of the same size and time.
    name = os.fsencode(tree)
    return os.path.join(real, f"files-{version}-{zlib.crc32(name):08x}{zlib.adler32(name):08x}.json")


def read_cache(path: str) -> Any:
    """Return the content of a cache file; None if it is missing or not JSON."""
    try:
        data = read_named(path, LARGEST + 1)
        return json.loads(data) if len(data) <= LARGEST else None
    except (OSError, ValueError, RecursionError):
        return None


def write_cache(path: str, content: object) -> None:
    """Write a cache file atomically; a failure is ignored, since only time is lost."""
    data = json.dumps(content, separators=(",", ":")).encode()
    if len(data) > LARGEST:
        return
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_whole(path, data)
