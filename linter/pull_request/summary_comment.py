"""The summary comment: `templates/comment.md.j2` or the user's own template, rendered within limits.

Everything passed to a template is Markdown, safe in a paragraph, a table, a list and a block of HTML; other texts are
escaped as HTML. Templates are rendered in Jinja2's sandbox.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.finding import Excerpt, fix_command
from flink_flint.linter.output.code_fence import fence
from flink_flint.linter.output.escaped_markdown import code, link, message, prose
from flink_flint.linter.output.full import cells, excerpt_lines
from flink_flint.linter.output.terminal_style import count
from flink_flint.linter.pull_request.inline_comments import MARKS
from flink_flint.linter.pull_request.markers import posted_mark, summary_mark
from flink_flint.linter.pull_request.report_comparison import Comparison, Moved, MovedMemory, Suppressed
from flink_flint.linter.pull_request.untrusted_finding import RelatedPlace, ReportedFinding
from flink_flint.linter.pull_request.untrusted_object import is_addressable
from flink_flint.linter.pull_request.untrusted_report import ReportedFile, ReportedMove
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE = Path(__file__).resolve().parents[2] / "templates" / "comment.md.j2"
MAX_OPEN = 10
"""The maximum number of findings that the comment shows expanded; the others are collapsed."""
MAX_SHOWN = 500
"""The maximum number of findings that the comment lists one by one."""
MAX_FILES = 30
"""The maximum number of lines that the comment shows for each kind of change that hides findings."""
_MAX_LINES = MAX_FILES + 1
"""The lines of a notice: one more for the effect of all files together."""
MAX_TABLES = 10
"""The maximum number of processes for which the comment shows a table of changed memory."""
WIDEST = 110
"""The maximum width of an excerpt, in columns, that a comment shows without scrolling."""

LineUrl = Callable[[str, int, int], str]
"""A function that returns the URL of a range of lines, given the path, the first line and the last line."""

_PROCESSES = {"taskmanager": "TaskManager", "jobmanager": "JobManager"}
_PARTS = {
    "process_size": "total process", "flink_size": "total Flink", "heap": "JVM heap", "off_heap": "off-heap",
    "framework_heap": "framework heap", "task_heap": "task heap", "managed": "managed",
    "framework_off_heap": "framework off-heap", "task_off_heap": "task off-heap", "network": "network",
    "metaspace": "JVM metaspace", "overhead": "JVM overhead",
}  # fmt: skip


class ShownFinding(NamedTuple):
    """A finding as passed to templates: every text is Markdown."""

    mark: str
    severity: str
    confidence: str
    code: str
    rule: str
    """The code and name of the rule, linked to the rule's page."""
    message: str
    help: str
    note: str
    fix: str
    """The instructions for fixing the finding, including the command."""
    place: str
    """The path and line of the finding, linked to the line."""
    document: str
    key: str
    excerpt: str
    """The excerpt around the finding as a fenced code block; templates must put blank lines around it."""
    related: tuple[str, ...]
    deployment: str
    """The name of the finding's group: its document's name or, without one, its file's path."""


class Group(NamedTuple):
    """The findings of one deployment."""

    name: str
    findings: tuple[ShownFinding, ...]


class Notice(NamedTuple):
    """A notice about one kind of change that hides findings."""

    title: str
    lines: tuple[str, ...]
    """The lines of the notice, as many as fit into a comment."""
    left_out: int
    """The number of lines of the notice that do not fit into the comment."""

    def shortened(self, limit: int) -> Notice:
        """Return the notice with at most `limit` lines."""
        lines = self.lines[:limit]
        return self._replace(lines=lines, left_out=self.left_out + len(self.lines) - len(lines))


class Row(NamedTuple):
    """A changed component of a process's memory, as a table row."""

    part: str
    before: str
    after: str
    change: str


class Table(NamedTuple):
    """A table of the changed memory components of one process."""

    deployment: str
    process: str
    rows: tuple[Row, ...]


def headline(comparison: Comparison) -> str:
    """Return the result in one line, without any text from the report.

    It says "all clear" only if everything was read and nothing is hidden.
    """
    new, remaining = len(comparison.new), len(comparison.remaining)
    is_clear = comparison.hides_nothing and comparison.covered
    if not comparison.compared:
        first = count(remaining, "finding") if remaining else "all clear" if is_clear else "no findings reported"
    elif new:
        first = count(new, "new finding")
    else:
        first = "all clear" if is_clear and not remaining else "nothing new"
    parts = [
        "flint configuration changed" if comparison.settings else "",
        _number(comparison.newly_suppressed, "newly suppressed"),
        _number(comparison.no_longer_read, "no longer read"),
        _number(comparison.unreadable, "could not be read"),
        "base and head differ in what was checked" if comparison.disagreement else "",
        _number(comparison.fixed, "fixed"),
        f"{remaining} remaining" if remaining and comparison.compared else "",
        "memory changed" if comparison.memory else "",
    ]
    return "flint: " + ", ".join([first, *filter(None, parts)])


