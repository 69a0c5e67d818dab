"""Determines which pull request a GitHub Actions run belongs to, from its environment."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.text.named_tuple import NamedTuple

_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_REF = re.compile(r"refs/pull/([1-9][0-9]*)/(?:merge|head)")
_LARGEST_EVENT = 64 * 1024**2
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Run(NamedTuple):
    """The pull request of a run, as the environment describes it."""

    repository: str
    """The repository of the pull request as ``owner/name``."""
    number: int | None
    """The number of the pull request; None if only `branch` is known."""
    head: str | None
    """The hash of the checked commit, which must still be the pull request's head; None if the event has no hash."""
    branch: str | None
    """The head branch of the pull request as ``owner:branch``; None if `number` is known."""


def token_of(environ: Mapping[str, str]) -> str:
    """Return the token, which is only read from the environment: flags are visible in process lists and logs."""
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        if token := environ.get(name, "").strip():
            return token
    raise ValueError(
        "neither GITHUB_TOKEN nor GH_TOKEN is set: give the step `env:` with `GITHUB_TOKEN: ${{ github.token }}`"
    )


def run_of(environ: Mapping[str, str], repository: str | None = None, number: int | None = None) -> Run:
    """Return the pull request of a run; arguments take precedence over the environment.

    The number given in a `workflow_run` may come from artifacts of the untrusted run, so its `head` is always returned
    for verification. If no number is given and GitHub provides none because the pull request is from a fork, owner and
    branch are returned: they come from GitHub, not from the run. Raises ValueError naming a missing or invalid
    variable.
    """
    repository = repository or environ.get("GITHUB_REPOSITORY")
    if not repository:
        raise ValueError("GITHUB_REPOSITORY is not set: name the repository as OWNER/NAME")
    if not _REPOSITORY.fullmatch(repository) or ".." in repository:
        raise ValueError(f"the repository {repository[:100]!r} is not of the form OWNER/NAME")
    if number is not None and number < 1:
        raise ValueError(f"{number} is not a pull request number")

    event = _event(environ)
    if isinstance(event.get("workflow_run"), dict):
        return _after_a_run(repository, number, event)
    pull = event.get("pull_request")
    if isinstance(pull, dict) and number in (None, pull.get("number")):
        return Run(repository, _number(pull.get("number")), _sha(pull.get("head")), None)
    if number is not None:
        return Run(repository, number, None, None)
    issue = event.get("issue")
    if isinstance(issue, dict) and "pull_request" in issue:
        return Run(repository, _number(issue.get("number")), None, None)
    if ref := _REF.fullmatch(environ.get("GITHUB_REF", "")):
        return Run(repository, int(ref[1]), None, None)
    where = "GITHUB_EVENT_PATH is not set" if "GITHUB_EVENT_PATH" not in environ else "the event of this run has none"
    raise ValueError(
        f"no pull request to comment on: {where}, and GITHUB_REF is not refs/pull/NUMBER/merge: give its number"
    )


def _after_a_run(repository: str, number: int | None, event: Mapping[str, Any]) -> Run:
    run = event["workflow_run"]
    head = _sha({"sha": run.get("head_sha")})
    if head is None:
        raise ValueError("the workflow_run in the file of GITHUB_EVENT_PATH has no head_sha")
    if number is None:
        number = _only_pull(run.get("pull_requests"), head, event.get("repository"))
    if number is not None:
        return Run(repository, number, head, None)
    owner = (_object(run.get("head_repository"), "owner") or {}).get("login")
    branch = run.get("head_branch")
    if not isinstance(owner, str) or not isinstance(branch, str) or not owner or not branch:
        raise ValueError(
            "the workflow_run in the file of GITHUB_EVENT_PATH names neither a pull request nor a branch: give the "
            "number of the pull request"
        )
    return Run(repository, None, head, f"{owner}:{branch}")


def _only_pull(pulls: object, head: str, repository: object) -> int | None:
    """Return the only pull request of a run into this repository; a fork also lists pull requests within the fork."""
    home = repository.get("id") if isinstance(repository, dict) else None
    numbers = {
        pull.get("number")
        for pull in (pulls if isinstance(pulls, list) else ())
        if isinstance(pull, dict)
        and _sha(pull.get("head")) == head
        and (home is None or (_object(pull.get("base"), "repo") or {}).get("id") == home)
    }
    return _number(numbers.pop()) if len(numbers) == 1 else None


def _event(environ: Mapping[str, str]) -> Mapping[str, Any]:
    path = environ.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        event = json.loads(read_named(path, _LARGEST_EVENT))
    except OSError as error:
        raise ValueError(f"the file of GITHUB_EVENT_PATH cannot be read: {error.strerror}") from None
    except ValueError:
        raise ValueError("the file of GITHUB_EVENT_PATH is not JSON") from None
    if not isinstance(event, dict):
        raise ValueError("the file in GITHUB_EVENT_PATH is not an event")
    return event


def _object(value: object, name: str) -> Mapping[str, Any] | None:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else None


def _number(value: object) -> int:
    if not isinstance(value, int) or value < 1:
        raise ValueError("the event in the file of GITHUB_EVENT_PATH has no number of a pull request")
    return value


def _sha(head: object) -> str | None:
    sha = head.get("sha") if isinstance(head, dict) else None
    return sha if isinstance(sha, str) and _SHA.fullmatch(sha) else None
