"""A live cluster's REST interface, polled for metrics, checkpoints, configuration and topology.

The JobManager fetches metrics from its TaskManagers every ten seconds (``metrics.fetcher.update-interval``), so more
frequent requests return nothing new.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from flink_flint.calculators.history.samples import Batch, Gathering
from flink_flint.calculators.history.sources.flink_rest.responses import About, Place, Responses
from flink_flint.calculators.history.sources.recognition import Options
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
from flink_flint.linter.text.named_tuple import NamedTuple

NO_RESPONSE = "the cluster does not respond"
AN_ERROR = "the cluster responds with an error"

_TRIES = 4
_LONGEST = 3000
"""Maximum number of characters of names in one request; Flink's server accepts request lines of 4096 bytes."""
_ENDED = ("FINISHED", "FAILED", "CANCELED", "SUSPENDED")
_OF_HISTORY = frozenset(
    ("lastCheckpointDuration", "lastCheckpointSize", "lastCheckpointFullSize", "lastCheckpointProcessedData",
     "lastCheckpointPersistedData", "lastCheckpointRestoreTimestamp", "numberOfCompletedCheckpoints",
     "numberOfFailedCheckpoints")
)  # fmt: skip
"""Metrics of a job that its history of checkpoints shows exactly; the fetched ones lag and would go backward."""


class Access(NamedTuple):
    """The credentials, TLS settings and timeout for requests to a cluster."""

    user: str = ""
    password: str = ""
    """The password of `user` for basic authentication."""
    token: str = ""
    """The bearer token, used instead of `user` and `password`; empty without one."""
    ca: str = ""
    """The path of a file with the certificate authorities to trust; empty for the system's."""
    insecure: bool = False
    """Whether to accept server certificates without verification."""
    timeout: float = 10.0
    """The maximum time to wait for a response, in seconds."""


ANYONE = Access()
"""The default `Access`, without credentials, since Flink itself has no authentication."""


class UnreachableError(Exception):
    """The error for a cluster that does not respond to several attempts."""


class Client:
    """A client for the REST interface of one cluster."""

    def __init__(
        self, url: str, access: Access, wait: Callable[[float], None], refuse: Callable[[str, str, str], None]
    ) -> None:
        url = url if "://" in url else f"http://{url}"
        base = address_only(url).rstrip("/")
        if not is_address(url):
            raise ValueError(f"{base}: not the address of a cluster; use one such as http://localhost:8081")
        parts = urlsplit(url)
        named = (access.user, access.password) if access.user else (parts.username or "", parts.password or "")
        headers = {"Accept": "application/json", **authorization(*named, access.token)}
        self._shown = base.removesuffix(parts.path.rstrip("/"))
        self._http = HttpClient(base, headers, tls=Tls(access.ca, insecure=access.insecure), timeout=access.timeout)
        self._retry = RetryPolicy(math.inf, wait, tries=_TRIES, first=0.5)
        self._refuse = refuse

    def get(self, path: str) -> Any:
        """Return the parsed response at a path; None if the path does not exist or the cluster responds with an error.

        Raises UnreachableError, or ValueError if a retry would not help.
        """
        outcome = self._retry.run(lambda: self._once(path))
        if not isinstance(outcome, Failure):
            return outcome
        if not outcome.status:
            raise UnreachableError(f"{self._shown}: does not respond: {outcome.text}")
        self._refuse(self._shown + path.partition("?")[0], AN_ERROR, outcome.text)
        return None

    def _once(self, path: str) -> Any:
        try:
            response = self._http.exchange("GET", path)
        except NoResponseError as error:
            if error.untrusted:
                raise ValueError(f"{self._shown}: {error}: specify the authority that signed it") from None
            return Failure(str(error), unclear=True)
        if response.status == 404:
            return None
        return self._parsed(path, response) if response.status == 200 else self._refusal(response)

    def _parsed(self, path: str, response: Response) -> Any:
        try:
            return response.json()
        except ValueError:
            where = f"{self._shown}{path.partition('?')[0]}"
            raise ValueError(f"{where}: responds, but not like Flink's REST API") from None

    def _refusal(self, response: Response) -> Failure:
        if response.status in (401, 403):
            status = response.status
            raise ValueError(f"{self._shown}: denies access ({status}): specify a user and password, or a token")
        if 300 <= response.status < 400:
            there = address_only(response.headers.get("Location", ""))
            raise ValueError(f"{self._shown}: redirects to another address ({there}): use that one")
        return Failure(f"status {response.status}", response.status, unclear=True)


