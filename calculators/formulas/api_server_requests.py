"""The number of requests that Kubernetes high availability makes to the API server, by release."""

from __future__ import annotations

import math

from flink_flint.linter.flink.releases import MINORS, Release, nearest_index

REQUESTS_OF_A_JOB = 3
REQUESTS_OF_THE_CLUSTER = 4
"""The number of concurrent Kubernetes API requests that a cluster needs in addition to those for its jobs.

Derived from Flink's own limit of 20 jobs for 64 requests; its classes open up to five, which the margin covers.
"""
DEFAULT_LIMIT = 64
"""The Kubernetes client's default limit on concurrent requests, in Flink releases that have such a limit."""
MARGIN = 1.25
SHARED_WATCH_SINCE = "1.14"
"""The first minor release of Flink in which all jobs share one Kubernetes watch."""
UNLIMITED_SINCE = "1.18"
"""The first minor release of Flink whose Kubernetes client does not limit concurrent requests."""
FIRST_WITH_KUBERNETES_HA = MINORS.index("1.12")
_SHARED_WATCH = MINORS.index(SHARED_WATCH_SINCE)
_ONE_ELECTION = MINORS.index("1.15")
_NO_LIMIT = MINORS.index(UNLIMITED_SINCE)
_FIRST_PATCH_THAT_READS_IT = {"1.12": 3}


def needs_requests_per_job(release: Release) -> bool:
    """Return whether each running job permanently keeps its own requests to the API server open in a release."""
    return FIRST_WITH_KUBERNETES_HA <= nearest_index(release) < _SHARED_WATCH


def requests(jobs: int, release: Release) -> int:
    """Return the number of requests that a JobManager with `jobs` jobs permanently keeps open."""
    return REQUESTS_OF_A_JOB * jobs + REQUESTS_OF_THE_CLUSTER if needs_requests_per_job(release) else 1


def recommended_limit(jobs: int, release: Release) -> int:
    """Return the recommended limit on concurrent requests: 1.25 times the number needed, but at least the default."""
    return max(DEFAULT_LIMIT, math.ceil(MARGIN * requests(jobs, release)))


def jobs_within(limit: int, release: Release) -> int | None:
    """Return the maximum number of jobs under a limit on concurrent requests; None if jobs need no requests."""
    if not needs_requests_per_job(release):
        return None
    return max(0, (limit - REQUESTS_OF_THE_CLUSTER) // REQUESTS_OF_A_JOB)


def reads_limit(release: Release) -> bool:
    """Return whether a system property or environment variable can limit concurrent requests in a release."""
    if not FIRST_WITH_KUBERNETES_HA <= nearest_index(release) < _NO_LIMIT:
        return False
    first = _FIRST_PATCH_THAT_READS_IT.get(release.name, 0)
    return release.patch is None or release.patch >= first


def elections(jobs: int, release: Release) -> int:
    """Return the number of leader elections, each with a lease that is renewed every 5 s."""
    return 3 + jobs if nearest_index(release) < _ONE_ELECTION else 1


def config_maps(jobs: int, release: Release) -> int:
    """Return the number of ConfigMaps of a cluster: its own ConfigMaps, and one for each job."""
    return jobs + (3 if nearest_index(release) < _ONE_ELECTION else 1)


def watches(jobs: int, taskmanagers: int, jobs_of_a_taskmanager: int, release: Release) -> int:
    """Return the number of watches that the JobManager and the TaskManagers keep open on the API server."""
    each = 1 + jobs_of_a_taskmanager if needs_requests_per_job(release) else 1
    return requests(jobs, release) + taskmanagers * each
