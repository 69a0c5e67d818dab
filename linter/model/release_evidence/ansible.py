"""Determines the Flink release that Ansible installs, from the variables of a role or of the groups of hosts.

The variable `flink_version`, or the archive of a release in another variable (`flink_url`), names it. The variables of
groups take precedence over the defaults of a role, and its `vars` over both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.text.lazy_regex import regex

_IN_ROLES = ("templates", "files", "defaults", "vars")
"""The folders of a role that may have Flink's settings."""
_GROUPS = "group_vars"
_MAINS = ("main.yml", "main.yaml")
_MAX_FILES = 100
_VERSION = regex(r"(?m)^flink_version[ \t]*+:[ \t]*+[\"']?(\d+\.\d+(?:\.\d+)?)[\"']?[ \t]*+(?:#.*)?$")
_ARCHIVE = regex(r"(?m)^flink_\w*+[ \t]*+:.*?/flink-(\d+\.\d+(?:\.\d+)?)-bin[-_]")


@remembered
def release_of_ansible(directory: str) -> tuple[str, str] | None:
    """Return the release that the role or the inventory of a folder installs, with the evidence; None if unknown.

    Files of equal precedence that name different releases prove nothing.
    """
    folder = os.path.abspath(directory)
    above = list(folders_up(folder))
    role = next((one for one in above[:4] if os.path.basename(one) in _IN_ROLES), None)
    root = os.path.dirname(role) if role in above[:-1] else None
    if root is not None and "tasks" not in names_in(root):
        root = None
    if root is None and not any(os.path.basename(one) == _GROUPS for one in above[:3]):
        return None
    in_groups = (path for one in above if _GROUPS in names_in(one) for path in _files_of_groups(one))
    steps = [in_groups] if root is None else [_mains(root, "vars"), in_groups, _mains(root, "defaults")]
    return next((found[0] if len(found) == 1 else None for one in steps if (found := _named_in(one))), None)


def _mains(role: str, folder: str) -> Iterator[str]:
    """Yield the paths of the main files in one of a role's folders of variables."""
    if folder in names_in(role):
        inside = os.path.join(role, folder)
        yield from (os.path.join(inside, name) for name in _MAINS if name in names_in(inside))


def _files_of_groups(folder: str) -> Iterator[str]:
    """Yield the paths of the files with variables of groups: `group_vars/flink` and `group_vars/all/flink.yml`."""
    groups = os.path.join(folder, _GROUPS)
    for name in sorted(names_in(groups))[:_MAX_FILES]:
        path = os.path.join(groups, name)
        inside = sorted(names_in(path))[:_MAX_FILES] if os.path.isdir(path) else []
        yield from (os.path.join(path, one) for one in inside)
        if not inside:
            yield path


def _named_in(paths: Iterable[str]) -> list[tuple[str, str]]:
    """Return the releases that files name, each once, with the file that names it first."""
    found: dict[str, tuple[str, str]] = {}
    for path in paths:
        text = found_text(path) or ""
        for version in _VERSION.findall(text) or _ARCHIVE.findall(text):
            found.setdefault(version, (version, _evidence(path)))
    return list(found.values())


def _evidence(path: str) -> str:
    steps = path.split(os.sep)[-3:]
    return f"Ansible's {'/'.join(steps if steps[0] == _GROUPS else steps[1:])}"
