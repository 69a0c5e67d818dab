"""Comments on GitHub pull requests (github.com and Enterprise Server)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from flink_flint.linter.filesystem.http_client import RetryPolicy
from flink_flint.linter.pull_request.forge import Comment, ForgeError, NewThread, Thread
from flink_flint.linter.pull_request.github_requests import FORBIDDEN, UNPROCESSABLE, GitHubRequests
from flink_flint.linter.pull_request.github_run import run_of, token_of
from flink_flint.linter.pull_request.hunks import added_lines, shown_lines
from flink_flint.linter.text.named_tuple import NamedTuple

T = TypeVar("T")

_VIEWER = "query Viewer { viewer { login } }"

_COMMENTS = """
  pageInfo { hasNextPage endCursor }
  nodes { id fullDatabaseId body isMinimized author { __typename login } }
"""
_THREADS = f"""
query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      reviewThreads(first: 50, after: $after) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{ id isResolved isOutdated path line comments(first: 50) {{ {_COMMENTS} }} }}
      }}
    }}
  }}
}}
"""
_REPLIES = f"""
query Replies($thread: ID!, $after: String) {{
  node(id: $thread) {{ ... on PullRequestReviewThread {{ comments(first: 100, after: $after) {{ {_COMMENTS} }} }} }}
}}
"""
_STATE = """
query State($thread: ID!) {
  node(id: $thread) {
    ... on PullRequestReviewThread { isResolved comments(first: 1) { nodes { id isMinimized } } }
  }
}
"""
_RESOLVE = """
mutation Resolve($thread: ID!) { resolveReviewThread(input: {threadId: $thread}) { thread { isResolved } } }
"""
_REOPEN = """
mutation Reopen($thread: ID!) { unresolveReviewThread(input: {threadId: $thread}) { thread { isResolved } } }
"""
_HIDE = """
mutation Hide($comment: ID!) {
  minimizeComment(input: {subjectId: $comment, classifier: RESOLVED}) { minimizedComment { isMinimized } }
}
"""
_SHOW = """
mutation Show($comment: ID!) {
  unminimizeComment(input: {subjectId: $comment}) { unminimizedComment { isMinimized } }
}
"""


class _Pull(NamedTuple):
    repository: str
    """The current name of the repository: GitHub redirects reading requests from a former name, but not all writing
    ones."""
    head: str


class _Account(NamedTuple):
    """The author of a comment. A bot's login has the suffix ``[bot]`` in REST and for the viewer, not for GraphQL
    authors."""

    login: str
    bot: bool


class _State(NamedTuple):
    """The state of a thread."""

    resolved: bool
    comment: str
    """GraphQL's id of its first comment, which REST does not have."""
    hidden: bool
    """Whether that comment is hidden."""


