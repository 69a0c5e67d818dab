"""HTTP client for GitHub, GitLab, Prometheus and Flink's REST API, with retries.

urllib3's `Retry` is not used: it does not retry once the headers of a response have arrived, neither after a truncated
body nor after an error inside a response with status 200, and it cannot check whether a POST without a response was
carried out. `RetryPolicy` does both, and limits the total waiting time of a run.

The package `requests` is in the extras `comment` and `spark`: import this module only if something is fetched.
"""

from __future__ import annotations

import base64
import json
import math
import random
import re
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from flink_flint.linter import __version__
from flink_flint.linter.text.named_tuple import NamedTuple

T = TypeVar("T")
Parameters = Mapping[str, str | int] | Sequence[tuple[str, str]]

_LARGEST = 1 << 28
"""The maximum size of a decompressed response in bytes."""
_WHOLE = 10
"""The maximum time for a complete response, as a multiple of the timeout."""
_BLOCK = 1 << 16
_ERROR = 10_000
"""The maximum number of bytes of a body that are read as an error message."""
_LIMITED = 60.0


class Tls(NamedTuple):
    """The TLS settings of a client: the certificates to trust, and its own certificate and key."""

    ca_file: str = ""
    """The path of a PEM file with certificates to trust instead of the system's."""
    certificate: str = ""
    """The path of a PEM file with the client's certificate, and its private key unless `key` is set."""
    key: str = ""
    insecure: bool = False
    """Whether the server's certificate is accepted without verification."""


SYSTEMS_TRUST = Tls()


class Response(NamedTuple):
    """A complete HTTP response, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """The response headers; lookups ignore case."""
    body: bytes

    def json(self) -> Any:
        """Return the body parsed as JSON; raise ValueError if it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise ValueError("the response is not JSON") from None

    def error_text(self) -> str:
        """Return the error message in the body: the JSON fields `error`, or `message` and `errors`, or plain text."""
        try:
            found = self.json()
        except ValueError:
            text = self.body[:_ERROR].decode(errors="replace").strip()
            return "" if text.startswith("<") else text
        if not isinstance(found, dict):
            return json.dumps(found, ensure_ascii=False)
        text = found.get("error") or found.get("message") or ""
        text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        errors = found.get("errors")
        details = "; ".join(map(_detail, errors[:3])) if isinstance(errors, list) else ""
        return f"{text} ({details})" if text and details else text or details

    def next_page(self) -> dict[str, str] | None:
        """Return the query parameters for the next page of a list, from the ``Link`` header; None on the last page.

        The rest of the address is the server's own view of its name, which may differ behind a proxy.
        """
        links = requests.utils.parse_header_links(self.headers.get("Link", ""))
        following = next((link["url"] for link in links if link.get("rel") == "next"), None)
        return None if following is None else dict(parse_qsl(urlsplit(following).query))

    def retry_after(self) -> float | None:
        """Return the seconds to wait according to the ``Retry-After`` header; None if it is missing or invalid."""
        try:
            return Retry().parse_retry_after(self.headers["Retry-After"])
        except (KeyError, ValueError, OverflowError, urllib3.exceptions.InvalidHeader):
            return None


class NoResponseError(Exception):
    """Raised if no complete response arrives; the message contains neither the address nor credentials."""

    def __init__(self, text: str, *, slow: bool = False, untrusted: bool = False, too_large: bool = False) -> None:
        super().__init__(text)
        self.slow = slow
        self.untrusted = untrusted
        """The server's certificate is not trusted, so retrying does not help."""
        self.too_large = too_large


