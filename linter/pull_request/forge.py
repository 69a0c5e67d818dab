"""What a forge (GitHub, GitLab) offers to whoever comments on its pull requests.

A merge request of GitLab is a pull request here. Implementations raise `ForgeError` alone, whose text names neither
tokens nor headers; what is worth another try (rate limits, secondary limits, 5xx, broken connections) they have tried
again before they raise it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from flink_flint.linter.text.named_tuple import NamedTuple


class ForgeError(Exception):
    """The forge refused or could not be reached; the text says what was tried, the answer, and what to do.

    `status` is that of the answer; None without one.
    """

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


class Comment(NamedTuple):
    """A comment of ours that belongs to no line."""

    id: str
    body: str


class Thread(NamedTuple):
    """An inline comment of ours, with what stands below it."""

    id: str
    comment: str
    """The id of its first comment, which is ours."""
    body: str
    """Of its first comment."""
    path: str
    line: int | None
    """Its last line in the new file, from 1; None where a push has made it outdated."""
    resolved: bool
    answered: bool
    """Whether somebody else has replied."""


class NewThread(NamedTuple):
    """An inline comment to be made, on lines of the new file."""

    path: str
    start_line: int
    """From 1."""
    line: int
    """The last line; equal to `start_line` for one line."""
    body: str


class Forge(Protocol):
    """One pull request of one forge, seen as the owner of the token."""

    name: str
    """``GitHub`` or ``GitLab``, for messages."""
    longest_body: int
    """Characters that the body of a comment may have."""
    suggestion: str
    """What follows the backticks of a suggestion block; ``{above}`` and ``{below}`` are filled with lines besides."""

    def comments(self) -> Sequence[Comment]:
        """All comments of ours (the token's owner) that belong to no line, oldest first."""
        ...

    def create_comment(self, body: str) -> None:
        """Comment on the pull request."""
        ...

    def update_comment(self, comment: Comment, body: str) -> None:
        """Give a comment of ours another body."""
        ...

    def delete_comment(self, comment: Comment) -> None:
        """Remove a comment of ours."""
        ...

    def threads(self) -> Sequence[Thread]:
        """All threads whose first comment is ours."""
        ...

    def create_threads(self, threads: Sequence[NewThread]) -> None:
        """Comment on lines, in one review where the forge has them: all or none."""
        ...

    def update_thread(self, thread: Thread, body: str) -> None:
        """Give the first comment of a thread another body."""
        ...

    def resolve(self, thread: Thread) -> None:
        """Mark a thread as resolved."""
        ...

    def reopen(self, thread: Thread) -> None:
        """Mark a thread as not resolved."""
        ...

    def delete_thread(self, thread: Thread) -> None:
        """Remove the comment of a thread that nobody answered."""
        ...

    def changed_lines(self) -> Mapping[str, frozenset[int]]:
        """The lines that the pull request adds and the forge takes comments on, by path of the new files."""
        ...

    def line_url(self, path: str, start_line: int, line: int) -> str:
        """Where lines of the head of the pull request can be read."""
        ...
