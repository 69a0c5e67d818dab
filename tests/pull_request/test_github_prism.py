"""Validates every request and every answer against GitHub's own descriptions of its REST and GraphQL APIs.

Prism is a proxy in front of the test server that knows the OpenAPI description: it rejects requests that GitHub would
reject, and answers that GitHub would not give, which keeps the server accurate. Queries are executed on GitHub's
GraphQL schema.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from graphql import GraphQLSchema, build_schema

from flink_flint.linter.filesystem.http_client import RetryPolicy
from flink_flint.linter.pull_request.forge import ForgeError, NewThread
from flink_flint.linter.pull_request.github import GitHub
from tests.pull_request.github_life import CONF, FIRST, play
from tests.pull_request.github_server import BOT, TOKEN, Clock, Fault, Server, serving

pytestmark = pytest.mark.tools

MODULES = Path(sys.prefix) / "node" / "node_modules"
PRISM = MODULES / ".bin" / "prism"
DESCRIPTIONS = MODULES / "@octokit" / "openapi" / "generated"
SCHEMA = MODULES / "@octokit" / "graphql-schema" / "schema.graphql"
KINDS = {"github.com": ("api.github.com.json", ""), "Enterprise": ("ghes-3.17.json", "/api/v3")}
"""The descriptions, and the prefix of their paths."""
_GONE_THROUGH = {"connection", "content-length", "date", "host", "keep-alive", "transfer-encoding"}


class Front(ThreadingHTTPServer):
    """Routes REST to Prism, and GraphQL, which has no OpenAPI description, to the server itself."""

    daemon_threads = True
    prefix: str
    rest: tuple[str, int]
    graphql: tuple[str, int]
    seen: list[tuple[str, str, int]]
    """Methods, paths and statuses of what went through Prism."""
    violations: list[str]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: Front

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base class' name
        """Log nothing."""

    def _serve(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        described = not self.path.endswith("/graphql")
        connection = http.client.HTTPConnection(*(self.server.rest if described else self.server.graphql), timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        path = self.path.removeprefix(self.server.prefix) if described else "/graphql"
        connection.request(self.command, path, sent or None, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if described:
            self.server.seen.append((self.command, path, answer.status))
            if b"stoplight.io/prism/errors" in data or answer.getheader("sl-violations"):
                self.server.violations.append(f"{self.command} {path}: {data.decode()}")
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _GONE_THROUGH:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - names of the base class


@contextmanager
def prism(description: Path, upstream: str) -> Iterator[tuple[str, int]]:
    """Run Prism in front of a server until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(PRISM), "proxy", "--errors", "-h", "127.0.0.1", "-p", str(port), str(description), upstream]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if "Prism is listening" in line:
                break
        else:
            pytest.fail(f"Prism does not start: {''.join(said)[-2000:]}")
        # Its log must be read, or else it stops when the pipe is full.
        reader = threading.Thread(target=process.stdout.read, daemon=True)
        reader.start()
        yield "127.0.0.1", port
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    # Not validated: GitHub's own text defines two fields twice.
    return build_schema(SCHEMA.read_text(encoding="utf-8"), assume_valid=True)


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def running(request: pytest.FixtureRequest, schema: GraphQLSchema) -> Iterator[tuple[Server, Front]]:
    description, prefix = request.param
    with serving() as server, prism(DESCRIPTIONS / description, server.url) as rest:
        server.schema = schema
        front = Front(("127.0.0.1", 0), _Handler)
        front.prefix = prefix
        front.rest, front.graphql = rest, ("127.0.0.1", server.server_address[1])
        front.seen, front.violations = [], []
        thread = threading.Thread(target=front.serve_forever, daemon=True)
        thread.start()
        yield server, front
        front.shutdown()
        front.server_close()


@pytest.fixture
def server(running: tuple[Server, Front]) -> Iterator[Server]:
    server, front = running
    server.comments.clear()
    server.threads.clear()
    server.asked.clear()
    server.may = {"pull-requests"}
    server.largest_page = 100
    front.seen.clear()
    yield server
    assert front.violations == []
    assert server.graphql_errors == []
    # All REST requests to the server went through Prism.
    rest = [(one.method, one.path) for one in server.asked if not one.path.endswith("/graphql")]
    assert rest == [(method, path) for method, path, _ in front.seen]