class HttpClient:
    """An HTTP client for one server, with persistent connections; proxies are read from the environment.

    `headers` are sent with every request, including credentials: they are kept where no traceback or log shows them,
    and only redirects within the server are followed.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str] | None = None, *, tls: Tls = SYSTEMS_TRUST, timeout: float = 30.0
    ) -> None:
        """Create a client; raise ValueError for unusable certificate files. `timeout`: seconds without any data."""
        self._url = url.rstrip("/")
        self._timeout = timeout
        self._verify: bool | str = not tls.insecure and (tls.ca_file or True)
        self._session = _Session()
        self._session.headers["User-Agent"] = f"flint/{__version__}"
        # As `auth`, so that ~/.netrc cannot replace the credentials.
        self._session.auth = _adding(headers or {})
        if urlsplit(url).scheme == "https":
            self._session.mount("https://", _Adapter(_context(tls)))

    def exchange(
        self,
        method: str,
        path: str,
        parameters: Parameters | None = None,
        *,
        body: Any = None,
        form: Sequence[tuple[str, str]] | None = None,
    ) -> Response:
        """Send one request (`body` as JSON); return the response, whatever its status, or raise NoResponseError."""
        until = time.monotonic() + _WHOLE * self._timeout
        sent = {"params": parameters, "json": body, "data": form, "timeout": self._timeout, "verify": self._verify}
        try:
            with self._session.request(method, f"{self._url}{path}", **sent, stream=True) as response:
                body = bytearray()
                for block in response.iter_content(_BLOCK):
                    body += block
                    if len(body) > _LARGEST:
                        raise NoResponseError(f"the response is larger than {_LARGEST >> 20} MiB", too_large=True)
                    if time.monotonic() > until:
                        raise requests.Timeout
                return Response(response.status_code, response.headers, bytes(body))
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            failure = self._no_response(error)
        # The client's errors contain the request with its headers, so they must not be the context of this one.
        raise failure

    def _no_response(self, error: Exception) -> NoResponseError:
        chain: list[BaseException] = [error]
        while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None:
            chain.append(cause)
        root = chain[-1]
        if isinstance(root, ssl.SSLCertVerificationError):
            return NoResponseError(f"its certificate is not trusted ({root.verify_message})", untrusted=True)
        if any(isinstance(one, (requests.Timeout, TimeoutError)) for one in chain):
            return NoResponseError(f"no response within {self._timeout:g} s", slow=True)
        if isinstance(root, OSError) and root.strerror:
            return NoResponseError(root.strerror.lower())
        return NoResponseError(f"the connection broke ({type(root).__name__})")


class Failure(NamedTuple):
    """A failed request: the reason, and whether a retry may help."""

    text: str
    status: int = 0
    """The HTTP status of the failed response; 0 if there was no response."""
    limited: bool = False
    """Whether a rate limit rejected the request, which the server therefore did not process."""
    unclear: bool = False
    """Whether a retry may help but could repeat a request that the server has already processed."""
    wait: float | None = None
    """The number of seconds that the server asked the client to wait before a retry; None if it did not ask."""
    tries: int = 1


class RetryPolicy:
    """Decides how often, and after which delays, requests are retried.

    The delays double from `first` to `longest` seconds, those for a rate limit from one minute. All delays together are
    at most `budget` seconds: a longer one ends the retries at once, so that a server that is down costs a job minutes.
    `sleep` and `now` (seconds since the epoch) can be replaced.
    """

    def __init__(
        self,
        budget: float = 600.0,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.time,
        *,
        tries: int = 6,
        first: float = 1.0,
        longest: float = math.inf,
        jitter: float = 0.0,
    ) -> None:
        self.now = now
        self._left = budget
        self._paced_until = 0.0
        self._sleep = sleep
        self._tries = tries
        self._first = first
        self._longest = longest
        self._jitter = jitter

    def run(self, attempt: Callable[[], T | Failure], found: Callable[[], T | None] | None = None) -> T | Failure:
        """Return the result of the first successful attempt, or the last Failure.

        `found` checks whether a request without a clear result was carried out after all, and returns what it created,
        so that nothing is created twice.
        """
        tries = 0
        while True:
            tries += 1
            outcome = attempt()
            if not isinstance(outcome, Failure):
                return outcome
            failure = outcome._replace(tries=tries)
            if not (failure.limited or failure.unclear):
                return failure
            look = found if failure.unclear else None
            last = tries >= self._tries
            waited = (look or not last) and self.wait(failure.wait or self._backoff(failure))
            if look and (there := look()):
                return there
            if last or not waited:
                return failure

    def wait(self, seconds: float) -> bool:
        """Wait and return True; return False immediately if the wait would exceed the remaining budget."""
        if seconds > self._left:
            return False
        self._left -= seconds
        self._sleep(seconds)
        return True

    def pace(self, seconds: float) -> None:
        """Wait until `seconds` have passed since the last call; the wait does not count toward the budget."""
        early = self._paced_until - self.now()
        if early > 0:
            self._sleep(min(early, seconds))
        self._paced_until = self.now() + seconds

    def _backoff(self, failure: Failure) -> float:
        doubled = 2.0 ** (failure.tries - 1)
        if failure.limited:
            return _LIMITED * doubled
        return min(self._longest, self._first * doubled) * random.uniform(1 - self._jitter, 1 + self._jitter)


def authorization(user: str = "", password: str = "", token: str = "") -> dict[str, str]:
    """Return an `Authorization` header with the token or, without one, the user and password; empty without either."""
    if token:
        return {"Authorization": f"Bearer {token}"}
    if user:
        return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}
    return {}


def is_address(url: str) -> bool:
    """Return whether a URL is a valid server address: http or https, with a host and a valid port."""
    try:
        split = urlsplit(url)
        right_port = split.port != 0
    except ValueError:
        return False
    right_text = not re.search(r"[^!-~]", split.netloc + split.path)
    return split.scheme in ("http", "https") and bool(split.hostname) and right_port and right_text


def address_only(url: str) -> str:
    """Return a URL without user, password, query and fragment, any of which may be secret."""
    bare = url.partition("?")[0].partition("#")[0]
    scheme, mark, rest = bare.rpartition("//")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def _detail(error: object) -> str:
    """Return the text of one of several errors, which is a string or an object."""
    if not isinstance(error, dict):
        return str(error)
    return str(error.get("message") or " ".join(str(error[name]) for name in ("field", "code") if name in error))


def _adding(headers: Mapping[str, str]) -> Callable[[requests.PreparedRequest], requests.PreparedRequest]:
    def add(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers.update(headers)
        return request

    return add


class _Session(requests.Session):
    """Follows redirects of GET requests within the server only; others would send the credentials elsewhere."""

    max_redirects = 5

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        if resp.request.method != "GET" or (target := super().get_redirect_target(resp)) is None:
            return None
        try:
            stays = urlsplit(urljoin(resp.url, target))[:2] == urlsplit(resp.url)[:2]
        except ValueError:
            return None
        return target if stays else None


class _Adapter(HTTPAdapter):
    """Trusts the authorities of an SSL context, because `requests` would use its own list instead of the system's."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__()

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        host, pool = super().build_connection_pool_key_attributes(request, verify, cert)
        return host, {**pool, "ssl_context": self._context}


def _context(tls: Tls) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=tls.ca_file or None)
        if tls.certificate:
            context.load_cert_chain(tls.certificate, tls.key or None)
    except OSError as error:
        files = ", ".join(file for file in (tls.ca_file, tls.certificate, tls.key) if file)
        reason = error.strerror or type(error).__name__
        raise ValueError(f"{files}: no certificates that can be used ({reason})") from None
    if tls.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        # The user has chosen this and was warned.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return context
