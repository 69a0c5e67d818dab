"""Where findings are, for people: lines, columns and excerpts, with secrets hidden."""

from collections.abc import Mapping

from linter.document import Document
from linter.finding import Excerpt, Finding, Located, LocatedEdit
from linter.flink.secrets import Mask
from linter.text import Span

_MOST_EXCERPT_LINES = 3


def locate(finding: Finding, documents: Mapping[str, Document]) -> None:
    """Fill in lines, columns and excerpts, and hide secrets in everything that will be printed."""
    document = documents[finding.path]
    mask = mask_of(document)
    finding.message = mask(finding.message)
    finding.help = mask(finding.help) if finding.help else finding.help
    finding.evidence = {name: mask(v) if isinstance(v, str) else v for name, v in finding.evidence.items()}
    finding.where = _located(document, mask, finding.span, "")
    finding.located = tuple(
        _located(documents[place.path], mask_of(documents[place.path]), place.span, mask(place.message))
        for place in finding.related
    )
    if finding.fix is not None:
        lines = document.lines
        if not any(mask.hides(edit.text) for edit in finding.fix.edits):
            finding.edits = tuple(
                LocatedEdit(finding.path, lines.position(e.span.start), lines.position(e.span.end), e.text)
                for e in finding.fix.edits
            )
        finding.fix = finding.fix._replace(title=mask(finding.fix.title))


def mask_of(document: Document) -> Mask:
    """What hides the secrets of a document."""
    if document.mask is None:
        values = [(entry.key, entry.value_span) for entry in document.entries]
        document.mask = Mask(document.text, values)
    return document.mask


def _located(document: Document, mask: Mask, span: Span, message: str) -> Located:
    lines = document.lines
    start, end = lines.position(span.start), lines.position(max(span.start, span.end))
    last = end.line if end.column > 1 or end.line == start.line else end.line - 1
    shown = []
    left = right = 0
    for number in range(start.line, min(last, start.line + _MOST_EXCERPT_LINES - 1) + 1):
        text, from_, to = mask.line(document.text, lines.span(number), span)
        if number == start.line:
            left = max(0, from_)
        right = min(len(text), to)
        shown.append(text)
    return Located(document.path, start, end, message, Excerpt(start.line, tuple(shown), left, right))
