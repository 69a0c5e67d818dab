"""flint's own files in the base revision of a change: configuration, ignore files, baselines.

A change is checked with the rules of its base; otherwise it could disable the rule that finds it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Sequence

from flink_flint.linter.config.flint_config import (
    NAMES,
    FlintConfigError,
    FlintConfigFile,
    parse_flint_config,
    read_flint_config,
)
from flink_flint.linter.engine.comparison_result import FlintConfigChange
from flink_flint.linter.engine.discovery import IGNORES, from_disk
from flink_flint.linter.revisions.changed_lines import LINK, Changes, contents


class BaseConfig:
    """Reads flint's own files as of the base revision, or from the disk if they are outside the repository.

    Only configuration and ignore files are known. Instances can be pickled for other processes.
    """

    def __init__(self, changes: Changes) -> None:
        touched = {*changes.files, *changes.renamed}
        files = [path for path in changes.blobs if path.rpartition("/")[2] in (*NAMES, IGNORES)]
        self._paths = changes.paths
        self._of_submodules = changes.of_submodules
        self._same = {
            path: target for path, target in _targets(changes, files).items() if target not in touched
        }  # fmt: skip
        self._other = bytes_of(changes, (path for path in files if path not in self._same))

    def __call__(self, path: str) -> bytes | None:
        inside = self._paths.inside(path)
        if inside is None:
            # The base has a link here that leads out of the repository; its target is not part of the base.
            return None if self._paths.is_through_change(path) else from_disk(path)
        if inside in self._of_submodules:
            return from_disk(path)
        if (same := self._same.get(inside)) is not None:
            return from_disk(os.path.join(self._paths.top, *same.split("/")))
        return self._other.get(inside)


def bytes_of(changes: Changes, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the contents of files in the base by their paths from the repository root, following links in the base."""
    targets = _targets(changes, paths)
    read = {blob.path: data for blob, data in contents(changes, map(changes.blobs.__getitem__, set(targets.values())))}
    return {path: read[target] for path, target in targets.items() if target in read}


def _targets(changes: Changes, paths: Iterable[str]) -> dict[str, str]:
    """Return the files of the base that paths resolve to; paths that resolve to none are omitted."""
    found = {}
    for path in paths:
        is_ignores = path.rpartition("/")[2] == IGNORES  # git does not follow links to ignore files
        target = changes.paths.resolved(path, follow_last=not is_ignores)
        if target is not None and (blob := changes.blobs.get(target)) is not None and blob.mode != LINK:
            found[path] = target
    return found


def named_flint_config(changes: Changes, named: str) -> FlintConfigFile | None:
    """Return the base revision of the flint configuration file given by `--flint-config`; None if the base has none.

    Raises `FlintConfigError`.
    """
    inside = changes.inside(named)
    if inside is None:
        return read_flint_config(named)
    data = bytes_of(changes, [inside]).get(inside)
    return None if data is None else parse_flint_config(named, data)


def changed_flint_configs(
    changes: Changes, base: BaseConfig, folders: Iterable[str], named: str | None
) -> list[FlintConfigChange]:
    """Return the flint configuration files that differ from the base: the `named` one, or those in or above `folders`.

    Folders are absolute. Untracked files count as well, because flint would read them.
    """
    if named is not None:
        path, inside = os.path.abspath(named), changes.inside(named)
        data = None if inside is None else bytes_of(changes, [inside]).get(inside)
        before, after = _said(path, data), _said(path, from_disk(path))
        return [] if inside is None or before == after else [_change(path, before, after)]
    changed = []
    for path in _beside(changes, folders, NAMES):
        before, after = _said(path, base(path)), _said(path, from_disk(path))
        if before != after:
            changed.append(_change(path, before, after))
    return changed


def changed_ignores(changes: Changes, base: BaseConfig, folders: Iterable[str]) -> list[FlintConfigChange]:
    """Return the ignore files in or above `folders` (absolute paths) that differ from the base."""
    pairs = ((path, base(path), from_disk(path)) for path in _beside(changes, folders, (IGNORES,)))
    return [_change(path, before, after) for path, before, after in pairs if before != after]


def _change(path: str, before: object, after: object) -> FlintConfigChange:
    what = "added" if before is None else "removed" if after is None else "changed"
    return FlintConfigChange(os.path.relpath(path), what)


def _beside(changes: Changes, folders: Iterable[str], names: Sequence[str]) -> list[str]:
    """Return the absolute paths of the given file names in and above folders in the repository, existing or not."""
    above: dict[str, None] = {}
    for folder in folders:
        inside = changes.inside(folder, is_folder=True)
        while inside is not None and inside not in above:
            above[inside] = None
            inside = posixpath.dirname(inside)
    return [os.path.join(changes.top, *one.split("/"), name) if one else os.path.join(changes.top, name)
            for one in sorted(above) for name in names]  # fmt: skip


def _said(path: str, data: bytes | None) -> object:
    """Return the parsed contents of a flint configuration file; None if it has none."""
    if data is None:
        return None
    try:
        found = parse_flint_config(path, data, required=False)
    except FlintConfigError:
        return data
    return None if found is None else found.values
