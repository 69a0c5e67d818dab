"""The HTTP client against a local server: redirects, limits, retries, and secrets in errors."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from flink_flint.linter.filesystem import http_client
from flink_flint.linter.filesystem.http_client import (
    Failure,
    HttpClient,
    NoResponseError,
    Response,
    RetryPolicy,
    Tls,
    address_only,
    authorization,
    is_address,
)

SECRET = "s3cret"


class Handler(BaseHTTPRequestHandler):
    """Answers by `routes`, and records the requests."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.requests_seen.append((self.command, self.path, self.headers.get("Authorization")))
        self.server.routes[self.path.partition("?")[0]](self)

    do_POST = do_GET  # noqa: N815 - the base class' name

    def answer(self, status: int, body: bytes = b"{}", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base class' name
        """Log nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests_seen: list[tuple[str, str, str | None]] = []
        self.routes: dict[str, Callable[[Handler], None]] = {"/end": lambda handler: handler.answer(200, b'{"a": 1}')}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


def leads_to(place: str) -> Callable[[Handler], None]:
    return lambda handler: handler.answer(302, Location=place)


@pytest.mark.slow
def test_a_redirect_within_the_server_is_followed_and_no_other(server: Server) -> None:
    client = HttpClient(server.url, authorization(token=SECRET))
    server.routes |= {"/here": leads_to("/end"), "/loop": leads_to("/loop"), "/odd": leads_to("http://[x")}
    assert client.exchange("GET", "/here", {"q": "1"}).json() == {"a": 1}
    assert server.requests_seen == [("GET", "/here?q=1", f"Bearer {SECRET}"), ("GET", "/end", f"Bearer {SECRET}")]
    assert client.exchange("GET", "/odd").status == 302
    with pytest.raises(NoResponseError, match="TooManyRedirects"):
        client.exchange("GET", "/loop")
    assert client.exchange("POST", "/here").status == 302
    server.requests_seen.clear()
    other = server.url.replace("127.0.0.1", "localhost")
    server.routes["/away"] = leads_to(f"{other}/end")
    assert client.exchange("GET", "/away").status == 302
    assert [path for _, path, _ in server.requests_seen] == ["/away"]


def test_credentials_are_those_that_were_given(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password else\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for headers in ({}, authorization(token=SECRET), authorization("ann", "pä:ss")):
        HttpClient(server.url, headers).exchange("GET", "/end")
    assert [who for *_, who in server.requests_seen] == [None, f"Bearer {SECRET}", "Basic YW5uOnDDpDpzcw=="]
    assert "/end" in caplog.text
    assert SECRET not in caplog.text


def test_an_answer_is_bounded_in_size_even_unpacked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    monkeypatch.setattr(http_client, "_LARGEST", 1 << 20)
    packed = gzip.compress(bytes(3 << 20))
    server.routes["/bomb"] = lambda handler: handler.answer(200, packed, **{"Content-Encoding": "gzip"})
    with pytest.raises(NoResponseError, match="the response is larger than 1 MiB") as refused:
        HttpClient(server.url).exchange("GET", "/bomb")
    assert refused.value.too_large


def test_an_answer_that_never_ends_is_given_up(server: Server) -> None:
    def drips(handler: Handler) -> None:
        handler.answer(200, **{"Content-Length": str(1 << 30)})
        for _ in range(200):
            handler.wfile.write(bytes(1 << 16))
            time.sleep(0.01)

    server.routes["/drips"] = drips
    with pytest.raises(NoResponseError, match=r"no response within 0\.05 s") as slow:
        HttpClient(server.url, timeout=0.05).exchange("GET", "/drips")
    assert slow.value.slow


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": "a"}', "a"), ('{"message": {"note": ["b"]}}', '{"note": ["b"]}'), ("plain", "plain"),
        ('{"message": "a", "errors": ["b", {"message": "c"}, {"field": "d", "code": "e"}, "f"]}', "a (b; c; d e)"),
        ('{"errors": [{"message": "c"}]}', "c"), ("<html>", ""), ("{}", ""), ("[1]", "[1]"), ('{"errors": 7}', ""),
    ],
)  # fmt: skip
def test_an_error_says_why(body: str, message: str) -> None:
    assert Response(500, {}, body.encode()).error_text() == message


def test_a_proxy_of_the_environment_is_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "")
    server.routes["http://flink.invalid:8081/end"] = server.routes["/end"]
    assert HttpClient("http://flink.invalid:8081").exchange("GET", "/end", {"a": "b"}).json() == {"a": 1}
    assert server.requests_seen[0][1] == "http://flink.invalid:8081/end?a=b"


def breaks_off(handler: Handler) -> None:
    handler.answer(200, b'{"a"', **{"Content-Length": "1000"})
    handler.close_connection = True


def hangs_up(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


@pytest.mark.parametrize("fault", [breaks_off, hangs_up])
def test_errors_show_no_parameters_and_credentials(server: Server, fault: Callable[[Handler], None]) -> None:
    server.routes["/x"] = fault
    with pytest.raises(NoResponseError, match=r"^the connection broke \(\w+\)$") as broken:
        HttpClient(server.url, authorization(token=SECRET)).exchange("GET", "/x", {"key": SECRET})
    assert broken.value.__cause__ is None
    assert broken.value.__context__ is None


def test_a_refused_connection_is_an_error() -> None:
    with pytest.raises(NoResponseError, match=r"^connection refused$"):
        HttpClient("http://127.0.0.1:9").exchange("GET", "/")


def test_files_of_certificates_are_read_before_anything_is_sent(tmp_path: Path) -> None:
    for tls, files in (
        (Tls("/nowhere.pem"), "/nowhere.pem"),
        (Tls(certificate="/nowhere.pem", key="/nowhere.key"), "/nowhere.pem, /nowhere.key"),
    ):
        with pytest.raises(ValueError, match=rf"^{files}: no certificates that can be used \(No such file"):
            HttpClient("https://127.0.0.1:9", tls=tls)


@pytest.mark.parametrize(
    ("text", "seconds"), [("7", 7), (" 7 ", 7), ("0", 0), ("nonsense", None), ("9" * 5000, None), ("-1", None)]
)
def test_the_wait_that_a_server_asks_for(text: str, seconds: float | None) -> None:
    assert Response(429, {"Retry-After": text}, b"").retry_after() == seconds


def test_the_wait_may_be_a_date_that_may_be_over() -> None:
    def until(moment: datetime) -> float | None:
        return Response(429, {"Retry-After": format_datetime(moment, usegmt=True)}, b"").retry_after()

    assert until(datetime.now(UTC) + timedelta(seconds=90)) == pytest.approx(90, abs=2)
    assert until(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert Response(429, {}, b"").retry_after() is None


def test_the_next_page_is_known_by_its_parameters_alone() -> None:
    link = '<https://elsewhere/a?page=1>; rel="first", <https://elsewhere/a?page=3&x=%2F>; rel="next"'
    assert Response(200, {"Link": link}, b"").next_page() == {"page": "3", "x": "/"}
    assert Response(200, {"Link": '<https://elsewhere/a?page=1>; rel="prev"'}, b"").next_page() is None
    assert Response(200, {}, b"").next_page() is None


UNCLEAR = Failure("down", unclear=True)


def test_waits_double_up_to_the_longest_and_end_with_the_last_try() -> None:
    waits: list[float] = []
    failed = RetryPolicy(sleep=waits.append, tries=5, first=2, longest=9).run(lambda: UNCLEAR)
    assert failed == UNCLEAR._replace(tries=5)
    assert waits == [2, 4, 8, 9]


def test_what_is_refused_for_now_is_tried_again_after_minutes() -> None:
    waits: list[float] = []
    outcomes = iter([Failure("limit", limited=True), Failure("limit", limited=True, wait=5), "made"])
    assert RetryPolicy(sleep=waits.append).run(lambda: next(outcomes)) == "made"
    assert waits == [60, 5]


def test_what_no_retry_can_help_is_tried_once() -> None:
    waits: list[float] = []
    assert RetryPolicy(sleep=waits.append).run(lambda: Failure("gone", 404)) == Failure("gone", 404)
    assert waits == []


def test_waits_are_spread_where_many_try_again_at_once() -> None:
    waits: list[float] = []
    RetryPolicy(10_000, waits.append, tries=200, first=10, longest=10, jitter=0.5).run(lambda: UNCLEAR)
    assert 5 <= min(waits) < 7
    assert 13 < max(waits) <= 15


def test_what_was_carried_out_without_an_answer_is_found_even_after_the_last_try() -> None:
    assert RetryPolicy(sleep=lambda _: None, tries=1).run(lambda: UNCLEAR, lambda: "made") == "made"
    # What was refused for now was certainly not carried out.
    limited = Failure("limit", limited=True)
    assert RetryPolicy(0).run(lambda: limited, lambda: pytest.fail("nothing to find")) == limited


@pytest.mark.parametrize(
    ("url", "right"),
    [
        ("http://host", True), ("https://[::1]:9090/prefix", True), ("host:9090", False), ("ftp://host", False),
        ("http://host:0", False), ("http://host:99999", False), ("http://a b/", False), ("http://", False),
    ],
)  # fmt: skip
def test_what_is_an_address(url: str, right: bool) -> None:
    assert is_address(url) == right


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://ann:pw@host:1/a?key=1#x", "https://host:1/a"), ("/a?key=1", "/a"), ("http://host", "http://host"),
        ("ann:pw@host/a@b", "host/a@b"),
    ],
)  # fmt: skip
def test_an_address_is_shown_without_what_may_be_secret(url: str, shown: str) -> None:
    assert address_only(url) == shown