def _number(rows: Sequence[object], words: str) -> str:
    return f"{len(rows)} {words}" if rows else ""


def summary_body(
    comparison: Comparison,
    *,
    template: str | None,
    longest: int,
    line_url: LineUrl | None,
    name: str = "",
    posted: int = 0,
) -> str:
    """Return the body of the summary, at most `longest` characters.

    `posted` is the number of inline comments ever created. Whole findings are dropped from the end if it would
    be longer: first remaining ones, then fixed, then new ones. If there
    is no room even without findings, because names are very long, lines of notices and tables are dropped too.
    Without `line_url`, locations are not linked. Raises ValueError if Jinja2 is not installed, and for a template
    that is invalid or too long by itself.
    """
    every = _Every(comparison, line_url)
    filled = _template(TEMPLATE.read_text(encoding="utf-8") if template is None else template)

    def body(limit: int) -> str:
        values = every.values(max(0, limit - _MAX_LINES), min(limit, _MAX_LINES))
        return summary_mark(name) + posted_mark(posted) + _fill(filled, values)

    limit = _MAX_LINES + min(every.count, MAX_SHOWN)
    text = body(limit)
    if len(text) <= longest:
        return text
    fits = 0
    while fits < limit - 1:
        middle = (fits + limit) // 2
        fits, limit = (middle, limit) if len(body(middle)) <= longest else (fits, middle)
    text = body(fits)
    if len(text) > longest:
        raise ValueError(f"the template makes {len(text)} characters without any finding; a comment has {longest}")
    return text


class _Every:
    """All contents of a summary; a template gets as much as fits."""

    def __init__(self, comparison: Comparison, line_url: LineUrl | None) -> None:
        self._comparison = comparison
        self.count = len(comparison.new) + len(comparison.fixed) + len(comparison.remaining)
        self._new = [_shown(one, line_url) for one in comparison.new[:MAX_SHOWN]]
        self._fixed = [_shown(one, None) for one in comparison.fixed[:MAX_SHOWN]]
        self._remaining = [_shown(one, line_url) for one in comparison.remaining[:MAX_SHOWN]]
        self._tables = [_table(moved) for moved in comparison.memory[:MAX_TABLES]]
        self._first = _first(comparison)
        self._moved = [_moved(one) for one in comparison.moved[:MAX_FILES]]

    def values(self, limit: int, lines: int) -> dict[str, object]:
        """Return the values for a template with limited numbers of findings, and of lines of notices and tables."""
        new = self._new[:limit]
        fixed = self._fixed[: max(0, limit - len(self._new))]
        remaining = self._remaining[: max(0, limit - len(self._new) - len(self._fixed))]
        comparison = self._comparison
        listed = new if comparison.compared else remaining
        return {
            "headline": headline(comparison),
            "compared": comparison.compared,
            "first": [one.shortened(lines) for one in self._first],
            "moved": self._moved[:lines],
            "moved_count": len(comparison.moved),
            "new_count": len(comparison.new),
            "fixed_count": len(comparison.fixed),
            "remaining_count": len(comparison.remaining),
            "open": _groups(listed[:MAX_OPEN]),
            "folded": _groups(listed[MAX_OPEN:]),
            "folded_count": len(listed[MAX_OPEN:]),
            "fixed": fixed,
            "remaining": _groups(remaining) if comparison.compared else [],
            "memory": self._tables[:lines],
            "memory_left_out": len(comparison.memory) - len(self._tables[:lines]),
            "left_out": self.count - len(new) - len(fixed) - len(remaining),
        }


def _first(comparison: Comparison) -> list[Notice]:
    """Return the notices about hidden findings, which a reviewer must see first."""
    from markupsafe import Markup

    rows: list[tuple[str, list[str]]] = [
        ("Changed flint configuration", [f"{code(one.path)}: {one.reason}" for one in comparison.settings]),
        ("Newly suppressed", [_suppressed(one) for one in comparison.newly_suppressed]),
        ("No longer read", [_file(one, comparison.revision) for one in comparison.no_longer_read]),
        ("Could not be read", [_file(one, comparison.revision) for one in comparison.unreadable]),
        ("Not comparable", [prose(comparison.disagreement)] if comparison.disagreement else []),
    ]
    notices = [
        Notice(title, tuple(map(Markup, texts[:MAX_FILES])), max(0, len(texts) - MAX_FILES))
        for title, texts in rows
        if texts
    ]
    if comparison.settings:
        hidden = f"; they would hide {comparison.hidden} of the new findings" if comparison.hidden else ""
        base = code(comparison.revision)
        text = f"Files are checked with the flint configuration of {base} until the change is merged{hidden}"
        notices[0] = notices[0]._replace(lines=(*notices[0].lines, Markup(text)))
    return notices


