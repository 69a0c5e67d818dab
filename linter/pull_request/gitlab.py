"""Comments on GitLab merge requests.

Inline comments are written as draft notes, which only their author sees, and published together, which makes them all
or nothing (https://docs.gitlab.com/api/draft_notes/). On a server without drafts, each becomes a discussion, and those
already created are deleted if one is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from flink_flint.linter.filesystem.http_client import RetryPolicy
from flink_flint.linter.pull_request.forge import Comment, ForgeError, NewThread, Thread
from flink_flint.linter.pull_request.gitlab_positions import DiffRefs, ShownFile, position
from flink_flint.linter.pull_request.gitlab_requests import TOKEN_NEEDED, GitLabRequests
from flink_flint.linter.pull_request.hunks import added_lines, shown_lines
from flink_flint.linter.pull_request.quick_actions import without_quick_actions
from flink_flint.linter.text.named_tuple import NamedTuple

T = TypeVar("T")
Json = dict[str, Any]

_PAGE_OF_DIFFS = 20
"""The page size for diffs; older servers fail with more than 30 files per page."""
_OURS = "<!-- flint:"


class GitLab:
    """A merge request on GitLab, as seen by the owner of a token; an instance caches the diff, so it serves one run."""

    name = "GitLab"
    longest_body = 1_000_000
    suggestion = "suggestion:-{above}+{below}"

    def __init__(
        self,
        url: str,
        project: str,
        number: int,
        *,
        token: str | None = None,
        job_token: str | None = None,
        ca_file: str = "",
        retry: RetryPolicy | None = None,
    ) -> None:
        """Create the client for one merge request.

        `url` is the address of the server including its path, without ``/api/v4``; `project` is an id or a full path.
        Raises ValueError for an invalid argument.
        """
        self._retry = retry or RetryPolicy()
        self._requests = GitLabRequests(url, token=token, job_token=job_token, ca_file=ca_file, retry=self._retry)
        self.project = project
        self.number = number
        self._path = f"/projects/{quote(project, safe='')}/merge_requests/{number}"
        self._user: int | None = None
        self._seen: Json | None = None
        self._files: dict[str, ShownFile] | None = None
        self._newest = 0
        """The highest note id seen: comments created later have higher ones."""

    def __repr__(self) -> str:
        return f"GitLab({self._requests.url!r}, {self.project!r}, {self.number})"

    def __str__(self) -> str:
        return f"{self.project}!{self.number}"

    @classmethod
    def from_environment(
        cls,
        environ: Mapping[str, str],
        project: str | None = None,
        number: int | None = None,
        *,
        retry: RetryPolicy | None = None,
    ) -> GitLab:
        """Return the merge request that a GitLab CI job runs for, or the one given by `project` and `number`.

        In a merge request pipeline, the commit of the pipeline must still be the head: pipelines that finish out of
        order would bring back old findings. Raises ValueError naming the missing variable and its meaning, and
        ForgeError.
        """
        token, job_token = environ.get("GITLAB_TOKEN", "").strip(), environ.get("CI_JOB_TOKEN", "").strip()
        if not token and not job_token:
            raise ValueError(f"GITLAB_TOKEN is not set: set it to {TOKEN_NEEDED}, as a masked variable of the project")
        url = environ.get("CI_API_V4_URL", "").rstrip("/").removesuffix("/api/v4") or environ.get("CI_SERVER_URL", "")
        if not url:
            raise ValueError(
                "neither CI_API_V4_URL nor CI_SERVER_URL is set: outside of GitLab CI set CI_SERVER_URL to the address "
                "of GitLab, such as https://gitlab.com"
            )
        # A pipeline of a fork runs in the fork, and its merge request belongs to the upstream project.
        named = project or next(
            (
                environ[name]
                for name in ("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID", "CI_PROJECT_PATH")
                if environ.get(name)
            ),
            None,
        )
        if not named:
            raise ValueError("CI_PROJECT_ID is not set: name the project by its id or full path (group/project)")
        checked = ""
        if number is None:
            given = environ.get("CI_MERGE_REQUEST_IID", "")
            if not re.fullmatch(r"[1-9]\d{0,17}", given, re.ASCII):
                raise ValueError(
                    "CI_MERGE_REQUEST_IID is not set: run the job in merge request pipelines (rules: if: "
                    '$CI_PIPELINE_SOURCE == "merge_request_event"), or give the number of the merge request'
                )
            number = int(given)
            # For merged results, CI_COMMIT_SHA is a commit that GitLab created.
            checked = environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or environ.get("CI_COMMIT_SHA", "")
        authority = environ.get("CI_SERVER_TLS_CA_FILE", "")
        forge = cls(
            url,
            named,
            number,
            token=token or None,
            job_token=job_token or None,
            ca_file=authority if authority and Path(authority).is_file() else "",
            retry=retry,
        )
        if checked:
            forge._require_head(checked)
        return forge

    def comments(self) -> Sequence[Comment]:
        """Return flint's notes that are not on a line of the diff, oldest first."""
        return [
            Comment(str(note["id"]), note["body"])
            for note in self._notes()
            if self._is_ours(note) and note.get("type") != "DiffNote"
        ]

    def create_comment(self, body: str) -> None:
        """Create a note on the merge request as a whole."""
        text, before = _sent(body), self._newest

        def found() -> bool:
            newer = (note for note in self._notes() if note["id"] > before and self._is_ours(note))
            return any(_same(note["body"], text) for note in newer)

        self._requests.create(f"commenting on {self}", f"{self._path}/notes", {"body": text}, found)

    def update_comment(self, comment: Comment, body: str) -> None:
        """Replace the body of a note."""
        text = _sent(body)
        if not _same(comment.body, text):
            path = f"{self._path}/notes/{comment.id}"
            self._requests.change(f"changing a comment on {self}", "PUT", path, {"body": text})

    def delete_comment(self, comment: Comment) -> None:
        """Delete a note; one that is already gone is not an error."""
        self._requests.delete(f"deleting a comment on {self}", f"{self._path}/notes/{comment.id}")

    def threads(self) -> Sequence[Thread]:
        """Return the discussions that flint started on lines of the diff, oldest first."""
        head = self._refs().head
        threads = []
        for discussion in self._discussions():
            # GitLab adds a note when a push changes the line; that is not a reply.
            notes = [note for note in discussion["notes"] if not note.get("system")]
            if not notes or not self._is_ours(notes[0]) or notes[0].get("type") != "DiffNote":
                continue
            first = notes[0]
            place = first.get("position") or {}
            threads.append(
                Thread(
                    id=str(discussion["id"]),
                    comment=str(first["id"]),
                    body=first["body"],
                    path=place.get("new_path") or "",
                    # GitLab moves the position with every push, until the line itself is changed.
                    line=place.get("new_line") if place.get("head_sha") == head else None,
                    resolved=bool(first.get("resolved")),
                    answered=any(not self._is_ours(note) for note in notes),
                )
            )
        return threads

    def create_threads(self, threads: Sequence[NewThread]) -> int:
        """Create either all inline comments on lines of the diff or none; return their number.

        Raises ForgeError before writing anything if the diff does not show a line.
        """
        placed = [self._placed(thread) for thread in threads]
        if not placed:
            return 0
        if not self._published_as_drafts(placed):
            self._create_discussions(placed)
        return len(placed)

    def update_thread(self, thread: Thread, body: str) -> None:
        """Replace the body of a discussion's first note."""
        text = _sent(body)
        if not _same(thread.body, text):
            path = self._inline(thread.id, thread.comment)
            self._requests.change(f"changing an inline comment on {self}", "PUT", path, {"body": text})

    def resolve(self, thread: Thread) -> None:
        """Mark a discussion as resolved, which requires the Developer role or authorship of the merge request."""
        self._set_resolved(f"resolving a thread of {self}", thread, True)

    def reopen(self, thread: Thread) -> None:
        """Mark a discussion as unresolved."""
        self._set_resolved(f"reopening a thread of {self}", thread, False)

    def delete_thread(self, thread: Thread) -> None:
        """Delete flint's note, and with it the discussion if it has no other notes."""
        self._delete_inline(thread.id, thread.comment)

    def changed_lines(self) -> Mapping[str, frozenset[int]]:
        """Return the lines that the merge request adds, by path; a file that is too large or collapsed has none."""
        added = {path: added_lines(file.lines) for path, file in self._shown_files().items()}
        return {path: lines for path, lines in added.items() if lines}

    def line_url(self, path: str, start_line: int, line: int) -> str:
        """Return the URL of the lines `start_line` to `line` of a file at the head of the merge request."""
        project = str(self._request()["web_url"]).partition("/-/merge_requests/")[0]
        lines = f"L{start_line}" if start_line >= line else f"L{start_line}-{line}"
        return f"{project}/-/blob/{self._refs().head}/{quote(path)}#{lines}"

    # Reading the merge request.

    def _request(self) -> Json:
        """Return the merge request after GitLab has prepared its diff in the background."""
        for wait in (2.0, 4.0, 8.0, None):
            if self._seen is None:
                answer = self._requests.get(f"reading merge request {self}", self._path)
                if answer.get("diff_refs"):
                    self._seen = answer
                elif wait is None or not self._retry.wait(wait):
                    break
        if self._seen is None:
            raise ForgeError(f"GitLab has no diff of {self} yet; run the job again later")
        return self._seen

    def _refs(self) -> DiffRefs:
        refs = self._request()["diff_refs"]
        return DiffRefs(refs["base_sha"], refs["start_sha"], refs["head_sha"])

    def _require_head(self, checked: str) -> None:
        """Raise ForgeError if the commit is not the head of the merge request."""
        head = self._refs().head
        if head != checked:
            raise ForgeError(
                f"GitLab: the head of {self} is commit {head[:12]}, but {checked[:12]} was checked: nothing is "
                "posted, the pipeline of the last push comments"
            )

    def _shown_files(self) -> Mapping[str, ShownFile]:
        if self._files is None:
            # Read before the diff: after a push in between, GitLab rejects the comments instead of moving them.
            self._refs()
            what, path = f"reading the diff of {self}", f"{self._path}/diffs"
            self._files = {
                diff["new_path"]: ShownFile(
                    diff["old_path"], diff["new_path"], {} if _is_folded(diff) else shown_lines(diff["diff"])
                )
                for diff in self._requests.pages(what, path, size=_PAGE_OF_DIFFS)
                if not diff.get("deleted_file")
            }
        return self._files

    def _notes(self) -> list[Json]:
        notes = self._list("comments", "notes", sort="asc", order_by="created_at")
        self._newest = max([self._newest, *(note["id"] for note in notes)])
        return notes

    def _discussions(self) -> list[Json]:
        discussions = [discussion for discussion in self._list("threads", "discussions") if discussion["notes"]]
        self._newest = max([self._newest, *(note["id"] for one in discussions for note in one["notes"])])
        return discussions

    def _list(self, what: str, kind: str, **parameters: str) -> list[Json]:
        """Return the items of all pages once, even if a comment created meanwhile shifts some onto the next page."""
        found = self._requests.pages(f"reading the {what} of {self}", f"{self._path}/{kind}", parameters)
        return list({one["id"]: one for one in found}.values())

    def _is_ours(self, note: Json) -> bool:
        if self._user is None:
            self._user = self._requests.user()
        return not note.get("system") and (note.get("author") or {}).get("id") == self._user

    def _inline(self, discussion: str, note: str) -> str:
        return f"{self._path}/discussions/{discussion}/notes/{note}"

    def _set_resolved(self, what: str, thread: Thread, resolved: bool) -> None:
        self._requests.change(what, "PUT", f"{self._path}/discussions/{thread.id}", {"resolved": resolved})

    def _delete_inline(self, discussion: str, note: str) -> None:
        self._requests.delete(f"deleting an inline comment on {self}", self._inline(discussion, note))

    # Inline comments.

    def _placed(self, thread: NewThread) -> _Placed:
        file = self._shown_files().get(thread.path)
        if file is None or thread.line not in file.lines:
            raise ForgeError(f"GitLab: {self} does not show line {thread.line} of {thread.path}")
        return _Placed(thread, _sent(thread.body), position(self._refs(), file, thread.start_line, thread.line))

    def _drafts(self) -> list[Json]:
        """Return the user's draft notes."""
        return self._list("draft notes", "draft_notes")

    def _published_as_drafts(self, placed: Sequence[_Placed]) -> bool:
        """Publish the comments as drafts; return False, leaving nothing behind, if the server has no drafts (before
        GitLab 15.9) or its drafts have no position."""
        try:
            drafts = self._drafts()
        except ForgeError as error:
            if error.status == 404:
                return False
            raise
        # Delete what an aborted run left behind, but no person's own drafts.
        left_over = [draft["id"] for draft in drafts if draft["note"].startswith(_OURS)]
        for draft in left_over:
            self._delete_draft(draft)
        before = self._newest
        made: list[int] = []
        try:
            for one in placed:
                draft = self._create_draft(one, made)
                made.append(int(draft["id"]))
                if not (draft.get("position") or {}).get("new_path"):
                    self._take_back(made, self._delete_draft)
                    return False
            self._publish(made, alone=len(left_over) == len(drafts))
        except ForgeError:
            self._take_back(made, self._delete_draft)
            raise
        self._check_published(placed, before)
        return True

    def _create_draft(self, one: _Placed, made: Sequence[int]) -> Json:
        def found() -> Json | None:
            for draft in self._drafts():
                place = draft.get("position") or {}
                at = (place.get("new_path"), place.get("new_line"))
                if draft["id"] not in made and _same(draft["note"], one.body) and at == one.at:
                    return draft
            return None

        return self._create_inline(one, "draft_notes", "note", found)

    def _create_inline(self, one: _Placed, kind: str, text: str, found: Callable[[], Json | None]) -> Json:
        what = f"commenting on line {one.thread.line} of {one.thread.path}"
        request = {text: one.body, "position": one.position}
        created: Json = self._requests.create(what, f"{self._path}/{kind}", request, found)
        return created

    def _publish(self, made: Sequence[int], *, alone: bool) -> None:
        if alone:
            self._publish_by("POST", "bulk_publish", made)
            return
        # The token belongs to a person with an unfinished review, which flint must not publish.
        for draft in made:
            self._publish_by("PUT", f"{draft}/publish", [draft])

    def _publish_by(self, method: str, path: str, made: Sequence[int]) -> None:
        def published() -> bool:
            return {draft["id"] for draft in self._drafts()}.isdisjoint(made)

        what = f"publishing the inline comments on {self}"
        self._requests.change(what, method, f"{self._path}/draft_notes/{path}", found=published)

    def _check_published(self, placed: Sequence[_Placed], before: int) -> None:
        """Raise ForgeError if comments are missing: GitLab silently drops a draft on a line that left the diff."""
        missing = list(placed)
        for wait in (0.0, 1.0, 2.0, 4.0):
            if wait and not self._retry.wait(wait):
                break
            firsts = [discussion["notes"][0] for discussion in self._discussions()]
            there = {_plain(first["body"]) for first in firsts if first["id"] > before}
            missing = [one for one in placed if _plain(one.body) not in there]
            if not missing:
                return
        places = ", ".join(f"{one.thread.path}:{one.thread.line}" for one in missing[:5])
        raise ForgeError(
            f"GitLab published {len(placed) - len(missing)} of {len(placed)} inline comments on {self}, not on "
            f"{places}. Was something pushed meanwhile? The next run adds them"
        )

    def _delete_draft(self, draft: int) -> None:
        self._requests.delete(f"deleting a draft note on {self}", f"{self._path}/draft_notes/{draft}")

    def _create_discussions(self, placed: Sequence[_Placed]) -> None:
        made: list[tuple[str, str]] = []
        try:
            for one in placed:
                discussion = self._create_discussion(one)
                made.append((discussion["id"], discussion["notes"][0]["id"]))
        except ForgeError:
            self._take_back(made, lambda pair: self._delete_inline(*pair))
            raise

    def _create_discussion(self, one: _Placed) -> Json:
        before = self._newest

        def found() -> Json | None:
            for discussion in self._discussions():
                first = discussion["notes"][0]
                if first["id"] > before and self._is_ours(first) and _same(first["body"], one.body):
                    return discussion
            return None

        created = self._create_inline(one, "discussions", "body", found)
        self._newest = max(self._newest, created["notes"][0]["id"])
        return created

    def _take_back(self, made: Iterable[T], delete: Callable[[T], None]) -> None:
        """Delete what was created as far as possible; the original error is the one to report."""
        for one in made:
            with suppress(ForgeError):
                delete(one)


class _Placed(NamedTuple):
    """An inline comment with GitLab's position."""

    thread: NewThread
    body: str
    position: Json

    @property
    def at(self) -> tuple[str, int]:
        return self.thread.path, self.thread.line


def _sent(body: str) -> str:
    """Return a body as GitLab stores it, without carriage returns and trailing whitespace."""
    return without_quick_actions(body.replace("\r", "")).rstrip()


def _plain(body: str) -> str:
    return body.replace("\r", "").strip()


def _same(one: str, other: str) -> bool:
    return _plain(one) == _plain(other)


def _is_folded(diff: Json) -> bool:
    return bool(diff.get("too_large") or diff.get("collapsed"))
