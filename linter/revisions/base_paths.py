"""Maps paths of the working tree to paths in the base revision, following links as they are in the base.

A link that the change puts in place of a folder, or redirects, would otherwise lead to files that the base does not
have at that path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from flink_flint.linter.text.named_tuple import NamedTuple

_MAX_LINKS = 40
"""The number of links followed for one path, the same as on Linux."""


class BasePaths(NamedTuple):
    """The links and folders of the base revision, for resolving paths; it can be pickled for other processes."""

    top: str
    """The root of the working tree as an absolute path with symbolic links resolved."""
    links: Mapping[str, str]
    """The targets of the symbolic links in the base revision, by the link's path relative to the root."""
    folders: frozenset[str]
    """The folders of the base revision, as paths relative to the root."""
    changed: frozenset[str]
    """The files and links that the change adds or modifies, as paths relative to the root."""

    def inside(self, path: str, *, is_folder: bool = False) -> str | None:
        """Return `path` relative to the repository root, with links resolved as in the base; None if it is outside.

        Links above a file are followed, and a folder that is a link; a file that is a link is kept, as git tracks the
        link itself. The path has forward slashes and is empty for the root itself.
        """
        spelled = spelled_inside(path, self.top)
        if spelled is None:
            spelled = inside_of(path, self.top)
        return None if spelled is None else self.resolved(spelled, follow_last=is_folder)

    def resolved(self, path: str, *, follow_last: bool) -> str | None:
        """Return a path relative to the root with its links resolved; None if a link leads outside or into a loop."""
        left = path.split("/")[::-1]
        found: list[str] = []
        followed = 0
        while left:
            step = left.pop()
            if step in ("", "."):
                continue
            if step == "..":
                if not found:
                    return None
                del found[-1]
                continue
            found.append(step)
            if not left and not follow_last:
                break
            place = "/".join(found)
            target = self.links.get(place)
            if target is None:
                target = self._untracked(place)
            if target is not None:
                followed += 1
                if followed > _MAX_LINKS or os.path.isabs(target):
                    return None
                del found[-1]
                left += target.split("/")[::-1]
        return "/".join(found)

    def _untracked(self, place: str) -> str | None:
        """Return the target of a link that git has neither in the base nor in the change; None if there is none."""
        if place in self.folders or place in self.changed:
            return None
        absolute = os.path.join(self.top, *place.split("/"))
        return os.readlink(absolute).replace(os.sep, "/") if os.path.islink(absolute) else None

    def relative(self, path: str, folder: str) -> str | None:
        """Return a path relative to `folder` (absolute), as in a baseline there; None if outside the repository."""
        inside = self.inside(path)
        if inside is None:
            return None
        return os.path.relpath(os.path.join(self.top, *inside.split("/")), folder).replace(os.sep, "/")

    def is_through_change(self, path: str) -> bool:
        """Return whether a path goes through a link that the change adds or redirects."""
        steps = (spelled_inside(path, self.top) or "").split("/")
        return any("/".join(steps[:number]) in self.changed for number in range(1, len(steps)))


def inside_of(path: str, top: str) -> str | None:
    """Return `path` relative to the root `top`, with links in its parents resolved on disk; None if it is outside.

    The path has forward slashes and is empty for the root itself.
    """
    absolute = os.path.abspath(path)
    # Links above the file are resolved; the file itself may be a link that git tracks.
    real = os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))
    if os.path.realpath(absolute) == top:
        return ""
    try:
        relative = os.path.relpath(real, top).replace(os.sep, "/")
    except ValueError:  # another drive on Windows
        return None
    return None if relative == ".." or relative.startswith("../") else relative


def spelled_inside(path: str, top: str) -> str | None:
    """Return `path` relative to the root `top` as written, resolving only links above the root; None if outside."""
    absolute = os.path.abspath(path)
    below: list[str] = []
    found = None
    while True:
        if os.path.realpath(absolute) == top:
            found = "/".join(reversed(below))
        parent, name = os.path.split(absolute)
        if parent == absolute:
            return found
        below.append(name)
        absolute = parent
