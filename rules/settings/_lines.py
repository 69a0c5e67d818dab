"""Groups the lines of a `flink-conf.yaml` that Flink drops into the blocks and lists that the author meant.

The file is read line by line, so a nested block, a list or a value that goes on over several lines falls
apart. `Outline` puts it together again as YAML would, for the rules that speak about one kind each.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.parsed_file import Entry, Skipped
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Lines, Span

_HEADINGS = ("empty-value", "comment-only-value")

# Patterns are compiled where they are used: few files have lines that Flink drops.
_BLOCK_SCALAR = r"[|>][+-]?[1-9]?[+-]?"
_TAG = r"\{[{%#]|[%#}]\}|<%|%>"
_CONTROL_TAG = r"\{[%#]|[%#]\}|<%|%>"


class Nest(NamedTuple):
    """A nested block: a key without a value, and the indented lines below it."""

    heading: Skipped
    headings: tuple[Skipped, ...]
    """The keys without a value in the block, the outermost first, except those of a `Run`."""
    members: tuple[tuple[Entry, str], ...]
    """The entries of the block, each with its full key in nested YAML.

    Entries whose own key is already a Flink key are left out if the nested key would be none.
    """
    others: tuple[tuple[Skipped, str], ...]
    """The keys without a value that begin a `Run`, and the lines with a wrong separator, each with its full key."""


class Run(NamedTuple):
    """The lines of a list or a long value, and the line that they continue."""

    owner: Entry | Skipped
    key: str
    """The full key of the continued line in nested YAML."""
    lines: tuple[Skipped, ...]
    is_list: bool


class Outline:
    """The dropped lines of a document: nested blocks, lists and long values, and single lines (`alone`).

    Lines in `alone` have the key that nested YAML would give them.
    """

    def __init__(self, document: Document) -> None:
        self.nests: list[Nest] = []
        self.runs: list[Run] = []
        self.alone: list[Skipped] = []
        if not document.skipped or is_foreign(document):
            return
        starts = document.lines.starts
        items: list[tuple[int, Entry | Skipped]] = [(entry.key_span.start, entry) for entry in document.entries]
        items += [(skipped.span.start, skipped) for skipped in document.skipped]
        items.sort(key=_place)
        roots: list[_Heading] = []
        stack: list[_Heading] = []
        previous: _Owner | None = None
        runs: dict[int, _Owner] = {}
        for start, item in items:
            indent = start - starts[bisect_right(starts, start) - 1]
            if not indent and isinstance(item, Entry):  # most lines: nothing above holds them
                stack.clear()
                previous = _Owner(item, item.key, indent)
                continue
            if isinstance(item, Skipped) and _is_unknown(document, item):
                continue
            if isinstance(item, Skipped) and previous is not None and _goes_on(item, indent, previous):
                previous.lines.append(item)
                runs[id(previous)] = previous
                continue
            while stack and stack[-1].indent >= indent:
                stack.pop()
            path = f"{stack[-1].path}.{item.key}" if stack else item.key
            if isinstance(item, Entry):
                if stack and (is_known(path) or not is_known(item.key)):
                    stack[-1].members.append((item, path))
                else:
                    path = item.key
                previous = _Owner(item, path, indent)
            elif item.reason in _HEADINGS:
                heading = _Heading(item, path, indent)
                if stack:
                    stack[-1].headings.append(heading)
                else:
                    roots.append(heading)
                stack.append(heading)
                previous = _Owner(item, path, indent)
            else:
                if stack and item.key and (is_known(path) or not is_known(item.key)):
                    item = item._replace(key=path)
                    stack[-1].slips.append(item)
                self.alone.append(item)
                previous = None
        leads = {}
        for owner in runs.values():
            is_list = owner.lines[0].reason == "list-item"
            self.runs.append(Run(owner.item, owner.path, tuple(owner.lines), is_list))
            leads[owner.item.key_span] = owner.path
        for root in roots:
            self._close(root, leads)

    def _close(self, root: _Heading, leads: dict[Span, str]) -> None:
        everything = root.everything()
        members = tuple(member for heading in everything for member in heading.members)
        below = [heading for heading in everything if heading.item.key_span not in leads]
        leading = [(h.item, h.path) for h in everything if h.item.key_span in leads and h is not root]
        slips = [(slip, slip.key) for heading in everything for slip in heading.slips]
        if members:
            headings = tuple(heading.item for heading in below)
            members = tuple(sorted(members, key=_member_place))
            self.nests.append(Nest(root.item, headings, members, (*leading, *slips)))
        else:
            self.alone += [heading.item._replace(key=heading.path) for heading in below]


_LAST: list[tuple[Lines, Outline]] = []
"""The outline made last, with the lines that tell of which document."""


def outline_of(document: Document) -> Outline:
    """Return the outline of a document; the last result is cached, because several rules need it."""
    if not document.skipped:
        return Outline(document)
    lines = document.lines
    for known, outline in _LAST:
        if known is lines:
            return outline
    outline = Outline(document)
    _LAST[:] = [(lines, outline)]
    return outline


class _Heading:
    """A key without a value on its line, which may open a nested block."""

    def __init__(self, item: Skipped, path: str, indent: int) -> None:
        self.item, self.path, self.indent = item, path, indent
        self.members: list[tuple[Entry, str]] = []
        self.slips: list[Skipped] = []
        self.headings: list[_Heading] = []

    def everything(self) -> list[_Heading]:
        """This heading and all below it, in file order."""
        return [self, *(below for heading in self.headings for below in heading.everything())]


class _Owner:
    """The line that lines below may go on from."""

    def __init__(self, item: Entry | Skipped, path: str, indent: int) -> None:
        self.item, self.path, self.indent = item, path, indent
        self.lines: list[Skipped] = []


def is_foreign(document: Document) -> bool:
    """Return whether a document is another kind of file under Flink's name, such as a Kubernetes manifest."""
    return "apiVersion" in document.effective or (bool(document.entries) and document.entries[0].key.startswith("- "))


