"""The hidden marks by which flint finds its comments again.

They count at the very start of a body alone: nothing that a report brings ever stands there.
"""

from __future__ import annotations

import re

from flink_flint.linter.text.named_tuple import NamedTuple

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._]|-(?!-)){0,39}")
_FINDING = re.compile(r"<!-- flint:finding ([0-9a-f]{32})(?: (\S+))? -->(<!-- flint:fixed -->)?\n")

_POSTED = re.compile(r"<!-- flint:inline ([0-9]{1,6}) -->\n")


class Marked(NamedTuple):
    """What the mark of an inline comment says."""

    fingerprint: str
    fixed: bool
    """Whether flint itself has said there that the finding is gone."""
    text: str
    """The body without the mark."""


def check_name(name: str) -> str:
    """The name that tells the comments of several runs on one pull request apart; ValueError for what cannot be one."""
    if name and not _NAME.fullmatch(name):
        raise ValueError(f"{name[:60]!r} is no name for comments: up to 40 letters, digits, dots, `_` and single `-`")
    return name


def summary_mark(name: str) -> str:
    """The first line of a summary."""
    return f"<!-- flint:summary {name} -->\n" if name else "<!-- flint:summary -->\n"


def posted_mark(posted: int) -> str:
    """The second line of a summary, once there are inline comments: how many were ever made."""
    return f"<!-- flint:inline {posted} -->\n" if posted else ""


def posted_of(body: str, name: str) -> int:
    """How many inline comments were made by the runs of that name, as their summary has it."""
    found = _POSTED.match(body.replace("\r\n", "\n").removeprefix(summary_mark(name)))
    return int(found[1]) if found else 0


def finding_mark(fingerprint: str, name: str, *, fixed: bool = False) -> str:
    """The first line of an inline comment."""
    named = f" {name}" if name else ""
    return f"<!-- flint:finding {fingerprint}{named} -->{'<!-- flint:fixed -->' if fixed else ''}\n"


def marked(body: str, name: str) -> Marked | None:
    """What an inline comment of the runs of that name is about; None for any other comment."""
    body = body.replace("\r\n", "\n")
    found = _FINDING.match(body)
    if found is None or (found[2] or "") != name:
        return None
    return Marked(found[1], found[3] is not None, body[found.end() :])
