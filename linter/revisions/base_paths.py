"""Where a path of the working tree is in the tree of the base: links are followed as the base has them.

A link that the change puts in the place of a folder, or turns elsewhere, would otherwise lead to files that the base
does not have at that path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from flink_flint.linter.text.named_tuple import NamedTuple

_MAX_LINKS = 40
"""How many links are followed for one path; as many as Linux follows."""


class BasePaths(NamedTuple):
    """What the tree of the base has that decides where a path leads; it can be pickled, for other processes."""

    top: str
    """The folder of the working tree, absolute and without links."""
    links: Mapping[str, str]
    """The links of the base, by path from the top, and where they lead."""
    folders: frozenset[str]
    """The folders of the base, from the top."""
    changed: frozenset[str]
    """The files and links that the change adds or modifies."""

    def inside(self, path: str, *, is_folder: bool = False) -> str | None:
        """The path from the top, with slashes; None where it leads out of the repository. The top itself is empty.

        Links above a file are followed, those of a folder too; a file itself may be a link that git keeps as one.
        """
        spelled = spelled_inside(path, self.top)
        if spelled is None:
            spelled = inside_of(path, self.top)
        return None if spelled is None else self.resolved(spelled, follow_last=is_folder)

    def resolved(self, path: str, *, follow_last: bool) -> str | None:
        """A path from the top without the links in it; None where one leads out of the repository, or in circles."""
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
        """Where a link leads that git has neither in the base nor in the change; None where there is no such link."""
        if place in self.folders or place in self.changed:
            return None
        absolute = os.path.join(self.top, *place.split("/"))
        return os.readlink(absolute).replace(os.sep, "/") if os.path.islink(absolute) else None

    def relative(self, path: str, folder: str) -> str | None:
        """The path as a baseline in a folder (absolute, without links) spells it; None for one outside."""
        inside = self.inside(path)
        if inside is None:
            return None
        return os.path.relpath(os.path.join(self.top, *inside.split("/")), folder).replace(os.sep, "/")

    def is_through_change(self, path: str) -> bool:
        """Whether a path goes through a link that the change brings or turns elsewhere."""
        steps = (spelled_inside(path, self.top) or "").split("/")
        return any("/".join(steps[:number]) in self.changed for number in range(1, len(steps)))


def inside_of(path: str, top: str) -> str | None:
    """The path of a file from the top of a repository, with slashes; None for one outside. The top itself is empty."""
    absolute = os.path.abspath(path)
    # The file itself may be a link that git keeps as one; the folders above it are looked through.
    real = os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))
    if os.path.realpath(absolute) == top:
        return ""
    try:
        relative = os.path.relpath(real, top).replace(os.sep, "/")
    except ValueError:  # another drive of Windows
        return None
    return None if relative == ".." or relative.startswith("../") else relative


def spelled_inside(path: str, top: str) -> str | None:
    """The path from the top as it is spelled: only links above the top are looked through."""
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
