"""A GitHub server with one pull request: it keeps comments, reviews and threads, and enforces GitHub's limits.

GraphQL is executed on the given schema; `SCHEMA` contains the needed part of GitHub's.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

from graphql import GraphQLError, GraphQLSchema, build_schema, graphql_sync

from tests.pull_request import github_shapes as shapes

LONGEST_BODY = 65_536
TOKEN = "ghs_16C7e42F292c6912E7710c838347Ae178B4a"
BOT = "github-actions[bot]"

SCHEMA = build_schema("""
scalar BigInt
type Query { viewer: User! repository(owner: String!, name: String!): Repository node(id: ID!): Node }
interface Node { id: ID! }
interface Actor { login: String! }
type User implements Actor { login: String! }
type Bot implements Actor { login: String! }
type Repository { pullRequest(number: Int!): PullRequest }
type PullRequest { reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type PullRequestReviewThreadConnection { pageInfo: PageInfo! nodes: [PullRequestReviewThread] }
type PullRequestReviewThread implements Node {
  id: ID! isResolved: Boolean! isOutdated: Boolean! path: String! line: Int
  comments(first: Int, after: String): PullRequestReviewCommentConnection!
}
type PullRequestReviewCommentConnection { pageInfo: PageInfo! nodes: [PullRequestReviewComment] }
type PullRequestReviewComment implements Node {
  id: ID! fullDatabaseId: BigInt body: String! isMinimized: Boolean! author: Actor
}
enum ReportedContentClassifiers { RESOLVED OUTDATED }
input ResolveReviewThreadInput { threadId: ID! }
input MinimizeCommentInput { subjectId: ID! classifier: ReportedContentClassifiers! }
input UnminimizeCommentInput { subjectId: ID! }
type ThreadPayload { thread: PullRequestReviewThread }
type MinimizePayload { minimizedComment: PullRequestReviewComment }
type UnminimizePayload { unminimizedComment: PullRequestReviewComment }
type Mutation {
  resolveReviewThread(input: ResolveReviewThreadInput!): ThreadPayload
  unresolveReviewThread(input: ResolveReviewThreadInput!): ThreadPayload
  minimizeComment(input: MinimizeCommentInput!): MinimizePayload
  unminimizeComment(input: UnminimizeCommentInput!): UnminimizePayload
}
""")


class Asked(NamedTuple):
    """A received request."""

    method: str
    path: str
    body: Any
    headers: dict[str, str]

    @property
    def writes(self) -> bool:
        mutates = self.path.endswith("/graphql") and self.body["query"].lstrip().startswith("mutation")
        return mutates or (self.method != "GET" and not self.path.endswith("/graphql"))


class Fault(NamedTuple):
    """An error for the first request whose method and path match."""

    status: int = 502
    message: str = "Server Error"
    headers: Mapping[str, str] = {}
    on: str = ""
    """A pattern for "METHOD path"."""
    done: bool = False
    """Whether the request is executed anyway."""
    lost: bool = False
    """Whether the connection is closed instead of answering."""
    answer: Any = None
    """The answer instead of a JSON object with the message; bytes are sent unchanged."""


class Clock:
    """A clock that only advances by sleeping."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


class RefusedError(Exception):
    def __init__(self, status: int, message: str, errors: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.status, self.message, self.errors = status, message, errors


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, prefix: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.prefix = prefix
        """The prefix of every path: ``/api/v3`` on Enterprise Server."""
        self.repository = "acme/jobs"
        self.number = 7
        self.head = {"repository": "acme/jobs", "ref": "tune", "sha": "a" * 40}
        self.commits = [self.head["sha"]]
        self.open = True
        self.files: dict[str, str | None] = {}
        """Patches by path."""
        self.viewer = BOT
        self.may = {"pull-requests"}
        """The write permissions of the token."""
        self.comments: list[dict[str, Any]] = []
        self.threads: list[dict[str, Any]] = []
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.largest_page = 100
        self.schema: GraphQLSchema = SCHEMA
        self.clock: Clock | None = None
        """If given, writes that follow each other within a second are rejected."""
        self.graphql_errors: list[str] = []
        """Unexpected GraphQL errors: a query that the schema rejects, or an answer that it rejects."""
        self._written = 0.0
        self._ids = 2_500_000_000  # GitHub's ids no longer fit in 32 bits
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def writes(self) -> list[str]:
        """Return the writing requests, as method and path."""
        return [f"{one.method} {one.path}" for one in self.asked if one.writes]

    def bodies(self) -> list[str]:
        """Return the bodies of comments that are not on a line."""
        return [one["body"] for one in self.comments]

    def push(self, sha: str, files: Mapping[str, str | None]) -> None:
        """Push a commit: threads on lines that the diff no longer shows unchanged become outdated."""
        self.head = {**self.head, "sha": sha}
        self.commits.append(sha)
        self.files = dict(files)
        for thread in self.threads:
            shown = {number: text for hunk in hunks(self.files.get(thread["path"])) for number, text in hunk.items()}
            thread["outdated"] |= shown.get(thread["line"]) != thread["text"]

    def print_message(self, login: str, body: str) -> dict[str, Any]:
        """Comment on the pull request as a person."""
        self._ids += 1
        comment = {"id": self._ids, "login": login, "body": body}
        self.comments.append(comment)
        return comment

    def start_thread(self, login: str, body: str, path: str, line: int, start_line: int | None = None) -> None:
        """Comment on lines as a person."""
        shown = [hunk for hunk in hunks(self.files.get(path)) if line in hunk]
        if not shown:
            raise RefusedError(
                422,
                "Unprocessable Entity",
                ["Pull request review thread line must be part of the diff and thread diff hunk can't be blank"],
            )
        if start_line is not None and (start_line >= line or start_line not in shown[0]):
            raise RefusedError(
                422, "Unprocessable Entity", ["Pull request review thread start line must precede the end line."]
            )
        self._check(body)
        self._ids += 1
        thread = {
            "id": f"PRRT_{self._ids}", "path": path, "line": line, "start_line": start_line or line,
            "text": shown[0][line], "commit": self.head["sha"], "resolved": False, "outdated": False, "comments": [],
        }  # fmt: skip
        self.threads.append(thread)
        self.reply(thread, login, body)

    def reply(self, thread: dict[str, Any], login: str, body: str) -> None:
        """Reply to a thread as a person."""
        self._ids += 1
        one = {"id": self._ids, "node": f"PRRC_{self._ids}", "login": login, "body": body, "minimized": False}
        thread["comments"].append(one)

    def serve(self, asked: Asked) -> tuple[int, Any, dict[str, str]]:
        """Return status, JSON and headers."""
        if asked.headers.get("authorization") != f"token {TOKEN}":
            raise RefusedError(401, "Bad credentials")
        split = urlsplit(asked.path)
        if split.path == f"{self.prefix.removesuffix('/v3')}/graphql":
            self._pace(asked)
            return 200, self._graphql(asked.body["query"], asked.body["variables"]), {}
        path = split.path.removeprefix(self.prefix)
        output = {name: values[-1] for name, values in parse_qs(split.query).items()}
        for pattern, method in _ROUTES:
            verb, route = pattern.split(" ")
            route = route.replace("REPO", f"/repos/{re.escape(self.repository)}")
            found = re.fullmatch(route, path)
            if found and verb == asked.method:
                if verb != "GET":
                    if "pull-requests" not in self.may:
                        raise RefusedError(403, "Resource not accessible by integration")
                    self._pace(asked)
                status, answer = method(self, *map(int, found.groups()), **({"body": asked.body} if asked.body else {}))
                if callable(answer):
                    answer = answer(output)
                if isinstance(answer, list):
                    return self._page(answer, split.path, output)
                return status, answer, {}
        if asked.method == "GET" and path == "/user":
            raise RefusedError(403, "Resource not accessible by integration")
        raise RefusedError(404, "Not Found")

    def _pace(self, asked: Asked) -> None:
        if self.clock is not None and asked.writes:
            early = self._written + 1 - self.clock.now()
            if early > 0:
                raise RefusedError(
                    403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
                )
            self._written = self.clock.now()

    def _page(self, items: list[Any], path: str, output: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        size = min(int(output.get("per_page", 30)), self.largest_page)
        page = int(output.get("page", 1))
        headers = {}
        if page * size < len(items):
            first, following = (urlencode({**output, "page": at}) for at in (1, page + 1))
            own = self.url + path
            headers["Link"] = f'<{own}?{first}>; rel="first", <{own}?{following}>; rel="next"'
        return 200, items[(page - 1) * size : page * size], headers

    def _check(self, body: object) -> str:
        if not isinstance(body, str) or not body.strip():
            raise RefusedError(
                422, "Validation Failed", [{"resource": "IssueComment", "code": "missing_field", "field": "body"}]
            )
        if len(body) > LONGEST_BODY:
            raise RefusedError(422, "Validation Failed", ["Body is too long (maximum is 65536 characters)"])
        return body

    def _here(self, number: int) -> None:
        if number != self.number:
            raise RefusedError(404, "Not Found")

    def _pull(self, number: int) -> tuple[int, Any]:
        self._here(number)
        listed = shapes.pull(self.url, self.repository, number, self.head)
        return 200, shapes.whole_pull(listed, len(self.files))

    def _pulls(self) -> tuple[int, Any]:
        def listed(output: dict[str, str]) -> list[Any]:
            label = f"{self.head['repository'].split('/')[0]}:{self.head['ref']}"
            if not self.open or output.get("head", label) != label:
                return []
            return [shapes.pull(self.url, self.repository, self.number, self.head)]

        return 200, listed

    def _files(self, number: int) -> tuple[int, Any]:
        self._here(number)
        sha = self.head["sha"]
        return 200, [shapes.file(self.url, self.repository, sha, path, patch) for path, patch in self.files.items()]

    def _comments(self, number: int) -> tuple[int, Any]:
        self._here(number)
        return 200, [shapes.comment(self.url, self.repository, number, one) for one in self.comments]

    def _comment(self, number: int, body: Any) -> tuple[int, Any]:
        self._here(number)
        made = self.print_message(self.viewer, self._check(body.get("body")))
        return 201, shapes.comment(self.url, self.repository, number, made)

    def _change_comment(self, number: int, body: Any) -> tuple[int, Any]:
        one = self._found(self.comments, number)
        one["body"] = self._check(body.get("body"))
        return 200, shapes.comment(self.url, self.repository, self.number, one)

    def _delete_comment(self, number: int) -> tuple[int, Any]:
        self.comments.remove(self._found(self.comments, number))
        return 204, None

    def _review(self, number: int, body: Any) -> tuple[int, Any]:
        self._here(number)
        if body.get("event") != "COMMENT" or body["commit_id"] not in self.commits:
            raise RefusedError(422, "Unprocessable Entity", ["No commit found for SHA: " + str(body.get("commit_id"))])
        before = list(self.threads)
        try:
            for one in body["comments"]:
                if one.get("side") != "RIGHT" or one.get("start_side", "RIGHT") != "RIGHT":
                    raise RefusedError(422, "Unprocessable Entity", ["Side is invalid"])
                self.start_thread(self.viewer, one["body"], one["path"], one["line"], one.get("start_line"))
        except RefusedError:
            self.threads = before
            raise
        return 200, shapes.review(self.url, self.repository, number, self.viewer, body["commit_id"], "")

    def _change_review_comment(self, number: int, body: Any) -> tuple[int, Any]:
        for thread in self.threads:
            for one in thread["comments"]:
                if one["id"] == number:
                    one["body"] = self._check(body.get("body"))
                    return 200, shapes.review_comment(self.url, self.repository, self.number, thread, one)
        raise RefusedError(404, "Not Found")

    def _delete_review_comment(self, number: int) -> tuple[int, Any]:
        for thread in self.threads:
            for one in thread["comments"]:
                if one["id"] == number:
                    thread["comments"].remove(one)
                    self.threads = [left for left in self.threads if left["comments"]]
                    return 204, None
        raise RefusedError(404, "Not Found")

    def _found(self, among: list[dict[str, Any]], number: int) -> dict[str, Any]:
        for one in among:
            if one["id"] == number:
                return one
        raise RefusedError(404, "Not Found")

    def _graphql(self, query: str, variables: dict[str, Any]) -> Any:
        result = graphql_sync(self.schema, query, root_value=self._root(), variable_values=variables)
        answer: dict[str, Any] = {"data": result.data}
        if result.errors:
            self.graphql_errors += [str(error) for error in result.errors if "type" not in (error.extensions or {})]
            answer["errors"] = [
                {"message": error.message, "path": error.path, **(error.extensions or {})} for error in result.errors
            ]
        return answer

    def _root(self) -> dict[str, Any]:
        def repository(_: Any, owner: str, name: str, **more: Any) -> Any:
            if f"{owner}/{name}" != self.repository:
                raise GraphQLError(
                    f"Could not resolve to a Repository with the name '{owner}/{name}'.",
                    extensions={"type": "NOT_FOUND"},
                )
            return {"pullRequest": lambda _, number: {"reviewThreads": self._connection(self.threads, self._thread)}}

        def resolving(resolved: bool) -> Callable[..., Any]:
            def change(_: Any, input: Mapping[str, Any]) -> Any:  # noqa: A002 - GitHub's name
                if not {"pull-requests", "contents"} <= self.may:
                    raise GraphQLError("Resource not accessible by integration", extensions={"type": "FORBIDDEN"})
                thread = self._thread_of(input["threadId"])
                thread["resolved"] = resolved
                return {"thread": self._thread(thread)}

            return change

        def hiding(hidden: bool, name: str) -> Callable[..., Any]:
            def change(_: Any, input: Mapping[str, Any]) -> Any:  # noqa: A002 - GitHub's name
                if "pull-requests" not in self.may:
                    raise GraphQLError("Resource not accessible by integration", extensions={"type": "FORBIDDEN"})
                found = next(
                    one for thread in self.threads for one in thread["comments"] if one["node"] == input["subjectId"]
                )
                found["minimized"] = hidden
                return {name: self._review_comment(found)}

            return change

        return {
            "viewer": {"login": self.viewer},
            "repository": repository,
            "node": lambda _, id: self._thread(self._thread_of(id)),  # noqa: A006 - GitHub's name
            "resolveReviewThread": resolving(True),
            "unresolveReviewThread": resolving(False),
            "minimizeComment": hiding(True, "minimizedComment"),
            "unminimizeComment": hiding(False, "unminimizedComment"),
        }

    def _thread_of(self, node: str) -> dict[str, Any]:
        for thread in self.threads:
            if thread["id"] == node:
                return thread
        raise GraphQLError(
            f"Could not resolve to a node with the global id of '{node}'", extensions={"type": "NOT_FOUND"}
        )

    def _thread(self, thread: dict[str, Any]) -> dict[str, Any]:
        return {
            "__typename": "PullRequestReviewThread",
            "id": thread["id"],
            "isResolved": thread["resolved"],
            "isOutdated": thread["outdated"],
            "path": thread["path"],
            "line": None if thread["outdated"] else thread["line"],
            "comments": self._connection(thread["comments"], self._review_comment),
        }

    def _review_comment(self, one: dict[str, Any]) -> dict[str, Any]:
        login = one["login"]
        kind = "Bot" if login and login.endswith("[bot]") else "User"
        author = {"__typename": kind, "login": login.removesuffix("[bot]")} if login else None
        return {
            "__typename": "PullRequestReviewComment",
            "id": one["node"],
            "fullDatabaseId": str(one["id"]),
            "body": one["body"],
            "isMinimized": one["minimized"],
            "author": author,
        }

    def _connection(self, items: list[Any], shape: Callable[[Any], Any]) -> Callable[..., Any]:
        def page(_: Any, first: int, after: str | None = None) -> Any:
            start = int(after) if after else 0
            end = start + min(first, self.largest_page)
            return {
                "pageInfo": {"hasNextPage": end < len(items), "endCursor": str(end)},
                "nodes": [shape(one) for one in items[start:end]],
            }

        return page


_ROUTES: list[tuple[str, Callable[..., tuple[int, Any]]]] = [
    ("GET REPO/pulls", Server._pulls),
    (r"GET REPO/pulls/(\d+)", Server._pull),
    (r"GET REPO/pulls/(\d+)/files", Server._files),
    (r"GET REPO/issues/(\d+)/comments", Server._comments),
    (r"POST REPO/issues/(\d+)/comments", Server._comment),
    (r"PATCH REPO/issues/comments/(\d+)", Server._change_comment),
    (r"DELETE REPO/issues/comments/(\d+)", Server._delete_comment),
    (r"POST REPO/pulls/(\d+)/reviews", Server._review),
    (r"PATCH REPO/pulls/comments/(\d+)", Server._change_review_comment),
    (r"DELETE REPO/pulls/comments/(\d+)", Server._delete_review_comment),
]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # the answer in one piece, so that no client waits for its second part
    server: Server

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base class' name
        """Log nothing."""

    def _serve(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, json.loads(sent) if sent else None, headers)
        with self.server.lock:
            self.server.asked.append(asked)
            self._answer(asked)

    do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - names of the base class

    def _answer(self, asked: Asked) -> None:
        fault = next((one for one in self.server.faults if re.search(one.on, f"{asked.method} {asked.path}")), None)
        if fault is not None:
            self.server.faults.remove(fault)
        status, answer, headers = 0, None, {}
        if fault is None or fault.done:
            try:
                status, answer, headers = self.server.serve(asked)
            except RefusedError as refusal:
                status = refusal.status
                answer = {"message": refusal.message, "documentation_url": "https://docs.github.com/rest"}
                if refusal.errors:
                    answer["errors"] = list(refusal.errors)
        if fault is not None and fault.lost:
            self.close_connection = True
            return
        if fault is not None:
            status, headers = fault.status, dict(fault.headers)
            answer = fault.answer if fault.answer is not None else {"message": fault.message}
        data = answer if isinstance(answer, bytes) else b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def hunks(patch: str | None) -> Iterator[dict[int, str]]:
    """Yield the lines of the new file by number, hunk by hunk."""
    for part in re.split(r"^(?=@@ )", patch or "", flags=re.MULTILINE):
        first = re.match(r"@@ -[\d,]+ \+(\d+)", part)
        if first:
            lines = [line[1:] for line in part.split("\n")[1:] if line[:1] in (" ", "+")]
            yield dict(enumerate(lines, int(first[1])))


@contextmanager
def serving(prefix: str = "") -> Iterator[Server]:
    """Run a server until the block ends."""
    server = Server(prefix)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
