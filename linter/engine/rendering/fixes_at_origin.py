"""Transfers the fixes of rendered text to the files that the text comes from.

A fix is kept if what it changes stands in one file as it is rendered: a setting with the same key and value, or a piece
of text that was copied. Whether the changed file then renders to what the fix intends is proven as for any fix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Fix, Operation
from flink_flint.linter.text.spans import Edit, Span

PlaceOf = Callable[[Span], "tuple[str, Span] | None"]
"""A function that maps a span of rendered text to the source file and span that determine it, or to None."""


class SourceDocuments:
    """The documents of the source files of a rendering, as read from these files directly."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.by_path: dict[str, list[Document]] = {}
        for document in documents:
            self.by_path.setdefault(document.path, []).append(document)

    def moved(self, fix: Fix, rendered: Sequence[Document], path: str, decided: PlaceOf, copied: PlaceOf) -> Fix | None:
        """Convert a fix of rendered documents to a fix of one source file; return None if that is impossible.

        `copied` is like `decided`, but returns None for text that does not stand in the file as it is rendered.
        """
        documents: dict[int, Document] = {}
        made: list[Operation | Edit] = []
        for one in fix.operations:
            if isinstance(one, Edit):
                place = copied(one.span)
                if place is None or place[0] != path or "\n" in one.text:
                    return None
                made.append(Edit(place[1], one.text))
                continue
            operation = self._moved(one, rendered[one.document], path, decided)
            if operation is None:
                return None
            documents[one.document] = self.by_path[path][operation.document]
            made.append(operation)
        if fix.intent is None:
            return fix._replace(operations=made, path=path)
        changed = documents.get(fix.intent.document) or self._with_settings(path, fix.intent.settings, made)
        if changed is None:
            return None
        intent = fix.intent._replace(document=changed.number)
        return fix._replace(operations=made, path=path, intent=intent)

    def _moved(self, one: Operation, rendered: Document, path: str, decided: PlaceOf) -> Operation | None:
        if one.at is None:
            document = self._same(rendered, path)
            return None if document is None else one._replace(document=document.number)
        changed = next((entry for entry in rendered.entries_of(one.key) if entry.key_span == one.at), None)
        if changed is None:
            return None
        # A patch replaces the value of a key that stays in the base; removing it there is no removal.
        place = decided(changed.value_span if one.how == "replace" else changed.key_span)
        if place is None or place[0] != path:
            return None
        for document in self.by_path.get(path, ()):
            for entry in document.entries_of(one.key):
                span = entry.value_span if one.how == "replace" else entry.key_span
                if entry.text == changed.text and _overlap(span, place[1]):
                    return one._replace(document=document.number, at=entry.key_span)
        return None

    def _same(self, rendered: Document, path: str) -> Document | None:
        """Return the only document of a file that has the same settings as a rendered one, and no others."""
        settings = rendered.settings()
        same = [
            one for one in self.by_path.get(path, ()) if one.kind == rendered.kind and one.settings() == settings
        ]  # fmt: skip
        return same[0] if len(same) == 1 else None

    def _with_settings(
        self, path: str, settings: Mapping[str, str | None], edits: Iterable[Operation | Edit]
    ) -> Document | None:
        """Return the document of a file in which edits change some settings."""
        spans = [edit.span for edit in edits if isinstance(edit, Edit)]
        for document in self.by_path.get(path, ()):
            entries = [entry for key in settings for entry in document.entries_of(key)]
            if any(_overlap(span, entry.key_span, entry.value_span) for span in spans for entry in entries):
                return document
        return None


def _overlap(span: Span, *others: Span) -> bool:
    return any(span.start < other.end and other.start < span.end for other in others)