class GitHub:
    """A pull request on GitHub, as seen by the owner of the token.

    A thread is a review thread: its comments are written through REST, its state is only available through GraphQL.
    """

    name = "GitHub"
    longest_body = 65_536
    suggestion = "suggestion"

    def __init__(
        self, requests: GitHubRequests, repository: str, number: int, server_url: str = "https://github.com"
    ) -> None:
        self._requests = requests
        self._repository = repository
        self._number = number
        self._server_url = server_url.rstrip("/")
        self._seen_pull: _Pull | None = None
        self._seen_viewer: _Account | None = None
        self._known_comments: frozenset[str] | None = None
        self._known_threads: frozenset[str] | None = None

    def __repr__(self) -> str:
        return f"GitHub({self})"

    def __str__(self) -> str:
        return f"{self._repository}#{self._number}"

    @classmethod
    def from_environment(
        cls,
        environ: Mapping[str, str],
        repository: str | None = None,
        number: int | None = None,
        retry: RetryPolicy | None = None,
    ) -> GitHub:
        """Return the pull request that a GitHub Actions run belongs to, or the one given by `repository` and `number`.

        If the event says which commit was checked, it must still be the head of the pull request. This keeps comments
        off lines that have moved since, and, if an untrusted run provided the number, off somebody else's pull request.
        Raises ValueError naming a missing or invalid variable, and ForgeError.
        """
        run = run_of(environ, repository, number)
        api_url = environ.get("GITHUB_API_URL") or "https://api.github.com"
        requests = GitHubRequests(api_url, token_of(environ), retry or RetryPolicy())
        found = run.number
        if found is None:
            found = _coming_from(requests, run.repository, run.branch or "", run.head or "")
        forge = cls(requests, run.repository, found, environ.get("GITHUB_SERVER_URL") or "https://github.com")
        if run.head is not None:
            forge._require_head(run.head)
        return forge

    def comments(self) -> Sequence[Comment]:
        """Return all comments by the token's owner that are not on a line, oldest first."""
        what = f"reading the comments of {self}"
        viewer, path = self._viewer(), self._path(f"issues/{self._number}/comments")
        found = _understood(
            what,
            lambda: [
                Comment(str(comment["id"]), comment.get("body") or "")
                for comment in self._requests.pages(what, path)
                if _account(comment["user"], "type") == viewer
            ],
        )
        self._known_comments = frozenset(comment.id for comment in found)
        return found

    def create_comment(self, body: str) -> None:
        """Create a comment on the pull request as a whole."""
        if self._known_comments is None:
            self.comments()
        known = self._known_comments or frozenset()

        def find_comment() -> bool:
            return any(_same(one.body, body) for one in self.comments() if one.id not in known)

        path = self._path(f"issues/{self._number}/comments")
        self._requests.create(f"commenting on {self}", path, {"body": body}, find_comment)
        self._known_comments = None

    def update_comment(self, comment: Comment, body: str) -> None:
        """Replace the body of a comment."""
        path = self._path(f"issues/comments/{comment.id}")
        self._requests.change(f"changing a comment on {self}", "PATCH", path, {"body": body})

    def delete_comment(self, comment: Comment) -> None:
        """Delete a comment."""
        self._requests.delete(f"removing a comment on {self}", self._path(f"issues/comments/{comment.id}"))

    def threads(self) -> Sequence[Thread]:
        """Return all threads started by the token's owner; one whose first comment is hidden counts as resolved."""
        what = f"reading the review threads of {self}"
        viewer = self._viewer()
        found: list[Thread] = []
        owner, name = self._pull().repository.split("/")
        variables: dict[str, Any] = {"owner": owner, "name": name, "number": self._number, "after": None}

        def read_page() -> bool:
            data = self._requests.graphql(what, _THREADS, variables)
            page = data["repository"]["pullRequest"]["reviewThreads"]
            for node in page["nodes"]:
                comments = node["comments"]["nodes"]
                if comments and _account(comments[0]["author"], "__typename") == viewer:
                    found.append(self._thread(what, node, viewer))
            variables["after"] = page["pageInfo"]["endCursor"]
            return bool(page["pageInfo"]["hasNextPage"])

        while _understood(what, read_page):
            pass
        self._known_threads = frozenset(thread.id for thread in found)
        return found

    def create_threads(self, threads: Sequence[NewThread]) -> int:
        """Create inline comments in one review, except on lines that the diff no longer shows; return their number.

        GitHub rejects a whole review if one line is not in the diff, and does not say which. In that case the lines
        that the current diff does not show are dropped, and the rest is retried once.
        """
        if not threads:
            return 0
        try:
            self._review(threads)
            return len(threads)
        except ForgeError as error:
            if error.status != UNPROCESSABLE:
                raise
            refused = error
        self._require_head(self._pull().head)
        lines = self.changed_lines()
        shown = [
            thread
            for thread in threads
            if lines.get(thread.path, frozenset()).issuperset(range(thread.start_line, thread.line + 1))
        ]
        if len(shown) == len(threads):
            raise refused
        if shown:
            self._review(shown)
        return len(shown)

    def update_thread(self, thread: Thread, body: str) -> None:
        """Replace the body of a thread's first comment."""
        path = self._path(f"pulls/comments/{thread.comment}")
        self._requests.change(f"changing a review comment on {self}", "PATCH", path, {"body": body})

    def resolve(self, thread: Thread) -> None:
        """Mark a thread as resolved, or hide its comment as resolved if the token may not resolve threads.

        GitHub requires `contents: write` of a job's token for this, which a job that comments should not have. Without
        it the comment is hidden as resolved, for which `pull-requests: write` is sufficient.
        """
        what = f"resolving a review thread of {self}"
        if not self._allowed(what, _RESOLVE, {"thread": thread.id}):
            self._requests.graphql(what, _HIDE, {"comment": self._state(what, thread).comment}, writes=True)

    def reopen(self, thread: Thread) -> None:
        """Mark a thread as unresolved and unhide its comment; without permission, a resolved thread stays resolved."""
        what = f"opening a review thread of {self} again"
        state = self._state(what, thread)
        if state.hidden:
            self._requests.graphql(what, _SHOW, {"comment": state.comment}, writes=True)
        if state.resolved:
            self._allowed(what, _REOPEN, {"thread": thread.id})

    def delete_thread(self, thread: Thread) -> None:
        """Delete the only comment of a thread without replies."""
        self._requests.delete(f"removing a comment on {self}", self._path(f"pulls/comments/{thread.comment}"))

    def changed_lines(self) -> Mapping[str, frozenset[int]]:
        """Return the lines that the pull request adds, by path; a file whose patch is too large has none.

        GitHub lists at most 3,000 files; further files have no lines either.
        """
        what = f"reading the changed files of {self}"
        path = self._path(f"pulls/{self._number}/files")
        shown = _understood(
            what,
            lambda: {
                file["filename"]: added_lines(shown_lines(file["patch"]))
                for file in self._requests.pages(what, path)
                if isinstance(file.get("patch"), str)
            },
        )
        return {path: lines for path, lines in shown.items() if lines}

    def line_url(self, path: str, start_line: int, line: int) -> str:
        """Return the URL of the lines `start_line` to `line` of a file at the head of the pull request."""
        pull = self._pull()
        lines = f"L{start_line}" if start_line == line else f"L{start_line}-L{line}"
        return f"{self._server_url}/{pull.repository}/blob/{pull.head}/{quote(path, safe='/')}#{lines}"

    def _path(self, rest: str) -> str:
        return f"/repos/{self._pull().repository}/{rest}"

    def _pull(self) -> _Pull:
        if self._seen_pull is None:
            what = f"reading pull request {self}"

            def read() -> _Pull:
                pull = self._requests.get(what, f"/repos/{self._repository}/pulls/{self._number}")
                return _Pull(pull["base"]["repo"]["full_name"], pull["head"]["sha"])

            self._seen_pull = _understood(what, read)
        return self._seen_pull

    def _require_head(self, head: str) -> None:
        """Raise ForgeError if the commit is not the current head of the pull request."""
        self._seen_pull = None
        now = self._pull().head
        if now != head:
            raise ForgeError(
                f"the head of {self} is commit {now[:12]}, but {head[:12]} was checked: nothing is posted. "
                "If there was a push since, its run comments; if not, the number is not that of the pull request that "
                "was checked"
            )

    def _viewer(self) -> _Account:
        """Return the owner of the token. REST does not reveal it to the token of a job, GraphQL does."""
        if self._seen_viewer is None:
            what = "reading the owner of the token from GitHub"

            def read() -> _Account:
                login = self._requests.graphql(what, _VIEWER, {})["viewer"]["login"]
                return _Account(login.removesuffix("[bot]"), login.endswith("[bot]"))

            self._seen_viewer = _understood(what, read)
        return self._seen_viewer

    def _thread(self, what: str, node: Mapping[str, Any], viewer: _Account) -> Thread:
        first, *replies = node["comments"]["nodes"]
        page = node["comments"]["pageInfo"]
        answered = _others(replies, viewer)
        while page["hasNextPage"] and not answered:
            data = self._requests.graphql(what, _REPLIES, {"thread": node["id"], "after": page["endCursor"]})
            page = data["node"]["comments"]["pageInfo"]
            answered = _others(data["node"]["comments"]["nodes"], viewer)
        return Thread(
            id=node["id"],
            comment=str(int(first["fullDatabaseId"])),
            body=first["body"],
            path=node["path"],
            line=None if node["isOutdated"] else node["line"],
            resolved=node["isResolved"] or first["isMinimized"],
            answered=answered,
        )

    def _state(self, what: str, thread: Thread) -> _State:
        def read() -> _State:
            node = self._requests.graphql(what, _STATE, {"thread": thread.id})["node"]
            comment = node["comments"]["nodes"][0]
            return _State(node["isResolved"], comment["id"], comment["isMinimized"])

        return _understood(what, read)

    def _allowed(self, what: str, mutation: str, variables: Mapping[str, Any]) -> bool:
        """Return whether GitHub permitted the mutation."""
        try:
            self._requests.graphql(what, mutation, variables, writes=True)
        except ForgeError as error:
            if error.status != FORBIDDEN:
                raise
            return False
        return True

    def _review(self, threads: Sequence[NewThread]) -> None:
        if self._known_threads is None:
            self.threads()
        known = self._known_threads or frozenset()

        def find_review() -> bool:
            made = [one for one in self.threads() if one.id not in known]
            return any(_same(one.body, thread.body) for one in made for thread in threads)

        pull = self._pull()
        review = {
            "commit_id": pull.head,
            "event": "COMMENT",
            "comments": [_review_comment(thread) for thread in threads],
        }
        path = self._path(f"pulls/{self._number}/reviews")
        self._requests.create(f"reviewing {self}", path, review, find_review)
        self._known_threads = None


