"""Conversion of each `flink-conf.yaml` inside a manifest: its block scalar becomes a `config.yaml` in place."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.formats.flink_files.embedding import Embedded
from flink_flint.linter.migrate.conversion import Note, Unknowable, migrate
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Lines, Span, apply_edits

_KEY = regex(r"([\"']?)flink-conf\.yaml\1")
_HEADER = regex(r"[ \t]*:[ \t]*\|[-+0-9]*[ \t]*(?:#[^\r\n]*)?\r?\n")


class Rewritten(NamedTuple):
    """A manifest with its configuration files converted, and notes on the conversion."""

    text: str
    notes: list[Note]


def holds_old_files(source: Source) -> bool:
    """Return whether a file that is not itself a `flink-conf.yaml`, such as a manifest, contains one."""
    return bool(_old_files(source.file_format.read(source.path, source.data)))


def migrate_manifest(source: Source, *, is_nested: bool, to: int, rename: bool) -> Rewritten:
    """Return the manifest with its `flink-conf.yaml` files migrated; it must contain at least one.

    Raises ValueError, with the line, if that is impossible or would change anything else.
    """
    documents = source.file_format.read(source.path, source.data)
    old = _old_files(documents)
    if any(isinstance(document, Embedded) and document.syntax == "config-yaml" for document in documents):
        raise ValueError(f"it already contains a {CONFIG_YAML}")
    text = old[0].text
    lines = Lines(text)
    keys: list[Edit] = []
    blocks: list[Edit] = []
    notes: list[Note] = []
    files: list[str] = []
    for document in old:
        block = _block(document, lines)
        key = _key(document)
        line = lines.position(key.start).line
        inner = Lines(document.extract.text)

        def outer(number: int, inner: Lines = inner, document: Embedded = document) -> int:
            return lines.position(document.extract.start(inner.starts[number - 1])).line

        try:
            migration = migrate(
                document.extract.text, is_nested=is_nested, to=to, rename=rename, is_template="{{" in text
            )
        except Unknowable as error:
            raise ValueError(f"line {outer(error.line)}: {error.message}") from None
        except ValueError as error:
            raise ValueError(f"line {line}: {error}") from None
        files.append(migration.text)
        notes += [note._replace(line=outer(note.line)) for note in migration.notes]
        notes.append(Note(line, f"everything that mounts or names this key must now name {CONFIG_YAML}", "info"))
        keys.append(Edit(key, text[slice(*key)].replace(FLINK_CONF, CONFIG_YAML)))
        blocks.append(Edit(block, _indented(migration.text, text[slice(*block)], document.indent)))
    _check_against_old(source, apply_edits(text, blocks), documents, files)
    notes += _other_mentions(text, lines, [*keys, *blocks])
    return Rewritten(apply_edits(text, [*keys, *blocks]), sorted(notes))


def _old_files(documents: Sequence[Document]) -> list[Embedded]:
    embedded = [document for document in documents if isinstance(document, Embedded) and document.span is not None]
    return [
        document
        for document in embedded
        if document.syntax == "flink-conf" and _KEY.fullmatch(document.text[slice(*_key(document))])
    ]


def _key(document: Embedded) -> Span:
    """Return the span of the key of an embedded file in the manifest."""
    assert document.span is not None
    return document.span


def _block(document: Embedded, lines: Lines) -> Span:
    """Return the lines of the block scalar that contains a file."""
    key = _key(document)
    header = _HEADER.match(document.text, key.end)
    if header is None:
        line = lines.position(key.start).line
        raise ValueError(f"line {line}: {FLINK_CONF} is not a block of lines after a |; write it as one first")
    return Span(header.end(), max(header.end(), document.extract.end(len(document.extract.text))))


def _indented(text: str, like: str, indent: str) -> str:
    """Return `text` as the lines of a block, ending like the text it replaces."""
    lines = [f"{indent}{line}" if line else "" for line in text.replace("\r\n", "\n").split("\n")]
    block = ("\r\n" if "\r\n" in like else "\n").join(lines)
    return block if like.endswith("\n") else block.rstrip("\r\n")


def _check_against_old(source: Source, new: str, documents: Sequence[Document], files: Sequence[str]) -> None:
    """Read a manifest with new files under their old keys; raises ValueError if it has other contents than these."""
    read = source.file_format.read(source.path, source.file_format.write(new, source.data))
    blocks = [document.extract.text for document in _old_files(read)]
    same = [_plain(block) for block in blocks] == [_plain(file) for file in files]
    if not same or _others(read) != _others(documents):
        raise ValueError("the manifest would not have the same contents with the new file in it; migrate only the file")


def _plain(text: str) -> str:
    """Return a text with plain line ends, and without those at its end, of which a block keeps as many as it says."""
    return text.replace("\r\n", "\n").rstrip("\n")


def _others(documents: Sequence[Document]) -> list[tuple[object, ...]]:
    """Return what must stay of a manifest: its documents, with the settings of those that are not migrated."""
    old = {id(document) for document in _old_files(documents)}
    return [
        (document.kind, document.name, document.syntax, None if id(document) in old else document.settings())
        for document in documents
    ]


def _other_mentions(text: str, lines: Lines, edits: Sequence[Edit]) -> list[Note]:
    """Return notes on the other lines that name the old file."""
    notes = []
    at = text.find(FLINK_CONF)
    while at >= 0:
        if not any(edit.span.start <= at < edit.span.end for edit in edits):
            notes.append(Note(lines.position(at).line, f"{FLINK_CONF} is named here too; should it be {CONFIG_YAML}?"))
        at = text.find(FLINK_CONF, at + 1)
    return notes
