"""Where findings are, for people: lines, columns and excerpts, with secrets hidden."""

from collections.abc import Mapping, Sequence
from functools import partial

from linter.document import Document
from linter.finding import Excerpt, Finding, Located, LocatedEdit
from linter.flink.secrets import Mask, is_secret, is_secret_field
from linter.text import Edit, Span

_MOST_EXCERPT_LINES = 3
_LONGEST_LINE = 2_000
"""Characters of a line; no terminal shows more, and a file may be one line of many megabytes."""


def locate(finding: Finding, documents: Mapping[str, Sequence[Document]]) -> None:
    """Fill in lines, columns and excerpts, and hide secrets in everything that will be printed."""
    document = documents[finding.path][0]
    mask = mask_of(*documents[finding.path])
    hide = mask.about_a_secret if finding.key and is_secret(finding.key) else mask
    finding.message = hide(finding.message)
    finding.help = hide(finding.help) if finding.help else finding.help
    finding.evidence = {name: hide(v) if isinstance(v, str) else v for name, v in finding.evidence.items()}
    finding.where = _located(document, mask, finding.span, "")
    finding.located = tuple(
        _located(documents[place.path][0], mask_of(*documents[place.path]), place.span, mask(place.message))
        for place in finding.related
    )
    if finding.proposed is not None:
        finding.proposed = finding.proposed._replace(title=hide(finding.proposed.title))
        finding.locate_edits = partial(_located_edits, document, mask)


def _located_edits(document: Document, mask: Mask, edits: Sequence[Edit]) -> tuple[LocatedEdit, ...]:
    """Edits as lines and columns; none where they would show a secret."""
    if any(mask.hides(edit.text, edit.span) for edit in edits):
        return ()
    position = document.lines.position
    return tuple(LocatedEdit(document.path, position(e.span.start), position(e.span.end), e.text) for e in edits)


def mask_of(document: Document, *others: Document) -> Mask:
    """What hides the secrets of a file: its documents."""
    if document.mask is None:
        values = [(entry.key, entry.value_span, entry.text) for one in (document, *others) for entry in one.entries]
        values += [
            (name, attribute.span, attribute.value)
            for one in (document, *others)
            for element in one.elements
            for name, attribute in element.attributes.items()
            if isinstance(attribute.value, str) and is_secret_field(name)
        ]
        document.mask = Mask(document.text, values)
    return document.mask


def masked_lines(documents: Sequence[Document]) -> dict[str, str]:
    """The lines of a file, each with what to show for it."""
    document = documents[0]
    mask, lines, text = mask_of(*documents), document.lines, document.text
    shown: dict[str, str] = {}
    for number in range(1, len(lines.starts) + 1):
        span = lines.span(number)
        line, masked = text[span.start : span.end], mask.line(text, span, span)[0]
        if line not in shown or masked != line:
            shown[line] = masked
    return shown


def _located(document: Document, mask: Mask, span: Span, message: str) -> Located:
    lines = document.lines
    start, end = lines.position(span.start), lines.position(max(span.start, span.end))
    last = end.line if end.column > 1 or end.line == start.line else end.line - 1
    shown = []
    left = right = 0
    for number in range(start.line, min(last, start.line + _MOST_EXCERPT_LINES - 1) + 1):
        line = lines.span(number)
        window = _window(line, span)
        lead = "…" if window.start > line.start else ""
        text, from_, to = mask.line(document.text, window, span)
        if number == start.line:
            left = max(0, from_) + len(lead)
        right = min(len(text), to) + len(lead)
        shown.append(lead + text + ("…" if window.end < line.end else ""))
    return Located(document.path, start, end, message, Excerpt(start.line, tuple(shown), left, right))


def _window(line: Span, span: Span) -> Span:
    """The part of a line worth showing: all of it, or of a very long one what surrounds the span's start."""
    if line.end - line.start <= _LONGEST_LINE:
        return line
    start = max(line.start, min(span.start, line.end) - _LONGEST_LINE // 4)
    return Span(start, min(line.end, start + _LONGEST_LINE))
