"""Determines the release of the Apache operator that the files of a repository install, wherever they are in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from flink_flint.linter import __version__
from flink_flint.linter.filesystem.file_marks import Mark, is_settled, mark_of
from flink_flint.linter.filesystem.folders import folders_below, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.filesystem.user_cache import cache_file, read_cache, write_cache
from flink_flint.linter.model.release_evidence.operator_evidence import (
    operators_installed_in,
    operators_named_in,
    operators_of_definition,
)
from flink_flint.linter.text.named_tuple import NamedTuple

_MAX_FOLDERS = 2_000
_MAX_FILES = 2_000
_MAX_PAGES = 200
_ENDINGS = (".yaml", ".yml", ".tf", ".sh", ".gotmpl", ".json")
_NAMES = ("Makefile", "justfile", "Taskfile")


def only_operator_of(directory: str) -> tuple[int, int] | None:
    """Return the minor release of the operator that all files of a folder's repository name; None if they differ.

    The commands in Markdown count where no other file names a release.
    """
    top = repository_of(os.path.abspath(directory))
    return None if top is None else _only_below(top)


def operators_by_definition(directory: str) -> frozenset[tuple[int, int]]:
    """Return the releases of the operator that the custom resource definitions of a folder's repository are from.

    The values that they list for `flinkVersion` differ between some releases. None where there are no definitions, or
    those of several releases.
    """
    top = repository_of(os.path.abspath(directory))
    return frozenset() if top is None else _defined_below(top)


def operator_of(directory: str) -> tuple[int, int] | None:
    """Return the minor release of the operator that the files of a folder's repository show; None if none do.

    Of the releases that a custom resource definition may be from it is the newest.
    """
    return only_operator_of(directory) or max(operators_by_definition(directory), default=None)


@remembered
def _defined_below(top: str) -> frozenset[tuple[int, int]]:
    found = {frozenset((major, minor) for major, minor in one.defined) for one in _evidence_below(top) if one.defined}
    return found.pop() if len(found) == 1 else frozenset()


@remembered
def _only_below(top: str) -> tuple[int, int] | None:
    found = {name for one in _evidence_below(top) for name in one.named}
    found = found or {name for path in _markdown_below(top) for name in operators_installed_in(found_text(path) or "")}
    if len(found) != 1:
        return None
    major, _, minor = found.pop().partition(".")
    return int(major), int(minor)


class _Evidence(NamedTuple):
    """What a file shows of the operator, as it is kept in the cache."""

    mark: Mark | None
    named: Sequence[str]
    defined: Sequence[Sequence[int]]


@remembered
def _evidence_below(top: str) -> Sequence[_Evidence]:
    """Return what the files of a repository show of the operator, if anything; unchanged ones are not read again."""
    kept = cache_file(top, f"{__version__}-operators")
    known: dict[str, list[Any]] = (read_cache(kept, top) if kept is not None else None) or {}
    found: dict[str, list[Any]] = {}
    read = 0
    for path in _files_below(top):
        mark, one = mark_of(path), known.get(path)
        if one is None or one[0] != mark:
            text = found_text(path) or ""
            one = [mark, sorted(operators_named_in(text)), sorted(operators_of_definition(text))]
            read += 1
        found[path] = one
    if kept is not None and (read or len(found) != len(known)):
        settled = {path: one for path, one in found.items() if one[0] is not None and is_settled(one[0][1])}
        if settled != known:
            write_cache(kept, top, settled)
    return [_Evidence(*one) for one in found.values() if one[1] or one[2]]


def _files_below(top: str) -> Iterator[str]:
    files = (
        os.path.join(folder, name)
        for folder, names in folders_below(top, _MAX_FOLDERS)
        for name in names
        if name.endswith(_ENDINGS) or name in _NAMES
    )
    return islice(files, _MAX_FILES)


def _markdown_below(top: str) -> Iterator[str]:
    pages = (
        os.path.join(folder, name)
        for folder, names in folders_below(top, _MAX_FOLDERS)
        for name in names
        if name.lower().endswith(".md")
    )
    return islice(pages, _MAX_PAGES)
