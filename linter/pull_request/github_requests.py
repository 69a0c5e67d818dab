"""Requests to GitHub's APIs: rate limits, errors, and GraphQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flink_flint.linter.filesystem.http_client import Failure, Response, RetryPolicy
from flink_flint.linter.pull_request.forge_requests import ForgeRequests

FORBIDDEN, NOT_FOUND, UNPROCESSABLE = 403, 404, 422

_LIMITS = re.compile(
    r"rate limit|abuse detection|temporarily blocked|wait a few minutes|retry your request again later", re.IGNORECASE
)
_UNWELL = re.compile(r"something went wrong|timed? ?out|unavailable", re.IGNORECASE)
_DENIED = "Resource not accessible"
_REMEDIES = {
    401: "The token in GITHUB_TOKEN or GH_TOKEN is wrong or has expired",
    FORBIDDEN: "Give the job `permissions: pull-requests: write`. A run for a pull request from a fork gets a "
    "read-only token: use a second workflow to comment, see docs/github.md",
    NOT_FOUND: "It does not exist, or the token has no access to it: check the repository, the pull request number "
    "and the token's permissions",
}


class GitHubRequests(ForgeRequests):
    """Sends requests to GitHub's REST and GraphQL APIs; writes are at least one second apart, as GitHub recommends."""

    forge = "GitHub"
    address_from = "GITHUB_API_URL"
    seconds_between_writes = 1.0

    def __init__(self, api_url: str, token: str, retry: RetryPolicy) -> None:
        """Create the client of a server; raise ValueError for an invalid address or token."""
        url = api_url.rstrip("/")
        # On Enterprise Server, REST is below /api/v3 and GraphQL is /api/graphql.
        self._rest = "/v3" if url.endswith("/api/v3") else ""
        self.remedies = _REMEDIES
        super().__init__(url.removesuffix(self._rest), "Authorization", "token ", token, retry)

    def graphql(self, what: str, query: str, variables: Mapping[str, Any], writes: bool = False) -> Any:
        """Return the `data` of the response to a GraphQL query or idempotent mutation."""
        body = {"query": query, "variables": variables}
        return self._send(what, "POST", "/graphql", body=body, reads=self._data, writes=writes)

    def _send(self, what: str, method: str, path: str, *arguments: Any, **named: Any) -> Any:
        path = path if path == "/graphql" else f"{self._rest}{path}"
        return super()._send(what, method, path, *arguments, **named)

    def _data(self, answer: Response) -> Any:
        """Return the data of a response; GraphQL reports errors with status 200."""
        found = answer.json()
        if _kinds(found):
            return self._refusal(answer)
        if not isinstance(found, dict) or not isinstance(found.get("data"), dict):
            raise ValueError("the response contains no data")
        return found["data"]

    def _refusal(self, answer: Response) -> Failure:
        failure, status = super()._refusal(answer), answer.status
        try:
            kinds = _kinds(answer.json())
        except ValueError:
            kinds = set()
        if "FORBIDDEN" in kinds or failure.text.startswith(_DENIED):
            return failure._replace(status=FORBIDDEN)
        if "NOT_FOUND" in kinds:
            return failure._replace(status=NOT_FOUND)
        wait = self._end_of_limit(answer)
        may_be_limited = status in (200, FORBIDDEN) and _LIMITS.search(failure.text) is not None
        if status == 429 or "RATE_LIMITED" in kinds or may_be_limited or (status == FORBIDDEN and wait is not None):
            return failure._replace(limited=True, wait=wait)
        return failure._replace(unclear=failure.unclear or (status == 200 and bool(_UNWELL.search(failure.text))))

    def _end_of_limit(self, answer: Response) -> float | None:
        """Return the seconds until the rate limit resets, if GitHub says so."""
        after = answer.retry_after()
        reset = answer.headers.get("X-RateLimit-Reset", "")
        if after is None and answer.headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal():
            # GitHub only gives whole seconds.
            return max(0.0, int(reset) - self._retry.now()) + 1
        return after


def _kinds(found: Any) -> set[object]:
    """Return the types of the errors in a response; None means an error without a type."""
    errors = found.get("errors") if isinstance(found, dict) else None
    return {one.get("type") if isinstance(one, dict) else None for one in errors} if isinstance(errors, list) else set()