def _suppressed(one: Suppressed) -> str:
    finding = one.finding
    rule = link(f"{finding.code} {finding.rule}", finding.url)
    reason = f": {prose(one.reason)}" if one.reason else ", without a reason"
    place = code(f"{finding.path}:{finding.start_line}")
    note = f" ({message(finding.note)})" if finding.note else ""
    return f"{MARKS[finding.severity]} {rule} at {place}, by {code(one.by)}{reason}: {message(finding.message)}{note}"


def _file(one: ReportedFile, revision: str) -> str:
    had = f"; it had {count(one.findings, 'finding')} in {code(revision)}" if one.findings else ""
    return f"{code(one.path)}: {prose(one.reason)}{had}"


def _moved(one: ReportedMove) -> str:
    from markupsafe import Markup

    with_it = f", with {count(one.findings, 'finding')}" if one.findings else ""
    return Markup(f"{code(one.old)} to {code(one.new)}{with_it}")


@cache
def _template(text: str) -> Template:
    """Compile a template in Jinja2's sandbox; raise ValueError if it is invalid."""
    try:
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ModuleNotFoundError:
        raise ValueError("comments require Jinja2: pip install 'flink-flint[comment]'") from None
    environment = ImmutableSandboxedEnvironment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    try:
        return environment.from_string(text)
    except TemplateError as error:
        raise ValueError(f"the template cannot be read: {error}") from None


def _fill(template: Template, values: Mapping[str, object]) -> str:
    """Render a template; raise ValueError if that fails."""
    try:
        return template.render(values).strip() + "\n"
    except Exception as error:
        # Any exception from the user's expressions (a missing name, a division by zero) is an error in the template.
        raise ValueError(f"the template cannot be filled: {error}") from None


def _shown(finding: ReportedFinding, line_url: LineUrl | None) -> ShownFinding:
    from markupsafe import Markup  # comes with Jinja2

    fix = ""
    if finding.fix is not None and finding.fix.title:
        fix = f"{message(finding.fix.described)} ({code(fix_command(safe=finding.fix.safe))})"
    return ShownFinding(
        mark=MARKS[finding.severity],
        severity=finding.severity.word,
        confidence=finding.confidence.word,
        code=finding.code,
        rule=Markup(link(f"{finding.code} {finding.rule}", finding.url)),
        message=Markup(message(finding.message)),
        help=Markup(message(finding.help or "")),
        note=Markup(message(finding.note or "")),
        fix=Markup(fix),
        place=Markup(_place(finding.path, finding.start_line, finding.last_line, line_url)),
        document=Markup(prose(finding.document or "")),
        key=Markup(code(finding.key or "")),
        excerpt=Markup(_excerpt(finding.excerpt) if finding.excerpt is not None else ""),
        related=tuple(Markup(_related(one, line_url)) for one in finding.related),
        deployment=Markup(code(finding.deployment)),
    )


def _related(place: RelatedPlace, line_url: LineUrl | None) -> str:
    where = _place(place.path, place.start_line, max(place.start_line, place.end_line), line_url)
    return f"{where}: {message(place.message)}" if place.message else where


def _place(path: str, start: int, last: int, line_url: LineUrl | None) -> str:
    """Return path and line, linked to the lines if the forge can address them."""
    url = None if line_url is None or not is_addressable(path) else line_url(path, start, last)
    return link(code(f"{path}:{start}"), url)


def _excerpt(excerpt: Excerpt) -> str:
    """Return the lines with their numbers, and carets under the location."""
    margin = len(str(excerpt.line + len(excerpt.lines) - 1))
    drawn = []
    for number, text, left, right in excerpt_lines(excerpt, WIDEST - margin - 3):
        drawn.append(f"{number:>{margin}} | {text}".rstrip())
        if right > left or number == excerpt.line:
            drawn.append(f"{' ' * margin} | {' ' * cells(text[:left])}{'^' * max(1, cells(text[left:right]))}")
    return fence(drawn)


def _groups(findings: Sequence[ShownFinding]) -> list[Group]:
    """Return findings by deployment, the one with the most severe finding first."""
    groups: dict[str, list[ShownFinding]] = {}
    for finding in findings:
        groups.setdefault(finding.deployment, []).append(finding)
    return [Group(name, tuple(members)) for name, members in groups.items()]


def _table(moved: MovedMemory) -> Table:
    from markupsafe import Markup

    parts = moved.parts
    if all(part.after is None for part in parts) or all(part.before is None for part in parts):
        parts = parts[:1]  # Flink refuses one side as a whole: the first row says so
    return Table(
        Markup(code(moved.document or moved.path)),
        _PROCESSES[moved.process],
        tuple(Row(_PARTS[part.part], _size(part.before), _size(part.after), _change(part)) for part in parts),
    )


def _size(size: int | None) -> str:
    if size is None:
        return "refused by Flink"
    return f"{readable(size)} ({size:,} B)" if size >= 1024 else f"{size} B"


def _change(part: Moved) -> str:
    if part.before is None or part.after is None:
        return ""
    sign = "+" if part.after > part.before else "−"
    return f"{sign}{readable(abs(part.after - part.before))}"
