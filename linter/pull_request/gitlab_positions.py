"""Positions of comments in a GitLab diff: line codes and ranges of lines.

GitLab requires the old and the new number of an unchanged line, only the new number of an added one, and for several
lines the codes of the first and the last
(https://docs.gitlab.com/api/discussions/#create-a-new-thread-in-the-merge-request-diff).
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha1
from typing import Any

from flink_flint.linter.pull_request.hunks import ShownLine
from flink_flint.linter.text.named_tuple import NamedTuple


class DiffRefs(NamedTuple):
    """The three commits that define the diff GitLab shows for a merge request."""

    base: str
    start: str
    head: str


class ShownFile(NamedTuple):
    """A file in the diff that the change does not delete."""

    old_path: str
    new_path: str
    lines: Mapping[int, ShownLine]
    """The lines of the file that the diff shows, by line number in the new file, from 1."""


def position(refs: DiffRefs, file: ShownFile, start_line: int, line: int) -> dict[str, Any]:
    """Return the ``position`` of a comment for GitLab's API; only that of `line` if `start_line` is not in the diff."""
    place: dict[str, Any] = {
        "position_type": "text",
        "base_sha": refs.base,
        "start_sha": refs.start,
        "head_sha": refs.head,
        "old_path": file.old_path,
        "new_path": file.new_path,
        **_numbers(file, line),
    }
    if start_line < line and start_line in file.lines:
        place["line_range"] = {"start": _end_of_range(file, start_line), "end": _end_of_range(file, line)}
    return place


def line_code(path: str, old: int, new: int) -> str:
    """Return GitLab's code for a line in a diff: a hash of the path, and the line's old and new number."""
    return f"{sha1(path.encode(), usedforsecurity=False).hexdigest()}_{old}_{new}"


def _end_of_range(file: ShownFile, line: int) -> dict[str, Any]:
    shown = file.lines[line]
    code = line_code(file.new_path, shown.old, line)
    return {"line_code": code, "type": "new" if shown.added else "old", **_numbers(file, line)}


def _numbers(file: ShownFile, line: int) -> dict[str, int]:
    shown = file.lines[line]
    return {"new_line": line} if shown.added else {"old_line": shown.old, "new_line": line}
