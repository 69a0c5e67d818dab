"""Where the libraries of a Flink release are: in a folder that the user names, or in the user's cache."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from flink_flint.linter.filesystem import reading
from flink_flint.linter.filesystem.user_cache import cache_folder
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_DIST = regex(r"flink-dist(?:_2\.\d+)?-(\d+\.\d+\.\d+)\.jar")
_TABLES = regex(r"flink-table(?:-planner(?:-loader)?|-blink)?(?:_2\.\d+)?-\d+\.\d+\.\d+\.jar")
FIRST = (1, 13)
"""The first release whose planner is known to answer."""


class Libraries(NamedTuple):
    """The jars of a release: the folder, and the release with its patch version."""

    folder: str
    release: str

    @property
    def minor(self) -> str:
        """The minor release, such as ``1.20``."""
        return ".".join(self.release.split(".")[:2])


def found_libraries(homes: Iterable[str], trees: Sequence[str]) -> list[Libraries]:
    """Return the libraries in the folders that the user names, then those in the cache, the newest patches first.

    A folder is a FLINK_HOME or holds the jars itself. None of them may be inside the `trees` that are checked.
    """
    named = [one for home in homes if (one := _libraries_in(os.path.join(home, "lib")) or _libraries_in(home))]
    cached: list[Libraries] = []
    cache = cache_folder()
    if cache is not None and os.path.isdir(cache):
        with os.scandir(cache) as entries:
            names = [entry.name for entry in entries if entry.name.startswith(("libraries-", "flink-"))]
        for name in names:
            folder = os.path.join(cache, name)
            one = _libraries_in(os.path.join(folder, "lib")) or _libraries_in(folder)
            if one is not None:
                cached.append(one)
    cached.sort(key=lambda one: (parse_release(one.release), one.folder), reverse=True)
    return [one for one in (*named, *cached) if not is_inside(one.folder, trees)]


def is_inside(folder: str, trees: Iterable[str]) -> bool:
    """Return whether a folder is in one of the trees that are checked, also by a link."""
    return any(reading.is_inside(folder, os.path.realpath(tree)) for tree in trees)


def _libraries_in(folder: str) -> Libraries | None:
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    release = next((match[1] for name in names if (match := _DIST.fullmatch(name)) is not None), None)
    if release is None or not any(_TABLES.fullmatch(name) for name in names):
        return None
    if not is_planned(".".join(release.split(".")[:2])):
        return None
    return Libraries(os.path.abspath(folder), release)


def patch_to_install(release: str) -> str:
    """Return the newest patch of a release (``1.20``) that can be installed; raise ValueError if none can."""
    from flink_flint.linter.flink.generate.distributions import PATCHES

    minor = ".".join(release.split(".")[:2])
    known = [one for one in PATCHES if is_planned(one)]
    if minor not in known:
        raise ValueError(f"Flink {release} cannot be installed; flint plans with {known[0]} to {known[-1]}")
    return f"{minor}.{PATCHES[minor][-1]}"


def is_planned(minor: str) -> bool:
    """Return whether flint can plan with a minor release."""
    return tuple(int(part) for part in minor.split(".")) >= FIRST


def install(version: str) -> Libraries:
    """Download the libraries of a release (``1.20.5``) with pip to the user's cache, unless it has them.

    Raises ValueError without a cache folder, and OSError or `subprocess.CalledProcessError` if the download fails.
    """
    from flink_flint.linter.flink.generate import archives

    cache = cache_folder()
    if cache is None:
        raise ValueError("there is no cache folder: set FLINT_CACHE_DIR")
    os.makedirs(cache, mode=0o700, exist_ok=True)
    target = archives.libraries(version, Path(cache))
    libraries = _libraries_in(str(target))
    if libraries is None:
        raise ValueError(f"{target} has no planner")
    return libraries
