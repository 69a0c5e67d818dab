"""Configuration files embedded in other files, read as Flink reads them, with positions in the outer file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from flink_flint.linter.flink.file_loading import read_config_yaml, read_flink_conf
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry, Refusal, Skipped
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.flink_files.config_yaml import FILE_FORMAT as CONFIG_YAML_FORMAT
from flink_flint.linter.formats.flink_files.flink_conf import FILE_FORMAT as FLINK_CONF_FORMAT
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.template_settings import resolve
from flink_flint.linter.model.document import Changes, Document, FileFormat, Promise, Ways
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.spans import Edit, Span

READERS = {"flink-conf": read_flink_conf, "config-yaml": read_config_yaml}
_FILE_FORMATS: dict[str, FileFormat] = {"flink-conf": FLINK_CONF_FORMAT, "config-yaml": CONFIG_YAML_FORMAT}


def read_embedded(extract: Extract, syntax: str) -> ConfigurationFile:
    """Return the settings of an embedded file ("flink-conf" or "config-yaml") with positions in the outer text."""
    return outward(read_inner(extract.text, syntax)[0], extract)


def read_inner(text: str, syntax: str, *, is_rendered: bool = True) -> tuple[ConfigurationFile, bool]:
    """Return the parsed contents of an embedded file, and whether its template tags may add settings.

    The positions are those in `text`.
    """
    content = READERS[syntax](text)
    return content, resolve(content, text, is_rendered=is_rendered, last_counts=syntax == "flink-conf")


def outward(inner: ConfigurationFile, extract: Extract) -> ConfigurationFile:
    """Return parsed contents with their positions converted from the embedded text to the outer text."""
    result = ConfigurationFile()
    place = extract.span
    result.entries = [entry_at(entry, extract) for entry in inner.entries]
    result.skipped = [
        Skipped(s.reason, place(s.span), s.key, place(s.key_span), s.value, place(s.value_span)) for s in inner.skipped
    ]
    result.refusals = [Refusal(r.reason, r.message, place(r.span), r.key, r.error) for r in inner.refusals]
    result.warnings = inner.warnings
    return result


def entry_at(entry: Entry, extract: Extract) -> Entry:
    """Return an entry with its positions converted from the embedded text to the outer text."""
    moved = Entry(
        entry.key, entry.value, entry.text, extract.span(entry.key_span), extract.span(entry.value_span), entry.raw,
        entry.style, parents=tuple(extract.span(span) for span in entry.path_spans[:-1]), nested=entry.nested,
        indent=entry.indent, comment=None if entry.comment is None else extract.span(entry.comment),
    )  # fmt: skip
    moved.overridden, moved.layer, moved.may_be_replaced = entry.overridden, entry.layer, entry.may_be_replaced
    moved.operators = entry.operators
    return moved


class Embedded(Document):
    """A document whose text is embedded in another file, such as a ConfigMap."""

    extract: Extract
    indent: str = ""
    """The indentation of the embedded lines in the outer file."""
    quote: str = ""
    """The quotation mark around the embedded text, single or double; empty for a block scalar."""
    _inner: tuple[Extract, Document, dict[Span, Entry]] | None = None

    @classmethod
    def of(
        cls,
        path: str,
        text: str,
        file_format: FileFormat,
        extract: Extract,
        syntax: str,
        *,
        style: str = "literal",
        whole: bool = True,
        **what: Any,
    ) -> Embedded:
        """Return the document for an embedded file; `style` is the YAML scalar's style, `what` is passed to `Document`.

        The document is partial if `whole` is false or if template tags may insert more settings.
        """  # fmt: skip

        content, is_open = read_inner(extract.text, syntax, is_rendered=is_rendered(path))
        document = cls(
            path, text, file_format, outward(content, extract), syntax=syntax, whole=whole and not is_open, **what
        )
        document.extract = extract
        document.quote = {"single": "'", "double": '"'}.get(style, "")
        document.indent = "" if document.quote else indent_of(text, extract)
        return document

    def edited(self, how: str, entry: Entry | None, *arguments: str) -> Iterator[Promise]:
        """Yield alternative edits of the outer file; `how` is "rename", "replace", "add", or "remove"."""
        for edits in self.edited_inside(self.extract, self.syntax, how, entry, *arguments):
            found = self.extract.edits([self._written(edit) for edit in edits], indent=self.indent)
            if not self.quote and "\r\n" in self.text:
                found = [Edit(span, re.sub(r"\r?\n", "\r\n", text)) for span, text in found]
            yield from promises(self, found, self.changes_by(how, entry, *arguments))

    def ways_inside(self, how: str, entry: Entry | None, *arguments: str) -> Iterator[tuple[Sequence[Edit], Changes]]:
        """Yield alternative edits with positions in the embedded text, each with the resulting changes to settings."""
        for edits in self.edited_inside(self.extract, self.syntax, how, entry, *arguments):
            yield edits, self.changes_by(how, entry, *arguments)

    def edited_inside(
        self, extract: Extract, syntax: str, how: str, entry: Entry | None, *arguments: str
    ) -> Iterator[Sequence[Edit]]:
        """Return alternative edits with positions in the embedded text `extract`, whose syntax is `syntax`."""
        if self._inner is None or self._inner[0] is not extract:
            content, _ = read_inner(extract.text, syntax, is_rendered=is_rendered(self.path))
            made = Document(self.path, extract.text, _FILE_FORMATS[syntax], content, syntax=syntax)
            self._inner = extract, made, {extract.span(one.key_span): one for one in made.entries}
        _, inner, by_place = self._inner
        ways: Ways = ()
        if entry is None:
            ways = inner.file_format.add(inner, *arguments)
        elif (twin := by_place.get(entry.key_span)) is not None:
            ways = getattr(inner.file_format, how)(inner, twin, *arguments)
        return (way.edits for way in ways)

    def changes_by(self, how: str, entry: Entry | None, *arguments: str) -> Changes:
        """Return the changes that an edit makes to the settings; `how` is "rename", "replace", "add", or "remove"."""
        if entry is None:
            return {arguments[0]: arguments[1]}
        becomes = {"replace": (entry.key, *arguments), "rename": (*arguments, entry.text)}.get(how)
        return self.changes(entry, None if becomes is None else (becomes[0], becomes[1]))

    def _written(self, edit: Edit) -> Edit:
        """Return an edit with its text escaped for the quotes around the embedded text."""
        if self.quote == '"':
            return Edit(edit.span, json.dumps(edit.text, ensure_ascii=False)[1:-1])
        return Edit(edit.span, edit.text.replace("'", "''")) if self.quote else edit


def indent_of(text: str, extract: Extract) -> str:
    """Return the indentation that the lines of an embedded text have in the outer text."""
    lines = 0
    start = -1
    for line in extract.text.split("\n"):
        if line.strip():
            start = extract.start(lines)
            break
        lines += len(line) + 1
    if start < 0:
        return ""
    begin = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    margin = text[begin:start]
    return margin if not margin.strip(" ") else ""
