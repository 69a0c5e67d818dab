"""Requests to GitLab through python-gitlab, tried again where that can help and is safe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from flink_flint.linter import __version__
from flink_flint.linter.pull_request.credentials import check_token, is_address
from flink_flint.linter.pull_request.forge import ForgeError
from flink_flint.linter.pull_request.retry import MOST_TRIES, Patience, backoff, limited_backoff
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    import requests

T = TypeVar("T")
Json = dict[str, Any]

ONCE: Mapping[str, Any] = {"obey_rate_limit": False, "retry_transient_errors": False, "max_retries": 0}
"""Of every call: python-gitlab's own retries repeat what has happened all the same, and wait without a bound."""

TOKEN_WANTED = (
    "a project, group or personal access token of scope api whose user has at least the role Developer in the project"
)
_JOB_TOKEN = (
    "CI_JOB_TOKEN cannot comment on merge requests, and reads them on newer servers only: set GITLAB_TOKEN to "
    + TOKEN_WANTED
)
_TIMEOUT = 30.0
_LONGEST_MESSAGE = 300


class GitLabError(ForgeError):
    """GitLab refused or could not be reached."""


class _Failure(NamedTuple):
    """What came of a try."""

    status: int | None
    said: str
    again: bool = False
    unclear: bool = False
    """Whether it may have been done all the same."""
    wait: float | None = None
    """Seconds that GitLab asks to wait."""


