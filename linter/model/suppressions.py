"""Comments that suppress findings: their selectors and reasons, and which selectors were needed.

``# flint: ignore[name, CODE] reason`` at the end of a line suppresses findings on that line; on a line of its own it
covers the next line that is not a comment. ``# flint: file-ignore[name] reason`` covers the whole file. A selector is a
code, a prefix of codes, a name or a family; without brackets a comment applies to every rule.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from flink_flint.linter.flink.secret_places import places
from flink_flint.linter.model.document import Document, Ignored
from flink_flint.linter.model.finding import Finding, selects
from flink_flint.linter.model.safe_text import cut
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span


class Silenced(NamedTuple):
    """A suppressed finding, and the location and reason of the suppression."""

    finding: Finding
    by: str
    """The kind of suppression in the JSON output: ``comment`` (or annotation), ``baseline`` or ``flint_toml``."""
    path: str
    """The path of the file that contains the suppression; empty if unknown."""
    line: int
    """The line number of the suppression, from 1; 0 if unknown."""
    reason: str = ""
    """The reason that the comment, annotation or entry gives; empty if it gives none."""
    span: Span | None = None
    """The span of the comment or annotation; None for a baseline or flint.toml."""


class Suppression:
    """A comment that suppresses findings: its selectors, those that were needed, and its line (0: the whole file)."""

    __slots__ = ("line", "reason", "selectors", "span", "used")

    def __init__(self, span: Span, line: int, selectors: tuple[str, ...], reason: str) -> None:
        self.span = span
        self.line = line
        self.selectors = selectors
        self.reason = reason
        self.used: set[str] = set()

    @property
    def unused(self) -> tuple[str, ...]:
        """The selectors of the comment that suppressed no finding."""
        return tuple(selector for selector in self.selectors if selector not in self.used)

    def covers(self, finding: Finding, line: int) -> bool:
        """Return whether the comment suppresses a finding on a line, and record which selectors were needed."""
        if self.line not in (0, line):
            return False
        matching = [
            selector
            for selector in self.selectors
            if selects(selector, code=finding.code, rule=finding.rule, family=finding.family)
        ]
        self.used.update(matching)
        return bool(matching)


def _pattern(comments: tuple[str, ...]) -> re.Pattern[str]:
    marker = f"(?:{'|'.join(re.escape(comment[:-1]) + re.escape(comment[-1]) + '+' for comment in comments)})"
    names, reason = r"(?:\[(?P<names>[^\]\r\n]*)\])?", r"(?P<reason>[^\r\n]*)"
    return re.compile(rf"(?<!\S){marker}[ \t]*flint:[ \t]*(?P<file>file-)?ignore{names}[ \t]*{reason}")


def read_suppressions(documents: Sequence[Document]) -> list[Suppression]:
    """Return the suppressions of the file that these documents are from, in file order."""
    document = documents[0]
    text = document.text
    if "flint:" not in text:
        return []
    values = sorted(entry.value_span for one in documents for entry in one.entries)
    starts = [span.start for span in values]
    ends = list(accumulate((span.end for span in values), max))  # values may share a text
    covered: dict[int, int] = {}
    found = []
    for match in reversed(list(_pattern(document.file_format.comments).finditer(text))):
        before = bisect_right(starts, match.start())
        if before and match.start() < ends[before - 1]:
            continue
        names = match["names"]
        selectors = tuple(part.strip() for part in names.split(",") if part.strip()) if names else ("ALL",)
        line = 0 if match["file"] else _covered_line(document, match.start(), covered)
        found.append(Suppression(Span(match.start(), match.end()), line, selectors, match["reason"].strip(" -:")))
    return found[::-1]


def _covered_line(document: Document, offset: int, covered: dict[int, int]) -> int:
    """Return the line that a comment covers; `covered` has those of comments on later lines, 0 for none."""
    lines, text = document.lines, document.text
    number = lines.position(offset).line
    if text[lines.starts[number - 1] : offset].strip():
        return number
    markers = document.file_format.comments
    for following in range(number + 1, len(lines.starts) + 1):
        span = lines.span(following)
        content = text[span.start : span.end].strip()
        if following in covered:
            covered[number] = covered[following]
            return covered[number] or number
        if content and not content.startswith(markers):
            covered[number] = following
            return following
    covered[number] = 0
    return number


def unsuppressed(
    document: Document, findings: list[Finding], suppressions: list[Suppression]
) -> tuple[list[Finding], list[Silenced]]:
    """Split findings into those that no comment suppresses and those that a comment suppresses, with the comments."""
    by_line: dict[int, list[Suppression]] = {}
    for suppression in suppressions:
        by_line.setdefault(suppression.line, []).append(suppression)
    kept, silenced = [], []
    for finding in findings:
        line = document.lines.position(finding.span.start).line
        candidates = (*by_line.get(0, ()), *by_line.get(line, ()))
        # Check every comment, not only the first that covers the finding: each records whether it was needed.
        covering = [suppression for suppression in candidates if suppression.covers(finding, line)]
        if covering:
            silenced.append(_silenced(finding, document, covering[0].span, covering[0].reason))
        else:
            kept.append(finding)
    return kept, silenced


def unannotated(document: Document, findings: list[Finding]) -> tuple[list[Finding], list[Silenced]]:
    """Split findings into those that no Kubernetes annotation suppresses and those that an annotation suppresses."""
    if not document.ignored:
        return findings, []
    kept, silenced = [], []
    for finding in findings:
        covering = next((ignored for ignored in document.ignored if _is_annotated(finding, ignored)), None)
        if covering is None:
            kept.append(finding)
        else:
            silenced.append(_silenced(finding, document, covering.span, covering.reason))
    return kept, silenced


def _is_annotated(finding: Finding, ignored: Ignored) -> bool:
    return any(
        selects(selector, code=finding.code, rule=finding.rule, family=finding.family) for selector in ignored.selectors
    )


def _silenced(finding: Finding, document: Document, span: Span, reason: str) -> Silenced:
    # A reason is untrusted text that every output format prints.
    shown = str(cut(reason, places(reason, ())))
    return Silenced(finding, "comment", document.path, document.lines.position(span.start).line, shown, span)
