"""Publishes a comparison to a pull request: comments are created, updated, resolved and deleted.

Existing comments are read first and only differences written, so that publishing a report twice writes nothing the
second time. Inline comments are created and updated first, then the summary is written, then obsolete comments are
deleted. So a summary never mentions what does not exist, and nothing disappears before the summary reports it as fixed.
The summary makes no claims about inline comments, so it is written even if the forge rejects those. An aborted run
leaves complete comments with their markers, and the next run continues from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.pull_request.forge import Comment, Forge, ForgeError, NewThread, Thread
from flink_flint.linter.pull_request.inline_comments import GONE, inline_thread
from flink_flint.linter.pull_request.markers import Marked, finding_mark, marked, posted_of, summary_mark
from flink_flint.linter.pull_request.report_comparison import Comparison
from flink_flint.linter.pull_request.summary_comment import summary_body
from flink_flint.linter.pull_request.untrusted_finding import ReportedFinding
from flink_flint.linter.text.named_tuple import NamedTuple

MAX_INLINE = 30
"""The maximum number of inline comments ever created on one pull request, including resolved and outdated ones.

The summary has all findings. Deleted comments count as long as the marker of the summary remembers them.
"""


class Done(NamedTuple):
    """The result of publishing: the action on the summary, and the number of inline comments by operation."""

    summary: str = ""
    """The action taken on the summary comment: ``created`` or ``updated``; empty if there was none."""
    created: int = 0
    updated: int = 0
    reopened: int = 0
    resolved: int = 0
    deleted: int = 0

    @property
    def words(self) -> str:
        """A one-line description, for people, of what was published."""
        counts = [
            f"{number} inline {word}"
            for word, number in (
                ("created", self.created),
                ("updated", self.updated),
                ("reopened", self.reopened),
                ("resolved", self.resolved),
                ("deleted", self.deleted),
            )
            if number
        ]
        parts = ([f"summary {self.summary}"] if self.summary else []) + counts
        return ", ".join(parts) or "nothing to write"


class _Known(NamedTuple):
    """A thread by flint with its marker."""

    thread: Thread
    mark: Marked


class _Plan(NamedTuple):
    """The planned operations on inline comments."""

    create: list[NewThread]
    update: list[tuple[Thread, str]]
    reopen: list[Thread]
    resolve: list[Thread]
    gone: list[tuple[Thread, str]]
    """Threads to resolve and their new bodies, which say that the finding is gone."""
    delete: list[Thread]


def publish(
    forge: Forge, comparison: Comparison, *, template: str | None = None, inline: bool = True, name: str = ""
) -> Done:
    """Update the comments of a pull request to match a comparison.

    `template` is the text of the user's own summary; `name` distinguishes runs that comment on one pull request. With
    `inline` False, inline comments are left unchanged. Raises ForgeError if the forge refuses, after doing everything
    independent of that, and ValueError for a template that cannot be rendered.
    """
    ours = [one for one in forge.comments() if one.body.replace("\r\n", "\n").startswith(summary_mark(name))]
    posted = posted_of(ours[0].body, name) if ours else 0

    def body(posted: int) -> str:
        return summary_body(
            comparison, template=template, longest=forge.longest_body, line_url=forge.line_url, name=name, posted=posted
        )

    body(posted)  # an invalid template must be reported before anything is written
    plan = _Plan([], [], [], [], [], [])
    if inline:
        threads = forge.threads()
        posted = max(posted, sum(marked(thread.body, name) is not None for thread in threads))
        plan = _plan(forge, comparison, name, threads, MAX_INLINE - posted)
    refused: ForgeError | None = None
    created = 0
    try:
        created = _make(forge, plan)
    except ForgeError as error:
        refused = error
    summary = _write_summary(forge, comparison, ours, body(posted + created))
    if refused is not None:
        raise refused
    _take_away(forge, plan)
    return Done(
        summary, created, len(plan.update), len(plan.reopen), len(plan.resolve), len(plan.delete),
    )  # fmt: skip


def threads_to_create(
    comparison: Comparison, changed: Mapping[str, frozenset[int]], block: str, longest: int, name: str = ""
) -> Iterator[tuple[ReportedFinding, NewThread]]:
    """Yield the new findings on lines that a pull request adds, each with its comment, the most severe first.

    Without a base it is unknown what is new, and all findings count.
    """
    for finding in comparison.new if comparison.compared else comparison.remaining:
        thread = inline_thread(finding, changed, block, longest, name)
        if thread is not None:
            yield finding, thread


def _plan(forge: Forge, comparison: Comparison, name: str, threads: Sequence[Thread], room: int) -> _Plan:
    """Plan the operations on existing comments; create at most `room` new ones."""
    plan = _Plan([], [], [], [], [], [])
    known: dict[str, list[_Known]] = {}
    for thread in threads:
        mark = marked(thread.body, name)
        if mark is not None:
            known.setdefault(mark.fingerprint, []).append(_Known(thread, mark))
    present = {finding.fingerprint for finding in (*comparison.new, *comparison.remaining)}
    changed = forge.changed_lines() if present else {}
    desired = threads_to_create(comparison, changed, forge.suggestion, forge.longest_body, name)
    for finding, new in desired:
        there = known.pop(finding.fingerprint, [])
        if there:
            _keep_up(plan, there, new, room)
        elif len(plan.create) < room:
            plan.create.append(new)
    # Findings that still exist on lines that the pull request no longer shows keep their comments; so do findings
    # that a comment now suppresses or whose file is no longer read, because they may not be fixed.
    present |= {one.finding.fingerprint for one in comparison.newly_suppressed}
    unread = {file.path for file in (*comparison.no_longer_read, *comparison.unreadable)}
    for fingerprint, there in known.items():
        if fingerprint not in present:
            for one in there:
                if one.thread.path not in unread:
                    _plan_gone(plan, one, forge.longest_body, name)
    return plan


def _keep_up(plan: _Plan, there: Sequence[_Known], desired: NewThread, room: int) -> None:
    """Keep one thread for a finding: the one with replies, or the one at its location, otherwise a new one.

    A thread with replies stays in place even if the finding moved. One without replies follows its finding: it is
    created again at the new location and deleted at the old one, as long as there is room for new ones.
    """
    kept = next((one for one in there if one.thread.answered), None) or next(
        (one for one in there if one.thread.line == desired.line and one.thread.path == desired.path), None
    )
    if kept is None:
        if any(one.thread.resolved and not one.mark.fixed for one in there):
            return  # somebody resolved it
        if len(plan.create) >= room:
            return
        plan.create.append(desired)
    else:
        if kept.mark.fixed and kept.thread.resolved:
            plan.reopen.append(kept.thread)
        if not _same(kept.thread.body, desired.body):
            plan.update.append((kept.thread, desired.body))
    plan.delete.extend(one.thread for one in there if one is not kept and not one.thread.answered)


def _plan_gone(plan: _Plan, one: _Known, longest: int, name: str) -> None:
    """Plan what to do with a thread whose finding is gone."""
    if not one.thread.answered:
        plan.delete.append(one.thread)
        return
    if one.mark.fixed:
        return  # already noted; if it is open again, somebody reopened it on purpose
    if not one.thread.resolved:
        plan.resolve.append(one.thread)
    mark = finding_mark(one.mark.fingerprint, name, fixed=True)
    body = mark + GONE + one.mark.text
    plan.gone.append((one.thread, body if len(body) <= longest else mark + GONE))


def _make(forge: Forge, plan: _Plan) -> int:
    """Write the threads of a plan; return how many are new."""
    # Reopened before it is updated: if aborted in between, the marker still says that flint had resolved it.
    for thread in plan.reopen:
        forge.reopen(thread)
    for thread, body in plan.update:
        forge.update_thread(thread, body)
    return forge.create_threads(plan.create) if plan.create else 0


def _take_away(forge: Forge, plan: _Plan) -> None:
    # Resolved before it is updated: if aborted in between, the next run updates it, and keeps what somebody reopened.
    for thread in plan.resolve:
        forge.resolve(thread)
    for thread, body in plan.gone:
        forge.update_thread(thread, body)
    for thread in plan.delete:
        forge.delete_thread(thread)


def _write_summary(forge: Forge, comparison: Comparison, ours: Sequence[Comment], body: str) -> str:
    """Write the summary if it has changed and return what was done. `ours` are the existing summaries."""
    done = ""
    if not ours:
        if comparison.is_meaningful:
            forge.create_comment(body)
            done = "created"
    elif not _same(ours[0].body, body):
        forge.update_comment(ours[0], body)
        done = "updated"
    for comment in ours[1:]:  # created by concurrent runs
        forge.delete_comment(comment)
    return done


def _same(there: str, desired: str) -> bool:
    """Return whether a body is up to date; forges change line ends and trim trailing whitespace."""
    return there.replace("\r\n", "\n").rstrip() == desired.rstrip()
