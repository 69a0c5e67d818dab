"""What GitHub's REST API answers with, every member that its description requires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]

_WHEN = "2026-03-01T12:00:00Z"
_REPOSITORY_URLS = """
archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads
events forks git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages merges
milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees clone git mirror
svn ssh
"""
_USER_URLS = "avatar events followers following gists html organizations received_events repos starred subscriptions"


def user(url: str, login: str) -> Json:
    """A user; whose login ends in ``[bot]`` is a bot."""
    own = f"{url}/users/{login.replace('[', '%5B').replace(']', '%5D')}"
    return {
        "login": login,
        "id": sum(map(ord, login)),
        "node_id": f"U_{login}",
        "gravatar_id": "",
        "url": own,
        **{f"{name}_url": f"{own}/{name}" for name in _USER_URLS.split()},
        "type": "Bot" if login.endswith("[bot]") else "User",
        "site_admin": False,
    }


def repository(url: str, full_name: str) -> Json:
    owner, name = full_name.split("/")
    own = f"{url}/repos/{full_name}"
    return {
        "id": sum(map(ord, full_name)),
        "node_id": f"R_{name}",
        "name": name,
        "full_name": full_name,
        "owner": user(url, owner),
        "private": False,
        "html_url": f"{url}/{full_name}",
        "description": None,
        "fork": False,
        "url": own,
        **{f"{kind}_url": f"{own}/{kind}" for kind in _REPOSITORY_URLS.split()},
        "homepage": None,
        "language": None,
        "license": None,
        "topics": [],
        "visibility": "public",
        "default_branch": "main",
        **{f"has_{kind}": False for kind in ("downloads", "issues", "projects", "wiki", "pages", "discussions")},
        "archived": False,
        "disabled": False,
        **dict.fromkeys(("forks", "forks_count", "open_issues", "open_issues_count"), 0),
        **dict.fromkeys(("size", "stargazers_count", "watchers", "watchers_count"), 0),
        **dict.fromkeys(("pushed_at", "created_at", "updated_at"), _WHEN),
    }


def pull(url: str, full_name: str, number: int, head: Mapping[str, str], title: str = "Tune the job") -> Json:
    """Return a pull request as in a list; `head` has ``repository``, ``ref`` and ``sha``."""
    own = f"{url}/repos/{full_name}/pulls/{number}"
    issue = f"{url}/repos/{full_name}/issues/{number}"
    author = head["repository"].split("/")[0]
    links = {
        "self": own,
        "html": f"{url}/{full_name}/pull/{number}",
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{own}/comments",
        "review_comment": f"{url}/repos/{full_name}/pulls/comments{{/number}}",
        "commits": f"{own}/commits",
        "statuses": f"{url}/repos/{full_name}/statuses/{head['sha']}",
    }
    return {
        "url": own,
        "id": 7_000_000_000 + number,
        "node_id": f"PR_{number}",
        "html_url": links["html"],
        "diff_url": f"{links['html']}.diff",
        "patch_url": f"{links['html']}.patch",
        "issue_url": issue,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "number": number,
        "state": "open",
        "locked": False,
        "title": title,
        "user": user(url, author),
        "body": None,
        "labels": [],
        "milestone": None,
        "created_at": _WHEN,
        "updated_at": _WHEN,
        "closed_at": None,
        "merged_at": None,
        "merge_commit_sha": None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _side(url, head["repository"], head["ref"], head["sha"]),
        "base": _side(url, full_name, "main", "b" * 40),
        "_links": {name: {"href": address} for name, address in links.items()},
        "author_association": "CONTRIBUTOR",
        "auto_merge": None,
        "draft": False,
    }


def whole_pull(listed: Json, files: int) -> Json:
    """Return a pull request as requested by its number."""
    counts = dict.fromkeys(("comments", "review_comments", "additions", "deletions"), 0)
    return {
        **listed,
        **counts,
        "commits": 1,
        "changed_files": files,
        "merged": False,
        "mergeable": True,
        "rebaseable": True,
        "mergeable_state": "clean",
        "merged_by": None,
        "maintainer_can_modify": False,
    }


def _side(url: str, full_name: str, ref: str, sha: str) -> Json:
    owner = full_name.split("/")[0]
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user(url, owner),
        "repo": repository(url, full_name),
    }


def file(url: str, full_name: str, sha: str, path: str, patch: str | None) -> Json:
    """Return a changed file; without its patch if GitHub considers that too large."""
    shape = {
        "sha": "c" * 40,
        "filename": path,
        "status": "modified",
        "additions": 1,
        "deletions": 1,
        "changes": 2,
        "blob_url": f"{url}/{full_name}/blob/{sha}/file",
        "raw_url": f"{url}/{full_name}/raw/{sha}/file",
        "contents_url": f"{url}/repos/{full_name}/contents/file?ref={sha}",
    }
    return shape if patch is None else {**shape, "patch": patch}


def comment(url: str, full_name: str, number: int, one: Mapping[str, Any]) -> Json:
    """Return a comment on the pull request; `one` has ``id``, ``login`` and ``body``."""
    return {
        "id": one["id"],
        "node_id": f"IC_{one['id']}",
        "url": f"{url}/repos/{full_name}/issues/comments/{one['id']}",
        "html_url": f"{url}/{full_name}/pull/{number}#issuecomment-{one['id']}",
        "issue_url": f"{url}/repos/{full_name}/issues/{number}",
        "body": one["body"],
        "user": user(url, one["login"]),
        "created_at": _WHEN,
        "updated_at": _WHEN,
        "author_association": "CONTRIBUTOR",
    }


def review(url: str, full_name: str, number: int, login: str, commit: str, body: str) -> Json:
    html = f"{url}/{full_name}/pull/{number}#pullrequestreview-80"
    own = f"{url}/repos/{full_name}/pulls/{number}"
    return {
        "id": 80,
        "node_id": "PRR_80",
        "user": user(url, login),
        "body": body,
        "state": "COMMENTED",
        "html_url": html,
        "pull_request_url": own,
        "_links": {"html": {"href": html}, "pull_request": {"href": own}},
        "submitted_at": _WHEN,
        "commit_id": commit,
        "author_association": "CONTRIBUTOR",
    }


def review_comment(url: str, full_name: str, number: int, thread: Mapping[str, Any], one: Mapping[str, Any]) -> Json:
    """Return a review comment; `one` has ``id``, ``login`` and ``body``, `thread` has ``path`` and ``commit``."""
    own = f"{url}/repos/{full_name}/pulls/comments/{one['id']}"
    html = f"{url}/{full_name}/pull/{number}#discussion_r{one['id']}"
    pull_url = f"{url}/repos/{full_name}/pulls/{number}"
    return {
        "url": own,
        "pull_request_review_id": 80,
        "id": one["id"],
        "node_id": one["node"],
        "diff_hunk": "@@ -1 +1 @@",
        "path": thread["path"],
        "commit_id": thread["commit"],
        "original_commit_id": thread["commit"],
        "user": user(url, one["login"]),
        "body": one["body"],
        "created_at": _WHEN,
        "updated_at": _WHEN,
        "html_url": html,
        "pull_request_url": pull_url,
        "author_association": "CONTRIBUTOR",
        "_links": {"self": {"href": own}, "html": {"href": html}, "pull_request": {"href": pull_url}},
    }