def is_tag(document: Document, span: Span) -> bool:
    """Return whether the line of a span contains a template tag."""
    line = document.lines.span(document.lines.position(span.start).line)
    text = document.text[line.start : line.end]
    return re.search(_TAG, text) is not None or is_templated(text)


def _is_unknown(document: Document, item: Skipped) -> bool:
    """Whether a template decides what a dropped line is, and not merely its value."""
    if not is_tag(document, item.span):
        return False
    filled = is_templated(item.value) and not re.search(_CONTROL_TAG, item.value)
    return not (filled and item.key and not is_templated(item.key))


def is_known(key: str) -> bool:
    """Return whether any release knows a key or passes it on to a component that may know it."""
    options = catalogue()
    return bool(options.releases(key)) or options.passes_through(key)


def opens_block(raw: str) -> bool:
    """Return whether a value is the header of a YAML block scalar (``|``, ``>-``)."""
    return re.fullmatch(_BLOCK_SCALAR, raw) is not None


def _place(placed: tuple[int, Entry | Skipped]) -> int:
    return placed[0]


def _member_place(member: tuple[Entry, str]) -> int:
    return member[0].key_span.start


def _goes_on(item: Skipped, indent: int, owner: _Owner) -> bool:
    """Whether a dropped line goes on from an owner above it: a list item, or part of its value."""
    if item.reason == "list-item":
        return indent >= owner.indent and (isinstance(owner.item, Skipped) or bool(owner.lines))
    if isinstance(owner.item, Entry) and opens_block(owner.item.raw):
        return indent > owner.indent
    if item.key.startswith("-") or item.value.startswith("//"):
        return indent >= owner.indent
    if item.reason in ("continuation", "no-separator"):
        return indent > owner.indent
    # An indented `x=y` or `x:y` below a value without end is part of it; below a finished one it is a slip
    return indent > owner.indent and bool(owner.lines) and item.reason in ("missing-space", "equals")
