"""Determines the one Flink release that the builds and images of a repository name, wherever they are in it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from flink_flint.linter.filesystem.folders import folders_below, remembered
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.release_evidence.build_files import BUILD_FILES, release_named_in
from flink_flint.linter.model.release_evidence.image_evidence import names_image, release_of_compose, release_of_folder

_MAX_FOLDERS = 2_000


def only_release_of(directory: str) -> tuple[str, str] | None:
    """Return the release that all builds and images of a folder's repository name, with the evidence; else None."""
    top = repository_of(os.path.abspath(directory))
    return None if top is None else _only_below(top)


@remembered
def _only_below(top: str) -> tuple[str, str] | None:
    found: tuple[str, str] | None = None
    for folder, release, evidence in _named_below(top):
        if ">" in release:
            return None
        if found is None:
            found = release, f"{evidence} in {os.path.relpath(folder, top)}"
        elif parse_release(found[0]).name != parse_release(release).name:
            return None
        elif found[0] != release:
            found = parse_release(release).name, found[1]
    return found


def _named_below(top: str) -> Iterator[tuple[str, str, str]]:
    """Yield the releases that files of a repository name, with their folders and the evidence."""
    for folder, names in folders_below(top, _MAX_FOLDERS):
        if BUILD_FILES.isdisjoint(names) and not names_image(names):
            continue
        for read in (release_named_in, release_of_folder, release_of_compose):
            if (found := read(folder)) is not None:
                yield folder, *found
