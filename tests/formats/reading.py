"""Helpers of the format tests: read a text as a named file, cut out spans, and try edits."""

from __future__ import annotations

from typing import Any

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.text.spans import apply_edits
from tests.fix_edits import edits_for


def file_format(name: str, text: str) -> FileFormat:
    """Return the file format that recognizes the file."""
    found = file_format_of(name, text[: 64 * 1024])
    assert found is not None, f"no file format recognizes {name}"
    return found


def read(name: str, text: str) -> list[Document]:
    """Return the documents of a file."""
    return file_format(name, text).read(name, text.encode("utf-8", "surrogateescape"))


def cuts(document: Document) -> list[tuple[str, str, str]]:
    """Return for each entry its key and the texts in the spans of key and value."""
    text = document.text
    return [(e.key, text[slice(*e.key_span)], text[slice(*e.value_span)]) for e in document.entries]


def parts(document: Document, kind: str) -> list[tuple[str, dict[str, tuple[object, str]]]]:
    """Return for each element of a kind its name, and the value and the text in the span of each attribute."""
    return [
        (e.name, {name: (a.value, document.text[slice(*a.span)]) for name, a in e.attributes.items()})
        for e in document.elements
        if e.kind == kind
    ]


def edited(document: Document, how: str, *arguments: Any) -> Document | None:
    """Return the document after an edit by its file format, or None if the format declines."""
    edits = edits_for(document, how, *arguments)
    if not edits:
        return None
    text = apply_edits(document.text, edits)
    like = document.text.encode("utf-8", "surrogateescape")
    return document.file_format.read(document.path, document.file_format.write(text, like))[document.number]


def assert_edits_hold(document: Document, value: str = "a-new.value/1") -> int:
    """Try to replace and remove every effective entry, check that only this setting changes, and return the number."""
    done = 0
    before = document.settings()
    for entry in document.entries:
        if entry.overridden:
            continue
        if (after := edited(document, "replace", entry, value)) is not None:
            done += 1
            assert after.settings() == {**before, entry.key: value}, entry
        if (after := edited(document, "remove", entry)) is not None:
            done += 1
            # Removing an entry restores the entry that it overrode.
            others = {one.key: one.text for one in document.entries if one is not entry}
            assert after.settings() == {key: value for key, value in before.items() if key != entry.key} | others, entry
    return done


def entry(document: Document, key: str) -> Entry:
    """Return the effective entry of a key."""
    return document.effective[key]
