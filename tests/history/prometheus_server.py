"""A small server that answers Prometheus' query API from a few series, and fails as configured."""

from __future__ import annotations

import gzip
import json
import math
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

Series = dict[tuple[tuple[str, str], ...], list[tuple[int, float]]]
"""Labels, and times in milliseconds with values."""

Fault = Callable[["Handler"], bool]
"""Answers in place of the server; whether it did."""

_QUERY = re.compile(r"(last_over_time\()?\{(.*)\}\[(\d+)(ms|s)\]\)?")


class Asked(NamedTuple):
    """A request that came."""

    method: str
    path: str
    parameters: dict[str, list[str]]
    headers: dict[str, str]
    at: float


class Server(ThreadingHTTPServer):
    """What it serves and what it does; `closed` as Prometheus up to 2.x does, which takes both ends of a range."""

    daemon_threads = True
    series: Series
    faults: list[Fault]
    """Each is met by one request, in this order."""
    always: Fault
    """Asked at every request after `faults`."""
    asked: list[Asked]
    closed = True
    most_samples = 10**9
    warnings: tuple[str, ...] = ()
    over = 422

    @property
    def url(self) -> str:
        return f"http{'s' if isinstance(self.socket, ssl.SSLSocket) else ''}://127.0.0.1:{self.server_address[1]}"

    def paths(self) -> list[str]:
        return [one.path for one in self.asked]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base class' name
        """Say nothing."""

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        self._serve(split.path, parse_qs(split.query))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._serve(self.path, parse_qs(body))

    def _serve(self, path: str, parameters: dict[str, list[str]]) -> None:
        self.server.asked.append(Asked(self.command, path, parameters, dict(self.headers), time.monotonic()))
        self.parameters = parameters
        if self.server.faults and self.server.faults.pop(0)(self):
            return
        if self.server.always(self):
            return
        path = path.removeprefix("/prefix")
        if path == "/api/v1/label/__name__/values":
            self.answer_json(200, {"status": "success", "data": self._names()})
        elif path == "/api/v1/query":
            self._query(float(parameters["time"][0]), None)
        elif path == "/api/v1/query_range":
            self._query(float(parameters["start"][0]), (float(parameters["end"][0]), float(parameters["step"][0])))
        else:
            self.answer(404, b"<html>not here</html>", "text/html")

    def _names(self) -> list[str]:
        start, end = (float(self.parameters[name][0]) * 1000 for name in ("start", "end"))
        matches = self._matching(self.parameters["match[]"][0][1:-1])
        return sorted(
            {dict(labels)["__name__"] for labels, rows in self.server.series.items()
             if matches(dict(labels)) and any(start <= time <= end for time, _ in rows)}
        )  # fmt: skip

    def _matching(self, inner: str) -> Callable[[dict[str, str]], bool]:
        wanted = re.findall(r'(\w+)(=~?)"((?:[^"\\]|\\.)*)"', inner)

        def matches(labels: dict[str, str]) -> bool:
            return all(
                re.fullmatch(text.replace("\\\\", "\\"), labels.get(name, ""))
                if kind == "=~"
                else labels.get(name) == text
                for name, kind, text in wanted
            )

        return matches

    def _query(self, first: float, steps: tuple[float, float] | None) -> None:
        found = _QUERY.fullmatch(self.parameters["query"][0])
        assert found, self.parameters["query"]
        width = int(found[3]) * (1 if found[4] == "ms" else 1000)
        matches = self._matching(found[2])
        result = []
        count = 0
        for labels, rows in self.server.series.items():
            if not matches(dict(labels)):
                continue
            if steps is None:
                end = round(first * 1000)
                lowest = end - width - (1 if self.server.closed else 0)
                values = [(t / 1000, _text(v)) for t, v in rows if lowest < t <= end]
            else:
                assert found[1]
                last, step = steps
                if (last - first) / step > 11_000:
                    self.fail(400, "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing")
                    return
                values = []
                for n in range(math.floor((last - first) / step) + 1):
                    instant = round((first + n * step) * 1000)
                    within = [v for t, v in rows if instant - width < t <= instant]
                    if within:
                        values.append((instant / 1000, _text(within[-1])))
            count += len(values)
            if values:
                result.append({"metric": dict(labels), "values": values})
        if count > self.server.most_samples:
            self.fail(self.server.over, "query processing would load too many samples into memory in query execution")
            return
        parameters: dict[str, object] = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        if self.server.warnings:
            parameters["warnings"] = list(self.server.warnings)
        self.answer_json(200, parameters)

    def fail(self, status: int, text: str, headers: dict[str, str] | None = None) -> bool:
        """An error as Prometheus answers it."""
        kind = "timeout" if status == 503 else "execution"
        self.answer_json(status, {"status": "error", "errorType": kind, "error": text}, headers)
        return True

    def answer_json(self, status: int, parameters: object, headers: dict[str, str] | None = None) -> None:
        self.answer(status, json.dumps(parameters, separators=(",", ":")).encode(), "application/json", headers)

    def answer(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None, cut: int = 0) -> bool:
        """An answer; the last `cut` bytes are promised but never sent."""
        headers = dict(headers or {})
        if "gzip" in self.headers.get("Accept-Encoding", "") and len(body) > 500:
            body = gzip.compress(body)
            headers["Content-Encoding"] = "gzip"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) - cut])
        self.close_connection = True
        return True


def _text(value: float) -> str:
    return {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}.get(str(value), str(value))


@contextmanager
def serving(series: Series, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server on loopback, until the block ends."""
    server = Server(("127.0.0.1", 0), Handler)
    server.series, server.faults, server.asked = series, [], []
    server.always = lambda _: False
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
