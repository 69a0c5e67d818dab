"""Hidden markers by which flint recognizes its comments.

They only count at the very start of a body, where no text from a report ever is.
"""

from __future__ import annotations

import re

from flink_flint.linter.text.named_tuple import NamedTuple

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._]|-(?!-)){0,39}")
_FINDING = re.compile(r"<!-- flint:finding ([0-9a-f]{32})(?: (\S+))? -->(<!-- flint:fixed -->)?\n")

_POSTED = re.compile(r"<!-- flint:inline ([0-9]{1,6}) -->\n")


class Marked(NamedTuple):
    """An inline comment split into the contents of its marker and the remaining text."""

    fingerprint: str
    fixed: bool
    """Whether the comment already states that the finding is gone."""
    text: str
    """The text of the comment without the marker."""


def check_name(name: str) -> str:
    """Return `name` if it is valid for the comments of a run; raise ValueError otherwise."""
    if name and not _NAME.fullmatch(name):
        raise ValueError(
            f"{name[:60]!r} is not a valid name for comments: up to 40 letters, digits, dots, `_` and single `-`"
        )
    return name


def summary_mark(name: str) -> str:
    """Return the marker that is the first line of the summary comment of the runs called `name`."""
    return f"<!-- flint:summary {name} -->\n" if name else "<!-- flint:summary -->\n"


def posted_mark(posted: int) -> str:
    """Return a summary's second line, a marker with the number of inline comments ever created; empty for 0."""
    return f"<!-- flint:inline {posted} -->\n" if posted else ""


def posted_of(body: str, name: str) -> int:
    """Return how many inline comments the runs called `name` have created, according to their summary."""
    found = _POSTED.match(body.replace("\r\n", "\n").removeprefix(summary_mark(name)))
    return int(found[1]) if found else 0


def finding_mark(fingerprint: str, name: str, *, fixed: bool = False) -> str:
    """Return the marker that is the first line of an inline comment on a finding."""
    named = f" {name}" if name else ""
    return f"<!-- flint:finding {fingerprint}{named} -->{'<!-- flint:fixed -->' if fixed else ''}\n"


def marked(body: str, name: str) -> Marked | None:
    """Parse an inline comment by the runs called `name`; return None for any other comment."""
    body = body.replace("\r\n", "\n")
    found = _FINDING.match(body)
    if found is None or (found[2] or "") != name:
        return None
    return Marked(found[1], found[3] is not None, body[found.end() :])
