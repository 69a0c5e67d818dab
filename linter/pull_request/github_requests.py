"""Requests to GitHub, tried again where that can help and is safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flink_flint.linter import __version__
from flink_flint.linter.pull_request.credentials import check_token, is_address
from flink_flint.linter.pull_request.forge import ForgeError
from flink_flint.linter.pull_request.retry import MOST_TRIES, Patience, backoff, limited_backoff
from flink_flint.linter.text.named_tuple import NamedTuple

T = TypeVar("T")

FORBIDDEN, UNPROCESSABLE, NOT_FOUND = 403, 422, 404

_TIMEOUT = 30
_LONGEST_MESSAGE = 400
_LIMITS = re.compile(
    r"rate limit|abuse detection|temporarily blocked|wait a few minutes|retry your request again later", re.IGNORECASE
)
_UNWELL = re.compile(r"something went wrong|timed? ?out|unavailable", re.IGNORECASE)
_NEXT = re.compile(r'<([^<>]*)>\s*;[^,]*\brel="next"')
_PERMISSION = (
    "Give the job `permissions: pull-requests: write`. A run for a pull request from a fork gets a token that only "
    "reads: there a second workflow comments, see docs/github.md"
)


class GitHubError(ForgeError):
    """GitHub refused or could not be reached."""


class _Failure(NamedTuple):
    """What came of a try."""

    status: int | None
    said: str
    limited: bool = False
    """Refused for now only, hence certainly not done."""
    unwell: bool = False
    """Worth another try; the request may have been done all the same."""
    wait: float | None = None
    """Seconds that GitHub asks to wait."""


class Requests:
    """PyGithub's connection with the answers read plainly and the retries made here.

    PyGithub's own retries are off: they repeat a POST after a 502 too, which on a comment that was made all the same
    makes a second one; and they sleep without a bound on the whole.
    """

    def __init__(self, token: str, api_url: str, patience: Patience) -> None:
        """Raises ValueError where PyGithub is missing, or token or address cannot be."""
        check_token(token, "GitHub")
        if not is_address(api_url):
            raise ValueError("GITHUB_API_URL is not an address like https://api.github.com or https://HOST/api/v3")
        try:
            import github
        except ModuleNotFoundError:
            raise ValueError("commenting on GitHub wants PyGithub: pip install 'flink-flint[comment]'") from None
        self._requester = github.Github(
            auth=github.Auth.Token(token),
            base_url=api_url.rstrip("/"),
            timeout=_TIMEOUT,
            user_agent=f"flint/{__version__}",
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
        ).requester
        self._patience = patience

    def get(self, what: str, path: str, parameters: Mapping[str, str | int] | None = None) -> Any:
        """The JSON there. `what` is what is being done, for the message of a GitHubError."""
        return self._send(what, lambda: self._requester.requestJsonAndCheck("GET", path, dict(parameters or {})))[1]

    def pages(self, what: str, path: str, parameters: Mapping[str, str | int] | None = None) -> Iterator[Any]:
        """The items of a list, on however many pages."""
        address: str | None = path
        asked: dict[str, Any] = {**(parameters or {}), "per_page": 100}
        while address is not None:
            headers, items = self._send(what, _call(self._requester.requestJsonAndCheck, "GET", address, asked))
            if not isinstance(items, list):
                raise GitHubError(f"{what}: the answer is not the list that GitHub's API gives")
            yield from items
            # The address of the next page names everything that was asked for; PyGithub takes path and query of it,
            # so that the token goes to no other host.
            following = _NEXT.search(headers.get("link", ""))
            address = self._path(following[1]) if following else None
            asked = {}

    def change(self, what: str, verb: str, path: str, body: Mapping[str, Any] | None = None) -> None:
        """PATCH, PUT or DELETE: what may be done twice."""
        self._send(what, lambda: self._requester.requestJsonAndCheck(verb, path, input=body), writes=True)

    def create(self, what: str, path: str, body: Mapping[str, Any], stands: Callable[[], bool]) -> None:
        """POST what must not be done twice: before it is tried again, `stands` tells whether it was done after all."""

        def post() -> None:
            _, made = self._requester.requestJsonAndCheck("POST", path, input=body)
            if not isinstance(made, dict) or "id" not in made:
                raise ValueError("the answer does not hold what was made")

        self._send(what, post, writes=True, stands=stands)

    def graphql(self, what: str, query: str, variables: Mapping[str, Any], writes: bool = False) -> Any:
        """The `data` of a query, or of a mutation that may be done twice."""

        def ask() -> Any:
            _, answer = self._requester.graphql_query(query, dict(variables))
            if not isinstance(answer.get("data"), dict):
                raise ValueError("the answer holds no data")
            return answer["data"]

        return self._send(what, ask, writes=writes)

    def _path(self, address: str) -> str:
        """An address of GitHub's without the part that the client puts before every path."""
        split = urlsplit(address)
        path = split.path.removeprefix(urlsplit(self._requester.base_url).path)
        return f"{path}?{split.query}"

    def _send(
        self, what: str, call: Callable[[], T], writes: bool = False, stands: Callable[[], bool] | None = None
    ) -> T:
        tries = 0
        while True:
            if writes:
                self._patience.pace()
            try:
                return call()
            except Exception as error:
                failure = self._failure(error)
            # From here on no exception of the client is at hand: its frames hold the headers with the token.
            tries += 1
            if not (failure.limited or failure.unwell):
                break
            least = limited_backoff(tries) if failure.limited else backoff(tries)
            waited = self._patience.wait(failure.wait if failure.wait is not None else least)
            if failure.unwell and stands is not None and stands():
                return None  # type: ignore[return-value]  # only `create` passes `stands`, and wants nothing back
            if not waited or tries == MOST_TRIES:
                break
        raise GitHubError(f"{what}: {_told(failure, tries)}", failure.status)

    def _failure(self, error: Exception) -> _Failure:
        """What went wrong."""
        from github import GithubException
        from requests.exceptions import InvalidURL, ProxyError, RequestException, SSLError

        if isinstance(error, GithubException):
            headers = {name.lower(): str(value) for name, value in (error.headers or {}).items()}
            data = error.data if isinstance(error.data, dict) else {}
            if isinstance(data.get("errors"), list) and "message" not in data:
                return self._refused_query(error.status, data["errors"], headers)
            return self._refused(error.status, data, headers)
        if isinstance(error, RequestException):
            hopeless = isinstance(error, (SSLError, ProxyError, InvalidURL))
            return _Failure(None, self._plain(f"{type(error).__name__}: {error}"), unwell=not hopeless)
        if isinstance(error, ValueError):
            return _Failure(None, self._plain(f"an answer that is none of GitHub's API: {error}"), unwell=True)
        # How PyGithub refuses to be led to another host, and stumbles over answers of another shape.
        return _Failure(None, self._plain(f"{type(error).__name__}: {error}"))

    def _refused(self, status: int, data: Mapping[str, Any], headers: Mapping[str, str]) -> _Failure:
        said = str(data.get("message") or "")
        wait = self._asked_to_wait(headers)
        denied = said.startswith("Resource not accessible")
        limited = status == 429 or (
            status == FORBIDDEN and not denied and (wait is not None or _LIMITS.search(said) is not None)
        )
        details = data.get("errors")
        if isinstance(details, list) and details:
            said += f" ({'; '.join(_detail(one) for one in details[:3])})"
        return _Failure(status, self._plain(said), limited, status >= 500, wait if limited or status >= 500 else None)

    def _refused_query(self, status: int, errors: list[Any], headers: Mapping[str, str]) -> _Failure:
        """GraphQL answers 200 with errors inside, which PyGithub tells as 400, or 404 where something is missing."""
        kinds = {one.get("type") for one in errors if isinstance(one, dict)}
        said = "; ".join(_detail(one) for one in errors[:3])
        limited = "RATE_LIMITED" in kinds or _LIMITS.search(said) is not None
        if "FORBIDDEN" in kinds or said.startswith("Resource not accessible"):
            status, limited = FORBIDDEN, False
        elif "NOT_FOUND" in kinds:
            status = NOT_FOUND
        unwell = not limited and _UNWELL.search(said) is not None
        return _Failure(status, self._plain(said), limited, unwell, self._asked_to_wait(headers) if limited else None)

    def _asked_to_wait(self, headers: Mapping[str, str]) -> float | None:
        """Seconds until the limit ends, where GitHub tells."""
        after = headers.get("retry-after", "")
        if after.isdecimal():
            return float(after)
        reset = headers.get("x-ratelimit-reset", "")
        if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
            return max(0.0, int(reset) - self._patience.now()) + 1  # it is not told when within that second
        return None

    def _plain(self, text: str) -> str:
        """One line of bounded length, without the token should somebody have sent it back."""
        token = getattr(self._requester.auth, "token", "")
        line = " ".join(text.replace(token, "***").split())
        line = "".join(character for character in line if character.isprintable())
        return line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + "…"


