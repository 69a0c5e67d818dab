"""Requests to GitLab's API: authentication, errors and their remedies."""

from __future__ import annotations

from flink_flint.linter.filesystem.http_client import Failure, Response, RetryPolicy, Tls
from flink_flint.linter.pull_request.forge_requests import ForgeRequests

TOKEN_NEEDED = (
    "a project, group or personal access token of scope api whose user has at least the role Developer in the project"
)
_JOB_TOKEN = (
    "CI_JOB_TOKEN cannot comment on merge requests, and reads them on newer servers only: set GITLAB_TOKEN to "
    + TOKEN_NEEDED
)


class GitLabRequests(ForgeRequests):
    """Sends requests to GitLab's REST API, with an access token or a job token."""

    forge = "GitLab"
    address_from = "CI_API_V4_URL or CI_SERVER_URL"

    def __init__(self, url: str, *, token: str | None, job_token: str | None, ca_file: str, retry: RetryPolicy) -> None:
        """Create the client of a server at `url`, including its path; raise ValueError if it or a token is invalid."""
        self._by_job_token = token is None
        self.remedies = {
            401: f"GITLAB_TOKEN is wrong or has expired; it must be {TOKEN_NEEDED}",
            403: f"GITLAB_TOKEN must be {TOKEN_NEEDED}",
            404: "Check the project and the merge request number, and that the user of GITLAB_TOKEN can see them",
        }
        if token is None:
            self.remedies = dict.fromkeys(self.remedies, _JOB_TOKEN)
        self.url = url.rstrip("/")
        header = "JOB-TOKEN" if token is None else "PRIVATE-TOKEN"
        super().__init__(f"{self.url}/api/v4", header, "", token or job_token or "", retry, Tls(ca_file))

    def user(self) -> int:
        """Return the id of the token's user; a job token acts for the user who started the pipeline."""
        if self._by_job_token:
            return int(self.get("reading the user of the job from GitLab", "/job")["user"]["id"])
        return int(self.get("reading the owner of the token from GitLab", "/user")["id"])

    def _refusal(self, answer: Response) -> Failure:
        failure = super()._refusal(answer)
        locked = answer.status == 409 and "Resource lock" in failure.text
        return failure._replace(unclear=failure.unclear or locked)

    def _advice(self, failure: Failure) -> str:
        if failure.status < 300:
            return f"Is {self.url} its address? Its CA certificate belongs in CI_SERVER_TLS_CA_FILE"
        if 300 <= failure.status < 400:
            return "Give the address it redirects to (CI_SERVER_URL), and the project's id or its new path"
        return super()._advice(failure)
