"""Locations as other programs expect them: paths from the repository root, columns in each program's units."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Lines, Position

if TYPE_CHECKING:
    from flink_flint.linter.engine.check_run import Report
    from flink_flint.linter.model.document import Document

BYTE_ORDER_MARK = "\ufeff"


def documents_of(report: Report) -> dict[str, list[Document]]:
    """Return the documents of a report by file path, in order."""
    files: dict[str, list[Document]] = {}
    for one in report.all_documents:
        files.setdefault(one.document.path, []).append(one.document)
    return files


def documents_to_fix(report: Report) -> dict[str, Sequence[Document]]:
    """Return the documents to which fixes apply, by path: those read from the files, not those rendered from them."""
    return {**documents_of(report), **report.originals}


class Paths:
    """Converts paths to the form that forges use: from the repository root, with forward slashes and links resolved.

    flint shows paths as given, relative to the current folder; a forge resolves paths from the root. A file outside of
    the repository keeps its path.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self.root = _root(environment)
        self._known: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._from_root(path)
        return known

    def _from_root(self, path: str) -> str:
        if self.root is not None:
            # A diff shows a file under its own name, not under that of a link to it.
            real = os.path.realpath(path)
            if real.startswith(os.path.join(self.root, "")):
                return slashes(os.path.relpath(real, self.root))
        return slashes(os.path.normpath(path))


def _root(environment: Mapping[str, str]) -> str | None:
    """Return the root of the repository, or None if there is none.

    It is the nearest folder with `.git` at or above the current one. Only if there is none (a job that got the sources
    without git), the environment decides: a repository may be checked out below the workspace of a job.
    """
    if (root := repository_of(os.path.realpath(os.curdir))) is not None:
        return root
    folder = environment.get("GITHUB_WORKSPACE") or environment.get("CI_PROJECT_DIR")
    return os.path.realpath(folder) if folder else None


def slashes(path: str) -> str:
    """Return a path with forward slashes."""
    return path.replace(os.sep, "/")


def uri(path: str) -> str:
    """Return a path as a percent-encoded URI reference; an absolute path becomes a `file` URI."""
    from urllib.parse import quote

    quoted = quote(slashes(path), errors="surrogateescape")
    if os.path.isabs(path):
        return "file://" + ("" if quoted.startswith("/") else "/") + quoted
    return quoted


class Range(NamedTuple):
    """A range with an exclusive end, in the units of one output format."""

    start: Position
    end: Position


def in_bytes(lines: Lines, start: Position, end: Position) -> Range:
    """Return a range with columns in bytes of UTF-8; each malformed byte of the file counts as one byte."""
    return Range(_in_bytes(lines, start), _in_bytes(lines, end))


def _in_bytes(lines: Lines, position: Position) -> Position:
    first = lines.starts[position.line - 1]
    before = lines.text[first : first + position.column - 1]
    return Position(position.line, len(before.encode("utf-8", "surrogateescape")) + 1)


def without_mark(lines: Lines, start: Position, end: Position) -> Range:
    """Return a range whose columns do not count a leading byte order mark, which viewers do not show."""
    if not lines.text.startswith(BYTE_ORDER_MARK):
        return Range(start, end)
    return Range(_without_mark(start), _without_mark(end))


def _without_mark(position: Position) -> Position:
    return Position(1, max(1, position.column - 1)) if position.line == 1 else position


def last_line(start: Position, end: Position) -> int:
    """Return the last line that a range touches; a range that ends at the start of a line does not touch that line."""
    return end.line - 1 if end.column == 1 and end.line > start.line else end.line
