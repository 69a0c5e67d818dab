"""Requests to a forge's API, retried if that is useful and safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from flink_flint.linter.filesystem.http_client import (
    SYSTEMS_TRUST,
    Failure,
    HttpClient,
    NoResponseError,
    Response,
    RetryPolicy,
    Tls,
    is_address,
)
from flink_flint.linter.pull_request.forge import ForgeError

Parameters = Mapping[str, str | int]

_LONGEST_MESSAGE = 400


class ForgeRequests:
    """Sends requests to the API of one forge with one token.

    In all methods `what` describes the operation for the text of a ForgeError.
    """

    forge: ClassVar[str]
    address_from: ClassVar[str]
    """The names of the environment variables that set the forge's address, as shown in error messages."""
    remedies: Mapping[int, str]
    """The advice to show for a failed request, by HTTP status."""
    seconds_between_writes = 0.0

    def __init__(
        self, url: str, header: str, scheme: str, token: str, retry: RetryPolicy, tls: Tls = SYSTEMS_TRUST
    ) -> None:
        """Create the connection; raise ValueError for an invalid address or token. `header` contains the token."""
        if not is_address(url) or urlsplit(url).username is not None:
            raise ValueError(f"{self.address_from} is not an address of {self.forge}, such as https://HOST/PATH")
        if not re.fullmatch(r"[!-~]+", token):
            # The client must not see such a token: clients include headers they reject in their errors.
            raise ValueError(f"the token for {self.forge} contains blanks or characters that are not allowed in tokens")
        self._token = token
        self._retry = retry
        self._client = HttpClient(url, {"Accept": "application/json", header: f"{scheme}{token}"}, tls=tls)

    def get(self, what: str, path: str) -> dict[str, Any]:
        """Return the JSON object at an API path."""
        answer: dict[str, Any] = self._send(what, "GET", path, reads=_object)
        return answer

    def pages(self, what: str, path: str, parameters: Parameters | None = None, size: int = 100) -> Iterator[Any]:
        """Yield the objects of a paginated list, from all its pages."""
        query: Parameters | None = {**(parameters or {}), "per_page": size}
        while query is not None:
            items, query = self._send(what, "GET", path, query, reads=_page)
            yield from items

    def change(
        self,
        what: str,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        found: Callable[[], Any] | None = None,
    ) -> None:
        """Send a write request and ignore the response body; without `found`, the request must be idempotent."""
        self._send(what, method, path, body=body, writes=True, found=found)

    def delete(self, what: str, path: str) -> None:
        """Delete an object; one that is already gone is not an error."""
        try:
            self.change(what, "DELETE", path)
        except ForgeError as error:
            if error.status != 404:
                raise

    def create(self, what: str, path: str, body: Mapping[str, Any], found: Callable[[], Any]) -> Any:
        """Create an object with a non-idempotent POST and return it; `found` looks for it before a retry."""
        return self._send(what, "POST", path, body=body, reads=_made, writes=True, found=found)

    def _send(
        self,
        what: str,
        method: str,
        path: str,
        parameters: Parameters | None = None,
        *,
        body: Any = None,
        reads: Callable[[Response], Any] = lambda _: None,
        writes: bool = False,
        found: Callable[[], Any] | None = None,
    ) -> Any:
        def attempt() -> Any:
            if writes:
                self._retry.pace(self.seconds_between_writes)
            try:
                answer = self._client.exchange(method, path, parameters, body=body)
            except NoResponseError as error:
                return Failure(str(error), unclear=not error.untrusted)
            try:
                outcome = reads(answer) if answer.status < 300 else self._refusal(answer)
            except ValueError as error:
                outcome = Failure(str(error), unclear=True)
            if isinstance(outcome, Failure):
                return outcome._replace(text=self._plain(outcome.text), status=outcome.status or answer.status)
            return outcome

        outcome = self._retry.run(attempt, found)
        if isinstance(outcome, Failure):
            raise ForgeError(f"{what}: {self._described(outcome)}", outcome.status)
        return outcome

    def _refusal(self, answer: Response) -> Failure:
        if 300 <= answer.status < 400:
            return Failure("it redirects elsewhere", answer.status)
        unwell = answer.status >= 500
        limited = answer.status == 429
        wait = answer.retry_after() if unwell or limited else None
        return Failure(answer.error_text() or "no message", answer.status, limited, unwell, wait)

    def _described(self, failure: Failure) -> str:
        """Return what the forge responded, and what to do about it."""
        message = failure.text.removeprefix(f"{failure.status} ").rstrip(".")
        who = f"{self.forge} responded with {failure.status}" if failure.status else f"no response from {self.forge}"
        often = f", {failure.tries} times" if failure.tries > 1 else ""
        advice = self._advice(failure)
        return f"{who}: {message}{often}{advice and '. '}{advice}"

    def _advice(self, failure: Failure) -> str:
        if failure.limited:
            until = f" It resets in {failure.wait:.0f} seconds." if failure.wait else ""
            return f"A rate limit is exhausted.{until} Run the job again later"
        return self.remedies.get(failure.status, "Run the job again later" if failure.unclear else "")

    def _plain(self, text: str) -> str:
        """Return one line of limited length, without the token in case the forge sent it back."""
        for secret in (self._token, quote(self._token, safe="")):
            text = text.replace(secret, "***")
        line = "".join(character for character in " ".join(text.split()) if character.isprintable())
        return line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + "…"


def _object(answer: Response) -> Any:
    found = answer.json()
    return found if isinstance(found, dict) else Failure("the response is not the object that the API documents")


def _page(answer: Response) -> Any:
    """Return the items of a page, and the parameters of the next one."""
    items = answer.json()
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return Failure("the response is not the list that the API documents")
    return items, answer.next_page()


def _made(answer: Response) -> dict[str, Any]:
    made = answer.json()
    if not isinstance(made, dict) or "id" not in made:
        raise ValueError("the response does not contain the created object")
    return made
