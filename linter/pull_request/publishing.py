"""What becomes of a comparison in a pull request: comments made, changed, resolved and taken away.

What is there already is read first, and only what differs is written, so that the same report twice writes nothing.
The order is: inline comments are made and changed, the summary is written, and what is gone is taken away. A summary
therefore never speaks of what is not there, and nothing vanishes before the summary has told that it is fixed. The
summary claims nothing of inline comments, so that it is written even where the forge refuses those. A run that breaks
off leaves comments that are whole, each with its mark, and the next run goes on from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.pull_request.forge import Comment, Forge, ForgeError, NewThread, Thread
from flink_flint.linter.pull_request.inline_comments import GONE, inline_thread
from flink_flint.linter.pull_request.markers import Marked, finding_mark, marked, posted_of, summary_mark
from flink_flint.linter.pull_request.report_comparison import Comparison
from flink_flint.linter.pull_request.summary_comment import summary_body
from flink_flint.linter.pull_request.untrusted_report import ReportedFinding
from flink_flint.linter.text.named_tuple import NamedTuple

MAX_INLINE = 30
"""Inline comments of ours in the life of a pull request, resolved and outdated ones too; the summary has all findings.

Comments that are deleted count as long as the hidden mark of the summary remembers them.
"""


class Done(NamedTuple):
    """What was written."""

    summary: str = ""
    """`created`, `updated`, or nothing."""
    created: int = 0
    updated: int = 0
    reopened: int = 0
    resolved: int = 0
    deleted: int = 0

    @property
    def words(self) -> str:
        """One line for people."""
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
    """A thread of ours, and what it is about."""

    thread: Thread
    mark: Marked


class _Plan(NamedTuple):
    """What to do about inline comments."""

    create: list[NewThread]
    update: list[tuple[Thread, str]]
    reopen: list[Thread]
    resolve: list[Thread]
    gone: list[tuple[Thread, str]]
    """Bodies of comments whose thread is resolved before they are told to be gone."""
    delete: list[Thread]


def publish(
    forge: Forge, comparison: Comparison, *, template: str | None = None, inline: bool = True, name: str = ""
) -> Done:
    """Bring the comments of a pull request in line with a comparison.

    `template` is the text of the user's own summary; `name` tells runs apart that comment on one pull request. With
    `inline` False, inline comments are left as they are. Raises ForgeError where the forge refuses, after having tried
    what does not depend on it, and ValueError for a template that cannot be filled.
    """
    ours = [one for one in forge.comments() if one.body.replace("\r\n", "\n").startswith(summary_mark(name))]
    posted = posted_of(ours[0].body, name) if ours else 0

    def body(posted: int) -> str:
        return summary_body(
            comparison, template=template, longest=forge.longest_body, line_url=forge.line_url, name=name, posted=posted
        )

    body(posted)  # a template that cannot be filled is to be known before anything is written
    plan = _Plan([], [], [], [], [], [])
    if inline:
        threads = forge.threads()
        posted = max(posted, sum(marked(thread.body, name) is not None for thread in threads))
        plan = _plan(forge, comparison, name, threads, MAX_INLINE - posted)
    refused: ForgeError | None = None
    try:
        _make(forge, plan)
        posted += len(plan.create)
    except ForgeError as error:
        refused = error
    summary = _write_summary(forge, comparison, ours, body(posted))
    if refused is not None:
        raise refused
    _take_away(forge, plan)
    return Done(
        summary, len(plan.create), len(plan.update), len(plan.reopen), len(plan.resolve), len(plan.delete),
    )  # fmt: skip


def wanted_threads(
    comparison: Comparison, changed: Mapping[str, frozenset[int]], block: str, longest: int, name: str = ""
) -> Iterator[tuple[ReportedFinding, NewThread]]:
    """The new findings on lines that a pull request adds, each with its comment, worst first.

    Without a base nobody knows what is new, and all findings count.
    """
    for finding in comparison.new if comparison.compared else comparison.remaining:
        thread = inline_thread(finding, changed, block, longest, name)
        if thread is not None:
            yield finding, thread


def _plan(forge: Forge, comparison: Comparison, name: str, threads: Sequence[Thread], room: int) -> _Plan:
    """What to do about the comments that are there; at most `room` new ones are made."""
    plan = _Plan([], [], [], [], [], [])
    known: dict[str, list[_Known]] = {}
    for thread in threads:
        mark = marked(thread.body, name)
        if mark is not None:
            known.setdefault(mark.fingerprint, []).append(_Known(thread, mark))
    present = {finding.fingerprint for finding in (*comparison.new, *comparison.remaining)}
    changed = forge.changed_lines() if present else {}
    wanted = wanted_threads(comparison, changed, forge.suggestion, forge.longest_body, name)
    for finding, new in wanted:
        there = known.pop(finding.fingerprint, [])
        if there:
            _keep_up(plan, there, new, room)
        elif len(plan.create) < room:
            plan.create.append(new)
    # What is still found, on lines that the pull request no longer shows, is left where it stands; so is what a
    # comment silences now, or was in a file that is not read any more: nobody can say that it is fixed.
    present |= {one.finding.fingerprint for one in comparison.newly_suppressed}
    unread = {file.path for file in (*comparison.no_longer_read, *comparison.unreadable)}
    for fingerprint, there in known.items():
        if fingerprint not in present:
            for one in there:
                if one.thread.path not in unread:
                    _let_go(plan, one, forge.longest_body, name)
    return plan


def _keep_up(plan: _Plan, there: Sequence[_Known], wanted: NewThread, room: int) -> None:
    """One thread for a finding: the one that somebody answered, or that stands at its place; or else a new one.

    An answered one stays where it is, whatever moved. One that nobody answered follows its finding: it is made anew
    at the new place and taken away from the old one, as long as there is room for new ones.
    """
    kept = next((one for one in there if one.thread.answered), None) or next(
        (one for one in there if one.thread.line == wanted.line and one.thread.path == wanted.path), None
    )
    if kept is None:
        if any(one.thread.resolved and not one.mark.fixed for one in there):
            return  # somebody has done with it
        if len(plan.create) >= room:
            return
        plan.create.append(wanted)
    else:
        if kept.mark.fixed and kept.thread.resolved:
            plan.reopen.append(kept.thread)
        if not _same(kept.thread.body, wanted.body):
            plan.update.append((kept.thread, wanted.body))
    plan.delete.extend(one.thread for one in there if one is not kept and not one.thread.answered)


def _let_go(plan: _Plan, one: _Known, longest: int, name: str) -> None:
    """The finding of a thread is gone."""
    if not one.thread.answered:
        plan.delete.append(one.thread)
        return
    if one.mark.fixed:
        return  # told already; if it is open again, somebody wanted it so
    if not one.thread.resolved:
        plan.resolve.append(one.thread)
    mark = finding_mark(one.mark.fingerprint, name, fixed=True)
    body = mark + GONE + one.mark.text
    plan.gone.append((one.thread, body if len(body) <= longest else mark + GONE))


def _make(forge: Forge, plan: _Plan) -> None:
    # Opened before it is told anew: broken off between, the mark still says that flint had closed it.
    for thread in plan.reopen:
        forge.reopen(thread)
    for thread, body in plan.update:
        forge.update_thread(thread, body)
    if plan.create:
        forge.create_threads(plan.create)


def _take_away(forge: Forge, plan: _Plan) -> None:
    # Resolved before it is told: broken off between, the next run tells it, and does not close what somebody reopened.
    for thread in plan.resolve:
        forge.resolve(thread)
    for thread, body in plan.gone:
        forge.update_thread(thread, body)
    for thread in plan.delete:
        forge.delete_thread(thread)


def _write_summary(forge: Forge, comparison: Comparison, ours: Sequence[Comment], body: str) -> str:
    """Write the summary where it says something new; what was done. `ours` are the summaries that are there."""
    done = ""
    if not ours:
        if comparison.is_meaningful:
            forge.create_comment(body)
            done = "created"
    elif not _same(ours[0].body, body):
        forge.update_comment(ours[0], body)
        done = "updated"
    for comment in ours[1:]:  # of runs at the same time
        forge.delete_comment(comment)
    return done


def _same(there: str, wanted: str) -> bool:
    """Whether a body is what it should be; forges change line ends and trim what stands behind."""
    return there.replace("\r\n", "\n").rstrip() == wanted.rstrip()