def _call(function: Callable[..., T], *arguments: Any) -> Callable[[], T]:
    return lambda: function(*arguments)


def _detail(error: Any) -> str:
    """A member of the `errors` of an answer, which is a text or an object."""
    if not isinstance(error, dict):
        return str(error)
    return str(error.get("message") or " ".join(str(error[name]) for name in ("field", "code") if name in error))


def _told(failure: _Failure, tries: int) -> str:
    """What GitHub answered, and what to do about it."""
    said = failure.said.rstrip(".")
    answer = f"GitHub answered {failure.status}: {said}" if failure.status else f"no answer of GitHub, {said}"
    often = f", {tries} times" if tries > 1 else ""
    if failure.limited:
        until = f" It ends in {failure.wait:.0f} seconds." if failure.wait else ""
        return f"{answer}{often}. A limit on requests is used up.{until} Run the job again later"
    if failure.unwell:
        return f"{answer}{often}. Run the job again later"
    remedies = {
        401: "The token in GITHUB_TOKEN or GH_TOKEN is wrong or has expired",
        FORBIDDEN: _PERMISSION,
        NOT_FOUND: "It is not there, or the token may not see it: check the repository, the number of the pull "
        "request and the permissions of the token",
    }
    remedy = remedies.get(failure.status or 0)
    return f"{answer}. {remedy}" if remedy else answer