def _coming_from(requests: GitHubRequests, repository: str, branch: str, head: str) -> int:
    """Return the number of the open pull request from `branch` (owner:name) whose head is the commit `head`."""
    what = f"looking for the pull request of {repository} from {branch}"
    parameters = {"state": "open", "head": branch}
    numbers = _understood(
        what,
        lambda: [
            int(pull["number"])
            for pull in requests.pages(what, f"/repos/{repository}/pulls", parameters)
            if pull["head"]["sha"] == head
        ],
    )
    if len(numbers) != 1:
        found = "there is no open one" if not numbers else f"{len(numbers)} are open"
        raise ForgeError(
            f"{what}: {found} that ends in the commit that was checked, {head[:12]}. "
            + ("If there was a push since, the run for it comments" if not numbers else "Give its number")
        )
    return numbers[0]


def _review_comment(thread: NewThread) -> dict[str, Any]:
    comment = {"path": thread.path, "line": thread.line, "side": "RIGHT", "body": thread.body}
    if thread.start_line != thread.line:  # GitHub rejects a range of one line
        comment |= {"start_line": thread.start_line, "start_side": "RIGHT"}
    return comment


def _account(author: Mapping[str, Any] | None, kind: str) -> _Account | None:
    """Return the account of an author in REST (`kind` is ``type``) or GraphQL (``__typename``); None for a deleted
    one."""
    if author is None:
        return None
    login: str = author["login"]
    return _Account(login.removesuffix("[bot]"), author.get(kind) == "Bot" or login.endswith("[bot]"))


def _others(comments: Sequence[Mapping[str, Any]], viewer: _Account) -> bool:
    return any(_account(comment["author"], "__typename") != viewer for comment in comments)


def _same(there: str, sent: str) -> bool:
    """Return whether a comment is the one that was sent: by the marker in its first line, or by the whole body."""
    there, sent = there.replace("\r\n", "\n").strip(), sent.strip()
    mark = sent.partition("\n")[0]
    return there == sent or (mark.startswith("<!-- flint:") and there.partition("\n")[0] == mark)


def _understood(what: str, read: Callable[[], T]) -> T:
    """Return what `read` extracts from a response; raise ForgeError if the response has an undocumented shape."""
    try:
        return read()
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        missing = type(error).__name__
    raise ForgeError(f"{what}: the response is not what GitHub's API documents ({missing})")