class Requests:
    """A connection to a GitLab, with the retries made here."""

    def __init__(
        self, url: str, *, token: str | None, job_token: str | None, ca_file: str | None, patience: Patience
    ) -> None:
        """Raises ValueError where python-gitlab is missing, or address or token cannot be."""
        if not is_address(url):
            raise ValueError("the address of GitLab is none like https://gitlab.com or https://HOST/PATH")
        for secret in (token, job_token):
            if secret is not None:
                check_token(secret, "GitLab")
        try:
            import gitlab
            import requests
        except ModuleNotFoundError:
            raise ValueError("commenting on GitLab wants python-gitlab: pip install 'flink-flint[comment]'") from None
        self.url = url.rstrip("/")
        self.by_job_token = token is None
        self._secrets = [secret for secret in (token, job_token) if secret]
        self._patience = patience
        self._wait: float | None = None
        session = requests.Session()
        # The token is a header of GitLab's own, which would follow a redirect to another host.
        session.max_redirects = 0
        session.hooks["response"].append(self._remember_wait)
        self.client = gitlab.Gitlab(
            self.url,
            private_token=token,
            job_token=job_token if token is None else None,
            ssl_verify=ca_file or True,
            timeout=_TIMEOUT,
            user_agent=f"flint/{__version__}",
            # The links to further pages are the server's, and may name another host.
            keep_base_url=True,
            session=session,
        )

    def user(self) -> int:
        """The id of the user whose token this is."""
        if not self.by_job_token:
            return int(
                self.ask("find out whose token this is", lambda: _object(self.client.http_get("/user", **ONCE)))["id"]
            )
        # A job token is no user's: the job acts for the one who started the pipeline.
        job = self.ask("find out whose job this is", lambda: _object(self.client.http_get("/job", **ONCE)))
        return int(job["user"]["id"])

    def ask(self, what: str, request: Callable[[], T], *, happened: Callable[[], T | None] | None = None) -> T:
        """What a request answers; `what` completes "could not …".

        `happened` looks whether a request without a clear answer was carried out all the same, and is asked before
        something is created a second time. Raises GitLabError.
        """
        tries = 0
        while True:
            tries += 1
            outcome = self._once(request)
            if not isinstance(outcome, _Failure):
                return outcome
            if not outcome.again or tries == MOST_TRIES or not self._patience.wait(_pause(outcome, tries)):
                raise GitLabError(self._told(what, outcome, tries), outcome.status)
            if happened is not None and outcome.unclear and (found := happened()) is not None:
                return found

    def delete(self, what: str, request: Callable[[], None]) -> None:
        """Ask for something to be deleted; it being gone already is as good."""
        try:
            self.ask(what, request)
        except GitLabError as error:
            if error.status != 404:
                raise

    def _once(self, request: Callable[[], T]) -> T | _Failure:
        import requests
        from gitlab.exceptions import GitlabError

        self._wait = None
        # The client's errors hold the request with its headers: they end here, and no other error is chained to them.
        try:
            return request()
        except requests.exceptions.TooManyRedirects as error:
            answer = error.response
            return _Failure(answer.status_code if answer is not None else None, "it redirects elsewhere")
        except requests.exceptions.SSLError as error:
            return _Failure(None, f"no secure connection: {error}")
        except requests.exceptions.RequestException as error:
            return _Failure(None, f"no answer ({type(error).__name__})", again=True, unclear=True)
        except GitlabError as error:
            status = error.response_code
            # Without a status there was an answer that is no JSON, such as the page of a proxy.
            unwell = status is None or status >= 500
            locked = status == 409 and "Resource lock" in str(error.error_message)
            return _Failure(
                status,
                _message(error.error_message),
                again=unwell or locked or status == 429,
                unclear=unwell,
                wait=self._wait,
            )

    def _remember_wait(self, response: requests.Response, **_: Any) -> None:
        """The client's errors do not carry the header."""
        if response.status_code >= 400:
            self._wait = _seconds(response.headers.get("Retry-After", ""), self._patience.now())

    def _told(self, what: str, failure: _Failure, tries: int) -> str:
        tried = f" in {tries} tries" if tries > 1 else ""
        said, status = failure.said, str(failure.status or "")
        answer = said if said.startswith(status) else f"{status} {said}".strip()
        advice = self._advice(failure)
        text = f"GitLab: could not {what}{tried}: {answer}{f'. {advice}' if advice else ''}"
        for secret in self._secrets:
            text = text.replace(secret, "[token]").replace(quote(secret, safe=""), "[token]")
        return "".join(letter if letter.isprintable() else " " for letter in text)

    def _advice(self, failure: _Failure) -> str:
        status = failure.status
        if self.by_job_token and status in (401, 403, 404):
            return _JOB_TOKEN
        if status == 401:
            return f"GITLAB_TOKEN is wrong or has expired; it must be {TOKEN_WANTED}"
        if status == 403:
            return f"GITLAB_TOKEN must be {TOKEN_WANTED}"
        if status == 404:
            return "Check the project and the number of the merge request, and that the user of GITLAB_TOKEN sees them"
        if status == 429:
            waiting = f" for {failure.wait:.0f} seconds more" if failure.wait else ""
            return f"The rate limit holds{waiting}; run the job again later"
        if status is not None and 300 <= status < 400:
            return "Give the address it redirects to (CI_SERVER_URL), and the project's id or its new path"
        if status is None:
            return f"Is {self.url} its address? What signs its certificate belongs in CI_SERVER_TLS_CA_FILE"
        return "Run the job again later" if status >= 500 else ""


def _pause(failure: _Failure, tries: int) -> float:
    if failure.wait is not None:
        return failure.wait
    return limited_backoff(tries) if failure.status == 429 else backoff(tries)


def _object(answer: object) -> Json:
    """What a request for an object answers; a page of HTML is none."""
    if not isinstance(answer, dict):
        from gitlab.exceptions import GitlabParsingError

        raise GitlabParsingError(error_message="the answer is no JSON")
    return answer


def _message(given: object) -> str:
    """GitLab's own words on one line: a text, or the errors of each field. A proxy's page says nothing."""
    text = given.decode(errors="replace") if isinstance(given, bytes) else given
    if not isinstance(text, str):
        text = json.dumps(text, ensure_ascii=False)
    text = " ".join(text.split())
    if text.startswith("<"):
        return "a page that is not GitLab's"
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


def _seconds(given: str, now: float) -> float | None:
    """Of a Retry-After: a number of seconds, or a date."""
    if re.fullmatch(r"\d{1,9}", given.strip(), re.ASCII):
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - now)
    except ValueError:
        return None
