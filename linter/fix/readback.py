"""Reads a fixed file again to verify that it has the changes that the fixes intend and no others.

It is read by its file format's parser, which reads as Flink does. Everything that no edit touches must read as before,
even if moved: every entry, every attribute of every element. Everything that edits touch must read as the fix intends.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.model.document import OPERATOR_DEFAULT, Document
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span, apply_edits

Changes = Mapping[tuple[int, str], str | None]
"""The new value of each changed setting, by document number and key; None means that the setting is removed."""

_LINE_ENDS = ("\n", "\r")


class FixedText(NamedTuple):
    """The result of applying edits to a file: its new content, and the changes in its documents."""

    source: Source
    changes: Changes


class NotAsMeant(ValueError):  # noqa: N818 - the name says what is wrong
    """Raised if fixes would not have exactly the intended effect; the message is a clause such as "changes nothing"."""


def fix_alone(source: Source, documents: Sequence[Document], fix: Fix) -> FixedText:
    """Apply the edits of one fix; raise NotAsMeant if they do not have exactly the intended effect."""
    return fix_together(source, documents, [fix])


def fix_together(source: Source, documents: Sequence[Document], fixes: Sequence[Fix]) -> FixedText:
    """Apply the edits of several fixes; raise NotAsMeant if they do not have exactly the intended effects.

    A fix without an intent may change anything that its edits touch.
    """
    fixed = _fix_file(source, documents, [edit for fix in fixes for edit in fix.edits], *fixes)
    if fixed.source.data == source.data:
        raise NotAsMeant("changes nothing")
    meant: dict[tuple[int, str], str | None] = {}
    for fix in fixes:
        if fix.intent is None:
            continue
        for key, value in fix.intent.settings.items():
            if meant.setdefault((fix.intent.document, key), value) != value:
                raise NotAsMeant(f"would conflict with another one that changes {key}")
    for (number, key), value in meant.items():
        if fixed.changes.get((number, key), _held(documents[number], key)) != value:
            raise NotAsMeant(f"would not give {key} the intended value")
    if all(fix.intent is not None for fix in fixes):
        concerned = {fix.intent.document for fix in fixes if fix.intent is not None}
        for number, key in fixed.changes:
            if number in concerned and (number, key) not in meant:
                raise NotAsMeant(f"would also change {key}")
    return fixed


def _held(document: Document, key: str) -> str | None:
    entry = document.effective.get(key)
    return None if entry is None else entry.text


def _fix_file(source: Source, documents: Sequence[Document], edits: Sequence[Edit], *fixes: Fix) -> FixedText:
    file_format, text = source.file_format, documents[0].text
    try:
        data = file_format.write(apply_edits(text, list(edits)), source.data)
    except ValueError as error:  # overlapping edits of one fix, or a text that the file's encoding cannot represent
        raise NotAsMeant("cannot be written into the file") from error
    after = file_format.read(source.path, data)
    _compare_shape(documents, after)
    for old, new in zip(documents, after, strict=True):
        new.set_operator_of(old)
    meant = {(fix.intent.document, key) for fix in fixes if fix.intent is not None for key in fix.intent.settings}
    _compare_rest(documents, after, edits, meant)
    return FixedText(Source(source.path, data, file_format), dict(_changes(documents, after)))


def _changes(before: Sequence[Document], after: Sequence[Document]) -> Iterator[tuple[tuple[int, str], str | None]]:
    for old, new in zip(before, after, strict=True):
        old_settings, new_settings = old.settings(), new.settings()
        for key in {**old_settings, **new_settings}:
            if old_settings.get(key) != new_settings.get(key):
                entry = new.effective.get(key)
                # What the operator sets in its place does not make a removed setting less removed.
                is_default = key in old_settings and entry is not None and entry.layer.startswith(OPERATOR_DEFAULT)
                yield (old.number, key), None if is_default else new_settings.get(key)


def _compare_shape(before: Sequence[Document], after: Sequence[Document]) -> None:
    if [(one.kind, one.name) for one in before] != [(one.kind, one.name) for one in after]:
        raise NotAsMeant("would change which configurations the file contains")
    for old, new in zip(before, after, strict=True):
        if len(new.refusals) > len(old.refusals):
            raise NotAsMeant(f"would make Flink refuse the file: {mask_of(*after)(new.refusals[0].message)}")
        if lost := Counter(line.reason for line in new.skipped) - Counter(line.reason for line in old.skipped):
            raise NotAsMeant(f"would leave a line that Flink drops ({next(iter(lost))})")
        if len(new.warnings) > len(old.warnings):
            raise NotAsMeant("would make Flink warn about the file")


# -- what no edit touches


def _compare_rest(
    before: Sequence[Document], after: Sequence[Document], edits: Sequence[Edit], meant: set[tuple[int, str]]
) -> None:
    """Raise NotAsMeant if something that no edit touches and that is not `meant` reads differently or not at all.

    New values may appear: a field with the right name, a key that has become effective.
    """
    regions = _Regions(before[0].text, edits)
    for old, new in zip(before, after, strict=True):
        settings = {(entry.key, entry.text, entry.key_span.start) for entry in new.entries}
        values = {(value, span.start) for value, _, span in _values(new)}
        for entry in old.entries:
            if entry.layer or (old.number, entry.key) in meant:
                continue
            place = regions.moved(entry.key_span, *entry.path_spans, entry.value_span)
            if place is not None and (entry.key, entry.text, place) not in settings:
                raise NotAsMeant(f"would also change {entry.key}")
        # The name under which a value is read may depend on an edit, such as the name of a container or of a field.
        for value, name, span in _values(old):
            place = regions.moved(span)
            if place is not None and (value, place) not in values and (old.number, name) not in meant:
                raise NotAsMeant(f"would also change {name}")


def _values(document: Document) -> Iterator[tuple[str, str, Span]]:
    """Yield the values of a document with their names and locations, if they have one."""
    for entry in document.entries:
        span = entry.value_span
        is_written = (
            not entry.layer or entry.text in document.text[span.start : span.end]
        )  # otherwise it only follows from the layer
        if is_written and entry.value is not None:
            yield entry.text, entry.key, span
    for element in document.elements:
        for name, attribute in element.attributes.items():
            if attribute.value is not None and attribute.span != element.span:
                yield str(attribute.value), f"{name} of {element.name}", attribute.span


class _Regions:
    """The parts of a text that edits replace."""

    def __init__(self, text: str, edits: Sequence[Edit]) -> None:
        self._text = text
        self._regions: list[Span] = []
        self._shifts: list[int] = []
        shift = 0
        for span, new in sorted(edits):
            old = text[span.start : span.end]
            shift += len(new) - len(old)
            # What is directly adjacent to an edit may read differently; what is on other lines may not.
            high = 0 if all(some.endswith(_LINE_ENDS) for some in (old, new) if some) else 1
            self._regions.append(Span(span.start - 1, span.end + high))
            self._shifts.append(shift)
        self._ends = [region.end for region in self._regions]

    def moved(self, *spans: Span) -> int | None:
        """Return where the first of some spans begins after the edits; None if an edit touches one of them."""
        for start, end in spans:
            if "\n" in self._text[start:end]:
                end = self._text.find("\n", end - 1) + 1 or end  # a block of text may continue below its last line
            place = bisect_right(self._ends, start)
            if place < len(self._regions) and self._regions[place].start < max(end, start + 1):
                return None
        return self.after(spans[0].start)

    def after(self, offset: int) -> int:
        """Return the offset after the edits of something that no edit touches."""
        place = bisect_right(self._ends, offset)
        return offset + (self._shifts[place - 1] if place else 0)
