"""The effects of a change apart from its new findings, line by line, for output formats that people read.

What hides findings comes first: changed configuration, new suppressions, files that are no longer read. The rest
follows after the new findings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flink_flint.linter.output.terminal_style import count, listed
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.engine.check_run import Report
    from flink_flint.linter.engine.comparison_result import Comparison, Unjudged
    from flink_flint.linter.model.finding import Finding
    from flink_flint.linter.model.suppressions import Silenced

MAX_LINES = 50
"""The maximum number of lines that a summary shows for one kind of effect; the JSON report has all of them."""


class Line(NamedTuple):
    """One effect of a change: its kind, location and text."""

    kind: str
    """The kind of effect that the change has, such as ``newly suppressed`` or ``fixed``.

    Others are ``flint configuration changed``, ``no longer read``, ``could not be read`` and ``moved``.
    """
    path: str
    line: int
    """The line number of the effect, from 1; 0 for the whole file."""
    text: str

    @property
    def place(self) -> str:
        """The path of the affected file, followed by the line number if known."""
        return f"{self.path}:{self.line}" if self.line else self.path


def first_lines(comparison: Comparison) -> list[Line]:
    """Return the lines about findings that a change hides, to show before the findings."""
    lines = [
        Line("flint configuration changed", one.path, 0, f"{one.what} in this change") for one in comparison.settings
    ]
    lines += [
        Line("newly suppressed", one.finding.path, one.finding.where.start.line, suppressed_text(one))
        for one in comparison.newly_suppressed
    ]
    lines += [Line("no longer read", one.path, 0, _unjudged(one, comparison)) for one in comparison.no_longer_read]
    lines += [Line("could not be read", one.path, 0, _unjudged(one, comparison)) for one in comparison.unreadable]
    return lines


def flint_config_text(comparison: Comparison) -> str:
    """Return a text on the effect of a changed flint configuration; empty if none changed."""
    if not comparison.settings:
        return ""
    text = f"files are checked with the flint configuration of {comparison.revision} until the change is merged"
    if comparison.hidden:
        hidden = "1 of the new findings" if comparison.hidden == 1 else f"{comparison.hidden} of the new findings"
        text += f"; the flint configuration of this change would hide {hidden}"
    return text


def last_lines(comparison: Comparison) -> list[Line]:
    """Return the lines about moved files and fixed findings, to show after the findings."""
    lines = []
    for one in comparison.moved:
        with_it = f", with {count(one.findings, 'finding')}" if one.findings else ""
        lines.append(Line("moved", one.new, 0, f"was {one.old}{with_it}"))
    lines += [Line("fixed", one.path, one.where.start.line, finding_text(one)) for one in comparison.fixed]
    return lines


def finding_text(finding: Finding) -> str:
    """Return a finding as one line, without its location."""
    return f"{finding.severity.word}[{finding.code}] {finding.message}"


def suppressed_text(silenced: Silenced) -> str:
    """Return the text for a finding that a comment suppresses, with the comment's location and reason."""
    reason = f": {silenced.reason}" if silenced.reason else ", without a reason"
    finding = silenced.finding
    note = f"; {finding.note}" if finding.note else ""
    return f"{finding_text(finding)} (suppressed by {silenced.path}:{silenced.line}{reason}{note})"


def _unjudged(one: Unjudged, comparison: Comparison) -> str:
    had = f"; it had {count(one.findings, 'finding')} in {comparison.revision}" if one.findings else ""
    return f"{one.reason}{had}"


def shortened(lines: list[Line]) -> Iterator[Line]:
    """Yield at most `MAX_LINES` lines of each kind, then one with the number of further lines."""
    kinds: dict[str, list[Line]] = {}
    for line in lines:
        kinds.setdefault(line.kind, []).append(line)
    for kind, members in kinds.items():
        yield from members[:MAX_LINES]
        if len(members) > MAX_LINES:
            yield Line(kind, f"{len(members) - MAX_LINES} more", 0, "the JSON report lists them")


def verdict(report: Report) -> str | None:
    """Return the text that sums up a check without findings; None if it needs no qualification."""
    comparison, unread = report.comparison, unread_text(report)
    if comparison is None:
        return f"No findings, but {unread}" if unread else None
    parts = [*_compared_counts(comparison), *([unread] if unread else [])]
    if not parts and comparison.is_safe:
        return None
    return "No new findings" + (f": {listed(parts)}" if parts else "")


def unread_text(report: Report) -> str:
    """Return a text with the number of files that could not be read; empty if there are none."""
    return f"{count(report.unread, 'file')} could not be read" if report.unread else ""


def counts_text(report: Report) -> str:
    """Return the text to append to the number of findings: other counts, such as unread files, each after a comma."""
    parts = [] if report.comparison is None else _compared_counts(report.comparison)
    return "".join(f", {part}" for part in (*parts, *quiet_counts(report), unread_text(report)) if part)


def quiet_counts(report: Report) -> list[str]:
    """Return texts with the numbers of suppressed findings and of skipped files and folders, and their causes."""
    parts = []
    if report.silenced:
        numbers = {_BY[by]: number for by, number in report.suppressed.items() if number}
        total = f"{len(report.silenced)} suppressed"
        by = ", ".join(f"{number} {word}" for word, number in numbers.items())
        parts.append(f"{total} ({by})" if len(numbers) > 1 else f"{total} {next(iter(numbers))}")
    ignored = [one.reason for one in report.skipped if not one.is_unread]
    if ignored:
        parts.append(f"{len(ignored)} skipped ({', '.join(sorted(set(ignored)))})")
    return parts


_BY = {"comment": "by comments", "baseline": "by the baseline", "flint_toml": "by flint.toml"}


def _compared_counts(comparison: Comparison) -> list[str]:
    numbers = (
        (len(comparison.newly_suppressed), "newly suppressed"),
        (len(comparison.no_longer_read), "no longer read"),
        (len(comparison.fixed), "fixed"),
        (len(comparison.remaining), f"already in {comparison.revision}"),
    )
    return [f"{number} {word}" for number, word in numbers if number]
