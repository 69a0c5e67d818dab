"""An HTTP client for samples from Prometheus, Thanos, Mimir or VictoriaMetrics.

Raw samples are requested rather than evaluated ones. ``query_range`` evaluates at every step: an instant without a
sample repeats the last one for up to five minutes, and two samples within a step become one. An instant query for a
range selector (``metric[1h]`` at the end of that hour) returns every sample with its own time, and all four servers
support it (https://prometheus.io/docs/prometheus/latest/querying/basics/#range-vector-selectors). If a server or a
proxy refuses it, ``query_range`` of ``last_over_time(metric[step])`` is requested instead: it looks back only one step,
so nothing is repeated, but times are those of the steps. This fallback is reported as a warning.

A time range is requested window by window. Windows grow and shrink so that a response has some 250 000 samples; if the
server rejects a query as too large, the window is halved, and then its metrics.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from flink_flint.calculators.history.metrics.vocabulary import of_reporter
from flink_flint.calculators.history.samples import Batch
from flink_flint.calculators.history.sources.prometheus.access import Access, headers_of, thanos_parameters, tls_of
from flink_flint.calculators.history.sources.prometheus.labels import Collecting
from flink_flint.calculators.history.sources.prometheus.saved_responses import Piece, pieces
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.sources.rejection_reasons import BREAKS_OFF, EARLIEST, LATEST
from flink_flint.linter.filesystem.http_client import (
    Failure,
    HttpClient,
    NoResponseError,
    Response,
    RetryPolicy,
    address_only,
    is_address,
)
from flink_flint.linter.text.named_tuple import NamedTuple

NAME = "prometheus"
TITLE = "Prometheus and compatible servers over HTTP"

__all__ = ["NAME", "TITLE", "Access", "Client", "Portion", "fetch", "moment", "portions"]

T = TypeVar("T")

_DAY = 86_400_000
_FIRST, _LEAST = 600_000, 30_000
"""The lengths, in milliseconds, of the first and of the smallest time window that is requested."""
_TARGET = 250_000
"""Number of samples a response should have: some 8 MB of JSON."""
_POINTS = 10_000
"""Maximum number of steps of one ``query_range``; Prometheus refuses more than 11 000."""
_LONGEST_WAIT = 30.0
_LONGEST_RETRY_AFTER = 300.0
_LONGEST_URL = 4_000
"""Maximum number of characters of a query in the URL; a longer one is sent by POST."""
_TOO_MUCH = re.compile(
    r"too many|too large|maximum|exceed|limit|would load|-search\.max|timed? ?out|deadline|canceled", re.IGNORECASE
)
_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))


class Portion(NamedTuple):
    """A part of an import: a group of metrics over a time range."""

    metrics: tuple[str, ...]
    start: int
    """The start of the portion in milliseconds since the epoch."""
    end: int
    """The end of the portion (exclusive) in milliseconds since the epoch."""


class TooMuchError(Exception):
    """The error for a query that the server rejects as too large; a smaller query may succeed."""


class RefusedError(Exception):
    """The error for a kind of query that the server does not accept."""


class _BrokenError(Exception):
    """A truncated response."""


def moment(text: str) -> int:
    """Convert seconds, milliseconds or ISO 8601 (in UTC if it has no time zone) to milliseconds since the epoch.

    Raises ValueError for other texts.
    """
    text = text.strip()
    try:
        number = float(text)
    except ValueError:
        try:
            result = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"{text!r} is not a time: write 2026-11-20T16:00:00Z or seconds since 1970") from None
        found = (result if result.tzinfo else result.replace(tzinfo=UTC)).timestamp() * 1000
    else:
        found = number if abs(number) >= 1e10 else number * 1000
    if not EARLIEST <= found < LATEST:
        raise ValueError(f"{text!r} is not a time between 1990 and 2100")
    return round(found)


class Client:
    """A client for one server, which raises ValueError with the remedy if the server cannot be queried."""

    def __init__(self, access: Access) -> None:
        if not is_address(access.url):
            shown = access.url if "@" not in access.url and "?" not in access.url else "the address"
            raise ValueError(
                f"{shown} is not the address of a Prometheus server: write http://host:9090 or https://host/prefix"
            )
        split = urlsplit(access.url)
        if split.username is not None or split.password is not None:
            raise ValueError(
                f"{split.hostname}: remove user and password from the address and set FLINT_PROMETHEUS_USER and "
                "FLINT_PROMETHEUS_PASSWORD instead"
            )
        self.base = f"{split.scheme}://{split.netloc}{split.path.rstrip('/').removesuffix('/api/v1')}"
        """The address without its parameters, which may be secret."""
        self._always = [*parse_qsl(split.query), *thanos_parameters(access)]
        self._access = access
        self._inner = _inside(access.selector)
        self._http = HttpClient(self.base, headers_of(access), tls=tls_of(access), timeout=access.timeout)
        self._raw = True
        self.warnings: dict[str, None] = {}
        """Warnings of the server, each text once."""

    def names(self, start: int, end: int) -> list[str]:
        """Return the names of Flink's metrics with samples from `start` to `end`, in milliseconds since the epoch."""
        entries = [("match[]", self._selector([])), ("start", _seconds(start)), ("end", _seconds(end))]
        halves = end - start > _DAY
        try:
            found = self._get("/api/v1/label/__name__/values", entries, _names, halves)
        except (TooMuchError, RefusedError) as refused:
            if not halves or isinstance(refused, RefusedError):
                raise ValueError(f"{self.base}: cannot list its metrics: {refused}") from None
            middle = (start + end) // 2
            return sorted({*self.names(start, middle), *self.names(middle, end)})
        required = re.compile(self._access.metrics)
        return sorted(name for name in found if required.fullmatch(name) and of_reporter(name))

    def samples(self, metrics: Sequence[str], start: int, end: int, smallest: bool = False) -> list[Piece]:
        """Return the samples of `metrics` from `start` to before `end`, in milliseconds since the epoch.

        Raises TooMuchError if the server requires a smaller query (after many attempts if this is the `smallest`).
        """
        if self._raw:
            try:
                return self._raw_samples(metrics, start, end, smallest)
            except RefusedError as refused:
                found = self._evaluated(metrics, start, end, smallest)
                self._raw = False
                self.warnings[f"raw samples are refused ({refused}); evaluated every {self._access.step} s"] = None
                return found
        return self._evaluated(metrics, start, end, smallest)

    def longest(self) -> int:
        """Return the longest window, in milliseconds, that one query may cover."""
        return _DAY * 32 if self._raw else self._access.step * 1000 * _POINTS

    def _raw_samples(self, metrics: Sequence[str], start: int, end: int, smallest: bool) -> list[Piece]:
        # Up to 2.x the range is closed at both ends, from 3.0 on open at the left: request one millisecond more than
        # is needed and drop it.
        span = end - start
        width = f"{span // 1000}s" if span % 1000 == 0 else f"{span}ms"
        entries = [("query", f"{self._selector(metrics)}[{width}]"), ("time", _seconds(end - 1))]
        found = self._get("/api/v1/query", entries, self._series, not smallest)
        return [_within(piece, start, end) for piece in found]

    def _evaluated(self, metrics: Sequence[str], start: int, end: int, smallest: bool) -> list[Piece]:
        step = self._access.step * 1000
        first, last = -(-start // step) * step, -(-end // step) * step - step
        if last < first:
            return []
        entries = [
            ("query", f"last_over_time({self._selector(metrics)}[{self._access.step}s])"),
            ("start", _seconds(first)),
            ("end", _seconds(last)),
            ("step", str(self._access.step)),
        ]
        try:
            return self._get("/api/v1/query_range", entries, self._series, not smallest)
        except RefusedError as refused:
            raise ValueError(f"{self.base}: refuses the query: {refused}") from None

    def _selector(self, metrics: Sequence[str]) -> str:
        """Return ``{__name__=~"a|b",namespace="x"}``; without metrics, the selector of all requested ones."""
        if len(metrics) == 1:
            name = f"__name__={_quoted(metrics[0])}"
        else:
            name = f"__name__=~{_quoted('|'.join(map(_literal, metrics)) or self._access.metrics)}"
        return "{" + name + (f",{self._inner}" if self._inner else "") + "}"

    def _series(self, body: bytes) -> list[Piece]:
        found = list(pieces(io.BytesIO(body)))
        for piece in found:
            for reason, text in piece.notes:
                if reason == BREAKS_OFF:
                    raise _BrokenError
                if reason == "the server responded with an error":
                    raise RefusedError(text)
                if reason == "the server warned":
                    self.warnings[text] = None
        return [piece for piece in found if piece.labels is not None]

    def _get(self, path: str, parameters: list[tuple[str, str]], reads: Callable[[bytes], T], splits: bool) -> T:
        """Send a request with retries; raise TooMuchError if it `splits` and a smaller request may succeed."""
        form = [*parameters, *self._always]
        tries = 0

        def attempt() -> T | Failure:
            nonlocal tries
            tries += 1
            try:
                response = self._exchange(path, form)
                return reads(self._body(response)) if response.status < 300 else self._refusal(response, splits, tries)
            except NoResponseError as error:
                if error.untrusted:
                    raise ValueError(
                        f"{self.base}: {error}: set the certificates to trust (ca_file), or accept any (insecure)"
                    ) from None
                if splits and (error.too_large or (error.slow and tries > 1)):
                    raise TooMuchError(str(error)) from None
                return Failure(str(error), unclear=True)
            except _BrokenError:
                return Failure("the response is truncated", unclear=True)

        retry = RetryPolicy(
            math.inf, tries=self._access.tries, first=self._access.wait, longest=_LONGEST_WAIT, jitter=0.5
        )
        outcome = retry.run(attempt)
        if isinstance(outcome, Failure):
            raise ValueError(
                f"{self.base}{path}: no response after {outcome.tries} attempts, the last error: {outcome.text}; check "
                "that the server is up and not overloaded, then run it again with a longer timeout or a shorter range"
            )
        return outcome

    def _exchange(self, path: str, form: list[tuple[str, str]]) -> Response:
        if len(urlencode(form)) <= _LONGEST_URL:
            return self._http.exchange("GET", path, form)
        return self._http.exchange("POST", path, form=form)

    def _body(self, response: Response) -> bytes:
        if not response.body.lstrip().startswith(b"{"):
            raise ValueError(f"{self.base}: the response is not JSON (a login page?): check the address")
        if not response.body.rstrip().endswith(b"}"):
            raise _BrokenError
        return response.body

    def _refusal(self, response: Response, splits: bool, tries: int) -> Failure:
        """Return the failure if another attempt may help; raise an error otherwise."""
        status, said = response.status, response.error_text().partition("\n")[0][:200]
        text = f"status {status}{said and ': '}{said}"
        if status in _AGAIN:
            gave_up = status == 503 and _TOO_MUCH.search(said)
            if splits and (gave_up or (status == 504 and tries > 1)):
                raise TooMuchError(text)
            wait = min(response.retry_after() or 0.0, _LONGEST_RETRY_AFTER)
            return Failure(text, status, unclear=True, wait=wait)
        if status in (401, 403):
            raise ValueError(
                f"{self.base}: status {status}, access denied: set FLINT_PROMETHEUS_TOKEN, or "
                "FLINT_PROMETHEUS_USER and FLINT_PROMETHEUS_PASSWORD, or check those that are set (and the tenant)"
            )
        if status < 400:
            there = address_only(response.headers.get("Location", ""))
            raise ValueError(f"{self.base}: status {status}, redirects to {there}: use that address")
        if status == 413 or (status in (400, 422) and _TOO_MUCH.search(said)):
            raise TooMuchError(text)
        if status == 404 and not response.body.lstrip().startswith(b"{"):
            raise ValueError(f"{self.base}: status 404, no Prometheus API there: is the path before /api/v1 missing?")
        raise RefusedError(text)


def _names(body: bytes) -> list[str]:
    try:
        found: Any = json.loads(body)
    except ValueError:
        raise _BrokenError from None
    data = found.get("data")
    if found.get("status") == "error":
        raise RefusedError(str(found.get("error", ""))[:200])
    return [name for name in data if isinstance(name, str)] if isinstance(data, list) else []


def _within(piece: Piece, start: int, end: int) -> Piece:
    right = (piece.times >= start - 0.5) & (piece.times < end - 0.5)
    return piece if right.all() else piece._replace(times=piece.times[right], values=piece.values[right])


def _seconds(time: int) -> str:
    return f"{time // 1000}.{time % 1000:03d}"


def _quoted(text: str) -> str:
    """Return `text` as a PromQL string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _literal(name: str) -> str:
    """Return a name as a regular expression that matches only it."""
    return re.sub(r"([^a-zA-Z0-9_:])", r"\\\1", name)


def _inside(selector: str) -> str:
    """Return the text between the braces of a selector; raise ValueError if it has no braces."""
    text = selector.strip()
    if not text:
        return ""
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError(f'{text!r} is not a selector: write {{namespace="streaming",cluster=~"prod-.*"}}')
    return text[1:-1].strip().rstrip(",")


def portions(access: Access, start: int, end: int, most: int = 25) -> list[Portion]:
    """Return the portions of an import from `start` to `end` (milliseconds): up to `most` metrics and one UTC day each.

    Raises ValueError if the server cannot be queried, or has no metric of Flink.
    """
    if end <= start:
        raise ValueError("the end must come after the start")
    client = Client(access)
    names = client.names(start, end)
    if not names:
        raise ValueError(
            f"{client.base}: no metric {access.metrics} {access.selector} between {_shown(start)} and {_shown(end)}: "
            "is Flink's Prometheus reporter enabled (metrics.reporters), and are selector and times correct?"
        )
    groups = [tuple(names[at : at + most]) for at in range(0, len(names), most)]
    days = [*range(start - start % _DAY, end, _DAY)]
    return [Portion(group, max(start, day), min(end, day + _DAY)) for day in days for group in groups]


def _shown(time: int) -> str:
    return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d %H:%M")


def fetch(access: Access, portion: Portion, options: Options) -> Iterator[Batch]:
    """Yield the samples of a portion, with server warnings as `Bad`; raise ValueError if the server fails."""
    client = Client(access)
    collecting = Collecting(options)
    result: set[str] = set()
    work = [(portion, _FIRST, portion.end - portion.start)]
    while work:
        (metrics, start, end), window, limit = work.pop()
        if start >= end:
            continue
        window = max(_LEAST, min(window, limit, client.longest()))
        until = min(end, start + window)
        smallest = len(metrics) == 1 and until - start <= _LEAST
        try:
            found = client.samples(metrics, start, until, smallest)
        except TooMuchError as error:
            if until - start > _LEAST:
                half = max(_LEAST, (until - start) // 2)
                work.append((Portion(metrics, start, end), half, half))
            elif not smallest:
                middle = len(metrics) // 2
                for half_of_them in (metrics[middle:], metrics[:middle]):
                    work.append((Portion(half_of_them, start, end), window, end - start))
            else:
                raise ValueError(
                    f"{client.base}: {metrics[0]} is too much for it, even for {_LEAST // 1000} s at a time: {error}; "
                    "raise the server's limits, or select fewer series (selector)"
                ) from None
            continue
        count = 0
        for piece in found:
            for reason, text in piece.notes:
                collecting.reject(client.base, reason, text)
            if piece.labels is not None:
                count += collecting.add(client.base, piece.labels, piece.times, piece.values)
        for text in client.warnings.keys() - result:
            collecting.reject(client.base, "the server warned", text)
        result.update(client.warnings)
        grown = int(window * min(8.0, max(0.125, _TARGET / count))) if count else end - start
        work.append((Portion(metrics, until, end), grown, limit))
        if collecting.full:
            yield collecting.take()
    yield collecting.take()
