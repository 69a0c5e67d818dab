"""The interface of a forge (GitHub, GitLab) for commenting on pull requests.

A merge request of GitLab is called a pull request here. Implementations raise only `ForgeError`, whose text contains
neither tokens nor headers, after retrying temporary failures (rate limits, secondary limits, 5xx, broken connections).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from flink_flint.linter.text.named_tuple import NamedTuple


class ForgeError(Exception):
    """Raised if the forge refuses a request or is unreachable; the text names the operation, response and remedy.

    `status` is the HTTP status of the response; 0 without one.
    """

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


class Comment(NamedTuple):
    """A comment by flint on the pull request as a whole, not on a line."""

    id: str
    body: str


class Thread(NamedTuple):
    """An inline comment by flint, with its replies."""

    id: str
    comment: str
    """The ID of the thread's first comment, which flint wrote."""
    body: str
    """The text of the thread's first comment."""
    path: str
    line: int | None
    """The number of the last commented line in the new file; None if a later push made the thread outdated."""
    resolved: bool
    answered: bool
    """Whether anyone other than flint has replied in the thread."""


class NewThread(NamedTuple):
    """An inline comment to create on lines of the new file."""

    path: str
    start_line: int
    """The number of the first commented line in the new file, from 1."""
    line: int
    """The number of the last commented line in the new file; equal to `start_line` for a single line."""
    body: str


class Forge(Protocol):
    """One pull request on a forge, as seen by the owner of the token."""

    name: str
    """The name of the forge as shown in messages: ``GitHub`` or ``GitLab``."""
    longest_body: int
    """The maximum length of a comment's body in characters."""
    suggestion: str
    """The info string of a suggestion's code block; ``{above}`` and ``{below}`` are replaced with line counts."""

    def comments(self) -> Sequence[Comment]:
        """Return all comments by the token's owner that are not on a line, oldest first."""
        ...

    def create_comment(self, body: str) -> None:
        """Create a comment on the pull request as a whole."""
        ...

    def update_comment(self, comment: Comment, body: str) -> None:
        """Replace the body of a comment."""
        ...

    def delete_comment(self, comment: Comment) -> None:
        """Delete a comment."""
        ...

    def threads(self) -> Sequence[Thread]:
        """Return all threads started by the token's owner."""
        ...

    def create_threads(self, threads: Sequence[NewThread]) -> int:
        """Create inline comments, in one review if the forge has reviews; return how many were created."""
        ...

    def update_thread(self, thread: Thread, body: str) -> None:
        """Replace the body of a thread's first comment."""
        ...

    def resolve(self, thread: Thread) -> None:
        """Mark a thread as resolved."""
        ...

    def reopen(self, thread: Thread) -> None:
        """Mark a thread as unresolved."""
        ...

    def delete_thread(self, thread: Thread) -> None:
        """Delete the only comment of a thread without replies."""
        ...

    def changed_lines(self) -> Mapping[str, frozenset[int]]:
        """Return the lines that the pull request adds and that can be commented on, by path of the new file."""
        ...

    def line_url(self, path: str, start_line: int, line: int) -> str:
        """Return the URL of the lines `start_line` to `line` of a file at the head of the pull request."""
        ...
