"""Explains why files of the base are not read in the head."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from flink_flint.linter.engine.comparison_result import DELETED
from flink_flint.linter.engine.discovery import EXCLUDED, IGNORES, Skipped
from flink_flint.linter.filesystem.folders import is_walked
from flink_flint.linter.filesystem.reading import is_inside
from flink_flint.linter.formats import is_candidate
from flink_flint.linter.revisions.changed_lines import Changes

_WORDS = {EXCLUDED: "excluded by the flint configuration or the command line", IGNORES: "ignored by a .gitignore"}


def why_unread(path: str, checked: Sequence[str], skipped: Sequence[Skipped], changes: Changes) -> str:
    """Return why a file is not read in the head; `path` is its path in the head, relative to the repository root.

    `checked` are the paths that were checked, `skipped` what discovery skipped.
    """
    old = change.old if (change := changes.files.get(path)) is not None else None
    moved = "" if old in (None, path) else f"renamed from {old}; "
    return moved + _why(path, checked, skipped, changes)


def _why(path: str, checked: Sequence[str], skipped: Sequence[Skipped], changes: Changes) -> str:
    steps = path.split("/")
    absolute = os.path.join(changes.top, *steps)
    for number in range(1, len(steps)):
        folder = os.path.join(changes.top, *steps[:number])
        name = "/".join(steps[:number])
        if os.path.islink(folder):
            return f"{name} is a link now, to {_where(folder)}"
        if os.path.lexists(folder) and not os.path.isdir(folder):
            return f"{name} is no longer a folder"
    for one in skipped:
        spelled = changes.inside(one.path.rstrip("/" + os.sep))
        if spelled is not None and (path == spelled or path.startswith(f"{spelled}/")):
            return _WORDS.get(one.reason, one.reason)
    try:
        mode = os.lstat(absolute).st_mode
    except OSError:
        return DELETED
    if stat.S_ISLNK(mode):
        return _why_link(absolute)
    if stat.S_ISDIR(mode):
        return "a folder now"
    if not stat.S_ISREG(mode):
        return "no longer a regular file"
    if not any(_is_inside(absolute, one) for one in checked):
        return "not among the files that were checked"
    if not is_candidate(steps[-1]):
        return "flint does not read files with this name"
    for step in steps[:-1]:
        if not is_walked(step):
            return f"in {step}, a folder that flint does not enter"
    return "no longer recognized as a Flink file"


def _why_link(absolute: str) -> str:
    if not os.path.exists(absolute):
        return "now a broken link"
    if os.path.isdir(absolute):
        return f"a link now, to {_where(absolute)}, a folder"
    return f"a link now, to {_where(absolute)}, which is not recognized as a Flink file"


def _where(link: str) -> str:
    """Return a description of a link's target, without revealing paths outside of the repository."""
    if not is_inside(link):
        return "a location outside of the repository"
    return os.readlink(link).replace(os.sep, "/")


def _is_inside(path: str, checked: str) -> bool:
    folder = os.path.realpath(checked)
    return path == folder or path.startswith(os.path.join(folder, ""))