def poll(
    url: str,
    options: Options,
    *,
    every: float = 10.0,
    span: float = 600.0,
    access: Access = ANYONE,
    wait: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.time,
) -> Iterator[Batch]:
    """Yield a batch for each round of requests: immediately, then every `every` seconds for `span` seconds.

    A round without a response is a `Bad`. Raises ValueError if the first round gets no response, if access is denied,
    and for an invalid address or period.
    """
    if not (every > 0 and span >= 0):
        raise ValueError("the polling interval must be above 0 s, and the total polling time at least 0 s")
    gathering = Gathering()
    rounds = Rounds(Client(url, access, wait, gathering.reject), Responses(gathering, options), now)
    start = now()
    count = 0
    while True:
        try:
            rounds.run()
        except UnreachableError as error:
            if not count:
                raise ValueError(str(error)) from None
            gathering.reject(url.rpartition("@")[2], NO_RESPONSE, str(error))
        yield gathering.take()
        # Rounds keep to the clock; those that a slow round overlapped are skipped.
        count = max(count + 1, -int(-(now() - start) // every))
        if count * every > span:
            return
        wait(max(0.0, start + count * every - now()))


class Rounds:
    """The requests that each round of polling sends to a cluster."""

    def __init__(self, client: Client, responses: Responses, now: Callable[[], float]) -> None:
        self._client = client
        self._responses = responses
        self._now = now
        self._settled: set[str] = set()
        """Jobs that ended and were reported."""

    def run(self) -> None:
        """Run one round of requests; raise UnreachableError, or ValueError for a response that is not Flink's."""
        jobs = self._client.get("/jobs/overview")
        if not isinstance(jobs, dict) or not isinstance(jobs.get("jobs"), list):
            raise ValueError("the address responds, but not like Flink's REST API")
        self._add("/jobmanager/config", About())
        self._metrics("/jobmanager/metrics", About(jobmanager=True))
        self._taskmanagers()
        for job in jobs["jobs"]:
            if isinstance(job, dict) and isinstance(job.get("jid"), str) and job["jid"] not in self._settled:
                self._job(About(job=str(job.get("name", "")), job_id=job["jid"]), str(job.get("state", "")))

    def _taskmanagers(self) -> None:
        result = self._add("/taskmanagers", About())
        found = result.get("taskmanagers") if isinstance(result, dict) else None
        for one in found if isinstance(found, list) else ():
            if isinstance(one, dict) and isinstance(one.get("id"), str):
                self._metrics(f"/taskmanagers/{quote(one['id'], safe='')}/metrics", About(tm=one["id"]))

    def _job(self, about: About, state: str) -> None:
        path = f"/jobs/{about.job_id}"
        detail = self._add(path, about)
        if detail is None:
            return
        for rest in ("/config", "/checkpoints/config", "/checkpoints", "/exceptions"):
            self._add(path + rest, about)
        if state in _ENDED:
            self._settled.add(about.job_id)
            return
        self._metrics(f"{path}/metrics", about, without=_OF_HISTORY)
        vertices = detail.get("vertices") if isinstance(detail, dict) else None
        for vertex in vertices if isinstance(vertices, list) else ():
            if isinstance(vertex, dict) and isinstance(vertex.get("id"), str):
                of_vertex = f"{path}/vertices/{vertex['id']}"
                places = _places(self._client.get(of_vertex))
                given = about._replace(task=str(vertex.get("name", "")), task_id=vertex["id"])
                self._metrics(f"{of_vertex}/metrics", given, places=places)

    def _add(self, path: str, about: About) -> Any:
        """Return the response at a path after adding its contents."""
        response = self._client.get(path)
        if response is not None:
            self._responses.add(response, about._replace(time=self._time()), path)
        return response

    def _time(self) -> int:
        return int(self._now() * 1000)

    def _metrics(
        self,
        path: str,
        about: About,
        *,
        places: dict[int, Place] | None = None,
        without: frozenset[str] = frozenset(),
    ) -> None:
        """Add all metrics at a path; their names are requested each time, as they can change."""
        listed = self._client.get(path)
        names = [one["id"] for one in listed or () if isinstance(one, dict) and isinstance(one.get("id"), str)]
        for chunk in _chunks([name for name in names if name not in without]):
            values = self._values(path, chunk)
            self._responses.metrics(values, about._replace(time=self._time()), places)

    def _values(self, path: str, names: list[str]) -> list[tuple[str, Any]]:
        """Return the values of metrics.

        If one of them no longer exists Flink may omit all of them, so each half is requested separately.
        """
        response = self._client.get(f"{path}?get={','.join(quote(name, safe='') for name in names)}")
        if response is None:
            return []
        values = [
            (one["id"], one["value"]) for one in response if isinstance(one, dict) and "id" in one and "value" in one
        ]
        if values or len(names) == 1:
            return values
        middle = len(names) // 2
        return self._values(path, names[:middle]) + self._values(path, names[middle:])


def _chunks(names: list[str]) -> Iterator[list[str]]:
    """Yield names in lists that fit into a request."""
    chunk: list[str] = []
    length = 0
    for name in names:
        more = len(quote(name, safe="")) + 1
        if chunk and length + more > _LONGEST:
            yield chunk
            chunk, length = [], 0
        chunk.append(name)
        length += more
    if chunk:
        yield chunk


def _places(response: Any) -> dict[int, Place]:
    """Return the attempt and TaskManager of each subtask, from a vertex's details."""
    subtasks = response.get("subtasks") if isinstance(response, dict) else None
    places = {}
    for one in subtasks if isinstance(subtasks, list) else ():
        if isinstance(one, dict) and isinstance(one.get("subtask"), int):
            attempt = one.get("attempt")
            places[one["subtask"]] = Place(
                attempt if isinstance(attempt, int) else -1, str(one.get("taskmanager-id", ""))
            )
    return places