@pytest.fixture
def front(running: tuple[Server, Front]) -> Front:
    return running[1]


def connect(front: Front, number: int | None = 7, **more: str) -> GitHub:
    clock = Clock()
    environ = {
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_API_URL": f"http://127.0.0.1:{front.server_address[1]}{front.prefix}",
        "GITHUB_REPOSITORY": "acme/jobs",
        **more,
    }
    return GitHub.from_environment(environ, None, number, retry=RetryPolicy(600, clock.sleep, clock.now))


def test_the_life_of_a_pull_request_keeps_to_the_descriptions(server: Server, front: Front) -> None:
    play(server, lambda: connect(front))
    kinds = {re.sub(r"\?.*", "", f"{method} {re.sub(r'[0-9]+', 'N', path)}") for method, path, _ in front.seen}
    assert kinds == {
        "GET /repos/acme/jobs/pulls/N",
        "GET /repos/acme/jobs/pulls/N/files",
        "GET /repos/acme/jobs/issues/N/comments",
        "POST /repos/acme/jobs/issues/N/comments",
        "PATCH /repos/acme/jobs/issues/comments/N",
        "POST /repos/acme/jobs/pulls/N/reviews",
        "PATCH /repos/acme/jobs/pulls/comments/N",
        "DELETE /repos/acme/jobs/pulls/comments/N",
    }
    assert operations(server) == {
        "query Viewer", "query Threads", "query State", "mutation Resolve", "mutation Hide", "mutation Show",
    }  # fmt: skip


def test_what_happens_more_rarely_keeps_to_them_too(server: Server, front: Front, tmp_path: Path) -> None:
    server.push("1" * 40, {CONF: FIRST, "other.yaml": None})
    server.largest_page = 2
    server.may = {"pull-requests", "contents"}
    head = {"head_sha": "1" * 40, "head_branch": "tune", "head_repository": {"owner": {"login": "acme"}}}
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"workflow_run": head}))
    forge = connect(front, None, GITHUB_EVENT_PATH=str(event))
    for number in range(5):
        server.print_message(BOT, f"comment {number}")
    assert len(forge.comments()) == 5
    forge.delete_comment(forge.comments()[0])
    forge.create_threads([NewThread(CONF, 1, 1, "one"), NewThread(CONF, 9, 9, "not shown"), NewThread(CONF, 2, 3, "3")])
    assert [status for method, _, status in front.seen if method == "POST"] == [422, 200]
    for _ in range(3):
        server.reply(server.threads[1], BOT, "ours")
    first, second = forge.threads()
    forge.resolve(first)
    assert server.threads[0]["resolved"]
    forge.reopen(first)
    assert not server.threads[0]["resolved"]
    assert not second.answered
    assert operations(server) >= {"query Replies", "mutation Reopen"}


def test_prism_refuses_what_github_would_not_take(server: Server, front: Front) -> None:
    """Proves that requests are validated: a body that is not text."""
    with pytest.raises(ForgeError, match="422"):
        connect(front).create_comment(7)  # type: ignore[arg-type]
    assert "must be string" in front.violations.pop()
    front.seen.pop()
    assert server.comments == []


def test_prism_refuses_what_github_would_not_answer(server: Server, front: Front) -> None:
    """Proves that answers are validated: a comment without most of its members."""
    server.faults = [Fault(200, on="GET .*comments", answer=[{"id": "seven", "body": "hello"}])] * 9
    with pytest.raises(ForgeError, match="500"):
        connect(front).comments()
    server.faults.clear()
    assert all("must have required property" in violation for violation in front.violations)
    front.violations.clear()


def operations(server: Server) -> set[str]:
    """Return the queries and mutations that the server received."""
    asked = [one.body["query"] for one in server.asked if one.path.endswith("/graphql")]
    return {" ".join(re.findall(r"\w+", query)[:2]) for query in asked}
