"""Files of any format inside other files: a script in a ConfigMap, values in a heredoc, a manifest in another object.

The inner text is read by its own format, and the resulting documents are converted to documents of the outer file:
their places refer to it, and their edits are made inside, then mapped outward.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.flink_files.embedding import Embedded, indent_of, outward
from flink_flint.linter.model.document import Changes, Document, FileFormat, Promise, Ways
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.spans import Edit, Span


class InnerDocument(Embedded):
    """A document of a file inside another file; `inner` is the same document with positions in the inner file."""

    inner: Document
    _twins: dict[tuple[str, Span], Entry]

    def edited(self, how: str, entry: Entry | None, *arguments: str) -> Iterator[Promise]:
        """Yield alternative edits of the outer file that change the embedded file; `how` is as in `Embedded.edited`."""
        for edits, changes in self.ways_inside(how, entry, *arguments):
            yield from promises(self, self.placed(edits), changes)

    def ways_inside(self, how: str, entry: Entry | None, *arguments: str) -> Iterator[tuple[Sequence[Edit], Changes]]:
        """Yield the inner format's alternative edits of the inner text, each with the resulting changes to settings."""
        own: list[Entry] = []
        if entry is not None:
            twin = self.twin(entry)
            if twin is None:
                return
            own = [twin]
        for way in getattr(self.inner.file_format, how)(self.inner, *own, *arguments):
            yield way.edits, way.changes

    def twin(self, entry: Entry) -> Entry | None:
        """Return the inner document's entry that corresponds to an entry of this document; None if there is none."""
        return self._twins.get((entry.key, entry.key_span))

    def placed(self, edits: Sequence[Edit]) -> list[Edit]:
        """Convert edits of the inner text to edits of the outer text."""
        return outer_edits(self.extract, edits, quote=self.quote, indent=self.indent)


def outer_edits(extract: Extract, edits: Sequence[Edit], *, quote: str, indent: str) -> list[Edit]:
    """Convert edits of an extract to edits of its outer text, indented, or escaped for the surrounding quotes."""
    if quote == '"':
        edits = [Edit(edit.span, json.dumps(edit.text, ensure_ascii=False)[1:-1]) for edit in edits]
    elif quote:
        edits = [Edit(edit.span, edit.text.replace("'", "''")) for edit in edits]
    found = extract.edits(edits, indent=indent)
    if not quote and "\r\n" in extract.outer:
        found = [Edit(span, re.sub(r"\r?\n", "\r\n", text)) for span, text in found]
    return found


class InnerEdits(FileFormat):
    """Mixin for formats whose documents may come from files inside other files and then provide their own edits."""

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return edits that change the key of an entry."""
        if isinstance(document, Embedded):
            return document.edited("rename", entry, key)
        return super().rename(document, entry, key)  # type: ignore[safe-super]

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return edits that replace the value of an entry."""
        if isinstance(document, Embedded):
            return document.edited("replace", entry, value)
        return super().replace(document, entry, value)  # type: ignore[safe-super]

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return edits that add a setting next to related ones."""
        if isinstance(document, Embedded):
            return document.edited("add", None, key, value)
        return super().add(document, key, value)  # type: ignore[safe-super]

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return edits that remove an entry."""
        if isinstance(document, Embedded):
            return document.edited("remove", entry)
        return super().remove(document, entry)  # type: ignore[safe-super]


def inner_documents(
    path: str,
    text: str,
    file_format: FileFormat,
    extract: Extract,
    inner_format: FileFormat,
    name: str,
    *,
    style: str = "literal",
    of: type[InnerDocument] = InnerDocument,
) -> list[InnerDocument]:
    """Return the documents that `inner_format` reads from an inner file `name`, with positions in the outer file.

    `style` is the style of the scalar that contains the text: literal, folded, single, or double.
    """
    data = extract.text.encode("utf-8", "surrogateescape")
    place = os.path.join(os.path.dirname(path), name)
    read = inner_format.with_refusals(place, data, inner_format.parse(place, data))
    # A format that removes or replaces characters would report places that are not those of the extract.
    return [
        _placed(path, text, file_format, extract, document, style, of)
        for document in read
        if document.text == extract.text
    ]


def _placed(
    path: str,
    text: str,
    file_format: FileFormat,
    extract: Extract,
    inner: Document,
    style: str,
    of: type[InnerDocument],
) -> InnerDocument:
    content = outward(_content(inner), extract)
    for entry, own in zip(content.entries, inner.entries, strict=True):
        entry.raw = _raw(text, entry.value_span, own.raw, inner.text[slice(*own.value_span)])
    document = of(
        path, text, file_format, content, syntax=inner.syntax, kind=inner.kind, name=inner.name,
        elements=[element_at(element, extract) for element in inner.elements], span=extract.span(inner.head),
        whole=inner.whole, release=inner.release, platform=inner.platform, profile=inner.profile,
        release_span=None if inner.release_span is None else extract.span(inner.release_span),
        ignored=[one._replace(span=extract.span(one.span)) for one in inner.ignored],
    )  # fmt: skip
    document.extract, document.inner = extract, inner
    document.quote = {"single": "'", "double": '"'}.get(style, "")
    document.indent = "" if document.quote else indent_of(text, extract)
    document._twins = {
        (entry.key, entry.key_span): own for entry, own in zip(content.entries, inner.entries, strict=True)
    }
    return document


def _content(document: Document) -> ConfigurationFile:
    content = ConfigurationFile()
    content.entries, content.skipped = list(document.entries), list(document.skipped)
    content.refusals, content.warnings = list(document.refusals), list(document.warnings)
    return content


def element_at(element: Element, extract: Extract) -> Element:
    """Return an element with its positions converted from the inner text to the outer text."""
    place = extract.span
    attributes = {
        name: Attribute(
            one.value, place(one.span), None if one.key_span is None else place(one.key_span),
            _raw(extract.outer, place(one.span), one.raw, extract.text[slice(*one.span)]),
        )
        for name, one in element.attributes.items()
    }  # fmt: skip
    return Element(element.kind, element.name, place(element.span), attributes)


def _raw(outer: str, span: Span, raw: str, written: str) -> str:
    """Return a value as written in the outer text if `raw` is how it is written in the inner text."""
    return outer[span.start : span.end] if raw == written else raw
